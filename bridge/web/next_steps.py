"""Turn commands that an error's text names into links to the pages that do the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from markupsafe import Markup, escape

from bridge import registry
from bridge.documents.text import writable
from bridge.domain.languages import _, say, shown
from bridge.web import phrases

Place = tuple[str, str]  # address and title
CONNECTIONS: Place = "/connections", say("Connections")
TODAY: Place = "/", say("Today")
SETTINGS_PAGE: Place = "/settings", say("Settings")
BEGIN: Place = "/begin", say("What do you have?")
PAGE_OF_COMMAND: Mapping[str, Place] = {
    "ask": ("/ask", say("Ask")),
    "calendar": ("/week", say("Week")),
    "checkin": TODAY,
    "classify": TODAY,
    "connect": BEGIN,
    "days": ("/trends", say("Trends")),
    "disconnect": CONNECTIONS,
    "doctor": CONNECTIONS,
    "effect": ("/effects", say("Effects")),
    "export": SETTINGS_PAGE,
    "feedback": ("/history", say("History")),
    "forget": SETTINGS_PAGE,
    "history": ("/history", say("History")),
    "import": ("/connections#files-head", say("Import a file")),
    "meters": TODAY,
    "mode": ("/different", say("This day is different")),
    "note": ("/factors", say("Factors")),
    "notify": SETTINGS_PAGE,
    "observe": TODAY,
    "personalise": ("/belief", say("About me")),
    "plan": TODAY,
    "prefer": CONNECTIONS,
    "recommend": TODAY,
    "review": ("/review", say("Review")),
    "routine": ("/belief", say("About me")),
    "share": SETTINGS_PAGE,
    "sources": BEGIN,
    "status": CONNECTIONS,
    "sync": CONNECTIONS,
    "today": TODAY,
    "token": SETTINGS_PAGE,
    "user password": SETTINGS_PAGE,
    "user zone": SETTINGS_PAGE,
    "trial": ("/effects", say("Effects")),
    "watch": ("/effects", say("Effects")),
    "wish": ("/wishes", say("Wishes")),
}
# What leads to a command and says nothing without it: "; see: ", ", then: ", " (see: ", ", or see: ".
LEAD = r"(?:(?:[;,.]|^|\s?\()\s*(?:\w+ )?\w+:\s|:?\s|^)"
ARGUMENTS = r"[^,;)`\n]*"
COMMAND = re.compile(rf"{LEAD}(?<![Tt]he )`?bridge (?!meters map)({'|'.join(PAGE_OF_COMMAND)})\b({ARGUMENTS})`?\)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A text without the commands that pages replace, and these pages as (address, title)."""

    text: str
    places: tuple[Place, ...] = ()


def told_on_page(text: str) -> Told:
    """Return a text in the current language, without the commands that pages replace, and these pages.

    >>> told_on_page("it is too old; see: bridge history --user ana")
    Told(text='it is too old', places=(('/history', 'History'),))
    >>> told_on_page("the bridge stops; add one: bridge user add ana").places
    ()
    """
    whole = shown(text)
    places = tuple(dict.fromkeys(_place(found[1], found[2]) for found in COMMAND.finditer(whole)))
    return Told(text=COMMAND.sub("", whole).strip().removesuffix(":"), places=places)


def _place(command: str, arguments: str) -> Place:
    source = next(iter(arguments.split()), "")
    if command not in ("connect", "disconnect", "sync") or source not in registry.names("connectors"):
        return PAGE_OF_COMMAND[command][0], shown(PAGE_OF_COMMAND[command][1])
    name = phrases.source_title(source)
    return f"/connections#{source}", _("Connect {source}", source=name) if command == "connect" else name


def without_commands(text: str) -> str:
    """Return a text in the current language, without those commands of the terminal for which there is a page."""
    return writable(told_on_page(text).text)


def with_links(text: str) -> Markup:
    """Return a text for a page without its commands for which there is a page, followed by links to those pages."""
    found = told_on_page(text)
    end = "." if found.places and not found.text.endswith((".", "?", "!")) else ""
    return Markup(" ").join([escape(writable(found.text) + end), *_links(found)])


def step_links(text: str) -> Markup:
    """Return links to the pages for the commands in a text, without the text itself."""
    return Markup(" ").join(_links(told_on_page(text)))


def _links(found: Told) -> Iterator[Markup]:
    for address, title in found.places:
        yield Markup('<a href="{}">{}</a>').format(address, title)


def as_lines(text: str) -> str:
    """Return a text for a script of the page, without the commands that pages replace.

    The text is the first line. Each link has a further line, with its address, a tab and its title.
    """
    found = told_on_page(text)
    told = writable(found.text).replace("\n", " ")
    return "\n".join([told, *(f"{address}\t{title}" for address, title in found.places)])
