"""Accounts at a login provider and passkeys, on both databases."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bridge.domain.errors import SetupError
from bridge.domain.records import Passkey
from bridge.store import Store

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
ISSUER = "https://auth.example.org"


def passkey(credential: bytes, name: str = "phone") -> Passkey:
    return Passkey(name=name, host="localhost", credential=credential, public_key=b"key", signatures=4, made_at=NOW)


def test_an_account_is_one_users_and_ends_with_the_user(store: Store) -> None:
    ana, ben = (store.people.add_user(name, "UTC", now=NOW) for name in ("ana", "ben"))
    assert not store.credentials.is_protected(ana.id)
    store.credentials.link(ana.id, ISSUER, "1", now=NOW)
    store.credentials.link(ana.id, ISSUER, "1", now=NOW)
    with pytest.raises(SetupError, match="another user"):
        store.credentials.link(ben.id, ISSUER, "1", now=NOW)
    assert store.credentials.user_of(ISSUER, "1") == ana.id
    assert store.credentials.user_of("https://other.example.org", "1") is None
    assert store.credentials.is_protected(ana.id)
    assert not store.credentials.is_protected(ben.id)
    assert not store.credentials.unlink(ben.id, ISSUER, "1")
    store.people.forget(ana.id)
    assert store.credentials.user_of(ISSUER, "1") is None


def test_a_passkey_is_one_users_and_counts_upwards_once(store: Store) -> None:
    ana, ben = (store.people.add_user(name, "UTC", now=NOW) for name in ("ana", "ben"))
    store.credentials.add_passkey(ana.id, passkey(b"1"))
    store.credentials.add_passkey(ana.id, passkey(b"2", "laptop"))
    with pytest.raises(SetupError, match="known here already"):
        store.credentials.add_passkey(ben.id, passkey(b"1"))
    found = store.credentials.passkey(b"1")
    assert found is not None
    number, kept = found
    assert (number, kept.public_key, kept.used_at) == (ana.id, b"key", None)
    assert store.credentials.note_use(kept, 5, now=NOW)
    assert not store.credentials.note_use(kept, 6, now=NOW)  # another login was first
    assert [(one.name, one.signatures, one.used_at) for one in store.credentials.passkeys(ana.id)] == [
        ("phone", 5, NOW),
        ("laptop", 4, None),
    ]
    assert not store.credentials.remove_passkey(ben.id, kept.id)
    assert store.credentials.remove_passkey(ana.id, kept.id)
    assert store.credentials.passkey(b"1") is None
    store.people.forget(ana.id)
    assert store.credentials.passkey(b"2") is None


def test_neither_is_exported(store: Store) -> None:
    ana = store.people.add_user("ana", "UTC", now=NOW)
    store.credentials.link(ana.id, ISSUER, "248289761001", now=NOW)
    store.credentials.add_passkey(ana.id, passkey(b"1", "my phone"))
    told = repr(store.exports.dump(ana.id))
    assert "248289761001" not in told
    assert "my phone" not in told
