"""The law of clauses, on texts made of them: each is read, told as left aside, or the whole text is refused."""

from __future__ import annotations

from datetime import date
from itertools import product

import pytest

from bridge.wishes.hearing import Heard, heard
from bridge.wishes.hours import NotUnderstood
from bridge.wishes.told import sentence
from tests.wishes.corpus import nameless

TODAY = date(2026, 11, 26)
NOT = {  # a veto, the same wish without it, what it depends on, and the times left
    "en": (
        (("no sport", "sport"), ("I'd rather not have any yoga", "yoga")),
        (" while the kids are home", " while my son is at nursery", " because the house is full", ""),
        ("between 9 and 12", "after 4 pm", "before 8 am", "in the morning", "on Saturdays"),
        (", so only", ", only", " - so only"),
        "so",
        "not",
    ),
    "de": (
        (("kein Sport", "Sport"), ("ich möchte kein Yoga", "Yoga")),
        (", solange mein Sohn daheim ist", ", während die Kinder wach sind", ", weil das Haus voll ist", ""),
        ("zwischen 9 und 12 Uhr", "nach 16 Uhr", "vor 8 Uhr", "vormittags", "samstags"),
        (", also nur", ", deshalb nur", " - nur"),
        "also",
        "nicht",
    ),
}
BESIDE = {  # what is read, clauses that wish something else, and clauses that only tell something
    "en": (
        "Sunday is our family day; On Sundays we visit Gran; yoga on Mondays; no sport before 9",
        (
            "we'd like some quiet then; leave us alone; please no sport that evening; I want to stay by myself; "
            "I'd love to sleep in; no visitors please; at most two suggestions; and never before lunch; "
            "we'd rather not be seen"
        ),
        (
            "the baby sleeps; we eat then; my back hurts; that's bath time; it is so noisy; hold the tea then; "
            "let the dog out; the phone stays off; my daughter waits at school; the studio is closed; "
            "I am on nights; we have lunch then"
        ),
    ),
    "de": (
        "Sonntags ist Familientag; Sonntags sind wir bei Oma; montags Yoga; kein Sport vor 9",
        (
            "da hätten wir gern unsere Ruhe; lass uns da in Ruhe; an dem Abend kein Sport; da bitte kein Besuch; "
            "ich will allein sein; ich würde gern ausschlafen; bitte keine Gäste; höchstens zwei Vorschläge; "
            "und nie vor dem Mittagessen; wir wären lieber unter uns"
        ),
        (
            "das Baby schläft; da essen wir; mein Rücken tut weh; da wird gebadet; das ist so laut; "
            "meine Tochter wartet; das Studio hat zu; ich habe Nachtdienst; das Telefon bleibt stumm"
        ),
    ),
}


def _heard(text: str) -> Heard | None:
    try:
        return heard(text, TODAY)
    except NotUnderstood:
        return None


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_veto_before_only_leaves_what_only_names(language: str) -> None:
    vetoes, grounds, times, joints, thus, nots = NOT[language]
    read, wrong, only = 0, [], joints[0].split()[-1]
    for (veto, plain), ground, time, joint in product(vetoes, grounds, times, joints):
        text = f"{veto}{ground}{joint} {time}"
        if (found := _heard(text)) is not None:
            meant = _heard(f"{plain} {only} {time}")
            read += 1
            wrong += [text] * (meant is None or found.said != meant.said)
    for (veto, _), ground, time in product(vetoes, grounds, times):
        for text in (f"{veto}{ground}, {thus} {nots} {time}", f"{veto}{ground}, {nots} {time}"):
            found, meant = _heard(text), _heard(f"{veto} {time}")
            wrong += [text] * (found is not None and (meant is None or found.said != meant.said))
    assert wrong == []
    assert read > len(vetoes) * len(grounds) * len(times) * len(joints) / 2


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_clause_beside_a_wish_is_read_or_told_or_all_is_refused(language: str) -> None:
    read, wishing, telling = (text.split("; ") for text in BESIDE[language])
    plain = {one: _heard(one) for one in read}
    dropped = []
    for one, other, joint in product(
        read, (*wishing, *telling), (", ", ". ", ", so " if language == "en" else ", also ")
    ):
        found = _heard(f"{one}{joint}{other}")
        said = plain[one]
        if found is None or said is None or found.said != said.said:
            continue
        told = any(word in other or other in word for word in found.aside)
        dropped += [f"{one}{joint}{other}"] * (other in wishing or not told)
    assert dropped == []


SAID = {  # in the words of people who write formally, at length, or with a reason
    "nothing from five to seven, we're having dinner then": "everything that is suggested not from 17:00 to 19:00",
    "nothing between 6 and 8: getting them ready for school": "everything that is suggested not from 06:00 to 08:00",
    "Von fünf bis sieben nichts, da essen wir zu Abend": "everything that is suggested not from 17:00 to 19:00",
    "Tuesday is choir, so no suggestions that evening": (
        "everything that is suggested not on Tuesdays from 18:00 to 24:00"
    ),
    "Dienstag ist Chor, da abends keine Vorschläge": "everything that is suggested not on Tuesdays from 18:00 to 24:00",
    "nothing before ten on my days off, those are Wednesdays and Thursdays": (
        "everything that is suggested not on Wednesdays and Thursdays from 00:00 to 10:00"
    ),
    "emails can wait until the afternoon": "all office work and errands, not only emails, not before 12:00",
    "I don't do sport on an empty stomach, so not before 10": "exercise not before 10:00",
    "No sport on Saturdays, the pool is full then": "exercise not on Saturdays",
    "Ich wäre Ihnen dankbar, wenn Sie mich vor halb neun nicht störten": (
        "everything that is suggested not before 08:30"
    ),
    "Sunday is our family day, leave me alone on Mondays": (
        "family time best on Sundays; everything that is suggested not on Mondays"
    ),
    "getting fit is more important than getting things done": "vitality counts 2 times as usual",
    "zwei Läufe die Woche, mehr nicht": "exercise at most 2 times a week",
    "run every day at 6:30": "exercise best at 06:30, over by 08:30; exercise 7 times a week",
    "The kids are in bed by eight, so series only after that": "watching series not before 20:00",
    "Mails erst am Nachmittag": "all office work and errands, not only Mails, not before 12:00",
    "vormittags bis zwölf Fokusarbeit, Mails danach": (
        "focused work best from 08:00 to 12:00; office work and errands best from 12:00 to 24:00"
    ),
    "If it's all right with you, Wednesday afternoon is for the grandchildren": (
        "family time best on Wednesdays from 12:00 to 18:00"
    ),
    "a swim on Saturdays, and on Sundays nothing at all": (
        "exercise best on Saturdays; everything that is suggested not on Sundays"
    ),
    "Freitags kommt Mama zu Besuch, lass uns da in Frieden": "everything that is suggested not on Fridays",
    "on weekdays in bed by half ten, weekends I don't care": (
        "in bed by 22:30 on Mondays, Tuesdays, Wednesdays, Thursdays and Fridays"
    ),
}
REFUSED = """
no sport while the kids are home, so from nine to twelve; no sport on Mondays, only between 9 and 12
three runs a week, it is too many; yoga on Mondays, that is over; no sport on Sundays, it was a joke
Sundays are for family, leave me alone after eight; one suggestion at a time, three a day at most
bed at ten, Fridays any time; samstags keine Arbeit, der Markt ist die Ausnahme; I hate sport, only on Sundays
nothing between five and eight, breakfast excluded; eine Folge am Abend, mehr nicht"""


def test_each_kind_of_saying_is_understood() -> None:
    assert {text: sentence(nameless(heard(text, TODAY).said)) for text in SAID} == SAID


def test_what_undoes_or_does_not_fit_the_wish_refuses_it() -> None:
    texts = [one.strip() for line in REFUSED.strip().splitlines() for one in line.split(";")]
    assert {text: _heard(text) for text in texts} == dict.fromkeys(texts)
