"""Shares of meters, on both databases."""

from __future__ import annotations

from datetime import UTC, datetime

from bridge.domain.records import Share
from bridge.store import Store
from rhythm_env.interface import Meter

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)


def test_a_share_is_between_two_and_its_last_choice_counts(store: Store) -> None:
    ana, ben, cleo = (store.people.add_user(name, "UTC", now=NOW) for name in ("ana", "ben", "cleo"))
    store.shares.save(ana.id, cleo.id, [Meter.PROGRESS], now=NOW)
    store.shares.save(ana.id, ben.id, [Meter.COGNITION, Meter.COGNITION], now=NOW)
    store.shares.save(ana.id, ben.id, [Meter.SERENITY, Meter.VITALITY], now=NOW)
    both = (Meter.VITALITY, Meter.SERENITY)
    assert store.shares.given(ana.id) == [
        Share(other_id=ben.id, other="ben", meters=both),
        Share(other_id=cleo.id, other="cleo", meters=(Meter.PROGRESS,)),
    ]
    assert store.shares.received(ben.id) == [Share(other_id=ana.id, other="ana", meters=both)]
    assert store.shares.received(ana.id) == store.shares.given(ben.id) == []
    store.shares.save(ana.id, ben.id, [], now=NOW)
    assert store.shares.received(ben.id) == []


def test_it_goes_with_either_of_them(store: Store) -> None:
    ana, ben, cleo = (store.people.add_user(name, "UTC", now=NOW) for name in ("ana", "ben", "cleo"))
    store.shares.save(ana.id, ben.id, [Meter.VITALITY], now=NOW)
    store.shares.save(ben.id, cleo.id, [Meter.VITALITY], now=NOW)
    store.people.forget(ben.id)
    assert store.shares.given(ana.id) == store.shares.received(cleo.id) == []


def test_it_is_exported_by_name_and_never_imported(store: Store) -> None:
    """Ben of another installation may be somebody else."""
    ana, ben = (store.people.add_user(name, "UTC", now=NOW) for name in ("ana", "ben"))
    store.shares.save(ana.id, ben.id, [Meter.VITALITY], now=NOW)
    saved = store.exports.dump(ana.id)
    assert saved["shares"] == [{"viewer": "ben", "meter": "VITALITY", "made_at": NOW.isoformat()}]
    assert store.exports.dump(ben.id)["shares"] == []
    cleo = store.people.add_user("cleo", "UTC", now=NOW)
    store.exports.restore(cleo.id, saved)
    assert store.shares.given(cleo.id) == []
    assert [share.other for share in store.shares.received(ben.id)] == ["ana"]
