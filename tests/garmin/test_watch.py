"""FIT files: the published figures of a real week, the rules behind them one by one, and files that are damaged."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from bridge import installation
from bridge.config import load
from bridge.domain.errors import SourceChanged
from bridge.domain.metrics import Metric
from bridge.ingest import runs
from bridge.ingest.files import DiskFile
from bridge.meters.daily import Figure, figures
from bridge.store import Store
from connectors.garmin import fit
from lab.people.watch_files import FILE, MONITORING, SLEEP_FILE, STAGE, encoded, staged_night, watch_day
from tests.samples import sample
from tests.world import NOW

# Counted independently over CHI-Garmin-Data (CC BY 4.0): steps, heart rates (n, mean, lowest, highest), stress levels
# (read, valid, mean), resting heart rate.
WEEK = {
    12: (6553, (1261, 82.1, 48, 141), (1421, 1132, 35.4), 64),
    13: (5612, (1243, 82.0, 42, 160), (1414, 1079, 36.5), 56),
    14: (6208, (1235, 79.8, 54, 132), (1412, 1041, 33.7), 63),
    15: (13616, (1275, 84.6, 47, 151), (1400, 1052, 38.5), 58),
    16: (9543, (1299, 81.6, 51, 130), (1419, 976, 33.7), 65),
    17: (6490, (1240, 86.6, 51, 134), (1424, 1102, 59.2), 63),
    18: (6298, (1256, 82.8, 43, 138), (1421, 1122, 53.5), 65),
}


@pytest.fixture
def store() -> Iterator[Store]:
    opened = Store("sqlite://")
    yield opened
    opened.close()


def imported(store: Store, path: Path) -> dict[date, dict[Metric, Figure]]:
    user = store.people.add_user("ana", "Europe/Zurich", now=NOW)
    runs.import_path(installation.Bridge(settings=load(), store=store), user, path, at=NOW)
    found = figures(store.reading.samples(user.id), store.reading.episodes(user.id))
    return {day: metrics for (day, _), metrics in found.items()}


def test_a_real_week_comes_to_its_figures(store: Store) -> None:
    days = imported(store, sample("garmin_fit/monitoring_week_2022-09-12_18"))
    for number, (steps, (n, mean, low, high), (_, valid, stress), resting) in WEEK.items():
        day = days[date(2022, 9, number)]
        assert day[Metric.STEPS].value == steps
        pulse = day[Metric.HEART_RATE]
        assert (pulse.count, round(pulse.value, 1), pulse.low, pulse.high) == (n, mean, low, high)
        assert (day[Metric.STRESS].count, round(day[Metric.STRESS].value, 1)) == (valid, stress)
        assert day[Metric.RESTING_HR].value == resting


def test_levels_that_say_why_there_is_none_are_kept_and_not_counted() -> None:
    folder = sample("garmin_fit/monitoring_week_2022-09-12_18")
    read: dict[str, dict[str, int]] = {}
    for place in sorted(folder.rglob("*_WELLNESS.fit")):
        for page in fit.read(DiskFile(place, place.name), zone="Europe/Zurich"):
            for record in page.records:
                read.setdefault(record.key[-2:], {}).update(record.payload.get("stress", {}))  # type: ignore[call-overload]
    assert {day: len(levels) for day, levels in read.items() if int(day) < 19} == {
        str(day): figures[2][0] for day, figures in WEEK.items()
    }


@pytest.mark.parametrize(
    ("folder", "day", "steps"),
    [
        ("monitoring_2018-07-28_vivosmart3", date(2018, 7, 28), 20_447),
        ("monitoring_2016-07-12_vivosmarthr", date(2016, 7, 12), 11_521),
    ],
)
def test_a_day_of_many_files(store: Store, folder: str, day: date, steps: int) -> None:
    assert imported(store, sample(f"garmin_fit/{folder}"))[day][Metric.STEPS].value == steps


def test_minutes_of_intensity_are_those_that_the_watch_counted_up_to(store: Store) -> None:
    days = imported(store, sample("garmin_fit/monitoring_2016-07-12_vivosmarthr"))
    told = {metric: figure.value for metric, figure in days[date(2016, 7, 12)].items() if "minutes" in metric}
    assert told == {Metric.FAT_BURN_MINUTES: 29, Metric.CARDIO_MINUTES: 0, Metric.ZONE_MINUTES: 29}


@pytest.mark.parametrize(
    ("file", "speed", "ascent", "steps"),
    [
        ("compressed-speed-distance", 9.846, None, 10_124),  # a run of 3773 s and 10,249 m
        ("garmin-fenix-5-run", 9.972, 2, 156),
        ("ELEMNT-297E-195-0", 21.096, 185, None),  # by bicycle
    ],
)
def test_a_workout_tells_its_speed_ascent_and_steps(
    store: Store, file: str, speed: float, ascent: float | None, steps: float | None
) -> None:
    (place,) = sample("garmin_fit/activities").glob(f"*{file}.fit")
    imported(store, place)
    ((_, workout),) = store.reading.episodes(store.people.users()[0].id)
    assert workout.values[Metric.SPEED] == pytest.approx(speed)
    assert (workout.values.get(Metric.ASCENT), workout.values.get(Metric.STEPS)) == (ascent, steps)


def test_file_by_file_comes_to_the_same_as_all_at_once(store: Store) -> None:
    """A folder that is synced as the watch transfers meets every day in pieces, in any order."""
    places = sorted(sample("garmin_fit/monitoring_week_2022-09-12_18").rglob("*_WELLNESS.fit"))[:24]
    user = store.people.add_user("ana", "Europe/Zurich", now=NOW)
    bridge = installation.Bridge(settings=load(), store=store)
    for place in reversed(places):
        runs.import_path(bridge, user, place, at=NOW)
    other = Store("sqlite://")
    ben = other.people.add_user("ana", "Europe/Zurich", now=NOW)
    together = installation.Bridge(settings=load(), store=other)
    for folder in sorted({place.parent for place in places}):
        for place in places:
            if place.parent == folder:
                runs.import_path(together, ben, place, at=NOW)
    assert store.reading.samples(user.id) == other.reading.samples(ben.id)
    other.close()


def test_short_instants_are_expanded_past_their_overflow(tmp_path: Path) -> None:
    """16 bits of seconds are 18 hours: a whole day with one full instant would wrap around once."""
    begin = datetime(2026, 11, 18, 0, 0, tzinfo=UTC)

    def messages() -> Iterator[tuple[int, dict[str, object]]]:
        yield MONITORING, {"timestamp": begin, "heart_rate": 50}
        for hour in range(1, 25):
            seconds = int((begin + timedelta(hours=hour)).timestamp()) - fit.FIT_EPOCH
            yield MONITORING, {"timestamp_16": seconds & 0xFFFF, "heart_rate": 50 + hour}

    place = tmp_path / "day.fit"
    place.write_bytes(encoded(messages(), 32, begin))
    readings = fit.decode(DiskFile(place, "day.fit")).readings
    assert [at for _, at, _ in readings] == [int(begin.timestamp()) + 3600 * hour for hour in range(25)]


def test_a_total_stamped_at_midnight_is_the_ending_days(store: Store, tmp_path: Path) -> None:
    (tmp_path / "a.fit").write_bytes(watch_day(date(2026, 11, 18), steps=7200))
    days = imported(store, tmp_path)
    assert days[date(2026, 11, 18)][Metric.STEPS].value == 7200
    assert Metric.STEPS not in days.get(date(2026, 11, 19), {})


def test_a_sleep_file_without_stages_is_told_with_its_reason(store: Store, tmp_path: Path) -> None:
    woke = datetime(2026, 11, 18, 7, 0, tzinfo=UTC)
    awake = [(STAGE, {"timestamp": woke - timedelta(hours=hours), "sleep_level": "awake"}) for hours in (8, 4)]
    (tmp_path / "1_SLEEP_DATA.fit").write_bytes(encoded(iter(awake), SLEEP_FILE, woke))
    (tmp_path / "2_SLEEP_DATA.fit").write_bytes(encoded(iter(()), SLEEP_FILE, woke))
    (tmp_path / "3_SLEEP_DATA.fit").write_bytes(staged_night(woke))
    user = store.people.add_user("ana", "Europe/Zurich", now=NOW)
    bridge = installation.Bridge(settings=load(), store=store)
    (outcome,) = runs.import_path(bridge, user, tmp_path, at=NOW).outcomes
    assert outcome.left_out == {fit.NO_STAGES: 2}
    assert outcome.items["episode"] == 1


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda content: content[:-1], "the file is cut off"),
        (lambda content: content[: len(content) // 2], "the file is cut off"),
        (lambda content: content[:-2] + b"\x00\x00", "checksum does not match"),
        (lambda content: content[:40] + b"\xff\xff\xff" + content[43:], "checksum|not a valid FIT|cut off"),
    ],
)
def test_a_damaged_file_is_one_clear_line(tmp_path: Path, damage: object, reason: str) -> None:
    place = tmp_path / "damaged.fit"
    place.write_bytes(damage(watch_day(date(2026, 11, 18), step=10)))  # type: ignore[operator]
    with pytest.raises(SourceChanged, match=reason) as raised:
        list(fit.read(DiskFile(place, "damaged.fit"), zone="UTC"))
    assert "\n" not in str(raised.value)


def test_every_invalid_file_of_the_samples_is_one_line(store: Store) -> None:
    user = store.people.add_user("ana", "UTC", now=NOW)
    folder = sample("garmin_fit/invalid")
    outcome = runs.import_path(installation.Bridge(settings=load(), store=store), user, folder, at=NOW).outcomes[0]
    assert outcome.outcome == "failed"
    assert len(outcome.failed_files) >= 8
    assert all(reason.strip() and "\n" not in reason for _, reason in outcome.failed_files)


def test_a_file_without_anything_of_use_is_no_error(store: Store, tmp_path: Path) -> None:
    (tmp_path / "settings.fit").write_bytes(encoded(iter(()), 2, datetime(2026, 11, 18, tzinfo=UTC)))
    user = store.people.add_user("ana", "UTC", now=NOW)
    outcome = runs.import_path(installation.Bridge(settings=load(), store=store), user, tmp_path, at=NOW).outcomes[0]
    assert (outcome.outcome, outcome.new) == ("ok", 0)
    assert FILE == fit.FILE_ID
