"""``bridge classify``: what a title is, and a person's own word on what their event is."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, show
from bridge.errors import SetupError
from rhythm_env.interface import ActionType

if TYPE_CHECKING:
    from bridge.ports import Invitation
    from bridge.types import Label

NOTHING = "NONE"  # how a person says that an event is no activity
TRUE = {"yes", "true", "1", "y"}
KINDS = ("focusTime", "outOfOffice", "workingLocation", "birthday", "fromGmail", "task")
WHOLE, FLAG = ("others", "start_hour"), ("conference", "all_day", "recurring", "organised_by_me")
ALSO_NAMED = {
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


def register(app: typer.Typer) -> None:
    app.command()(classify)


def classify(
    titles: Annotated[list[str] | None, typer.Argument(help="Titles, each in quotes.", show_default=False)] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            help="A title per line, or a table with tabs: title, and if you like others, hour, minutes, conference, "
            "all_day, recurring, kind. - reads the input."
        ),
    ] = None,
    by: Annotated[str | None, typer.Option("--by", help="Another classifier than the one set.")] = None,
    user: Annotated[
        str | None,
        typer.Option("--user", "-u", help="Whose event it is, or whose corrections count.", show_default=False),
    ] = None,
    fix: Annotated[
        tuple[str, str] | None,
        typer.Option(
            help="What an event of the user's is: its title or key (`bridge today --json`), then an action or NONE.",
            metavar="EVENT ACTION",
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Say which actions titles are; with --fix, correct one of your events, its series and titles like it."""
    if fix is not None:
        if user is None:
            raise SetupError('whose event? write: bridge classify --user NAME --fix "EVENT" ACTION')
        _fix(user, *fix, json=json)
        return
    events = [_event(title, {}) for title in titles or ()] + ([] if file is None else _read(file))
    if not events and file is None:
        raise SetupError('nothing to classify; write: bridge classify "Dinner with Ana", or --file TITLES.tsv')
    labels = _corrected(user, events, _labels(by, events))
    rows = [row(event.title, label) for event, label in zip(events, labels, strict=True)]
    show.table(rows, ("title", "action", "probability", "runner_up", "why"), json=json)


def _labels(name: str | None, events: Sequence[Invitation]) -> list[Label]:
    from bridge import config, registry

    if name is not None:
        return registry.classifier(name).classify(events)
    return registry.classifier(config.load().classifier).classify(events)


def _corrected(user: str | None, events: Sequence[Invitation], labels: list[Label]) -> list[Label]:
    """The labels after what a person said of titles like these. Raises SetupError where there is no such person."""
    from bridge import app
    from bridge.corrections import Titles

    if user is None:
        return labels
    with app.open_bridge() as bridge:
        said = Titles(bridge.store.corrections(bridge.store.user(user).id, at=app.now()))
    return [said.said(event.title) or label for event, label in zip(events, labels, strict=True)]


def row(title: str, label: Label) -> dict[str, Any]:
    """A label as ``--json`` prints it."""
    return {
        "title": title,
        "action": str(label.action) if label.action else None,
        "probability": label.confidence,
        "runner_up": str(label.runner_up) if label.runner_up else None,
        "by": label.by,
        "why": label.why,
    }


def _read(path: Path) -> list[Invitation]:
    """The titles of a file, whose lines end with a line feed; a first line that begins with ``title`` names columns."""
    try:
        text = (sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()).decode("utf-8-sig", "replace")
    except OSError as error:
        raise SetupError(f"{path} cannot be read ({error.strerror}); give a file with a title per line") from None
    lines = [line.removesuffix("\r").split("\t") for line in text.removesuffix("\n").split("\n")] if text else []
    names = [name.strip().lower() for name in lines[0]] if lines and lines[0][0].strip().lower() == "title" else []
    return [_event(cells[0], dict(zip(names[1:], cells[1:], strict=False))) for cells in lines[bool(names) :]]


def _event(title: str, given: Mapping[str, str]) -> Invitation:
    """An event from a title and what the columns say of it; a column that is not known or not filled says nothing."""
    from bridge.ports import Invitation

    named = {ALSO_NAMED.get(name, name): value.strip() for name, value in given.items()}
    if (attendees := _number(named.get("attendees"))) is not None:
        named.setdefault("others", str(max(attendees - 1, 0)))  # the person is one of them
    read: dict[str, Any] = {name: named[name].lower() in TRUE for name in FLAG if named.get(name)}
    read |= {name: int(number) for name in WHOLE if (number := _number(named.get(name))) is not None}
    if (minutes := _number(named.get("minutes"))) is not None:
        read["minutes"] = minutes
    if named.get("kind") in KINDS:
        read["kind"] = named["kind"]
    return Invitation(title=title, **read)


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if 0 <= number < 1e6 else None


def _fix(user: str, event: str, action: str, *, json: bool) -> None:
    from bridge import advising, app

    chosen = action_of(action)
    with app.open_bridge() as bridge:
        person = bridge.store.user(user)
        fixed = advising.fix(bridge, person, event, chosen, now=app.now())
    name, title = NOTHING if chosen is None else str(chosen), fixed.event.title
    text = (
        f"Noted: {show.printable(title or '(untitled)')} is {name}. "
        f"It holds for {fixed.holds_for} events of the next {advising.REACH.days} days."
    )
    body = {"event": fixed.event.key, "title": title, "action": chosen and str(chosen), "holds_for": fixed.holds_for}
    show.result(body, text, json=json)


def action_of(text: str) -> ActionType | None:
    """An action by its name, None for no activity. Raises SetupError for any other text."""
    name = text.strip().upper().replace("-", "_").replace(" ", "_")
    if name == NOTHING:
        return None
    try:
        return ActionType(name)
    except ValueError:
        raise SetupError(f"{text!r} is no action; one of {', '.join(ActionType)}, or {NOTHING}") from None
