"""Trends and beliefs in a real browser: ``make test-web``. Pictures of them land in ``build/screens``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bridge import installation
from bridge.advice import answer_links, requests
from bridge.domain.records import User
from lab.benchmarks.web import advised
from tests.web.browsing import PHONE, Trouble, grave_findings, picture
from tests.web.served import Place
from tests.web.test_browser import browser, page

__all__ = ["browser", "page"]

pytestmark = pytest.mark.web


def test_charts_are_drawn_zoom_and_stand_in_tables(place: Place, demo: User, page: Any) -> None:
    page.goto(f"{place.url}/trends")
    page.wait_for_selector("#charts[data-drawn=yes]")
    assert page.locator(".plot canvas").count() == 6  # five meters, and what was planned
    rooms = """found => found.map(one => [one, one.querySelector('.u-over')].map(each => each.getBoundingClientRect()))
        .map(([whole, plot]) => whole.bottom - plot.bottom)"""
    assert min(page.eval_on_selector_all(".plot .u-wrap", rooms)) > 20  # for dates below each
    page.click("text=Zoom in")
    whole = "Showing Sat, Aug 29 to Fri, Nov 20."
    zoomed = page.inner_text("#status")
    assert zoomed.startswith("Showing ")
    page.click("text=Everything")
    assert page.inner_text("#status") != zoomed
    assert page.inner_text("#status") == whole
    box = page.locator(".plot[data-meter=VITALITY] .u-over").bounding_box()
    page.mouse.move(box["x"] + 100, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + 300, box["y"] + 60, steps=4)
    page.mouse.up()
    assert page.inner_text("#status") != whole
    assert "±" in page.inner_text("section[aria-labelledby=VITALITY] .readout >> nth=0")
    page.click("section[aria-labelledby=VITALITY] >> text=What it rests on")
    page.wait_for_selector("section[aria-labelledby=VITALITY] .plot[data-metric=hrv_rmssd] canvas")
    page.click("section[aria-labelledby=VITALITY] >> text=As a table >> nth=0")
    page.wait_for_selector("section[aria-labelledby=VITALITY] td")
    picture(page, "trends-open")
    assert grave_findings(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("shape", ["desk", "phone"])
def test_they_fit_read_well_and_are_accessible(browser: Any, place: Place, demo: User, scheme: str, shape: str) -> None:
    advised(place.bridge, demo, 30)
    trouble = Trouble()
    size = PHONE if shape == "phone" else {"viewport": {"width": 1280, "height": 900}}
    context = browser.new_context(color_scheme=scheme, **size)
    found = trouble.watch(context.new_page())
    for name, drawn in (("trends", "#charts[data-drawn=yes]"), ("belief", "svg.curve")):
        found.goto(f"{place.url}/{name}")
        found.wait_for_selector(drawn)
        picture(found, f"{name}-{shape}-{scheme}")
        assert grave_findings(found) == []
        assert found.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()
    assert trouble == []


def test_beginning_anew_and_taking_it_back(place: Place, demo: User, page: Any) -> None:
    advised(place.bridge, demo, 30)
    page.goto(f"{place.url}/belief")
    page.click("text=Forget my answers from now on")
    page.wait_for_selector("text=You started over on")
    page.click("text=Let them count again")
    page.wait_for_selector("text=You started over on", state="detached")
    assert place.bridge.store.lessons.resets(demo.id)[0].taken_back_at is not None


def test_the_link_of_a_message_has_one_button(place: Place, demo: User, page: Any) -> None:
    outside = replace(place.bridge, settings=replace(place.bridge.settings, url=place.url))
    advice = requests.recommend(outside, demo, now=installation.now())
    page.goto(answer_links.for_recommendation(outside, advice)["Accept"])
    picture(page, "link")
    assert grave_findings(page) == []
    page.click("main button")
    page.wait_for_selector("text=Open today")
    picture(page, "link-answered")
