"""Understand wishes in plain words, in English and German: "no sport before 9", "dreimal die Woche laufen".

What is not fully understood is refused: a refused wish costs a second try, a misunderstood one the day.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, time, timedelta

from bridge.domain.occasions import Occasion
from bridge.domain.phrases import WEEKDAYS
from bridge.domain.wishes import SUGGESTIONS_DEFAULT
from bridge.wishes.accounting import accounted
from bridge.wishes.conflicts import contradicts
from bridge.wishes.events import with_evening
from bridge.wishes.hours import NotUnderstood
from bridge.wishes.leanings import leanings
from bridge.wishes.lexicon import ALL, WEEK, lexicon
from bridge.wishes.occasions import occasion, written_out
from bridge.wishes.phrasings import FOREVER, NOTHING_ELSE, alone, phrasings
from bridge.wishes.reading import by_slots
from bridge.wishes.reasons import DATED_EVENT, ILL, LEFT_LIMITS, PASSES
from bridge.wishes.refusals import is_no_wish, leaves_amounts
from bridge.wishes.said import Said
from bridge.wishes.slots import POLARITY
from bridge.wishes.statements import at_once, without_statements
from bridge.wishes.wanting import held_for

TEXT_MAX = 300  # characters
LENGTHS = ("shortest", "longest")
WORDS_MIN = 3  # of a wish beside another
OF_WEEK = frozenset(WEEK)
LANGUAGES = ("en", "de")
PERMANENT = {"never", "without"}
OF_NIGHTS = {"bed", "up", "earliest", "asleep", "rest"}
UNPARTED = re.compile(  # a reason without a comma before it
    r"(?i)(?<=\w) (?=da (?:\w*[^\Wr]t|\w+en|hab|habe|bin|sind) (?:ich|wir|die|der|das|es|meine?|unsere?|mein|unser)\b"
    r"|that'?s (?:my|our|when|family)\b)(?<!\bund )(?<!\bdays )(?<!\band )(?<!\bor )(?<!\bbecause )(?<!\bso )"
)
DEPENDS = re.compile(  # on what a day held, by which no night is wished
    r"\b(?:nach|after|vor|before) (?:(?:de[mr]|eine[mr]|jede[mr]|meine[mr]|the|an?|my|each|every) )?"
    r"(?:[\w-]+ )?[\w-]*(?:dienst|schicht|sport|training|arbeit|party|shift|duty|work|workout)e?n?s?\b"
)
IN_BED = re.compile(
    r"\bbis (?:um )?[^ ,.;]+(?: uhr)?(?: morgens| früh)? (?:im|in meinem) bett\b(?! (?:bleib|lieg))"
)  # or by then
LENGTHENS = re.compile(r"\b(?:kürzer|länger|shorter|longer)\b")
MORNING_TO = re.compile(r"\b(?:morning|morgens|vormittag)\w*\b.*\b(?:until|till|bis) [^ ,;.]+$")
SLEEP = re.compile(r"^(?!.*\b(?:bed|bett)\b).*\b(?:sleep|asleep|schlaf\w*|geschlafen)\b")
LATE = time(18)
ORDER = re.compile(  # to do something, which is done once unless days or a part of the day are told
    r"^(?:please |can you |could you |bitte |kannst du |remind me to |erinner\w* mich,? )*"
    r"(?:call(?! with)|phone|ring|text|e-?mail|message|ruf\w*|telefonier\w*|schreib\w*)\b|\b(?:anrufen|anzurufen)\b"
)
LASTING = re.compile(  # which may be told beside the days that it lasts
    r"\b(?:(?:night|late|early|day)s?(?: shifts?| duty)?|nights|earlies|lates|exams?|revision|visit\w*|guests?|away"
    r"|travel\w*|trip|on call|birthday|wedding|geburtstag|hochzeit"
    r"|(?:nacht|spät|früh|tag|ruf|bereitschafts)(?:dienst|schicht|bereitschaft)e?n?"
    r"|prüfung\w*|klausur\w*|besuch|gäste|weg|unterwegs|verreist|dienstreise|nicht da)\b|" + ILL.pattern
)
OF_ALL_DAYS = {"clear", "allow", "any", "drop", "forget", "open", "usual", "night"}  # which take a wish back
CLAUSES = re.compile(r"[,;:.](?!\d)| (?:and|und|so|because|cos|coz|cuz|weil|denn|since|also|but|aber) ")
THENCE = re.compile(  # a reason, and the wish that holds on the days of it
    r"(?P<reason>[^,;.:]+?)(?:[,;:.]| [-–—]|(?= (?:so|deshalb|darum|therefore) )) "
    r"(?P<thence>(?:so|also|da|dann|deshalb|darum|then|therefore) )?(?P<wish>.+?)"
    r"(?P<then> (?:then|(?:in|during) that time))?$"
)
JOINT = re.compile(r"[,;.!?]+ (?:(?:and|but|und|aber) )?| (?:and|but|und|aber) ")
A_WEEK, ONCE = {"en": "a week", "de": "pro Woche"}, {"en": "once a week", "de": "einmal pro Woche"}
ON = {"en": "on", "de": "am"}
AND = re.compile(r"(?i)[,;]| (?:and|but|und|aber) ")
WITH = re.compile(r"(?i) (?:with|mit) ")
POINTS = re.compile(  # to what is said elsewhere in a text
    r"\b(?:then|that|those|otherwise|instead|except|if|unless|da|dann|danach|sonst|ansonsten|stattdessen|außer|wenn)\b"
)


@dataclass(frozen=True, slots=True)
class Heard:
    """The wishes of a text in order. ``aside`` are parts of the text that were only reasons for a wish."""

    said: tuple[Said, ...]
    aside: tuple[str, ...] = ()


def understood(text: str, today: date | None = None) -> tuple[Said, ...]:
    """Return the wishes in a text. Raises NotUnderstood if any part of the text is not understood."""
    return heard(text, today).said


def heard(text: str, today: date | None = None) -> Heard:
    """Return the wishes in a text. Raises NotUnderstood, also if both languages or two parts of the text disagree.

    Without ``today``, a wish that holds only on some dates is not understood.
    """
    text = UNPARTED.sub(lambda at: ", " if POLARITY.search(text[: at.start()].lower()) else " ", text)
    text = at_once(text)
    plain = text.strip().lower()
    if len(text) > TEXT_MAX or is_no_wish(plain):
        raise NotUnderstood
    found = [one for language in LANGUAGES if (one := _told(text, language, today)) is not None]
    found = found or [one for language in LANGUAGES for one in _in_two(text, language, today)]
    found = found or [one for language in LANGUAGES for one in _in_other_words(text, language, today)]
    found = found or [statement for language in LANGUAGES for statement in _beside_statements(text, language, today)]
    found = found or [Heard(said=leant) for language in LANGUAGES if (leant := leanings(text, language, today))]
    if len({one.said for one in found}) != 1:
        raise NotUnderstood
    kinds = {one.kind for one in found[0].said}
    if ORDER.search(plain) and all(map(_is_once, found[0].said)):
        raise NotUnderstood  # "call my mother tomorrow at ten"
    if (kinds & OF_NIGHTS and DEPENDS.search(plain)) or ("up" in kinds and IN_BED.search(plain)):
        raise NotUnderstood  # "after a night shift let me sleep until 2 pm"
    best = _of_one_thing(min(found, key=lambda one: len(one.aside)), plain)
    if best.aside and any(map(_is_forever, best.said)) and PASSES.search(plain) and not FOREVER.search(plain):
        raise NotUnderstood  # "no sport, I'm exhausted": today, or never again?
    if any(LENGTHENS.search(one.lower()) or LEFT_LIMITS.search(one.lower()) for one in best.aside):
        raise NotUnderstood  # "learning units shorter, 25 minutes, then a break"
    if leaves_amounts(best.said, best.aside):
        raise NotUnderstood  # "less meditation and no yoga"
    if DATED_EVENT.search(plain) and any(one.when and one.when.since == one.when.until for one in best.said):
        raise NotUnderstood  # "mornings are for learning, exam on the 18th"
    if MORNING_TO.search(plain) and any(
        end >= LATE for one in best.said if one.kind == "hours" for _, end in one.hours
    ):
        raise NotUnderstood  # "mornings are for the baby, so family time until ten"
    return replace(
        best,
        said=tuple(
            replace(
                one,
                names=_as_written(one.names, text),
                of=_all_written(one.of, text),
                bound=one.bound or (one.kind == "asleep" and SLEEP.search(plain) is not None),
            )
            for one in best.said
        ),
    )


def _of_one_thing(one: Heard, plain: str) -> Heard:
    """Return "family from three to seven and nothing else" as a wish for it then, with all others barred."""
    if not NOTHING_ELSE.search(plain) or [wish.kind for wish in one.said] != ["hours"]:
        return one
    best = replace(one.said[0], kind="best", narrows=False)
    return replace(one, said=(best, held_for((best,))))


def _in_two(text: str, language: str, today: date | None) -> Iterator[Heard]:
    """Yield what a text says that is two wishes, each whole by itself: "home by six, and no tv on Sundays"."""
    for joint in JOINT.finditer(text) if not POINTS.search(text.lower()) else ():
        parts = [text[: joint.start()], text[joint.end() :]]
        read = [_on_days(part, language, today) for part in parts if len(part.split()) >= WORDS_MIN]
        both = [one for one in read if one is not None and not one.aside and all(map(_is_whole, one.said))]
        if len(both) < len(parts):
            continue
        one, other = (frozenset().union(*(said.actions for said in wish.said)) for wish in both)
        said = (*both[0].said, *both[1].said)
        alone = WITH.split(parts[1])[0]  # "swimming on Mondays and Tuesdays with my son" is of him on both days
        apart = alone == parts[1] or _on_days(alone, language, today) is not None
        beside = joint[0][0] != " " or (apart and _are_alike(*both) and len(AND.findall(text)) == 1)
        if beside and not one & other and not contradicts(said):
            yield Heard(said=said)


def _beside_statements(text: str, language: str, today: date | None) -> Iterator[Heard]:
    """Yield the wish of a text beside what it only tells: "no sport on Saturday, I have a race on Sunday"."""
    for rest, left in without_statements(text, language):
        read = _told(rest, language, today) or next(_in_other_words(rest, language, today), None)
        forever = FOREVER.search(rest.lower()) is not None
        if read is not None and (forever or not any(map(_is_forever, read.said))):
            yield replace(read, aside=(*left, *read.aside))
            return


def _in_other_words(text: str, language: str, today: date | None) -> Iterator[Heard]:
    """Yield what several texts wish that together say the same."""
    try:
        rest, when = (text, None) if today is None else occasion(text, language, today)
    except NotUnderstood:
        return
    for texts, left in phrasings(rest, language):
        if when is None:
            read = [_told(one, language, today) for one in texts]
        else:
            read = [_read(one, language) or _wanted_on(one, language, when) for one in texts]
        both = [one for one in read if one is not None and not one.aside]
        said = tuple(dict.fromkeys(one for wish in both for one in wish.said))
        if when is not None:
            said = tuple(replace(one, when=_of_both(when, one.when)) for one in said)
        forever = any(one.kind == "never" and not one.when for one in said) and not FOREVER.search(rest.lower())
        if len(both) == len(texts) and not forever and not contradicts(said):
            yield Heard(said=said, aside=left)
            return


def _told(text: str, language: str, today: date | None) -> Heard | None:
    """Return the wishes of a text, of which "only family" on some day bars all others."""
    try:
        rest, when = (text, None) if today is None else occasion(text, language, today)
    except NotUnderstood:
        return None
    only = alone(rest, language, dated=when is not None)
    if only is None:
        return _on_days(text, language, today)
    if when is None:
        nothing, wished = (_on_days(one, language, today) for one in (only.nothing, only.wished))
    else:
        nothing, wished = (_read(one, language) for one in (only.nothing, only.wished))
    others = ALL - only.actions
    if nothing is None or nothing.aside:
        return None
    barred = tuple(
        Said(kind="never", actions=others, when=one.when) if one.kind == "suggestions" else replace(one, actions=others)
        for one in nothing.said
    )
    best = [one for one in wished.said if one.kind == "best"] if wished is not None and not wished.aside else []
    said = barred if any(one.kind == "before_bed" for one in barred) else (*best, *barred)
    if when is None and any(one.kind == "never" and one.when is None for one in said):
        return None
    return Heard(said=said if when is None else tuple(replace(one, when=_of_both(when, one.when)) for one in said))


def _are_alike(one: Heard, other: Heard) -> bool:
    """Return False if only one half of a text tells days, or hours without days, which could be of both halves."""
    days = [any(o.days or o.when for o in half.said) for half in (one, other)]
    hours = [any(o.hours or o.at for o in half.said) for half in (one, other)]
    return days[0] == days[1] and (days[0] or hours[0] == hours[1])


def _is_once(one: Said) -> bool:
    of_a_day = one.when is not None and one.when.since == one.when.until is not None
    return of_a_day or (one.kind == "best" and one.at is not None and not (one.days or one.when))


def _is_forever(one: Said) -> bool:
    return one.kind in PERMANENT and not one.when


def _is_whole(one: Said) -> bool:
    return one.kind not in OF_ALL_DAYS | {"never"} and (one.kind != "without" or one.when is not None)


def _as_written(names: frozenset[str], text: str) -> frozenset[str]:
    return frozenset(_all_written(several, text) for several in names)


def _all_written(names: str, text: str) -> str:
    return ", ".join(_written(name, text) for name in names.split(", "))


def _written(name: str, text: str) -> str:
    told = re.search(re.escape(name).replace(r"\ ", "[ -]"), text, re.IGNORECASE)
    return name if told is None else told[0]


def _on_days(text: str, language: str, today: date | None) -> Heard | None:
    """Return the wishes of a text in one language, each with the days on which it holds, or None."""
    try:
        rest, when = (text, None) if today is None else occasion(text, language, today)
    except NotUnderstood:
        return None
    found = _read(rest, language)
    if when is None:
        return found
    found = found or _of_reason(rest, language, lasts=when.until is not None) or _in_week(rest, language, when)
    found = found or _wanted_on(rest, language, when)
    if found is None and when.every > 1:
        found = _read(f"{rest} {ONCE[language]}", language)  # "grandma every other week"
    if found is None:
        return None
    of_all = _is_of_all(text.lower(), rest.lower(), found.aside)
    of_one = len({one.actions for one in found.said}) == 1 and not found.aside
    of_one |= {one.kind for one in found.said} == {"never"} and not found.aside  # "no sport and no tv at Christmas"
    usual = Said(kind="suggestions", number=SUGGESTIONS_DEFAULT)
    if not (of_all or of_one) or usual in found.said or OF_ALL_DAYS & {one.kind for one in found.said}:
        return None  # "no sport on Mondays, the pool is closed until May"
    if when.every > 1 and any(one.kind == "most" for one in found.said):
        return None  # "at most once a month" bounds each week, and not only each fourth one
    if when.until and not when.since and all(one.kind in LENGTHS for one in found.said):
        return None  # "tax return by 10 December, 3 hours" is a task
    if not all(_takes_place(one, when) for one in found.said):
        return None  # "no sport tomorrow and on Wednesday"
    return replace(found, said=tuple(replace(one, when=_of_both(when, one.when)) for one in found.said))


def _in_week(rest: str, language: str, when: Occasion) -> Heard | None:
    """Read "only two runs" of a text that tells this week."""
    if not (when.since and when.until and when.until - when.since < timedelta(days=len(WEEK))):
        return None
    found = _read(f"{rest} {A_WEEK[language]}", language)
    aside = tuple(one.removesuffix(f" {A_WEEK[language]}") for one in found.aside) if found else ()
    return replace(found, aside=aside) if found else None


def _wanted_on(rest: str, language: str, when: Occasion) -> Heard | None:
    """Return the wish for what is wanted on one day, of which no hour is told."""
    if when.since is None or when.since != when.until:
        return None
    found = _read(f"{rest} {ON[language]} {WEEKDAYS[language].split()[when.since.weekday()]}", language)
    return found if found is not None and {one.kind for one in found.said} == {"best"} else None


def _is_of_all(plain: str, rest: str, aside: Sequence[str]) -> bool:
    """Return True if the days taken out of a text are of all its wishes, and not of a reason beside them."""
    first, left = CLAUSES.split(plain)[0], CLAUSES.split(rest)
    if plain.endswith(rest) or plain == first or (aside and not rest.startswith(first)):
        return True
    kept = [one for one in left if one.strip() and one in CLAUSES.split(plain)]
    changed = [one for one in left if one.strip() and one not in kept]
    told = [
        [any(one in said or said in one for said in map(str.lower, aside)) for one in some] for some in (kept, changed)
    ]
    return bool(changed) and all(told[0]) and not any(told[1])


def _of_reason(rest: str, language: str, *, lasts: bool) -> Heard | None:
    """Read "I've got the kids, so no sport", of which the first clause has had the days that are taken out of it."""
    told = THENCE.match(rest)
    if told is None or _read(told["reason"], language) is not None:
        return None
    if not (told["thence"] or told["then"] or (lasts and LASTING.search(told["reason"].lower()))):
        return None
    found = _read(written_out(told["wish"], language), language)
    return None if found is None else replace(found, aside=(told["reason"], *found.aside))


def _takes_place(one: Said, when: Occasion) -> bool:
    """Return False for a wish about Wednesdays on a day that is none."""
    if when.since == when.until is not None and one.kind in ("goal", "most", "apart"):
        return False  # "I'm forty on 12 December, three runs a week"
    days = OF_WEEK - one.days if one.kind == "days" else one.days or (one.when.days if one.when else frozenset())
    if not days or when.since is None or when.until is None:
        return True
    span = range(min((when.until - when.since).days + 1, len(WEEK)))
    return bool(days & {(when.since.weekday() + at) % len(WEEK) for at in span})


def _of_both(when: Occasion, other: Occasion | None) -> Occasion:
    return when if other is None else replace(when, days=other.days)


def _read(text: str, language: str) -> Heard | None:
    def said_in(rest: str) -> tuple[Said, ...] | None:
        try:
            return by_slots(rest, language)[0]
        except NotUnderstood:
            return None

    text = with_evening(text)
    try:
        said, aside = by_slots(text, language)
        if contradicts(said):
            return None
        told = accounted(text, language, said, aside, said_in)
    except NotUnderstood:
        return None
    vague = (one[0] for one in lexicon(language).vague.finditer(text) if not any(one[0] in other for other in told))
    return Heard(said=said, aside=(*told, *vague))
