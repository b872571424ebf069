"""The registry of plug-ins, which are found in their folders without a central list."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import Any

from bridge import config
from bridge.domain.errors import SetupError
from bridge.domain.ports import ConnectorSpec, EventClassifier
from rhythm_env.interface import Policy


def names(folder: str) -> list[str]:
    """Return the plug-ins in ``connectors``, ``classifiers`` or ``policies``, in alphabetical order."""
    return sorted(_modules(folder))


def _modules(folder: str) -> dict[str, str]:
    """Map each plug-in of a folder to its module. Connectors are named by their SPEC, other plug-ins by their file."""
    package = importlib.import_module(folder)
    found = list(pkgutil.iter_modules(package.__path__, f"{folder}."))
    if folder != "connectors":
        return {module.name.rpartition(".")[2]: module.name for module in found}
    return {name: path for module in found for name, path in _sources(module).items()}


def _sources(module: pkgutil.ModuleInfo) -> dict[str, str]:
    """Map a connector's source to its module. A folder without a SPEC, such as ``google``, holds several connectors."""
    found = importlib.import_module(module.name)
    if hasattr(found, "SPEC"):
        return {found.SPEC.name: module.name}
    members = pkgutil.iter_modules(found.__path__, f"{module.name}.") if module.ispkg else ()
    return {name: path for member in members if member.ispkg for name, path in _sources(member).items()}


@cache
def spec(source: str) -> ConnectorSpec:
    """Return a connector's SPEC. Raises SetupError for an unknown source."""
    found: ConnectorSpec = _module("connectors", source, "bridge sources").SPEC
    return found


def specs() -> list[ConnectorSpec]:
    """Return the SPEC of every connector, by name."""
    return [spec(source) for source in names("connectors")]


def rmssd_errors() -> dict[str, float]:
    """Return ``ConnectorSpec.rmssd_error`` by source, of the sources that tell it."""
    return {found.name: found.rmssd_error for found in specs() if found.rmssd_error is not None}


def resolve(path: str) -> Any:
    """Return the object of a dotted path ``module:name``."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


def classifier(name: str, settings: config.Settings | None = None) -> EventClassifier:
    """Open a classifier by its file's name.

    ``open_classifier()`` of its module is called, or ``open_classifier(settings, folder)`` where the module declares
    ``SETTINGS``. The values come from ``settings``, by default those of the installation. Raises SetupError for an
    unknown name or a missing setting.
    """
    module = _module("classifiers", name, "bridge sources")
    if not hasattr(module, "SETTINGS"):
        plain: EventClassifier = module.open_classifier()
        return plain
    known = settings or config.load()
    opened: EventClassifier = module.open_classifier(known.of_plugin(name, module.SETTINGS), known.cache)
    return opened


def policy(name: str, settings: config.Settings | None = None) -> Policy:
    """Open a policy by its file's name.

    ``open_policy()`` of its module is called, or ``open_policy(settings)`` where the module declares ``SETTINGS``. The
    values come from the table ``policy_NAME`` and ``BRIDGE_POLICY_NAME_...``. Raises SetupError for an unknown name or
    a setting that is missing or wrong.
    """
    module = _module("policies", name, "bridge sources")
    try:
        opened: Policy = (
            module.open_policy(policy_settings(name, settings)) if hasattr(module, "SETTINGS") else module.open_policy()
        )
    except ValueError as error:
        raise SetupError(f"{error}, then: bridge doctor") from None
    return opened


def policy_settings(name: str, settings: config.Settings | None = None) -> dict[str, str]:
    """Return a policy's settings by name, or an empty value for a policy without settings."""
    wanted = getattr(_module("policies", name, "bridge sources"), "SETTINGS", ())
    return (settings or config.load()).of_plugin(f"policy_{name}", wanted)


def _module(folder: str, name: str, command: str) -> Any:
    found = _modules(folder)
    if name not in found:
        raise SetupError(f"there is no {name!r} in {folder}/ (there are: {', '.join(sorted(found))}); see: {command}")
    return importlib.import_module(found[name])
