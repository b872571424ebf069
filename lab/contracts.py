"""Contracts of our own for Import Linter.

``AllowedContract`` lists the modules that may be imported, so that other imports are refused. ``AcyclicContract``
refuses circles of imports.
"""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output
from importlinter.application.contract_utils import AlertLevel, remove_ignored_imports


class AllowedContract(Contract):
    """A contract that modules ``importers`` with descendants import only themselves, ``allowed`` and other packages.

    ``allowed`` names modules with their descendants. Only direct imports are checked.
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


class AcyclicContract(Contract):
    """A contract that no module imports itself through others, imports in functions and for type checks included."""

    ignore_imports = fields.SetField(subfield=fields.ImportExpressionField(), required=False)

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: ARG002 - the interface's name
        remove_ignored_imports(graph, self.ignore_imports, AlertLevel.ERROR)  # type: ignore[arg-type]
        imported = {module: graph.find_modules_directly_imported_by(module) for module in sorted(graph.modules)}
        try:
            TopologicalSorter(imported).prepare()
        except CycleError as error:
            return ContractCheck(kept=False, metadata={"circle": error.args[1]})
        return ContractCheck(kept=True)

    def render_broken_contract(self, check: ContractCheck) -> None:
        # the sorter names every module before the module that imports it
        output.print_error(" -> ".join(reversed(check.metadata["circle"])), bold=False)


def _names(contract: Contract, field: str) -> set[str]:
    return set(getattr(contract, field))


def _below(module: str, packages: set[str]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def _root(module: str, packages: set[str]) -> str:
    return next(package for package in packages if _below(module, {package}))
