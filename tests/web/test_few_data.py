"""Pages of a person of whom little is known: they say what is missing, in place of an empty chart."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape
from types import SimpleNamespace
from typing import cast

from bridge import installation
from bridge.advice import requests as advising
from bridge.day.routine import Habit
from bridge.documents.planning import HabitDocument, UsualDocument
from bridge.domain.languages import speaking
from bridge.domain.records import Recommendation, User
from bridge.domain.wishes import Wishes
from bridge.ingest import checkins
from bridge.web.pages import belief
from bridge.web.state import Visit
from rhythm_env.interface import ActionType, Meter
from tests.web.served import Place, Visitor


def test_trends_of_nobody_say_what_a_line_begins_with(place: Place, ana: User) -> None:
    shown = unescape(place.visitor().get("/trends").text)
    assert "Nothing is known of these weeks" in shown
    assert 'href="/begin"' in shown
    assert "data-meter" not in shown
    assert "data-zoom" not in shown
    assert shown.count("It is read from") + shown.count("Nothing is known of it in these weeks. ") == 2 * len(Meter)


def test_few_known_days_are_told_beside_their_chart(place: Place, ana: User) -> None:
    now = installation.now()
    said = checkins.CheckIn(at=now - timedelta(days=1), score=4.0, about=Meter.VITALITY)
    checkins.record_check_in(place.bridge.store, ana, said, now=now)
    shown = unescape(place.visitor().get("/trends").text)
    assert re.findall(r'data-meter="(\w+)"', shown) == ["VITALITY"]
    assert re.search(r"\d days? of these weeks (?:is|are) known. The line grows", shown)
    assert shown.count("Nothing is known of it in these weeks.") == len(Meter) - 1
    assert "data-zoom" in shown


def test_nothing_believed_is_one_card_below_the_routine(place: Place, ana: User, visitor: Visitor) -> None:
    place.bridge.store.people.save_wishes(ana.id, Wishes(goals={ActionType.MEDITATE: 7}), now=installation.now())
    assert isinstance(advising.recommend(place.bridge, ana, now=installation.now()), Recommendation)
    shown = visitor.get("/belief").text
    assert 'class="curve"' not in shown
    assert shown.count("Not known yet") == 1
    assert shown.index("Your routine") < shown.index("Not known yet")
    assert "Time of day: night owl or morning person?" in unescape(shown)
    assert "From 0 answers" not in shown


def test_a_habit_on_more_days_than_it_is_done_says_so(place: Place, ana: User, visitor: Visitor) -> None:
    visit = cast("Visit", SimpleNamespace(now=installation.now()))
    usual = [UsualDocument(weekday=day, start="21:30", name=None) for day in range(6)]
    for often, told in ((4.0, ["Mon, Tue, Wed, Thu, Fri, Sat 21:30", "not on all of them every week"]), (5.6, None)):
        one = HabitDocument(action="MEDITATE", per_week=often, minutes=20, usual=usual)
        found = belief._habit(one, {}, Habit(per_week=often, minutes=20.0), visit)["usual"]
        assert found == (told or ["Mon, Tue, Wed, Thu, Fri, Sat 21:30"])


def test_how_often_a_habit_is_done_is_rounded_to_no_more_than_it_is(place: Place, ana: User) -> None:
    told = ["less than once a week", "about once a week", "about once a week", "about 2 times a week", "every day"]
    assert [belief._often(often) for often in (0.33, 0.67, 1.4, 1.6, 6.8)] == told


def test_a_habit_names_each_entry_and_each_time_once() -> None:
    def at(weekday: int, start: str, name: str | None) -> UsualDocument:
        return UsualDocument(weekday=weekday, start=start, name=name)

    days = [
        at(0, "09:45", "Design doc"),
        at(1, "14:00", None),
        at(2, "09:45", "Design doc"),
        at(4, "10:00", "Design doc"),
    ]
    assert belief._usual(days) == ["Mon, Wed 09:45, Fri 10:00 Design doc", "Tue 14:00"]
    with speaking("de"):
        assert belief._usual([at(4, "18:00", "swimming")]) == ["Fr 18:00 Schwimmen"]
