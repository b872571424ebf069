"""Run ``bridge review``, ``history`` and ``effect``, which look back at advice, and ``trial``, a user's own trials."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError

if TYPE_CHECKING:
    from bridge.advice.trial import Told
    from bridge.domain.records import Recommendation, User
    from bridge.installation import Bridge


HISTORY_DAYS_MAX = 366

LIST, STOP, KEPT = "list", "stop", "kept"
WAYS = 'bridge trial "no screens after 22" --weeks 4, bridge trial list, stop ID, or kept ID yes|no'
ANSWERS = {"yes": True, "no": False}


@options.command()
def review(
    user: options.User,
    week: Annotated[
        str | None,
        typer.Option(
            help="A week such as 2026-W47, or a date in it such as 2026-11-20. Default: the week of yesterday.",
            metavar="WEEK",
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Look back at a week: what was advised and what became of it, how the week was, and what to try."""
    from bridge.advice import review_figures, review_words
    from bridge.advice.review import load_review, review_week
    from bridge.advice.review_summary import summary
    from bridge.advice.week import monday_of
    from bridge.documents.review import review_document, week_name

    with options.opened(user) as (bridge, person, now):
        monday = review_week(now, person) if week is None else monday_of(week, now, person.zones)
        found = load_review(bridge, person, monday, now=now)
    if json:
        show.document(review_document(found, person))
        return
    typer.echo(f"{user}, week {week_name(monday)}")
    for line in summary(found):
        show.say(line)
    rows = [
        {"figure": figure.name, "this week": figure.value, "before": figure.usual}
        for figure in review_figures.figures(found)
    ]
    if rows:
        show.table(rows, ("figure", "this week", "before"))
    for line in review_words.lines(found):
        show.say(line)
    _table(list(found.advised), person)


@options.command()
def history(
    user: options.User,
    days: Annotated[
        int, typer.Option(help="Number of days to look back, of 24 hours each.", min=1, max=HISTORY_DAYS_MAX)
    ] = 14,
    json: options.Json = False,
) -> None:
    """List recommendations, newest first, with the answer that was given and the outcome that was seen."""
    from bridge.advice import outcomes
    from bridge.documents.recommendations import past_document
    from bridge.documents.watch import event_line
    from bridge.domain.slots import INSTANT

    with options.opened(user) as (bridge, person, now):
        outcomes.confirm(bridge, person, now=now)
        since = now - timedelta(days=days)
        found = outcomes.advised(bridge.store, person, since=since, until=now + INSTANT)[::-1]
        switches = [switch for switch in bridge.store.people.preferences(person.id).switches if switch.at >= since]
    if json:
        show.document([past_document(one, person, now=now) for one in found])
        return
    for one in switches:
        show.say(event_line(one, person))
    if found:
        _table(found, person)
    elif not switches:
        typer.echo(f"nothing was advised in the last {days} days; ask for advice: bridge recommend --user {user}")


def _table(found: list[Recommendation], person: User) -> None:
    if found:
        show.table(list(_rows(found, person)), ("id", "day", "slot", "action", "answer", "outcome", "evidence"))


def _rows(found: list[Recommendation], person: User) -> Iterator[dict[str, object]]:
    from bridge.documents.text import slot_name
    from bridge.domain.rendering import for_person
    from bridge.domain.slots import local_time
    from bridge.domain.titles import answer_text

    for one in found:
        yield {
            "id": one.id,
            "day": f"{local_time(one.created_at, person.zones):%d %b}",
            "slot": slot_name(one.moment),
            "action": str(one.action),
            "answer": None if one.answer is None else answer_text(one.answer, one.moved_to),
            "outcome": None if one.outcome is None else one.outcome.replace("_", " "),
            "evidence": "; ".join(for_person(one.evidence)),
        }


A_DAY = 3  # decisions


@options.command()
def effect(
    user: Annotated[
        str | None,
        typer.Option(
            "--user",
            "-u",
            help="The user from whose data to estimate. It may be left out if there is only one user.",
            show_default=False,
        ),
    ] = None,
    everybody: Annotated[
        bool, typer.Option("--all", help="Estimate from the data of all users together, instead of one user's.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Estimate how advice, and each advised action, changes the next check-in, night and day.

    For actions, how often they are accepted is estimated too. The same measurement and the steps before the advice are
    taken into account.
    """
    from bridge import installation
    from bridge.advice.effect import effects

    if user is not None and everybody:
        raise SetupError(
            "--user and --all exclude each other; write one of them: bridge effect --user NAME, or bridge effect --all"
        )
    user = options.only_user() if user is None and not everybody else user
    with installation.open_bridge() as bridge:
        people = bridge.store.people.users() if user is None else [bridge.store.people.user(user)]
        body = {"user": user, **effects(bridge.store, people, now=installation.now())}
    if json:
        show.document(body)
    else:
        _tell(body)


def _tell(body: dict[str, Any]) -> None:
    from bridge.documents.text import counted_people

    typer.echo(
        f"{body['decisions']} decisions of {counted_people(body['people'])}, "
        f"{body['lots']} lots between advice and none"
    )
    outcomes = {outcome: one for outcome, one in body["advice"].items() if isinstance(one, dict)}
    advice, actions = _known(outcomes), [_known(of, action) for action, of in body["actions"].items()]
    if advice:
        show.table(advice, tuple(advice[0]))
        typer.echo("Advice against no advice, in slots drawn by lot; in brackets the 95 % interval.")
    else:
        typer.echo(f"Advice against no advice is not known yet: {_more(outcomes.values())}.")
    if rows := [row for of in actions for row in of]:
        show.table(rows, tuple(rows[0]))
        typer.echo("Each action against other advice that might have been given; in brackets the 95 % interval.")
    else:
        found = [one for of in body["actions"].values() for one in of.values()]
        typer.echo(f"Not known yet: {_more(found)}.")


def _known(found: dict[str, Any], action: str = "ADVICE") -> list[dict[str, str]]:
    return [
        {"action": action, "on": outcome.replace("_", " "), "effect": _said(one)}
        for outcome, one in found.items()
        if one["effect"] is not None
    ]


def _said(found: dict[str, Any]) -> str:
    low, high = found["ci95"]
    told = "" if low > 0 or high < 0 else " (may be nothing)"
    return f"{found['effect']:+.2f} [{low:+.2f}, {high:+.2f}] {found['scale']}{told}"


def _more(found: Iterable[dict[str, Any]]) -> str:
    least = min(one["missing"] for one in found)
    return f"about {max(-(-least // A_DAY), 1)} more days"


@options.command()
def trial(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            help='What you try, e.g. "no screens after 22". Or list (your trials with their ID), stop ID (end a '
            "trial), or kept ID yes|no (if you did on a day as it was drawn). Default: list.",
            metavar="TEXT | list | stop ID | kept ID yes|no",
            show_default=False,
        ),
    ] = None,
    weeks: Annotated[
        int | None, typer.Option(help="How long a new trial lasts, 2 to 26 weeks. Default: 4.", show_default=False)
    ] = None,
    outcome: Annotated[
        str | None,
        typer.Option(
            help="What a new trial measures: sleep, hrv, resting_hr (of the night that begins on the day), steps, "
            "check_in, vitality, cognition, progress, serenity or connection. Default: sleep.",
            show_default=False,
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            help="Only with kept: the day that your yes or no is about, such as 2026-11-20. Default: today.",
            metavar="DATE",
            show_default=False,
        ),
    ] = None,
    user: options.OptionalUser = None,
    json: options.Json = False,
) -> None:
    """Try something on randomly chosen days, and learn if it changes your nights or days.

    Of any two weeks, each weekday is once a day on which you do it, and chance decides in which week. The result comes
    after the last day.
    """
    from bridge.documents.inputs import parse_day
    from bridge.domain.slots import today_at

    verb, *rest = words or [LIST]
    _check(verb, rest, new=weeks is not None or outcome is not None, at=at is not None)
    name = options.only_user() if user is None else user
    with options.opened(name) as (bridge, person, now):
        today = today_at(now, person.zones)
        day = None if at is None else parse_day(at, today)
        found = _done(bridge, person, verb, rest, (weeks or 4, outcome or "sleep", day))
    _tell_trial(found, json=json, listed=verb == LIST, today=str(today), user=name)


def _check(verb: str, rest: list[str], *, new: bool, at: bool) -> None:
    wanted = {LIST: 0, STOP: 1, KEPT: 2}.get(verb, 0)
    if len(rest) != wanted or (wanted and not rest[0].isdecimal()) or (verb == KEPT and rest[1].lower() not in ANSWERS):
        raise SetupError(f"these words are neither a trial nor a command about one; write one of: {WAYS}")
    if new and verb in (LIST, STOP, KEPT):
        raise SetupError(f"--weeks and --outcome are only for a new trial; leave them out, or write one of: {WAYS}")
    if at and verb != KEPT:
        raise SetupError("--at is only for kept: bridge trial kept ID yes --at DATE")


def _done(
    bridge: Bridge, person: User, verb: str, rest: list[str], wanted: tuple[int, str, date | None]
) -> Told | list[Told]:
    from bridge import installation
    from bridge.advice import trial as own
    from bridge.domain.slots import today_at

    now, (weeks, outcome, day) = installation.now(), wanted
    if verb == LIST:
        return own.told_of(bridge, person, now=now)
    if verb == STOP:
        return own.stop(bridge, person, int(rest[0]), now=now)
    if verb == KEPT:
        kept = {day or today_at(now, person.zones): ANSWERS[rest[1].lower()]}
        return own.keep(bridge, person, int(rest[0]), kept, now=now)
    return own.begin(bridge, person, own.drafted(verb, weeks, outcome), now=now)


def _tell_trial(found: Told | list[Told], *, json: bool, listed: bool, today: str, user: str) -> None:
    from bridge.documents.trials import trial_document

    trials = found if isinstance(found, list) else [found]
    if json:
        bodies: list[Any] = [trial_document(one) for one in trials]
        show.document(bodies if listed else bodies[0])
        return
    if not trials:
        typer.echo(f'There is no trial yet; begin one: bridge trial "no screens after 22" --weeks 4 --user {user}')
    for one in trials:
        _print(one, today, user)


def _print(told: Told, today: str, user: str) -> None:
    from bridge.documents import trials

    body = trials.trial_document(told)
    show.say(f"{body['id']}  {body['text']}: {body['start']} to {body['end']}, {body['outcome']}, {body['state']}")
    show.say(trials.power_line(told))
    show.say(trials.result_line(told))
    if told.trial.kept:
        show.say(trials.kept_line(told))
    arm = next((day["arm"] for day in body["days"] if day["date"] == today), None)
    if arm is not None and not told.over:
        keep = f"bridge trial kept {body['id']} yes --user {user}"
        show.say(f"Today is {'a day with it' if arm == 'on' else 'a day without it'}. In the evening: {keep}")
