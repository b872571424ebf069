"""Measure how the context of calendar entries (time, people, place) changes the classification of their titles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bridge.domain.ports import EventClassifier, Invitation
from lab.classifier.corpus import Titled
from lab.classifier.measure import Figures, figures, guesser

HALF_DAY = 300
HALF_A_POINT = 0.005
LENGTHS = ((30, "under 30 minutes"), (121, "30 minutes to 2 hours"), (HALF_DAY, "over 2, under 5 hours"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The figures of some entries, by their titles alone and with their context."""

    name: str
    alone: Figures
    context: Figures


def table(entries: Sequence[Titled], classifier: EventClassifier) -> list[Row]:
    """Return a row for all entries, then for groups by length, people, repetition, place, video link and language."""
    guess = guesser(classifier)
    alone = guess([Invitation(title=entry.event.title) for entry in entries])
    context = guess([entry.event for entry in entries])
    found = []
    for name, at in groups(entries).items():
        some = [entries[k] for k in at]
        by = {"alone": figures(some, [alone[k] for k in at]), "context": figures(some, [context[k] for k in at])}
        found.append(Row(name=name, **by))
    return found


def losing(found: Sequence[Row]) -> list[str]:
    """Return the names of the rows whose strict or acceptable share is lower with context by over HALF_A_POINT."""
    pairs = {row.name: ((row.alone.strict, row.context.strict), (row.alone.also, row.context.also)) for row in found}
    return [name for name, both in pairs.items() if any(context < alone - HALF_A_POINT for alone, context in both)]


def groups(entries: Sequence[Titled]) -> dict[str, list[int]]:
    """Return the positions of the entries in each group of the table."""
    found: dict[str, list[int]] = {}
    for at, one in enumerate(entries):
        for name in ("all entries", *_rows_of(one.event), "English" if one.language == "en" else "not English"):
            found.setdefault(name, []).append(at)
    return {name: found[name] for name in (*ROWS, "English", "not English") if name in found}


ROWS = (
    "all entries",
    *(name for _, name in LENGTHS),
    "5 hours or more",
    "all day",
    "nobody else",
    "with others",
    "once",
    "repeating",
    "with a place",
    "without a place",
    "with a video link",
)


def _rows_of(event: Invitation) -> list[str]:
    minutes = event.minutes or 0
    length = next((name for bound, name in LENGTHS if minutes < bound), "5 hours or more")
    return [
        "all day" if event.all_day else length,
        "with others" if event.others else "nobody else",
        "repeating" if event.recurring else "once",
        "with a place" if event.located else "without a place",
        *(["with a video link"] if event.conference else []),
    ]


def markdown(found: Sequence[Row]) -> str:
    """Return the rows as a table in Markdown."""
    head = (
        "| entries | number | strict: title | in context | acceptable: title | in context | calibration error: title "
    )
    lines = [f"{head}| in context |", "|---|---:|---:|---:|---:|---:|---:|---:|"]
    for row in found:
        pairs = ((row.alone.strict, row.context.strict), (row.alone.also, row.context.also))
        shares = [*pairs[0], *pairs[1], row.alone.calibration, row.context.calibration]
        lines.append(f"| {row.name} | {row.alone.titles:,} | {' | '.join(f'{share:.3f}' for share in shares)} |")
    return "\n".join(lines)
