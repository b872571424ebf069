"""Run ``bridge meters map``, which prints and changes the table of inputs and weights of each meter."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError

if TYPE_CHECKING:
    from bridge.domain.records import Proxy, ProxyMap

PROXY_COLUMNS = ("meter", "signal", "inputs", "direction", "weight", "half_life_h", "citation")


def show_map(
    change: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="Change a row, which is METER.SIGNAL: its weight (0 to 10), e.g. vitality.steps=0, or its "
            "direction (1 or -1) or half_life_h (hours), e.g. vitality.steps.direction=-1. May be repeated.",
            metavar="ROW=X",
        ),
    ] = None,
    reset: Annotated[
        bool, typer.Option("--reset", help="Drop all earlier changes, before those of --set are made.")
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Print only the values that differ from the shipped map.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Print the rules by which signals such as steps become meters: inputs, weight and source of each rule.

    --set and --reset change these rules for everybody on this installation, and print them afterwards.
    """
    from bridge import config
    from bridge.meters import proxy

    path = config.load().folder / proxy.OVERRIDES
    if reset:
        path.unlink(missing_ok=True)
    for one in change or ():
        _set(path, one)
    mine = proxy.overridden(path)
    if diff:
        _differences(mine, json=json)
    elif json:
        show.document({"version": mine.version, "rows": [row_document(row) for row in mine.rows]})
    else:
        show.table([_readable(row) for row in mine.rows], PROXY_COLUMNS, title=f"Proxy map {mine.version}")


def row_document(one: Proxy) -> dict[str, Any]:
    """Return a row of the table (an input of a meter) as a JSON document."""
    return {
        "meter": str(one.meter),
        "signal": one.signal,
        "inputs": list(one.inputs),
        "direction": one.direction,
        "weight": one.weight,
        "half_life_h": one.half_life_h,
        "optional": one.optional,
        "citation": one.source,
    }


def _readable(one: Proxy) -> dict[str, Any]:
    return {
        **row_document(one),
        "meter": str(one.meter).capitalize(),
        "inputs": ", ".join(one.inputs),
        "direction": "raises" if one.direction > 0 else "lowers",
        "weight": f"{one.weight:g}",
    }


def _differences(mine: ProxyMap, *, json: bool) -> None:
    from bridge.meters import proxy

    found = [
        {
            "row": f"{was.meter}.{was.signal}".lower(),
            "what": name,
            "shipped": getattr(was, name),
            "yours": getattr(now, name),
        }
        for was, now in proxy.differences(mine)
        for name in proxy.CHANGEABLE
        if getattr(was, name) != getattr(now, name)
    ]
    if found or json:
        show.table(found, ("row", "what", "shipped", "yours"), json=json)
    else:
        typer.echo("Nothing differs from the shipped table.")


def _set(path: Path, text: str) -> None:
    from bridge.meters import proxy

    meter, signal, name, value = _parsed(text)
    changes = {m: {s: dict(change) for s, change in signals.items()} for m, signals in proxy.overrides(path).items()}
    changes.setdefault(meter, {}).setdefault(signal, {})[name] = value
    proxy.with_changes(changes, path)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_text(proxy.written(changes), encoding="utf-8")
    part.replace(path)  # in one step, because another process may be reading it


def _parsed(text: str) -> tuple[str, str, str, float | int]:
    place, _, value = text.partition("=")
    parts: Sequence[str] = place.split(".")
    try:
        number = float(value)
    except ValueError:
        raise SetupError(f"--set {text!r} gives no number after =; write it like vitality.steps=0.3") from None
    if len(parts) not in (2, 3):
        raise SetupError(
            f"--set {text!r} does not begin with METER.SIGNAL; choose a row of: bridge meters map. Then write, "
            "for example, vitality.steps=0.3 for its weight, or vitality.steps.direction=-1 if more of it is worse"
        )
    name = parts[2] if len(parts) == 3 else "weight"
    return parts[0].upper(), parts[1], name, int(number) if name == "direction" and number in (1, -1) else number
