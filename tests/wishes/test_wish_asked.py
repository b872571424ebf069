"""What is wanted less is told as left aside, and a text that leaves something open is answered with a question."""

from __future__ import annotations

from datetime import date
from itertools import product

import pytest

from bridge.advice.wishing import say_wish
from bridge.domain.errors import SetupError
from bridge.store import Store
from bridge.wishes.examples import lacking
from bridge.wishes.hearing import heard, understood
from bridge.wishes.hours import NotUnderstood
from tests.day.test_outcomes import NOON

TODAY = date(2026, 11, 20)
LESS = {  # wishes, and forms in which something else is wanted less
    "en": (
        ("read in the evenings", "three runs a week", "family on Sundays", "meditate every morning"),
        ("{wish} instead of {other}", "instead of {other}, {wish}", "rather {wish} than {other}"),
        ("watch series", "work", "tv"),
    ),
    "de": (
        ("abends lesen", "dreimal die Woche laufen", "sonntags Familie", "jeden Morgen meditieren"),
        ("{wish} statt {other}", "statt {other}, {wish}", "lieber {wish} als {other}"),
        ("Netflix", "Arbeit", "Fernsehen"),
    ),
}


@pytest.mark.parametrize("language", ["en", "de"])
def test_what_is_wanted_less_is_left_aside_and_told(language: str) -> None:
    wishes, forms, others = LESS[language]
    for wish, form, other in product(wishes, forms, others):
        found = heard(form.format(wish=wish, other=other), TODAY)
        assert found.said == understood(wish, TODAY), form
        assert other in found.aside[-1], form


@pytest.mark.parametrize(
    ("texts", "about"),
    [
        (
            "not before nine; only from 9 to 12; only on Mondays; nicht vor neun; nur von 9 bis 12 Uhr; nie nach 22",
            "subject",
        ),
        ("no sport after my late shift; after nights nothing before 2 pm; nach der Nachtschicht kein Sport", "shift"),
        ("bis 08:00 im Bett; samstags bis 9 Uhr im Bett", "bed"),
        (
            (
                "no meetings before ten; no calls after four; no meetings on Friday; no stand-ups at nine; "
                "keine Besprechungen vor zehn; keine Meetings; keine Calls vor zehn; mittwochs besprechungsfrei"
            ),
            "meeting",
        ),
        ("I'd like more naps; many more naps; mehr Nickerchen; ein bisschen mehr Nickerchen", "more"),
        ("less napping; fewer naps; weniger Nickerchen", "less"),
        ("no more than four hours of work a day; nicht mehr als vier Stunden Arbeit pro Tag", "period"),
    ],
)
def test_what_a_text_leaves_open_is_asked_with_examples_that_are_understood(texts: str, about: str) -> None:
    for text in texts.split("; "):
        asked = lacking(text)
        assert asked is not None
        assert asked[0] == about
        assert all(understood(one, TODAY) for one in asked[1])
        with pytest.raises(NotUnderstood):
            understood(text, TODAY)


def test_the_examples_for_more_of_something_are_in_its_language() -> None:
    assert lacking("mehr Sport") == ("more", ("dreimal die Woche Sport", "Sport mindestens 30 Minuten"))
    assert lacking("less tv") == ("less", ("tv at most twice a week", "tv at most 30 minutes"))


@pytest.mark.parametrize("text", ["hello", "be nice to me", "swim at seven"])
def test_nothing_is_asked_of_what_is_no_such_wish(text: str) -> None:
    assert lacking(text) is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [("bis 8 Uhr im Bett bleiben", "up"), ("bis 08:00 im Bett liegen bleiben", "up"), ("bis 22 Uhr im Bett", "bed")],
)
def test_in_bed_until_an_hour_is_another_wish_than_in_bed_by_then(text: str, kind: str) -> None:
    assert [one.kind for one in understood(text)] == [kind]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("three suggestions at the very most, and none on Sundays", "at most three suggestions, none on Sundays"),
        ("two tips a day at most, and none at weekends", "at most two tips a day, none at weekends"),
        ("at most five suggestions, but one on Sundays", "at most five suggestions, but only one on Sundays"),
        ("five suggestions at most, one on Sundays", "höchstens fünf Vorschläge, aber sonntags einer"),
        ("werktags vor der Arbeit trainieren, so von sechs bis sieben", "werktags von 06:00 bis 07:00 trainieren"),
        ("before work gym, from six to seven", "gym from 6 am to 7 am"),
        ("nach dem Abendessen spazieren, um 20 Uhr", "um 20 Uhr spazieren"),
        ("um zehn ins Bett, elf am Samstag", "um 22 Uhr ins Bett, samstags um 23 Uhr ins Bett"),
        (
            "um zehn ins Bett, elf am Samstag und um sieben aufstehen",
            "um 22, samstags um 23 ins Bett, um 7 Uhr aufstehen",
        ),
        ("um zweiundzwanzig Uhr ins Bett", "um 22 Uhr ins Bett"),
        ("kein Sport nach einundzwanzig Uhr", "kein Sport nach 21 Uhr"),
        ("Sport Mo, Mi u. Fr", "Sport Mo, Mi und Fr"),
        ("study every weekday except Wednesday", "study on Mondays, Tuesdays, Thursdays and Fridays"),
        ("werktags kein Fernsehen außer freitags", "no tv Monday to Thursday"),
        ("ich höre um halb sechs auf zu arbeiten", "um halb sechs Feierabend"),
        ("ich höre freitags um drei auf", "freitags um drei Feierabend"),
        ("ich will um fünf aufhören", "Feierabend um fünf"),
        ("ich klappe um sieben den Laptop zu", "um sieben Laptop zu"),
        ("ich wäre gern um halb sechs zu Hause", "home by half past five"),
        ("um sechs ist Schluss mit Arbeit", "done with work by six"),
        ("I stop working at half five", "ich mache um halb sechs Schluss"),
        ("zwei Stunden konzentrierter Arbeit am Tag", "zwei Stunden konzentrierte Arbeit am Tag"),
        ("morgens eine Stunde konzentrierten Arbeitens", "morgens eine Stunde konzentriertes Arbeiten"),
        ("no sport tonight", "heute Abend kein Sport"),
        ("tonight nothing please", "heute Abend bitte nichts"),
        ("leave me alone tomorrow", "no suggestions tomorrow"),
        ("lass mich morgen in Ruhe", "morgen nichts"),
        ("nothing tomorrow", "no suggestions tomorrow"),
        ("tomorrow off", "no work tomorrow"),
        ("nächste Woche frei", "nächste Woche keine Arbeit"),
        ("anything but sport on Mondays", "no sport on Mondays"),
        ("everything except deep work is fine after six", "no deep work after six"),
        ("montags alles außer Sport", "montags kein Sport"),
    ],
)
def test_another_order_of_the_words_means_the_same(text: str, plain: str) -> None:
    assert understood(text, TODAY) == understood(plain, TODAY)


@pytest.mark.parametrize(
    ("texts", "first", "last"),
    [
        (
            "no tv on 24 December; no tv on the 24th of December; am 24. Dezember keine Arbeit; am 24.12. nie Sport",
            date(2026, 12, 24),
            date(2026, 12, 24),
        ),
        ("no work on the 24th", date(2026, 11, 24), date(2026, 11, 24)),
        ("no work this weekend; dieses Wochenende keine Arbeit", date(2026, 11, 21), date(2026, 11, 22)),
    ],
)
def test_a_date_and_a_weekend_are_the_days_of_a_wish(texts: str, first: date, last: date) -> None:
    for text in texts.split("; "):
        (one,) = understood(text, TODAY)
        assert one.kind == "never"
        assert one.when is not None
        assert (one.when.since, one.when.until) == (first, last)


@pytest.mark.parametrize(
    "text",
    [
        "no work on Christmas",
        "no sport next weekend",
        "no sport on 10 and 17 December",
        "a day off next week",
        "no tv from tonight",
    ],
)
def test_days_that_may_be_others_are_refused(text: str) -> None:
    with pytest.raises(NotUnderstood):
        understood(text, TODAY)


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("I'm ill today", "ill --until 2026-11-20"),
        ("Ich bin krank", "ill"),
        ("Urlaub nächste Woche", "holiday --from 2026-11-23 --until 2026-11-29"),
        ("on vacation until Friday", "holiday --until 2026-11-20"),
        ("I am sick of it all", ""),
        ("more blue", ""),
    ],
)
def test_that_a_day_is_different_is_refused_with_where_it_is_said(store: Store, text: str, mode: str) -> None:
    user = store.people.add_user("ana", "Europe/Berlin", now=NOON)
    with pytest.raises(SetupError) as refused:
        say_wish(store, user, text, confirmed=False, now=NOON)
    told = str(refused.value)
    assert (f"bridge mode {mode} --user ana" in told) if mode else ("bridge mode" not in told)
