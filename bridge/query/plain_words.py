"""The words in which people ask, in English and German, by what they mean to ``plain``.

A phrase of several words is found before its parts. A word that is nowhere here makes a question not understood.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from bridge.domain import metric_names
from bridge.query import plain_sports
from rhythm_env.interface import ActionType

Token = tuple[str, object]  # one of the kinds below, and its value
Lexicon = Mapping[tuple[str, ...], tuple[Token, ...]]
FILL, HOW_MANY, HOW_OFTEN, HOW_LONG, HOW_FAR, WHEN, HOW = " ", "Q", "O", "L", "R", "T", "h"
OF, LENGTH, METRIC, FIGURE, ROWS_LAST = "A", "G", "M", "F", "n"
NIGHTS, DAYS, ON_DAYS, WORKOUTS, SPORT, ACTIVITY, ENTRIES, ACTION = "N", "D", "d", "W", "S", "s", "E", "a"
UNIT, COMPARED, CLOCK, BED, UP, SPAN, CONDITION, WEEKEND = "U", "C", "K", "b", "g", "p", "X", "k"
BURNED = "burned"  # said of an amount, as "calories burned", which asks nothing yet
OTHERS = "o"  # the days or nights that a comparison leaves
RAN = "j"  # "gelaufen": of steps walked, else ran
BEST, WHICH, WHICH_BY, PLANNED, AT_NIGHT, TOGETHER = "e", "q", "Y", "P", "i", "+"
ALL, USUAL, FACTOR, RISEN, ENDED = "l", "u", "f", "v", "x"
BY, EACH, AFTER, WITH, AND, THAN, RELATED, DIFFERENCE, SHARE = "B", "m", "@", "w", "&", "t", "V", "c", "H"
MORE, BECOMES, DID, WALK = "r", "z", "!", "y"

ENGLISH: Mapping[Token, str] = {
    (
        FILL,
        None,
    ): "how high, i, my, me, the, a, an, of, in, on, at, for, during, do, does, is, are, was, were, did, "
    "have, had, has, get, got, getting up to, take, took, taken, make, made, please, tell, show, give, "
    "can, could, you, want, to, know, what, what's, whats, when i, that i, which i, in which i, "
    "that, ever, of all time, so far, there, per night's, done, be, been, over, score, level, by me, go, "
    "went, it, this, burned, burnt, burn, send, sent, write, wrote, i had, myself, spent, spend, reading, cover, "
    "covered, i'd, like, see, us, bpm, doing, climb, a day in, value, s, hey, hi, collect, collected, gather, earn, "
    "earned, logged, log, accumulate, accumulated, achieve, achieved, clock, clocked, manage, "
    "managed, rack up, racked up, achieving, perform, performed, any, whole, entire, "
    "calculate, find, out, display, am, been, while, register, registered, wondering, wonder, "
    "curious, just, really, actually, with me, to me, figure, figures, think, experience, experienced, hold, held, "
    "started, pls, plz",
    (HOW_MANY, None): "how many, number of, count of, count, count my",
    (HOW_MANY, "much"): "how much, amount of",
    (HOW_OFTEN, None): "how often, how many times",
    (HOW_LONG, None): "how long",
    (HOW_FAR, None): "how far",
    (
        WHEN,
        None,
    ): "when, which day, what day, which night, what night, on which day, in which night, on what day, date of, "
    "the date of, what date, "
    "on what date, on which date",
    (HOW, None): "how, how was, how was my, how is",
    (OF, "mean"): "average, mean, on average, averaged, avg, typical, last on average",
    (OF, "median"): "median",
    (OF, "sum"): "total, in total, sum, sum of, altogether, overall, combined, all together, all in all",
    (OF, "min"): "lowest, minimum, least, fewest, smallest, minimal, the least",
    (OF, "max"): "highest, maximum, most, greatest, largest, biggest, max, maximal, peak of, the most, record",
    (BEST, "max"): "best",
    (BEST, "min"): "worst",
    (OF, "std"): "standard deviation, spread, std, deviation, spread of, vary, varied, varies, fluctuate, fluctuated, "
    "fluctuates, sd, variation, variation in, variation of",
    (OF, "trend"): "trend, trending, trend of, going up, going down, increasing, decreasing, rising, falling, "
    "changing, improving, trends, trended, dropping, evolving, evolved, developing, developed, go up, go down, "
    "gone up, gone down, going up or down, go up or down, gone up or down, going down or up, rising or falling, "
    "change, trending up or down, trend in, trend for, decrease, increase, decreased, increased",
    (OF, "first"): "first, first time",
    (OF, "last"): "last, last time, latest, most recent",
    (LENGTH, "max"): "longest",
    (LENGTH, "min"): "shortest",
    (NIGHTS, None): "nights, night",
    (DAYS, None): "days, day",
    (ON_DAYS, "days"): "on days, on days when, on days that, on days where, on days on which",
    (ON_DAYS, "nights"): "on nights, on nights when, in nights, on nights that, in nights when",
    (EACH, None): "per night, per day, a day, a night, each night, nightly, in a day, in a night, every night",
    (BY, "day"): "each day, every day, daily, by day, day by day",
    (BY, "week"): "per week, by week, each week, weekly, a week, every week, week by week, grouped by week",
    (BY, "month"): "per month, by month, each month, monthly, a month, every month, month by month, grouped by month",
    (BY, "weekday"): "by weekday, per weekday, by day of the week, for each weekday, by days of the week, each weekday",
    (BY, "sport"): "by sport, per sport, for each sport, by type of workout, by type of sport, per type of sport",
    (BY, "action"): "by action, per action",
    (WORKOUTS, None): "workout, workouts, sessions, session, training sessions, training session, trainings, workouts'",
    (WHICH, None): "which, which of, which one of",
    (
        WHICH_BY,
        "weekday",
    ): "which weekday, which day of the week, what weekday, what day of the week, on which weekday, "
    "on what day of the week, on which day of the week, on which weekdays, on which days of the week",
    (
        WHICH_BY,
        "month",
    ): "which month, what month, in which month, in what month, which month of the year, which months",
    (WHICH_BY, "week"): "which week, what week, in which week, in what week",
    (ENDED, None): "complete, completed, finish, finished",
    (PLANNED, None): "plan, planned, scheduled",
    (ALL, None): "all, all my, all the, every",
    (AT_NIGHT, None): "at night, during the night, overnight, while asleep, while sleeping, during sleep, in my sleep",
    (WORKOUTS, "did"): "train, work out, exercise, trained, worked out, exercised",
    (FIGURE, "minutes"): "length, duration, durations, lengths, workout length, workout duration",
    (FIGURE, "speed"): "speed, pace in km h",
    (FIGURE, "ascent"): "ascent, elevation gain, climb of, elevation, climb on, metres of ascent, meters of ascent",
    (OF, ("max", "speed")): "fastest",
    (OF, ("min", "speed")): "slowest",
    (OF, ("max", "distance")): "farthest, furthest",
    (
        ENTRIES,
        None,
    ): "calendar entries, calendar entry, appointments, appointment, entries, calender entries, calendar events, "
    "in my calendar, in the calendar, on my calendar, on the calendar, according to my calendar",
    (ACTION, ActionType.DEEP_WORK): "deep work",
    (ACTION, ActionType.ADMIN_WORK): "admin work, admin, admin tasks",
    (ACTION, ActionType.FAMILY_TIME): "family time, family, with family, with my family, with the family",
    (ACTION, ActionType.SOCIALIZE): "friends, with friends, with my friends, socialising, socializing",
    (UNIT, "min"): "hours, minutes, hour, minute, mins, hrs",
    (UNIT, "km"): "km, kilometers, kilometres, kilometer, kilometre",
    (
        BED,
        None,
    ): "go to bed, went to bed, going to bed, i went to bed, fall asleep, fell asleep, falling asleep, in bed by",
    (UP, None): "get up, got up, wake up, woke up, getting up",
    (CONDITION, "weekday <= 5"): "on weekdays, weekdays, during the week",
    (CONDITION, "weekday >= 6"): "on weekends, weekends, saturdays and sundays, on saturdays and sundays, weekends of, "
    "weekends in",
    (WEEKEND, None): "on the weekend, at the weekend, the weekend, weekend",
    (AFTER, None): "after, after a, the day after, following, following a, after i had, after having",
    (WITH, None): "with, with a, with an, in which",
    (
        OTHERS,
        None,
    ): "the others, the rest, other days, other nights, all other days, all other nights, all others, the other days, "
    "the other nights, the other ones, otherwise, days without, nights without, on days without, on nights without, "
    "without, days without it, nights without it, without it, days when i didn't, nights when i didn't, "
    "on days when i didn't, on nights when i didn't, when i didn't, the remaining days, the remaining nights",
    (AND, None): "and",
    (THAN, None): "than, than on, compared to, compared with, compared to on",
    (RELATED, None): "correlation, correlation of, correlation between, correlate, correlated, relationship, relation, "
    "relate to, related to, relates to, versus, vs, against, relationship between, vs., correlates, relation of, "
    "relate, related, link, link between, linked, linked to, connection between, association between, associated, "
    "associated with, connected, connected to, tied to, correlate with, correlated with, correlates with",
    (
        DIFFERENCE,
        None,
    ): "compare, compare to, compare with, compares to, compares with, difference, compared, differ, differs, "
    "different, difference between, between, "
    "difference in",
    (SHARE, None): "share of, share, percentage of, what share of, what percentage of, what fraction of, fraction of, "
    "ratio of, what percent of, proportion of, what proportion of, percent of, part of, what part of, "
    "percentage, proportion, ratio, ratio between, how much of my, how much of the, what part of my",
    (MORE, None): "more, less, longer, shorter, higher, lower, much longer, much more, much less, much higher, "
    "much lower, fewer, better off, larger, smaller",
    (BECOMES, None): "getting, becoming",
    (DID, None): "did i, have i, i did, i have, had i",
    (DID, "now"): "do i, i do",
    (WALK, None): "walk, walked, walking on foot",
}
ENGLISH_WHOLE: Mapping[str, tuple[Token, ...]] = {
    **dict.fromkeys(("per workout", "per session", "per training"), ((EACH, None), (WORKOUTS, "did"))),
    **dict.fromkeys(("usually", "normally", "generally", "typically"), ((OF, "mean"), (USUAL, None))),
    **dict.fromkeys(("workout time", "training time", "exercise time"), ((UNIT, "min"), (WORKOUTS, None))),
    **dict.fromkeys(("which night was longest", "which night was the longest"), ((OF, "max"), (METRIC, "asleep"))),
    **dict.fromkeys(("which night was shortest", "which night was the shortest"), ((OF, "min"), (METRIC, "asleep"))),
    **dict.fromkeys(
        ("getting faster", "gotten faster", "become faster", "got faster"), ((OF, "trend"), (FIGURE, "speed"))
    ),
    **dict.fromkeys(("how much time", "time spent", "amount of time"), ((HOW_MANY, "time"), (UNIT, "min"))),
    **dict.fromkeys(("awake in bed", "was i awake in bed", "lie awake", "lay awake"), ((METRIC, "awake"),)),
    **dict.fromkeys(
        ("nights that start", "nights that started", "nights starting", "nights that begin", "nights that began"),
        ((ON_DAYS, "nights"), (BED, None)),
    ),
    **dict.fromkeys(
        ("on nights that start", "on nights that started", "on nights starting", "on nights that begin"),
        ((ON_DAYS, "nights"), (BED, None)),
    ),
    **dict.fromkeys(("calories burnt", "energy burnt"), ((HOW_MANY, BURNED), (METRIC, "total_energy"))),
    "how fast": ((FIGURE, "speed"),),
    "average daily": ((OF, "mean"), (EACH, None)),
    "mean daily": ((OF, "mean"), (EACH, None)),
    "daily average": ((OF, "mean"), (EACH, None)),
    "was deep": ((METRIC, "deep_sleep"),),
    "is deep": ((METRIC, "deep_sleep"),),
    "was deep sleep": ((METRIC, "deep_sleep"),),
    "was light": ((METRIC, "light_sleep"),),
    "is light": ((METRIC, "light_sleep"),),
    "most often": ((OF, "max"), (HOW_OFTEN, None)),
    "least often": ((OF, "min"), (HOW_OFTEN, None)),
    "which sport": ((WHICH_BY, "sport"), (WORKOUTS, None)),
    "what sport": ((WHICH_BY, "sport"), (WORKOUTS, None)),
    "which kind of workout": ((WHICH_BY, "sport"), (WORKOUTS, None)),
    "which type of workout": ((WHICH_BY, "sport"), (WORKOUTS, None)),
    "time awake after falling asleep": ((METRIC, "awake"),),
    "awake after falling asleep": ((METRIC, "awake"),),
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
    "calories burned": ((HOW_MANY, BURNED), (METRIC, "total_energy")),
    "walk more": ((METRIC, "steps"), (MORE, None)),
    "after midnight": ((CLOCK, (">", "00:00")),),
    "before midnight": ((CLOCK, ("<", "00:00")),),
    "how many hours": ((HOW_MANY, None), (UNIT, "min")),
    "between weekdays and weekends": ((DIFFERENCE, None), (CONDITION, "weekday <= 5"), (CONDITION, "weekday >= 6")),
}
GERMAN: Mapping[Token, str] = {
    (
        FILL,
        None,
    ): "ich, mein, meine, meinen, meiner, meinem, meines, mir, mich, der, die, das, den, dem, des, ein, eine, "
    "einen, einem, einer, in, im, an, am, bei, beim, von, vom, zu hause, für, habe, hatte, hatten, haben, "
    "hat, bin, war, waren, ist, sind, es, lag, liege, bitte, zeig, zeige, nenne, sag, sagen, kannst, du, möchte, "
    "wissen, was, denen, bekomme, bekam, bekommen, erhalte, erhielt, erhalten, erreiche, erreichte, erziele, erzielt, "
    "absolviert, absolviere, aufgezeichnet, gemessen, komme, kam, gekommen, gespielt, spiele, spielte, betrieben, "
    "verbracht, verbringe, denn, eigentlich, mal, gibt, gab, gab es, gibt es, sich, meins, "
    "dabei, so im, auf, zeig mir, gib, sag mir, kriege, "
    "gekriegt, geleistet, unternommen, berechne, ermittle, finde, heraus, gesehen, gelegen, verzeichnet, gegeben, "
    "begonnen, begannen, gestartet, immer, gerne, würde, gern, habe ich denn, über die letzte, so über, wert von, "
    "gemacht, mache, gesammelt, verbrannt, verbrannte, "
    "verbrenne, geschrieben, geschickt, zurückgelegt, dauern, aller zeiten, jemals, bisher, überhaupt, "
    "wie hoch, tag in, gewesen, geschafft, insges, den letzten, dauerte, wert, so, da, über die, "
    "gehen, getrunkene, hab",
    (HOW_MANY, "much"): "wie viel, wieviel",
    (HOW_MANY, None): "wie viele, wieviele, anzahl, wie vielen, anzahl der, wie viele male, zähle, zählen",
    (HOW_OFTEN, None): "wie oft, wie häufig, wieoft",
    (HOW_LONG, None): "wie lange, wie lang",
    (HOW_FAR, None): "wie weit",
    (WHEN, None): "wann, an welchem tag, welcher tag, in welcher nacht, welche nacht, "
    "datum, datum des, datum der, datum von, an welchem datum",
    (HOW, None): "wie, wie war, wie ist, wie gut war, wie gut ist",
    (OF, "mean"): "durchschnittlich, durchschnittliche, durchschnittlicher, durchschnittliches, durchschnittlichen, "
    "im durchschnitt, im schnitt, durchschnitt, mittlere, mittlerer, mittleres, im mittel, mittelwert",
    (OF, "median"): "median",
    (OF, "sum"): "insgesamt, gesamt, summe, zusammengerechnet, summe der, alles zusammen, alles in allem, gesamte, "
    "gesamten, gesamter, gesamtes, in summe, zusammengenommen",
    (OF, "min"): "niedrigster, niedrigste, niedrigsten, niedrigstes, wenigste, wenigsten, geringste, geringster, "
    "geringsten, am wenigsten, kleinste, kleinster, minimum, minimaler, minimale, tiefster, tiefste",
    (
        OF,
        "max",
    ): "höchster, höchste, höchsten, höchstes, meiste, meisten, am meisten, größte, größter, größten, maximum, "
    "maximaler, maximale, rekord",
    (BEST, "max"): "beste, bester, bestes, besten, am besten",
    (BEST, "min"): "schlechteste, schlechtester, schlechtestes, schlechtesten, am schlechtesten",
    (OF, "std"): "standardabweichung, streuung, schwankung, schwankt, schwanken, schwankte, schwankungen, variiert, "
    "wie stark schwankt, wie sehr schwankt, wie stark schwankte, wie stark variiert, wie sehr variiert, "
    "wie stark schwanken",
    (OF, "trend"): "trend, steigt, sinkt, steigen, sinken, fällt, verändert, entwicklung, entwickelt, entwickeln, "
    "steigt oder fällt, steigt oder sinkt, fällt oder steigt, sinkt oder steigt, steigend oder fallend, "
    "entwickelte, veränderte, trend bei, trend beim, entwicklung von, entwicklung der",
    (OF, "first"): "erster, erste, erstes, ersten, das erste mal, zum ersten mal",
    (OF, "last"): "letzter, letzte, letztes, letzten, zuletzt, das letzte mal",
    (LENGTH, "max"): "längste, längster, längstes, längsten",
    (LENGTH, "min"): "am kürzesten, kürzeste, kürzester, kürzestes, kürzesten",
    (NIGHTS, None): "nächte, nächten, nacht",
    (DAYS, None): "tage, tagen, tag",
    (ON_DAYS, "days"): "wenn, wenn ich, an tagen, an tagen an denen, an den tagen, an den tagen an denen, an tagen wo",
    (ON_DAYS, "nights"): "in nächten, in nächten in denen, in den nächten, in den nächten in denen",
    (EACH, None): "pro nacht, pro tag, am tag, je nacht, je tag, jede nacht, an einem tag",
    (BY, "day"): "täglich, tägliche, täglichen, täglicher, jeden tag, an jedem tag, nach tag, nach tagen, tagesweise",
    (
        BY,
        "week",
    ): "pro woche, nach woche, je woche, jede woche, wöchentlich, wöchentliche, wöchentlicher, wöchentlichen, "
    "nach wochen, die woche",
    (
        BY,
        "month",
    ): "pro monat, nach monat, je monat, jeden monat, monatlich, monatliche, monatlicher, monatlichen, "
    "nach monaten, im monat",
    (BY, "weekday"): "nach wochentag, pro wochentag, je wochentag, nach wochentagen",
    (BY, "sport"): "nach sportart, pro sportart, je sportart, nach sportarten, nach sport, pro sport",
    (BY, "action"): "nach aktion, pro aktion, nach aktionen",
    (
        WORKOUTS,
        None,
    ): "training, trainings, trainingseinheit, trainingseinheiten, workouts, workout, sporteinheiten, einheiten",
    (WHICH, None): "welcher, welche, welches, welchem, welchen, welcher meiner, welche meiner, welches meiner",
    (WHICH_BY, "weekday"): "welcher wochentag, an welchem wochentag, an welchen wochentagen, welchem wochentag",
    (WHICH_BY, "month"): "welcher monat, in welchem monat, welchem monat, in welchen monaten",
    (WHICH_BY, "week"): "welche woche, in welcher woche",
    (ALL, None): "alle, aller, allen, all meine, all meiner, alle meine, aller meiner",
    (PLANNED, None): "geplant, geplante, geplanten",
    (AT_NIGHT, None): "nachts, in der nacht, während der nacht, im schlaf, pro nacht nachts",
    (TOGETHER, None): "zusammen",
    (RISEN, None): "gestiegen",
    (WORKOUTS, "did"): "trainiert, trainiere, trainieren, sport, sport getrieben, sport gemacht, sport treibe",
    (FIGURE, "minutes"): "dauer, länge, trainingsdauer",
    (FIGURE, "speed"): "geschwindigkeit, tempo in km h",
    (FIGURE, "ascent"): "höhenmeter, höhenmetern, anstieg, aufstieg",
    (OF, ("min", "speed")): "langsamster, langsamste, langsamstes, langsamsten",
    (OF, ("max", "speed")): "schnellsten, am schnellsten, schnellster, schnellste, schnellstes",
    (OF, ("max", "distance")): "weiteste, weitester",
    (ENTRIES, None): "kalendereinträge, kalendereinträgen, termine, terminen, einträge, termin, "
    "im kalender, in meinem kalender, laut kalender, laut meinem kalender",
    (ACTION, ActionType.DEEP_WORK): "fokusarbeit, konzentrierte arbeit, deep work",
    (ACTION, ActionType.ADMIN_WORK): "büroarbeit, verwaltung, verwaltungskram, admin, adminkram, papierkram",
    (ACTION, ActionType.FAMILY_TIME): "familie, familienzeit, mit familie, mit der familie, mit meiner familie",
    (ACTION, ActionType.SOCIALIZE): "freunde, freunden, mit freunden, mit meinen freunden, mit freundinnen",
    (UNIT, "min"): "stunden, minuten, stunde, minute, std",
    (UNIT, "km"): "km, kilometer, kilometern",
    (BED, None): "ins bett gegangen, ins bett gehe, gehe ins bett, eingeschlafen, ins bett, bett, zu bett gegangen",
    (UP, None): "aufgestanden, stehe auf, aufgewacht, aufstehen",
    (CONDITION, "weekday <= 5"): "unter der woche, an wochentagen, wochentagen, werktags, an werktagen, wochentags, "
    "werktagen, werktage",
    (CONDITION, "weekday >= 6"): "an wochenenden, wochenenden, an samstagen und sonntagen, samstags und sonntags, "
    "an den wochenenden",
    (WEEKEND, None): "am wochenende, wochenende, dem wochenende",
    (AFTER, None): "nach, nach dem, nach einem, nach einer",
    (WITH, None): "mit, mit einem, bei denen, in denen, hatten, wo",
    (
        OTHERS,
        None,
    ): "den anderen nächten, den anderen tagen, anderen nächten, anderen tagen, alle anderen, allen anderen, sonst, "
    "die anderen, den anderen, die anderen nächte, die anderen tage, andere nächte, andere tage, den rest, dem rest, "
    "den restlichen nächten, den restlichen tagen, die restlichen nächte, die restlichen tage, tage ohne, tagen ohne, "
    "nächte ohne, nächten ohne, an tagen ohne, in nächten ohne, ohne, allen anderen nächten, allen anderen tagen, "
    "alle anderen nächte, alle anderen tage, an den anderen tagen, in den anderen nächten",
    (AND, None): "und",
    (THAN, None): "als, verglichen mit, im vergleich mit",
    (
        RELATED,
        None,
    ): "korrelation, zusammenhang, zusammenhang von, hängt, hängen, hing, hingen, gegen, im vergleich zu, versus, "
    "vs, korreliert, korrelieren, zusammenhang zwischen, korrelation von, korrelation zwischen, davon, "
    "beziehung zwischen, verhältnis zwischen, verbunden",
    (DIFFERENCE, None): "vergleiche, unterschied, vergleich, unterscheidet sich, unterscheiden sich, unterschied beim, "
    "zwischen, vergleichen",
    (SHARE, None): "anteil, anteil der, anteil des, welcher anteil, welchem anteil, verhältnis, verhältnis von, "
    "prozentsatz, wie viel prozent, wie hoch ist der anteil, prozent, zu welchem anteil, wie hoch war der anteil, "
    "wie groß ist der anteil, "
    "wie groß war der anteil, prozent der, wie viel prozent der, bei wie viel prozent, in wie viel prozent, "
    "an wie viel prozent, anteil an, anteil von, wie viel meines, wie viel von meinem",
    (MORE, None): "mehr, weniger, länger, kürzer, höher, niedriger, tiefer, besser dran, größer, kleiner",
    (MORE, "to"): "zu, ab",  # of a verb in two parts, as "nimmt zu", or of a ratio
    (BECOMES, None): "wird, werden, nimmt, nehmen",
    (DID, None): "bin ich, habe ich, hab ich, ich hab, ich habe, ich bin, war ich, hatte ich, ich hatte, ich war",
    (RAN, "running"): "gelaufen, laufe",
    (DID, "now"): "mache ich, gehe ich, laufe ich, verbrenne ich",
    (WALK, None): "gegangen, gehe, ging",
}
GERMAN_WHOLE: Mapping[str, tuple[Token, ...]] = {
    **dict.fromkeys(("pro training", "pro einheit"), ((EACH, None), (WORKOUTS, "did"))),
    **dict.fromkeys(("normalerweise", "gewöhnlich", "üblicherweise", "meistens"), ((OF, "mean"), (USUAL, None))),
    **dict.fromkeys(
        ("welche nacht war am längsten", "welche nacht war die längste"), ((OF, "max"), (METRIC, "asleep"))
    ),
    **dict.fromkeys(
        ("welche nacht war am kürzesten", "welche nacht war die kürzeste"), ((OF, "min"), (METRIC, "asleep"))
    ),
    **dict.fromkeys(("schneller geworden", "werde ich schneller"), ((OF, "trend"), (FIGURE, "speed"))),
    **dict.fromkeys(("wie viel zeit", "wieviel zeit"), ((HOW_MANY, "time"), (UNIT, "min"))),
    **dict.fromkeys(("wach im bett", "lag ich wach", "wach gelegen", "wachgelegen"), ((METRIC, "awake"),)),
    **dict.fromkeys(
        ("nach mitternacht begonnen", "nach mitternacht beginnen", "nach mitternacht begannen"),
        ((CLOCK, (">", "00:00")), (BED, None)),
    ),
    **dict.fromkeys(
        ("vor mitternacht begonnen", "vor mitternacht beginnen", "vor mitternacht begannen"),
        ((CLOCK, ("<", "00:00")), (BED, None)),
    ),
    **dict.fromkeys(("verbrannte kcal", "verbrannten kalorien"), ((HOW_MANY, BURNED), (METRIC, "total_energy"))),
    "hab ich zuletzt": ((DID, None), (OF, "last"), (WHEN, None)),
    "wie schnell": ((FIGURE, "speed"),),
    "wie viel länger": ((MORE, None),),
    "wie viel mehr": ((MORE, None),),
    "wie viel weniger": ((MORE, None),),
    "längste nacht": ((OF, "max"), (METRIC, "asleep")),
    "kürzeste nacht": ((OF, "min"), (METRIC, "asleep")),
    "war ich zuletzt": ((DID, None), (OF, "last"), (WHEN, None)),
    "habe ich zuletzt": ((DID, None), (OF, "last"), (WHEN, None)),
    "bin ich zuletzt": ((DID, None), (OF, "last"), (WHEN, None)),
    "gesamtstrecke": ((OF, "sum"), (METRIC, "distance")),
    "verbrannte kalorien": ((HOW_MANY, BURNED), (METRIC, "total_energy")),
    "nach mitternacht": ((CLOCK, (">", "00:00")),),
    "vor mitternacht": ((CLOCK, ("<", "00:00")),),
    "yogaeinheiten": ((ACTIVITY, "yoga"), (WORKOUTS, None)),
    "schwimmeinheiten": ((ACTIVITY, "swimming"), (WORKOUTS, None)),
    "trainingsdauer": ((FIGURE, "minutes"), (WORKOUTS, None)),
    "am höchsten": ((OF, "max"),),
    "am niedrigsten": ((OF, "min"),),
    "tagesdurchschnitt": ((OF, "mean"), (EACH, None)),
    "täglicher durchschnitt": ((OF, "mean"), (EACH, None)),
    "durchschnittliche tägliche": ((OF, "mean"), (EACH, None)),
    "tag für tag": ((BY, "day"),),
    "woche für woche": ((BY, "week"),),
    "monat für monat": ((BY, "month"),),
    "am häufigsten": ((OF, "max"), (HOW_OFTEN, None)),
    "am öftesten": ((OF, "max"), (HOW_OFTEN, None)),
    "am seltensten": ((OF, "min"), (HOW_OFTEN, None)),
    "welche sportart": ((WHICH_BY, "sport"), (WORKOUTS, None)),
    "welchen sport": ((WHICH_BY, "sport"), (WORKOUTS, None)),
    "trainingsminuten": ((UNIT, "min"), (WORKOUTS, None)),
    "trainingszeit": ((UNIT, "min"), (WORKOUTS, None)),
    "krafttrainings": ((ACTIVITY, "strength training"), (WORKOUTS, None)),
    "wie hoch war mein anteil": ((SHARE, None),),
    "cardio minuten": ((METRIC, "cardio_minutes"),),
    "workout length": ((FIGURE, "minutes"), (WORKOUTS, None)),
}
WEEKDAYS = {
    "en": ["mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays", "sundays"],
    "de": ["montags", "dienstags", "mittwochs", "donnerstags", "freitags", "samstags", "sonntags"],
}


@cache
def lexicon(language: str) -> Lexicon:
    """Return words of a language -> their tokens."""
    english = language == "en"
    found: dict[str, tuple[Token, ...]] = {}
    for name, named in metric_names.WORDS.items():
        found |= dict.fromkeys(_each(named.english if english else named.german), ((METRIC, name),))
    for token, phrases in (ENGLISH if english else GERMAN).items():
        found |= dict.fromkeys(_each(phrases), (token,))
    for kind, table in ((SPORT, plain_sports.COUNTABLE[language]), (ACTIVITY, plain_sports.DONE[language])):
        for sport, phrases in table.items():
            found |= dict.fromkeys(_each(phrases), ((kind, sport),))
    done = [(sport, one) for sport, phrases in plain_sports.DONE[language].items() for one in _each(phrases)]
    for sport, one in [*done, *((sport, sport) for sport in plain_sports.SAME)]:
        token = (ACTIVITY, sport)
        found |= {one: (token,), f"play {one}": (token,), f"played {one}": (token,)}
        games = [f"{one} {game}" for game in _each(plain_sports.GAMES[language])]
        found |= dict.fromkeys(games, (token, (WORKOUTS, None)))
    for number, name in enumerate(WEEKDAYS[language], start=1):
        token = (CONDITION, f"weekday = {number}")
        plural = f"{name.removesuffix('s')}en"
        found |= dict.fromkeys([name, f"on {name}"] if english else [name, f"an {plural}", plural], (token,))
    found |= ENGLISH_WHOLE if english else GERMAN_WHOLE
    return {tuple(phrase.split()): tokens for phrase, tokens in found.items()}


def _each(phrases: str) -> list[str]:
    return [one for one in phrases.split(", ") if one]
