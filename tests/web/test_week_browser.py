"""The week moved by a mouse and by keys, the history and the settings, in a real browser."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bridge import installation
from bridge.advice import requests as advising
from bridge.domain.records import Recommendation, User
from bridge.ingest import runs
from rhythm_env.interface import Answer
from tests.web.browsing import PHONE, Trouble, chromium, grave_findings, picture
from tests.web.served import Place, calendar
from tests.world import introduce

pytestmark = pytest.mark.web
DESK = {"viewport": {"width": 1280, "height": 900}}
SHAPES = {"desk-light": (DESK, "light"), "phone-dark": (PHONE, "dark")}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture(params=list(SHAPES))
def shape(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def page(browser: Any, shape: str) -> Iterator[Any]:
    """A page that must not complain, and must read well at the end."""
    trouble, (size, scheme) = Trouble(), SHAPES[shape]
    context = browser.new_context(color_scheme=scheme, **size)
    opened = trouble.watch(context.new_page())
    yield opened
    assert opened.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert grave_findings(opened) == []
    context.close()
    assert trouble == []


@pytest.fixture
def given(place: Place, ana: User, tmp_path: Path) -> Recommendation:
    (tmp_path / "mine.ics").write_bytes(calendar())
    runs.import_path(place.bridge, ana, tmp_path / "mine.ics", at=installation.now())
    introduce(place.bridge.store, ana, now=installation.now())
    found = advising.recommend(place.bridge, ana, now=installation.now())
    assert isinstance(found, Recommendation)
    return found


def test_a_suggestion_is_dragged_to_another_slot(browser: Any, place: Place, given: Recommendation) -> None:
    page = browser.new_context(**DESK).new_page()
    page.goto(f"{place.url}/week")
    page.wait_for_load_state("networkidle")  # the expected plans, which come later, move the slots
    page.drag_and_drop("[draggable=true]", ".day:nth-child(6) [data-slot]:nth-child(2)")
    page.wait_for_selector(".day:nth-child(6) .cell:nth-child(2) .advised:has-text('put off from')")
    picture(page, "week-dragged")
    kept = place.bridge.store.recommendations.by_id(given.id)
    assert kept is not None
    assert kept.moved_to is not None
    assert (kept.answer, kept.moved_to.timestep) == (Answer.RESCHEDULE, 21)
    page.wait_for_load_state("networkidle")
    page.drag_and_drop("[draggable=true]", ".day:nth-child(7) [data-slot]:nth-child(3)")  # and once more
    page.wait_for_selector(".day:nth-child(7) .cell:nth-child(3) .advised:has-text('put off from')")
    page.context.close()


def test_a_suggestion_is_moved_by_keys_alone(place: Place, given: Recommendation, page: Any, shape: str) -> None:
    page.goto(f"{place.url}/week")
    page.focus(".advised summary")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("Sun morning")
    page.keyboard.press("Tab")
    picture(page, f"week-{shape}")
    page.keyboard.press("Enter")
    page.wait_for_selector(".day:nth-child(7) .cell:nth-child(1) .advised:has-text('put off from')")
    page.goto(f"{place.url}/history")
    page.wait_for_selector("td:has-text('Put off to Sun morning')")
    picture(page, f"history-{shape}")


def test_settings_are_changed_on_the_page(place: Place, ana: User, page: Any, shape: str) -> None:
    page.goto(f"{place.url}/settings")
    page.fill("[name=zone]", "Lisbon")
    page.click("#zone button")
    page.wait_for_selector("#zone .note:has-text('Saved.')")
    page.click("#token summary")
    page.fill("#token [name=name]", "lamp")
    page.click("#token button:has-text('Make a token')")
    page.wait_for_selector("#new-token")
    picture(page, f"settings-{shape}")
    assert page.input_value("#new-token").startswith("Authorization: Bearer rb_")
    assert grave_findings(page) == []
    page.click("#password summary")
    page.fill("[name=new]", "correct horse")
    page.fill("[name=again]", "correct horse")
    page.click("#password button")
    page.wait_for_selector("#password .note:has-text('The password is changed')")
    assert page.inner_text(".who span") == "ana"  # this browser stays logged in


def test_a_password_that_is_sent_at_once_is_asked_about_no_more(browser: Any, place: Place, ana: User) -> None:
    """Its strength, asked for with the token of before, was refused, and the page loaded again without its news."""
    page = browser.new_context(**DESK).new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    def slowly(route: Any) -> None:
        asked.clear()
        time.sleep(0.7)
        route.continue_()

    page.route("**/settings/password", slowly)
    page.goto(f"{place.url}/settings")
    page.evaluate(
        """() => {
          const form = document.querySelector("#password form");
          for (const name of ["new", "again"]) form.elements[name].value = "correct horse";
          form.elements.new.dispatchEvent(new Event("input", { bubbles: true }));
          form.requestSubmit();
        }"""
    )
    page.wait_for_selector("#password .note:has-text('The password is changed')")
    assert [url for url in asked if url.endswith("/strength")] == []
    page.context.close()
