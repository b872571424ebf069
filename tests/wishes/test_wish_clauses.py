"""The law of clauses, on texts made of them: each is read, told as left aside, or the whole text is refused."""

from __future__ import annotations

from datetime import date
from itertools import product

import pytest

from bridge.wishes.hearing import Heard, heard
from bridge.wishes.hours import NotUnderstood

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
