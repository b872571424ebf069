"""Parse the attributes before the times of an export's rows, each different text once, and rank the sources."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bridge.domain.metrics import METRICS, Metric
from connectors.apple.export.units import (
    CELSIUS,
    IN_MILLISECONDS,
    KILOCALORIES,
    METRES,
    PER_MINUTE,
    PERCENT,
    source_name,
)

Source = tuple[int, str]  # rank (0 is the most trusted), name
ORDER = ("watch", "phone", "others", "makers")
WATCH = re.compile(r"(model|hardware|producttype): ?watch")
PHONE = re.compile(r"(model|hardware|producttype): ?iphone|model:phone")
MAKERS = re.compile(
    r"\b(whoop|garmin|connect|oura|fitbit|polar flow|withings|health ?mate|coros|suunto|amazfit|zepp)\b"
)


def order_of(text: str) -> tuple[str, ...]:
    """Return the source names in a comma-separated setting, most trusted first, in lower case."""
    wanted = [word.strip().casefold() for word in text.split(",") if word.strip()]
    return (*wanted, *(word for word in ORDER if word not in wanted))


def rank(source: str, device: str, order: Sequence[str] = ORDER) -> int:
    """Return the place of a source in ``order``, 0 for the most trusted, by its name, else by its class of device."""
    name = source.casefold()
    mine = next((place for place, word in enumerate(order) if word not in ORDER and word in name), None)
    return order.index(_class(name, device.casefold())) if mine is None else mine


def _class(name: str, device: str) -> str:
    if WATCH.search(device) or "apple watch" in name:
        return "watch"
    if PHONE.search(device) or "iphone" in name:
        return "phone"
    return "makers" if MAKERS.search(name) else "others"


QUANTITY, CATEGORY = "HKQuantityTypeIdentifier", "HKCategoryTypeIdentifier"
SLEEP_VALUE, STOOD = "HKCategoryValueSleepAnalysis", "HKCategoryValueAppleStandHourStood"
ANY = float("inf")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """The handling of a used record type of an Apple Health export. Only ``low`` to ``high`` is plausible."""

    role: str
    name: str
    units: Mapping[str, tuple[float, float]]  # unit -> (factor, summand); empty for a kind without values
    low: float = 0.0
    high: float = ANY


def _within(metric: Metric) -> dict[str, float]:
    return {"low": METRICS[metric].low, "high": METRICS[metric].high}


def _factors(units: Mapping[str, float]) -> dict[str, tuple[float, float]]:
    return {unit: (factor, 0.0) for unit, factor in units.items()}


RATE = _factors(PER_MINUTE)
VARIABILITY = _factors(IN_MILLISECONDS)
TYPE_KINDS: Mapping[str, Kind] = {
    QUANTITY + "StepCount": Kind(role="total", name="steps", units=_factors({"count": 1.0})),
    QUANTITY + "FlightsClimbed": Kind(role="total", name="floors", units=_factors({"count": 1.0})),
    QUANTITY + "DistanceWalkingRunning": Kind(role="total", name="distance", units=_factors(METRES)),
    QUANTITY + "ActiveEnergyBurned": Kind(role="total", name="active_energy", units=_factors(KILOCALORIES)),
    QUANTITY + "HeartRate": Kind(role="rate", name="heart_rate", units=RATE, **_within(Metric.HEART_RATE)),
    QUANTITY + "RestingHeartRate": Kind(role="resting", name="resting_hr", units=RATE, **_within(Metric.RESTING_HR)),
    QUANTITY + "HeartRateVariabilitySDNN": Kind(role="sdnn", name="sdnn", units=VARIABILITY),
    # New in iOS 27 and watchOS 27; a metric of its own, never mixed with the SDNN.
    QUANTITY + "HeartRateVariabilityRMSSD": Kind(role="rmssd", name="hrv_rmssd", units=VARIABILITY),
    QUANTITY + "RespiratoryRate": Kind(
        role="overnight", name="respiratory_rate", units=RATE, **_within(Metric.RESPIRATORY_RATE)
    ),
    QUANTITY + "OxygenSaturation": Kind(role="overnight", name="spo2", units=PERCENT, **_within(Metric.SPO2)),
    QUANTITY + "AppleSleepingWristTemperature": Kind(
        role="overnight", name="skin_temperature", units=CELSIUS, **_within(Metric.SKIN_TEMPERATURE)
    ),
    QUANTITY + "NumberOfAlcoholicBeverages": Kind(
        role="noted", name="alcohol", units=_factors({"count": 1.0}), **_within(Metric.NOTED)
    ),
    QUANTITY + "DietaryCaffeine": Kind(
        role="noted", name="caffeine", units=_factors({"mg": 1.0, "g": 1000.0}), **_within(Metric.NOTED)
    ),
    CATEGORY + "SleepAnalysis": Kind(role="sleep", name="sleep", units={}),
    CATEGORY + "MindfulSession": Kind(role="mindful", name="mindful", units={}),
    CATEGORY + "AppleStandHour": Kind(role="stand", name="stand_hours", units={}),
}


REMEMBERED = 20_000  # texts in the cache, because a device's address in memory may differ from row to row
FORBIDDEN = bytes({*range(0x20)} - {0x09, 0x0A, 0x0D})
UNWANTED = -1
DEVICE_ADDRESS = re.compile(rb"HKDevice: 0x[0-9a-f]+")
FRACTION = 1.5  # largest share; a greater number is in percent


@dataclass(frozen=True, slots=True)
class Head:
    """The type, unit and source that rows of an Apple Health export share.

    ``kind`` is None for a type that is stored only with the setting ``keep_all``.
    """

    type: str
    unit: str
    source: Source
    kind: Kind | None

    @property
    def looks_inside(self) -> bool:
        return self.kind is not None and self.kind.role in ("sleep", "sdnn")

    def converted(self, found: np.ndarray) -> np.ndarray:
        """Return the values ``found`` in the metric's unit, or NaN for an unknown unit.

        A "%" of at most 1.5 is a fraction, and becomes percent.
        """
        factor, plus = (self.kind.units if self.kind else {}).get(self.unit, (np.nan, 0.0))
        if self.unit == "%":
            return np.where(found <= FRACTION, found * factor, found)
        return found * factor + plus

    def plausible(self, found: np.ndarray) -> np.ndarray:
        kind = self.kind
        good: np.ndarray = (found >= kind.low) & (found <= kind.high) if kind else found == found
        return good

    def reasons(self, found: np.ndarray, good: np.ndarray) -> dict[str, int]:
        """Return reason -> number of the values in ``found`` that are refused, those with False in ``good``."""
        unread = int((found != found).sum())
        unit = self.kind is not None and self.unit not in self.kind.units
        why = {
            "its unit is not known" if unit else "its value is not a number": unread,
            "its value cannot be true": int((~good).sum()) - unread,
        }
        return {reason: rows for reason, rows in why.items() if rows}


class Heads:
    """The different heads (type, unit, source) of an export's rows so far. A head's number is its index in ``heads``.

    ``order`` ranks the sources, most trusted first. With ``every``, types that are not used get a head too.
    """

    def __init__(self, order: Sequence[str], *, every: bool) -> None:
        self.heads: list[Head] = []
        self._order, self._every = order, every
        self._numbers: dict[tuple[str, str, Source], int] = {}
        self._texts: dict[bytes, int] = {}
        self._bare: dict[bytes, int] = {}  # without the address

    def numbers(self, texts: Sequence[bytes]) -> np.ndarray | None:
        """Return the head's number for each row, with UNWANTED for types that are not used.

        ``texts`` are the rows' attributes before the times. Returns None if any of them cannot be parsed as XML.
        """
        known = self._texts
        if texts.count(texts[0]) == len(texts):
            texts, rows = texts[:1], len(texts)
        else:
            rows = 1
        for text in {*texts} - known.keys():
            number = self._read(DEVICE_ADDRESS.sub(b"HKDevice: ", text))
            if number is None:
                return None
            known[text] = number
        found = np.fromiter(map(known.__getitem__, texts), dtype=np.int64, count=len(texts))
        if len(known) > REMEMBERED:
            known.clear()
        return np.repeat(found, rows)

    def _read(self, text: bytes) -> int | None:
        number = self._bare.get(text)
        if number is None and (attributes := _attributes(text)) is not None:
            if len(self._bare) > REMEMBERED:
                self._bare.clear()
            number = self._bare[text] = self.of(attributes)
        return number

    def of(self, attributes: Mapping[str, str]) -> int:
        """Return the number of the head with these attributes, adding it if new. UNWANTED for an unused type."""
        name = attributes.get("type", "")
        kind = TYPE_KINDS.get(name)
        if kind is None and not self._every:
            return UNWANTED
        mine = name, attributes.get("unit", ""), self.source(attributes)
        number = self._numbers.setdefault(mine, len(self.heads))
        if number == len(self.heads):
            self.heads.append(Head(*mine, kind))
        return number

    def source(self, attributes: Mapping[str, str]) -> Source:
        """Return (rank, name) of the app or device that wrote an element. Rank 0 is the most trusted."""
        name = source_name(attributes.get("sourceName", ""))
        return rank(name, attributes.get("device", ""), self._order), name


def _attributes(text: bytes) -> dict[str, str] | None:
    from xml.parsers import expat

    found: list[dict[str, str]] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda _, attributes: found.append(attributes)
    try:
        parser.Parse(b"<Record " + text.translate(None, FORBIDDEN) + b"/>", True)
    except (expat.ExpatError, ValueError):
        return None
    return found[0] if len(found) == 1 else None
