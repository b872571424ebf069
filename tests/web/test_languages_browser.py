"""The page in each further language in a real browser: ``make test-web``. Pictures land in ``build/screens``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from babel.messages.pofile import read_po

from bridge import installation
from bridge.advice import requests, rescheduling
from bridge.auth import access
from bridge.domain.languages import ENGLISH, FOLDER, _, languages, speaking
from bridge.domain.records import User
from lab.benchmarks.web import advised
from rhythm_env.interface import Answer
from tests.web.browsing import PHONE, Trouble, grave_findings, picture, sticking_out
from tests.web.served import Place
from tests.web.test_browser import browser

__all__ = ["browser"]

pytestmark = pytest.mark.web

DESKTOP = {"viewport": {"width": 1280, "height": 900}}
SMALL = {**PHONE, "viewport": {"width": 320, "height": 700}}
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
PARTS = (tuple(PAGES)[:5], ("trends",), tuple(PAGES)[6:])  # trends has ten thousand figures of days
WORD = re.compile(r"[^\W\d_]{2,}")
WORDS_LEAST = 3  # of a message with placeholders, or within a longer text; fewer may be a title of the calendar
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


ONE_TABLE = """() => {
  for (const one of [...document.querySelectorAll("details.behind[open]")].slice(1)) one.open = false;
}"""  # of thirty alike on the page of trends: axe takes a minute over them, and no picture is a hundred thousand high


@cache
def english(language: str) -> tuple[re.Pattern[str], frozenset[str]]:
    """A pattern of all longer English messages that a language says otherwise, and the short ones as they are."""
    with (FOLDER / language / "LC_MESSAGES" / "bridge.po").open("rb") as file:
        messages = [one for one in read_po(file, locale=language) if one.id]
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
    long = [text for text in texts if len(WORD.findall(re.sub(r"\{[^}]*\}", "", text))) >= WORDS_LEAST]
    patterns = [re.sub(r"\\\{[^}]*\\\}", r".+?", re.escape(text)) for text in long]
    short = frozenset(text for text in texts if text not in long and "{" not in text)
    return re.compile("|".join(f"(?:{one})" for one in patterns)), short


def english_in(page: Any) -> list[str]:
    """The texts of a page that hold an English message."""
    pattern, short = english(page.language)
    texts = ((text, len(WORD.findall(text)) >= WORDS_LEAST) for text in page.evaluate(TEXTS))
    return [text for text, is_long in texts if text in short or (is_long and pattern.search(text))]


@pytest.fixture(params=[language for language in languages() if language != ENGLISH])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=[DESKTOP, SMALL], ids=["desktop", "phone"])
def foreign(request: pytest.FixtureRequest, browser: Any, language: str) -> Iterator[Any]:
    """A page in a browser that prefers another language than English."""
    trouble = Trouble()
    context = browser.new_context(**request.param, locale=language)
    page = trouble.watch(context.new_page())
    page.language, page.look = language, request.node.callspec.id
    yield page
    context.close()
    assert [said for said in trouble if "404" not in said and "403" not in said] == []  # refusals that are wanted


def faults(page: Any, name: str) -> list[str]:
    """Return the faults of the page that is shown, and take a picture of it."""
    found = [f"{name}: {text}" for text in english_in(page)]
    if page.get_attribute("html", "lang") != page.language:
        found.append(f"{name}: the language is not named")
    if not page.evaluate("document.documentElement.scrollWidth <= innerWidth"):
        found.append(f"{name}: too wide")
    found += [f"{name}: sticks out of {text}" for text in sticking_out(page)]
    page.evaluate(ONE_TABLE)
    picture(page, f"{page.look}-{name}")
    found += [f"{name}: {text}" for text in grave_findings(page)]
    return found


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part[0])
def test_every_page_speaks_the_language(place: Place, demo: User, foreign: Any, part: tuple[str, ...]) -> None:
    _live_through_a_day(place, demo)
    found = []
    for name in part:
        foreign.goto(f"{place.url}{PAGES[name]}")
        foreign.wait_for_load_state("networkidle")
        for details in foreign.query_selector_all("main details:not([open]) > summary"):
            details.evaluate("summary => summary.parentElement.open = true")
        foreign.wait_for_load_state("networkidle")
        found += faults(foreign, name)
    assert found == []


def _live_through_a_day(place: Place, user: User) -> None:
    """Give advice and answers, so that history, review and belief have something to tell."""
    advised(place.bridge, user, 30)
    given = requests.recommend(place.bridge, user, now=installation.now(), seen=True)
    rescheduling.answer(place.bridge, user, given.id, Answer.ACCEPT, now=installation.now(), moved_to=None)


def test_the_first_visit_and_the_login_speak_it(place: Place, foreign: Any) -> None:
    foreign.goto(place.url)
    assert faults(foreign, "welcome") == []
    foreign.fill("input[name=name]", "ana")
    foreign.click("section[aria-labelledby=begin-head] button")
    foreign.wait_for_url("**/begin")
    assert faults(foreign, "first-begin") == []
    (user,) = place.bridge.store.people.users()
    assert place.bridge.store.people.language(user.id) == foreign.language  # for messages, which no browser asks for
    foreign.goto(place.url)
    foreign.wait_for_load_state("networkidle")
    assert faults(foreign, "empty") == []
    access.set_password(place.bridge.store, user, "a long password", now=installation.now())
    foreign.goto(place.url)
    assert faults(foreign, "login") == []
    foreign.fill("input[name=name]", "ana")
    foreign.fill("input[name=password]", "wrong")
    foreign.click("main button.first")
    with speaking(foreign.language):
        assert _("That name and password do not belong together.") in foreign.inner_text("main [role=alert]")
    assert faults(foreign, "login-wrong") == []


def test_a_chosen_language_outranks_that_of_the_browser(place: Place, demo: User, foreign: Any) -> None:
    foreign.goto(f"{place.url}/settings")
    foreign.select_option("#language select", "en")
    foreign.click("#language button")
    foreign.wait_for_url("**/settings?saved=language#language")
    assert foreign.get_attribute("html", "lang") == "en"
    assert len(english_in(foreign)) > 20  # what is looked for would be found
