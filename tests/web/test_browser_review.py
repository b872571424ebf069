"""The question "did you?" and the week in a real browser, on a desk and on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bridge.advice import outcomes
from bridge.domain.records import Deed
from rhythm_env.interface import ActionType
from tests.day.test_outcomes import DAWN, EARLIER, EVENING, NOON, RUN, workout
from tests.meters.life import HOUR
from tests.test_outcomes import advised, land, person
from tests.web.browsing import PHONE, Trouble, chromium, grave_findings, picture
from tests.web.served import Place, open_at, served
from tests.world import bridge_of

pytestmark = pytest.mark.web


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.mark.parametrize("shape", ["desk", "phone"])
def test_the_question_is_answered_and_the_week_tells_of_it(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: str
) -> None:
    monkeypatch.setenv("BRIDGE_NOW", (EVENING + HOUR).isoformat())
    monkeypatch.setenv("BRIDGE_CLASSIFIER", "keywords")
    with served(open_at(tmp_path)) as place:
        number = _evening(place)
        size = PHONE if shape == "phone" else {"viewport": {"width": 1280, "height": 900}}
        context, trouble = browser.new_context(**size), Trouble()
        page = trouble.watch(context.new_page())
        page.goto(place.url)
        page.wait_for_selector("h2:has-text('Did you?')")
        picture(page, f"did-you-{shape}")
        page.click("button:has-text('Partly')")
        page.wait_for_load_state("networkidle")
        assert page.locator("h2:has-text('Did you?')").count() == 0
        kept = place.bridge.store.recommendations.by_id(number)
        assert kept is not None
        assert kept.outcome is Deed.PARTLY
        page.goto(f"{place.url}/review")
        page.wait_for_selector("li:has-text('partly done')")
        picture(page, f"review-week-{shape}")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert grave_findings(page) == []
        context.close()
        assert trouble == []


def _evening(place: Place) -> int:
    """A run that the watch saw, and company of which nothing tells; returns the number of the latter."""
    store = place.bridge.store
    user = person(store)
    land(store, user, EARLIER, workout(DAWN + HOUR, 36), now=NOON)
    advised(store, user, DAWN, RUN)
    given = advised(store, user, NOON, ActionType.SOCIALIZE)
    outcomes.confirm(bridge_of(store), user, now=EVENING + HOUR)
    return given.id
