"""The order of sources that a user chose, on both databases."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bridge.store import Store

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)


def test_the_last_choice_stands_for_its_own_user_and_goes_with_the_user(store: Store) -> None:
    ana, ben = (store.people.add_user(name, "UTC", now=NOW) for name in ("ana", "ben"))
    store.people.prefer_sources(ana.id, ["oura"], now=NOW)
    store.people.prefer_sources(ana.id, ["garmin", "oura"], now=NOW)
    assert (store.people.preferred_sources(ana.id), store.people.preferred_sources(ben.id)) == (("garmin", "oura"), ())
    assert store.reading.changed_since(ana.id, NOW - timedelta(seconds=1))
    assert not store.reading.changed_since(ben.id, NOW - timedelta(seconds=1))
    saved = store.exports.dump(ana.id)
    cleo = store.people.add_user("cleo", "UTC", now=NOW)
    store.exports.restore(cleo.id, saved)
    assert store.people.preferred_sources(cleo.id) == ("garmin", "oura")
    store.people.forget(ana.id)
    assert store.people.preferred_sources(ana.id) == ()
