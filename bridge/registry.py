"""Find plug-ins by looking into their folders; there is no central list."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import Any

from bridge import config
from bridge.errors import SetupError
from bridge.ports import ConnectorSpec, EventClassifier
from rhythm_env.interface import Policy


def names(folder: str) -> list[str]:
    """The plug-ins in one of ``connectors``, ``classifiers``, ``policies``, in alphabetical order."""
    package = importlib.import_module(folder)
    return sorted(m.name for m in pkgutil.iter_modules(package.__path__))


@cache
def spec(source: str) -> ConnectorSpec:
    """A connector's SPEC. Raises SetupError for an unknown source."""
    found: ConnectorSpec = _module("connectors", source, "bridge sources").SPEC
    return found


def specs() -> list[ConnectorSpec]:
    return [spec(source) for source in names("connectors")]


def resolve(path: str) -> Any:
    """The object behind a dotted ``module:name``."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


def classifier(name: str, settings: config.Settings | None = None) -> EventClassifier:
    """A classifier by its file's name; its module offers ``open_classifier()``.

    A module that declares ``SETTINGS`` offers ``open_classifier(settings, folder)``: its settings by name and the
    bridge's folder, from ``settings`` or else as they are set now. Raises SetupError for what is missing.
    """
    module = _module("classifiers", name, "bridge sources")
    if not hasattr(module, "SETTINGS"):
        plain: EventClassifier = module.open_classifier()
        return plain
    known = settings or config.load()
    opened: EventClassifier = module.open_classifier(known.of_plugin(name, module.SETTINGS), known.cache)
    return opened


def policy(name: str, settings: config.Settings | None = None) -> Policy:
    """A policy by its file's name; its module offers ``open_policy()``.

    A module that declares ``SETTINGS`` offers ``open_policy(settings)``, its settings by name, from the table
    ``policy_NAME`` and ``BRIDGE_POLICY_NAME_...``. Raises SetupError for one that cannot be used.
    """
    module = _module("policies", name, "bridge sources")
    try:
        opened: Policy = (
            module.open_policy(policy_settings(name, settings))
            if hasattr(module, "SETTINGS")
            else (module.open_policy())
        )
    except ValueError as error:
        raise SetupError(f"{error}, then: bridge doctor") from None
    return opened


def policy_settings(name: str, settings: config.Settings | None = None) -> dict[str, str]:
    """A policy's settings by name, from ``settings`` or else as they are set now; empty for one that has none."""
    wanted = getattr(_module("policies", name, "bridge sources"), "SETTINGS", ())
    return (settings or config.load()).of_plugin(f"policy_{name}", wanted)


def part(policy: str, name: str) -> Any:
    """A module of a policy that is a package, e.g. ``part("llm", "teacher")``."""
    return importlib.import_module(f"{_module('policies', policy, 'bridge sources').__name__}.{name}")


def training(name: str) -> Any:
    """What trains a policy: its package's ``training``, with ``MINUTES``, ``train`` and ``draw``.

    Raises SetupError for a policy that knows what it knows without training.
    """
    package = _module("policies", name, "bridge sources")
    if "training" not in [m.name for m in pkgutil.iter_modules(getattr(package, "__path__", ()))]:
        raise SetupError(f"{name} is not trained; --policy network is")
    found = importlib.import_module(f"{package.__name__}.training")
    if not hasattr(found, "train"):
        raise SetupError(f"{name} is trained in several steps; see: bridge {name} --help")
    return found


def _module(folder: str, name: str, command: str) -> Any:
    if name not in names(folder):
        known = ", ".join(names(folder))
        raise SetupError(f"there is no {name!r} in {folder}/ (there are: {known}); see: {command}")
    return importlib.import_module(f"{folder}.{name}")
