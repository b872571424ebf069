"""Find and open plug-ins (connectors, classifiers, policies) by their folders, without a central list.

Another package, such as the laboratory, adds policies by entry points of the group ``rhythm_bridge.policies``.
"""

from __future__ import annotations

import hashlib
import importlib
import pkgutil
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import Any

from bridge import config
from bridge.domain.errors import SetupError
from bridge.domain.metrics import Metric
from bridge.domain.ports import ConnectorSpec, EventClassifier, Setting
from bridge.entry_points import added
from rhythm_env.interface import Policy


def names(folder: str) -> list[str]:
    """Return the names of the plug-ins in ``folder`` (connectors, classifiers or policies), in alphabetical order."""
    return sorted(_modules(folder) | added(f"rhythm_bridge.{folder}"))


def _modules(folder: str) -> dict[str, str]:
    return _modules_in(folder, tuple(importlib.import_module(folder).__path__))


@lru_cache(maxsize=16)
def _modules_in(folder: str, paths: tuple[str, ...]) -> dict[str, str]:
    found = list(pkgutil.iter_modules(paths, f"{folder}."))
    if folder != "connectors":
        return {module.name.rpartition(".")[2]: module.name for module in found}
    return {name: path for module in found for name, path in _sources(module).items()}


def _sources(module: pkgutil.ModuleInfo) -> dict[str, str]:
    found = importlib.import_module(module.name)
    if hasattr(found, "SPEC"):
        return {found.SPEC.name: module.name}
    members = pkgutil.iter_modules(found.__path__, f"{module.name}.") if module.ispkg else ()
    return {name: path for member in members if member.ispkg for name, path in _sources(member).items()}


@cache
def spec(source: str) -> ConnectorSpec:
    """Return the SPEC of a source's connector. Raises SetupError for an unknown source."""
    found: ConnectorSpec = _module("connectors", source, "bridge sources").SPEC
    return found


def specs() -> list[ConnectorSpec]:
    """Return the SPECs of all connectors, in alphabetical order of their sources."""
    return [spec(source) for source in names("connectors")]


def settings_by_table(mentioned: Sequence[str]) -> dict[str, set[str]]:
    """Return table of ``config.toml`` -> names of its settings, empty for plug-ins not ``mentioned``."""
    found = {name: {one.name for one in settings} for name, settings in (("mqtt", config.MQTT), ("ask", config.ASK))}
    for one in specs():
        for setting in (*one.settings, *one.file_settings):
            for table in filter(None, (one.name, setting.shared)):
                found.setdefault(table, set()).add(setting.name)
    for folder, before in (("classifiers", ""), ("policies", "policy_")):
        for name, path in _modules(folder).items():
            used = any(one.startswith(before + name) for one in mentioned)
            wanted = getattr(importlib.import_module(path), "SETTINGS", ()) if used else ()
            found[before + name] = {setting.name for setting in wanted}
    return found


def rmssd_errors() -> dict[str, float]:
    """Return source -> ``ConnectorSpec.rmssd_error`` for the sources that state this error."""
    return {found.name: found.rmssd_error for found in specs() if found.rmssd_error is not None}


@cache
def usual_order() -> tuple[str, ...]:
    """Return the sources that record nights or workouts, in the order in which they count without a user's choice.

    Sources with the smallest published error of the night's RMSSD come first.
    """
    return tuple(one.name for one in sorted(filter(records_body, specs()), key=_merit))


def records_body(spec: ConnectorSpec) -> bool:
    """Return True for a source that records nights or workouts, so that another source may record the same nights."""
    return "episodes" in spec.delivers


def _merit(spec: ConnectorSpec) -> tuple[bool, float, bool, int, str]:
    metrics = spec.delivers & frozenset(Metric)
    error = 1.0 if spec.rmssd_error is None else spec.rmssd_error
    variability, stages = Metric.HRV_RMSSD not in metrics, Metric.DEEP_SLEEP not in metrics
    return variability, 1.0 if variability else error, stages, -len(metrics), spec.name


def resolve(path: str) -> Any:
    """Return the object of a dotted path ``module:name``."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


@cache
def reader_version(source: str) -> str:
    """Return a digest of a source's file reader. Files read by an older reader can be recognised by another digest."""
    module = (spec(source).reads or "").partition(":")[0]
    folder = resources.files(module.rpartition(".")[0])
    texts = [one.read_bytes() for one in sorted(folder.iterdir(), key=str) if one.name.endswith(".py")]
    return hashlib.sha256(b"".join(texts)).hexdigest()[:16]


def classifier(name: str, settings: config.Settings | None = None) -> EventClassifier:
    """Open the classifier whose module in ``classifiers`` is called ``name``. None as ``settings``: the installation's.

    Raises SetupError for an unknown name, or a setting that is missing or wrong.
    """
    module = _module("classifiers", name, "bridge sources")
    if not hasattr(module, "SETTINGS"):
        plain: EventClassifier = module.open_classifier()
        return plain
    known = settings or config.load()
    opened: EventClassifier = module.open_classifier(known.of_plugin(name, module.SETTINGS), known.cache)
    return opened


def policy(name: str, settings: config.Settings | None = None) -> Policy:
    """Open the policy whose module in ``policies`` is called ``name``, with its values if it declares SETTINGS.

    Raises SetupError for an unknown name, or a setting that is missing or wrong.
    """
    module = _module("policies", name, "bridge sources")
    try:
        opened: Policy = (
            module.open_policy(policy_settings(name, settings)) if hasattr(module, "SETTINGS") else module.open_policy()
        )
    except ValueError as error:
        raise SetupError(f"{error}, then: bridge doctor") from None
    return opened


def declared(folder: str, name: str) -> tuple[Setting, ...]:
    """Return the SETTINGS that a classifier or policy declares. Raises SetupError for an unknown name."""
    return tuple(getattr(_module(folder, name, "bridge sources"), "SETTINGS", ()))


def policy_settings(name: str, settings: config.Settings | None = None) -> dict[str, str]:
    """Return name -> value of a policy's settings, from ``settings`` or else the installation's.

    Raises SetupError for an unknown name, or a setting that is missing or wrong.
    """
    return (settings or config.load()).of_plugin(f"policy_{name}", declared("policies", name))


def _module(folder: str, name: str, command: str) -> Any:
    found = _modules(folder)
    if name not in found:
        found = found | added(f"rhythm_bridge.{folder}")  # read late, because it takes milliseconds
    if name not in found:
        near = config.nearest(name, found, cutoff=0.6)
        if near:
            raise SetupError(f"{name!r} is not one of the {folder}; did you mean {near}? Otherwise see: {command}")
        default = next(setting.default for setting in config.INSTALLATION if setting.name == "policy")
        usual = f"; the default is BRIDGE_POLICY={default}" if folder == "policies" else ""
        raise SetupError(
            f"{name!r} is not one of the {folder} (there are: {', '.join(sorted(found))}){usual}; see: {command}"
        )
    return importlib.import_module(found[name])
