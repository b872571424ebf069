"""The plan in a real browser, on a desk and on a phone: timeline, what is next, three gaps, did-you, and wishes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bridge import installation
from bridge.advice import requests as advising
from bridge.domain.records import Deed, Recommendation, User
from bridge.domain.slots import moment_at
from bridge.domain.wishes import Wishes
from bridge.ingest import runs
from rhythm_env.interface import ActionType, Answer
from tests.web.browsing import PHONE, Trouble, chromium, grave_findings, picture
from tests.web.served import Place

pytestmark = pytest.mark.web
DESK = {"viewport": {"width": 1280, "height": 900}}
SHAPES = {"desk-light": (DESK, "light"), "phone-dark": (PHONE, "dark")}
Opened = Callable[[str], Any]


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


def test_the_day_stands_as_a_timeline(place: Place, demo: User, page: Any, shape: str) -> None:
    page.goto(place.url)
    page.wait_for_selector("#plan .timeline")
    page.wait_for_selector("#advice button")
    times = page.locator("#plan .block .time").all()
    assert len(times) > 3
    assert all(one.is_visible() and one.inner_text() for one in times)
    assert page.inner_text("#plan .mark").startswith("11:50")
    words = "[...document.querySelectorAll('#plan .what > p:first-of-type > :last-child')]"
    kinds = page.evaluate(f"{words}.map(one => [one.textContent, one.matches('.kind') && one.checkVisibility()])")
    assert {"Entry", "Suggested", "Wind down", "Sleep"} <= {word for word, _ in kinds}
    assert {word for word, tagged in kinds if tagged} - {"Task", "Preview"} == {"Suggested"}
    colours = page.evaluate(
        "[...new Set([...document.querySelectorAll('#plan .block')].map(one => getComputedStyle(one).borderLeftColor))]"
    )
    assert len(colours) >= 3
    picture(page, f"plan-{shape}")


def test_tomorrow_opens_in_the_evening(
    place: Place, demo: User, page: Any, shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T21:10:00+01:00")
    page.goto(place.url)
    page.click("#plan summary:has-text('Tomorrow')")
    page.wait_for_selector("#plan .tomorrow .timeline .block")
    assert page.locator("#plan .tomorrow .mark").count() == 0
    assert page.locator("#plan .tomorrow .outlook tbody tr").count() == 5
    right = "element => element.getBoundingClientRect().right"
    table, card = (page.eval_on_selector(one, right) for one in ("#plan .outlook", "#plan"))
    assert table <= card
    picture(page, f"plan-evening-{shape}")


def test_what_is_planned_is_next_and_no_advice(
    place: Place, demo: User, page: Any, shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T18:05:00+01:00")
    place.bridge.store.people.save_wishes(demo.id, Wishes(suggestions=0), now=installation.now())
    page.goto(place.url)
    page.wait_for_selector("#advice :text('Next: Date night, 19:30')")
    page.wait_for_selector("#plan .timeline")
    picture(page, f"next-{shape}")
    assert "Keep" not in page.inner_text("main")
    assert page.locator("#advice :is(button, form, a[download])").count() == 0
    (planned,) = page.locator("#plan .block.is-entry", has_text="Date night").all_inner_texts()
    assert planned.split("\n")[0].strip() == "19:30–22:30"
    assert place.bridge.store.recommendations.of_slot(demo.id, moment_at(installation.now(), demo.zones)) is None


def test_three_good_times_to_put_it_off_to(
    place: Place, demo: User, page: Any, shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T18:05:00+01:00")  # entries fill the day
    never = frozenset(ActionType) - {ActionType.MEDITATE}
    place.bridge.store.people.save_wishes(
        demo.id, Wishes(never=never, goals={ActionType.MEDITATE: 7}), now=installation.now()
    )
    page.goto(place.url)
    page.click("#advice summary:has-text('Later')")
    page.wait_for_selector("#advice .gaps button")
    picture(page, f"gaps-{shape}")
    offered = page.locator("#advice .gaps button").all_inner_texts()
    assert len(offered) == 3
    page.click("#advice .gaps button >> nth=1")
    page.wait_for_selector("#advice .tag:has-text('put off to')")
    assert offered[1].partition(" ")[2] in page.inner_text("#advice .big")
    page.wait_for_selector("#advice a:has-text('Add to calendar')")
    kept = _current(place, demo)
    assert kept.start is not None
    assert (kept.answer, kept.moved_to) == (Answer.RESCHEDULE, moment_at(kept.start, demo.zones))
    with page.expect_download() as got:
        page.click("#advice a:has-text('Add to calendar')")
    assert got.value.suggested_filename == f"advice-{kept.id}.ics"
    page.wait_for_selector("#plan .timeline")


def test_the_page_asks_once_did_you(
    place: Place, demo: User, page: Any, shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    advice = advising.recommend(place.bridge, demo, now=installation.now())
    assert isinstance(advice, Recommendation)
    store = place.bridge.store.recommendations
    store.save_outcome(advice.id, Deed.UNKNOWN, (), at=installation.now() + timedelta(hours=3))
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T14:05:00+01:00")
    page.goto(place.url)
    page.wait_for_selector("text=Did you?")
    page.wait_for_selector("#plan .timeline")
    picture(page, f"did-{shape}")
    page.click("button:has-text('Partly')")
    page.wait_for_selector("#plan .timeline")
    assert page.locator("text=Did you?").count() == 0
    kept = store.by_id(advice.id)
    assert kept is not None
    assert kept.outcome is Deed.PARTLY


def test_wishes_are_told_in_half_a_minute(place: Place, demo: User, page: Any, shape: str) -> None:
    page.goto(place.url)
    page.click("nav a:has-text('Settings')")
    page.click("nav a:has-text('Wishes')")
    page.check("[name=never_BINGE_WATCH]")
    page.fill("[name=hours_DEEP_WORK]", "09:00-12:00")
    page.fill("[name=goal_EXERCISE]", "3")
    page.select_option("[name=weight_SERENITY]", label="more")
    page.select_option("[name=suggestions]", "2")
    picture(page, f"wishes-{shape}")
    page.click("text=Save")
    page.wait_for_selector("text=Saved.")
    found = place.bridge.store.people.wishes(demo.id)
    assert (found.never, found.goals) == ({ActionType.BINGE_WATCH}, {ActionType.EXERCISE: 3})
    assert found.suggestions == 2
    assert page.is_checked("[name=never_BINGE_WATCH]")


def test_the_routine_and_the_review_read_well(place: Place, demo: User, page: Any, shape: str) -> None:
    page.goto(f"{place.url}/belief")
    page.wait_for_selector("text=Your routine")
    picture(page, f"routine-{shape}")
    assert grave_findings(page) == []
    page.goto(f"{place.url}/review")
    page.wait_for_selector("text=Suggestions and what became of them")
    picture(page, f"review-{shape}")


def _current(place: Place, user: User) -> Recommendation:
    found = place.bridge.store.recommendations.of_slot(user.id, moment_at(installation.now(), user.zones))
    assert found is not None
    return found


TRIP = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//tests//EN
BEGIN:VEVENT
UID:lh400@example.org
SUMMARY:Flight to New York
DTSTART;TZID=Europe/Berlin:20261120T140000
DTEND;TZID=America/New_York:20261120T163000
END:VEVENT
END:VCALENDAR
"""


def test_the_evening_after_a_flight_is_on_the_clock_of_the_arrival(
    page: Any, place: Place, demo: User, shape: str, tmp_path: Path
) -> None:
    file = tmp_path / "trip.ics"
    file.write_bytes(TRIP.replace("\n", "\r\n").encode())
    runs.import_path(place.bridge, demo, file, at=installation.now())
    page.goto(f"{place.url}/")
    page.wait_for_selector("#plan .timeline")
    rows = page.locator("#plan .timeline > li")
    texts = [text.replace("\n", " ") for text in rows.all_inner_texts()]
    flight = next(k for k, text in enumerate(texts) if "Flight to New York" in text and "from here on" not in text)
    mark = next(k for k, text in enumerate(texts) if "New York time from here on" in text)
    wind_down = next(k for k, text in enumerate(texts) if "Wind down" in text and k > mark)
    assert flight < mark < wind_down
    assert "14:00–16:30" in texts[flight]
    assert any("19:30–22:30" in text and "Date night" in text for text in texts)
    assert texts[wind_down][:2] in ("20", "21", "22")
    picture(page, f"flight-{shape}")
