"""Run ``bridge query`` and ``ask``, which answer questions over what is stored, and ``trace`` a row to its record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError
from bridge.domain.languages import capital

if TYPE_CHECKING:
    from bridge.domain.records import Provenance
    from bridge.domain.types import Sample
    from bridge.query.answered import Answer
    from bridge.query.tables import Tables
    from bridge.store import Store


CHART_WIDTH, CHART_MIN_DAYS = 40, 3


LISTING_COMMANDS = {  # kind -> the command that lists its rows with their numbers or keys
    "sample": "bridge trace --user NAME --day DATE",
    "episode": "bridge export --user NAME",
    "event": "bridge today --user NAME --json",
    "task": "bridge export --user NAME",
}


@options.command()
def query(
    what: Annotated[
        str,
        typer.Argument(
            help="A metric (steps, asleep, resting_hr, ...), the ratio of two like deep_sleep/asleep, several like "
            "steps,asleep, a meter like vitality, nights, workouts, entries, tasks, or a figure of these like "
            "workouts.minutes or nights.start. The word night means all figures of a night, meters all five "
            "meters."
        ),
    ],
    user: options.User,
    of: Annotated[
        str | None,
        typer.Option(
            help="mean, median, sum, min, max, std, count, first, last, share (of the rows for which --where holds), "
            "trend (change a week), streak (most days in a row) or ago (days since the last). "
            "Default: mean, or count for what is counted."
        ),
    ] = None,
    since: Annotated[str | None, typer.Option(help="The first date, such as 2026-10-01. Default: all.")] = None,
    until: Annotated[str | None, typer.Option(help="The last date, included. Default: all.")] = None,
    first: Annotated[int | None, typer.Option(help="Use only this number of the earliest rows.")] = None,
    last: Annotated[int | None, typer.Option(help="Use only this number of the latest rows.")] = None,
    by: Annotated[
        str | None, typer.Option(help="day, week, month, weekday, sport, action or row (each by itself).")
    ] = None,
    per: Annotated[
        str | None,
        typer.Option(help="Make one value of each day, week or month: a sum of steps and the like, else a mean."),
    ] = None,
    top: Annotated[
        int | None, typer.Option(help="With --of max or min: the number of highest or lowest rows to list.")
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            help='A condition "FIELD OP VALUE" that must hold, such as "steps > 8000", "weekday = 6" or '
            '"workout.sport = running|cycling" for one of several. "workouts.running = 0" is of days without a run, '
            '"titled choir > 0" searches the titles of your entries, and "value >= 3" tests the rows that --per makes. '
            "May be repeated."
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            help="Compare with something else. A second metric gives the rank correlation of both over the days. A "
            "condition gives the difference between the rows for which it holds and the others. Two conditions like "
            '"weekday <= 5 vs weekday = 7" give the difference between the rows of each. Another span like '
            "2026-09-01..2026-09-30 gives the difference between both spans."
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Answer a question over what is stored: a metric, a span, conditions, a grouping and an aggregate."""
    from bridge import installation
    from bridge.documents.query import answer_document
    from bridge.query import asking
    from bridge.query.parse import Words

    words = Words(
        what=what,
        of=of,
        since=since,
        until=until,
        first=first,
        last=last,
        by=by,
        per=per,
        top=top,
        where=where or (),
        against=against,
    )
    with installation.open_bridge() as bridge:
        now = installation.now()
        found, _ = asking.typed(bridge, bridge.person(user, at=now), words, now=now, titles=True)
    if json:
        show.document(answer_document(found))
    else:
        _print(found)


@options.command()
def ask(
    text: Annotated[str, typer.Argument(help="A question in English or German, in quotation marks.")],
    user: options.User,
    json: options.Json = False,
) -> None:
    """Answer a plain question, such as "how much deep sleep did I get on weekdays in October?"."""
    from bridge import installation
    from bridge.documents.query import asked_document
    from bridge.query import asking

    with installation.open_bridge() as bridge:
        now = installation.now()
        found, tables = asking.plain(bridge, bridge.person(user, at=now), text, now=now, titles=True)
    told = asked_document(found)
    if json:
        show.document(told)
        return
    if (said := told["said"]) is not None:
        show.say(capital(said))
    show.say(f"Understood: {told['understood']}")
    for one in (found, *found.also):
        if one.untold is None:  # else the sentence said it
            _print(one)
    chart = _chart(found, tables)
    if chart:
        show.say(chart)


def _chart(found: Answer, tables: Tables) -> str | None:
    from bridge.query.answer import answer
    from bridge.query.model import CLOCK_UNIT, Aggregate, By

    query = found.query
    drawn = not (query.by or query.per or query.against or query.subject.parts or query.subject.unit == CLOCK_UNIT)
    if not drawn or query.of is Aggregate.SHARE:
        return None
    own = query.of if query.of in (Aggregate.MIN, Aggregate.MAX) else Aggregate.MEAN
    of = Aggregate.COUNT if query.subject.counted else own
    days = [(group.key, group.value) for group in answer(replace(query, by=By.DAY, of=of), tables).groups]
    values = [value for _, value in days if value is not None]
    if len(days) < CHART_MIN_DAYS or len(set(values)) < 2:
        return None
    low, high = min(values), max(values)
    line = show.spark([value for _, value in days], (low, high), CHART_WIDTH)
    return f"{line}  {days[0][0]} to {days[-1][0]}, {_number(low)} to {_number(high)}"


def _print(found: Answer) -> None:
    from bridge.query.group_names import group_name
    from bridge.query.model import By

    if (why := found.reason or found.untold) is not None:
        typer.echo(why)
        return
    if found.value is not None:
        typer.echo(_line(found, found.value))
    highest = max((group.value or 0 for group in found.groups), default=0)
    several = bool(found.query.subject.parts)
    column = "value" if several else found.column
    rows = [
        {
            "": group_name(found.query, group.key) if found.query.by is By.WEEKDAY else group.key.replace("_", " "),
            column: None if (value := found.in_column(group)) is None else _told(value, group.unit or found.unit),
            "n": group.n,
            " ": show.bar(value / highest, 12) if value is not None and value >= 0 and highest else None,
        }
        for group in found.groups
    ]
    if rows:
        show.table(rows, ("", column, "n") if several else ("", column, "n", " "))


def _line(found: Answer, value: float) -> str:
    at = "" if found.at is None else f" on {found.at}"
    ends = [] if found.interval is None else [_told(end, found.unit) for end in found.interval]
    between = f" ({ends[0]} to {ends[1]})" if ends else ""
    return f"{_told(value, found.unit, named=True)}{at}{between}, from {found.n} values"


def _told(value: float, unit: str, *, named: bool = False) -> str:
    from bridge.query.written import as_time, rounded

    value = rounded(value, unit)
    return as_time(value, unit) or (f"{_number(value)} {unit}" if named else _number(value))


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.4g}"


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
            "--user", "-u", help="The user whose day to list. It is needed unless a row is named.", show_default=False
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
            help="Without a row: list only this metric, e.g. hrv_rmssd. Default: all metrics but those measured all "
            "day long, such as heart_rate, which are listed only if named."
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
    from bridge.domain.slots import today_at

    today = today_at(now, zones)
    return today if text is None else parse_day(text, today)


def _only(store: Store, kind: str, name: str) -> int:
    """Return the id of the only row of a ``kind`` with this id or key. Raises SetupError for none or several."""
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
