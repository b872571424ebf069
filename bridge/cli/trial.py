"""Run ``bridge trial``, a person's own randomised trial."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError

if TYPE_CHECKING:
    from bridge.advice.trial import Told
    from bridge.domain.records import User
    from bridge.installation import Bridge

LIST, STOP, KEPT = "list", "stop", "kept"
WAYS = 'bridge trial "no screens after 22" --weeks 4, bridge trial list, stop ID, or kept ID yes|no'
ANSWERS = {"yes": True, "no": False}


@options.command()
def trial(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            help='What you try, e.g. "no screens after 22". Or list, stop ID, or kept ID yes|no. Default: list.',
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
        typer.Option(help="For kept: the day, such as 2026-11-20. Default: today.", metavar="DATE", show_default=False),
    ] = None,
    user: options.OptionalUser = None,
    json: options.Json = False,
) -> None:
    """Try something on days drawn by lot, and learn if it changes your nights or days. What it can tell is said before.

    Each weekday gets the change in one of two weeks, and chance decides in which. The result comes after the last day.
    """
    from bridge.documents.inputs import parse_day
    from bridge.domain.slots import moment_at

    verb, *rest = words or [LIST]
    _check(verb, rest, new=weeks is not None or outcome is not None, at=at is not None)
    name = options.only_user() if user is None else user
    with options.opened(name) as (bridge, person, now):
        today = moment_at(now, person.zones).date
        day = None if at is None else parse_day(at, today)
        found = _done(bridge, person, verb, rest, (weeks or 4, outcome or "sleep", day))
    _tell(found, json=json, listed=verb == LIST, today=str(today), user=name)


def _check(verb: str, rest: list[str], *, new: bool, at: bool) -> None:
    wanted = {LIST: 0, STOP: 1, KEPT: 2}.get(verb, 0)
    if len(rest) != wanted or (wanted and not rest[0].isdecimal()) or (verb == KEPT and rest[1].lower() not in ANSWERS):
        raise SetupError(f"write one of: {WAYS}")
    if new and verb in (LIST, STOP, KEPT):
        raise SetupError(f"--weeks and --outcome go with a new trial: {WAYS}")
    if at and verb != KEPT:
        raise SetupError("--at goes with kept: bridge trial kept ID yes --at DATE")


def _done(
    bridge: Bridge, person: User, verb: str, rest: list[str], wanted: tuple[int, str, date | None]
) -> Told | list[Told]:
    from bridge import installation
    from bridge.advice import trial as own

    now, (weeks, outcome, day) = installation.now(), wanted
    if verb == LIST:
        return own.told_of(bridge, person, now=now)
    if verb == STOP:
        return own.stop(bridge, person, int(rest[0]), now=now)
    if verb == KEPT:
        return own.keep(bridge, person, int(rest[0]), day, kept=ANSWERS[rest[1].lower()], now=now)
    return own.begin(bridge, person, verb, weeks, outcome, now=now)


def _tell(found: Told | list[Told], *, json: bool, listed: bool, today: str, user: str) -> None:
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
