"""An import-linter contract that lists what modules may import, so that a new module is refused until it is allowed."""

from __future__ import annotations

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class AllowedContract(Contract):
    """Let ``importers`` (each with its descendants) import only ``allowed``, themselves and packages from elsewhere.

    ``allowed`` names modules with their descendants. Direct imports are checked.
    """

    importers = fields.SetField(subfield=fields.StringField())
    allowed = fields.SetField(subfield=fields.StringField())
    within = fields.SetField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: ARG002 - the interface's name
        importers, allowed, within = _names(self, "importers"), _names(self, "allowed"), _names(self, "within")
        found = sorted(
            (module, target)
            for module in graph.modules
            if _below(module, importers)
            for target in graph.find_modules_directly_imported_by(module)
            if _below(target, within) and not _below(target, allowed | {_root(module, importers)})
        )
        return ContractCheck(kept=not found, metadata={"found": found})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for module, target in check.metadata["found"]:
            output.print_error(f"{module} may not import {target}", bold=False)


def _names(contract: Contract, field: str) -> set[str]:
    """Return the modules that a field of a contract names."""
    return set(getattr(contract, field))


def _below(module: str, packages: set[str]) -> bool:
    """Say whether a module is one of the packages or lies below one."""
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def _root(module: str, packages: set[str]) -> str:
    """Return the package of ``packages`` that a module belongs to."""
    return next(package for package in packages if _below(module, {package}))
