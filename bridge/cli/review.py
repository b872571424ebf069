"""Run ``bridge review``, ``bridge history`` and ``bridge effect``, which look back at recommendations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError

if TYPE_CHECKING:
    from bridge.domain.records import Recommendation, User

HISTORY_DAYS_MAX = 366


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
    rows = [{"figure": one.name, "this week": one.value, "before": one.usual} for one in review_figures.figures(found)]
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
            "--user", "-u", help="The user over whom to estimate. Default: the only user.", show_default=False
        ),
    ] = None,
    everybody: Annotated[
        bool, typer.Option("--all", help="Estimate over all users together, instead of over --user.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Estimate how advice, and each advised action, changes the next check-in, night and day.

    For actions, how often they are accepted is estimated too. The level and the steps before are taken into account.
    """
    from bridge import installation
    from bridge.advice.effect import effects

    if user is not None and everybody:
        raise SetupError("name either a person or all: bridge effect --user NAME, or bridge effect --all")
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
