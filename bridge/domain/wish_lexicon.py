"""The words in which people say wishes, in English and German, by what they mean to ``wish_words``.

A phrase with several words is found before its parts. A word that is nowhere here makes a wish not understood.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import time
from enum import StrEnum
from functools import cache
from itertools import product

from bridge.domain.wish_actions import ENGLISH_ACTIONS, ENGLISH_METERS, GERMAN_ACTIONS, GERMAN_METERS, ONE_THING, WHOLE
from rhythm_env.interface import ActionType, Meter

A = ActionType
WORK = frozenset({A.DEEP_WORK, A.ADMIN_WORK})
ALL = frozenset(ActionType) - {A.SLEEP}
WEEK = range(7)
MORNING, AFTERNOON, EVENING = (time(6), time(12)), (time(12), time(18)), (time(18), time(0))  # as slots of the day


class Kind(StrEnum):
    """The kind of a token. FILL tells nothing and is dropped; AND, OR and CUT join and part what is said."""

    FILL, AND, OR, CUT = "fill", "and", "or", "cut"
    NOT, ONLY, EVERY, MOST, ANYTIME, AGAIN, CLEAR, DROP = (
        "not",
        "only",
        "every",
        "most",
        "anytime",
        "again",
        "clear",
        "drop",
    )
    ACTION, SUGGESTION, METER, WEIGHT, DAY, PART = "action", "suggestion", "meter", "weight", "day", "part"
    NUMBER, TIMES, PER, WEEKLY, CLOCK, SHIFT, HALF_DAY = (
        "number",
        "times",
        "per",
        "weekly",
        "clock",
        "shift",
        "half day",
    )
    BEFORE, AFTER, AT, FROM, TO, BETWEEN, SPAN = "before", "after", "at", "from", "to", "between", "span"
    FINISH, START, LEAST = "finish", "start", "least"


class OneOf(frozenset[ActionType]):
    """The action of a word for only a part of it, such as yoga, which none forbids by "never yoga"."""


K = Kind
Token = tuple[Kind, object]

ENGLISH: dict[Token, str] = {
    (K.FILL, None): "please, i, i'd, i'm, i'll, i've, the, a, an, my, me, to, of, it, is, are, be, am, on, in, for, "
    "want, would, like, need, do, go, going, should, can, you, could, there, ever, have, get, with, "
    "suggest, recommend, propose, telling, tell, keep, time, than, want to, would like, thanks, per favour, "
    "suggested, in total, enough, is enough, just let me, let me, let's, do some, some, days, day, also, any, give, "
    "show, send, "
    "offer, i'd love to, love to, prefer, preferably, ideally, wish, we, we'd, our, us, make sure, "
    "reserved, spend, plenty, suffice, suffices, will do, i think, "
    "would be great/nice/good/lovely/perfect, "
    "my goal is, i aim for, aim for, happen, always on, always in the, always at, when it comes to, "
    "belong, belongs, :",
    (K.AND, None): "and, ',', &, plus",
    (K.OR, None): "or, nor",
    (K.CUT, None): ";, but, ., and also, and then",
    (K.NOT, None): "no, not, never, don't, do not, don't want, do not want, stop, no more, hate, "
    "not into, i'm not into, i hate, i don't like, i do not like, dislike, never ever, i never, not any, avoid, "
    "don't ever, do not ever, never again, don't like, don't want any, do not want any, never any, don't need, "
    "don't give me/~ any/~, do not give me/~ any/~, don't show/send/offer/propose me/~ any/~, don't do, don't plan, "
    "don't schedule, do not schedule/plan, i won't, won't, wouldn't like any/~, rather not, i'd rather not, never do, "
    "stop suggesting/recommending/proposing/showing/offering/sending me/~ any/~, stop telling me to, quit suggesting, "
    "not a fan of, i'm not a fan of, i can't stand, can't stand, no interest in, i have no interest in, off limits, "
    "is/are off limits, is/are not allowed, is/are forbidden, is/are taboo, is/are not for me, isn't/aren't for me, "
    "isn't my thing, is not my thing, must not, shouldn't, should not, mustn't, absolutely no, definitely no, skip "
    "any, "
    "leave out, without any, don't suggest/recommend any/~, never ever suggest/~, under no circumstances, please no, "
    "no kind of, i don't do, i'm done with, spare me, spare me the, never want to/any/~, i never want to/any/~, i "
    "never want to see/watch/do any/~, i refuse to, i can't, i cannot, none, not ever, doesn't, no longer, dont, "
    "dont want, never show, don't show, do not show",
    (
        K.NOT,
        "never",
    ): "never, i never, neither, never schedule/plan/book/do/show/send/recommend/propose/offer/suggest me/~ any/~",
    (K.ONLY, None): "only, just, solely, exclusively, nothing but on, only on, only ever, strictly",
    (K.LEAST, None): "at least, a minimum of, minimum",
    (K.NOT, "hate"): "hate, i hate, dislike, i dislike, don't like, i don't like, i do not like, can't stand, "
    "i can't stand, not a fan of, i'm not a fan of, not into, i'm not into",
    (K.EVERY, None): "every, each",
    (K.MOST, None): "at most, max, maximum, maximal, no more than, not more than, up to, a maximum of, at the most, "
    "maximum of, most, tops, no more than, never more than, don't give/suggest/send/show/offer/propose me/~ more than, "
    "do not give/suggest/send/show/offer me/~ more than, at the very most, is the limit, are the limit, limit of",
    (K.ANYTIME, None): "at any time, any time, anytime, whenever, at all times, all day long, at any hour",
    (K.AGAIN, None): "allow, allowed, ok again, okay again, fine again, again, allowed again, is ok again, allow again",
    (K.CLEAR, None): "forget all my wishes, clear everything, forget everything, forget all wishes, "
    "delete all my wishes, delete all wishes, clear all wishes, clear all my wishes, reset everything, reset all, "
    "reset my wishes, drop all wishes, drop all my wishes, start over, forget my wishes, clear my wishes",
    (K.DROP, None): "drop the goal, no goal, remove the goal, forget the goal, no goals, drop my goal, delete the goal",
    (
        K.ACTION,
        WORK,
    ): "work, working, to work, working/office/business/work hours, my working/office/work hours, my workday, "
    "my workday is, "
    "any work",
    (K.ACTION, ALL): "anything, something, things",
    (
        K.SUGGESTION,
        None,
    ): "suggestion, suggestions, hint, hints, idea, ideas, tip, tips, recommendation, recommendations, proposals",
    (K.WEIGHT, 2.0): "counts double, count double, twice as much weight on, matters more, is more important, "
    "are more important, twice as important, is twice as important, double weight for, more weight on, "
    "matter more, more important, more important to me, is more important to me, matters more to me, "
    "counts twice, double weight on, put more weight on, counts more, focus more on, care more about",
    (K.WEIGHT, 0.5): "focus less on, matters less, is less important, are less important, less weight on, "
    "less important, is less important to me, counts less, put less weight on, counts half, care less about",
    (K.WEIGHT, 0.0): "is not important, not important, ignore, does not matter, doesn't matter, do not matter, "
    "don't matter, is unimportant, don't care about, i don't care about, does not count, doesn't count, "
    "are not important, is not important to me",
    (K.PART, MORNING): "morning, mornings, in the morning, in the mornings",
    (K.PART, AFTERNOON): "afternoon, afternoons, in the afternoon, in the afternoons",
    (K.PART, EVENING): "evening, evenings, in the evening, in the evenings",
    (K.NUMBER, 1): "one, a single, a suggestion of",
    (K.TIMES, 1): "once",
    (K.TIMES, 2): "twice",
    (K.TIMES, 3): "thrice",
    (K.TIMES, None): "times, time per, x, times in",
    (
        K.PER,
        7,
    ): "a day, per day, daily, each day, in a day, every day, everyday, on every day, day by day, every single day, "
    "seven days a week, on a daily basis, all days, each and every day",
    (K.PER, 1): "a week, per week, in a week, the week, a calendar week, in the course of a week",
    (K.WEEKLY, 1): "weekly, each week, every week, every single week",
    (K.SHIFT, 30): "half past, half",
    (K.SHIFT, 15): "quarter past, a quarter past, quarter after",
    (K.SHIFT, -15): "quarter to, a quarter to, quarter before",
    (K.HALF_DAY, 0): "am, a m, o'clock in the morning",
    (K.HALF_DAY, 12): "pm, p m, o'clock in the evening, o'clock in the afternoon, at night",
    (K.FILL, "clock"): "o'clock, oclock",
    (K.CLOCK, (12, 0)): "noon, midday",
    (
        K.BEFORE,
        None,
    ): "before, earlier than, until after, no later than, not later than, at the latest by, by the latest, "
    "at the latest at",
    (K.AFTER, None): "after, later than, past, starting at, starting from, from then on after",
    (K.AT, None): "at, by",
    (K.FROM, None): "from",
    (K.TO, None): "to, until, till, through, -",
    (K.BETWEEN, None): "between",
    (K.FINISH, None): "finish, stop work, stop working, finish work, finish working, done working, be finished, "
    "be done, work ends, done with work, i'm done, i'm done working, finished, done, finished with work, end work, "
    "quit work, be done working, be finished with work, leave work, log off, clock off, clock out, stop my work, "
    "close my laptop, "
    "wrap up work, call it a day, i'm off work, my/the working day ends, work should/must/shall stop/finish/be over, "
    "work is over, work finishes, be off work, get off work, be done with work, get done with work, end my workday, "
    "finish my workday, be out of the office, leave the office, home from work, stop for the day, be through with "
    "work, off work, knock off, the workday ends, "
    "my workday ends, work should end, work stops, done for the day, my work ends",
    (
        K.START,
        None,
    ): "start work, start working, begin work, work starts, work begins, begin working, my workday starts, "
    "workday starts, my workday begins, workday begins, "
    "my work starts/begins, the/my working day starts/begins, work should/must/shall start/begin, start my workday, "
    "begin my workday, starting work, get to work, be at work, start my work",
}
WORKS_ONLY = ((K.ONLY, None), (K.ACTION, WORK))
NO_WORK = ((K.NOT, None), (K.ACTION, WORK))
NOTHING = ((K.NOT, None), (K.ACTION, ALL))
NO_ONE = ((K.NOT, None), (K.ACTION, frozenset({A.SOCIALIZE})))
ONE_ONLY = ((K.ONLY, None), (K.NUMBER, 1))
EARLIEST = ((K.NOT, None), (K.BEFORE, None))
ENGLISH_WHOLE = {  # phrases of several meanings
    ((K.DAY, frozenset(WEEK[:5])), (K.PART, EVENING)): "weeknights, on weeknights",
    NOTHING: "nothing, leave me alone, leave me in peace, don't bother me, do not bother me, don't disturb me, "
    "do not disturb me",
    NO_WORK: "i'm off, i am off, work free",
    ONE_ONLY: "only/just a/an",
    WORKS_ONLY: "my/~ workdays are, my/~ work/working days are",
    NO_ONE: "meet/see nobody, meet/see no one",
    EARLIEST: "not until, no/not earlier than",
    ((K.MOST, None), (K.SUGGESTION, None)): "limit the/~ suggestions to",
    ((K.SUGGESTION, None),): "suggest something, suggest things",
}
GERMAN: dict[Token, str] = {
    (
        K.FILL,
        None,
    ): "bitte, ich, der, die, das, den, dem, des, ein, eine, einen, mein, meine, mir, mich, es, ist, sind, "
    "sei, sein, am, an, im, in, zu, zum, zur, für, mit, gern, gerne, möchte, will, würde, mag, wünsche, soll, sollte, "
    "sollen, kann, du, auch, ja, mal wieder, habe, haben, hab, vorschlagen, empfehlen, schlag, schlage, "
    "machen, mache, gehe, gehen, sehen, treffen, treffe, reicht, reichen, "
    "dran, gehört, gehören, halte, halt, wieder vorschlagen, etwas zeit, dann, noch, etwas, tage, tag, "
    "jeweils, fange, wird, werden, treiben, ich hätte gern/gerne, hätte gern/gerne, genügt, genügen, wir, unser, "
    "unsere, "
    "uns, möchten, wollen, wünschen, lieber, am liebsten, einplanen, gib, zeig, zeige, schick, man, brauche, "
    "ich brauche, mein ziel ist, mein ziel sind, vornehmen, verbringen, wünsche mir, ich wünsche mir, bleibt, bleiben, "
    "vorgeschlagen, ist/sind genug, genug, freihalten, reserviert, reservieren, immer am, bin, darf, also, :",
    (K.AND, None): "und, ',', &, sowie",
    (K.OR, None): "oder, noch auch",
    (K.CUT, None): ";, aber, ., jedoch, und auch",
    (K.NOT, None): "kein, keine, keinen, keinem, nicht, nie, niemals, nie wieder, nie mehr, nicht mehr, keine mehr, "
    "hasse, ich hasse, nichts für mich, bloß kein, nie im leben, ist nichts für mich, nie etwas, "
    "keinerlei, auf keinen fall, bitte nie, ist/sind tabu, tabu, ist/sind verboten, verboten, kommt nicht infrage, "
    "will nicht, möchte nicht, verzichte auf, verschone mich mit, kann ich nicht leiden, mag ich nicht, mag nicht, "
    "gar kein/keine/keinen, gar nicht, überhaupt kein/keine/keinen, überhaupt nicht, absolut kein/keine/keinen, "
    "nicht vorschlagen, nie vorschlagen, nicht mehr vorschlagen, kein bisschen, darf nicht, soll nicht, sollen nicht, "
    "ich will nie, ich möchte nie, ist/sind nicht meins, ist/sind nicht mein ding, keines, keins, "
    "hab keine lust auf, habe keine lust auf, keine lust auf, "
    "nie zeigen, nicht zeigen",
    (K.NOT, "nie"): "nie, niemals",
    (K.ONLY, None): "nur, ausschließlich, erst, bloß, lediglich, nur noch",
    (K.LEAST, None): "mindestens, wenigstens, zumindest",
    (K.NOT, "hasse"): "hasse, ich hasse, mag nicht, mag ich nicht, kann ich nicht leiden",
    (K.EVERY, None): "jeden, jede, jedes, jedem, an jedem, alle",
    (
        K.MOST,
        None,
    ): "höchstens, maximal, max, nicht mehr als, bis zu, maximum, nie mehr als, allerhöchstens, keine mehr als, "
    "nicht öfter als",
    (K.ANYTIME, None): "jederzeit, egal wann, wann immer, zu jeder zeit, immer erlaubt, zu jeder uhrzeit",
    (K.AGAIN, None): "wieder erlauben, wieder okay, wieder ok, wieder in ordnung, erlauben, erlaube, wieder erlaubt, "
    "erlaubt, wieder gut, darf wieder",
    (K.CLEAR, None): "alle wünsche vergessen, alles löschen, alle wünsche löschen, alles vergessen, vergiss alles, "
    "alles zurücksetzen, vergiss alle wünsche, lösche alle wünsche, wünsche löschen, alle meine wünsche löschen, "
    "vergiss alle meine wünsche, von vorn anfangen",
    (K.DROP, None): "kein ziel, ziel streichen, ziel löschen, das ziel streichen, streiche das ziel, lösche das ziel, "
    "keine ziele, vergiss das ziel",
    (
        K.ACTION,
        WORK,
    ): "arbeit, arbeiten, arbeite, zu arbeiten, arbeitszeit, arbeitszeiten, meine arbeitszeit, meine arbeitszeiten, "
    "berufliches, arbeite ich, arbeitet",
    (K.SUGGESTION, None): "vorschlag, vorschläge, vorschlägen, idee, ideen, tipp, tipps, empfehlung, empfehlungen, "
    "etwas vorschlagen",
    (K.WEIGHT, 2.0): "zählt doppelt, doppelt gewichten, ist wichtiger, ist mir wichtiger, doppelt so wichtig, "
    "ist doppelt so wichtig, mehr gewicht auf, sind wichtiger, sind mir wichtiger, zählen doppelt, zählt mehr, "
    "stärker gewichten, höher gewichten, wichtiger, ist mir doppelt so wichtig",
    (K.WEIGHT, 0.5): "ist weniger wichtig, weniger gewicht auf, sind weniger wichtig, ist mir weniger wichtig, "
    "weniger gewichten, zählt weniger, zählt halb, halb gewichten, weniger wichtig",
    (K.WEIGHT, 0.0): "ist nicht wichtig, zählt nicht, ignorieren, ist egal, ist mir egal, ist unwichtig, sind egal, "
    "zählen nicht, ignoriere, ist mir nicht wichtig, nicht wichtig, sind mir egal, unwichtig, sind nicht wichtig",
    (K.PART, MORNING): "morgens, am morgen, vormittag, vormittags, am vormittag, in der früh, früh, "
    "vormittage, frühmorgens",
    (K.PART, AFTERNOON): "nachmittag, nachmittags, am nachmittag, nachmittage",
    (K.PART, EVENING): "abend, abends, am abend, abende",
    (K.TIMES, 1): "einmal",
    (K.TIMES, 2): "zweimal",
    (K.TIMES, 3): "dreimal",
    (K.TIMES, 4): "viermal",
    (K.TIMES, 5): "fünfmal",
    (K.TIMES, 6): "sechsmal",
    (K.TIMES, 7): "siebenmal",
    (K.TIMES, None): "mal, x",
    (
        K.PER,
        7,
    ): "am tag, pro tag, täglich, jeden tag, an jedem tag, tag für tag, alle tage, je tag, jeden einzelnen tag, "
    "sieben tage die woche, tagtäglich",
    (K.PER, 1): "die woche, pro woche, in der woche, je woche, in einer woche, die/pro kalenderwoche",
    (K.WEEKLY, 1): "wöchentlich, jede woche, allwöchentlich",
    (K.SHIFT, -30): "halb",
    (K.SHIFT, 15): "viertel nach",
    (K.SHIFT, -15): "viertel vor, dreiviertel",
    (K.HALF_DAY, 0): "uhr morgens, uhr früh, uhr vormittags",
    (K.HALF_DAY, 12): "uhr abends, uhr nachmittags, uhr nachts",
    (K.FILL, "clock"): "uhr",
    (K.CLOCK, (12, 0)): "mittag",
    (
        K.BEFORE,
        None,
    ): "vor, früher als, bis spätestens, spätestens bis, spätestens um, nicht später als, "
    "allerspätestens um, spätestens",
    (K.AFTER, None): "nach, ab, länger als bis, später als, länger als",
    (K.AT, None): "um, gegen",
    (K.FROM, None): "von",
    (K.TO, None): "bis, -, bis um",
    (K.BETWEEN, None): "zwischen",
    (K.FINISH, None): "feierabend, ist schluss mit der arbeit, bin ich fertig mit arbeiten, fertig sein, arbeitsende, "
    "schluss mit arbeit, mit der arbeit fertig sein, mit der arbeit aufhören, aufhören zu arbeiten, arbeitsschluss, "
    "feierabend machen, feierabend haben, bin ich fertig, höre ich auf zu arbeiten, fertig mit der arbeit sein, "
    "ist feierabend, mache ich feierabend, fertig mit der arbeit, schluss mit der arbeit, ist die arbeit vorbei, "
    "will ich feierabend, habe ich feierabend, arbeit endet, schluss machen, mit der arbeit schluss machen, "
    "mit arbeiten aufhören, mit dem arbeiten aufhören, arbeitstag endet, mein arbeitstag endet, endet die arbeit, "
    "endet meine arbeit, endet mein arbeitstag, dienstschluss, büroschluss, mit der arbeit durch sein, aus dem büro "
    "sein, "
    "fertig mit arbeiten sein, schluss mit arbeiten, ist arbeitsschluss, ist dienstschluss, zu arbeiten aufhören, "
    "höre ich auf, ist schluss, mache ich schluss, mit arbeiten fertig sein, ist schluss mit arbeit",
    (
        K.START,
        None,
    ): "fange an zu arbeiten, arbeitsbeginn, beginne zu arbeiten, beginnt die arbeit, arbeit beginnt, anfangen zu "
    "arbeiten, an zu arbeiten, mit der arbeit anfangen/beginnen/starten, arbeitsstart, beginnt meine arbeit, "
    "dienstbeginn, "
    "arbeitstag beginnt, mein arbeitstag beginnt, beginnt mein arbeitstag, fange ich an zu arbeiten, mit der arbeit "
    "an, "
    "beginne ich zu arbeiten, fange ich mit der arbeit an",
}
GERMAN_WHOLE = {
    ((K.EVERY, None), (K.PART, MORNING)): "jeden morgen",
    NOTHING: "nichts, nichts mehr, lass mich in ruhe",
    NO_WORK: "arbeitsfrei",
    ONE_ONLY: "nur ein/eine/einen/eins",
    WORKS_ONLY: "meine/~ arbeitstage sind",
    NO_ONE: "niemanden treffen/sehen",
    EARLIEST: "frühestens um/ab/~, nicht früher als",
    ((K.NUMBER, 1), (K.SUGGESTION, None)): "ein/einen vorschlag/tipp, eine idee",
    ((K.NUMBER, 1), (K.PART, MORNING)): "ein/einen vormittag",
    ((K.NUMBER, 1), (K.PART, AFTERNOON)): "ein/einen nachmittag",
    ((K.NUMBER, 1), (K.PART, EVENING)): "ein/einen abend",
    ((K.PART, EVENING), (K.ACTION, frozenset({A.ME_TIME}))): "abend/abende für mich",
}
ABBREVIATED = "mo di mi do fr sa"  # "so" is a word of its own
ENGLISH_NUMBERS = "one two three four five six seven eight nine ten eleven twelve"
GERMAN_NUMBERS = "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf"
ENGLISH_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
GERMAN_DAYS = "montag dienstag mittwoch donnerstag freitag samstag sonntag"
Lexicon = Mapping[tuple[str, ...], tuple[Token, ...]]


@cache
def english() -> Lexicon:
    """Return the English phrases as words -> tokens."""
    found = _lexicon(ENGLISH, ENGLISH_ACTIONS, ENGLISH_METERS, ENGLISH_NUMBERS)
    for day, name in enumerate(ENGLISH_DAYS.split()):
        token = (K.DAY, frozenset({day}))
        for form in (name, f"{name}s", name[:3], f"on {name}", f"on {name}s"):
            found[tuple(form.split())] = (token,)
        found |= {(name, night): (token, (K.PART, EVENING)) for night in ("night", "nights")}
    for day, form in ((1, "tues"), (2, "weds"), (3, "thurs"), (3, "thur")):
        found[(form,)] = ((K.DAY, frozenset({day})),)
    for days, texts in (
        (WEEK[5:], "weekend, weekends, at the weekend, at weekends, on the weekend, on weekends"),
        (WEEK[:5], "weekday, weekdays, on weekdays, during the week, workdays, working days, in the week, work days"),
        (WEEK[:5], "on workdays"),
    ):
        found |= {tuple(one.split()): ((K.DAY, frozenset(days)),) for one in texts.split(", ")}
    return found | {phrase: tokens for tokens, texts in ENGLISH_WHOLE.items() for phrase in _phrases(texts)}


@cache
def german() -> Lexicon:
    """Return the German phrases as words -> tokens."""
    found = _lexicon(GERMAN, GERMAN_ACTIONS, GERMAN_METERS, GERMAN_NUMBERS)
    parts = {
        MORNING: "morgen morgens vormittag vormittags früh",
        AFTERNOON: "nachmittag nachmittags",
        EVENING: "abend abends",
    }
    for day, name in enumerate([*GERMAN_DAYS.split(), "sonnabend"]):
        token = (K.DAY, frozenset({min(day, 6) if day < 7 else 5}))
        for form in (name, f"{name}s", f"{name}e", f"am {name}"):
            found[tuple(form.split())] = (token,)
        for part, forms in parts.items():
            found |= {(f"{name}{form}",): (token, (K.PART, part)) for form in forms.split()}
    for day, form in enumerate(ABBREVIATED.split()):
        found[(form,)] = ((K.DAY, frozenset({day})),)
    for days, texts in (
        (WEEK[5:], "sa und so, wochenende, wochenenden, am wochenende, an wochenenden, am wochenende"),
        (WEEK[:5], "unter der woche, während der woche, werktag, werktags, werktage, an werktagen, wochentags"),
        (
            WEEK[:5],
            "werktagen, an wochentagen, montags bis freitags, an arbeitstagen, arbeitstags, wochentage, arbeitstage",
        ),
    ):
        found |= {tuple(one.split()): ((K.DAY, frozenset(days)),) for one in texts.split(", ")}
    return found | {phrase: tokens for tokens, texts in GERMAN_WHOLE.items() for phrase in _phrases(texts)}


def _lexicon(
    words: Mapping[Token, str], actions: Mapping[ActionType, str], meters: Mapping[Meter, str], numbers: str
) -> dict[tuple[str, ...], tuple[Token, ...]]:
    found: dict[tuple[str, ...], tuple[Token, ...]] = {
        (one,): ((K.NUMBER, n),) for n, one in enumerate(numbers.split(), 1)
    }
    rows: dict[Token, str] = {
        **words,
        **{(K.METER, meter): texts for meter, texts in meters.items()},
    }
    for token, texts in rows.items():
        found |= dict.fromkeys(_phrases(texts), (token,))
    for action, texts in actions.items():
        whole = frozenset({action})
        for phrase in _phrases(texts):
            found[phrase] = ((K.ACTION, whole if action in ONE_THING or WHOLE.intersection(phrase) else OneOf(whole)),)
    return found


def _phrases(texts: str) -> Iterator[tuple[str, ...]]:
    """Yield the phrases of a list, in which "see/meet my/~ friends" is four."""
    for text in texts.replace("','", "comma").split(", "):
        for words in product(*(one.split("/") for one in text.split())):
            yield tuple(one for one in words if one != "~")
