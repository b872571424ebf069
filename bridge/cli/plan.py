"""Run ``bridge plan``, which prints a day's timeline, and ``bridge routine`` and ``bridge wish``, which shape it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError
from bridge.domain.languages import capital

if TYPE_CHECKING:
    from bridge.day.blocks import Block
    from bridge.day.plan import DayPlan
    from bridge.documents.planning import (
        BestDocument,
        HabitDocument,
        RoutineDocument,
        WishedNightDocument,
        WishesDocument,
    )
    from bridge.domain.facts import Fact
    from bridge.domain.records import User
    from bridge.domain.slots import ZoneSpan
    from bridge.domain.wishes import Hours, Wishes
    from rhythm_env.interface import ActionType

KIND_WORDS = {
    "entry": "",
    "suggested": "try",
    "task": "task",
    "wind_down": "wind down",
    "sleep": "sleep",
}
WISH = "no sport before 9"  # an example


@options.command()
def plan(
    user: options.User,
    day: Annotated[
        str | None,
        typer.Option(
            "--date", help="The day to plan: 2026-11-20, tomorrow or a weekday. Default: today.", metavar="DATE"
        ),
    ] = None,
    ics: Annotated[
        Path | None,
        typer.Option(
            help="Also write suggestions, tasks and winding down into this iCalendar file (.ics). An old file is "
            "replaced."
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Plan a day: entries, suggestions, tasks before their deadlines, winding down, and sleep.

    Suggestions for later than the present quarter of the day are a preview, and may change during the day.
    """
    from bridge.advice.day_plan import plan_day
    from bridge.advice.observation import newest_if_old, reasons_of_old
    from bridge.advice.recommend import load_snapshot
    from bridge.documents.inputs import parse_day
    from bridge.documents.plan import plan_document
    from bridge.domain.slots import today_at

    with options.opened(user) as (bridge, person, now):
        wanted = None if day is None else parse_day(day, today_at(now, person.zones))
        known = load_snapshot(bridge, person, at=now)
        found = plan_day(bridge, person, wanted, now=now, known=known)
        newest = newest_if_old(bridge.store, person, known)
    if ics is not None:
        _write(ics, found, now)
    if json:
        show.document(plan_document(found, person.zones))
        return
    _print(found, person, () if newest is None else reasons_of_old(newest, person))
    if ics is not None:
        typer.echo(f"Written to {ics}.")


def _print(found: DayPlan, user: User, old: Sequence[Fact]) -> None:
    from bridge.domain.rendering import for_person

    rows = [_row(row, user, found) for row in found.rows]
    typer.echo(f"{found.date:%A} {found.date.day} {found.date:%B %Y}")
    if rows:
        show.table(rows, ("from", "to", "", "action", "title", "because"))
    elif not old:
        typer.echo(f"Nothing is known of this day yet. Begin: bridge import FILE --user {user.name}")
    for text in for_person(old):
        typer.echo(capital(text))
    for change in for_person(found.changes):
        typer.echo(f"Changed: {change}.")
    for text in for_person(found.unmet):
        typer.echo(f"{capital(text)}.")
    _print_outlook(found, user)


def _row(one: Block | ZoneSpan, user: User, found: DayPlan) -> dict[str, str]:
    from bridge.documents.plan import clock, ends, moved
    from bridge.domain.rendering import for_person
    from bridge.domain.slots import ZoneSpan

    if isinstance(one, ZoneSpan):
        return {"from": clock(one.since, user.zones), "title": str(moved(found, one, user.zones))}
    begin, end = ("all day", "") if one.all_day else ends(one, found.date, user.zones)
    return {
        "from": begin,
        "to": end,
        "": KIND_WORDS[one.kind],
        "action": "" if one.action is None or (one.title and one.kind == "entry") else str(one.action),
        "title": one.title or "",
        "because": "; ".join(for_person(one.facts[:2])),
    }


def _print_outlook(found: DayPlan, user: User) -> None:
    from bridge.documents.plan import clock
    from bridge.meters.outlook import changes

    if not found.outlook:
        return
    times = list(dict.fromkeys(clock(one.at, user.zones) for one in found.outlook))
    rows: dict[str, dict[str, str]] = {}
    for one in found.outlook:
        row = rows.setdefault(str(one.meter), {"expected": str(one.meter).lower()})
        row[clock(one.at, user.zones)] = f"{one.level:.2f} ± {one.sd:.2f}"
    typer.echo("")
    show.table([dict.fromkeys(times, "") | row for row in rows.values()], ("expected", *times))
    for change in changes(found.outlook):
        typer.echo(f"{capital(change)}.")
    typer.echo("0.70 is your normal. From like days of four weeks and the calendar; ± is one standard deviation.")


def _write(path: Path, found: DayPlan, now: datetime) -> None:
    from bridge.documents.plan import ADDED, to_icalendar
    from bridge.ingest.files import make_private

    added = (block for block in found.blocks if block.kind in ADDED)
    try:
        make_private(path)
        path.write_bytes(to_icalendar(added, now))
    except OSError as error:
        raise SetupError(f"{path} cannot be written ({error.strerror}); give another --ics FILE") from None


Texts = list[str] | None


@options.command()
def routine(user: options.User, json: options.Json = False) -> None:
    """Print your routine: bedtime and wake time, working hours, and when each action usually happens."""
    from bridge.advice.modes import routine_of
    from bridge.advice.recommend import load_snapshot
    from bridge.documents.planning import routine_document

    with options.opened(user) as (bridge, person, now):
        known = load_snapshot(bridge, person, at=now)
        body = routine_document(user, routine_of(bridge.store, person, known))
    if json:
        show.document(body)
    else:
        _print_routine(body)


def _print_routine(body: RoutineDocument) -> None:
    from rhythm_env.interface import DAY_NAMES

    days = [
        {
            "day": DAY_NAMES[night["weekday"]],
            "bedtime": f"{night['bedtime']} ± {night['bedtime_sd_minutes']} min",
            "wake": f"{night['wake']} ± {night['wake_sd_minutes']} min",
            "work": ", ".join("-".join(span) for span in work["spans"]) or None,
        }
        for night, work in zip(body["sleep"], body["work"], strict=True)
    ]
    show.table(days, ("day", "bedtime", "wake", "work"))
    nights = body["sleep"][0]["nights"]
    typer.echo(f"Sleep rests on {nights:.0f} of your nights." if nights else "Sleep rests on published figures.")
    if not body["work_known"]:
        typer.echo("Working hours rest on published figures.")
    if body["habits"]:
        show.table([_habit(habit) for habit in body["habits"]], ("action", "times_a_week", "minutes", "usually"))


def _habit(one: HabitDocument) -> dict[str, object]:
    from rhythm_env.interface import DAY_NAMES

    usual = [f"{DAY_NAMES[at['weekday']]} {at['start']} {at['name'] or ''}".strip() for at in one["usual"]]
    return {
        "action": one["action"],
        "times_a_week": f"{one['per_week']:.1f}",
        "minutes": one["minutes"],
        "usually": ", ".join(usual) or None,
    }


@options.command()
def wish(
    user: options.User,
    text: Annotated[
        str | None,
        typer.Argument(
            help='A wish in plain words, English or German, e.g. "no sport before 9". It is said back as understood.',
            metavar="[TEXT]",
            show_default=False,
        ),
    ] = None,
    never: Annotated[
        Texts,
        typer.Option(
            help="Never suggest this action: DEEP_WORK, ADMIN_WORK, LEARN, SLEEP, EXERCISE, MEDITATE, FAMILY_TIME, "
            "SOCIALIZE, ME_TIME or BINGE_WATCH. The word none allows all actions again. May be repeated.",
            metavar="ACTION",
        ),
    ] = None,
    hours: Annotated[
        Texts,
        typer.Option(
            help='Suggest an action (see --never) in these hours only, e.g. "DEEP_WORK 09:00-12:00, 14:00-16:00". '
            '"DEEP_WORK none" ends that. May be repeated.',
            metavar="HOURS",
        ),
    ] = None,
    goal: Annotated[
        Texts,
        typer.Option(
            help='How often a week, 1 to 21, you want to do an action (see --never), e.g. "EXERCISE 3". 0 drops the '
            "goal. May be repeated.",
            metavar="GOAL",
        ),
    ] = None,
    weight: Annotated[
        Texts,
        typer.Option(
            help="How much a meter (VITALITY, COGNITION, PROGRESS, SERENITY or CONNECTION) counts in the plan, 0 to 5 "
            "(1 is usual), e.g. VITALITY=2. May be repeated.",
            metavar="METER=X",
        ),
    ] = None,
    suggestions: Annotated[
        int | None, typer.Option(help="The largest number of suggestions a day, 0 to 12. Without a wish it is 3.")
    ] = None,
    clear: Annotated[
        bool, typer.Option("--clear", help="Drop all earlier wishes, before the other options are applied.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Save a wish in plain words without asking.")] = False,
    json: options.Json = False,
) -> None:
    """Set what plans must respect, in plain words or by options: forbidden actions, hours, goals, weights of the
    meters, number of suggestions.

    A wish in plain words counts once you confirm what was understood. Without options, show your wishes.
    """
    from bridge.documents import inputs
    from bridge.documents.planning import wishes_document
    from bridge.domain.wishes import Wishes, checked
    from bridge.wishes.said import standing
    from bridge.wishes.told import sentence

    if text is not None:
        if clear or suggestions is not None or never or hours or goal or weight:
            raise SetupError(f'say a wish in words or by options, not both: bridge wish --user {user} "{WISH}"')
        _say_wish(user, text, yes=yes, json=json)
        return
    with options.opened(user, flights=False) as (bridge, person, now):
        before = bridge.store.people.wishes(person.id)
        found = Wishes() if clear else before
        found = _with_never(found, never or (), user)
        found = _with_hours(found, hours or (), user)
        found = replace(found, goals={**found.goals, **dict(inputs.parse_goal(text, user) for text in goal or ())})
        found = replace(found, goals={action: times for action, times in found.goals.items() if times})
        weights = {**found.weights, **dict(inputs.parse_weight(text, user) for text in weight or ())}
        found = replace(found, weights={meter: times for meter, times in weights.items() if times != 1})
        found = checked(found if suggestions is None else replace(found, suggestions=suggestions))
        if found != before:
            bridge.store.people.save_wishes(person.id, found, now=now)
    body = wishes_document(user, found)
    dated = [f"on some days: {sentence(some)}"] if (some := [one for one in standing(found) if one.when]) else []
    show.result(body, "\n".join([*_lines(body), *dated]), json=json)


def _say_wish(user: str, text: str, *, yes: bool, json: bool) -> None:
    from bridge.advice.wishing import say_wish
    from bridge.documents.planning import said_document

    with options.opened(user, flights=False) as (bridge, person, now):
        body = said_document(user, say_wish(bridge.store, person, text, confirmed=False, now=now))
        if not json:
            typer.echo(f"{capital(body['understood'])}.")
        if not yes and not json and sys.stdin.isatty():
            yes = typer.confirm("Is that what you wish?", abort=True)
        if yes:
            say_wish(bridge.store, person, text, confirmed=True, now=now)
    if json:
        show.document(body)
    else:
        typer.echo("Saved." if yes else f'Not saved; to save it: bridge wish --user {user} --yes "{text}"')


def _with_never(wishes: Wishes, texts: Iterable[str], user: str) -> Wishes:
    from bridge.documents import inputs

    never = wishes.never
    for text in texts:
        none = text.strip().lower() == inputs.NONE
        never = frozenset() if none else never | {inputs.parse_wished(text, user)}
    return replace(wishes, never=never)


def _with_hours(wishes: Wishes, texts: Sequence[str], user: str) -> Wishes:
    from bridge.documents import inputs

    given: dict[ActionType, tuple[Hours, ...]] = {}
    for text in texts:
        action, spans = inputs.parse_hours(text, user)
        given[action] = tuple(sorted({*given.get(action, ()), *spans}))
    hours = {**wishes.hours, **given}
    return replace(wishes, hours={action: spans for action, spans in hours.items() if spans})


def _night(wished: WishedNightDocument) -> list[str]:
    from rhythm_env.interface import DAY_NAMES

    to_bed = wished.get("bed_days", [])
    told = [("bed", wished.get("bed"), to_bed), ("bed", wished.get("late"), wished.get("late_days", []))]
    told += [("earliest", wished.get("earliest"), to_bed), ("up", wished.get("up"), wished.get("up_days", []))]
    told += [("up", wished.get("other"), wished.get("other_days", []))]
    told += [("not up before", wished.get("rest"), wished.get("rest_days", []))]
    found = [" ".join([name, at, *(DAY_NAMES[day] for day in on)]) for name, at, on in told if at]
    return [*found, *([f"{wished['minutes']} minutes"] if "minutes" in wished else [])]


def _times(when: BestDocument) -> str:
    from rhythm_env.interface import DAY_NAMES

    return " ".join([*(DAY_NAMES[day] for day in when["days"]), *("-".join(span) for span in when["hours"])])


def _lines(body: WishesDocument) -> list[str]:
    from rhythm_env.interface import DAY_NAMES

    hours = [f"{action} {' '.join('-'.join(span) for span in spans)}" for action, spans in body["hours"].items()]
    goals = [f"{action} {times} times a week" for action, times in body["goals"].items()]
    most = [f"{action} {times} times a week" for action, times in body.get("most", {}).items()]
    lengths = body.get("lengths", {}).items()
    minutes = [f"{action} {lasts.get('least', '')}-{lasts.get('most', '')} minutes" for action, lasts in lengths]
    apart = [f"{action} {days} free days between" for action, days in body.get("apart", {}).items()]
    daily = [f"{action} {minutes} minutes a day" for action, minutes in body.get("minutes_daily", {}).items()]
    daily += [f"{action} {times} times a day" for action, times in body.get("times_daily", {}).items()]
    before = [f"{action} {minutes} minutes" for action, minutes in body.get("before_bed", {}).items()]
    more = [f"{'more' if sign > 0 else 'less'} {action}" for action, sign in body.get("more", {}).items()]
    weights = [f"{meter.lower()} {weight:g}" for meter, weight in body["weights"].items()]
    days = [f"{a} {' '.join(DAY_NAMES[one] for one in on)}" for a, on in body.get("days", {}).items()]
    best = [f"{a} {_times(when)}" for a, when in body.get("best", {}).items()]
    barred = [f"{a} {_times(when)}" for a, several in body.get("barred", {}).items() for when in several]
    night = _night(body.get("night", {}))
    parts = {"never": body["never"], "only": [*hours, *days], "best": best, "not": barred, "night": night}
    parts |= {"goals": goals, "at most": [*most, *daily], "lengths": minutes, "apart": apart}
    parts |= {"before bed": before, "more or less": more, "weights": weights}
    said = [f"{name}: {', '.join(items)}" for name, items in parts.items() if items]
    kinds = [f"of {name}: {line}" for name, one in body.get("kinds", {}).items() for line in _lines(one)[:-1]]
    few = [f"{one['most']} from {' to '.join(one['hours'])}" for one in body.get("few", [])]
    return [*said, *kinds, ", ".join([f"suggestions: at most {body['suggestions']} a day", *few])]
