"""Rows of an export that an importer should ignore, some of which look like rows that count."""

from __future__ import annotations

from collections.abc import Sequence

from lab.people.apple.document import CATEGORY, DELAY, PHONE, QUANTITY, WATCH, Sheet
from lab.people.apple.life import Day, Life, dice

KINDS = (  # name, unit, how many seconds apart, the usual value
    ("WalkingSpeed", "km/hr", 7200, 4.8),
    ("FlightsClimbed", "count", 9000, 3),
    ("HeadphoneAudioExposure", "dBASPL", 14_400, 68),
    ("EnvironmentalAudioExposure", "dBASPL", 1800, 55),
    ("AppleExerciseTime", "min", 3600, 1),
    ("AppleStandTime", "min", 900, 2),
    ("WalkingHeartRateAverage", "count/min", 86_400, 98),
    ("VO2Max", "mL/min·kg", 400_000, 43.1),
    ("BodyMass", "kg", 300_000, 71.4),
    ("DietaryWater", "mL", 20_000, 250),
)


def write_unused(sheet: Sheet, life: Life, days: Sequence[Day]) -> None:
    for name, unit, apart, usual in KINDS:
        head = (PHONE if name.startswith("Walking") else WATCH).head(QUANTITY + name, unit)
        for day in days:
            rng = dice(life.seed, name, day.text)
            for at in range(day.start + rng.randint(0, apart), day.end - 300, apart):
                sheet.row(head, at, at + 300, usual * rng.uniform(0.8, 1.2))
    head = WATCH.head(CATEGORY + "AppleStandHour")
    for day in days:
        for at in range(day.start + 7 * 3600, day.end - 3600, 3600):
            stood = "Stood" if at // 3600 % 4 else "Idle"
            sheet.row(head, at, at + 3600, "HKCategoryValueAppleStandHour" + stood)


def write_correlations(sheet: Sheet, life: Life, days: Sequence[Day]) -> None:
    """Write some blood pressures. Each part appears at the top level and again within the pair, as in real exports."""
    for day in days:
        rng = dice(life.seed, "pressure", day.text)
        at = day.start + 9 * 3600
        if rng.random() > 0.2 or not sheet.has(at):
            continue
        parts = [
            f'{PHONE.head(f"{QUANTITY}BloodPressure{name}", "mmHg")}creationDate="{sheet.stamp(at + DELAY)}" '
            f'startDate="{sheet.stamp(at)}" endDate="{sheet.stamp(at)}" value="{rng.gauss(usual, 6):.0f}"/>\n'
            for name, usual in (("Systolic", 121), ("Diastolic", 78))
        ]
        for part in parts:
            sheet.line(part, "Record")
        times = f'creationDate="{sheet.stamp(at + DELAY)}" startDate="{sheet.stamp(at)}" endDate="{sheet.stamp(at)}"'
        within = "".join(f" {part}" for part in parts)
        kind = 'type="HKCorrelationTypeIdentifierBloodPressure"'
        sheet.line(f' <Correlation {kind} sourceName="{PHONE.name}" {times}>\n{within} </Correlation>\n', "Correlation")
