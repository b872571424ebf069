"""WHOOP's collections over HTTP: what a sync asks for, how an interrupted one goes on, what changes and disappears."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from bridge.domain.metrics import Metric
from bridge.domain.types import Notice
from bridge.recordings.server import Answer, Fault, Request
from tests.world import World, later

CYCLE, RECOVERY = "/developer/v2/cycle", "/developer/v2/recovery"
SLEEP, WORKOUT = "/developer/v2/activity/sleep", "/developer/v2/activity/workout"
LAST_NIGHT = "4b1d0000-0000-4000-8000-000000000044"
TUESDAY_NIGHT = "4b1d0000-0000-4000-8000-000000000040"  # began two days before the first sync
OLD_NIGHT = "4b1d0000-0000-4000-8000-00000000002a"  # began thirteen days before it, outside the window
SLEEP_SCORE = {
    "stage_summary": {
        "total_in_bed_time_milli": 27_900_000,
        "total_awake_time_milli": 2_700_000,
        "total_no_data_time_milli": 0,
        "total_light_sleep_time_milli": 13_200_000,
        "total_slow_wave_sleep_time_milli": 5_400_000,
        "total_rem_sleep_time_milli": 6_600_000,
        "sleep_cycle_count": 4,
        "disturbance_count": 8,
    },
    "sleep_needed": {
        "baseline_milli": 27_395_716,
        "need_from_sleep_debt_milli": 0,
        "need_from_recent_strain_milli": 0,
        "need_from_recent_nap_milli": 0,
    },
    "respiratory_rate": 14.4,
}
RECOVERY_SCORE = {
    "user_calibrating": False,
    "recovery_score": 71.0,
    "resting_heart_rate": 51.0,
    "hrv_rmssd_milli": 62.5,
}


def queries(world: World, path: str) -> list[dict[str, str]]:
    """The queries of every request for a collection, in order."""
    asked = [urlsplit(line.removeprefix("GET ")) for line in world.server.asked if line.startswith("GET ")]
    return [{k: v[0] for k, v in parse_qs(parts.query).items()} for parts in asked if parts.path == path]


def refusing(path: str, answer: Answer, *, when: Callable[[Request], bool] = lambda _: True) -> Fault:
    return lambda request: answer if request.path == path and when(request) else None


def second_page(request: Request) -> bool:
    return "nextToken" in request.query


def record(world: World, collection: str, key: str, name: str = "id") -> dict[str, Any]:
    found: dict[str, Any] = next(r for r in world.vendor.account[collection] if r[name] == key)
    return found


def delete(world: World, sleep: str) -> None:
    """A member deletes a sleep in the app; its recovery goes with it."""
    account = world.vendor.account
    account["sleeps"] = [s for s in account["sleeps"] if s["id"] != sleep]
    account["recoveries"] = [r for r in account["recoveries"] if r["sleep_id"] != sleep]


def cycles(world: World) -> int:
    return len(world.store.reading.samples(world.user.id, metrics=[Metric.STRAIN]))


def nights(world: World) -> set[date]:
    return {sample.day for _, sample in world.store.reading.samples(world.user.id, metrics=[Metric.HRV_RMSSD])}


def test_a_first_sync_asks_for_everything_in_full_pages(world: World) -> None:
    assert world.sync().outcome == "ok"
    asked = Counter(urlsplit(line.removeprefix("GET ")).path for line in world.server.asked)
    assert asked == {CYCLE: 2, SLEEP: 2, RECOVERY: 2, WORKOUT: 1}
    for query in queries(world, CYCLE) + queries(world, RECOVERY):
        assert query["limit"] == "25"
        assert query["end"] == "2026-11-20T09:05:00.000Z"
        assert "start" not in query


def test_the_second_sync_costs_one_request_a_collection(world: World) -> None:
    world.sync()
    world.server.asked.clear()
    outcome = later(world, minutes=30).sync()
    assert (outcome.outcome, outcome.new, outcome.updated, outcome.deleted) == ("ok", 0, 0, 0)
    assert len(world.server.asked) == 4
    window = {"limit": "25", "start": "2026-11-13T09:05:00.000Z", "end": "2026-11-20T09:35:00.000Z"}
    assert [queries(world, path) for path in (CYCLE, SLEEP, RECOVERY, WORKOUT)] == [[window]] * 4


def test_an_interrupted_pull_goes_on_below_and_then_reads_the_top(world: World) -> None:
    world.server.faults.append(refusing(CYCLE, Answer(status=429), when=second_page))
    first = world.sync()
    assert (first.outcome, first.new) == ("failed", 25)
    world.server.faults.clear()
    world.server.asked.clear()
    newest = {"id": 93845069, "start": "2026-11-20T09:10:00.000Z", "end": "2026-11-20T09:30:00.000Z"}
    scored = {"score_state": "SCORED", "score": record(world, "cycles", 93845065)["score"]}  # type: ignore[arg-type]
    running = record(world, "cycles", 93845067)  # type: ignore[arg-type]
    world.vendor.account["cycles"].append(running | newest | scored)
    second = later(world, minutes=30).sync()
    assert second.outcome == "ok"
    below, top = queries(world, CYCLE)
    assert below == {"limit": "25", "end": "2026-10-24T21:07:00.001Z"}  # just above the oldest cycle that came
    assert top == {"limit": "25", "start": "2026-11-13T09:05:00.000Z", "end": "2026-11-20T09:35:00.000Z"}
    assert cycles(world) == 34  # thirty-three of the past and the new one; the running one is not scored
    assert second.streams["cycle"] == 10 + 9  # one again below, the window again above


def test_a_pull_interrupted_twice_loses_nothing(world: World) -> None:
    """The second attempt dies at the top, after the rest below has landed."""
    world.server.faults.append(refusing(CYCLE, Answer(status=429), when=second_page))
    world.sync()
    world.server.faults[:] = [refusing(CYCLE, Answer(status=429), when=lambda request: "start" in request.query)]
    assert later(world, minutes=30).sync().outcome == "failed"
    assert cycles(world) == 33
    world.server.faults.clear()
    world.server.asked.clear()
    assert later(world, minutes=60).sync().outcome == "ok"
    assert queries(world, CYCLE) == [
        {"limit": "25", "start": "2026-11-13T09:05:00.000Z", "end": "2026-11-20T10:05:00.000Z"}
    ]


def test_recoveries_go_on_below_the_moment_the_first_of_a_page_was_made(world: World) -> None:
    world.server.faults.append(refusing(RECOVERY, Answer(status=429), when=second_page))
    world.sync()
    world.server.faults.clear()
    world.server.asked.clear()
    assert later(world, minutes=30).sync().outcome == "ok"
    below, top = queries(world, RECOVERY)
    made = [datetime.fromisoformat(r["created_at"]) for r in world.vendor.account["recoveries"]]
    nearest = sum(at < datetime.fromisoformat(below["end"]) for at in made)
    assert "start" not in below
    assert len(made) - 25 <= nearest <= len(made) - 24  # one again
    assert top["end"] == "2026-11-20T09:35:00.000Z"


def test_a_429_in_the_middle_keeps_what_landed_and_the_servers_time(world: World) -> None:
    busy = Answer(status=429, headers={"X-RateLimit-Reset": "41", "X-RateLimit-Remaining": "0"})
    world.server.faults.append(refusing(SLEEP, busy, when=second_page))
    outcome = world.sync()
    assert outcome.outcome == "failed"
    assert outcome.streams == {"cycle": 34, "sleep": 25}
    assert outcome.retry_at is not None
    assert timedelta(0) <= outcome.retry_at - (world.now + timedelta(seconds=41)) < timedelta(seconds=30)
    assert world.store.connections.of_user(world.user.id)[0].due_at == outcome.retry_at
    assert len(queries(world, SLEEP)) == 2  # a minute is the scheduler's to wait
    assert cycles(world) == 33
    world.server.faults.clear()
    assert later(world, seconds=41 + 30).sync().outcome == "ok"
    assert len(nights(world)) > 25


def test_a_pending_score_becomes_scored(world: World) -> None:
    world.sync()
    today = date(2026, 11, 20)
    assert today not in nights(world)
    scored: dict[str, Any] = {"score_state": "SCORED", "updated_at": "2026-11-20T09:20:00.000Z"}
    record(world, "sleeps", LAST_NIGHT).update(scored, score=SLEEP_SCORE)
    record(world, "recoveries", LAST_NIGHT, "sleep_id").update(scored, score=RECOVERY_SCORE)
    second = later(world, minutes=30)
    outcome = second.sync()
    assert (outcome.new, outcome.updated, outcome.deleted) == (0, 2, 0)
    kinds = [Metric.HRV_RMSSD, Metric.RECOVERY_SCORE]
    found = world.store.reading.samples(world.user.id, metrics=kinds, since=today)
    assert {s.metric: s.value for _, s in found} == {Metric.HRV_RMSSD: 62.5, Metric.RECOVERY_SCORE: 71.0}
    assert (
        world.store.reading.samples(world.user.id, metrics=kinds, since=today, at=world.now) == []
    )  # it was not known then
    night = next(e for _, e in world.store.reading.episodes(world.user.id, since=today))
    assert night.values[Metric.ASLEEP] == 420


def test_a_night_deleted_inside_the_window_disappears_and_outside_it_stays(world: World) -> None:
    world.sync()
    delete(world, TUESDAY_NIGHT)
    delete(world, OLD_NIGHT)
    outcome = later(world, minutes=30).sync()
    assert (outcome.new, outcome.updated, outcome.deleted) == (
        0,
        0,
        1,
    )  # the sleep, and with it the rows of its recovery
    days = {episode.day for _, episode in world.store.reading.episodes(world.user.id)}
    assert date(2026, 11, 18) not in days | nights(world)
    assert date(2026, 11, 7) in days & nights(world)


def test_no_window_ends_before_it_starts_after_a_clock_that_was_ahead(world: World) -> None:
    world.sync()
    later(world, days=40).sync()
    world.server.asked.clear()
    outcome = later(world, minutes=30).sync()
    assert (outcome.outcome, outcome.new, outcome.deleted) == ("ok", 0, 0)
    assert all("start" not in query for query in queries(world, CYCLE))


def test_a_window_that_came_in_pieces_lets_nothing_disappear(world: World) -> None:
    """Rows above the rest of an interrupted pull came before, and are not delivered again."""
    assert world.sync(at=datetime(2026, 10, 20, 9, tzinfo=UTC)).outcome == "ok"
    world.server.faults.append(refusing(CYCLE, Answer(status=429), when=second_page))
    assert world.sync().outcome == "failed"
    world.server.faults.clear()
    world.server.asked.clear()
    assert later(world, minutes=30).sync().deleted == 0
    assert [query["start"] for query in queries(world, CYCLE)] == [
        "2026-10-13T09:00:00.000Z",  # below, down to where the interrupted pull would have stopped
        "2026-11-13T09:05:00.000Z",
    ]
    assert cycles(world) == 33


@pytest.mark.parametrize("answer", [Answer(status=200, body=b""), Answer(status=408, body=b""), Answer(status=425)])
def test_an_answer_without_content_or_too_early_is_tried_later_and_deletes_nothing(
    world: World, answer: Answer
) -> None:
    world.sync()
    before = world.contents()
    night = next(sleep["id"] for sleep in world.vendor.account["sleeps"])
    notice = Notice(member="1", stream="sleep", key=night, deleted=False, trace="t")
    world.store.ingest.add_notice(world.connection.id, notice, now=world.now)
    world.server.faults.append(lambda _: answer)
    outcome = later(world, minutes=30).sync()
    assert (outcome.outcome, outcome.deleted) == ("failed", 0)
    assert world.contents() == before


@pytest.mark.parametrize("body", [{}, {"records": None}, {"records": [1]}, []])
def test_an_answer_that_is_no_collection_stops_the_source(world: World, body: Any) -> None:
    world.sync()
    before = world.contents()
    world.server.faults.append(refusing(CYCLE, Answer(body=body)))
    outcome = later(world, minutes=30).persist()
    assert outcome.outcome == "stopped"
    assert "newer release" in str(outcome.skipped_because)
    assert world.contents() == before
