"""Rows of energy, workouts, mindful minutes and Apple's own summary of each day."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from lab.people.apple.document import CATEGORY, DELAY, QUANTITY, WATCH, Sheet, metadata
from lab.people.apple.life import Day, Life, dice

KILOCALORIE = {"kcal": 1.0, "Cal": 1.0, "kJ": 1 / 4.184}
SPORTS = ("Running", "Cycling", "TraditionalStrengthTraining", "Yoga", "Walking")
NEW_SHAPE = 1_663_200_000  # 2022-09-15: totals became statistics


def write_energy(sheet: Sheet, life: Life, days: Sequence[Day], unit: str) -> dict[str, float]:
    """Write active energy every few minutes while the watch is worn, and return kilocalories by date."""
    active = WATCH.head(QUANTITY + "ActiveEnergyBurned", unit)
    truth: dict[str, float] = defaultdict(float)
    for day in days:
        rng, at = dice(life.seed, "energy", day.text), day.start
        while (at := at + rng.randint(0, 120 * life.pause)) < day.end - 400:
            end = at + rng.randint(50, 400)
            burned = rng.expovariate(1 / 2.0)
            if life.worn(day, at) and sheet.row(active, at, end, burned / KILOCALORIE[unit]):
                truth[day.text] += burned
            at = end
    return dict(truth)


def write_basal(sheet: Sheet, life: Life, days: Sequence[Day], unit: str) -> None:
    head = WATCH.head(QUANTITY + "BasalEnergyBurned", unit)
    for day in days:
        rng = dice(life.seed, "basal", day.text)
        for at in range(day.start, day.end, 900):
            sheet.row(head, at, at + 900, rng.gauss(17, 0.5) / KILOCALORIE[unit])


def write_mindful(sheet: Sheet, life: Life, days: Sequence[Day]) -> dict[str, float]:
    """Write mindful sessions, and return their minutes by date."""
    head, truth = WATCH.head(CATEGORY + "MindfulSession"), {}
    for day in days:
        rng = dice(life.seed, "mindful", day.text)
        start = day.start + rng.randint(8 * 3600, 11 * 3600)
        length = rng.randint(60, 1500)
        if rng.random() < 0.4 and sheet.row(head, start, start + length, None):
            truth[day.text] = length / 60
    return truth


def write_workouts(sheet: Sheet, life: Life, days: Sequence[Day]) -> list[dict[str, float | str]]:
    """Write random workouts, some in the form that exports had before iOS 16, and return the figures of each."""
    done: list[dict[str, float | str]] = []
    for day in days:
        rng = dice(life.seed, "workout", day.text)
        if rng.random() > 0.35 or life.idle(day) or day.travels:
            continue
        start = day.start + rng.randint(17 * 3600, 18 * 3600)
        end = start + rng.randint(1200, 4500)
        done.append(
            {
                "day": day.text,
                "start": start,
                "end": end,
                "zone": day.zone(start),
                "sport": rng.choice(SPORTS),
                "distance": float(rng.randint(1500, 12_000)),
                "active_energy": float(rng.randint(90, 700)),
                "heart_rate": float(rng.randint(95, 165)),
            }
        )
    return [workout for workout in done if _workout(sheet, workout)]


def _workout(sheet: Sheet, told: dict[str, float | str]) -> bool:
    start, end = int(told["start"]), int(told["end"])
    if not sheet.has(end):
        return False
    first, last = sheet.stamp(start), sheet.stamp(end)
    new = start >= NEW_SHAPE
    totals = "" if new else _totals(told)
    statistics = _statistics(told, first, last) if new else ""
    sheet.line(
        f' <Workout workoutActivityType="HKWorkoutActivityType{told["sport"]}" duration="{(end - start) / 60}" '
        f'durationUnit="min" {totals}sourceName="{WATCH.name}" sourceVersion="{WATCH.version}" '
        f'creationDate="{sheet.stamp(end + DELAY)}" startDate="{first}" endDate="{last}">\n'
        + metadata([("HKIndoorWorkout", 0), ("HKTimeZone", told["zone"]), ("HKWeatherHumidity", "6400 %")])
        + f'  <WorkoutEvent type="HKWorkoutEventTypePause" date="{first}"/>\n'
        + f"{statistics} </Workout>\n",
        "Workout",
    )
    return True


def _totals(told: dict[str, float | str]) -> str:
    kilometres = float(told["distance"]) / 1000
    return (
        f'totalDistance="{kilometres}" totalDistanceUnit="km" '
        f'totalEnergyBurned="{told["active_energy"]}" totalEnergyBurnedUnit="kcal" '
    )


def _statistics(told: dict[str, float | str], first: str, last: str) -> str:
    times = f'startDate="{first}" endDate="{last}"'
    rate, distance = float(told["heart_rate"]), float(told["distance"]) / 1000
    rows = [
        f'<WorkoutStatistics type="{QUANTITY}ActiveEnergyBurned" {times} sum="{told["active_energy"]}" unit="kcal"/>\n',
        f'<WorkoutStatistics type="{QUANTITY}DistanceWalkingRunning" {times} sum="{distance}" unit="km"/>\n',
        f'<WorkoutStatistics type="{QUANTITY}HeartRate" {times} average="{rate}" unit="count/min"/>\n',
    ]
    within = "".join(f"   {row}" for row in rows)
    activity = f'  <WorkoutActivity uuid="0" {times} duration="1">\n{within}  </WorkoutActivity>\n'
    return activity + "".join(f"  {row}" for row in rows)


def write_summaries(sheet: Sheet, days: Sequence[Day], energy: dict[str, float], unit: str) -> None:
    """Write Apple's summary of each day, with 0 kilocalories on days without the watch."""
    for day in days:
        if day.start < sheet.exported:
            burned = energy.get(day.text, 0.0) / KILOCALORIE[unit]
            sheet.line(
                f' <ActivitySummary dateComponents="{day.text}" activeEnergyBurned="{burned}" '
                f'activeEnergyBurnedGoal="500" activeEnergyBurnedUnit="{unit}" appleMoveTime="0" appleMoveTimeGoal="0" '
                'appleExerciseTime="34" appleExerciseTimeGoal="30" appleStandHours="11" appleStandHoursGoal="12"/>\n',
                "ActivitySummary",
            )
