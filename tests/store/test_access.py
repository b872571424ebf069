"""Passwords, sessions and tokens on both databases."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bridge.auth import access
from bridge.store import Store

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)


def test_a_session_lasts_until_it_ends_and_goes_with_its_person(store: Store) -> None:
    ana = store.people.add_user("ana", "UTC", now=NOW)
    kept = store.access
    kept.begin_session(ana.id, "a", now=NOW, until=NOW + HOUR)
    kept.begin_session(ana.id, "b", now=NOW, until=NOW + 3 * HOUR)
    assert (kept.session("a", now=NOW), kept.session("a", now=NOW + HOUR)) == (ana.id, None)
    kept.begin_session(ana.id, "c", now=NOW + 2 * HOUR, until=NOW + 4 * HOUR)
    assert kept.session("a", now=NOW) is None  # what was over is deleted
    kept.end_session("b")
    assert (kept.session("b", now=NOW), kept.session("c", now=NOW)) == (None, ana.id)
    store.people.forget(ana.id)
    assert kept.session("c", now=NOW) is None


def test_a_password_is_kept_as_a_hash_and_ends_sessions(store: Store) -> None:
    ana = store.people.add_user("ana", "UTC", now=NOW)
    token = access.begin_session(store, ana, now=NOW)
    access.set_password(store, ana, "correct horse", now=NOW)
    assert store.access.session(access.digest(token), now=NOW) is None
    assert (store.access.password(ana.id) or "").startswith("$argon2id$v=19$m=65536,t=3,p=4$")
    assert access.user_with_password(store, "ana", "correct horse") == ana
    assert access.user_with_password(store, "ana", "wrong") is None
    assert access.user_with_password(store, "ben", "correct horse") is None
    access.set_password(store, ana, None, now=NOW)
    assert access.user_with_password(store, "ana", "correct horse") is None


def test_tokens_are_listed_without_themselves_and_are_one_persons(store: Store) -> None:
    ana, ben = (store.people.add_user(name, "UTC", now=NOW) for name in ("ana", "ben"))
    made, token = access.new_token(store, ana, "phone", now=NOW)
    assert store.access.token(access.digest(token)) == ana.id
    assert store.access.tokens(ana.id) == [made]
    assert not store.access.revoke_token(ben.id, made.id)
    assert store.access.revoke_token(ana.id, made.id)
    assert store.access.token(access.digest(token)) is None
