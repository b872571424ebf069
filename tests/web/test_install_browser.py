"""The page in the hand: Chromium finds it installable, and its worker says when the bridge is away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bridge import installation
from tests.web.browsing import CHROMIUM, OPTIONS, PHONE, chromium, grave_findings, picture
from tests.web.served import Place

pytestmark = pytest.mark.web


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


def test_it_can_be_installed_and_says_when_it_is_offline(place: Place, browser: Any, tmp_path: Path) -> None:
    """A profile on disk, because a private window cannot install anything."""
    place.bridge.store.people.add_user("ana", "Europe/Berlin", now=installation.now())
    profile = {"executable_path": str(CHROMIUM), "args": OPTIONS}
    context = browser.browser_type.launch_persistent_context(str(tmp_path / "profile"), **profile, **PHONE)
    page = context.new_page()
    page.goto(place.url)
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    page.reload()
    assert context.new_cdp_session(page).send("Page.getInstallabilityErrors")["installabilityErrors"] == []
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
