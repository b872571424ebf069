"""Answer a query of a person from the store, typed or plain."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from bridge.domain.errors import SetupError
from bridge.domain.languages import say
from bridge.domain.metrics import Metric
from bridge.domain.slots import local_time
from bridge.query import exposures
from bridge.query.answer import Answer, answer
from bridge.query.model import TITLED, VERSUS
from bridge.query.parse import Words, query_of
from bridge.query.plain import TEXT_MAX, NotRead, read
from bridge.query.plain_names import noted
from bridge.query.plain_words import note_classes
from bridge.query.rows import Tables, load_tables
from bridge.query.translated import translated

if TYPE_CHECKING:
    from bridge.domain.records import User
    from bridge.installation import Bridge


# Said of entries, these ask for meetings alone; "meetings and appointments" are all entries.
OF_MEETINGS = re.compile(r"(?<!\w)(?:meeting(?!s? friends)|besprechung|conference call)", re.IGNORECASE)
OF_ENTRIES = re.compile(r"entr(?:y|ies)|appointment|event|items|eintr[aä]g|\w*termin", re.IGNORECASE)
ENTRIES = re.compile(r"(?<![\w ])entries\b")
ALONE = re.compile(r"\bstress\b")
# The first that is told answers.
STRESS = (Metric.STRESS, Metric.DAILY_STRESS, Metric.STRESS_MANAGEMENT)
TITLES = re.compile(rf"(?:^|(?<=\.)|(?<={VERSUS})){TITLED}[^<>=!]*[^<>=!\s]")


def typed(bridge: Bridge, user: User, words: Words, *, now: datetime, titles: bool = False) -> tuple[Answer, Tables]:
    """Return the answer to a typed query, and the rows it rests on. Raises SetupError for what is no query.

    With ``titles``, which only the person's own surfaces give, days are parted by the titles of entries, too.
    """
    named = _titled(words) if titles else []
    query = query_of(words, factors=lambda: [*exposures.names(bridge.store, user), *named])
    tables = load_tables(bridge, user, query, now=now)
    return answer(query, tables), tables


def _titled(words: Words) -> list[str]:
    """Return the factors of a query that are words in the titles of entries."""
    parts = [words.what, *words.where, words.against or ""]
    return [found[0].lower() for one in parts for found in TITLES.finditer(one)]


def plain(bridge: Bridge, user: User, text: str, *, now: datetime, titles: bool = False) -> tuple[Answer, Tables]:
    """Return the answer to a plain question, read by the grammar, else by the language model that the settings name.

    Raises SetupError for a question that is not understood as a whole.
    """
    today = local_time(now, user.zones).date()
    names = exposures.names(bridge.store, user)
    try:
        words = read(text, today, names)
    except NotRead:
        if not text.strip() or len(text) > TEXT_MAX or (found := translated(bridge.settings, text, today)) is None:
            raise
    else:
        named = {one.removeprefix("before.") for one in (words.what, *words.where, words.against or "")}
        said = {one for one in noted(text)[1] if not one.startswith(TITLED)}
        for name in {*note_classes(), *said} - {one.lower() for one in names}:
            if any(one == name or one.startswith(f"{name} ") for one in named):
                raise SetupError(
                    say("you have not noted {name} yet; note it on Today, or ask for another note", name=name)
                )
        if OF_MEETINGS.search(text) and not OF_ENTRIES.search(text):
            words = _renamed(words, ENTRIES, "meetings")
        words = _of_stress(bridge, user, words)
        told, tables = typed(bridge, user, words, now=now, titles=titles)
        for name in {*_titled(words)}:
            if not any(tables.by_day(name).values()):
                raise SetupError(
                    say(
                        "no entry of your calendar is named {name}, and you have not noted it",
                        name=name.removeprefix(TITLED),
                    )
                )
        return told, tables
    words, model = found
    words = _of_stress(bridge, user, words)
    told, tables = typed(bridge, user, words, now=now)
    return replace(told, translated_by=model), tables


def _renamed(words: Words, name: re.Pattern[str], other: str) -> Words:
    """Return a query with another name for what is asked for, in its conditions too, but for titles of entries."""
    what, *where = (one if TITLED in one else name.sub(other, one) for one in (words.what, *words.where))
    against = words.against if words.against is None or TITLED in words.against else name.sub(other, words.against)
    return replace(words, what=what, where=where, against=against)


def _of_stress(bridge: Bridge, user: User, words: Words) -> Words:
    """Return a query of stress as one of the figure of stress that a source of the user tells.

    A score of stress management is high where stress is low, so it answers no condition, no end and no difference.
    """
    if not any("stress" in one for one in (words.what, *words.where, words.against or "")):
        return words
    told = bridge.store.daily.told(user.id, STRESS)
    if Metric.STRESS in told or Metric.DAILY_STRESS in told:
        return words if Metric.STRESS in told else _renamed(words, ALONE, Metric.DAILY_STRESS)
    plain = words.what == Metric.STRESS and words.of in (None, "mean", "median") and words.against is None
    return replace(words, what=str(Metric.STRESS_MANAGEMENT)) if told and plain else words
