"""``bridge trace``: the way back from a row to the record, the version and the connection it came from."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, show
from bridge.errors import SetupError

if TYPE_CHECKING:
    from bridge.ports import Origin, Store
    from bridge.types import Item, Sample


def register(app: typer.Typer) -> None:
    app.command()(trace)


def trace(
    sample: Annotated[str | None, typer.Option(help="A measured value, by its number or key.", metavar="ID")] = None,
    episode: Annotated[str | None, typer.Option(help="A night, nap or workout.", metavar="ID")] = None,
    event: Annotated[str | None, typer.Option(help="A calendar entry.", metavar="ID")] = None,
    task: Annotated[str | None, typer.Option(help="A task.", metavar="ID")] = None,
    user: Annotated[str | None, typer.Option("--user", "-u", help="Whose day to list.", show_default=False)] = None,
    day: Annotated[str | None, typer.Option(help="List this day's values with their numbers.", metavar="DATE")] = None,
    metric: Annotated[str | None, typer.Option(help="Of that day only this one, e.g. hrv_rmssd.")] = None,
    raw: Annotated[bool, typer.Option("--raw", help="Print the record as it arrived, too.")] = False,
    json: options.Json = False,
) -> None:
    """Show where a row comes from; without one, list the values of a day (today's) with their numbers."""
    from bridge import app

    asked = {"sample": sample, "episode": episode, "event": event, "task": task}
    given = [(kind, name) for kind, name in asked.items() if name is not None]
    if len(given) > 1 or (not given and user is None):
        raise SetupError("name one row, e.g. bridge trace --sample 12; numbers are in: bridge trace --user NAME")
    with app.open_bridge() as bridge:
        if not given:
            wanted = bridge.store.user(str(user))
            on = _date(day, app.now(), wanted.zones)
            _list(bridge.store.samples_of_day(wanted.id, on), metric, json=json)
            return
        found = bridge.store.origin(given[0][0], _only(bridge.store, *given[0]))
    if json:
        show.document(document(found))
    else:
        _tell(found, raw=raw)


def _date(text: str | None, now: datetime, zones: Any) -> date:
    from rhythm_env.interface import zone_at

    if text is None:
        return now.astimezone(zone_at(now, zones)).date()
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise SetupError(f"{text!r} is no date; write it like 2026-11-20") from None


def _only(store: Store, kind: str, name: str) -> int:
    """The one row of that number or key."""
    found = store.rows_named(kind, name)
    if not found:
        raise SetupError(f"there is no {kind} {name!r}; numbers are in: bridge trace --user NAME --day DATE")
    if len(found) > 1:
        numbers = ", ".join(map(str, found[:10]))
        raise SetupError(f"several rows have that key; write one of their numbers: bridge trace --{kind} {numbers}")
    return found[0]


def _list(found: Sequence[tuple[int, str, Sample]], metric: str | None, *, json: bool) -> None:
    """A day's values; people see those of every few minutes only when they name the metric."""
    from bridge.metrics import METRICS, Shape

    rows = [_listed(*one) for one in found if metric in (None, one[2].metric)]
    if json:
        show.document(rows)
        return
    often = {str(name) for name, spec in METRICS.items() if spec.shape is Shape.INTRADAY}
    shown = [row for row in rows if metric is not None or row["metric"] not in often]
    show.table(shown, ("sample", "metric", "value", "unit", "start", "source"))
    left_out = sorted({row["metric"] for row in rows if row not in shown})
    if left_out:
        typer.echo(f"Measured all day: {', '.join(left_out)}. To list one of them: --metric {left_out[0]}")


def _listed(number: int, source: str, sample: Sample) -> dict[str, Any]:
    from bridge.metrics import METRICS

    return {
        "sample": number,
        "metric": str(sample.metric),
        "value": sample.value,
        "unit": METRICS[sample.metric].unit,
        "start": sample.start.isoformat(timespec="minutes"),
        "source": source,
        "device": sample.device,
    }


def document(origin: Origin) -> dict[str, Any]:
    """An origin as ``--json`` prints it; ``payload`` is the record as the source sent it, null where it is not kept."""
    from bridge import registry

    connection, spec = origin.connection, registry.spec(origin.connection.source)
    return {
        "kind": origin.kind,
        "id": origin.id,
        **_row(origin.item),
        "known_at": origin.known_at.isoformat(),
        "source": connection.source,
        "device": getattr(origin.item, "device", None),
        "stream": origin.stream,
        "record": {
            "key": origin.record,
            "parent": origin.parent,
            "arrivals": [at.isoformat() for at in origin.arrivals],
            "set_aside": origin.reason,
            "payload": origin.payload,
        },
        "normaliser": {"name": spec.normaliser, "version": origin.version, "newest": spec.normaliser_version},
        "connection": {"id": connection.id, "name": connection.name, "created_at": connection.created_at.isoformat()},
        "user": origin.user,
        "before": [
            {
                "row": _row(one.item),
                "known_at": one.known_at.isoformat(),
                "superseded_at": one.superseded_at.isoformat(),
            }
            for one in origin.past
        ],
        "also_from": [{"source": source, origin.kind: number} for source, number in origin.twins],
    }


def _row(item: Item) -> dict[str, Any]:
    from bridge.metrics import METRICS
    from bridge.types import Sample

    unit = {"unit": METRICS[item.metric].unit} if isinstance(item, Sample) else {}
    named = {"of": str(item.kind)} if hasattr(item, "kind") else {}
    body = {name: _plain(value) for name, value in asdict(item).items() if name not in ("kind", "device")}
    return body | unit | named


def _plain(value: Any) -> Any:
    if isinstance(value, datetime | date):
        return value.isoformat()
    return {str(key): inner for key, inner in value.items()} if isinstance(value, Mapping) else value


def _tell(origin: Origin, *, raw: bool) -> None:
    body = document(origin)
    normaliser, record = body["normaliser"], body["record"]
    steps = {
        f"{origin.kind} {origin.id}": _short(body),
        "known since": body["known_at"],
        "derived by": f"{normaliser['name']}, version {normaliser['version']} (now {normaliser['newest']})",
        "from record": f"{body['stream']}/{record['key']}",
        "read with": record["parent"],
        "which arrived": ", ".join(record["arrivals"]) or "and was not kept",
        "from device": body["device"] or "not told",
        "of source": f"{body['source']}, connection {body['connection']['name']} of {origin.user}",
        "set aside": record["set_aside"],
        "before": "; ".join(f"{_short(one['row'])} until {one['superseded_at']}" for one in body["before"]),
        "also from": ", ".join(f"{one['source']} ({one[origin.kind]})" for one in body["also_from"]),
    }
    show.table([{"": name, "what": what} for name, what in steps.items() if what], ("", "what"))
    if raw:
        typer.echo(jsonlib.dumps(origin.payload, indent=2, ensure_ascii=False))


def _short(row: Mapping[str, Any]) -> str:
    if "metric" in row:
        return f"{row['metric']} {row['value']:g} {row['unit']}, {row['day']}"
    return " ".join(str(row[name]) for name in ("of", "title", "start", "due") if row.get(name))
