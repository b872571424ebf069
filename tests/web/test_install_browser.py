"""The page in the hand: Chromium finds it installable, and its worker says when the bridge is away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from bridge import installation
from tests.web.browsing import PHONE, chromium, grave_findings, picture
from tests.web.served import Place

pytestmark = pytest.mark.web


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


def test_it_can_be_installed_and_says_when_it_is_offline(place: Place, browser: Any) -> None:
    place.bridge.store.people.add_user("ana", "Europe/Berlin", now=installation.now())
    context = browser.new_context(**PHONE)
    page = context.new_page()
    page.goto(place.url)
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    page.reload()
    errors = context.new_cdp_session(page).send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert [
        one for one in errors if one["errorId"] != "in-incognito"
    ] == []  # Playwright's contexts are private windows
    kept = page.evaluate(
        "caches.keys().then(async (names) => (await Promise.all(names.map(async (name) =>"
        "  (await (await caches.open(name)).keys()).map((one) => new URL(one.url).pathname)))).flat())"
    )
    assert "/offline" in kept
    assert all(path.startswith("/static/") or path == "/offline" for path in kept)
    context.set_offline(True)
    page.goto(f"{place.url}/connections")
    page.get_by_role("heading", name="The bridge does not answer").wait_for()
    picture(page, "offline-hand")
    assert grave_findings(page) == []
    context.set_offline(False)
    page.get_by_role("link", name="Try again").click()
    page.get_by_role("heading", name="How you are").wait_for()
    context.close()
