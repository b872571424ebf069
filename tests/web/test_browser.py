"""The page as people use it, in a real browser: ``make test-web``. Pictures of it land in ``build/screens``."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

import lab
from bridge import installation
from bridge.domain.languages import languages
from bridge.domain.records import User
from bridge.domain.slots import moment_at
from bridge.ingest import checkins, connecting, runs
from bridge.recordings.recorded_life import DEMO_USER, DEMO_ZONE
from bridge.recordings.server import Answer, LabServer
from bridge.web import background
from bridge.web.render import NAVIGATION
from lab.people.person import demo_files
from lab.vendors.whoop import Vendor
from rhythm_env.interface import Answer as Said
from tests.web.browsing import AFTER_ENTRY, PHONE, Trouble, chromium, grave_findings, picture, sticking_out
from tests.web.served import Place, calendar

pytestmark = pytest.mark.web
VIEW_BYTES_MAX = 60_000  # of a first Today as transferred, with headers
VIEW_REQUESTS_MAX = 12
WIDTHS = (320, 390, 768, 1024, 1600)  # at which no page may overflow
SHIFTS = """(() => {
  window.shifts = [];
  const name = (node) => node && (node.id || `${node.nodeName} ${node.textContent.trim().slice(0, 30)}`);
  const place = (one) => `${name(one.node)} ${one.previousRect.y} > ${one.currentRect.y}`;
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) shifts.push(`${one.value} ${[...one.sources].map(place)}`);
  }).observe({ type: "layout-shift", buffered: true });
})()"""
TODAY_PX_MAX = 1_500  # on a phone of 390 pixels, on a day with two tasks


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture
def page(browser: Any, place: Place) -> Iterator[Any]:
    """A page that must not complain."""
    trouble = Trouble()
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield trouble.watch(context.new_page())
    context.close()
    assert trouble == []


def test_from_the_first_visit_to_the_first_recommendation_within_a_minute(
    place: Place, page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRIDGE_NOW", AFTER_ENTRY)
    began = time.monotonic()
    page.goto(place.url)
    picture(page, "welcome")
    assert grave_findings(page) == []
    page.click("text=Show me a made-up person")
    page.wait_for_selector("#demo progress")
    picture(page, "welcome-demo")
    page.wait_for_selector("#advice button:has-text('Accept')", timeout=120_000)
    took = time.monotonic() - began
    picture(page, "first-recommendation")
    print(f"from the first visit to the first recommendation: {took:.0f} s, one click")
    assert took < 60
    (user,) = place.bridge.store.people.users()
    kept = place.bridge.store.recommendations.of_slot(user.id, moment_at(installation.now(), user.zones))
    assert kept is not None
    assert kept.shown_at is not None  # the browser says that our own page asked


@pytest.mark.parametrize("width", [390, 1280])
def test_the_first_view_is_light_and_nothing_moves_after_it_is_shown(
    place: Place, demo: User, page: Any, width: int
) -> None:
    sizes: list[int] = []
    page.on("requestfinished", lambda request: sizes.append(_transferred(request.sizes())))
    page.set_viewport_size({"width": width, "height": 844})
    page.add_init_script(SHIFTS)
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 8})  # as on a slow phone
    page.goto(place.url)
    page.wait_for_selector("#advice button")
    page.wait_for_selector("#plan .timeline")
    page.wait_for_load_state("networkidle")
    print(f"first view: {len(sizes)} requests, {sum(sizes) / 1000:.0f} kB")
    assert len(sizes) <= VIEW_REQUESTS_MAX
    assert sum(sizes) <= VIEW_BYTES_MAX
    assert page.evaluate("shifts") == []
    assert page.locator("footer").is_visible()  # and what waited is there


def _transferred(sizes: dict[str, int]) -> int:
    return sum(max(sizes[one], 0) for one in ("responseBodySize", "responseHeadersSize"))


def test_accept_and_put_off(place: Place, demo: User, page: Any) -> None:
    page.goto(place.url)
    page.click("#advice button:has-text('Accept')")
    page.wait_for_selector("#advice .tag:has-text('accepted')")
    kept = place.bridge.store.recommendations.of_slot(demo.id, moment_at(installation.now(), demo.zones))
    assert kept is not None
    assert kept.answer is Said.ACCEPT
    page.click("#advice summary:has-text('Later')")
    page.select_option("#advice select[name=to]", label="Sat evening")
    page.click("#advice :text('Move it')")
    page.wait_for_selector("#advice .tag:has-text('put off to Sat evening')")
    page.click("text=Why this, and what else?")
    picture(page, "today-why")
    assert grave_findings(page) == []
    moved = place.bridge.store.recommendations.by_id(kept.id)
    assert moved is not None
    assert moved.answer is Said.RESCHEDULE


def test_correct_a_label_and_check_in(place: Place, demo: User, page: Any) -> None:
    page.goto(place.url)
    page.wait_for_selector("#advice button")
    page.click("#slots > details > summary")  # whose entries come with it
    page.click("#slots .kind summary >> nth=0")
    picture(page, "today-correct")
    page.select_option("#slots details[open] select", "FAMILY_TIME")
    page.click("#slots details[open] button")
    page.wait_for_selector("#slots .note:has-text('Noted.')")
    assert page.inner_text("#slots .kind summary >> nth=0") == "Family time"
    assert "Noted" in page.inner_text("#status")  # is also said aloud
    serenity = "#meters > ul > li:nth-child(4) svg.meter"
    before = page.get_attribute(serenity, "aria-label")
    assert before.startswith("Serenity ")
    page.select_option("#checkin select", "SERENITY")
    page.click("#checkin button >> nth=3")
    page.wait_for_selector("#checkin :text('Noted: 4 for serenity')")
    assert page.get_attribute(serenity, "aria-label") not in (None, before)  # without a reload
    picture(page, "today-checked-in")
    (said,) = checkins.recent(place.bridge.store, demo, since=installation.now().date())
    assert said.score == 4


def test_an_answer_that_is_refused_is_seen_and_the_next_one_that_is_taken_clears_it(
    place: Place, browser: Any, tmp_path: Path
) -> None:
    page = browser.new_context(viewport={"width": 390, "height": 844}).new_page()  # whose console tells of the refusal
    user = place.bridge.store.people.add_user("ana", DEMO_ZONE, now=installation.now())
    (tmp_path / "mine.ics").write_bytes(calendar())
    runs.import_path(place.bridge, user, tmp_path / "mine.ics", at=installation.now())
    page.goto(place.url)
    page.wait_for_selector("#advice button")
    page.click("#slots > details > summary")
    page.wait_for_selector("#slots .kind summary")
    connecting.disconnect(place.bridge, user, "ics")  # in another window
    page.click("#slots .kind summary >> nth=0")
    page.click("#slots details[open] form[action='/events'] button")
    page.wait_for_selector("#status:has-text('no such event')")
    seen = page.locator("#status").bounding_box()
    assert seen["width"] > 200
    assert 0 < seen["y"] < 844 - seen["height"]
    picture(page, "today-refused")
    page.click("#checkin button >> nth=3")
    page.wait_for_selector("#status.visually-hidden:has-text('Noted: 4')", state="attached")
    page.context.close()


def test_import_a_file_and_see_how_far_it_is(place: Place, page: Any, tmp_path: Path) -> None:
    user = place.bridge.store.people.add_user("ana", DEMO_ZONE, now=installation.now())
    for name, content in demo_files(installation.now().date(), zone=DEMO_ZONE).items():
        (tmp_path / name).write_bytes(content)
    page.goto(f"{place.url}/connections")
    page.evaluate(
        "window.seen = 0; new MutationObserver(() => seen += document.querySelectorAll('#uploads progress').length)"
        ".observe(document.getElementById('uploads'), {childList: true, subtree: true})"
    )
    page.set_input_files("#file", str(tmp_path / "export.zip"))
    page.wait_for_selector("#uploads :text('Apple Health:')", timeout=60_000)
    page.wait_for_selector("#sources h2:has-text('Apple Health')")
    picture(page, "connections-imported")
    assert page.evaluate("seen") > 0
    assert place.bridge.store.reading.counts(user.id)["apple_health"]


def test_an_upload_that_is_refused_says_why_and_leads_to_the_login(
    place: Place, browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = browser.new_context().new_page()  # whose console tells of the refusal
    place.bridge.store.people.add_user("ana", DEMO_ZONE, now=installation.now())
    (tmp_path / "mine.ics").write_bytes(calendar())
    page.goto(f"{place.url}/connections")
    with monkeypatch.context() as patched:
        patched.setattr(background, "MIN_FREE_DISK_BYTES", 10**18)
        page.set_input_files("#file", str(tmp_path / "mine.ics"))
        page.wait_for_selector("#uploads :text('was not accepted: the disk is nearly full')")
        picture(page, "upload-refused")
    place.bridge.store.people.add_user("ben", DEMO_ZONE, now=installation.now())  # now one has to say who one is
    page.set_input_files("#file", str(tmp_path / "mine.ics"))
    page.wait_for_selector("text=Who are you?")
    page.context.close()


def test_connect_at_the_vendor_after_a_login_that_failed(
    place: Place, page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.bridge.store.people.add_user("ana", DEMO_ZONE, now=installation.now())
    made = Vendor(lab.account("whoop", "week"))
    with LabServer(made.application) as server:
        for name, value in made.settings(server.url).items():
            monkeypatch.setenv(f"BRIDGE_WHOOP_{name}".upper(), value)
        server.faults.append(_denied)
        page.goto(f"{place.url}/connections")
        page.click("summary:has-text('WHOOP')")
        _agree(page)
        page.wait_for_selector(".job.bad:has-text('the consent was refused; to try again')")
        picture(page, "connections-refused")
        assert grave_findings(page) == []
        server.faults.clear()
        _agree(page)
        page.wait_for_selector("#sources .tag:has-text('connected')", timeout=60_000)
        page.click("text=What is stored")
        picture(page, "connections-connected")
        assert grave_findings(page) == []


def _agree(page: Any) -> None:
    page.click("button[aria-label='Connect WHOOP']")
    with page.context.expect_page() as opened:
        page.click("text=Open WHOOP")
    opened.value.wait_for_load_state()
    opened.value.close()


def _denied(request: Any) -> Answer | None:
    if not request.path.endswith("/auth"):
        return None
    address = f"{request.query['redirect_uri']}?error=access_denied&state={request.query['state']}"
    return Answer(status=302, headers={"Location": address})


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("shape", ["desk", "phone"])
def test_every_page_fits_reads_well_and_is_accessible(
    browser: Any, place: Place, demo: User, scheme: str, shape: str
) -> None:
    trouble = Trouble()
    size = PHONE if shape == "phone" else {"viewport": {"width": 1280, "height": 900}}
    context = browser.new_context(color_scheme=scheme, **size)
    page = trouble.watch(context.new_page())
    for path, title in chain(*NAVIGATION):
        name = path.strip("/") or "today"
        page.goto(f"{place.url}{path}")
        page.wait_for_load_state("networkidle")
        assert page.inner_text("[aria-current=page]") == title
        picture(page, f"{name}-{shape}-{scheme}")
        assert grave_findings(page) == []
        for width in (size["viewport"]["width"], *(WIDTHS if (shape, scheme) == ("desk", "light") else ())):
            page.set_viewport_size({**size["viewport"], "width": width})
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
            assert sticking_out(page) == [], width
        page.set_viewport_size(size["viewport"])
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 22, 20)"
        assert dark == (scheme == "dark")
    context.close()
    assert trouble == []


def test_today_is_short_in_every_language(browser: Any, place: Place, demo: User) -> None:
    heights: dict[str, int] = {}
    for language in languages():
        context = browser.new_context(viewport={"width": 390, "height": 844}, locale=language)
        page = context.new_page()
        page.goto(place.url)
        page.wait_for_selector("#plan .timeline")
        page.wait_for_selector("#advice button")
        page.wait_for_load_state("networkidle")
        picture(page, f"today-390-{language}")
        heights[language] = page.evaluate("document.documentElement.scrollHeight")
        context.close()
    print(heights)
    assert [one for one in heights.items() if one[1] > TODAY_PX_MAX] == []


def test_factors_and_answers_fit_a_narrow_phone(browser: Any, place: Place, demo: User) -> None:
    trouble = Trouble()
    context = browser.new_context(viewport={"width": 320, "height": 700})
    page = trouble.watch(context.new_page())
    page.goto(f"{place.url}/factors")
    page.click("summary:has-text('not known yet')")
    assert page.locator("details tbody tr:first-child td .name:has-text('The next day')").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert grave_findings(page) == []
    picture(page, "factors-narrow")
    page.goto(f"{place.url}/ask?text=how much deep sleep by weekday in November")
    page.wait_for_selector("table.figures th:has-text('Wednesday')")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert grave_findings(page) == []
    picture(page, "ask-narrow")
    context.close()
    assert trouble == []


def test_labels_of_a_phone_do_not_overlap_in_german(browser: Any, place: Place, demo: User) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, locale="de-DE")
    page = context.new_page()
    page.goto(f"{place.url}/factors")
    page.click("details:has(.name) > summary")
    over = """found => found.filter(one => one.checkVisibility()).map(one => {
        const cell = one.parentElement, begin = cell.getBoundingClientRect().left;
        return one.getBoundingClientRect().right - begin - parseFloat(getComputedStyle(cell).paddingLeft);
    })"""
    assert max(page.eval_on_selector_all("td > .name", over)) <= 0
    page.goto(f"{place.url}/day?date=2026-11-21")
    page.wait_for_selector(".outlook")
    wide = "found => found.filter(one => one.scrollWidth > one.clientWidth).map(one => one.textContent)"
    assert page.eval_on_selector_all(".outlook th, .outlook td", wide) == []
    context.close()


def test_who_logs_in_may_leave(browser: Any, place: Place, demo: User, page: Any) -> None:
    from bridge.auth import access

    access.set_password(place.bridge.store, demo, "correct horse", now=installation.now())
    page.goto(place.url)
    picture(page, "login")
    assert grave_findings(page) == []
    page.fill("[name=name]", DEMO_USER)
    page.fill("[name=password]", "correct horse")
    page.click("button:has-text('Log in')")
    page.wait_for_selector("#advice")
    picture(page, "today-logged-in")
    page.click("text=Log out")
    page.wait_for_selector("text=Who are you?")


def test_a_button_beside_a_long_tag_keeps_its_word_whole(browser: Any, place: Place, demo: User) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 900})
    page.goto(place.url)
    page.wait_for_selector(".block .what")
    high = page.evaluate(
        """() => {
          const kinds = Object.assign(document.createElement("div"), { className: "kinds" });
          kinds.innerHTML = '<span class="tag plain">verschoben auf Mo Abend</span>';
          kinds.innerHTML += '<button class="small">Erledigt</button>';
          document.querySelector(".block .what").prepend(kinds);
          return kinds.querySelector("button").getBoundingClientRect().height;
        }"""
    )
    page.close()
    assert high < 40
