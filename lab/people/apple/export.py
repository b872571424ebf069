"""The whole export, type of row after type of row, and the true values of each day and night."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from lab.people.apple import energy, heart, movement, sleeping, unused
from lab.people.apple.document import Sheet, document_type
from lab.people.apple.life import Day, Life, instant, offset

INNER = "apple_health_export/export.xml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Options of an export, which covers ``days`` days until ``last`` and is made on that date at ``hour`` o'clock.

    ``version`` is of the document type, 0 for none. ``american`` uses miles, Cal, degrees Fahrenheit and a 12-hour
    clock. ``sparse`` writes fewer of the most frequent rows. ``other`` adds another maker's app.
    """

    seed: int = 1
    last: date = date(2026, 5, 20)
    days: int = 20
    home: str = "Europe/Berlin"
    travels: bool = True
    other: bool = True
    american: bool = False
    version: int = 14
    hour: int = 15
    sparse: bool = False

    @property
    def first(self) -> date:
        return self.last - timedelta(days=self.days - 1)


@dataclass(slots=True, kw_only=True)
class Truth:
    """The true values behind an export. A value that nothing measured is missing.

    ``days`` maps a date to steps, distance (m), active_energy (kcal), resting_hr, hrv_sdnn (median, ms), beats_rmssd
    (median, ms), hrv_readings (count), heart_rates (count), heart_rate (mean) and mindful (min). ``nights`` maps the
    date of waking to asleep, light, deep, rem, awake and in_bed in minutes, start and end in Unix seconds, and the
    medians of respiratory_rate, spo2 (%), skin_temperature (°C) and hrv_rmssd (ms).
    """

    exported: str
    home: str
    days: dict[str, dict[str, float]] = field(default_factory=dict)
    nights: dict[str, dict[str, float]] = field(default_factory=dict)
    naps: dict[str, int] = field(default_factory=dict)
    workouts: list[dict[str, float | str]] = field(default_factory=list)
    zones: dict[str, tuple[str, str]] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    size: int = 0

    def put(self, name: str, values: dict[str, float]) -> None:
        for day, value in values.items():
            self.days.setdefault(day, {})[name] = value

    def update(self, values: dict[str, dict[str, float]]) -> None:
        for day, some in values.items():
            self.days.setdefault(day, {}).update(some)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def write(plan: Plan, sink: Callable[[bytes], object]) -> Truth:
    """Pass the export's XML to ``sink`` in pieces of about a megabyte, and return the true values."""
    life = Life(plan.seed, plan.home, plan.travels, plan.other, 10 if plan.sparse else 1)
    days = list(life.itinerary.days(plan.first, plan.days))
    today = days[-1]
    exported = instant(today.date, plan.hour * 60, today.evening)
    sheet = Sheet(sink, exported=exported, offset=offset(exported, today.zone(exported)))
    truth = Truth(exported=today.text, home=plan.home, zones={day.text: (day.morning, day.evening) for day in days})
    sheet.line(_head(plan, sheet))
    overnight = _quantities(sheet, life, days, plan, truth)
    _categories(sheet, life, days, truth, overnight)
    truth.workouts = energy.write_workouts(sheet, life, days)
    unit = "Cal" if plan.american else "kcal"
    energy.write_summaries(sheet, days, {day: some.get("active_energy", 0.0) for day, some in truth.days.items()}, unit)
    sheet.line("</HealthData>\n")
    sheet.close()
    truth.rows, truth.size = {name: count for name, count in sheet.rows.items() if name}, sheet.size
    return truth


def _head(plan: Plan, sheet: Sheet) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        + (document_type(plan.version) if plan.version else "")
        + f'<HealthData locale="{"en_US" if plan.american else "de_DE"}">\n'
        + f' <ExportDate value="{sheet.stamp(sheet.exported)}"/>\n'
        + ' <Me HKCharacteristicTypeIdentifierDateOfBirth="" '
        + 'HKCharacteristicTypeIdentifierBiologicalSex="HKBiologicalSexNotSet"/>\n'
    )


def _quantities(sheet: Sheet, life: Life, days: list[Day], plan: Plan, truth: Truth) -> sleeping.Overnight:
    american = plan.american
    truth.update(heart.write_rates(sheet, life, days))
    truth.put("steps", movement.write_steps(sheet, life, days))
    truth.put("distance", movement.write_distance(sheet, life, days, "mi" if american else "km"))
    energy.write_basal(sheet, life, days, "Cal" if american else "kcal")
    truth.put("active_energy", energy.write_energy(sheet, life, days, "Cal" if american else "kcal"))
    unused.write_unused(sheet, life, days)
    truth.put("resting_hr", heart.write_resting(sheet, life, days))
    truth.update(heart.write_variability(sheet, life, days, clock12=american))
    overnight = sleeping.write_overnight(sheet, life, days, "degF" if american else "degC")
    rmssd = heart.write_rmssd(sheet, life, days)
    for day, spots in rmssd.items():
        overnight.setdefault(day, {})["hrv_rmssd"] = spots
    return overnight


def _categories(sheet: Sheet, life: Life, days: list[Day], truth: Truth, overnight: sleeping.Overnight) -> None:
    truth.nights, truth.naps = sleeping.write_sleep(sheet, life, days)
    for day, night in truth.nights.items():  # what was measured in a night that nobody recorded belongs to none
        night.update(sleeping.medians(night, overnight.get(day, {})))
    truth.put("mindful", energy.write_mindful(sheet, life, days))
    unused.write_correlations(sheet, life, days)


def write_zip(plan: Plan, place: Path, inner: str = INNER) -> Truth:
    """Write the export as a zip archive to ``place``, with the XML named ``inner``, and return the true values."""
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        info = zipfile.ZipInfo(inner, (2026, 1, 1, 0, 0, 0))
        info.compress_type = zipfile.ZIP_DEFLATED
        with archive.open(info, "w", force_zip64=True) as member:
            return write(plan, member.write)
