"""Passwords, sessions and tokens on both databases."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bridge.auth import access
from bridge.store import Store

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)


def of(store: Store, digest: str, now: datetime, idle: timedelta = 24 * HOUR) -> int | None:
    found = store.access.session(digest, now=now, idle=idle)
    return found and found.user_id


def test_a_session_lasts_until_it_ends_and_goes_with_its_person(store: Store) -> None:
    ana = store.people.add_user("ana", "UTC", now=NOW)
    kept = store.access
    kept.begin_session(ana.id, "a", now=NOW, until=NOW + HOUR)
    kept.begin_session(ana.id, "b", now=NOW, until=NOW + 3 * HOUR)
    assert (of(store, "a", NOW), of(store, "a", NOW + HOUR)) == (ana.id, None)
    kept.begin_session(ana.id, "c", now=NOW + 2 * HOUR, until=NOW + 4 * HOUR)
    assert of(store, "a", NOW) is None  # what was over is deleted
    kept.end_session("b")
    assert (of(store, "b", NOW), of(store, "c", NOW)) == (None, ana.id)
    store.people.forget(ana.id)
    assert of(store, "c", NOW) is None


def test_a_session_without_use_ends(store: Store) -> None:
    ana = store.people.add_user("ana", "UTC", now=NOW)
    tokens = [access.begin_session(store, ana, now=NOW) for _ in range(2)]
    days = [NOW + timedelta(days=n) for n in (6, 12, 18, 24, 29)]
    assert [bool(access.session_of(store, tokens[0], now=at)) for at in days] == [True] * 5
    assert access.session_of(store, tokens[0], now=NOW + access.SESSION_LASTS) is None
    assert access.session_of(store, tokens[1], now=days[1]) is None


def test_a_proof_is_of_one_session(store: Store) -> None:
    ana = store.people.add_user("ana", "UTC", now=NOW)
    tokens = [access.begin_session(store, ana, now=NOW) for _ in range(2)]
    store.access.prove_session(access.digest(tokens[0]), now=NOW + HOUR)
    found = [access.session_of(store, token, now=NOW + HOUR) for token in tokens]
    assert [one and one.proved_at for one in found] == [NOW + HOUR, NOW]


def test_a_password_is_kept_as_a_hash_and_ends_sessions(store: Store) -> None:
    ana = store.people.add_user("ana", "UTC", now=NOW)
    token = access.begin_session(store, ana, now=NOW)
    access.set_password(store, ana, "correct horse", now=NOW)
    assert access.session_of(store, token, now=NOW) is None
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
