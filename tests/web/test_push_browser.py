"""A message wakes the page's worker in Chromium, and its buttons give the answer or lead to the page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bridge import installation
from bridge.advice import answer_links
from bridge.advice import requests as advising
from bridge.advice.web_push import Notice
from bridge.domain.records import Recommendation, User
from bridge.ingest import runs
from rhythm_env.interface import Answer
from tests.web.browsing import chromium, grave_findings
from tests.web.served import Place, calendar
from tests.world import introduce

pytestmark = pytest.mark.web
CLICK = """async (action) => {
  const [shown] = await self.registration.getNotifications();
  const click = new NotificationEvent("notificationclick", { notification: shown, action });
  self.dispatchEvent(click);
  return shown.title;
}"""
SHOWN = """async () => {
  const all = await self.registration.getNotifications();
  return all.map((one) => ({ title: one.title, body: one.body, actions: one.actions.map((a) => a.title) }));
}"""
OPENED = """async () => {
  for (let n = 0; n < 200 && !self.opened.length; n++) await new Promise((over) => setTimeout(over, 50));
  return self.opened;
}"""  # ten seconds at most


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture
def given(place: Place, ana: User, tmp_path: Path) -> Recommendation:
    (tmp_path / "mine.ics").write_bytes(calendar())
    runs.import_path(place.bridge, ana, tmp_path / "mine.ics", at=installation.now())
    introduce(place.bridge.store, ana, now=installation.now())
    found = advising.recommend(place.bridge, ana, now=installation.now(), seen=False)
    assert isinstance(found, Recommendation)
    return found


@pytest.fixture
def page(place: Place, browser: Any, given: Recommendation) -> Iterator[Any]:
    context = browser.new_context()
    context.grant_permissions(["notifications"], origin=place.url)
    opened = context.new_page()
    opened.goto(f"{place.url}/settings")
    opened.evaluate("navigator.serviceWorker.ready.then(() => null)")
    opened.reload()  # from now on the worker controls the page
    yield opened
    context.close()


def deliver(place: Place, page: Any, notice: Notice) -> Any:
    """Let the browser hand a message to the worker, as if its push service had; return the worker."""
    session = page.context.new_cdp_session(page)
    registrations: list[Any] = []
    session.on("ServiceWorker.workerRegistrationUpdated", lambda told: registrations.extend(told["registrations"]))
    session.send("ServiceWorker.enable")
    for _ in range(50):
        if registrations:
            break
        page.wait_for_timeout(100)
    number = registrations[-1]["registrationId"]
    body = {"origin": place.url, "registrationId": number, "data": notice.body.decode()}
    session.send("ServiceWorker.deliverPushMessage", body)
    (worker,) = page.context.service_workers
    for _ in range(200):
        if worker.evaluate(SHOWN):
            return worker
        page.wait_for_timeout(100)
    raise AssertionError("no message is shown")


def notice_of(place: Place, given: Recommendation) -> Notice:
    answers = answer_links.paths(place.bridge, given)
    return Notice(title="Meditate, 10:30 to 10:40", text="ten quiet minutes", tag="advice", answers=answers)


@pytest.mark.parametrize(("word", "said"), [("Accept", Answer.ACCEPT), ("Not now", Answer.IGNORE)])
def test_a_button_of_the_message_gives_the_answer(
    place: Place, given: Recommendation, page: Any, word: str, said: Answer
) -> None:
    worker = deliver(place, page, notice_of(place, given))
    (shown,) = worker.evaluate(SHOWN)
    assert (shown["title"], shown["body"]) == ("Meditate, 10:30 to 10:40", "ten quiet minutes")
    assert shown["actions"][:2] == ["Accept", "Not now"]
    worker.evaluate(CLICK, word)
    for _ in range(50):
        kept = place.bridge.store.recommendations.by_id(given.id)
        assert kept is not None
        if kept.answer is not None and kept.shown_at is not None:  # two writes, one after the other
            break
        page.wait_for_timeout(100)
    assert kept.answer is said
    assert kept.shown_at is not None
    assert worker.evaluate(SHOWN) == []


def test_later_leads_to_good_times_and_answers_nothing_yet(place: Place, given: Recommendation, page: Any) -> None:
    """A worker may open a window only after a real click, so what it asks to open is looked at."""
    worker = deliver(place, page, notice_of(place, given))
    worker.evaluate("() => { self.opened = []; self.clients.openWindow = async (to) => self.opened.push(to); }")
    worker.evaluate(CLICK, "Later")
    (link,) = worker.evaluate(OPENED)
    kept = place.bridge.store.recommendations.by_id(given.id)
    assert kept is not None
    assert (kept.answer, kept.shown_at) == (None, None)
    page.goto(f"{place.url}{link}")
    page.wait_for_selector("button:has-text('Later')")
    assert grave_findings(page) == []


def test_an_answer_that_is_no_longer_taken_leads_to_the_page(
    place: Place, given: Recommendation, page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = deliver(place, page, notice_of(place, given))
    worker.evaluate("() => { self.opened = []; self.clients.openWindow = async (to) => self.opened.push(to); }")
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-21T10:05:00+01:00")
    worker.evaluate(CLICK, "Accept")
    (link,) = worker.evaluate(OPENED)
    assert link.startswith("/answer/")
    kept = place.bridge.store.recommendations.by_id(given.id)
    assert kept is not None
    assert kept.answer is None


def test_a_message_without_answers_leads_to_its_page(place: Place, page: Any) -> None:
    worker = deliver(place, page, Notice(title="Your week", text="It went well.", tag="review", page="/review"))
    worker.evaluate("() => { self.opened = []; self.clients.openWindow = async (to) => self.opened.push(to); }")
    worker.evaluate(CLICK, "")
    assert worker.evaluate(OPENED) == ["/review"]


def test_the_button_is_offered_where_the_browser_takes_messages(place: Place, page: Any) -> None:
    assert page.is_visible("button:has-text('Send them to this browser')")
    assert grave_findings(page) == []
