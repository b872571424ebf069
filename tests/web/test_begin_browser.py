"""The beginning in a real browser, on a desk and in the hand, by day and by night."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import lab
from bridge.ingest import clients
from bridge.recordings.server import LabServer
from lab.vendors.whoop import Vendor
from tests.web.browsing import PHONE, Trouble, chromium, grave_findings, picture
from tests.web.served import Place, calendar

pytestmark = pytest.mark.web


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture(params=["desk-light", "hand-dark"])
def page(request: pytest.FixtureRequest, browser: Any) -> Iterator[Any]:
    """A page that must not complain, in New York."""
    trouble, in_hand = Trouble(), request.param == "hand-dark"
    options = {**PHONE, "color_scheme": "dark"} if in_hand else {"viewport": {"width": 1280, "height": 900}}
    context = browser.new_context(timezone_id="America/New_York", **options)
    found = trouble.watch(context.new_page())
    found.kind, found.trouble = request.param, trouble
    yield found
    context.close()
    assert trouble == []


def test_from_nothing_to_the_first_plan_with_a_file(place: Place, page: Any) -> None:
    page.goto(place.url)
    assert page.get_by_label("Where you live").input_value() == "America/New_York"
    page.get_by_label("Your name").fill("ana")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url(f"{place.url}/begin")
    picture(page, f"begin-{page.kind}")
    assert grave_findings(page) == []
    page.get_by_role("link", name="Another calendar").click()
    assert grave_findings(page) == []
    picture(page, f"begin-calendar-{page.kind}")
    page.goto(f"{place.url}/begin/whoop")
    assert grave_findings(page) == []
    picture(page, f"begin-whoop-{page.kind}")
    dropped = {"name": "calendar.ics", "mimeType": "text/calendar", "buffer": calendar()}
    page.locator("#file").set_input_files([dropped])
    page.wait_for_url(f"{place.url}/?came=*", timeout=60_000)
    page.get_by_role("heading", name="Your day").wait_for()
    assert "2 calendar entries" in page.inner_text("#came")
    assert grave_findings(page) == []
    page.get_by_text("Choir").first.wait_for(timeout=60_000)
    picture(page, f"first-plan-{page.kind}")
    (user,) = place.bridge.store.people.users()
    assert user.zones[-1].zone == "America/New_York"


def test_keys_are_typed_and_lead_to_the_first_sync(place: Place, page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Vendor(lab.account("whoop", "week"))
    page.goto(place.url)
    page.get_by_label("Your name").fill("ana")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url(f"{place.url}/begin")
    with LabServer(made.application) as server:
        found = made.settings(server.url)
        for name, value in found.items():
            if name not in clients.CLIENT:
                monkeypatch.setenv(f"BRIDGE_WHOOP_{name}".upper(), value)
        page.get_by_role("link", name="WHOOP").click()
        page.get_by_role("button", name="Connect WHOOP").click()
        page.wait_for_url(f"{place.url}/connections/whoop/keys")
        picture(page, f"keys-{page.kind}")
        assert grave_findings(page) == []
        page.get_by_label("Client ID").fill(found["client_id"])
        page.get_by_label("Client Secret").fill("wrong")
        with page.expect_response(lambda answer: answer.status == 400):
            page.get_by_role("button", name="Test and keep").click()
        page.get_by_role("alert").wait_for()
        assert len(page.trouble) == 1  # the browser says that the answer was a refusal
        page.trouble.clear()
        picture(page, f"keys-wrong-{page.kind}")
        page.get_by_label("Client Secret").fill(found["client_secret"])
        page.get_by_role("button", name="Test and keep").click()
        page.get_by_role("heading", name="Agree at WHOOP").wait_for()
        assert grave_findings(page) == []
        page.get_by_role("button", name="Connect WHOOP").click()
        with page.expect_popup() as opened:
            page.get_by_role("link", name="Open WHOOP").click()
        opened.value.wait_for_load_state()
        page.wait_for_url(f"{place.url}/?came=*", timeout=90_000)
        page.get_by_role("heading", name="How you are").wait_for()
        picture(page, f"first-sync-{page.kind}")
