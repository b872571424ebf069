"""The commands that say which accounts elsewhere log in as a person."""

from __future__ import annotations

import json

import pytest

from tests.commands import bridge

ISSUER = "https://auth.example.org"


def test_an_account_is_linked_listed_and_unlinked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ana", "ben"):
        bridge("user", "add", name)
    missing = bridge("user", "link", "ana", "--subject", "7")
    assert (missing.returncode, "BRIDGE_OIDC_ISSUER" in missing.stderr) == (2, True)
    monkeypatch.setenv("BRIDGE_OIDC_ISSUER", f"{ISSUER}/")  # some providers' names end in a slash
    linked = bridge("user", "link", "ana", "--subject", "7", "--json")
    assert json.loads(linked.stdout) == {"name": "ana", "issuer": ISSUER, "subject": "7"}
    taken = bridge("user", "link", "ben", "--subject", "7")
    assert (taken.returncode, "bridge user unlink" in taken.stderr) == (2, True)
    (found,) = json.loads(bridge("user", "logins", "ana", "--json").stdout)
    assert (found["kind"], found["name"]) == (ISSUER, "7")
    assert bridge("user", "unlink", "ben", "--subject", "7").returncode == 2
    assert bridge("user", "unlink", "ana", "--subject", "7").returncode == 0
    assert json.loads(bridge("user", "logins", "ana", "--json").stdout) == []


def test_the_doctor_asks_the_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_OIDC_ISSUER", "http://127.0.0.1:9")
    monkeypatch.setenv("BRIDGE_OIDC_CLIENT_ID", "rhythm-bridge")
    told = bridge("doctor", "--json")
    (found,) = [one for one in json.loads(told.stdout) if one["check"] == "logins"]
    assert (told.returncode, found["ok"], "does not answer" in found["finding"]) == (1, False, True)
