"""Load and check the proxy map: the shipped table of meter inputs, with the installation's overrides.

An override file names a meter, a signal and the changed fields. All other rows stay as shipped:

    [VITALITY.steps]
    weight = 0.0
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, lru_cache
from math import isfinite
from pathlib import Path
from typing import Any

from bridge.domain.errors import SetupError
from bridge.domain.metrics import METRICS
from bridge.domain.records import Proxy, ProxyMap
from rhythm_env.interface import Meter

TABLE = Path(__file__).with_name("proxy_map.toml")
OVERRIDES = "meters.toml"  # in the bridge's folder
RESET = "bridge meters map --reset"  # drops a file of OVERRIDES
FACTS = ("agenda: ", "tasks: ")  # prefixes of inputs that are not metrics
CHANGEABLE = ("direction", "half_life_h", "weight")
MAX_WEIGHT = 10.0  # "your normal" has weight 1

Overrides = Mapping[str, Mapping[str, Mapping[str, Any]]]


@cache
def shipped() -> ProxyMap:
    """Return the proxy map as shipped. Raises SetupError for an invalid or repeated row."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    rows = tuple(_row(entry) for entry in table["proxy"])
    if len({(row.meter, row.signal) for row in rows}) < len(rows):
        raise SetupError(
            f"{TABLE.name}: two rows have the same meter and signal; remove one of them, or install the bridge again"
        )
    validity = {Meter(name): float(value) for name, value in table["validity"].items()}
    return ProxyMap(version=str(table["version"]), rows=rows, validity=validity)


def overridden(path: Path) -> ProxyMap:
    """Return the shipped map with the overrides in a file, if it exists. Raises SetupError for an invalid file."""
    return with_changes(overrides(path), path)


def current(path: Path) -> ProxyMap:
    """Return the shipped map with the overrides in a file, if it exists. The file is read only after it has changed.

    Raises SetupError for an invalid file.
    """
    try:
        found = path.stat()
    except OSError:
        return shipped()
    return _read_once(path, (found.st_ino, found.st_mtime_ns, found.st_size))


@lru_cache(maxsize=8)
def _read_once(path: Path, stamp: tuple[int, ...]) -> ProxyMap:  # noqa: ARG001 - the stamp is the cache key
    return overridden(path)


def with_changes(changes: Overrides, path: Path) -> ProxyMap:
    """Return the shipped map with ``changes`` (meter -> signal -> fields). Changed meters lose their validity.

    Raises SetupError, naming ``path``, for an unknown row, a field that cannot change or a value out of range.
    """
    if not changes:
        return shipped()
    rows = tuple(_changed(row, changes.get(str(row.meter), {}).get(row.signal, {}), path) for row in shipped().rows)
    _no_strangers(changes, path)
    other = {now.meter for was, now in zip(shipped().rows, rows, strict=True) if was != now}
    validity = {meter: r for meter, r in shipped().validity.items() if meter not in other}
    mark = hashlib.sha256(json.dumps(changes, sort_keys=True).encode()).hexdigest()[:8]
    return replace(shipped(), version=f"{shipped().version}+{mark}", rows=rows, validity=validity)


def overrides(path: Path) -> Overrides:
    """Return meter -> signal -> changed fields from an override file, or an empty mapping without the file.

    Raises SetupError if the file is not TOML or has another structure.
    """
    if not path.exists():
        return {}
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SetupError(f"{path} is not TOML ({error}); correct it, or drop all changes: {RESET}") from None
    for meter, signals in found.items():
        if not isinstance(signals, dict) or not all(isinstance(change, dict) for change in signals.values()):
            raise SetupError(
                f"{path}: {meter} is not a table of changes; write [{meter}.SIGNAL] above the changed fields, or drop "
                f"all changes: {RESET}. The signals are listed by: bridge meters map"
            )
    return found


def differences(mine: ProxyMap) -> list[tuple[Proxy, Proxy]]:
    """Return (shipped row, changed row) for each row of ``mine`` that differs from the shipped map."""
    return [(was, is_) for was, is_ in zip(shipped().rows, mine.rows, strict=True) if was != is_]


def written(changes: Overrides) -> str:
    """Return overrides as TOML text, sorted by meter and signal. Signals without fields are left out."""
    lines = [
        "\n".join([f"[{meter}.{signal}]", *(f"{name} = {value}" for name, value in sorted(change.items()))])
        for meter, signals in sorted(changes.items())
        for signal, change in sorted(signals.items())
        if change
    ]
    return "\n\n".join(lines) + "\n"


def _row(entry: Mapping[str, Any]) -> Proxy:
    name = f"{entry.get('meter')}.{entry.get('signal')}"
    try:
        row = Proxy(**{**entry, "meter": Meter(entry["meter"]), "inputs": tuple(entry["inputs"])})
    except (TypeError, ValueError, KeyError) as error:
        raise SetupError(
            f"{TABLE.name}: {name} is not a row of the proxy map ({error}); correct it, or install the bridge again"
        ) from None
    strangers = [i for i in row.inputs if i not in METRICS and not i.startswith(FACTS)]
    if strangers or not row.inputs:
        raise SetupError(
            f"{TABLE.name}: {name} needs metrics as inputs, not {', '.join(strangers) or 'none'}; correct it, or "
            "install the bridge again"
        )
    return _checked(row, TABLE)


def _changed(row: Proxy, change: Mapping[str, Any], path: Path) -> Proxy:
    unknown = sorted(set(change) - set(CHANGEABLE))
    if unknown:
        raise SetupError(
            f"{path.name}: only {', '.join(CHANGEABLE)} can be changed, not {', '.join(unknown)}; "
            "see: bridge meters map"
        )
    return _checked(replace(row, **change), path)


def _checked(row: Proxy, path: Path) -> Proxy:
    if row.direction not in (1, -1):
        raise SetupError(
            f"{path}, row {row.meter}.{row.signal}: direction must be 1 (raises) or -1 (lowers), not "
            f"{row.direction!r}; correct it, or drop all changes: {RESET}"
        )
    if not _number(row.weight) or not 0 <= row.weight <= MAX_WEIGHT:
        raise SetupError(
            f"{path}, row {row.meter}.{row.signal}: weight must be a number from 0 to {MAX_WEIGHT:.0f}, not "
            f"{row.weight!r}; correct it, or drop all changes: {RESET}"
        )
    if row.half_life_h is not None and (not _number(row.half_life_h) or row.half_life_h <= 0):
        raise SetupError(
            f"{path}, row {row.meter}.{row.signal}: half_life_h must be a number of hours above 0, not "
            f"{row.half_life_h!r}; correct it, or drop all changes: {RESET}"
        )
    return row


def _no_strangers(changes: Overrides, path: Path) -> None:
    known = {(str(row.meter), row.signal) for row in shipped().rows}
    unknown = [f"{meter}.{s}" for meter, signals in changes.items() for s in signals if (meter, s) not in known]
    if unknown:
        raise SetupError(f"{path.name}: the proxy map has no row {', '.join(sorted(unknown))}; see: bridge meters map")


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
