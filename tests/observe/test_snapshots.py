"""A user's snapshot is loaded once while nothing changes, and again after every change, by any process."""

from contextlib import closing, suppress
from datetime import timedelta

from bridge.advice import recommend, requests
from bridge.ingest.checkins import CheckIn, record_check_in
from bridge.store import Store
from tests.world import NOW, bridge_of

HOUR = timedelta(hours=1)


def say(store, user, hours):
    record_check_in(store, user, CheckIn(at=NOW - hours * HOUR, score=3), now=NOW)


def test_it_is_loaded_again_only_after_a_change(lite):
    bridge, user = bridge_of(lite), lite.people.add_user("ana", "Europe/Berlin", now=NOW)
    first = recommend.load_snapshot(bridge, user, at=NOW)
    assert recommend.load_snapshot(bridge, user, at=NOW) is first
    assert recommend.load_snapshot(bridge, user, at=NOW - HOUR).at == NOW - HOUR
    say(lite, user, 1)
    found = recommend.load_snapshot(bridge, user, at=NOW)
    assert (len(first.samples), len(found.samples)) == (0, 1)
    assert recommend.load_snapshot(bridge, user, at=NOW) is found


def test_changes_of_another_process_are_seen_at_once(tmp_path):
    with closing(Store(f"sqlite:///{tmp_path}/a.db")) as mine, closing(Store(f"sqlite:///{tmp_path}/a.db")) as other:
        bridge, user = bridge_of(mine), mine.people.add_user("ana", "Europe/Berlin", now=NOW)
        for count in range(3):
            assert len(recommend.load_snapshot(bridge, user, at=NOW).samples) == count
            say(other, user, count + 1)


def test_a_change_that_is_rolled_back_is_in_no_snapshot(store):
    bridge, user = bridge_of(store), store.people.add_user("ana", "Europe/Berlin", now=NOW)
    for _ in range(2):
        with suppress(ZeroDivisionError), store.transaction():
            say(store, user, 1)
            assert len(recommend.load_snapshot(bridge, user, at=NOW).samples) == 1
            raise ZeroDivisionError
        assert not recommend.load_snapshot(bridge, user, at=NOW).samples


def test_a_slot_left_without_advice_again_changes_nothing(lite):
    bridge, user = bridge_of(lite), lite.people.add_user("ana", "Europe/Berlin", now=NOW)
    say(lite, user, 1)
    requests.recommend(bridge, user, now=NOW)
    known = recommend.load_snapshot(bridge, user, at=NOW)
    requests.recommend(bridge, user, now=NOW)
    assert recommend.load_snapshot(bridge, user, at=NOW) is known
