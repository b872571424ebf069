"""``BRIDGE_NOW`` sets the clock: empty it counts as unset, and anything but an instant with an offset is refused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bridge import installation
from bridge.domain.errors import SetupError


def test_an_empty_variable_is_no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_NOW", "")
    assert abs(installation.now() - datetime.now(UTC)) < timedelta(minutes=1)


@pytest.mark.parametrize("written", ["2026-11-20T10:05:00", "today", "2026-11-20"])
def test_what_is_no_instant_with_an_offset_is_refused(monkeypatch: pytest.MonkeyPatch, written: str) -> None:
    monkeypatch.setenv("BRIDGE_NOW", written)
    with pytest.raises(SetupError, match="needs an offset; write it like"):
        installation.now()
