"""Diaries of prompts through the day, and the product's meters at each prompt.

Company and demands become calendar entries, and nights become episodes, which ``bridge.meters`` reads as a user's. A
habit needs four weeks and most diaries are shorter, so the person's own days are repeated before the first prompt.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

from bridge.domain.errors import SetupError
from bridge.domain.metrics import Metric
from bridge.domain.records import ProxyMap, Snapshot
from bridge.domain.types import Episode, EpisodeKind, Event, Label, Occurrence
from bridge.meters import Past, read_at
from lab.validation.life import CLOCK, SOURCE
from lab.validation.table import MISSING, REPORT, Row, number
from rhythm_env.interface import ActionType, Meter

NEEDED = ("person", "at")
USUAL_WAKING = time(7)
USUAL_NIGHT = timedelta(hours=7.5)  # of a night whose beginning is not known
NIGHT_MAX, NIGHT_KNOWN = timedelta(hours=16), timedelta(hours=24)
PART = timedelta(hours=1)  # of the time since the last prompt, each with the same share of company
FILLED = 11 / 12  # of a part by a share of 1, because a diary does not tell of pauses, of which 5 minutes count
HABIT = timedelta(days=56)  # of repeated days: four weeks, and what they compare with
WEEK = timedelta(days=7)
SHARES: Mapping[str, ActionType] = {"company": ActionType.SOCIALIZE, "demands": ActionType.ADMIN_WORK}

Entry = tuple[datetime, datetime, ActionType]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A person's answers at a time. All times are local times with UTC as their zone. A higher report is better."""

    at: datetime
    shares: Mapping[str, float] = field(default_factory=dict)  # "company", "demands": 0 to 1 since the last prompt
    reports: Mapping[str, float] = field(default_factory=dict)
    onset: datetime | None = None
    wake: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Diary:
    """The prompts of a study's people, ascending by time. ``aside`` counts unused rows and cells by reason."""

    name: str
    people: Mapping[str, Sequence[Prompt]]
    aside: Mapping[str, int] = field(default_factory=Counter)


def read(path: Path) -> Diary:
    """Read a diary from CSV or TSV, named after the file.

    Columns are ``person``, ``at``, ``company``, ``demands``, ``wake``, ``sleep_onset`` and ``report_NAME``. Faulty rows
    and cells are left out and counted. Raises SetupError for a file that is no such table.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            delimiter = "\t" if "\t" in file.readline() else ","
            file.seek(0)
            lines = csv.DictReader(file, delimiter=delimiter)
            known = [name.strip() for name in lines.fieldnames or ()]
            rows = [{k.strip(): v.strip() for k, v in line.items() if k and isinstance(v, str)} for line in lines]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise SetupError(f"{path} cannot be read as a table: {type(error).__name__}") from None
    if absent := [name for name in NEEDED if name not in known]:
        raise SetupError(f"{path} has no column {' and no column '.join(absent)}")
    if not any(name.startswith(REPORT) and name != REPORT for name in known):
        raise SetupError(f"{path} has no column {REPORT}NAME: what people said, where a higher number is better")
    return diary(path.stem, rows)


def diary(name: str, rows: Iterable[Row]) -> Diary:
    """Return a diary made from rows (column -> text). Faulty rows and cells are left out and counted."""
    aside: Counter[str] = Counter()
    people: dict[str, dict[datetime, Prompt]] = defaultdict(dict)
    for row in rows:
        person, at = row.get("person", ""), _clock(row, "at", aside)
        if not person or at is None:
            aside["a row without person or time"] += 1
        elif at in people[person]:
            aside["a second row for the same time"] += 1
        else:
            people[person][at] = _prompt(at, row, aside)
    ordered = {person: [found[at] for at in sorted(found)] for person, found in sorted(people.items()) if found}
    return Diary(name=name, people=ordered, aside=aside)


def levels(prompts: Sequence[Prompt], proxies: ProxyMap) -> dict[Meter, list[float]]:
    """Return the level of each meter at each prompt of a person. Meters without any input are left out.

    ``proxies`` tells how meters are computed. An unknown level is the product's normal level.
    """
    entries = _entries(prompts)
    agenda = [_occurrence(*entry) for entry in sorted([*_before(prompts, entries), *entries], key=lambda one: one[:2])]
    known = Snapshot(at=prompts[-1].at, zones=CLOCK, episodes=list(_nights(prompts)), agenda=agenda, proxies=proxies)
    past = Past(known, since=prompts[0].at, reasons=False)
    readings = [read_at(past, prompt.at) for prompt in prompts]
    return {
        meter: [reading[meter].level for reading in readings]
        for meter in Meter
        if any(reading[meter].coverage for reading in readings)
    }


def _prompt(at: datetime, row: Row, aside: Counter[str]) -> Prompt:
    shares = {name: number(row, name, aside, 0, 1) for name in SHARES}
    reports = {name[len(REPORT) :]: number(row, name, aside) for name in row if name.startswith(REPORT)}
    onset, wake = (_clock(row, name, aside, before=at) for name in ("sleep_onset", "wake"))
    if wake is not None and not timedelta(0) <= at - wake <= NIGHT_KNOWN:
        aside["a night that did not end in the 24 hours before"] += 1
        onset = wake = None
    elif wake is not None and onset is not None and not PART <= wake - onset <= NIGHT_MAX:
        aside["a night of under 1 or over 16 hours"] += 1
        onset = None
    return Prompt(
        at=at,
        shares={name: value for name, value in shares.items() if value is not None},
        reports={name: value for name, value in reports.items() if value is not None and name},
        onset=onset,
        wake=wake,
    )


def _clock(row: Row, name: str, aside: Counter[str], before: datetime | None = None) -> datetime | None:
    """Return an ISO time as local time with UTC as its zone, or None. A time of day is the last until ``before``."""
    text = row.get(name, "")
    if text.lower() in MISSING:
        return None
    try:
        if before is not None and len(text) <= len("HH:MM:SS"):
            told = datetime.combine(before.date(), time.fromisoformat(text), tzinfo=UTC)
            return told if told <= before else told - timedelta(days=1)
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        aside[f"a cell that is not a time: {name}"] += 1
        return None


def _nights(prompts: Sequence[Prompt]) -> Iterator[tuple[str, Episode]]:
    """Yield (source, night) for each night, from the first prompt after it. A missing onset is assumed."""
    told: set[Any] = set()
    for prompt in prompts:
        if prompt.wake is None or prompt.wake.date() in told:
            continue
        day = prompt.wake.date()
        told.add(day)
        onset = prompt.onset or prompt.wake - USUAL_NIGHT
        asleep = (prompt.wake - onset) / timedelta(minutes=1)
        yield (
            SOURCE,
            Episode(
                key=f"{day}",
                kind=EpisodeKind.SLEEP,
                start=onset,
                end=prompt.wake,
                day=day,
                values={Metric.ASLEEP: asleep},
            ),
        )


def _entries(prompts: Sequence[Prompt]) -> list[Entry]:
    """Return entries that fill the time since the last prompt by the shares of company and demands, hour by hour."""
    found: list[Entry] = []
    for before, prompt in pairwise([None, *prompts]):
        assert prompt is not None  # noqa: S101 - only the first of a pair is None
        begun = _morning(prompt) if before is None else max(_morning(prompt), before.at)
        count = max((prompt.at - begun) // PART, 1)
        part = (prompt.at - begun) / count
        for name, share in prompt.shares.items():
            starts = [begun + k * part for k in range(count if share else 0)]
            found += [(start, start + share * FILLED * part, SHARES[name]) for start in starts]
    return found


def _morning(prompt: Prompt) -> datetime:
    seven = datetime.combine(prompt.at.date(), USUAL_WAKING, tzinfo=UTC)
    return prompt.wake or (seven if seven < prompt.at else seven - timedelta(days=1))


def _before(prompts: Sequence[Prompt], entries: Sequence[Entry]) -> Iterator[Entry]:
    """Yield copies of the person's entries, moved whole weeks back, within HABIT before the first prompt's day."""
    first = datetime.combine(prompts[0].at.date(), time(), tzinfo=UTC)
    weeks = WEEK * ((prompts[-1].at - first) // WEEK + 1)
    shift = weeks
    while shift < HABIT + weeks:
        yield from (
            (start - shift, end - shift, action) for start, end, action in entries if end - shift >= first - HABIT
        )
        shift += weeks


def _occurrence(start: datetime, end: datetime, action: ActionType) -> tuple[Occurrence, Label]:
    key = f"{start.isoformat()}/{action}"
    event = Event(key=key, calendar=SOURCE, start=start, end=end)
    label = Label(action=action, confidence=1.0, by="diary@1", why="")
    return Occurrence(key=key, event=event, start=start, end=end), label


PLACES = ("diaries", ".")
LOAD = ("too_much", "work_fast", "multitasking", "hard_work")  # 1 to 7, of the work since the last prompt
WORSE = {
    "vigour": ("awake", "energyless", "rested"),
    "energy": ("energyless",),
    "calm": ("tense", "calm", "placid"),
    "mood": ("well", "discontent"),
}  # report -> items from 1 to 7, of which all are coded so that more is worse


def found(data: Path) -> list[Diary]:
    """Return the known diaries in a folder, or in its folder ``diaries``."""
    places = ((data / place / name, name) for name in READERS for place in PLACES)
    files = {name: path for path, name in places if path.is_file()}
    return [diary(path.stem, READERS[name](_lines(path))) for name, path in files.items()]


def _lines(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def _menghini(lines: Iterable[Mapping[str, str]]) -> Iterable[dict[str, str]]:
    for line in lines:
        if line["submission_timestamp"] == "NA":
            continue
        load = _mean(line, LOAD)
        reports = {f"report_{name}": 8 - said for name, items in WORSE.items() if (said := _mean(line, items))}
        yield {
            "person": line["id"],
            "at": line["submission_timestamp"],
            "demands": "" if load is None else f"{(load - 1) / 6}",
            "company": "" if line["whom"] == "NA" else f"{int(line['whom'] != 'ALONE')}",
            **{name: f"{value}" for name, value in reports.items()},
        }


def _bailon(lines: Iterable[Mapping[str, str]]) -> Iterable[dict[str, str]]:
    for line in lines:
        try:
            datetime.fromisoformat(line["timestamp_answer"])
        except ValueError:
            continue
        told = {f"report_{name}": line[name] for name in ("valence", "arousal") if line[name] != "NA"}
        yield {"person": line["id"], "at": line["timestamp_answer"], **told}


def _mean(line: Mapping[str, str], items: Iterable[str]) -> float | None:
    given = [float(line[item]) for item in items] if all(line[item] != "NA" for item in items) else []
    return fmean(given) if given else None


READERS: Mapping[str, Callable[[Iterable[Mapping[str, str]]], Iterable[dict[str, str]]]] = {
    "menghini_half.tsv": _menghini,
    "bailon_half.tsv": _bailon,
}
