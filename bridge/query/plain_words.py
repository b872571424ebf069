"""The words in which people ask, in English and German, by what they mean to ``plain``.

A phrase of several words is found before its parts. A word that is nowhere here makes a question not understood.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from bridge.domain import metric_names
from rhythm_env.interface import ActionType

Token = tuple[str, object]  # one of the kinds below, and its value
FILL, HOW_MANY, HOW_OFTEN, HOW_LONG, HOW_FAR, WHEN, HOW = " ", "Q", "O", "L", "R", "T", "h"
OF, LENGTH, METRIC, FIGURE, ROWS_LAST = "A", "G", "M", "F", "n"
NIGHTS, DAYS, ON_DAYS, WORKOUTS, SPORT, ACTIVITY, ENTRIES, ACTION = "N", "D", "d", "W", "S", "s", "E", "a"
UNIT, COMPARED, CLOCK, BED, UP, SPAN, CONDITION, WEEKEND = "U", "C", "K", "b", "g", "p", "X", "k"
RAN = "j"  # "gelaufen": of steps walked, else ran
BY, EACH, AFTER, WITH, AND, THAN, RELATED, DIFFERENCE, SHARE = "B", "m", "@", "w", "&", "t", "V", "c", "H"
MORE, BECOMES, DID, WALK = "r", "z", "!", "y"

ENGLISH: Mapping[Token, str] = {
    (
        FILL,
        None,
    ): "how high, i, my, me, the, a, an, of, in, on, at, for, during, do, does, is, are, was, were, did, "
    "have, had, has, get, got, getting up to, take, took, taken, make, made, please, tell, show, give, "
    "can, could, you, want, to, know, what, what's, whats, when i, that i, which i, in which i, usually, "
    "that, ever, of all time, so far, there, per night's, done, be, been, over, score, level, by me, go, "
    "went, it, this, burned, burnt, burn, send, sent, write, wrote, i had, myself, spent, reading, cover, "
    "covered, i'd, like, see, us, bpm, doing, climb, a day in, value, s, plan, planned",
    (HOW_MANY, None): "how many, how much, number of, count of, amount of",
    (HOW_OFTEN, None): "how often, how many times",
    (HOW_LONG, None): "how long",
    (HOW_FAR, None): "how far",
    (WHEN, None): "when, which day, what day, which night, what night, on which day, in which night, on what day",
    (HOW, None): "how, how was, how was my, how is",
    (OF, "mean"): "average, mean, on average, averaged, avg, typical, typically, last on average",
    (OF, "median"): "median",
    (OF, "sum"): "total, in total, sum, sum of, altogether, overall",
    (OF, "min"): "lowest, minimum, least, fewest, smallest, worst, min, minimal, the least",
    (OF, "max"): "highest, maximum, most, best, greatest, largest, biggest, max, maximal, peak of, the most, record",
    (OF, "std"): "standard deviation, spread, std, deviation, spread of",
    (OF, "trend"): "trend, trending, trend of, going up, going down, increasing, decreasing, rising, falling, "
    "changing, improving",
    (OF, "first"): "first, first time, earliest",
    (OF, "last"): "last, last time, latest, most recent",
    (LENGTH, "max"): "longest",
    (LENGTH, "min"): "shortest",
    (NIGHTS, None): "nights, night",
    (DAYS, None): "days, day",
    (ON_DAYS, "days"): "on days, on days when, on days that, on days where, on days on which",
    (ON_DAYS, "nights"): "on nights, on nights when, in nights, on nights that, in nights when",
    (EACH, None): "per night, per day, a day, a night, each night, nightly, per workout, per session, in a day, "
    "in a night, per training, every night",
    (BY, "day"): "each day, every day, daily, by day, day by day",
    (BY, "week"): "per week, by week, each week, weekly, a week, every week, week by week, grouped by week",
    (BY, "month"): "per month, by month, each month, monthly, a month, every month, month by month, grouped by month",
    (BY, "weekday"): "by weekday, per weekday, by day of the week, for each weekday, by days of the week, each weekday",
    (BY, "sport"): "by sport, per sport, for each sport, by type of workout, by type of sport, per type of sport",
    (BY, "action"): "by action, per action",
    (WORKOUTS, None): "workout, workouts, sessions, session, training sessions, training session, trainings, workouts'",
    (WORKOUTS, "did"): "train, work out, exercise, trained, worked out, exercised",
    (FIGURE, "minutes"): "length, duration, durations, lengths, workout length, workout duration",
    (FIGURE, "speed"): "speed, pace in km h",
    (FIGURE, "ascent"): "ascent, elevation gain, climb of, elevation, climb on, metres of ascent, meters of ascent",
    (OF, ("max", "speed")): "fastest",
    (OF, ("max", "distance")): "farthest, furthest",
    (ENTRIES, None): "calendar entries, calendar entry, appointments, appointment, entries",
    (ACTION, ActionType.DEEP_WORK): "deep work",
    (ACTION, ActionType.ADMIN_WORK): "admin work",
    (UNIT, "min"): "hours, minutes, hour, minute, min, mins, hrs",
    (UNIT, "km"): "km, kilometers, kilometres, kilometer, kilometre",
    (BED, None): "go to bed, went to bed, going to bed, i went to bed, fall asleep, fell asleep",
    (UP, None): "get up, got up, wake up, woke up, getting up",
    (CONDITION, "weekday <= 5"): "on weekdays, weekdays, during the week",
    (CONDITION, "weekday >= 6"): "on weekends, weekends, saturdays and sundays, on saturdays and sundays, weekends of, "
    "weekends in",
    (WEEKEND, None): "on the weekend, at the weekend, the weekend, weekend",
    (AFTER, None): "after, after a, the day after",
    (WITH, None): "with, with a, with an, in which",
    (AND, None): "and",
    (THAN, None): "than, than on, compared to, compared with",
    (RELATED, None): "correlation, correlation of, correlation between, correlate, correlated, relationship, relation, "
    "relate to, related to, relates to, versus, vs, against, relationship between, vs., correlates, relation of",
    (DIFFERENCE, None): "compare, difference, compared, differ, differs, different, difference between, between, "
    "difference in",
    (SHARE, None): "share of, share, percentage of, what share of, what percentage of, what fraction of, fraction of, "
    "ratio of, what percent of, proportion of",
    (MORE, None): "more, less, longer, shorter, higher, lower, much longer, much more, much less, much higher, "
    "much lower, fewer, better off, larger, smaller",
    (BECOMES, None): "getting, becoming",
    (DID, None): "did i, have i, i did, i have, had i, do i, i do",
    (WALK, None): "walk, walked, walking on foot",
}
ENGLISH_WHOLE: Mapping[str, tuple[Token, ...]] = {
    "how much longer": ((MORE, None),),
    "how much more": ((MORE, None),),
    "how much less": ((MORE, None),),
    "do i sleep": ((DID, None), (METRIC, "asleep")),
    "did i sleep": ((DID, None), (METRIC, "asleep")),
    "was i awake": ((METRIC, "awake"),),
    "longest night": ((OF, "max"), (METRIC, "asleep")),
    "shortest night": ((OF, "min"), (METRIC, "asleep")),
    "when did i last": ((OF, "last"), (WHEN, None)),
    "when did i first": ((OF, "first"), (WHEN, None)),
    "last time": ((OF, "last"), (WHEN, None)),
    "when was the last time": ((OF, "last"), (WHEN, None)),
    "calories burned": ((HOW_MANY, None), (METRIC, "total_energy")),
    "walk more": ((METRIC, "steps"), (MORE, None)),
    "after midnight": ((CLOCK, (">", "00:00")),),
    "before midnight": ((CLOCK, ("<", "00:00")),),
    "strength training": ((ACTIVITY, "strength training"),),
    "how many hours": ((HOW_MANY, None), (UNIT, "min")),
    "between weekdays and weekends": ((DIFFERENCE, None), (CONDITION, "weekday <= 5"), (CONDITION, "weekday >= 6")),
}
GERMAN: Mapping[Token, str] = {
    (
        FILL,
        None,
    ): "ich, mein, meine, meinen, meiner, meinem, meines, mir, mich, der, die, das, den, dem, des, ein, eine, "
    "einen, einem, einer, in, im, an, am, bei, beim, von, vom, zu hause, für, habe, hatte, hatten, haben, "
    "hat, bin, war, waren, ist, sind, es, lag, bitte, zeig, zeige, nenne, sag, sagen, kannst, du, möchte, "
    "wissen, was, welcher, welche, welches, denen, gemacht, mache, gesammelt, verbrannt, verbrannte, "
    "verbrenne, geschrieben, geschickt, zurückgelegt, dauern, aller zeiten, jemals, bisher, überhaupt, "
    "wie hoch, tag in, gewesen, geschafft, insges, geplant, den letzten, dauerte, wert, so, da, über die, "
    "gehen, getrunkene",
    (HOW_MANY, None): "wie viele, wie viel, wieviel, wieviele, anzahl, wie vielen, anzahl der, wie viele male",
    (HOW_OFTEN, None): "wie oft, wie häufig",
    (HOW_LONG, None): "wie lange, wie lang",
    (HOW_FAR, None): "wie weit",
    (WHEN, None): "wann, an welchem tag, welcher tag, in welcher nacht, welche nacht",
    (HOW, None): "wie, wie war, wie ist, wie gut war, wie gut ist",
    (OF, "mean"): "durchschnittlich, durchschnittliche, durchschnittlicher, durchschnittliches, durchschnittlichen, "
    "im durchschnitt, im schnitt, durchschnitt, mittlere, mittlerer, mittleres, im mittel, normalerweise, mittelwert",
    (OF, "median"): "median",
    (OF, "sum"): "insgesamt, gesamt, summe, zusammengerechnet, summe der, alles zusammen",
    (OF, "min"): "niedrigster, niedrigste, niedrigsten, niedrigstes, wenigste, wenigsten, geringste, geringster, "
    "geringsten, schlechteste, schlechtester, schlechtesten, kleinste, minimum, minimaler, minimale, tiefster, tiefste",
    (
        OF,
        "max",
    ): "höchster, höchste, höchsten, höchstes, meiste, meisten, beste, bester, bestes, besten, größte, maximum, "
    "maximaler, maximale, rekord",
    (OF, "std"): "standardabweichung, streuung, schwankung",
    (OF, "trend"): "trend, steigt, sinkt, steigen, sinken, fällt, verändert, entwicklung",
    (OF, "first"): "erster, erste, erstes, ersten, das erste mal, zum ersten mal",
    (OF, "last"): "letzter, letzte, letztes, letzten, zuletzt, das letzte mal",
    (LENGTH, "max"): "längste, längster, längstes, längsten",
    (LENGTH, "min"): "kürzeste, kürzester, kürzestes, kürzesten",
    (NIGHTS, None): "nächte, nächten, nacht",
    (DAYS, None): "tage, tagen, tag",
    (ON_DAYS, "days"): "an tagen, an tagen an denen, an den tagen, an den tagen an denen, an tagen wo",
    (ON_DAYS, "nights"): "in nächten, in nächten in denen, in den nächten, in den nächten in denen",
    (EACH, None): "pro nacht, pro tag, am tag, je nacht, je tag, jede nacht, an einem tag, pro training, pro einheit",
    (BY, "day"): "täglich, tägliche, täglichen, jeden tag, an jedem tag, nach tag, nach tagen, tagesweise",
    (BY, "week"): "pro woche, nach woche, je woche, jede woche, wöchentlich, wöchentliche, nach wochen, die woche",
    (BY, "month"): "pro monat, nach monat, je monat, jeden monat, monatlich, monatliche, nach monaten, im monat",
    (BY, "weekday"): "nach wochentag, pro wochentag, je wochentag, nach wochentagen",
    (BY, "sport"): "nach sportart, pro sportart, je sportart, nach sportarten, nach sport, pro sport",
    (BY, "action"): "nach aktion, pro aktion, nach aktionen",
    (
        WORKOUTS,
        None,
    ): "training, trainings, trainingseinheit, trainingseinheiten, workouts, workout, sporteinheiten, einheiten",
    (WORKOUTS, "did"): "trainiert, trainiere, trainieren",
    (FIGURE, "minutes"): "dauer, länge, trainingsdauer",
    (FIGURE, "speed"): "geschwindigkeit, tempo in km h",
    (FIGURE, "ascent"): "höhenmeter, höhenmetern, anstieg, aufstieg",
    (OF, ("max", "speed")): "schnellster, schnellste, schnellstes",
    (OF, ("max", "distance")): "weiteste, weitester",
    (ENTRIES, None): "kalendereinträge, kalendereinträgen, termine, terminen, einträge, termin",
    (ACTION, ActionType.DEEP_WORK): "fokusarbeit, konzentrierte arbeit, deep work",
    (ACTION, ActionType.ADMIN_WORK): "büroarbeit",
    (UNIT, "min"): "stunden, minuten, stunde, minute, min, std",
    (UNIT, "km"): "km, kilometer, kilometern",
    (BED, None): "ins bett gegangen, ins bett gehe, gehe ins bett, eingeschlafen, ins bett, bett, zu bett gegangen",
    (UP, None): "aufgestanden, stehe auf, aufgewacht, aufstehen",
    (CONDITION, "weekday <= 5"): "unter der woche, an wochentagen, wochentagen, werktags, an werktagen, wochentags",
    (CONDITION, "weekday >= 6"): "an wochenenden, wochenenden, an samstagen und sonntagen, samstags und sonntags, "
    "an den wochenenden",
    (WEEKEND, None): "am wochenende, wochenende, dem wochenende",
    (AFTER, None): "nach, nach dem, nach einem, nach einer",
    (WITH, None): "mit, mit einem, bei denen, in denen, hatten, wo",
    (AND, None): "und",
    (THAN, None): "als",
    (
        RELATED,
        None,
    ): "korrelation, zusammenhang, zusammenhang von, hängt, hängen, hing, hingen, gegen, im vergleich zu, versus, "
    "vs, korreliert, korrelieren, zusammenhang zwischen, korrelation von, korrelation zwischen",
    (DIFFERENCE, None): "vergleiche, unterschied, vergleich, unterscheidet sich, unterscheiden sich, unterschied beim, "
    "zwischen, vergleichen",
    (SHARE, None): "anteil, anteil der, anteil des, welcher anteil, welchem anteil, verhältnis, verhältnis von, "
    "prozentsatz, wie viel prozent, wie hoch ist der anteil, prozent",
    (MORE, None): "mehr, weniger, länger, kürzer, höher, niedriger, tiefer, zu, ab, besser dran, größer, kleiner",
    (BECOMES, None): "wird, werden, nimmt, nehmen",
    (DID, None): "bin ich, habe ich, ich habe, ich bin, war ich, hatte ich, ich hatte, ich war",
    (RAN, "running"): "gelaufen, laufe",
    (WALK, None): "gegangen, gehe, gehe ich, ging",
}
GERMAN_WHOLE: Mapping[str, tuple[Token, ...]] = {
    "wie viel länger": ((MORE, None),),
    "wie viel mehr": ((MORE, None),),
    "wie viel weniger": ((MORE, None),),
    "längste nacht": ((OF, "max"), (METRIC, "asleep")),
    "kürzeste nacht": ((OF, "min"), (METRIC, "asleep")),
    "war ich zuletzt": ((DID, None), (OF, "last"), (WHEN, None)),
    "habe ich zuletzt": ((DID, None), (OF, "last"), (WHEN, None)),
    "bin ich zuletzt": ((DID, None), (OF, "last"), (WHEN, None)),
    "gesamtstrecke": ((OF, "sum"), (METRIC, "distance")),
    "verbrannte kalorien": ((HOW_MANY, None), (METRIC, "total_energy")),
    "nach mitternacht": ((CLOCK, (">", "00:00")),),
    "vor mitternacht": ((CLOCK, ("<", "00:00")),),
    "yogaeinheiten": ((ACTIVITY, "yoga"), (WORKOUTS, None)),
    "schwimmeinheiten": ((ACTIVITY, "swimming"), (WORKOUTS, None)),
    "krafttraining": ((ACTIVITY, "strength training"),),
    "trainingsdauer": ((FIGURE, "minutes"), (WORKOUTS, None)),
    "am höchsten": ((OF, "max"),),
    "am niedrigsten": ((OF, "min"),),
    "zusammen": ((FILL, None),),
    "rad gefahren": ((ACTIVITY, "cycling"),),
    "workout length": ((FIGURE, "minutes"), (WORKOUTS, None)),
}
# Sports by the words for single ones, and by what is done, which no number of them is asked of.
COUNTABLE = {
    "en": {
        "running": "runs, run, jogs, jog",
        "cycling": "rides, ride, bike rides, bike ride, cycle rides",
        "swimming": "swims, swim",
        "walking": "walks",
        "hiking": "hikes, hike",
    },
    "de": {
        "running": "läufe, lauf, läufen, laufs, laufes",
        "cycling": "radfahrten, radfahrt, radtouren, radtour",
        "walking": "spaziergänge, spaziergang, spaziergängen",
        "hiking": "wanderungen, wanderung",
    },
}
DONE = {
    "en": {
        "running": "running, go running, jogging, i ran, ran",
        "cycling": "cycling, cycle, cycled, biking",
        "swimming": "swimming, go swimming, swam",
        "hiking": "hiking, hiked",
        "yoga": "yoga",
        "tennis": "tennis",
        "rowing": "rowing",
        "football": "football, soccer",
        "weightlifting": "weightlifting",
    },
    "de": {
        "running": "laufen, joggen, gejoggt",
        "cycling": "radfahren, rad fahren, geradelt",
        "swimming": "schwimmen, geschwommen",
        "hiking": "wandern, gewandert",
        "yoga": "yoga",
        "tennis": "tennis",
        "rowing": "rudern",
        "football": "fußball",
    },
}
WEEKDAYS = {
    "en": ["mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays", "sundays"],
    "de": ["montags", "dienstags", "mittwochs", "donnerstags", "freitags", "samstags", "sonntags"],
}


@cache
def lexicon(language: str) -> Mapping[tuple[str, ...], tuple[Token, ...]]:
    """Return words of a language -> their tokens."""
    english = language == "en"
    found: dict[str, tuple[Token, ...]] = {}
    for name, named in metric_names.WORDS.items():
        found |= dict.fromkeys(_each(named.english if english else named.german), ((METRIC, name),))
    for token, phrases in (ENGLISH if english else GERMAN).items():
        found |= dict.fromkeys(_each(phrases), (token,))
    for kind, table in ((SPORT, COUNTABLE[language]), (ACTIVITY, DONE[language])):
        for sport, phrases in table.items():
            found |= dict.fromkeys(_each(phrases), ((kind, sport),))
    for number, name in enumerate(WEEKDAYS[language], start=1):
        token = (CONDITION, f"weekday = {number}")
        plural = f"{name.removesuffix('s')}en"
        found |= dict.fromkeys([name, f"on {name}"] if english else [name, f"an {plural}", plural], (token,))
    found |= ENGLISH_WHOLE if english else GERMAN_WHOLE
    return {tuple(phrase.split()): tokens for phrase, tokens in found.items()}


def _each(phrases: str) -> list[str]:
    return [one for one in phrases.split(", ") if one]
