"""Run ``bridge trace``, which follows a row back to its record, version and connection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError

if TYPE_CHECKING:
    from bridge.domain.records import Provenance
    from bridge.domain.types import Sample
    from bridge.store import Store


LISTING_COMMANDS = {  # kind -> the command that lists its rows with their numbers or keys
    "sample": "bridge trace --user NAME --day DATE",
    "episode": "bridge export --user NAME",
    "event": "bridge today --user NAME --json",
    "task": "bridge export --user NAME",
}


@options.command()
def trace(
    sample: Annotated[
        str | None, typer.Option(help="A measured value, by its number (listed without a row) or key.", metavar="ID")
    ] = None,
    episode: Annotated[
        str | None,
        typer.Option(
            help="A night, nap or workout, by its number or key (see: bridge export --user NAME).", metavar="ID"
        ),
    ] = None,
    event: Annotated[
        str | None,
        typer.Option(
            help="A calendar entry, by its number or key (see: bridge today --user NAME --json).", metavar="ID"
        ),
    ] = None,
    task: Annotated[
        str | None, typer.Option(help="A task, by its number or key (see: bridge export --user NAME).", metavar="ID")
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(
            "--user", "-u", help="The user whose day to list. It must be given without a row.", show_default=False
        ),
    ] = None,
    day: Annotated[
        str | None,
        typer.Option(
            help="Without a row: list the values measured on this day, such as 2026-11-20. Default: today.",
            metavar="DATE",
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            help="Without a row: list only this metric, e.g. hrv_rmssd. Default: all, those measured all day by "
            "name only."
        ),
    ] = None,
    raw: Annotated[
        bool,
        typer.Option(
            "--raw", help="With a row: also print the record as it arrived, if it was kept. --json always holds it."
        ),
    ] = False,
    json: options.Json = False,
) -> None:
    """Print where a stored row came from. Without a row, list a day's measured values (today's) with their numbers."""
    from bridge import installation
    from bridge.documents.preference import counted_document, provenance_document

    asked = {"sample": sample, "episode": episode, "event": event, "task": task}
    given = [(kind, name) for kind, name in asked.items() if name is not None]
    if len(given) > 1 or (not given and user is None):
        raise SetupError("name one row, e.g. bridge trace --sample 12; list samples: bridge trace --user NAME")
    with installation.open_bridge() as bridge:
        if not given:
            wanted = bridge.store.people.user(str(user))
            on = _date(day, installation.now(), wanted.zones)
            _list(bridge.store.tracing.samples_of_day(wanted.id, on), metric, json=json)
            return
        found = bridge.store.tracing.provenance(given[0][0], _only(bridge.store, *given[0]))
        counted = counted_document(bridge.store, bridge.store.people.user(found.user), found)
    body = provenance_document(found, counted)
    if json:
        show.document(body)
    else:
        _tell(found, body, raw=raw)


def _date(text: str | None, now: datetime, zones: Any) -> date:
    from bridge.documents.inputs import parse_day
    from bridge.domain.slots import local_time

    today = local_time(now, zones).date()
    return today if text is None else parse_day(text, today)


def _only(store: Store, kind: str, name: str) -> int:
    """Return the id of the only row with that id or key. Raises SetupError for none or several."""
    found = store.tracing.row_ids(kind, name)
    if not found:
        raise SetupError(f"there is no {kind} {name!r}; list each {kind}: {LISTING_COMMANDS[kind]}")
    if len(found) > 1:
        numbers = ", ".join(map(str, found[:10]))
        raise SetupError(
            f"several rows have that key; write one of the numbers {numbers}: bridge trace --{kind} NUMBER"
        )
    return found[0]


def _list(found: Sequence[tuple[int, str, Sample]], metric: str | None, *, json: bool) -> None:
    from bridge.documents.preference import sample_document
    from bridge.domain.metrics import METRICS, Shape

    rows = [sample_document(*one) for one in found if metric in (None, one[2].metric)]
    if json:
        show.document(rows)
        return
    often = {str(name) for name, spec in METRICS.items() if spec.shape is Shape.INTRADAY}
    shown = [row for row in rows if metric is not None or row["metric"] not in often]
    show.table(shown, ("sample", "metric", "value", "unit", "start", "source"))
    left_out = sorted({row["metric"] for row in rows if row not in shown})
    if left_out:
        typer.echo(f"Measured all day: {', '.join(left_out)}. To list one of them: --metric {left_out[0]}")


def _tell(origin: Provenance, body: Mapping[str, Any], *, raw: bool) -> None:
    counted, normaliser, record = body["counted"], body["normaliser"], body["record"]
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
        "what counts": counted and f"{'this row' if counted['this_row'] else counted['series']}, {counted['because']}",
    }
    show.table([{"": name, "what": what} for name, what in steps.items() if what], ("", "what"))
    if raw:
        import json as jsonlib

        typer.echo(jsonlib.dumps(origin.payload, indent=2, ensure_ascii=False))


def _short(row: Mapping[str, Any]) -> str:
    if "metric" in row:
        return f"{row['metric']} {row['value']:g} {row['unit']}, {row['day']}"
    return " ".join(str(row[name]) for name in ("of", "title", "start", "due") if row.get(name))
