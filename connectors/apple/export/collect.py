"""Collect the used content of an Apple Health export, in the order of the file."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from connectors.apple.export.columns import Columns, instants, values
from connectors.apple.export.heads import SLEEP_VALUE, STOOD, Head, Heads, Source
from connectors.apple.export.nights import SLEEP_VALUES
from connectors.apple.export.parts import Part
from connectors.apple.export.places import Places
from connectors.apple.export.spill import ROW_MAX, Spill, prints
from connectors.apple.export.units import (
    KILOCALORIES,
    fixed_place,
    instant,
    known_zone,
    measured,
    number,
    offset_at,
    offset_of_beats,
)
from connectors.apple.export.workouts import workout

DAY_SECONDS = 86_400.0
ENDLESS = float("inf")
BATCH_ROWS = 2_000  # rows from the XML parser taken at once
DATE = re.compile(r"(199\d|20\d\d)-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")
ZONE_KEY = "HKTimeZone"
ZONE = re.compile(rb'key="HKTimeZone" value="([^"<]*)"')
Inside = tuple[str | None, bytes]  # the phone's zone, and text with single beats; None or empty if a row has none
FIRST = re.compile(rb'<InstantaneousBeatsPerMinute bpm="[^"<]*" time="([^"<]*)"')
BEAT = re.compile(
    rb'<InstantaneousBeatsPerMinute bpm="(\d+(?:\.\d+)?)" time="\d\d?[:.](\d\d)[:.](\d\d)(?:[.,](\d\d))?[^"<]*"'
)
GAP = 1.6  # factor on the interval, beyond which beats are missing in between
RMSSD_MIN_INTERVALS = 10  # intervals that an RMSSD needs
NEAR_MS, NEAR_SHARE = 10.0, 0.25  # largest difference between the list's SDNN and the reading's
HOUR_MS = 3_600_000
TWO_DIGITS = {f"{number:02}".encode(): number for number in range(100)} | {b"": 0}  # quicker than int()
WHOLE_RATES = {str(rate).encode(): 60_000 / rate for rate in range(1, 250)}  # beats per minute -> milliseconds


@dataclass(frozen=True, slots=True)
class Series:
    """The key under which rows of an export are stored together. ``place`` is their zone or offset, None if unknown."""

    name: str
    source: Source
    detail: str = ""
    place: str | None = None


class Collected:
    """The used content of an Apple Health export, filled while the file is read.

    Rows go to the temporary store ``spill``. ``homes`` are the zones that the user lived in, as (Unix second from
    which, zone). ``order`` ranks sources, most trusted first. With ``keep_all``, types that are not used are stored
    too.
    """

    def __init__(
        self, homes: Sequence[tuple[float, str]], spill: Spill, *, order: Sequence[str], keep_all: bool = False
    ) -> None:
        self.spill, self.places, self.keep_all = spill, Places(homes), keep_all
        self.exported = ENDLESS
        self.first, self.last = ENDLESS, 0.0
        self.aside: Counter[tuple[str, str]] = Counter()  # (type, reason) -> rows set aside
        self.workouts: list[tuple[Source, dict[str, Any]]] = []
        self.summaries: dict[str, dict[str, float]] = {}
        self.series: list[Series] = []
        self.listing = Listing()
        self._numbers: dict[Series, int] = {}
        self._seeds: list[int] = []
        self._heads = Heads(order, every=keep_all)
        self._waiting: list[tuple[int, bytes, bytes, bytes, Inside]] = []

    def columns(self, rows: Columns) -> bool:
        """Collect rows that were read without an XML parser, and return True.

        Returns False, and collects none, if they can be read only with an XML parser.
        """
        heads = self._heads.numbers(rows.heads)
        if heads is None:
            return False
        wanted = np.flatnonzero(heads >= 0)
        if len(wanted):
            some = (
                rows if len(wanted) == len(heads) else Columns(*(tuple([column[n] for n in wanted]) for column in rows))
            )
            self._take(heads[wanted], some.starts, some.ends, some.values, lambda n: _inside(some.inside[n]))
        return True

    def part(self, rows: Columns) -> tuple[bool, Part | None]:
        """Collect rows that were read without an XML parser, as ``columns`` does, in order to store the result.

        Return (True if that worked, the result). The result is None if that failed, or if a row was unusable.
        """
        spill, first, last, aside = self.spill, self.first, self.last, self.aside.total()
        sums, seen = spill.sums, self.places.seen()
        spill.sums, self.first, self.last = {}, ENDLESS, 0.0
        read = self.columns(rows)
        part = Part(self.first, self.last, spill.sums, self.places.seen_since(seen))
        spill.sums = sums
        spill.add(part.sums)
        self.first, self.last = min(first, part.first), max(last, part.last)
        return read, part if read and self.aside.total() == aside else None

    def recall(self, part: Part) -> None:
        """Add the stored result of a part whose bytes an earlier export held too, instead of reading its rows."""
        self.places.seen()
        self.first, self.last = min(self.first, part.first), max(self.last, part.last)
        self.spill.add(part.sums)
        for at, place in part.seen:
            self.places.saw(at, place)
        self.places.seen()

    def element(self, name: str, attributes: dict[str, str], within: list[tuple[str, dict[str, str]]]) -> None:
        """Collect an XML element by its name and attributes. ``within`` holds (path, attributes) of its descendants."""
        if name == "ExportDate":
            self.exported = instant(attributes.get("value")) or ENDLESS
        elif name == "ActivitySummary":
            self._summary(attributes)
        elif name == "Workout":
            self._workout(attributes, within)
        elif (head := self._heads.of(attributes)) >= 0:
            texts = (attributes.get(key, "").encode() for key in ("startDate", "endDate", "value"))
            self._waiting.append((head, *texts, (_zone(within), _beats(within))))  # type: ignore[arg-type]
            if len(self._waiting) >= BATCH_ROWS:
                self.flush()

    def flush(self) -> None:
        """Collect the rows from the XML parser that still wait for a batch to fill."""
        if self._waiting:
            heads, starts, ends, texts, inside = zip(*self._waiting, strict=True)
            self._waiting = []
            self._take(np.array(heads), starts, ends, texts, inside.__getitem__)

    def _take(
        self,
        heads: np.ndarray,
        starts: Sequence[bytes],
        ends: Sequence[bytes],
        texts: Sequence[bytes],
        inside: Callable[[int], Inside],
    ) -> None:
        start = instants(starts)
        end = start if starts == ends else instants(ends)
        good = (start <= end) & (end <= self.exported + DAY_SECONDS) & (end - start < ROW_MAX)
        if good.any():
            self.first, self.last = min(self.first, start[good].min()), max(self.last, end[good].max())
        for head in sorted({*heads.tolist()}):
            of_head = heads == head
            rows = np.flatnonzero(of_head & good)
            kept = self._heads.heads[head]
            self._set_aside(kept, start[of_head & ~good], end[of_head & ~good])
            if len(rows):
                self.listing.saw(kept.type, start[rows])
                span, places = np.column_stack([start[rows], end[rows]]), rows.tolist()
                self._keep(kept, span, [texts[n] for n in places], [*map(inside, places)] if kept.looks_inside else [])

    def _set_aside(self, head: Head, start: np.ndarray, end: np.ndarray) -> None:
        for low, high in zip(start.tolist(), end.tolist(), strict=True):
            after = "after the export" if high > self.exported + DAY_SECONDS else "it lasts longer than a week"
            reason = "its times cannot be read" if low != low or high != high else after
            self.aside[head.type, "it ends before it begins" if low > high else reason] += 1

    def _keep(self, head: Head, span: np.ndarray, texts: list[bytes], inside: list[Inside]) -> None:
        kind = head.kind
        if self.keep_all:
            self._keep_every(head, span, texts)
        if kind is None:
            return
        match kind.role:
            case "sleep":
                self._slept(head, span, texts, inside)
            case "mindful":
                self._put(Series(kind.name, head.source), span)
            case "stand":
                stood = [n for n, text in enumerate(texts) if text == STOOD.encode()]
                self._put(Series(kind.name, head.source), span[stood])
            case "sdnn":
                self._varied(head, *self._measured(head, span, texts, inside))
            case _:
                rows, found, _ = self._measured(head, span, texts, inside)
                self._put(Series(kind.name, head.source), rows, found)

    def _measured(
        self, head: Head, span: np.ndarray, texts: list[bytes], inside: list[Inside]
    ) -> tuple[np.ndarray, np.ndarray, list[Inside]]:
        found = head.converted(values(texts))
        good = head.plausible(found)
        for reason, rows in head.reasons(found, good).items():
            self.aside[head.type, reason] += rows
        kept = [one for one, right in zip(inside, good, strict=True) if right] if inside else []
        return span[good], found[good], kept

    def _put(self, series: Series, span: np.ndarray, found: np.ndarray | float = 0.0) -> None:
        if len(span):
            number = self._numbers.setdefault(series, len(self.series))
            if number == len(self.series):
                self.series.append(series)
                self._seeds.append(_seed(series))
            rows = np.empty((len(span), 4))
            rows[:, 0], rows[:, 1:3], rows[:, 3] = number, span, found
            self.spill.put(rows, prints(rows[:, 1:], self._seeds[number]))

    def _keep_every(self, head: Head, span: np.ndarray, texts: list[bytes]) -> None:
        found = values(texts)
        for word in set(texts):
            rows = (
                [n for n, text in enumerate(texts) if text == word]
                if number(word.decode("utf-8", "replace")) is None
                else []
            )
            self._put(Series(f"*{head.type}", head.source, word.decode("utf-8", "replace")), span[rows])
        good = found == found
        self._put(Series(f"*{head.type}", head.source, head.unit), span[good], found[good])

    def _slept(self, head: Head, span: np.ndarray, texts: list[bytes], inside: list[Inside]) -> None:
        together: dict[Series, list[int]] = defaultdict(list)
        for row, (text, (place, _)) in enumerate(zip(texts, inside, strict=True)):
            stage = SLEEP_VALUES.get(text.decode("utf-8", "replace").removeprefix(SLEEP_VALUE))
            if stage is None:
                self.aside[head.type, "its value is not known"] += 1
                continue
            if place is not None:
                self.places.saw(float(span[row, 0]), place)
                self.places.saw(float(span[row, 1]), place)
            together[Series("sleep", head.source, stage, place)].append(row)
        for series, rows in together.items():
            self._put(series, span[rows])

    def _varied(self, head: Head, span: np.ndarray, found: np.ndarray, inside: list[Inside]) -> None:
        together: dict[Series, list[tuple[int, float]]] = defaultdict(list)
        for row, (at, value, (_, beats)) in enumerate(zip(span[:, 0].tolist(), found.tolist(), inside, strict=True)):
            offset = offset_of_beats(first_clock(beats), at, offset_at(at, self.places.home(at)))
            place = None if offset is None else fixed_place(offset)
            if place is not None:
                self.places.saw(at, place)
            together[Series("sdnn", head.source, place=place)].append((row, value))
            if (successive := rmssd(beats, value)) is not None:
                together[Series("beats", head.source, place=place)].append((row, successive))
        for series, some in together.items():
            rows, values_of = zip(*some, strict=True)
            self._put(series, span[[*rows]], np.array(values_of))

    def _workout(self, attributes: dict[str, str], within: list[tuple[str, dict[str, str]]]) -> None:
        start, end = instant(attributes.get("startDate")), instant(attributes.get("endDate"))
        if start is None or end is None or not start <= end <= self.exported + DAY_SECONDS or end - start >= ROW_MAX:
            self.aside["Workout", "its times are unreadable or impossible"] += 1
            return
        self.first, self.last = min(self.first, start), max(self.last, end)
        place = _zone(within)
        if place is not None:
            self.places.saw(start, place)
        told = workout(attributes, within)
        self.workouts.append((self._heads.source(attributes), {"start": start, "end": end, "place": place, **told}))

    def _summary(self, attributes: dict[str, str]) -> None:
        # Zeros are left out, because they stand for days without a watch.
        energy = measured(attributes, KILOCALORIES, "activeEnergyBurned", "activeEnergyBurnedUnit")
        stood, trained = (number(attributes.get(f"apple{name}")) for name in ("StandHours", "ExerciseTime"))
        found = {name: value for name, value in (("active_energy", energy), ("stand_hours", stood)) if value}
        if trained or (trained is not None and stood):
            found["exercise_minutes"] = trained
        day = attributes.get("dateComponents", "")
        if found and DATE.fullmatch(day):
            self.summaries[day] = found


class Listing:
    """A run of records of one type in an export's file, with the latest start time so far."""

    def __init__(self) -> None:
        self.type = ""
        self.latest = 0.0
        self._rows = self._back = 0

    def saw(self, kind: str, starts: np.ndarray) -> None:
        """Note the start times of further rows of the type ``kind``, in file order. Another type resets the counts."""
        if kind != self.type:
            self.type, self.latest, self._rows, self._back = kind, 0.0, 0, 0
        latest = np.maximum.accumulate(np.maximum(starts, self.latest))
        self._rows += len(starts)
        self._back += int((latest - starts > DAY_SECONDS).sum())
        self.latest = float(latest[-1])

    @property
    def in_order(self) -> bool:
        """True unless over 5 % of the type's rows begin more than a day before a row that precedes them."""
        return self._back * 20 <= self._rows


def _seed(series: Series) -> int:
    told = repr((series.name, series.source, series.detail, series.place))
    return int.from_bytes(hashlib.blake2b(told.encode("utf-8", "replace"), digest_size=8).digest())


def _inside(body: bytes) -> Inside:
    zone = ZONE.search(body)
    return known_zone(zone[1].decode()) if zone else None, body


def _zone(within: list[tuple[str, dict[str, str]]]) -> str | None:
    zones = (one.get("value", "") for name, one in within if name == "MetadataEntry" and one.get("key") == ZONE_KEY)
    return known_zone(next(zones, ""))


def _beats(within: list[tuple[str, dict[str, str]]]) -> bytes:
    found = [one for name, one in within if name == "/InstantaneousBeatsPerMinute"]
    return listed((one.get("bpm", ""), one.get("time", "")) for one in found) if found else b""


def listed(beats: Iterable[tuple[str, str]]) -> bytes:
    """Return heart beats, given as (beats per minute, wall clock), as XML text in the layout of Apple's export."""
    rows = (f'<InstantaneousBeatsPerMinute bpm="{bpm}" time="{clock}"/>' for bpm, clock in beats)
    return "".join(rows).encode("utf-8", "replace")


def first_clock(text: bytes) -> str | None:
    """Return the wall clock of the first beat in a list of heart beats (XML). Return None for an empty list."""
    found = FIRST.search(text)
    return None if found is None else found[1].decode("utf-8", "replace")


def rmssd(text: bytes, sdnn: float) -> float | None:
    """Return the RMSSD in milliseconds of a list of heart beats (XML). ``sdnn`` is the SDNN that Apple states for them.

    Returns None for too few intervals without gaps, an unreadable beat, or beats whose SDNN is not near ``sdnn``.
    """
    beats = BEAT.findall(text)
    if len(beats) <= RMSSD_MIN_INTERVALS or len(beats) != text.count(b"<InstantaneousBeatsPerMinute "):
        return None
    lengths = [WHOLE_RATES.get(bpm) or 60_000 / max(float(bpm), 1.0) for bpm, _, _, _ in beats]
    mean = sum(lengths) / len(lengths)
    own = sqrt(sum([(length - mean) ** 2 for length in lengths]) / len(lengths))
    if abs(own - sdnn) > max(NEAR_MS, NEAR_SHARE * sdnn):
        return None
    of = TWO_DIGITS
    times = [of[minute] * 60_000 + of[second] * 1000 + of[part] * 10 for _, minute, second, part in beats]
    squares = [
        (after - before) ** 2
        for before, after, early, late in zip(lengths, lengths[1:], times, times[1:], strict=False)
        if (late - early) % HOUR_MS <= GAP * after
    ]
    return sqrt(sum(squares) / len(squares)) if len(squares) >= RMSSD_MIN_INTERVALS else None
