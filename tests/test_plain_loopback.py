"""That consents may go over plain loopback is said to the library while it is needed only."""

from __future__ import annotations

import os

import pytest

from bridge.auth import token_transport


@pytest.fixture(autouse=True)
def _no_other_consent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out consents of earlier tests that still wait in threads."""
    monkeypatch.setattr(token_transport, "_before", [])


@pytest.mark.parametrize("before", [None, "0"])
def test_plain_loopback_is_allowed_while_it_is_needed_only(before: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "OAUTHLIB_INSECURE_TRANSPORT"
    monkeypatch.delenv(name, raising=False)
    if before is not None:
        monkeypatch.setenv(name, before)
    with token_transport.plain_loopback_allowed("http://localhost:8080/token"):
        assert os.environ[name] == "1"
    assert os.environ.get(name) == before
    with token_transport.plain_loopback_allowed("https://vendor.example/token"):
        assert os.environ.get(name) == before


def test_of_two_who_need_it_at_once_the_last_one_puts_it_back(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "OAUTHLIB_INSECURE_TRANSPORT"
    monkeypatch.delenv(name, raising=False)
    first, second = (token_transport.plain_loopback_allowed("http://127.0.0.1:1/") for _ in range(2))
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert os.environ[name] == "1"
    second.__exit__(None, None, None)
    assert name not in os.environ
