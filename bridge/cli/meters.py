"""``bridge meters``, ``bridge explain`` and ``bridge meters map``: how you are, why, and by which rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, proxies, show
from bridge.errors import SetupError
from rhythm_env.interface import Meter, Moment, ZoneHistory, moment_at, slot_start, zone_at

if TYPE_CHECKING:
    from bridge.app import Bridge
    from bridge.ports import ProxyMap, User
    from bridge.types import Reading

SPARKS = "▁▂▃▄▅▆▇█"
SPARKED = (0.3, 0.95)  # levels from the lowest to the highest block; nearly all days lie in between
DAY = timedelta(days=1)

meters = typer.Typer(help="Print the five meters, or (map) the rules they are read by.")


def register(app: typer.Typer) -> None:
    meters.callback(invoke_without_command=True)(show_meters)
    meters.command(name="map")(proxies.show_map)
    app.add_typer(meters, name="meters")
    app.command()(explain)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A person's meters at a moment, and at the starts of the slots before it."""

    at: datetime
    zones: ZoneHistory
    now: Mapping[Meter, Reading]
    starts: Sequence[datetime]
    before: Sequence[Mapping[Meter, Reading]]
    proxies: ProxyMap


def show_meters(
    context: typer.Context,
    user: Annotated[str | None, typer.Option("--user", "-u", help="Whose data.", show_default=False)] = None,
    days: Annotated[int, typer.Option(help="How many days back the lines reach.", min=1, max=3650)] = 7,
    plot: Annotated[Path | None, typer.Option(help="Draw levels, bands and inputs into this picture.")] = None,
    at: options.At = None,
    json: options.Json = False,
) -> None:
    """Print the five meters: level, uncertainty, the last days, and why."""
    if context.invoked_subcommand is not None:
        return
    if user is None:
        raise SetupError("whose meters? write: bridge meters --user NAME")
    look = _look(user, at, days)
    if plot is not None:
        from bridge.cli.picture import draw

        draw(plot, look)
        typer.echo(f"drawn: {plot}", err=True)
    if json:
        show.document(document(look))
    else:
        _tell(look, days)


def _look(user: str, at: str | None, days: int) -> Look:
    from bridge import app

    with app.open_bridge() as bridge:
        return look_of(bridge, bridge.store.user(user), options.instant(at) if at else app.now(), days)


def look_of(bridge: Bridge, person: User, when: datetime, days: int) -> Look:
    from bridge import advise
    from bridge.meters import read_slots

    back = timedelta(days=days)
    known = advise.know(bridge.store, person, bridge.classifier, at=when, proxies=bridge.proxies, back=back)
    starts = _starts(moment_at(when, person.zones), 4 * days, person.zones)
    *before, now = read_slots(known, [*starts, when])
    return Look(at=when, zones=person.zones, now=now, starts=starts, before=before, proxies=bridge.proxies)


def _starts(now: Moment, slots: int, zones: ZoneHistory) -> list[datetime]:
    return [slot_start(now.shifted(-back), zones) for back in range(slots, -1, -1)]


def document(look: Look) -> dict[str, Any]:
    """A look as ``--json`` prints it."""
    return {
        "at": look.at.isoformat(),
        "map": look.proxies.version,
        "meters": {str(meter): row(reading) for meter, reading in look.now.items()},
        "history": [
            {
                "at": start.isoformat(),
                "levels": {str(m): None if r.coverage == 0 else r.level for m, r in readings.items()},
                "sd": {str(m): r.sd for m, r in readings.items()},
                "coverage": {str(m): r.coverage for m, r in readings.items()},
            }
            for start, readings in zip(look.starts, look.before, strict=True)
        ],
    }


def row(reading: Reading) -> dict[str, Any]:
    """A reading for people: no level, but a note, where nothing is known; ``model`` is what the model gets."""
    from bridge.cli.advice import reading_row

    state = reading.state
    shown = reading_row(reading)
    return {
        **shown,
        "level": reading.level if reading.coverage else None,
        "model": {"level": state.level, "sd": state.sd, "coverage": state.coverage},
    }


def _tell(look: Look, days: int) -> None:
    rows = [
        {
            "meter": str(meter).capitalize() + ("" if reading.validated else " *"),
            "level": show.level(reading, 10),
            f"last {days} days": spark([one[meter] for one in look.before]),
            "fresh": f"{reading.coverage:.0%}",
            "because": "; ".join(b.text for b in reading.because) or reading.note or "",
        }
        for meter, reading in look.now.items()
    ]
    show.table(rows, tuple(rows[0]))
    local = look.at.astimezone(zone_at(look.at, look.zones))
    typer.echo(f"As of {local:%a %d %b, %H:%M}. 0.70 is your normal; ± is one standard deviation. Nothing is medical.")
    validity = ", ".join(f"{str(m).capitalize()} {r:.2f}" for m, r in look.proxies.validity.items()) or "not measured"
    typer.echo(f"Agreement with what people say of the day, 0 to 1: {validity}. * not validated against reports.")


def spark(readings: Sequence[Reading], width: int = 28) -> str:
    """Levels as a line of blocks, at most ``width`` of them; a blank where nothing was known."""
    each = -(-len(readings) // width)
    cells = [[r.level for r in readings[k : k + each] if r.coverage] for k in range(0, len(readings), each)]
    return "".join(_spark(sum(c) / len(c)) if c else " " for c in cells)


def _spark(level: float) -> str:
    low, high = SPARKED
    return SPARKS[min(max(int((level - low) / (high - low) * len(SPARKS)), 0), len(SPARKS) - 1)]


def explain(
    user: options.User,
    meter: Annotated[str, typer.Option(help="Which meter: vitality, cognition, progress, serenity, connection.")],
    at: options.At = None,
    json: options.Json = False,
) -> None:
    """Say what a meter is made of right now: every input, how far from normal, how old, and its share."""
    try:
        chosen = Meter(meter.upper())
    except ValueError:
        raise SetupError(f"{meter!r} is no meter; one of {', '.join(m.lower() for m in Meter)}") from None
    look = _look(user, at, 1)
    reading, rows = look.now[chosen], _explained(look, chosen)
    if json:
        show.document({"meter": str(chosen), "at": look.at.isoformat(), **row(reading), "inputs": rows})
        return
    typer.echo(f"{meter.capitalize()}: {show.level(reading, 10)}")
    show.table([_readable(one) for one in rows], ("signal", "points", "distance", "age", "weight", "why"))
    typer.echo(_summed(reading))
    typer.echo("What stands for what, and by whose findings: bridge meters map")


def _explained(look: Look, meter: Meter) -> list[dict[str, Any]]:
    """Every signal of the meter; those that are missing too."""
    found = {b.signal: b for b in look.now[meter].because}
    return [
        {
            "signal": proxy.signal,
            "inputs": list(proxy.inputs),
            "source": found[proxy.signal].source if proxy.signal in found else None,
            "contribution": found[proxy.signal].contribution if proxy.signal in found else None,
            "z": found[proxy.signal].z if proxy.signal in found else None,
            "age_hours": found[proxy.signal].age_hours if proxy.signal in found else None,
            "weight": proxy.weight,
            "text": found[proxy.signal].text if proxy.signal in found else _absent(proxy.inputs),
            "citation": proxy.source,
        }
        for proxy in look.proxies.of(meter).values()
    ]


def _absent(inputs: Sequence[str]) -> str:
    return f"nothing fresh of: {', '.join(inputs)}"


def _readable(one: Mapping[str, Any]) -> dict[str, Any]:
    if one["contribution"] is None:
        return {"signal": one["signal"], "weight": one["weight"], "why": one["text"]}
    return {
        "signal": one["signal"],
        "points": f"{one['contribution']:+.3f}",
        "distance": f"{one['z']:+.1f} sd",
        "age": f"{one['age_hours']:.0f} h" if one["age_hours"] >= 1 else "now",
        "weight": one["weight"],
        "why": one["text"],
    }


def _summed(reading: Reading) -> str:
    if not reading.because:
        return f"{reading.note}"
    total = sum(b.contribution for b in reading.because)
    measured = f"validity {reading.validity:.2f}" if reading.validity is not None else reading.note
    return f"0.70 {total:+.3f} = {reading.level:.3f} ({measured}; {reading.coverage:.0%} of its weight is fresh)"
