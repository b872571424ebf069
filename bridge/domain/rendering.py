"""Turn facts into words for an audience, which is a group of readers who may or may not read private titles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from functools import cache
from string import Formatter
from typing import Any

from bridge.domain.fact_messages import EARLIER, MESSAGES, WORDS, Plural, Row, Titled
from bridge.domain.facts import PROSE, Fact, Private, Value
from bridge.domain.languages import Text, listed, say, unpacked
from bridge.domain.sport_names import sport_name, subject

SPORT_TITLED = "last_sport"  # the kind of fact whose title is a source's word for a sport
SUBJECTS = frozenset({SPORT_TITLED, "usual_later", "wish_unmet"})  # whose titles may be of sports
UNSAID = {"what": "entry", "on": "today"}  # values that facts may lack
ANDED = "kinds"  # the value whose words are joined with "and"


class Audience(StrEnum):
    """A group of readers, such as the person or an assistant."""

    PERSON = "person"  # the person whose data it is: page, command line, API with the person's own token
    ASSISTANT_WITH_TITLES = "assistant_with_titles"
    ASSISTANT = "assistant"  # without the consent to titles
    LOCK_SCREEN = "lock_screen"  # messages, Web Push, MQTT, web hooks, shared meters, calendars of others
    WEB_HOOK_WITH_TITLES = "web_hook_with_titles"  # where BRIDGE_WEBHOOK_TITLES allows them
    LOG = "log"  # logs, diagnostics, errors, metrics

    @property
    def reads_titles(self) -> bool:
        return self in {Audience.PERSON, Audience.ASSISTANT_WITH_TITLES, Audience.WEB_HOOK_WITH_TITLES}


def revealed(private: Private | None, audience: Audience) -> str | None:
    """Return private words for an audience that may read titles, and None for any other audience."""
    return private.reveal() if private is not None and audience.reads_titles else None


def rendered(fact: Fact, audience: Audience) -> Text | None:
    """Return a fact as a text that ``shown`` can translate, or None if nothing of it may be said to the audience."""
    if fact.kind == PROSE:
        return unpacked(str(fact.values["text"])) if audience is Audience.PERSON else None
    title = None if audience is Audience.ASSISTANT_WITH_TITLES else revealed(fact.title, audience)
    found = _message(MESSAGES.get(fact.kind) or EARLIER[fact.kind], titled=title is not None)
    if found is None:
        return None
    message, many = found
    values = _values(message, fact, audience)
    if title is not None and fact.kind in SUBJECTS:
        title = sport_name(title) if fact.kind == SPORT_TITLED else subject(title)
    return None if values is None else Text(message, many, {**values, "title": title})


def _message(row: Row, *, titled: bool) -> tuple[str, str | None] | None:
    if isinstance(row, Plural):
        return row.one, row.several
    if not isinstance(row, Titled):
        return row.message, None
    chosen = row.titled if titled else row.without
    return None if chosen is None else (chosen.message, None)


def reasons(facts: Iterable[Fact], audience: Audience) -> list[str]:
    """Return facts in words for an audience, without the facts of which the audience may read nothing."""
    return [text for fact in facts if (text := rendered(fact, audience)) is not None]


def for_person(facts: Iterable[Fact]) -> list[str]:
    return reasons(facts, Audience.PERSON)


def told(fact: Fact) -> str:
    """Return a fact in words, with titles, for the person whose data it is about."""
    return rendered(fact, Audience.PERSON) or ""


def _values(message: str, fact: Fact, audience: Audience) -> dict[str, Any] | None:
    dated = _dated(message)
    values = {**{name: word for name, word in UNSAID.items() if f"{{{name}}}" in message}, **fact.values}
    found = {name: _told(name, value, audience, dated) for name, value in values.items()}
    return None if any(found[name] is None and isinstance(values[name], Fact) for name in found) else found


@cache
def _dated(message: str) -> frozenset[str]:
    return frozenset(name for _, name, form, _ in Formatter().parse(message) if name and form and "%" in form[:-1])


def _told(name: str, value: Value, audience: Audience, dated: frozenset[str]) -> Any:
    if isinstance(value, tuple):
        parts = [_told(name, one, audience, dated) for one in value]
        return _anded(parts) if name == ANDED else listed([part for part in parts if part is not None])
    if isinstance(value, Fact):
        return rendered(value, audience)
    if isinstance(value, str) and name in dated:
        return datetime.fromisoformat(value)
    return WORDS[name].get(value, value) if isinstance(value, str) and name in WORDS else value


def _anded(words: Sequence[str]) -> str:
    if len(words) < 2:
        return "".join(words[:1]) if not words else words[0]
    if len(words) == 2:
        return say("{first} and {last}", first=words[0], last=words[1])
    return say("{first}, {second} and {last}", first=words[0], second=words[1], last=words[-1])
