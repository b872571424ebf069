"""Every flow by the keyboard alone: nothing is out of reach, the focus is always seen, and nothing traps it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from bridge import installation
from bridge.advice import whose
from bridge.auth import access
from bridge.domain.records import User
from bridge.recordings.recorded_life import DEMO_USER
from tests.web.browsing import Trouble, chromium
from tests.web.served import Place, calendar

pytestmark = pytest.mark.web
STOPS_MAX = 200  # of the tabulator on a page
FOCUS = """(wanted) => {
  const one = document.activeElement;
  const shown = [one, ...one.labels || []].some((part) => {
    const style = getComputedStyle(part), box = part.getBoundingClientRect();
    const outlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
    return outlined && box.width > 2 && box.height > 2 && box.bottom > 0 && box.top < innerHeight;
  });
  const fields = [...document.querySelectorAll("a, button, input, select, summary, [tabindex]")];
  const parts = ["date", "time"].includes(one.type);  // have several stops within
  const own = parts && !one.matches(":focus");  // the browser marks the last of them itself
  const at = fields.indexOf(one);
  return {is: one.matches(wanted), shown: shown || own, at, parts, name: one.outerHTML.slice(0, 160)};
}"""


@pytest.fixture
def page() -> Iterator[Any]:
    """A page that must not complain, and whose mouse nobody moves."""
    trouble = Trouble()
    with chromium() as browser:
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        yield trouble.watch(context.new_page())
        context.close()
    assert trouble == []


def _open(page: Any, address: str) -> None:
    """Open a page. Its first stop skips to the content."""
    page.goto(address)
    page.wait_for_load_state("networkidle")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('a.skip')"), address


def _reach(page: Any, wanted: str) -> None:
    before = None
    for _ in range(STOPS_MAX):
        page.keyboard.press("Tab")
        found = page.evaluate(FOCUS, wanted)
        if found["at"] >= 0:
            assert found["shown"], f"the focus is not seen on {found['name']}"
            assert found["parts"] or found["at"] != before, f"the focus is trapped in {found['name']}"
        if found["is"]:
            return
        before = found["at"]
    raise AssertionError(f"the keyboard does not reach {wanted}")


def _press(page: Any, wanted: str, *typed: str, key: str = "Enter") -> None:
    """Go to an element with the tabulator, type there, and press a key."""
    _reach(page, wanted)
    for text in typed:
        page.keyboard.type(text)
    page.keyboard.press(key)


def test_from_nothing_to_ticked_calendars(place: Place, page: Any) -> None:
    _open(page, place.url)
    _press(page, "input[name=name]", "ana")
    page.wait_for_url(f"{place.url}/begin")
    _open(page, page.url)
    _press(page, "a[href='/begin/calendar']")
    page.wait_for_url(f"{place.url}/begin/calendar")
    with page.expect_file_chooser() as chooser:
        _press(page, "#file")
    dropped = {"name": "calendar.ics", "mimeType": "text/calendar", "buffer": calendar()}
    chooser.value.set_files([dropped])
    page.wait_for_url(f"{place.url}/?came=*", timeout=60_000)
    _open(page, f"{place.url}/connections")
    _press(page, "#calendars input[name=used]", key="Space")
    _press(page, "#calendars form[action='/calendars'] button")
    page.wait_for_selector("#calendars input[name=used]:not(:checked)")
    _open(page, f"{place.url}/connections")
    _press(page, "#calendars input[name=used]", key="Space")
    _press(page, "#calendars form[action='/calendars'] button")
    page.wait_for_selector("#calendars input[name=used]:checked")


def test_the_card_of_today(place: Place, demo: User, page: Any) -> None:
    page.goto(place.url)
    page.wait_for_selector("#advice button")
    page.wait_for_selector("#plan .timeline")
    _open(page, place.url)
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    _press(page, "#advice button[value=accept]")
    page.wait_for_selector("#advice .tag:has-text('accepted')")
    _open(page, place.url)
    _press(page, "#advice > details > summary", key="Space")
    page.wait_for_selector("#advice > details[open] .why")
    _open(page, place.url)
    _press(page, "#advice summary.button")
    page.wait_for_selector("#advice details.later[open] select")
    _reach(page, "#advice select[name=to]")
    page.keyboard.press("ArrowDown")
    _press(page, "#advice details.later form > button")
    page.wait_for_selector("#advice .tag:has-text('put off')")
    _open(page, place.url)
    _press(page, "#advice button[value=ignore]")
    page.wait_for_selector("#advice .why-not button")
    _open(page, place.url)
    _press(page, "#advice .why-not button", key="Space")
    page.wait_for_selector("#advice .note[role=status]")


def test_check_in_entries_wishes_and_modes(place: Place, demo: User, page: Any) -> None:
    page.goto(place.url)
    page.wait_for_selector("#plan .timeline")
    _open(page, place.url)
    _press(page, "#checkin button[value='4']")
    page.wait_for_selector("#checkin :text('Noted: 4')")
    page.wait_for_function("document.activeElement.matches(\"#checkin button[value='4']\")")
    _press(page, "form[action='/checkin/back'] button")
    page.wait_for_selector("form[action='/checkin/back']", state="detached")
    page.wait_for_function("document.activeElement.closest('#checkin') !== null")
    _open(page, place.url)
    _press(page, "#slots > details > summary")
    page.wait_for_selector("#slots .kind summary")
    _press(page, "#slots .kind summary")
    _press(page, "#slots details[open] form[action='/events'] button")
    page.wait_for_selector("#slots .note:has-text('Noted.')")
    _open(page, f"{place.url}/entries")
    _press(page, ".asked-entries button.chip")
    page.wait_for_selector(".answered button")
    page.wait_for_function("document.activeElement.closest('.answered') !== null")
    _open(page, place.url)
    _press(page, "#wish > details > summary")
    _press(page, "#wish input[name=text]", "no sport before 9")
    page.wait_for_selector("#wish :text('Is that what you wish?')")
    page.wait_for_function("document.activeElement.closest('#wish') !== null")
    _press(page, "#wish button[name=confirmed]")
    page.wait_for_selector("#wish :text('Saved')")
    _press(page, "form[action='/wishes/undo'] button")
    page.wait_for_selector("#wish :text('Taken back.')")
    _open(page, place.url)
    _press(page, "#wish > details > summary")
    _press(page, "#wish input[name=text]", "no sport before 9")
    page.wait_for_selector("#wish :text('Is that what you wish?')")
    page.wait_for_function("document.activeElement.closest('#wish') !== null")
    _press(page, "#wish button[name=confirmed]")
    page.wait_for_selector("#wish :text('Saved')")
    _open(page, f"{place.url}/wishes")
    _press(page, "form[action='/wishes/back'] button")
    page.wait_for_selector("form[action='/wishes/back']", state="detached")
    _open(page, place.url)
    _press(page, "#different > details > summary")
    _press(page, "#different details.later summary")
    _press(page, "#different button[value=holiday]")
    page.wait_for_selector("#different button[value=normal]")
    page.wait_for_selector("#plan .timeline")
    page.keyboard.press("Tab")  # goes on from where something was said, not from the top
    assert page.evaluate("document.activeElement.closest('#different') !== null")


def test_week_trends_settings_and_the_login(place: Place, demo: User, page: Any) -> None:
    access.set_password(place.bridge.store, demo, "correct horse", now=installation.now())
    _open(page, place.url)
    _reach(page, "input[name=name]")
    page.keyboard.type(DEMO_USER)
    _press(page, "input[name=password]", "correct horse")
    page.wait_for_selector("#advice")
    _open(page, f"{place.url}/week")
    _press(page, "a[href^='/week?week=']")
    page.wait_for_url(f"{place.url}/week?week=*")
    _open(page, f"{place.url}/week")
    _press(page, ".entry summary")
    page.wait_for_selector(".entry details[open]")
    _open(page, f"{place.url}/trends")
    _press(page, "[data-zoom=in]", key="Space")
    _press(page, "#charts summary")
    page.wait_for_selector("#charts details[open]")
    _open(page, f"{place.url}/settings")
    _reach(page, "select[name=language]")
    page.keyboard.type("Deu")
    _press(page, "#language button")
    page.wait_for_selector("html[lang=de]")
    _open(page, f"{place.url}/settings")
    _press(page, "form[action='/logout'] button")
    page.wait_for_selector("input[name=password]")


def test_after_an_entry_is_said_not_to_be_mine_the_focus_goes_on_at_the_next(place: Place, page: Any) -> None:
    user = place.bridge.store.people.add_user("ana", "Europe/Berlin", now=installation.now())
    visitor = place.visitor()
    visitor.get("/connections")
    visitor.finished(visitor.upload("calendar.ics", calendar()).text)
    _open(page, f"{place.url}/week")
    _press(page, "li.entry summary")
    _press(page, "button[value=not-mine]")
    page.wait_for_url(f"{place.url}/week?*marked=*")
    page.wait_for_load_state("networkidle")
    assert whose.marks(place.bridge.store, user)
    assert page.evaluate("document.activeElement.matches('li.entry summary')")
    assert "Choir" in page.evaluate("document.activeElement.textContent")
    assert "Noted" in page.locator("#status").text_content()
