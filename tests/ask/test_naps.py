"""Naps in plain questions: how often and how long, and what goes with them."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from bridge.domain.metrics import Metric
from bridge.domain.records import User
from bridge.domain.types import EpisodeKind
from bridge.installation import Bridge
from bridge.query import asking
from bridge.query.plain import read
from bridge.query.said import said
from tests.ask.corpus import TODAY
from tests.query.life import FIRST, ask, at, episode, lived
from tests.query.wearer import NOW, land

__all__ = ["lived"]
Lived = tuple[Bridge, User]
NAPPED = "nap_minutes > 0"
# Day number -> begin, minutes from end to end, minutes asleep if they are told.
NAPS: dict[int, tuple[str, int, float | None]] = {
    0: ("14:00", 30, 20.0),
    2: ("13:00", 60, None),
    8: ("16:00", 45, 40.0),
}


@pytest.fixture
def napped(lived: Lived) -> Lived:
    """A life with three naps, of one of which the sleep is not told."""
    for n, (clock, minutes, asleep) in NAPS.items():
        start = at(FIRST + timedelta(days=n), clock)
        values = {} if asleep is None else {Metric.ASLEEP: asleep}
        end = start + timedelta(minutes=minutes)
        land(lived[0].store, lived[1], [episode(f"nap/{n}", EpisodeKind.NAP, start, end, values)])
    return lived


def test_a_day_has_the_minutes_of_its_naps_and_none_where_only_the_night_is_told(napped: Lived) -> None:
    assert ask(napped, "nap_minutes", of="sum").value == 20 + 60 + 40
    assert ask(napped, "nap_minutes", NAPPED, of="mean").value == 40
    assert ask(napped, "nap_minutes", of="min").value == 0
    assert ask(napped, "days", NAPPED, of="count").value == len(NAPS)
    assert ask(napped, "days", NAPPED, of="last").at == date(2025, 12, 30)
    share = ask(napped, "nap_minutes", NAPPED, of="share")
    assert share.value == pytest.approx(3 / 21)
    assert ask(napped, "asleep", of="mean", against=NAPPED).n == 21


def test_a_nap_is_told_in_the_answer(napped: Lived) -> None:
    asked = {
        "how many naps did I take in December 2025": "there were 3 such days, from 1 Dec 2025",
        "longest nap in December 2025": "you napped for 1 h, at the most, ",
        "when did I last nap": "the last of days, on days with a nap, on 30 Dec 2025",
        "wie lange dauern meine Nickerchen": "you napped for 40 min, on average, ",
    }
    for text, begins in asked.items():
        found = asking.plain(*napped, text, now=NOW)[0]
        assert str(said(found)).startswith(begins), (text, str(said(found)))


@pytest.mark.parametrize(
    ("text", "of", "per"),
    [
        ("how many naps did I take in September", "count", None),
        ("how often did I nap last month", "count", None),
        ("on how many days did I have a siesta this year", "count", None),
        ("did I nap yesterday", "count", None),
        ("how often do I nap", "mean", "week"),
        ("when was my last power nap", "last", None),
        ("wie oft mache ich Mittagsschlaf", "mean", "week"),
        ("wie viele Nickerchen hatte ich im September", "count", None),
        ("an wie vielen Tagen habe ich im September einen Mittagsschlaf gemacht", "count", None),
        ("Mittagsschläfchen letzte Woche", "count", None),
        ("wann war mein letztes Nickerchen", "last", None),
    ],
)
def test_naps_are_counted_by_days(text: str, of: str, per: str | None) -> None:
    found = read(text, TODAY)
    assert (found.what, found.of, found.per, list(found.where)) == ("days", of, per, [NAPPED])


@pytest.mark.parametrize(
    ("text", "of", "where"),
    [
        ("how long do I nap", "mean", [NAPPED]),
        ("average nap length this year", "mean", [NAPPED]),
        ("how long was my nap yesterday", "mean", [NAPPED]),
        ("my longest nap in September", "max", [NAPPED]),
        ("how many minutes did I nap last week", "sum", []),
        ("wie lange dauert mein Mittagsschlaf im Schnitt", "mean", [NAPPED]),
        ("wie lang ist mein Nickerchen normalerweise", "mean", [NAPPED]),
        ("längster Mittagsschlaf diesen Monat", "max", [NAPPED]),
        ("wie viele Minuten Mittagsschlaf hatte ich letzte Woche", "sum", []),
    ],
)
def test_how_long_naps_were_is_of_days_with_one(text: str, of: str, where: list[str]) -> None:
    found = read(text, TODAY)
    assert (found.what, found.of, list(found.where)) == ("nap_minutes", of, where)


@pytest.mark.parametrize(
    ("text", "what", "where", "against"),
    [
        ("do I sleep worse after a nap", "sleep_score", [], "before.nap_minutes > 0"),
        ("do naps affect my deep sleep", "deep_sleep", [], "before.nap_minutes > 0"),
        ("average steps on days with a nap", "steps", [NAPPED], None),
        ("is my stress lower on days when I nap", "stress", [], NAPPED),
        ("schlafe ich nach einem Mittagsschlaf kürzer", "asleep", [], "before.nap_minutes > 0"),
        ("Schritte an Tagen mit Nickerchen", "steps", [NAPPED], None),
        ("wie lange schlafe ich nach Tagen mit Mittagsschlaf", "asleep", ["before.nap_minutes > 0"], None),
    ],
)
def test_a_nap_is_a_condition_of_its_day(text: str, what: str, where: list[str], against: str | None) -> None:
    found = read(text, TODAY)
    assert (found.what, list(found.where), found.against) == (what, where, against)
