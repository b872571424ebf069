"""Bounds on what a sync may cost, against vendors that never end and odd answers that pass."""

from __future__ import annotations

import itertools
import time
import tracemalloc
from dataclasses import replace
from datetime import timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from bridge.domain.records import Connection
from bridge.http import allowance, transport
from bridge.ingest.outcomes import LIMITED_WAIT_MIN
from bridge.ingest.sync import ODD_ANSWERS_MIN, ODD_ANSWERS_SPAN
from bridge.recordings.server import Answer, Request
from bridge.store import Store
from tests.contract import bad_days as faults
from tests.contract.test_connectors import LIVE
from tests.contract.test_faults import short, undisturbed
from tests.world import World, later, vendor_of

VENDORS = {source: vendor_of(source) for source in LIVE}
JSON = [source for source in LIVE if VENDORS[source].speaks_json]
PAGED = [source for source in LIVE if VENDORS[source].pages is not None]
ENDING = [source for source in LIVE if VENDORS[source].tokens_end]
NAMED_BY_TOKEN = [source for source in PAGED if VENDORS[source].pages == "token"]
DEEP = b'{"records": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"


def stored(world: World) -> Connection:
    found = world.store.connections.by_id(world.connection.id)
    assert found is not None
    return found


def follow(world: World) -> World:
    """The world when its connection is due again, as a daemon meets it."""
    connection = stored(world)
    assert connection.due_at is not None
    return replace(world, connection=connection, now=connection.due_at)


@pytest.mark.parametrize("header", ["seconds", "date", "reset"])
@pytest.mark.parametrize("source", LIVE)
def test_a_vendor_that_names_no_time_at_all_is_left_alone_ever_longer(lite: Store, source: str, header: str) -> None:
    with short(lite, source) as world:
        past = format_datetime(world.now - timedelta(days=1))
        headers = {"seconds": {"Retry-After": "0"}, "date": {"Retry-After": past}, "reset": {"X-RateLimit-Reset": "0"}}
        body = {"error": {"code": 429, "errors": [{"reason": "rateLimitExceeded"}]}}
        world.server.faults.append(faults.always(Answer(status=429, body=body, headers=headers[header])))
        waits = []
        for _ in range(4):
            assert world.sync().outcome == "failed"
            after = follow(world)
            waits.append(after.now - world.now)
            world = after
        assert waits[0] >= LIMITED_WAIT_MIN
        assert all(later >= 1.5 * earlier for earlier, later in itertools.pairwise(waits)), waits


@pytest.mark.parametrize("source", NAMED_BY_TOKEN)
def test_a_repeated_page_token_ends_the_sync(lite: Store, source: str) -> None:
    with short(lite, source) as world:
        world.server.faults.append(faults.endless(world.vendor.application, lambda: "again"))
        outcome = world.sync()
        assert (outcome.outcome, outcome.odd) == ("failed", True)
        assert "same next page" in str(outcome.skipped_because)
        assert len(world.server.asked) < 10
        world.server.faults.clear()
        assert follow(world).sync().outcome == "ok"
        assert world.contents() == undisturbed(source)[0]


@pytest.mark.parametrize("source", PAGED)
def test_ever_new_pages_without_anything_new_come_to_an_end(
    lite: Store, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(allowance, "EMPTY_MAX_ANSWERS", 40)
    with short(lite, source) as world:
        numbers = itertools.count()
        world.server.faults.append(faults.endless(world.vendor.application, lambda: f"page{next(numbers)}"))
        first = world.sync()
        assert first.outcome in ("interrupted", "failed"), first
        assert len(world.server.asked) < 40 + undisturbed(source)[1] + 10
        landed = first.new > 0
        assert (follow(world).now - world.now < timedelta(minutes=1)) == landed  # the rest is due at once
        again, tries = follow(world), 1
        while again.sync().new:
            again, tries = follow(again), tries + 1
        assert tries <= 2
        assert stored(again).last_error
        assert follow(again).now - again.now > timedelta(minutes=14)
        world.server.faults.clear()
        assert follow(again).sync().outcome == "ok"
        assert world.contents() == undisturbed(source)[0]


@pytest.mark.parametrize("source", LIVE)
def test_few_packed_bytes_do_not_fill_the_memory(lite: Store, source: str) -> None:
    with short(lite, source) as world:
        world.server.faults.append(faults.bomb(300_000_000))
        tracemalloc.start()
        try:
            outcome = world.sync()
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert outcome.outcome == "failed", outcome
        assert peak < 120_000_000
        assert stored(world).paused is None


@pytest.mark.parametrize("source", JSON)
def test_json_far_too_deep_is_an_odd_answer(lite: Store, source: str) -> None:
    with short(lite, source) as world:
        world.server.faults.append(faults.always(Answer(body=DEEP)))
        outcome = world.sync()
        assert (outcome.outcome, outcome.odd) == ("failed", True)
        assert "too deep" in str(outcome.skipped_because)


@pytest.mark.parametrize("source", JSON)
def test_a_record_far_too_deep_stops_no_other_sync(lite: Store, source: str) -> None:
    """JSON may be read to a depth at which it cannot be written any more."""
    with short(lite, source) as world:
        deep: Any = []
        for _ in range(900):
            deep = [deep]

        def bury(body: Any) -> Any:
            rows = next((v for v in body.values() if isinstance(v, list)), []) if isinstance(body, dict) else body
            for row in rows:
                row["buried"] = deep
            return body

        world.server.faults.append(faults.rewritten(world.vendor.application, bury))
        outcome = world.sync()
        assert outcome.outcome in ("ok", "failed")
        assert "unexpected" not in str(outcome.skipped_because)


@pytest.mark.parametrize("source", LIVE)
def test_an_answer_that_drips_is_not_waited_for(lite: Store, source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "ANSWER_MAX_SECONDS", 1.0)
    with short(lite, source) as world:
        world.server.faults.append(faults.dripping(world.vendor.application, 0.1))
        begun = time.monotonic()
        outcome = world.sync()
        assert time.monotonic() - begun < 4
        assert outcome.outcome == "failed"
        assert "for one answer" in str(outcome.skipped_because)


@pytest.mark.parametrize("source", LIVE)
def test_a_sync_has_a_deadline_and_goes_on_at_once_where_something_came(
    lite: Store, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with short(lite, source) as world:
        monkeypatch.setattr(allowance, "SYNC_MAX_SECONDS", 0.0)
        assert world.sync().outcome == "failed"  # nothing came: not at once
        assert world.server.asked == []
        for _ in range(200):
            monkeypatch.setattr(allowance, "SYNC_MAX_SECONDS", 0.15)
            slowed = follow(world)
            slowed.server.faults[:] = [_slow]
            outcome = slowed.sync()
            if outcome.outcome == "ok" or outcome.new == 0:
                break
            assert outcome.outcome == "interrupted"
            assert follow(slowed).now - slowed.now < timedelta(minutes=1)
            assert stored(world).last_error is None
        monkeypatch.setattr(allowance, "SYNC_MAX_SECONDS", 60.0)
        world.server.faults.clear()
        assert follow(world).sync().outcome == "ok"
        assert world.contents() == undisturbed(source)[0]


def _slow(request: Request) -> None:
    time.sleep(0.06)


ODD = {
    "404": Answer(status=404, body={"error": {"code": 404}}),
    "403": Answer(status=403, body={"error": {"code": 403}}),
    "a page": Answer(body=faults.MAINTENANCE, headers={"Content-Type": "text/html"}),
    "nothing": Answer(body=b""),
    "cut": Answer(body=b'{"records": [{"id": 1'),
}


def means_nothing(source: str, odd: str) -> bool:
    """Say if an odd answer is how the vendor says that there is no data."""
    blank = ODD[odd].body == b""
    return (blank or ODD[odd].status != 200) and ODD[odd].status in VENDORS[source].no_data


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("source", LIVE)
def test_one_odd_answer_heals_by_itself(lite: Store, source: str, odd: str) -> None:
    """An answer by which the vendor says that there is no data is no error."""
    with short(lite, source) as world:
        world.server.faults.append(lambda _: ODD[odd])  # token servers, too
        outcome = world.sync()
        assert outcome.outcome == ("ok" if means_nothing(source, odd) else "failed"), outcome
        assert stored(world).paused is None
        world.server.faults.clear()
        healed = follow(world)
        assert healed.sync().outcome == "ok"
        if outcome.outcome == "failed":
            assert world.contents() == undisturbed(source)[0]


@pytest.mark.parametrize("odd", ["404", "403", "a page", "nothing"])
@pytest.mark.parametrize("source", ENDING)
def test_one_odd_answer_of_a_token_server_costs_no_consent(lite: Store, source: str, odd: str) -> None:
    with short(lite, source) as world:
        world.vendor.tokens_expire()
        world.server.faults.append(lambda request: ODD[odd] if faults.is_token(request) else None)
        assert world.sync().outcome == "failed"
        assert stored(world).paused is None
        world.server.faults.clear()
        assert follow(world).sync().outcome == "ok"
        assert world.contents() == undisturbed(source)[0]


@pytest.mark.parametrize(
    ("source", "odd"), [(s, odd) for s in LIVE for odd in ("a page", "nothing") if not means_nothing(s, odd)]
)
def test_a_captive_portal_never_stops_a_source(lite: Store, source: str, odd: str) -> None:
    with short(lite, source) as world:
        world.server.faults.append(lambda _: ODD[odd])
        for _ in range(12):
            assert world.sync().outcome == "failed"
            world = follow(world)
        assert world.now - stored(world).created_at > timedelta(days=1)
        world.server.faults.clear()
        assert world.sync().outcome == "ok"


@pytest.mark.parametrize("source", ["whoop", "ics"])
def test_odd_answers_stop_a_source_only_where_they_last(store: Store, source: str) -> None:
    """Counted in the database: every sync is opened anew, on either kind."""
    with short(store, source) as world:
        world.server.faults.append(lambda _: ODD["404"])
        begun, tries = world.now, 0
        for minute in range(ODD_ANSWERS_MIN + 2):  # a person who tries again and again: many, but not for long
            assert later(world, minutes=minute).sync().outcome == "failed"
        assert later(world, minutes=60).store.scheduling.odd_answers(world.connection.id)
        world.server.faults.clear()
        assert follow(world).sync().outcome == "ok"
        assert world.store.scheduling.odd_answers(world.connection.id) == []
        world.server.faults.append(lambda _: ODD["404"])
        while stored(world := follow(world)).paused is None:
            world.sync()
            tries += 1
            if stored(world).due_at is None:
                break
        assert tries >= ODD_ANSWERS_MIN
        assert world.now - begun >= ODD_ANSWERS_SPAN
        assert stored(world).paused


def test_what_a_person_connected_anew_is_not_stopped_by_the_next_odd_answer(lite: Store) -> None:
    with short(lite, "whoop") as world:
        world.server.faults.append(lambda _: ODD["404"])
        world.persist()
        assert stored(world).paused
        world.store.connections.connect(world.user.id, "whoop", "whoop", now=world.now)
        assert later(world, hours=30).sync().outcome == "failed"
        assert stored(world).paused is None
