"""Kinds of wishes in both languages: what each is understood as, and what a wish cannot hold and is refused."""

from __future__ import annotations

import pytest

from bridge.domain.languages import shown
from bridge.domain.titles import ACTION_WORDS
from bridge.wishes.hearing import understood
from bridge.wishes.hours import NotUnderstood
from bridge.wishes.told import WISHED, sentence
from rhythm_env.interface import ActionType
from tests.wishes.corpus import nameless


@pytest.mark.parametrize(
    ("plain", "texts"),
    [
        (
            "no sport on Mondays",
            "don't plan any sport for Monday; never schedule sport on a Monday; montags ist Sport tabu",
        ),
        ("never meditation", "stop suggesting meditation; schlag mir keine Meditation mehr vor; nie wieder meditieren"),
        ("never tv", "no series at all; I never want to see any TV; gar keine Serien; bitte überhaupt keine Filme"),
        (
            "no work on Sundays",
            "keep Sundays free of work; I'm off on Sundays; Sonntage ohne Arbeit; sonntags arbeitsfrei",
        ),
        ("work only Sunday to Thursday", "workdays are Sunday to Thursday; Arbeitstage sind Sonntag bis Donnerstag"),
        (
            "finish by six",
            "I want to be done by 6 pm; I don't finish work after 6; work until 6; Arbeit soll um 18 Uhr enden",
        ),
        (
            "start work at 9",
            "I don't start work before 9; I start at 9; Arbeitsbeginn frühestens um 9; ich fange um 9 an",
        ),
        ("two suggestions at most", "2 suggestions tops; don't give me more than two ideas a day; zwei Ideen genügen"),
        (
            "yoga once a week",
            "weekly yoga; a run a week; wöchentlich Yoga; ein Spaziergang pro Woche; jede Woche Sport",
        ),
        ("run three times a week", "gym x3 a week; run thrice a week; 3x/week dancing; dreimal wöchentlich tanzen"),
        ("meditate every day", "meditation daily; meditate every single day; tagtäglich Meditation; meditieren je Tag"),
        ("no sport before 10", "sport no earlier than 10; gym at 10 at the earliest; erst nach 10 Uhr Sport"),
        ("no exercise after 8 pm", "run by 8 pm at the latest; Laufen um 20 Uhr spätestens; swim no later than 8 pm"),
        ("family only after five", "family always after five; Familie immer nach 17 Uhr"),
        ("in bed by 10 pm", "lights out at ten; bed 22:00; um zehn ins Bett; spätestens 22 Uhr schlafen"),
        ("up at 6:30", "wake me at half past six; get me up at 6.30 pls; um halb sieben aufstehen"),
        ("not to bed before midnight", "never put me to bed before 12; schick mich nicht vor Mitternacht ins Bett"),
        ("sport at most 3 times a week", "not more than three runs a week; höchstens dreimal die Woche Sport"),
        ("friends one evening a week", "one evening a week with friends; ein Abend pro Woche mit Freunden"),
        ("emails on Saturday mornings", "cleaning on Saturday mornings; Putzen am Samstagmorgen"),
        (
            "family on Sundays",
            "visit grandma on Sundays; call my sister on Sundays; sonntags zur Oma; sonntags mit meinem Bruder",
        ),
        ("friends on Thursdays", "drinks with colleagues on Thursdays; donnerstags mit Kollegen etwas trinken"),
        ("learning on Tuesdays", "online course on Tuesday; piano lessons on Tuesdays; dienstags Gitarre üben"),
        ("hobby on Sundays", "a hot bath on Sundays; some time for myself on Sundays; sonntags Gartenarbeit"),
        (
            "no tv on weekdays",
            "TV is off limits on weekdays; an Arbeitstagen kein Fernsehen; kein Youtube an Werktagen",
        ),
        ("deep work in the mornings", "thesis in the mornings; konzentriertes Arbeiten morgens; morgens coden"),
        ("never sport", "I'm not a fan of sport; Sport ist nicht mein Ding; hör auf, Sport vorzuschlagen"),
    ],
)
def test_a_kind_of_wish_is_understood_as_its_plain_form(plain: str, texts: str) -> None:
    meant = sentence(nameless(understood(plain)))
    assert {text: sentence(nameless(understood(text))) for text in texts.split("; ")} == dict.fromkeys(
        texts.split("; "), meant
    )


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("excercise in the mornings", "exercise best from 06:00 to 12:00"),
        ("meditaion daily", "meditation 7 times a week"),
        ("abends mediteren", "meditation best from 18:00 to 24:00"),
        ("Donnertags Sport", "exercise best on Thursdays"),
    ],
)
def test_a_mistyped_letter_is_mended(text: str, meaning: str) -> None:
    assert sentence(nameless(understood(text))) == meaning


@pytest.mark.parametrize(
    "text",
    [
        "no messages after 10pm",  # massages
        "keine Medikation am Sonntag",
        "Freude am Sonntag",
        "samstags kaufen",
        "talking on Sundays",
        "at least three suggestions a day",
        "mindestens drei Vorschläge am Tag",
        "I hate Mondays",
        "no sport and no tv on Sundays",
        "no sport from Monday",
        "tv on Fridays only after 8 pm",
        "unter der Woche nur ein Film",
        "only a film on weekdays",
        "ich schaue montags Fußball",
        "Fußball am Montag schauen",
        "do nothing on Sundays",
        "training course on Mondays",
        "take the train on Mondays",
        "sonntags tanken",
        "no sport and tv on Sundays",
        "kein Sport und Fernsehen am Sonntag",
        "Gym twice a week and yoga once a week",
        "never sport and sport three times a week",
        "sport before 8 and no sport before 9",
        "a day without tv",
        "ein Tag ohne Sport",
        "Sport in der Woche",
        "nicht immer Sport",
        "always and never sport",
        "start work no later than 9",
        "no tv in bed",
        "sport never but three times a week",
        "friends once a month",
        "einmal im Monat Freunde",
        "freitags weniger arbeiten",
        "sport at any time after 18:00",
    ],
)
def test_what_a_wish_cannot_hold_is_refused(text: str) -> None:
    with pytest.raises(NotUnderstood):
        understood(text)


@pytest.mark.parametrize("action", ActionType)
def test_the_words_of_a_suggestion_take_a_veto_back(action: ActionType) -> None:
    word = shown(WISHED.get(action, ACTION_WORDS[action]))
    assert [(one.kind, one.actions) for one in understood(f"{word} again")] == [("allow", {action})]


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("basketball Sundays 4pm", "exercise (basketball) best on Sundays at 16:00, over by 18:00"),
        ("sonntags zur Oma", "family time (Oma) best on Sundays"),
        ("never yoga", "exercise without yoga"),
        ("never yoga or pilates", "exercise without pilates and yoga"),
        ("no yoga on Mondays", "exercise without yoga, on Mondays"),
        ("Yoga nur Mo-Sa", "exercise (Yoga) best on {rest} and Saturdays; exercise without Yoga, on Sundays"),
        (
            "up to five suggestions on weekdays but just one on Saturday and Sunday",
            "at most 5 suggestions a day; at most one suggestion a day, on Saturdays and Sundays",
        ),
        (
            "finish at 3 on Sundays, otherwise at five",
            "work not on Sundays from 15:00 to 24:00; work not on {rest} and Saturdays from 17:00 to 24:00",
        ),
        (
            "ab halb sieben nur noch Familie",
            "family time best from 18:30 to 24:00; everything but family time not after 18:30",
        ),
        ("Mittwochs und freitags Sport, sonst keinen", "exercise only on Wednesdays and Fridays"),
        (
            "family breakfast on Sundays at nine",
            "family time (family breakfast) best on Sundays at 09:00, over by 11:00",
        ),
        ("um fünf Uhr dreißig aufstehen", "up at 05:30"),
        ("morgens Sport, nie nach 10", "exercise best from 06:00 to 12:00; exercise not after 10:00"),
        ("I can't stand meditating, drop it", "never suggest meditation"),
        (
            "deep work 9-12 except weekends",
            "focused work best on Mondays, Tuesdays, Wednesdays, Thursdays and Fridays from 09:00 to 12:00",
        ),
        (
            "Donnerstagabend für die Bandprobe freihalten",
            (
                "time for yourself (Bandprobe) best on Thursdays from 18:00 to 24:00; "
                "everything but time for yourself not on Thursdays from 18:00 to 24:00"
            ),
        ),
        ("learn Italian on Mondays", "learning (Italian) best on Mondays"),
        ("let me sleep in on Sundays until 9", "up at 09:00 on Sundays"),
        ("sonntags will ich bis 9 ausschlafen", "up at 09:00 on Sundays"),
        ("Mittagspause von 12 bis 13 Uhr freihalten", "everything that is suggested not from 12:00 to 13:00"),
        ("walk the dog twice a day", "exercise (walk the dog) 14 times a week"),
        ("swimming with my daughter on Saturdays", "family time (swimming, daughter) best on Saturdays"),
        ("training should be over by eight in the evening", "exercise not after 20:00"),
        ("Keep Saturday for the stables", "everything that is suggested not on Saturdays"),
        ("keine Termine über Mittag", "everything that is suggested not from 12:00 to 14:00"),
        ("my knee is dodgy, so no running, cycling is ok", "exercise without running"),
        ("kein Bauchmuskeltraining", "exercise without Bauchmuskeltraining"),
        ("sport on Sundays", "exercise best on Sundays"),
        ("a walk after work", "exercise (walk) best from 17:00 to 20:00"),
        ("jog on three days a week", "exercise (jog) 3 times a week"),
        ("ein Mittagsschlaf so gegen zwei", "naps best at 14:00, over by 16:00"),
        ("an afternoon nap at 2", "naps best at 14:00, over by 16:00"),
        ("sonntags bitte Ruhe, keine Vorschläge", "everything that is suggested not on Sundays"),
        (
            "unter der Woche vier Vorschläge, am Wochenende einer",
            "at most 4 suggestions a day; at most one suggestion a day, on Saturdays and Sundays",
        ),
        ("montags vor der Arbeit Sport", "exercise best on Mondays from 06:00 to 08:00"),
        ("freitags nur bis 14 Uhr arbeiten", "work not on Fridays from 14:00 to 24:00"),
        (
            "schwimmen dienstags, das genügt",
            "exercise (schwimmen) best on Tuesdays; exercise (schwimmen) at most once a week",
        ),
        ("finish by six, and yoga on Mondays", "work not after 18:00; exercise (yoga) best on Mondays"),
        ("Meditieren um 7 Uhr", "meditation best at 07:00, over by 09:00"),
        ("swim on Saturdays at 10", "exercise (swim) best on Saturdays at 10:00, over by 12:00"),
        (
            "long runs only at the weekend",
            "exercise (long runs) best on Saturdays and Sundays; exercise without long runs, on {work}",
        ),
        ("two evenings a week with no plans at all", "no suggestions from 18:00 to 24:00 on 2 days of a week"),
        ("ein Abend pro Woche frei", "no suggestions from 18:00 to 24:00 on one day of a week"),
        ("fewer suggestions, they stress me", "one suggestion a day fewer"),
        ("keep Sundays free", "everything that is suggested not on Sundays"),
    ],
)
def test_the_kind_of_an_action_is_held_and_told(text: str, meaning: str) -> None:
    assert sentence(understood(text)) == meaning.format(
        rest="Mondays, Tuesdays, Wednesdays, Thursdays, Fridays",
        work="Mondays, Tuesdays, Wednesdays, Thursdays and Fridays",
    )


@pytest.mark.parametrize(
    "text", ["konzentriert arbeiten", "konzentriertes Arbeiten", "tiefe Arbeit", "fokussiert arbeiten"]
)
def test_words_for_an_action_as_a_whole_name_no_kind_of_it(text: str) -> None:
    assert understood(f"vormittags {text}") == understood("vormittags deep work")


def test_the_head_of_a_compound_is_not_dropped_behind_a_detail() -> None:
    first, second = understood("vormittags konzentriert arbeiten, nachmittags den Kleinkram")
    assert (first.actions, second.actions) == ({ActionType.DEEP_WORK}, {ActionType.ADMIN_WORK})
    with pytest.raises(NotUnderstood):
        understood("nachmittags den Schnellkram")
