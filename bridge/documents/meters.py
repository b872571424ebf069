"""JSON documents of the five meters, of daily measurements, and of check-ins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from typing_extensions import TypedDict

from bridge.documents.facts import FactDocument, fact_documents
from bridge.documents.filling import filled
from bridge.domain.rendering import told
from bridge.domain.slots import local_time, moment_at, slot_start
from rhythm_env.interface import SLOTS_PER_DAY

if TYPE_CHECKING:
    from bridge.domain.metrics import Metric
    from bridge.domain.records import ProxyMap, User
    from bridge.domain.slots import Moment, ZoneHistory
    from bridge.domain.types import Reading
    from bridge.ingest.checkins import CheckIn
    from bridge.installation import Bridge
    from bridge.meters.daily import Figure
    from rhythm_env.interface import Meter


class ReasonDocument(TypedDict):
    """A reason of a meter's level, which is an input with its share.

    ``z`` is the input's distance from the user's normal in standard deviations, positive if good. ``contribution`` is
    the part of the level's distance from 0.70 that comes from it. ``source`` is null for an input of several sources.
    """

    signal: str
    source: str | None
    z: float
    contribution: float
    age_hours: float
    text: str


class ReadingDocument(TypedDict):
    """A meter's level from 0 to 1 with its standard deviation, its coverage and its reasons (``because``, ``facts``).

    ``coverage`` (0 to 1) is the share of the meter's inputs, by weight, that are recent. The reasons' contributions sum
    to the level minus 0.70, the user's normal, and ``facts`` are the same reasons as data. ``validity`` is the
    correlation with users' own reports, null (and ``validated`` false) if it was not measured.
    """

    level: float | None
    sd: float
    coverage: float
    validity: float | None
    validated: bool
    note: str | None
    because: list[ReasonDocument]
    facts: list[FactDocument]


def reading_document(reading: Reading) -> ReadingDocument:
    """Return a meter's reading as a JSON document for programs, where an unknown level is 0.70."""
    because = [filled(ReasonDocument, reason, text=told(reason.fact)) for reason in reading.because]
    return filled(ReadingDocument, reading, because=because, facts=fact_documents(b.fact for b in reading.because))


class StateDocument(TypedDict):
    """The level, standard deviation and coverage of a meter as policies get them."""

    level: float
    sd: float
    coverage: float


class MeterDocument(ReadingDocument):
    """A meter for people, whose level is null if nothing is known. ``model`` is the state that policies get."""

    model: StateDocument


def meter_document(reading: Reading) -> MeterDocument:
    """Return a meter's reading as a JSON document for people, where an unknown level is null."""
    level = reading.level if reading.coverage else None
    return {**reading_document(reading), "level": level, "model": filled(StateDocument, reading.state)}


@dataclass(frozen=True, slots=True, kw_only=True)
class MetersView:
    """A user's meters ``now`` and at earlier starts of slots (``before``, one for each of ``starts``).

    ``proxies`` is the table of inputs and their weights.
    """

    at: datetime
    zones: ZoneHistory
    now: Mapping[Meter, Reading]
    starts: Sequence[datetime]
    before: Sequence[Mapping[Meter, Reading]]
    proxies: ProxyMap


def load_meters(bridge: Bridge, user: User, at: datetime, days: int) -> MetersView:
    """Return a user's meters at ``at``, and at each start of a slot from ``days`` days before.

    All are computed from data of the same length, because more data would change the user's normal.
    """
    from bridge.advice import recommend
    from bridge.meters import read, read_slots

    back = timedelta(days=days)
    now = read(recommend.load_snapshot(bridge, user, at=at))
    snapshot = recommend.load_snapshot(bridge, user, at=at, back=back)
    starts = _slot_starts(moment_at(at, user.zones), SLOTS_PER_DAY * days, user.zones)
    before = read_slots(snapshot, starts)
    return MetersView(at=at, zones=user.zones, now=now, starts=starts, before=before, proxies=bridge.proxies)


class SensitivityDocument(TypedDict):
    """The rank correlation of a meter, computed without check-ins, with the user's check-ins.

    It is shrunk towards zero, more so for few answers. ``answers`` is the number of check-ins, and ``text`` says it in
    words.
    """

    correlation: float
    answers: int
    text: str


def load_sensitivity(bridge: Bridge, user: User, at: datetime, meter: Meter) -> SensitivityDocument | None:
    """Return how well ``meter`` agreed with check-ins. None with too few, and for all but Vitality and Serenity."""
    from bridge.advice import recommend
    from bridge.meters.sensitivity import CHECK_INS_BACK, sensitivity

    known = recommend.load_snapshot(bridge, user, at=at, back=CHECK_INS_BACK)
    found = sensitivity(known, meter)
    return None if found is None else filled(SensitivityDocument, found)


def _slot_starts(newest: Moment, count: int, zones: ZoneHistory) -> list[datetime]:
    return [slot_start(newest.shifted(-back), zones) for back in range(count, -1, -1)]


class PastMetersDocument(TypedDict):
    """The meters as they were at the start of a slot (quarter of a day). An unknown level is null."""

    at: str
    levels: dict[str, float | None]
    sd: dict[str, float]
    coverage: dict[str, float]


class MetersDocument(TypedDict):
    """The five meters ``at`` an instant, and at earlier starts of slots (``history``, oldest first).

    ``map`` is the version of the table of inputs and weights.
    """

    at: str
    map: str
    meters: dict[str, MeterDocument]
    history: list[PastMetersDocument]


def meters_document(view: MetersView) -> MetersDocument:
    return {
        "at": view.at.isoformat(),
        "map": view.proxies.version,
        "meters": {str(meter): meter_document(reading) for meter, reading in view.now.items()},
        "history": [_past(start, readings) for start, readings in zip(view.starts, view.before, strict=True)],
    }


def _past(start: datetime, readings: Mapping[Meter, Reading]) -> PastMetersDocument:
    return {
        "at": start.isoformat(),
        "levels": {str(m): None if r.coverage == 0 else r.level for m, r in readings.items()},
        "sd": {str(m): r.sd for m, r in readings.items()},
        "coverage": {str(m): r.coverage for m, r in readings.items()},
    }


def day_document(day: date, source: str, metrics: Mapping[Metric, Figure]) -> dict[str, Any]:
    """Return a source's measurements of a day as a JSON document, metric -> value, count, lowest and highest.

    The value of a metric measured all day is its sum, or its mean weighted by readings.
    """
    return {
        "day": day.isoformat(),
        "source": source,
        **{
            str(metric): {"value": f.value, "count": f.count, "low": f.low, "high": f.high}
            for metric, f in sorted(metrics.items())
        },
    }


class CheckInDocument(TypedDict):
    """A check-in with its time in the user's zone. ``about`` is a meter, or null for life as a whole."""

    at: str
    about: str | None
    score: float


def checkin_document(said: CheckIn, zones: ZoneHistory) -> CheckInDocument:
    about = None if said.about is None else str(said.about)
    return {"at": local_time(said.at, zones).isoformat(), "about": about, "score": said.score}
