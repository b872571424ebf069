"""Measures what the context of entries adds to their titles, and draws contexts for titles that have none."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bridge.domain.ports import EventClassifier, Invitation
from classifiers.linear.context import FACTS, facts
from lab.classifier.corpus import CORPUS, Titled, rows
from lab.classifier.measure import Figures, figures, guesser

DRAWN = CORPUS / "circumstances.tsv"
HALF_DAY, NIGHT_HOUR = 300, 20
LENGTHS = ((30, "under 30 minutes"), (121, "30 minutes to 2 hours"), (HALF_DAY, "over 2, under 5 hours"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The figures of some entries by their titles alone and with their context."""

    name: str
    alone: Figures
    context: Figures


def table(entries: Sequence[Titled], classifier: EventClassifier) -> list[Row]:
    """Return a row for all entries, then rows by length, other people, repetition, place, video link and language."""
    guess = guesser(classifier)
    alone = guess([Invitation(title=one.event.title) for one in entries])
    context = guess([one.event for one in entries])
    found = []
    for name, at in groups(entries).items():
        some = [entries[k] for k in at]
        by = {"alone": figures(some, [alone[k] for k in at]), "context": figures(some, [context[k] for k in at])}
        found.append(Row(name=name, **by))
    return found


def groups(entries: Sequence[Titled]) -> dict[str, list[int]]:
    """Return the positions of the entries of each row of the table."""
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


def counted(entries: Sequence[Titled]) -> dict[str, dict[str, float]]:
    """Return how often each fact holds for entries of each action, as shares to two digits."""
    found: dict[str, dict[str, float]] = {}
    for action in sorted({one.action for one in entries}):
        shown = [set(facts(one.event)) for one in entries if one.action is action]
        found[action] = {fact: round(sum(fact in one for one in shown) / len(shown), 2) for fact in FACTS}
        long = [one for one in entries if one.action is action and _rows_of(one.event)[0] == ROWS[4]]
        found[action][ROWS[4]] = round(len(long) / len(shown), 2)
    return found


def keep(found: Mapping[str, Mapping[str, float]], path: Path = DRAWN) -> None:
    """Write the shares of facts by action to their table."""
    names = [*FACTS, ROWS[4]]
    lines = ["\t".join(["action", *names])]
    lines += ["\t".join([action, *(f"{shares[name]:.2f}" for name in names)]) for action, shares in found.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def placed(titles: Sequence[Titled], seed: int, path: Path = DRAWN) -> list[Titled]:
    """Return titles in contexts that are drawn as often as each fact holds for the title's action."""
    rng, shares = random.Random(seed), {row["action"]: row for row in rows(path)}
    return [replace(one, event=_placed(one, shares.get(one.action, shares["ADMIN_WORK"]), rng)) for one in titles]


def _placed(one: Titled, shares: Mapping[str, str], rng: random.Random) -> Invitation:
    """Return a title's event with drawn facts. Facts that are not exclusive are drawn by themselves."""
    shown = {name: rng.random() < float(shares[name]) for name in FACTS}
    all_day = shown["all day"]
    minutes = (
        1440.0 * rng.choice([1, 1, 3]) if all_day else rng.choices(_MINUTES, [_share(shares, m) for m in _MINUTES])[0]
    )
    hour = rng.choices(_HOURS, [_share_of_hour(shares, hour) for hour in _HOURS])[0]
    return Invitation(
        title=one.event.title,
        start_hour=None if all_day else hour,
        weekday=rng.choice([5, 6]) if shown["weekend"] else rng.randrange(5),
        minutes=minutes,
        all_day=all_day,
        others=1 if shown["another person"] else 3 if shown["several people"] else 12 if shown["many people"] else 0,
        organised_by_me=not shown["invited"],
        conference=shown["video link"],
        located=shown["place"],
        recurring=shown["repeats"],
    )


_MINUTES, _HOURS = (15.0, 30.0, 60.0, 120.0, 240.0, 540.0), (3, 7, 10, 12, 15, NIGHT_HOUR)


def _share(shares: Mapping[str, str], minutes: float) -> float:
    return 0.01 + float(shares[next(iter(facts(Invitation(title="", minutes=minutes))), "5 hours or more")])


def _share_of_hour(shares: Mapping[str, str], hour: int) -> float:
    return 0.01 + float(shares[facts(Invitation(title="", start_hour=hour))[0]])
