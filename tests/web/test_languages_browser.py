"""The page in German in a real browser: ``make test-web``. Pictures of it land in ``build/screens``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po

import bridge
from bridge import installation
from bridge.advice import requests, rescheduling
from bridge.auth import access
from bridge.domain.records import User
from lab.benchmarks.web import advised
from rhythm_env.interface import Answer
from tests.web.browsing import PHONE, Trouble, grave_findings, picture, sticking_out
from tests.web.served import Place
from tests.web.test_browser import browser, demo, life

__all__ = ["browser", "demo", "life"]

pytestmark = pytest.mark.web

DESKTOP = {"viewport": {"width": 1280, "height": 900}}
PAGES = {
    "today": "/",
    "week": "/week",
    "history": "/history",
    "review": "/review",
    "effects": "/effects",
    "trends": "/trends",
    "belief": "/belief",
    "connections": "/connections",
    "settings": "/settings",
    "wishes": "/wishes",
    "begin": "/begin",
    "begin-apple": "/begin/apple",
    "keys": "/connections/whoop/keys",
    "nothing": "/begin/nothing",
}
WORDS_LEAST = 3  # of a message with placeholders, or within a longer text; fewer may be a title of the calendar
GERMAN = Path(bridge.__file__).parent / "locale" / "de" / "LC_MESSAGES" / "bridge.po"
TEXTS = """() => {
  const found = [];
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.nodeType === Node.TEXT_NODE) {
      if (!node.parentElement.closest("script, style, code, noscript, option[lang]")) found.push(node.textContent);
    } else {
      found.push(...["aria-label", "title", "placeholder", "data-say"].map((name) => node.getAttribute(name) || ""));
    }
  }
  return found.map((text) => text.replace(/\\s+/g, " ").trim()).filter(Boolean);
}"""


@cache
def english() -> tuple[re.Pattern[str], frozenset[str]]:
    """A pattern of all longer English messages that German says otherwise, and the short ones as they are."""
    with GERMAN.open("rb") as file:
        messages = [one for one in read_po(file, locale="de") if one.id]
    pairs = [
        (text, said)
        for one in messages
        for text, said in zip(
            [one.id] if isinstance(one.id, str) else one.id,
            [one.string] if isinstance(one.string, str) else one.string,
            strict=True,
        )
    ]
    texts = [re.sub(r"<[^>]+>", "", text) for text, said in pairs if text != said and len(text) > 1]
    long = [text for text in texts if len(re.findall(r"[^\W\d_]{2,}", re.sub(r"\{[^}]*\}", "", text))) >= WORDS_LEAST]
    patterns = [re.sub(r"\\\{[^}]*\\\}", r".+?", re.escape(text)) for text in long]
    short = frozenset(text for text in texts if text not in long and "{" not in text)
    return re.compile("|".join(f"(?:{one})" for one in patterns)), short


def english_in(page: Any) -> list[str]:
    """The texts of a page that hold an English message."""
    pattern, short = english()
    return [text for text in page.evaluate(TEXTS) if text in short or pattern.search(text)]


@pytest.fixture(params=[DESKTOP, PHONE], ids=["desktop", "phone"])
def german(request: pytest.FixtureRequest, browser: Any) -> Iterator[Any]:
    """A page in a browser that prefers German."""
    trouble = Trouble()
    context = browser.new_context(**request.param, locale="de-DE")
    page = trouble.watch(context.new_page())
    page.look = request.node.callspec.id
    yield page
    context.close()
    assert [said for said in trouble if "404" not in said and "403" not in said] == []  # refusals that are wanted


def faults(page: Any, name: str) -> list[str]:
    """Return the faults of the page that is shown, and take a picture of it."""
    picture(page, f"de-{page.look}-{name}")
    found = [f"{name}: {text}" for text in [*english_in(page), *grave_findings(page)]]
    if page.get_attribute("html", "lang") != "de":
        found.append(f"{name}: the language is not named")
    if not page.evaluate("document.documentElement.scrollWidth <= innerWidth"):
        found.append(f"{name}: too wide")
    found += [f"{name}: sticks out of {text}" for text in sticking_out(page)]
    return found


def test_every_page_is_german(place: Place, demo: User, german: Any) -> None:
    _live_through_a_day(place, demo)
    found = []
    for name, path in PAGES.items():
        german.goto(f"{place.url}{path}")
        german.wait_for_load_state("networkidle")
        for details in german.query_selector_all("main details:not([open]) > summary"):
            details.evaluate("summary => summary.parentElement.open = true")
        german.wait_for_load_state("networkidle")
        found += faults(german, name)
    assert found == []


def _live_through_a_day(place: Place, user: User) -> None:
    """Give advice and answers, so that history, review and belief have something to tell."""
    advised(place.bridge, user, 30)
    given = requests.recommend(place.bridge, user, now=installation.now(), seen=True)
    rescheduling.answer(place.bridge, user, given.id, Answer.ACCEPT, now=installation.now(), moved_to=None)


def test_the_first_visit_and_the_login_are_german(place: Place, german: Any) -> None:
    german.goto(place.url)
    assert faults(german, "welcome") == []
    german.fill("input[name=name]", "ana")
    german.click("section[aria-labelledby=begin-head] button")
    german.wait_for_url("**/begin")
    assert faults(german, "first-begin") == []
    (user,) = place.bridge.store.people.users()
    assert place.bridge.store.people.language(user.id) == "de"  # for messages, which no browser asks for
    german.goto(place.url)
    german.wait_for_load_state("networkidle")
    assert faults(german, "empty") == []
    access.set_password(place.bridge.store, user, "a long password", now=installation.now())
    german.goto(place.url)
    assert faults(german, "login") == []
    german.fill("input[name=name]", "ana")
    german.fill("input[name=password]", "wrong")
    german.click("main button.first")
    assert "gehören nicht zusammen" in german.inner_text("main [role=alert]")
    assert faults(german, "login-wrong") == []


def test_a_chosen_language_outranks_that_of_the_browser(place: Place, demo: User, german: Any) -> None:
    german.goto(f"{place.url}/settings")
    german.select_option("#language select", "en")
    german.click("#language button")
    german.wait_for_url("**/settings?saved=language#language")
    assert german.get_attribute("html", "lang") == "en"
    assert len(english_in(german)) > 20  # what is looked for would be found
