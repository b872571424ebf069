"""Every kind of answer is in the language of the person: no English word of the catalogue, no date for machines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import product

import pytest
from babel.messages.pofile import read_po

from bridge.domain.errors import SetupError
from bridge.domain.languages import FOLDER, shown, speaking
from bridge.domain.records import User
from bridge.installation import Bridge
from bridge.query import asking
from bridge.query.answered import Answer
from bridge.query.model import Aggregate, By
from bridge.query.parse import Words
from bridge.query.said import said
from bridge.query.understood import sentence
from bridge.web.pages.ask import _answer
from tests.query.life import lived
from tests.query.wearer import NOW

__all__ = ["lived"]
OWN = {"kiting", "hkworkoutactivitytypeyoga"}  # as the source told it
SUBJECTS = (
    "steps",
    "asleep",
    "deep_sleep/asleep",
    "nights",
    "nights.start",
    "workouts",
    "workouts.distance",
    "mindful",
)
OTHERS = (
    Words(what="steps", against="asleep"),
    Words(what="steps", against="weekday >= 6"),
    Words(what="asleep", against="before.workout.minutes > 0"),
    Words(what="asleep", against="weekday = 1 vs weekday = 7"),
    Words(what="steps", against="2025-12-22..2025-12-28", since="2025-12-29", until="2026-01-04"),
    Words(what="steps", of="sum", since="2020-01-01", until="2020-01-31"),
    Words(what="steps", of="mean,min,max,std,median,sum"),
    Words(what="steps", of="max", top=3),
    Words(what="night", since="2026-01-02", until="2026-01-02"),
    Words(what="nights", where=["asleep < 430", "night.start > 23:00", "weekday <= 5"]),
    Words(what="workouts", where=["workout.sport = yoga|rock climbing", "workout.minutes >= 30"]),
    Words(what="workouts", where=["workout.sport = table tennis"]),
    Words(what="entries", where=["action = SOCIALIZE", "entry.start >= 18:00"]),
    Words(what="entries.minutes", per="day", of="max"),
    Words(what="meetings", of="first"),
    Words(what="tasks", where=["task.state = open"]),
    *(Words(what=name) for name in ("zone_minutes", "floors", "sleep_score", "stress", "vitality", "check_in", "spo2")),
    *(Words(what="alcohol", of=of, where=["alcohol > 0"]) for of in ("count", "last", "streak", "ago")),
)


@cache
def english(language: str) -> frozenset[str]:
    """The words of English messages that no message of the language has."""
    with (FOLDER / language / "LC_MESSAGES" / "bridge.po").open("rb") as file:
        catalogue = read_po(file)
    told = [(one.id, one.string) for one in catalogue if one.id]

    def words(texts: Iterator[object]) -> set[str]:
        both = " ".join(part for text in texts for part in ((text,) if isinstance(text, str) else text))  # type: ignore[attr-defined]
        return set(re.findall(r"[^\W\d_]{2,}", re.sub(r"\{[^{}]*\}|<[^>]*>", " ", both).lower()))

    return frozenset(words(one for one, _ in told) - words(other for _, other in told) - OWN)


def texts(found: Answer) -> Iterator[str]:
    page = _answer(found, NOW.date())
    yield from (str(page[one] or "") for one in ("understood", "said", "figure", "reason", "at", "unit"))
    yield from (f"{one['key']} {one['value']}" for one in page["groups"])  # type: ignore[attr-defined]
    yield shown(sentence(found.query))
    yield shown(said(found) or "")


def questions() -> Iterator[Words]:
    groupings = [{"by": str(by)} for by in By] + [{"per": str(per)} for per in (By.DAY, By.WEEK, By.MONTH)] + [{}]
    for what, of, grouping in product(SUBJECTS, Aggregate, groupings):
        yield Words(what=what, of=str(of), **grouping)
    yield from OTHERS


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # no word depends on the database
def test_every_word_of_an_answer_is_of_its_language(lived: tuple[Bridge, User]) -> None:
    bridge, user = lived
    answers: list[Answer] = []
    for words in questions():
        try:
            answers.append(asking.typed(bridge, user, words, now=NOW)[0])
        except SetupError:
            continue  # no query
        if words.what == "alcohol":
            answers.append(asking.plain(bridge, user, "how often did I drink alcohol", now=NOW)[0])
    assert len(answers) > 300
    for language in ("de", "fr"):
        with speaking(language):
            told = {text for found in answers for text in texts(found)}
        wrong = {text for text in told if {*re.findall(r"[^\W\d_]{2,}", text.lower())} & english(language)}
        assert sorted(wrong) == [], language
        assert {text for text in told if re.search(r"\d{4}-(?:\d\d|W\d\d)", text)} == set(), language
