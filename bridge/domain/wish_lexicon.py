"""The words in which people say wishes, in English and German, by what they mean to ``wish_words``.

A phrase with several words is found before its parts. A word that is nowhere here makes a wish not understood.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import time
from enum import StrEnum
from functools import cache

from rhythm_env.interface import ActionType, Meter

A, M = ActionType, Meter
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
    NUMBER, TIMES, PER, CLOCK, SHIFT, HALF_DAY = "number", "times", "per", "clock", "shift", "half day"
    BEFORE, AFTER, AT, FROM, TO, BETWEEN, SPAN = "before", "after", "at", "from", "to", "between", "span"
    FINISH, START = "finish", "start"


K = Kind
Token = tuple[Kind, object]

ENGLISH_ACTIONS = {
    A.DEEP_WORK: "deep work, deep working, focus work, focused work, focus time, concentrated work, work deeply, "
    "focussed work, concentration time, focus sessions, focus session, deep work session, "
    "deep work sessions, thesis, my thesis, "
    "write my thesis, coding, programming",
    A.ADMIN_WORK: "admin, admin work, emails, email, e mail, e mails, mail, mails, paperwork, office work, "
    "do paperwork, do admin, do emails, the inbox, administration, bureaucracy, accounting, bookkeeping, "
    "admin session, admin sessions, taxes, my taxes, do my taxes, tax return, chores, household chores",
    A.LEARN: "learn, learning, study, studying, to study, studies, learning time, study time, study sessions, "
    "language course, language class, language classes",
    A.SLEEP: "nap, naps, napping, power naps, power nap, take naps, take a nap, a nap",
    A.EXERCISE: "sport, sports, exercise, exercising, exercises, workout, workouts, work out, working out, gym, run, "
    "runs, running, jogging, jog, go running, go for a run, swim, swimming, go swimming, cycling, cycle, yoga, train, "
    "training, the gym, go to the gym, bike rides, bike ride, hiking, training sessions, fitness, walks, walking, "
    "a walk, strength training, tennis, football, do sport, do sports, do yoga, pilates, climbing, "
    "weights, lift weights, weight training, stretching",
    A.MEDITATE: "meditate, meditation, meditating, meditations, mindfulness, breathing exercises, "
    "breathing exercise, breathwork",
    A.FAMILY_TIME: "family, family time, the family, with the family, with family, with my family, time with family, "
    "time with the kids, time with my kids, time for family, time with the family, time with my family, kids, "
    "the kids, with the kids, children, the children, playing with the children, play with the children, "
    "playing with the kids, play with the kids, time with the children, time with my children, "
    "family visit, family visits, call mum, call mom, call my mum, call my mom, "
    "call dad, call my dad, call my parents, play with my daughter, play with my son, play with my kids, "
    "play with my children",
    A.SOCIALIZE: "friends, see friends, see my friends, seeing friends, meet friends, meet my friends, "
    "meeting friends, socialising, socializing, socialise, socialize, parties, going out, go out, meet people, "
    "meeting people, with friends, time with friends, company, hang out with friends, "
    "lunch with friends, dinner with friends, coffee with friends, drinks with friends",
    A.ME_TIME: "me time, time for myself, quiet time for myself, time to myself, alone time, time alone, hobby, "
    "hobbies, reading, read, reading time, my hobbies, my hobby",
    A.BINGE_WATCH: "tv, television, netflix, series, films, movies, binge watching, binge watch, binge, watch tv, "
    "watching tv, watch netflix, watch series, watch movies, watch films, tv series, streaming, youtube, movie night, "
    "movie nights",
}
GERMAN_ACTIONS = {
    A.DEEP_WORK: "deep work, fokusarbeit, fokuszeit, konzentriertes arbeiten, konzentrierte arbeit, "
    "konzentriert arbeiten, fokussierte arbeit, fokussiert arbeiten, konzentrationszeit, "
    "doktorarbeit, an der doktorarbeit, an der doktorarbeit schreiben, programmieren",
    A.ADMIN_WORK: "büroarbeit, papierkram, mails, mail, email, emails, e mails, e mail, büro, verwaltung, "
    "verwaltungskram, bürokram, buchhaltung, schreibkram, admin, postfach, steuer, steuererklärung",
    A.LEARN: "lernen, lernzeit, zu lernen, lerne, studieren, das lernen, sprachkurs",
    A.SLEEP: "mittagsschlaf, nickerchen, mittagsschläfchen, powernap, powernaps",
    A.EXERCISE: "sport, laufen, laufe, zu laufen, joggen, jogge, training, trainings, trainieren, trainiere, "
    "fitnessstudio, schwimmen, schwimme, rad fahren, radfahren, rad, yoga, fitness, sport machen, sport treiben, "
    "ins fitnessstudio, wandern, spazieren gehen, spaziergänge, spaziergang, krafttraining, zum sport, gym, "
    "ins gym, läufe, tennis, fußball, klettern, turnen, zum training, bewegung, pilates, dehnen, gewichte",
    A.MEDITATE: "meditation, meditieren, meditiere, zu meditieren, achtsamkeit, atemübungen, atemübung, meditationen",
    A.FAMILY_TIME: "familie, familienzeit, der familie, mit der familie, zeit mit der familie, für die familie, "
    "zeit für die familie, mit den kindern, zeit mit den kindern, kinder, die kinder, mit den kindern spielen, "
    "zeit für die kinder, meine familie, mit meiner familie, zeit mit meiner familie, mit meinen kindern, "
    "zeit mit meinen kindern, mama anrufen, papa anrufen, meine eltern anrufen, eltern anrufen, familienbesuch, "
    "familienbesuche, mit meiner tochter spielen, mit meinem sohn spielen, mit meinen kindern spielen",
    A.SOCIALIZE: "freunde, freunde treffen, freunde sehen, meine freunde, meine freunde sehen, meine freunde treffen, "
    "ausgehen, partys, party, leute treffen, treffen mit freunden, mit freunden, mit freunden treffen, "
    "zeit mit freunden, freunden, feiern, mittagessen mit freunden, abendessen mit freunden, essen mit freunden, "
    "kaffee mit freunden, telefonieren mit freunden",
    A.ME_TIME: "zeit für mich, zeit allein, zeit für mich allein, hobby, hobbys, lesen, ich zeit, lese, meine hobbys, "
    "zeit für mich selbst, mein hobby, zu lesen, zeit fürs hobby",
    A.BINGE_WATCH: "fernsehen, fernseher, netflix, serien, serie, filme, film, tv, fernsehen schauen, filme schauen, "
    "serien schauen, serien gucken, filme gucken, netflix schauen, zu fernsehen, streamen, youtube, bingen, filmabend, "
    "filmabende",
}
ENGLISH_METERS = {
    M.VITALITY: "vitality, energy, health, my energy, my health, fitness",
    M.COGNITION: "cognition, concentration, clarity, mental clarity",
    M.PROGRESS: "progress, achievement, getting things done",
    M.SERENITY: "serenity, calm, calmness, inner peace, peace of mind, relaxation",
    M.CONNECTION: "connection, relationships, my relationships, closeness",
}
GERMAN_METERS = {
    M.VITALITY: "vitalität, energie, gesundheit, meine gesundheit, meine energie",
    M.COGNITION: "kognition, konzentration, geistige klarheit, klarheit",
    M.PROGRESS: "fortschritt, vorankommen",
    M.SERENITY: "gelassenheit, ruhe, innere ruhe, entspannung",
    M.CONNECTION: "verbundenheit, beziehungen, nähe",
}
ENGLISH: dict[Token, str] = {
    (K.FILL, None): "please, i, i'd, i'm, i'll, i've, the, a, an, my, me, to, of, it, is, are, be, am, on, in, for, "
    "want, would, like, need, do, go, going, should, can, you, could, there, ever, at least, have, get, with, "
    "suggest, recommend, propose, telling, tell, keep, time, than, want to, would like, thanks, per favour, "
    "suggested, in total, enough, is enough, just let me, let me, let's, do some, some, days, day, also, "
    "belong, belongs, :",
    (K.AND, None): "and, ',', &, plus",
    (K.OR, None): "or, nor",
    (K.CUT, None): ";, but, ., and also, and then",
    (K.NOT, None): "no, not, never, don't, do not, don't want, do not want, stop, no more, hate, "
    "not into, i'm not into, i hate, i don't like, i do not like, dislike, never ever, i never, not any, avoid, "
    "don't ever, do not ever, never again, don't like, i can't, i cannot, none, not ever, doesn't, no longer, dont, "
    "dont want, never show, don't show, do not show",
    (K.ONLY, None): "only, just, solely, exclusively, nothing but on",
    (K.EVERY, None): "every, each",
    (K.MOST, None): "at most, max, maximum, maximal, no more than, not more than, up to, a maximum of, at the most, "
    "maximum of, most",
    (K.ANYTIME, None): "at any time, any time, anytime, whenever, at all times, all day long, at any hour",
    (K.AGAIN, None): "allow, allowed, ok again, okay again, fine again, again, allowed again, is ok again, allow again",
    (K.CLEAR, None): "forget all my wishes, clear everything, forget everything, forget all wishes, "
    "delete all my wishes, delete all wishes, clear all wishes, clear all my wishes, reset everything, reset all, "
    "reset my wishes, drop all wishes, drop all my wishes, start over, forget my wishes, clear my wishes",
    (K.DROP, None): "drop the goal, no goal, remove the goal, forget the goal, no goals, drop my goal, delete the goal",
    (K.ACTION, WORK): "work, working, to work",
    (K.ACTION, ALL): "anything, something, things",
    (K.SUGGESTION, None): "suggestion, suggestions, idea, ideas, tip, tips, recommendation, recommendations, proposals",
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
    (K.TIMES, None): "times, time per, x, times in",
    (K.PER, 7): "a day, per day, daily, each day, in a day, every day, everyday, on every day, day by day",
    (K.PER, 1): "a week, per week, weekly, each week, every week, in a week, the week",
    (K.SHIFT, 30): "half past, half",
    (K.SHIFT, 15): "quarter past, a quarter past, quarter after",
    (K.SHIFT, -15): "quarter to, a quarter to, quarter before",
    (K.HALF_DAY, 0): "am, a m, o'clock in the morning",
    (K.HALF_DAY, 12): "pm, p m, o'clock in the evening, o'clock in the afternoon, at night",
    (K.FILL, "clock"): "o'clock, oclock",
    (K.CLOCK, (12, 0)): "noon, midday",
    (K.BEFORE, None): "before, earlier than, until after",
    (K.AFTER, None): "after, later than, past, starting at, starting from, from then on after",
    (K.AT, None): "at, by",
    (K.FROM, None): "from",
    (K.TO, None): "to, until, till, through, -",
    (K.BETWEEN, None): "between",
    (K.FINISH, None): "finish, stop work, stop working, finish work, finish working, done working, be finished, "
    "be done, work ends, done with work, i'm done, i'm done working, finished, finished with work, end work, "
    "quit work, be done working, be finished with work, leave work, off work, knock off, the workday ends, "
    "my workday ends, work should end, work stops, done for the day, my work ends",
    (
        K.START,
        None,
    ): "start work, start working, begin work, work starts, work begins, begin working, my workday starts, "
    "workday starts, my workday begins, workday begins",
}
WEEKNIGHTS = ((K.DAY, frozenset(WEEK[:5])), (K.PART, EVENING))
ENGLISH_WHOLE = {  # phrases of several meanings
    "weeknights": WEEKNIGHTS,
    "on weeknights": WEEKNIGHTS,
    "nothing": ((K.NOT, None), (K.ACTION, ALL)),
    "leave me alone": ((K.NOT, None), (K.ACTION, ALL)),
    "leave me in peace": ((K.NOT, None), (K.ACTION, ALL)),
    "don't bother me": ((K.NOT, None), (K.ACTION, ALL)),
    "do not bother me": ((K.NOT, None), (K.ACTION, ALL)),
    "don't disturb me": ((K.NOT, None), (K.ACTION, ALL)),
    "do not disturb me": ((K.NOT, None), (K.ACTION, ALL)),
    "suggest something": ((K.SUGGESTION, None),),
    "suggest things": ((K.SUGGESTION, None),),
}
GERMAN: dict[Token, str] = {
    (
        K.FILL,
        None,
    ): "bitte, ich, der, die, das, den, dem, des, ein, eine, einen, mein, meine, mir, mich, es, ist, sind, "
    "sei, sein, am, an, im, in, zu, zum, zur, für, mit, gern, gerne, möchte, will, würde, mag, wünsche, soll, sollte, "
    "sollen, kann, du, auch, ja, mal wieder, mindestens, habe, haben, hab, vorschlagen, empfehlen, schlag, schlage, "
    "machen, mache, gehe, gehen, schaue, schauen, gucken, sehe, sehen, treffen, treffe, reicht, reichen, "
    "dran, gehört, gehören, halte, halt, wieder vorschlagen, etwas zeit, dann, noch, etwas, tage, tag, "
    "jeweils, fange, wird, werden, treiben, :",
    (K.AND, None): "und, ',', &, sowie",
    (K.OR, None): "oder, noch auch",
    (K.CUT, None): ";, aber, ., jedoch, und auch",
    (K.NOT, None): "kein, keine, keinen, keinem, nicht, nie, niemals, nie wieder, nie mehr, nicht mehr, keine mehr, "
    "hasse, ich hasse, nichts für mich, bloß kein, nie im leben, ist nichts für mich, nie etwas, "
    "nie zeigen, nicht zeigen",
    (K.ONLY, None): "nur, ausschließlich, erst, bloß, lediglich, nur noch",
    (K.EVERY, None): "jeden, jede, jedes, jedem, an jedem, alle",
    (K.MOST, None): "höchstens, maximal, max, nicht mehr als, bis zu, maximum",
    (K.ANYTIME, None): "jederzeit, egal wann, wann immer, zu jeder zeit, immer erlaubt, zu jeder uhrzeit",
    (K.AGAIN, None): "wieder erlauben, wieder okay, wieder ok, wieder in ordnung, erlauben, erlaube, wieder erlaubt, "
    "erlaubt, wieder gut, darf wieder",
    (K.CLEAR, None): "alle wünsche vergessen, alles löschen, alle wünsche löschen, alles vergessen, vergiss alles, "
    "alles zurücksetzen, vergiss alle wünsche, lösche alle wünsche, wünsche löschen, alle meine wünsche löschen, "
    "vergiss alle meine wünsche, von vorn anfangen",
    (K.DROP, None): "kein ziel, ziel streichen, ziel löschen, das ziel streichen, streiche das ziel, lösche das ziel, "
    "keine ziele, vergiss das ziel",
    (K.ACTION, WORK): "arbeit, arbeiten, arbeite, zu arbeiten",
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
    (K.TIMES, None): "mal, x",
    (K.PER, 7): "am tag, pro tag, täglich, jeden tag, an jedem tag, tag für tag, alle tage",
    (K.PER, 1): "die woche, pro woche, in der woche, wöchentlich, jede woche, je woche",
    (K.SHIFT, -30): "halb",
    (K.SHIFT, 15): "viertel nach",
    (K.SHIFT, -15): "viertel vor, dreiviertel",
    (K.HALF_DAY, 0): "uhr morgens, uhr früh, uhr vormittags",
    (K.HALF_DAY, 12): "uhr abends, uhr nachmittags, uhr nachts",
    (K.FILL, "clock"): "uhr",
    (K.CLOCK, (12, 0)): "mittag",
    (K.BEFORE, None): "vor, früher als, bis spätestens, spätestens bis, spätestens um",
    (K.AFTER, None): "nach, ab, länger als bis, später als, länger als",
    (K.AT, None): "um, gegen",
    (K.FROM, None): "von",
    (K.TO, None): "bis, -, bis um",
    (K.BETWEEN, None): "zwischen",
    (K.FINISH, None): "feierabend, ist schluss mit der arbeit, bin ich fertig mit arbeiten, fertig sein, arbeitsende, "
    "schluss mit arbeit, mit der arbeit fertig sein, mit der arbeit aufhören, aufhören zu arbeiten, arbeitsschluss, "
    "feierabend machen, feierabend haben, bin ich fertig, höre ich auf zu arbeiten, fertig mit der arbeit sein, "
    "ist feierabend, mache ich feierabend, fertig mit der arbeit, schluss mit der arbeit, ist die arbeit vorbei, "
    "will ich feierabend, habe ich feierabend, arbeit endet",
    (
        K.START,
        None,
    ): "fange an zu arbeiten, arbeitsbeginn, beginne zu arbeiten, beginnt die arbeit, arbeit beginnt, anfangen zu "
    "arbeiten, an zu arbeiten",
}
GERMAN_WHOLE = {
    "jeden morgen": ((K.EVERY, None), (K.PART, MORNING)),
    "nichts": ((K.NOT, None), (K.ACTION, ALL)),
    "nichts mehr": ((K.NOT, None), (K.ACTION, ALL)),
    "lass mich in ruhe": ((K.NOT, None), (K.ACTION, ALL)),
    "ein vorschlag": ((K.NUMBER, 1), (K.SUGGESTION, None)),
    "einen vorschlag": ((K.NUMBER, 1), (K.SUGGESTION, None)),
    "eine idee": ((K.NUMBER, 1), (K.SUGGESTION, None)),
    "ein tipp": ((K.NUMBER, 1), (K.SUGGESTION, None)),
    "einen tipp": ((K.NUMBER, 1), (K.SUGGESTION, None)),
}
ABBREVIATED = "mo di mi do fr sa"  # "so" is a word of its own
PARTED = (  # what stands around something else -> both together
    (r"(?<=[^\W\d_])/(?=week\b)", " a "),
    (r"(?<=[^\W\d_])/(?=woche\b)", " pro "),
    (r"\b(arbeitsende|arbeitsbeginn|arbeitsschluss):? (?=\d)", r"\1 um "),
    (r"\bhöre (um .+) auf zu arbeiten\b", r"feierabend \1"),
    (r"\b(work) starts (.+) and ends\b", r"\1 starts \2 and \1 ends"),
    (r"\b(arbeit) beginnt (.+) und endet\b", r"\1 beginnt \2 und \1 endet"),
    (r"^(\w+),? (?:but|aber) (not|nicht)\b", r"\2 \1"),
    (r"\blass(?:t)? mich (.+) in ruhe\b", r"lass mich in ruhe \1"),
    (r"\bleave me (.+) alone\b", r"leave me alone \1"),
    (r"\bhalt(?:e)? (.+) frei\b", r"\1"),
    (r"\bkeep (.+) free\b", r"\1"),
    (r"\bmax\.", "max"),
    (r"\b(kein\w*|nicht|nichts) (.+) mehr$", r"\1 \2"),
)
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
    ):
        found |= {tuple(one.split()): ((K.DAY, frozenset(days)),) for one in texts.split(", ")}
    return found | {tuple(text.split()): tokens for text, tokens in ENGLISH_WHOLE.items()}


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
        (WEEK[:5], "werktagen, an wochentagen"),
    ):
        found |= {tuple(one.split()): ((K.DAY, frozenset(days)),) for one in texts.split(", ")}
    return found | {tuple(text.split()): tokens for text, tokens in GERMAN_WHOLE.items()}


def _lexicon(
    words: Mapping[Token, str], actions: Mapping[ActionType, str], meters: Mapping[Meter, str], numbers: str
) -> dict[tuple[str, ...], tuple[Token, ...]]:
    found: dict[tuple[str, ...], tuple[Token, ...]] = {
        (one,): ((K.NUMBER, n),) for n, one in enumerate(numbers.split(), 1)
    }
    rows: dict[Token, str] = {
        **words,
        **{(K.METER, meter): texts for meter, texts in meters.items()},
        **{(K.ACTION, frozenset({action})): texts for action, texts in actions.items()},
    }
    for token, texts in rows.items():
        for text in texts.replace("','", "comma").split(", "):
            found[tuple(text.split())] = (token,)
    return found
