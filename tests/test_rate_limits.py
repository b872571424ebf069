"""Rate limits as vendors state them, in either spelling of the headers, and several limits at once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

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
    limit = http.VendorLimit()
    limit.note(answer(**{f"{prefix}RateLimit_Remaining": "1", f"{prefix}RateLimit_Reset": "77"}))
    limit.check()
    limit.note(answer(**{f"{prefix}RateLimit_Remaining": "0", f"{prefix}RateLimit_Reset": "77"}))
    with pytest.raises(TryLater, match="no more requests"):
        limit.check()
