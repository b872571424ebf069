"""Sharing meters and seeing them, in Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from bridge import installation
from bridge.domain.records import User
from bridge.ingest import checkins
from rhythm_env.interface import Meter
from tests.web.browsing import PHONE, Trouble, chromium, grave_findings, picture
from tests.web.conftest import secured
from tests.web.served import Place

pytestmark = pytest.mark.web
PASSWORD = "correct horse"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture
def ana(place: Place) -> User:
    user = secured(place, "ana", PASSWORD)
    for meter, score in ((Meter.VITALITY, 1.5), (Meter.SERENITY, 4.5)):
        said = checkins.CheckIn(at=installation.now(), score=score, about=meter)
        checkins.record_check_in(place.bridge.store, user, said, now=installation.now())
    return user


def log_in(page: Any, place: Place, name: str) -> None:
    page.goto(f"{place.url}/login")
    page.fill("input[name=name]", name)
    page.fill("input[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{place.url}/")


def test_shared_by_keyboard_seen_on_today_and_withdrawn(place: Place, ana: User, browser: Any) -> None:
    secured(place, "ben", PASSWORD)
    trouble = Trouble()
    own, theirs = browser.new_context(), browser.new_context(color_scheme="dark", **PHONE)
    page, viewer = trouble.watch(own.new_page()), trouble.watch(theirs.new_page())
    log_in(page, place, "ana")
    page.goto(f"{place.url}/settings")
    page.focus("summary:has-text('Share meters')")
    for key in ("Enter", "Tab", "b", "e", "n", "Tab", "Space", "Tab", "Tab", "Tab", "Space", "Tab"):
        page.keyboard.press(key)
    picture(page, "household-form")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=They see it on their page from now on")
    assert page.is_visible("text=sees vitality, serenity")
    assert grave_findings(page) == []
    picture(page, "household-settings")
    log_in(viewer, place, "ben")
    viewer.wait_for_selector("#household >> text=below the usual")
    assert viewer.is_hidden("#household >> text=Cognition")
    assert grave_findings(viewer) == []
    picture(viewer, "household-today-phone-dark")
    page.click("button[aria-label='Withdraw what ben sees']")
    page.wait_for_selector("text=They see nothing of it any more")
    viewer.reload()
    assert viewer.is_hidden("#household")
    assert trouble == []
    own.close()
    theirs.close()
