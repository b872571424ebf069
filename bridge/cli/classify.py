"""Run ``bridge classify``, which prints the action of titles, or corrects the action of an event."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError

if TYPE_CHECKING:
    from bridge.domain.ports import Invitation
    from bridge.domain.types import Label

TRUE_WORDS = {"yes", "true", "1", "y"}
EVENT_KINDS = ("focusTime", "outOfOffice", "workingLocation", "birthday", "fromGmail", "task")
WHOLE_COLUMNS = ("others", "start_hour", "weekday")
FLAG_COLUMNS = ("conference", "all_day", "located", "recurring", "organised_by_me")
COLUMN_ALIASES = {
    "hour": "start_hour",
    "duration": "minutes",
    "duration_min": "minutes",
    "duration_minutes": "minutes",
    "eventtype": "kind",
    "event_type": "kind",
    "is_recurring": "recurring",
    "organizer_self": "organised_by_me",
    "has_conference": "conference",
}


@options.command()
def classify(
    titles: Annotated[list[str] | None, typer.Argument(help="Titles, each in quotes.", show_default=False)] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            help="A UTF-8 file with a title per line; - reads standard input. If its first line begins with the "
            "word title, that line names the columns, with tabs between: title, then any of others (further "
            "people), hour (of the start), weekday (0 is Monday), minutes (length), conference, all_day, "
            "recurring (yes or no), location, kind."
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option("--by", help="Use this classifier (see: bridge sources). Default: BRIDGE_CLASSIFIER's."),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(
            "--user",
            "-u",
            help="The user whose corrections are used. Default: no corrections are used. With --fix, the user whose "
            "event is corrected, with --ask the user who is asked; it may then be left out if there is only one user.",
            show_default=False,
        ),
    ] = None,
    fix: Annotated[
        tuple[str, str] | None,
        typer.Option(
            help="Correct a stored event. Give its title or key (see: bridge today --user NAME --json), "
            "then an action such as "
            "EXERCISE, or NONE if it is not an action.",
            metavar="EVENT ACTION",
        ),
    ] = None,
    ask: Annotated[
        int | None,
        typer.Option(
            help="Print this many entries of the user's calendar whose action tells most about the others. Answer each "
            "with --fix; a dozen answers are worth it.",
            min=1,
            max=60,
            show_default=False,
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Print the action of each title. With --fix, correct that of an event, its repetitions and similar titles."""
    from bridge.documents.calendar import label_document

    if fix is not None:
        _fix(user or options.only_user(), *fix, json=json)
        return
    if ask is not None:
        _ask(user or options.only_user(), ask, json=json)
        return
    events = [_event(title, {}) for title in titles or ()] + ([] if file is None else _read(file))
    if not events and file is None:
        raise SetupError('nothing to classify; write: bridge classify "Dinner with Ana", or --file TITLES.tsv')
    labels = _corrected(user, events, _labels(by, events))
    rows = [label_document(event.title, label) for event, label in zip(events, labels, strict=True)]
    show.table(rows, ("title", "action", "probability", "runner_up", "why"), json=json)


def _labels(name: str | None, events: Sequence[Invitation]) -> list[Label]:
    from bridge import config, registry

    if name is not None:
        return registry.classifier(name).classify(events)
    return registry.classifier(config.load().classifier).classify(events)


def _corrected(user: str | None, events: Sequence[Invitation], labels: list[Label]) -> list[Label]:
    """Return a label per event, the user's correction, else one predicted from corrections, else that of ``labels``."""
    from bridge.advice.labels import liked
    from bridge.calendar import likeness
    from bridge.calendar.corrections import Titles

    if user is None:
        return labels
    with options.opened(user, flights=False) as (bridge, person, now):
        made = bridge.store.people.corrections(person.id, at=now)
        asked = [likeness.case(event, label) for event, label in zip(events, labels, strict=True)]
        found = liked(bridge, person, asked, made, at=now)
    said = Titles(made)
    return [said.said(event.title) or mine or label for event, mine, label in zip(events, found, labels, strict=True)]


def _read(path: Path) -> list[Invitation]:
    """Return an event per line of a file, or of standard input for ``-``. A first cell ``title`` marks a header."""
    try:
        text = (sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()).decode("utf-8-sig", "replace")
    except OSError as error:
        raise SetupError(f"{path} cannot be read ({error.strerror}); give a file with a title per line") from None
    lines = [line.removesuffix("\r").split("\t") for line in text.removesuffix("\n").split("\n")] if text else []
    names = [name.strip().lower() for name in lines[0]] if lines and lines[0][0].strip().lower() == "title" else []
    return [_event(cells[0], dict(zip(names[1:], cells[1:], strict=False))) for cells in lines[bool(names) :]]


def _event(title: str, given: Mapping[str, str]) -> Invitation:
    from bridge.domain.ports import Invitation

    named = {COLUMN_ALIASES.get(name, name): value.strip() for name, value in given.items()}
    if (attendees := _number(named.get("attendees"))) is not None:
        named.setdefault("others", str(max(attendees - 1, 0)))  # the user is among them
    read: dict[str, Any] = {name: named[name].lower() in TRUE_WORDS for name in FLAG_COLUMNS if named.get(name)}
    read |= {name: int(number) for name in WHOLE_COLUMNS if (number := _number(named.get(name))) is not None}
    if (minutes := _number(named.get("minutes"))) is not None:
        read["minutes"] = minutes
    if (place := named.get("location")) and "://" not in place:
        read.setdefault("located", True)
    if named.get("kind") in EVENT_KINDS:
        read["kind"] = named["kind"]
    return Invitation(title=title, **read)


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if 0 <= number < 1e6 else None


def _ask(user: str, count: int, *, json: bool) -> None:
    from bridge.advice.labels import to_ask
    from bridge.documents.calendar import label_document

    with options.opened(user, flights=False) as (bridge, person, now):
        found = to_ask(bridge, person, count, at=now)
    rows = [
        {"event": one.series, "times": one.times, **label_document(one.case.title, one.case.label)} for one in found
    ]
    show.table(rows, ("title", "times", "action", "probability"), json=json)


def _fix(user: str, event: str, action: str, *, json: bool) -> None:
    from bridge.advice import requests
    from bridge.documents.inputs import NO_ACTION, parse_action
    from bridge.documents.text import printable

    chosen = parse_action(action)
    with options.opened(user, flights=False) as (bridge, person, now):
        fixed = requests.fix(bridge, person, event, chosen, now=now)
    name, title = NO_ACTION if chosen is None else str(chosen), fixed.event.title
    text = (
        f"Noted: {printable(title or '(untitled)')} is {name}. "
        f"It holds for {fixed.holds_for} events of the next {requests.CORRECTED_WITHIN.days} days."
    )
    body = {"event": fixed.event.key, "title": title, "action": chosen and str(chosen), "holds_for": fixed.holds_for}
    show.result(body, text, json=json)
