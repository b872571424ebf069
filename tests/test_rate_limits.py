"""Rate limits as vendors state them, in either spelling of the headers, and several limits at once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import requests

from bridge import http
from bridge.domain.errors import TryLater

NOW = datetime(2026, 11, 20, 9, 5, tzinfo=UTC)


def answer(**headers: str) -> requests.Response:
    found = requests.Response()
    found.headers.update({name.replace("_", "-"): value for name, value in headers.items()})
    return found


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"RateLimit_Reset": "77"}, 77),
        ({"X_RateLimit_Reset": "77"}, 77),
        ({"RateLimit_Reset": "123, 41893"}, 123),
        ({"Retry_After": "5", "RateLimit_Reset": "77"}, 5),
        ({"RateLimit_Reset": "soon"}, None),
        ({}, None),
    ],
)
def test_the_wait_is_read_under_either_name(headers: dict[str, str], seconds: int | None) -> None:
    wait = None if seconds is None else timedelta(seconds=seconds)
    assert http.retry_after(answer(**headers), now=NOW) == wait


@pytest.mark.parametrize("prefix", ["", "X_"])
def test_nothing_is_asked_for_while_no_request_is_left(prefix: str) -> None:
    left = [answer(**{f"{prefix}RateLimit_Remaining": one, f"{prefix}RateLimit_Reset": "77"}) for one in "10"]
    asked: list[str] = []

    class Vendor(requests.Session):
        def get(self, url: str | bytes, **_: Any) -> requests.Response:
            asked.append(str(url))
            return left[len(asked) - 1]

    session = http.LimitedSession(Vendor())
    session.get("https://vendor.example/1")
    session.get("https://vendor.example/2")
    with pytest.raises(TryLater, match="no more requests"):
        session.get("https://vendor.example/3")
    assert len(asked) == 2
