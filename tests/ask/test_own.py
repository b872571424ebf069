"""Plain questions with the person's own words: notes, titles, tasks and lists."""

from __future__ import annotations

import pytest

from bridge.domain.errors import SetupError
from bridge.query.parse import query_of
from bridge.query.plain import NotRead, read
from bridge.query.understood import sentence
from tests.ask.corpus import TODAY, understood


def test_a_name_that_was_noted_is_known() -> None:
    assert read("do I sleep less after late meetings", TODAY, ["late meetings"]).against == "before.late meetings > 0"
    assert read("Ruhepuls an Tagen mit Alkohol", TODAY, ["Alkohol"]).where == ["before.Alkohol > 0"]
    assert understood("do I sleep less after late meetings") is None
    for text in (
        "Tiefschlaf nach Alkohol im Vergleich zu den anderen Nächten",
        "Tiefschlaf in Nächten nach Alkohol verglichen mit Nächten ohne",
        "deep sleep on nights following Alkohol versus the rest",
    ):
        assert read(text, TODAY, ["Alkohol"]).against == "before.Alkohol > 0"
    assert read("deep sleep on days with Alkohol", TODAY, ["Alkohol"]).where == ["before.Alkohol > 0"]
    assert read("how often did I note wine in October", TODAY, ["wine"]).what == "wine"
    assert read("how often did I have a glass of wine", TODAY).what == "alcohol"


def test_a_class_of_entries_parts_days_for_what_is_not_of_the_night() -> None:
    found = read("do I score higher on connection on days with friends in the calendar than days without", TODAY)
    assert (found.what, found.against) == ("connection", "action = SOCIALIZE")
    assert read("how many calendar entries with family this month", TODAY).where == ["action = FAMILY_TIME"]
    night = understood("how long do I sleep on days with friends in my calendar")
    assert night is not None
    assert night.where == ["before.action = SOCIALIZE"]  # the night that follows
    classes = read("how many hours did I spend on admin vs deep work in Q3", TODAY)
    assert (classes.where, classes.by) == (["action = ADMIN_WORK|DEEP_WORK"], "action")


def test_focus_is_the_time_of_focused_work() -> None:
    for text in (
        "focus this week",
        "how much focus time did I have this week",
        "hours of focused work this week",
        "deep work this week",
        "how much did I focus this week",
        "Fokus diese Woche",
        "wie viele Stunden Fokus hatte ich diese Woche",
        "Fokuszeit diese Woche",
    ):
        found = read(text, TODAY)
        assert (found.what, found.of, found.where) == ("entries.minutes", "sum", ["action = DEEP_WORK"]), text
        assert "of focused work" in str(sentence(query_of(found))), text
    more = read("did I focus more than last week", TODAY)
    assert (more.what, more.against) == ("entries.minutes", "2026-11-16..2026-11-22")
    assert read("how often did I do deep work last week", TODAY).of == "count"
    assert read("how focused was I last week", TODAY).what == "cognition"
    assert read("focus at the computer last week", TODAY).what == "focus"


def test_a_word_that_is_said_to_be_noted_is_known() -> None:
    for text, what, where in (
        ('on court days (note "court"), what was my stress?', "stress", ["court > 0"]),
        ("wie oft hab ich im letzten Monat Spielplatz notiert", "spielplatz", ["spielplatz > 0"]),
        ("mean value of my practice note per weekday", "practice", []),
    ):
        found = understood(text)
        assert found is not None, text
        assert (found.what, found.where) == (what, where), text


def test_a_note_that_is_named_is_itself_where_not_its_class_alone_is_noted() -> None:
    for text, factors, where in (
        ("HRV on days tagged wine", ["alcohol", "wine"], "before.wine > 0"),
        ("HRV on days with alcohol", ["alcohol", "wine"], "before.alcohol > 0"),
        ("HRV on days tagged wine", [], "before.wine > 0"),
        ("HRV on days tagged wine", ["beer"], "before.wine > 0"),
        ("HRV on days tagged wine", ["Alkohol"], "before.Alkohol > 0"),
        ("HRV an Tagen mit dem Tag Wein", ["Bier"], "before.wein > 0"),
        ("HRV on days with beers", ["beer"], "before.beer > 0"),
        ("HRV on days with a beer", ["beers"], "before.beers > 0"),
        ("HRV on days with beer", ["wine"], "before.alcohol > 0"),  # which is not noted, as the answer says
        ("how often did I note a headache", [], "headache > 0"),
        ("when was the last time I wrote down a migraine", [], "migraine > 0"),
        ("Wann hab ich zuletzt Sauna eingetragen", [], "sauna > 0"),
        ("steps on days I marked as night shift, average", [], "night shift > 0"),
        ("Schritte an Tagen, die ich als Nachtschicht markiert habe", [], "nachtschicht > 0"),
    ):
        assert read(text, TODAY, factors).where == [where], (text, factors)


def test_what_things_cost_and_what_a_person_weighs_is_not_stored() -> None:
    for text in (
        "Wie viel hab ich im August für Sprit ausgegeben",
        "Wie viel hab ich im August für Wein ausgegeben",
        "how much did I spend on wine in August",
    ):
        assert understood(text) is None, text
    for text in ("what did I weigh on the first of May", "Wie entwickelt sich mein Gewicht", "what do the scales say"):
        with pytest.raises(SetupError, match="the bridge reads your weight from no source"):
            read(text, TODAY)
    assert read("how often did I do weight training", TODAY).where == ["workout.sport = gym"]


def test_words_of_the_persons_own_entries_are_conditions() -> None:
    for text, what, where, against in (
        ("on court days, what was my stress?", "stress", ["titled court > 0"], None),
        ("Schlaf nach Konzertabenden", "asleep", ["before.titled konzert > 0"], None),
        ("Sleep on the night before a migraine day, average", "asleep", ["migraine > 0"], None),
        ("is my stress higher with choir than without", "stress", [], "titled choir > 0"),
    ):
        found = understood(text)
        assert found is not None, text
        assert (found.what, found.where, found.against) == (what, where, against), text
    for text in ("sleep on rainy days", "stress on my wife's court days", "how many rehearsals", "HRV choir"):
        assert understood(text) is None, text


def test_remarks_and_names_of_notes_are_left_out() -> None:
    for text, plainer in (
        ("Total floors climbed in the past seven days. The lift was broken.", "total floors in the past seven days"),
        ("wie oft war ich im Herbst schwimmen, vermutlich peinlich selten", "wie oft war ich im Herbst schwimmen"),
        ("stress last week (ugh, deadlines)", "stress last week"),
    ):
        assert understood(text) == understood(plainer) is not None, text
    for text in (
        "steps last week, holidays not counted",
        "sleep last week, for my wife",
        "steps in May (only holidays)",
    ):
        assert understood(text) is None, text
    for text, where in (
        ("sleep on nights following a hospital visit, which I put down as 'hospital'", ["before.hospital > 0"]),
        ("serenity on raid days (tag: raid)", ["raid > 0"]),
        ("Ruhepuls am Tag nach dem Wirtshaus (Notiz Alkohol)", ["before.alcohol > 0"]),
    ):
        found = understood(text)
        assert found is not None, text
        assert found.where == where, text


def test_tasks_are_counted_by_what_is_said_of_them() -> None:
    for text, what, of in (
        ("how many tasks have I ticked off this week", "tasks_done", "sum"),
        ("tasks done last week", "tasks_done", "sum"),
        ("Wie viele Aufgaben sind überfällig und immer noch nicht erledigt", "tasks_overdue", "sum"),
        ("how many tasks are due tomorrow", "tasks_due", "sum"),
        ("Erledigte Aufgaben je Monat, seit Juli", "tasks_done", "sum"),
    ):
        found = understood(text)
        assert found is not None, text
        assert (found.what, found.of) == (what, of), text
    assert understood("how many tasks") is None  # done, due, or open
    assert understood("how many tasks were due last week, and how many of them did I do") is None


def test_what_a_day_holds_is_a_condition() -> None:
    for text, what, of, where in (
        ("stress on days with over 4 meetings", "stress", "mean", ["entries > 4"]),
        ("Stress Ø an Tagen mit >3 Meetings", "stress", "mean", ["entries > 3"]),
        ("on how many days did I sit in meetings for over five hours", "days", "count", ["entries.minutes > 300"]),
        ("how many days had no meeting at all in October", "days", "count", ["entries = 0"]),
        ("serenity on meeting-free days", "serenity", "mean", ["entries = 0"]),
        (
            "number of work entries over 2h",
            "entries",
            "count",
            ["action = DEEP_WORK|ADMIN_WORK", "entry.minutes > 120"],
        ),
        ("steps on days off", "steps", "mean", ["action != DEEP_WORK|ADMIN_WORK"]),
        ("on how many days was my vitality under 40", "vitality", "count", ["vitality < 0.4"]),
        ("how many meetings do I have tomorrow", "entries", "count", []),
    ):
        found = understood(text)
        assert found is not None, text
        assert (found.what, found.of, found.where) == (what, of, where), text
    assert understood("how many steps tomorrow") is None  # only of entries is told what is to come


def test_lists_what_comes_next_and_what_is_free_are_asked_for() -> None:
    for text, what, of, by, where in (
        ("what was in my diary on Monday", "entries", "count", "row", []),
        ("was steht nächste Woche im Kalender", "entries", "count", "row", []),
        ("which workouts did I do last week", "workouts", "count", "row", []),
        ("offene Aufgaben diese Woche", "tasks", "count", "row", ["task.state = open"]),
        ("how many days since my last run", "workouts", "ago", None, ["workout.sport = running"]),
        ("wie lange bin ich schon ohne Alkohol", "alcohol", "ago", None, ["alcohol > 0"]),
        ("longest time without any sport", "days", "streak", None, ["workouts = 0"]),
        (
            "how many free evenings did I have last week",
            "entries",
            "count",
            None,
            ["entry.start >= 18:00", "value = 0"],
        ),
        ("how many hours of choir did I have in May", "entries.minutes", "sum", None, ["entry.title ~ choir"]),
        ("was steht am Samstag im Kalender", "entries", "count", "row", []),
        ("steps during my trip to Lisbon", "steps", "mean", None, ["titled lisbon > 0"]),
        ("do I play ... no, how often did I golf in autumn", "workouts", "count", None, ["workout.sport = golf"]),
    ):
        found = understood(text)
        assert found is not None, text
        assert (found.what, found.of, found.by, found.where) == (what, of, by, where), text
    for text in ("what's on my calendar on Saturday", "was steht am Samstag im Kalender"):
        assert read(text, TODAY).since == "2026-11-28", text  # that is to come
    for text in (
        "how many hours did Karen spend in meetings",
        "how many words of French have I learned so far",
        "steps in my new shoes yesterday",
        "how many calories are in a pizza",
        "steps this weekend",  # that is to come
        "how many appointments have I got on Wednesday",  # today, or in a week
        "Höchster Ruhepuls in diesem Winter",  # which has not begun
    ):
        assert understood(text) is None, text


def test_words_that_are_no_titles_are_named_as_not_read() -> None:
    for text, word in (("Connection on days I see friends compared to when I'm alone in the calendar", "alone"),):
        with pytest.raises(NotRead) as refused:
            read(text, TODAY)
        assert refused.value.unread == [word]
