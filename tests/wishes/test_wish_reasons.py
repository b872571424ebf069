"""Wishes with a reason beside them, weights of meters, and wishes taken back: what may be left aside, and what not."""

from __future__ import annotations

from datetime import date

import pytest

from bridge.domain.wishes import NightWish, Wishes
from bridge.wishes.examples import _texts, examples, halved, is_task, two_ways
from bridge.wishes.hearing import heard, understood
from bridge.wishes.hours import NotUnderstood
from bridge.wishes.said import applied
from bridge.wishes.told import sentence
from rhythm_env.interface import ActionType, Meter
from tests.wishes.corpus import nameless

TODAY = date(2026, 11, 26)

REASONS = {  # wish -> texts that say it with a reason or a background
    "no work before 9": "no work before 9, I need my coffee first lol; my brain is slow so no work before 9",
    "no learning after 9 pm": (
        "no learning after 9 pm, I can't sleep otherwise; nach 21 Uhr nicht lernen, sonst lieg ich wach"
    ),
    "learning only on weekends": (
        "learning on weekends only since I work full time; Lernen nur am Wochenende, ich arbeite Vollzeit"
    ),
    "me time once a week": (
        "Mum of three here. Me time once a week or I'll go mad!!; einmal die Woche Zeit für mich, sonst dreh ich durch"
    ),
    "never friends": "never friends because I'm shy; niemals Leute treffen, bin halt introvertiert",
    "no sport after 5 pm": (
        "Baker here, up at 2. No sport after 5 pm; als Bäcker steh ich um zwei auf, also nach 17 Uhr kein Sport"
    ),
    "sport on Sundays": "long run on Sundays; langer Lauf am Sonntag",
    "never meditation": "meditation isn't for me, leave it out for good; Meditieren ist nix für mich, lass das weg",
}
UNSURE = """
I go running, finish by six, maybe; no sport except swimming; keine Serien, außer ich bin krank
I need deep work every weekday, longer on weekends; no more meditation, so sport then; no sport, that's not true
lieber nicht, ich laufe sonntags; I hate it, I run on Sundays; dreimal Sport die Woche, das Gegenteil stimmt
no sport, I need my coffee first; no sport unless it's sunny; three runs a week, short ones; no sport, kidding
three runs a week, not really; never sport, I love sport; no sport, I mean meditation; my kids nap, no sport then
no sport, swimming excepted; no sport, I'm ill; sport on Mondays, I hate it
I like reading, finish by six; no sport until I'm well; no sport since my operation; keine Serien, ich will lernen
no sport at nine, ten is fine; kein Sport, falls ich müde bin
no sport on Mondays, Tuesdays are fine; no work on Sundays, I'm tired and sport too; no sport, that was a mistake"""
BACK = {  # text -> actions of which all is forgotten; none: everything is
    "forget what I said about the gym": {ActionType.EXERCISE},
    "cancel my rule on series": {ActionType.BINGE_WATCH},
    "delete the meditation wish": {ActionType.MEDITATE},
    "vergiss das mit dem Sport wieder": {ActionType.EXERCISE},
    "lösch die Regel mit den Serien": {ActionType.BINGE_WATCH},
    "den Wunsch Meditation löschen": {ActionType.MEDITATE},
    "scrap all my wishes and start over": set(),
    "alle meine Wünsche löschen, ich fang neu an": set(),
}
DOUBTS = """
forget about sport; forget sport; vergiss Sport; vergiss das; Sport vergessen
delete all my wishes except sport; vergiss nicht meine Regel mit den Serien
forget all wishes, I keep the one on sport; delete everything but my sport rule"""
MORE = {
    Meter.VITALITY: "health first; my body matters more than my job; Gesundheit geht vor",
    Meter.COGNITION: "put concentration above everything else; geistig fit bleiben ist mir am wichtigsten",
    Meter.PROGRESS: "getting things done is what counts most for me; im Moment geht die Karriere vor",
    Meter.SERENITY: "peace of mind counts double for me; Gelassenheit vor allem; bitte mehr Gewicht auf innere Ruhe",
    Meter.CONNECTION: "I care most about my friendships; being close to people should count more; Nähe zuerst",
}
NOT_MORE = """
sport first; family first; Familie geht vor; first health then calm
is health more important?; energy should count less; Gesundheit geht nicht vor
my calm should not count more; no health first; work first; der soziale Kram soll weniger zählen"""


def _all(texts: str) -> list[str]:
    return [one.strip() for line in texts.split("\n") for one in line.split(";") if one.strip()]


def test_a_reason_beside_a_wish_is_set_aside_and_told() -> None:
    for plain, texts in REASONS.items():
        for text in _all(texts):
            found = heard(text)
            assert sentence(nameless(found.said)) == sentence(nameless(understood(plain))), text
            for one in found.aside:
                assert one in text
                assert one in sentence(nameless(found.said), found.aside)


def test_what_may_change_a_wish_is_never_set_aside() -> None:
    assert {text: _said(text) for text in _all(UNSURE)} == dict.fromkeys(_all(UNSURE), None)


def test_what_was_wished_is_taken_back_and_never_read_as_a_veto() -> None:
    assert {text: _said(text) for text in _all(DOUBTS)} == dict.fromkeys(_all(DOUBTS), None)
    before = applied(Wishes(), understood("no sport before 9, never tv, meditation twice a week and two ideas at most"))
    for text, actions in BACK.items():
        after = applied(before, understood(text))
        assert not actions & (after.never | after.hours.keys() | after.goals.keys()), text
        assert after.suggestions == (2 if actions else Wishes().suggestions)
        assert (after == Wishes()) is (not actions)


def test_a_meter_that_matters_more_counts_twice() -> None:
    for meter, texts in MORE.items():
        for text in _all(texts):
            assert applied(Wishes(), understood(text)).weights == {meter: 2.0}, text
    assert {text: _said(text) for text in _all(NOT_MORE)} == dict.fromkeys(_all(NOT_MORE), None)


def test_only_the_hours_of_sleep_can_be_wished() -> None:
    nights = "never put me to bed before 11pm; sleep no earlier than 23:00; ins Bett erst ab 23 Uhr vorschlagen"
    assert {_said(text) for text in _all(nights)} == {"not to bed before 23:00"}
    assert _said("sleep only from 23:00 to 6:00") == "in bed by 23:00; up at 06:00"
    assert {_said(text) for text in _all("no naps after 3 pm; kein Mittagsschlaf nach 15 Uhr")} == {
        "naps not after 15:00"
    }
    others = "no sleep; never sleep; sleep on Sundays; at most 8 hours of sleep; sleep from 9 to 5; nicht schlafen"
    assert {_said(text) for text in _all(others)} == {None}
    before = applied(Wishes(), understood("bed by ten, up at six and no naps after 3 pm"))
    after = applied(before, understood("drop the bedtime wish"))
    assert (after.night, after.hours) == (NightWish(up=before.night.up), before.hours)


def _said(text: str) -> str | None:
    try:
        return sentence(nameless(understood(text)))
    except NotUnderstood:
        return None


@pytest.mark.parametrize("language", ["en", "de"])
def test_each_example_for_a_refused_wish_is_understood(language: str) -> None:
    said = _texts()[language]
    forms = [form for text in said.values() if isinstance(text, str) for form in text.split(", ")]
    made = {form.format(a=a, m=m) for form in forms for a in said["actions"].values() for m in said["meters"].values()}
    assert [text for text in made if _said(text) is None] == []


def test_examples_name_what_was_said() -> None:
    assert examples("forget about sport") == ("never sport", "forget my wish about sport")
    assert examples("family first") == ("connection first", "connection matters more")
    assert examples("an hour of sport a day")[0] == "sport at most 30 minutes"
    assert examples("montags vielleicht Freunde") == ("Freunde nur montags", "sonntags nie Freunde")


def test_an_hour_without_its_half_of_the_day_and_a_task_are_told_as_such() -> None:
    assert halved("sport at 7", TODAY) == ("sport at 7 am", "sport at 7 pm")
    assert halved("dienstags um halb sieben laufen", TODAY)[1] == "dienstags um halb sieben abends laufen"
    assert halved("blue at 7", TODAY) == halved("sport on Mondays", TODAY) == ()
    tasks = ("tax return by 10 December, 3 hours", "Steuererklärung bis 10. Dezember, 3 Stunden")
    assert all(is_task(text, TODAY) for text in tasks)
    assert not is_task("an hour of reading every day until May", TODAY)


@pytest.mark.parametrize(
    ("text", "ways"),
    [
        ("no series, no work after 9:30 pm", ("no series after 9:30 pm, no work after 9:30 pm", "never series, {}")),
        ("no sport, no series on Sundays", ("no sport on Sundays, no series on Sundays", "never sport, {}")),
        (
            "keine Serien, keine Arbeit nach 21:30",
            ("keine Serien nach 21:30, keine Arbeit nach 21:30", "nie Serien, {}"),
        ),
        ("no sport, I'm exhausted", ("no sport today", "never sport")),
        ("I'm beat, so no yoga", ("no yoga today", "never yoga")),
        ("kein Sport, ich bin platt", ("kein Sport heute", "nie Sport")),
    ],
)
def test_vetoes_whose_time_is_unclear_are_refused_with_both_meanings(text: str, ways: tuple[str, str]) -> None:
    with pytest.raises(NotUnderstood):
        understood(text, TODAY)
    last = text.partition(", ")[2]
    assert two_ways(text, TODAY) == tuple(one.format(last) for one in ways)
    assert len({understood(one, TODAY) for one in two_ways(text, TODAY)}) == 2


@pytest.mark.parametrize(
    "text",
    [
        "never series, no work after 9:30 pm",
        "no sport, on Sundays no tv",
        "no sport today, I'm exhausted",
        "no sport on Mondays, I'm tired then",
        "never again sport, I'm tired of it",
        "kein Sport heute, ich bin platt",
    ],
)
def test_vetoes_with_a_clear_time_are_read(text: str) -> None:
    assert understood(text, TODAY)
    assert two_ways(text, TODAY) == ()
