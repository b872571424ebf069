"""Files as Google Takeout and fitbit.com export them. ``python -m tests.fitbit.export`` writes the fixtures.

The person is made up and lives in Berlin. Names of files and columns, notations of numbers and times, and which time is
in UTC and which is not, are those of real exports.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import lab

HOME = ZoneInfo("Europe/Berlin")
WEEK = tuple(date(2026, 11, 12) + timedelta(days=n) for n in range(8))
SPRUNG = date(2026, 10, 25)  # the night in which clocks were put back
TRACKER, PHONE, SERVER = "Inspire 3", "Phone Health Kit", "Fitbit App"
EARLY, LATE = time(7, 3), time(23, 48)
SLEEP_COLUMNS = (
    "sleep_id,sleep_type,minutes_in_sleep_period,minutes_after_wake_up,minutes_to_fall_asleep,minutes_asleep,"
    "minutes_awake,minutes_longest_awakening,minutes_to_persistent_sleep,start_utc_offset,sleep_start,end_utc_offset,"
    "sleep_end,data_source,algorithm_version,sleep_created,sleep_last_updated"
)
STAGE_COLUMNS = (
    "sleep_id,sleep_stage_id,sleep_stage_type,start_utc_offset,sleep_stage_start,end_utc_offset,sleep_stage_end,"
    "data_source,algorithm_version,sleep_stage_created,sleep_stage_last_updated"
)
SCORE_COLUMNS = (
    "sleep_log_entry_id,timestamp,overall_score,composition_score,revitalization_score,duration_score,"
    "deep_sleep_in_minutes,resting_heart_rate,restlessness"
)
STRESS_COLUMNS = (
    "DATE,UPDATED_AT,STRESS_SCORE,SLEEP_POINTS,MAX_SLEEP_POINTS,RESPONSIVENESS_POINTS,MAX_RESPONSIVENESS_POINTS,"
    "EXERTION_POINTS,MAX_EXERTION_POINTS,STATUS,CALCULATION_FAILED"
)
TEMPERATURE_COLUMNS = (
    "type,sleep_start,sleep_end,temperature_samples,nightly_temperature,baseline_relative_sample_sum,"
    "baseline_relative_sample_sum_of_squares,baseline_relative_nightly_standard_deviation,"
    "baseline_relative_sample_standard_deviation"
)
EXERCISE_COLUMNS = (
    "exercise_id,exercise_start,exercise_end,utc_offset,exercise_created,exercise_last_updated,activity_name,log_type,"
    "tracker_total_calories,tracker_total_steps,tracker_total_distance_mm,tracker_avg_heart_rate,"
    "manually_logged_total_calories,manually_logged_total_distance_mm,activity_type_probabilities"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Night:
    """A sleep by the wall clock, with its minutes."""

    number: int
    start: datetime
    end: datetime
    light: int = 230
    deep: int = 80
    rem: int = 95
    awake: int = 41
    main: bool = True
    staged: bool = True

    @property
    def asleep(self) -> int:
        return self.light + self.deep + self.rem

    def log(self, average: int = 80) -> dict[str, Any]:
        """The sleep in Fitbit's notation. ``average`` is a field that differs between two files of an export."""
        lasted = utc(self.end) - utc(self.start)
        summary = {"deep": self.deep, "wake": self.awake, "light": self.light, "rem": self.rem}
        parts = {n: {"count": 3, "minutes": m, "thirtyDayAvgMinutes": average} for n, m in summary.items()}
        classic = {"restless": 6, "awake": self.awake, "asleep": self.asleep}
        if not self.staged:
            parts = {n: {"count": 1, "minutes": m} for n, m in classic.items()}
        return {
            "logId": self.number,
            "dateOfSleep": str(self.end.date()),
            "startTime": f"{self.start:%Y-%m-%dT%H:%M:%S}.000",
            "endTime": f"{self.end:%Y-%m-%dT%H:%M:%S}.000",
            "duration": int(lasted / timedelta(minutes=1)) * 60_000,
            "minutesToFallAsleep": 0,
            "minutesAsleep": self.asleep,
            "minutesAwake": self.awake,
            "minutesAfterWakeup": 1,
            "timeInBed": int(lasted / timedelta(minutes=1)),
            "efficiency": 93,
            "type": "stages" if self.staged else "classic",
            "infoCode": 0 if self.staged else 2,
            "logType": "auto_detected",
            "levels": {
                "summary": parts,
                "data": [{"dateTime": f"{self.start:%Y-%m-%dT%H:%M:%S}.000", "level": "wake"}],
            },
            "mainSleep": self.main,
        }

    def session(self, number: int, *, version: str = "sleep_session_v1", late: int = 5, moved: int = 0) -> str:
        """The sleep as a session of Google's, made ``late`` minutes after it ended and begun ``moved`` later.

        Without a version it is written as in exports of 2025, with the wall clock in place of UTC.
        """
        start, end = self.start + timedelta(minutes=moved), self.end
        made = google(utc(end) + timedelta(minutes=late))
        lasted = int((utc(end) - utc(start)) / timedelta(minutes=1))
        told = [google(utc(at) if version else at) for at in (start, end)]
        times = f"{offset(start)},{told[0]},{offset(end)},{told[1]}"
        numbers = f"{lasted},0,0,{self.asleep - moved},{self.awake},0,0"
        kind = "STAGES" if self.staged else "CLASSIC"
        return f"{number},{kind},{numbers},{times},DERIVED,{version},{made},{made}"

    def stages(self, number: int) -> list[str]:
        """The stages of a session, one after the other."""
        found: list[str] = []
        at = utc(self.start)
        for name, minutes in (("AWAKE", 5), ("LIGHT", self.light), ("DEEP", self.deep), ("REM", self.rem)):
            end = at + timedelta(minutes=minutes)
            times = f"{offset(self.start)},{google(at)},{offset(self.end)},{google(end)}"
            made = google(utc(self.end) + timedelta(minutes=5))
            found.append(f"{number},{number + len(found)},{name},{times},DERIVED,sleep_stages_v1,{made},{made}")
            at = end
        return found


def utc(wall: datetime) -> datetime:
    """The instant of a naive time on the person's clock."""
    return wall.replace(tzinfo=HOME).astimezone(UTC)


def offset(wall: datetime) -> str:
    told = f"{wall.replace(tzinfo=HOME):%z}"
    return f"{told[:3]}:{told[3:]}"


def google(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S}+0000"


def american(at: datetime) -> str:
    return f"{at:%m/%d/%y %H:%M:%S}"


def night_of(day: date, number: int, minutes: int = 0) -> Night:
    """The night that ends on a date, ``minutes`` longer than the usual 446."""
    end = datetime.combine(day, time(6, 41, 30))
    return Night(number=number, start=end - timedelta(minutes=446 + minutes), end=end, light=230 + minutes)


def nap_of(day: date, number: int) -> Night:
    start = datetime.combine(day, time(14, 5))
    end = start + timedelta(minutes=52)
    return Night(number=number, start=start, end=end, light=46, deep=0, rem=0, awake=6, main=False, staged=False)


def minutes(day: date, hours: Sequence[int] = (8, 12, 17)) -> list[tuple[datetime, int]]:
    """(instant, steps) of the minutes in which somebody walked on a day of the person's clock."""
    walked = [datetime.combine(day, time(hour, n)) for hour in hours for n in range(20)]
    around = [datetime.combine(day, time(0, 10)), datetime.combine(day, LATE)]  # other dates in UTC
    return [(utc(at), 20 + at.minute) for at in [*around[:1], *walked, *around[1:]]]


def as_json(rows: Iterable[Mapping[str, Any]]) -> str:
    return json.dumps(list(rows), indent=2, separators=(",", " : "))


def as_csv(columns: str, rows: Iterable[str]) -> str:
    return "\n".join([columns, *rows, ""])


def walks(days: Iterable[date]) -> list[tuple[datetime, int]]:
    return [one for day in days for one in minutes(day)]


def fitbits(days: Sequence[date]) -> dict[str, str]:
    """The files of ``Global Export Data`` about some days, by name."""
    first = days[0]
    pulse = [(utc(datetime.combine(days[-1], time(7))) + timedelta(minutes=3 * n), 58 + n % 9) for n in range(40)]
    resting = [
        {"dateTime": american(datetime.combine(day, time())), "value": resting_rate(day, days)}
        for day in (*days, days[-1] + timedelta(days=1))
    ]
    return {
        f"sleep-{first}.json": as_json(
            night_of(day, 52_000 + n, n).log() for n, day in reversed(list(enumerate(days)))
        ),
        f"steps-{first}.json": as_json({"dateTime": american(at), "value": str(n)} for at, n in walks(days)),
        f"distance-{first}.json": as_json({"dateTime": american(at), "value": str(65 * n)} for at, n in walks(days)),
        f"calories-{first}.json": as_json(
            {"dateTime": american(at), "value": f"{n / 10:.2f}"} for at, n in walks(days)
        ),
        f"resting_heart_rate-{first}.json": as_json(resting),
        f"heart_rate-{days[-1]}.json": as_json(
            {"dateTime": american(at), "value": {"bpm": bpm, "confidence": 2}} for at, bpm in pulse
        ),
        "exercise-0.json": as_json(exercise(day, 76_000 + n) for n, day in enumerate(days[::3])),
    }


def resting_rate(day: date, days: Sequence[date]) -> dict[str, Any]:
    """A date's rate, or the zeros with which the export fills the dates to come."""
    if day not in days:
        return {"date": None, "value": 0.0, "error": 0.0}
    return {"date": f"{day:%m/%d/%y}", "value": 57.25 + day.day % 5, "error": 6.787}


def exercise(day: date, number: int) -> dict[str, Any]:
    started = american(utc(datetime.combine(day, time(17, 2, 13))))
    return {
        "logId": number,
        "activityName": "Run",
        "activityTypeId": 90009,
        "averageHeartRate": 142,
        "calories": 301,
        "distance": 4.25,
        "distanceUnit": "Kilometer",
        "steps": 4120,
        "elevationGain": 38.5,
        "speed": 10.2,
        "activeZoneMinutes": {"totalMinutes": 44},
        "duration": 1_500_000,
        "activeDuration": 1_480_000,
        "logType": "tracker",
        "startTime": started,
        "originalStartTime": started,
    }


def week() -> dict[str, str]:
    """Eight days of Takeout of 2026. Fitbit's files lack the last day, which Google's files have."""
    told, folder = WEEK[:-1], "Takeout/Fitbit"
    found = {f"{folder}/Global Export Data/{name}": text for name, text in fitbits(told).items()}
    nights = [night_of(day, 52_000 + n, n) for n, day in enumerate(WEEK)]
    last = nights[-1]
    scores = [f"{n.number},{n.end:%Y-%m-%dT%H:%M:%S}Z,{70 + n.number % 9},,70,,80,58,0.0812" for n in nights[:-1]]
    stress = [f"{d}T00:00:00,{d}T09:12:04.118,{60 + d.day % 7},20,30,19,30,25,40,READY,false" for d in told]
    warmth = [
        f"SKIN,{n.start:%Y-%m-%dT%H:%M},{n.end:%Y-%m-%dT%H:%M:%S},440,{33.1 + i / 10:.4f},0.0,1.0,0.7,0.9"
        for i, n in enumerate(nights[:-1])
    ]
    activity, health = f"{folder}/Physical Activity_GoogleData", f"{folder}/Health Fitness Data_GoogleData"
    variability = f"{folder}/Heart Rate Variability"
    steps = [f"{at:%Y-%m-%dT%H:%M:%SZ},{n},{TRACKER}" for at, n in walks(WEEK)]
    phone = [f"{at:%Y-%m-%dT%H:%M:%S}.552356Z,{n // 2},{PHONE}" for at, n in walks(WEEK)]
    pulse = [
        f"{utc(datetime.combine(WEEK[-1], time(8, n))):%Y-%m-%dT%H:%M:%SZ},{61 + n}.0,{TRACKER}" for n in range(20)
    ]
    sessions = [n.session(10**18 + i) for i, n in enumerate(nights)]
    sessions.append(last.session(2 * 10**18, version="sleep_session_v2", late=400, moved=7))
    return found | {
        "Takeout/archive_browser.html": "<html><title>Takeout</title></html>\n",
        f"{folder}/Your Profile/Profile.csv": "id,full_name,timezone\nABCDEF,Ana Example,Europe/Berlin\n",
        f"{folder}/Sleep Score/sleep_score.csv": as_csv(SCORE_COLUMNS, reversed(scores)),
        f"{folder}/Stress Score/Stress Score.csv": as_csv(STRESS_COLUMNS, stress),
        f"{folder}/Active Zone Minutes (AZM)/Active Zone Minutes - 2026-11-01.csv": as_csv(
            "date_time,heart_zone_id,total_minutes",
            (
                f"{d}T17:0{n},{zone},{1 + (n > 0)}"
                for d in told
                for n, zone in enumerate(("FAT_BURN", "CARDIO", "CARDIO", "PEAK"))
            ),
        ),
        f"{folder}/Temperature/Computed Temperature - 2026-11-01.csv": as_csv(TEMPERATURE_COLUMNS, warmth),
        f"{folder}/Oxygen Saturation (SpO2)/Daily SpO2 - 2026-11-12-2026-11-19.csv": as_csv(
            "timestamp,average_value,lower_bound,upper_bound",
            (f"{d}T00:00:00Z,{95 + d.day % 3}.4,92.1,98.8" for d in told),
        ),
        f"{folder}/Oxygen Saturation (SpO2)/Minute SpO2 - 2026-11-12.csv": as_csv(
            "timestamp,value", ["2026-11-12T03:00:03,95.1"]
        ),
        **{
            f"{variability}/Daily Heart Rate Variability Summary - 2026-11-({d.day - 1}).csv": as_csv(
                "timestamp,rmssd,nremhr,entropy", [f"{d}T00:00:00,{41 + d.day % 6}.137,55.2,2.4"]
            )
            for d in told
        },
        **{
            f"{variability}/Daily Respiratory Rate Summary - {d}.csv": as_csv(
                "timestamp,daily_respiratory_rate", [f"{d}T00:00:00,14.{d.day % 10}"]
            )
            for d in told
        },
        f"{activity}/daily_heart_rate_variability.csv": as_csv(
            "timestamp,average heart rate variability milliseconds,non rem heart rate beats per minute,entropy,"
            "deep sleep root mean square of successive differences milliseconds,data source",
            (f"{d}T00:00:00Z,{43 + d.day % 6}.2,55.0,2.4,40.1,{SERVER}" for d in WEEK),
        ),
        f"{activity}/daily_respiratory_rate.csv": as_csv(
            "timestamp,breaths per minute,data source", (f"{d}T00:00:00Z,14.8,{SERVER}" for d in WEEK)
        ),
        f"{activity}/daily_oxygen_saturation.csv": as_csv(
            "timestamp,average percentage,lower bound percentage,upper bound percentage,data source",
            (f"{d}T00:00:00Z,95.9,92.0,98.0,{TRACKER}" for d in WEEK),
        ),
        f"{activity}/daily_sleep_temperature_derivations.csv": as_csv(
            "timestamp,nightly temperature celsius,baseline temperature celsius,data source",
            (f"{d}T00:00:00Z,33.75,NaN,{SERVER}" for d in WEEK),
        ),
        f"{activity}/daily_resting_heart_rate.csv": as_csv(
            "timestamp,beats per minute,data source", (f"{d}T00:00:00Z,60.{d.day},{SERVER}" for d in WEEK)
        ),
        f"{activity}/daily_readiness.csv": as_csv(
            "timestamp,score,type,readiness level,data source",
            (f"{d},{50 + d.day},MEDIUM,HIGH,{SERVER}" for d in WEEK[2:]),
        ),
        f"{activity}/steps_2026-11-01.csv": as_csv("timestamp,steps,data source", steps + phone),
        f"{activity}/heart_rate_{WEEK[-1]}.csv": as_csv("timestamp,beats per minute,data source", pulse),
        f"{health}/UserSleeps_2026-11-12.csv": as_csv(SLEEP_COLUMNS, sessions),
        f"{health}/UserSleepStages_2026-11-12.csv": as_csv(STAGE_COLUMNS, last.stages(2 * 10**18)),
        f"{health}/UserSleepScores_2026-11-12.csv": as_csv(
            "sleep_id,sleep_score_id,data_source,score_utc_offset,score_time,overall_score,sleep_score_created",
            [
                f"{10**18 + i},{i + 1},DERIVED,+01:00,{google(utc(n.end))},{80 + i}.25,"
                f"{google(utc(n.end) + timedelta(minutes=4))}"
                for i, n in enumerate(nights)
            ],
        ),
        f"{health}/UserExercises_2026-11-12.csv": as_csv(EXERCISE_COLUMNS, [*matching(told), alone(WEEK[-1])]),
    }


def matching(days: Sequence[date]) -> list[str]:
    """The sessions of the logs' workouts, which begin a second apart from them."""
    starts = [utc(datetime.combine(day, time(17, 2, 14))) for day in days[::3]]
    return [workout(n, start, "Outdoor Run", "1.0 Run, 0.2 Bike") for n, start in enumerate(starts)]


def alone(day: date) -> str:
    return workout(9, utc(datetime.combine(day, time(12, 30))), "Outdoor Walk", "")


def workout(number: int, start: datetime, name: str, guesses: str) -> str:
    end = start + timedelta(minutes=25)
    told = f"{google(start)},{google(end)},+01:00,{google(end)},{google(end)},{name},TRACKER,299,2100,4261000,141,,"
    return f'{10**17 + number},{told},"{guesses}"'


def awkward() -> dict[str, str]:
    """Older and odd files: no folders' usual names, the night of the clock change, naps, doubles, gaps, damage."""
    folder = "user-site-export"
    changed = Night(
        number=41, start=datetime.combine(SPRUNG, time(2, 20)), end=datetime.combine(SPRUNG, time(8, 5)), awake=0
    )
    days = [SPRUNG + timedelta(days=n) for n in range(4)]
    classic = {**night_of(days[1], 42).log(), "type": "classic", "levels": {"summary": {}}}
    second = Night(
        number=44,
        start=datetime.combine(days[2], time(7, 30)),
        end=datetime.combine(days[2], time(9, 0)),
        light=80,
        deep=0,
        rem=0,
        awake=10,
        main=False,
    )
    unreadable = {**night_of(days[3], 46).log(), "endTime": "soon"}
    logs = [changed.log(), classic, night_of(days[2], 43).log(), second.log(), nap_of(days[2], 45).log(), unreadable]
    steps = as_json({"dateTime": american(at), "value": str(n)} for at, n in walks(days[:2]))
    broken = as_json({"dateTime": american(at), "value": str(n)} for at, n in walks(days[2:]))
    sessions = [night_of(days[3], 47).session(7, version="")]
    return {
        f"{folder}/sleep-2026-10-25.json": as_json(logs),
        f"{folder}/sleep-2026-10-27 (1).json": as_json([nap_of(days[2], 45).log(), second.log(average=0)]),
        f"{folder}/sleep-2026-11-24.json": "[]",
        f"{folder}/steps-2026-10-25.json": steps,
        f"{folder}/steps-2026-10-27.json": broken[: len(broken) * 2 // 3],
        f"{folder}/resting_heart_rate-2026-10-25.json": as_json(
            [
                {"dateTime": "10/25/26 00:00:00", "value": {"date": "10/25/26", "value": 61.5, "error": 7.0}},
                {"dateTime": "10/26/26 00:00:00", "value": {"date": None, "value": 0.0, "error": 0.0}},
                {"dateTime": "13/26/26 00:00:00", "value": {"date": None, "value": 60.0, "error": 0.0}},
                {"dateTime": "10/28/26 00:00:00", "value": {"date": "10/28/26", "value": 400.0, "error": 0.0}},
            ]
        ),
        "Takeout/Google Health/Sleep Score/sleep_score.csv": as_csv(
            SCORE_COLUMNS, ["41,2026-10-25T08:05:00Z,77,18,20,39,80,61,0.1", "42,2026-10-26T06:41:30Z,,,,,80,60,0.1"]
        ),
        "Takeout/Google Health/Stress Score/Stress Score.csv": as_csv(
            STRESS_COLUMNS,
            [
                "2026-10-25T00:00:00,2026-10-25T09:00:00.1,0,0,0,0,0,0,0,NO_DATA,true",
                "2026-10-26T00:00:00,2026-10-26T09:00:00.1,66,0,0,0,0,0,0,READY_NOT_PREMIUM,false",
                "soon,2026-10-27T09:00:00.1,66,0,0,0,0,0,0,READY,false",
            ],
        ),
        "Takeout/Google Health/Temperature/Computed Temperature - 2026-10-01.csv": as_csv(
            TEMPERATURE_COLUMNS,
            [
                "SKIN,2026-10-27T14:05,2026-10-27T14:57,50,30.2,NaN,NaN,NaN,NaN",
                "SKIN,2026-10-26T23:15:30,2026-10-27T06:41:30,440,33.5,NaN,NaN,NaN,NaN",
            ],
        ),
        "Takeout/Google Health/Health Fitness Data_GoogleData/UserSleeps_2026-10-25.csv": as_csv(
            SLEEP_COLUMNS, sessions
        ),
        "Takeout/Google Health/Global Export Data/exercise-100.json": as_json(
            [{**exercise(days[0], 90), "distanceUnit": "Mile"}, {**exercise(days[1], 91), "duration": None}]
        ),
    }


def main() -> None:
    """Write the fixtures of the source ``fitbit`` anew."""
    for case, files in {"week": week(), "awkward": awkward()}.items():
        folder = lab.fixtures("fitbit") / case
        for name, text in files.items():
            place: Path = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
