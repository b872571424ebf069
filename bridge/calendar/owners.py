"""Find names of people in the titles of a family's calendar, such as CW in "CW Preschool".

An owner's name begins or ends a title, or stands in brackets. A person who is met, fetched or called owns no entry. A
word counts as a name if it stands so beside several other words, and in titles of shifts if it is a first name, a
relative or a possessive.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from bridge.calendar.corrections import alike, runs
from bridge.domain.phrases import WEEKDAYS, first_names

FEWEST_BESIDE = 3  # different rests of titles that a name stands beside
SURE_BESIDE = 2  # the same for a name that a sign parts from the rest, and for initials
SAME = 0.7  # overlap of three-letter runs from which two words are one
JOINS = frozenset({"&", "+", "/", "and", "und", "u", "y", "et", "e"})
BEFORE = (
    "with w mit for für fuer to zu zum zur from von bei at call ring meet see visit up off bring fetch collect about "
    "drop drive take pick avec pour con per para treffe besuche hole bringe st sankt saint"
)
BESIDE = "abholen bringen anrufen holen besuchen treffen pickup dropoff fahren birthday geburtstag"
MET, FETCHED = frozenset(BEFORE.split()), frozenset(BESIDE.split())  # before and beside whoever is met or fetched
PARTS = re.compile(r"[^\W\d_]+(?:['’]s\b)?|[&+/:()\[\]–—|-]")
NUMBERS = re.compile(r"\d+(?:\s*[:.–-]+\s*\d+)*")  # and times
BRACKETS = "()[]"
SHIFT = re.compile(  # work by the clock: en, de, fr, es, it, nl, pt
    r"\b(shifts?|(night|day|on)[- ]?duty|on[- ]?call|(?!gottes|kunden)\w*diensten?|(?!gottes|kunden)\w*dienst|"
    r"(?!ge)\w*schicht(en)?|gardes?|astreinte|turnos?|turni|guardias?|plantão|plantões)\b",
    re.IGNORECASE,
)
OF = frozenset({"of", "von", "vom", "de", "di", "da", "do", "van"})  # before whose shift it is
KIN = (
    "mum mom mummy mommy mother dad daddy father grandma granny grandpa grandad wife husband partner brother sister "
    "son daughter aunt uncle mama mami mutti mutter papa papi vati vater oma opa frau mann bruder schwester sohn "
    "tochter tante onkel maman mamie papy femme mari frère sœur madre padre mamá papá abuela abuelo mamma papà babbo "
    "nonna nonno moglie marito vrouw moeder vader broer zus mãe pai avó avô esposa esposo marido mulher"
)
NOBODY = "today tomorrow tonight yesterday week weekend morning evening " + WEEKDAYS["en"]
RELATIVES, DAYS = frozenset(KIN.split()), frozenset(NOBODY.split())


@dataclass(frozen=True, slots=True)
class _Word:
    text: str  # in lower case, without 's
    sure: bool  # a sign parts it from the rest, or it is initials


def owners_in(title: str) -> list[str]:
    """Return the words of a title, in lower case, that may be its owner's name by their place.

    >>> owners_in("CW Preschool"), owners_in("Lunch with Ben"), owners_in("Clara & Ben: cinema")
    (['cw', 'preschool'], ['lunch'], ['clara', 'ben', 'cinema'])
    """
    return list(dict.fromkeys(one.text for part in _ends(title) for one in part))


def joined_in(title: str) -> list[str]:
    """Return the names, in lower case, that a title joins as owners, as clara and ben in "Clara & Ben: cinema"."""
    return next(([one.text for one in part] for part in _ends(title) if len(part) > 1), [])


def rest_of(title: str, name: str) -> tuple[str, ...]:
    return tuple(word for word in words(title) if word != name)


@lru_cache(maxsize=1 << 14)
def on_shift(title: str | None) -> str | None:
    """Return the name, in lower case, that stands beside the word for a shift in a title, or None.

    >>> [on_shift(title) for title in ("Tom night shift", "Dienst Papa", "Anna's late shift", "Shift for Tom")]
    ['tom', 'papa', 'anna', None]
    >>> [on_shift(title) for title in ("ICU night shift", "Nachtdienst Station 3", "Monday's shift", "Lunch with Tom")]
    [None, None, None, None]
    """
    if title is None or not SHIFT.search(title):
        return None
    owned = {_plain(part) for part in PARTS.findall(_normal(title)) if part.casefold() != _plain(part)} - DAYS
    return next((word for word in owners_in(title) if word in owned or _is_person(word)), None)


def _is_person(word: str) -> bool:
    bare = "".join(one for one in unicodedata.normalize("NFD", word) if not unicodedata.combining(one))
    stems = (word, bare, bare.removesuffix("s"))  # Toms Nachtdienst
    return word in RELATIVES or any(stem in RELATIVES or stem in first_names() for stem in stems)


def same_words(one: str, other: str) -> bool:
    """Return True if two titles have the same words, apart from order, small differences in spelling, and numbers.

    >>> same_words("Trash collection", "trash collections (2)"), same_words("Dentist", "Dentist Ben")
    (True, False)
    """
    mine, theirs = set(words(one)), set(words(other))
    if not mine or not theirs:
        return one.strip().casefold() == other.strip().casefold()
    return all(_has(word, theirs) for word in mine) and all(_has(word, mine) for word in theirs)


def names(titles: Iterable[str]) -> frozenset[str]:
    """Return the words that are owners' names in the titles of a calendar, in lower case."""
    titles = list(titles)
    found: set[str] = set()
    different = {title for title in titles if len(words(title)) > 1}
    alone = {words(title)[0] for title in titles if len(words(title)) == 1}
    open_ones = {title: [w for part in _ends(title) for w in part] for title in different}
    shifts = sorted({name for title in different if (name := on_shift(title)) is not None})
    while True:
        rests: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        sure: set[str] = set()
        for title, some in open_ones.items():
            for word in some:
                rests[word.text].add(tuple(sorted(set(rest_of(title, word.text)))))
                sure |= {word.text} if word.sure else set()
        good = [
            (len(beside) + (len(beside) if word in sure else 0), word)
            for word, beside in rests.items()
            if word not in found
            and len(beside) >= (SURE_BESIDE if word in sure else FEWEST_BESIDE)
            and (word not in alone or word in sure)
        ]
        if not (good or shifts):
            return frozenset(found)
        best = shifts.pop() if shifts else min(good, key=lambda one: (-one[0], one[1]))[1]
        found.add(best)
        for title, some in open_ones.items():
            if any(word.text == best for word in some):
                kept = set(joined_in(title)) or {best}
                open_ones[title] = [word for word in some if word.text in kept]


def name_in(title: str, known: frozenset[str]) -> str | None:
    """Return the name in ``known`` that is a title's only owner, or None for no or several owners."""
    found = [word for word in owners_in(title) if word in known]
    return found[0] if len(found) == 1 and not joined_in(title) else None


def spelt(name: str, title: str) -> str:
    """Return the name (in lower case) as the title spells it."""
    parts = PARTS.findall(_normal(title))
    return next((re.sub(r"['’]s$", "", part) for part in parts if _plain(part) == name), name)


def beside(title: str, titles: Iterable[str], known: frozenset[str]) -> frozenset[str]:
    """Return the names in ``known`` that other titles add to the words of this title, such as ben for "Dentist"."""
    named = ((name_in(other, known), other) for other in set(titles))
    return frozenset(n for n, other in named if n is not None and same_words(" ".join(rest_of(other, n)), title))


def tells_people(title: str, known: frozenset[str]) -> bool:
    """Return True if a title has a known name written as only people's are, with 's, in brackets or as initials.

    >>> known = frozenset({"clara", "focus", "cw"})
    >>> [tells_people(title, known) for title in ("Clara's ballet", "CW Preschool", "Focus: plan", "Ballet (Clara)")]
    [True, True, False, True]
    """
    parts = ["", *PARTS.findall(_normal(title)), ""]
    return any(
        _plain(part) in known and (part.casefold() != _plain(part) or _is_initials(part) or low + high in ("()", "[]"))
        for low, part, high in zip(parts, parts[1:], parts[2:], strict=False)
    )


def is_sure(name: str, titles: Iterable[str]) -> bool:
    """Return True if some title sets the name apart by a bracket, colon or dash, or writes it as initials."""
    return any(one.sure and one.text == name for title in titles for part in _ends(title) for one in part)


@lru_cache(maxsize=1 << 14)
def words(title: str) -> tuple[str, ...]:
    """Return the words of a title in lower case, without 's, numbers and signs."""
    return tuple(_plain(part) for part in PARTS.findall(_normal(title)) if part[0].isalpha())


def _normal(title: str) -> str:
    return NUMBERS.sub(" ", unicodedata.normalize("NFKC", title))


def _plain(part: str) -> str:
    return re.sub(r"['’]s$", "", part.casefold())


@lru_cache(maxsize=1 << 14)
def _ends(title: str) -> tuple[Sequence[_Word], Sequence[_Word]]:
    of_shift, shifts = SHIFT.subn("shift", _normal(title))
    parts = [part for part in PARTS.findall(of_shift) if not shifts or part.casefold() not in OF]
    found = [_plain(part) for part in parts if part[0].isalpha() and part.casefold() not in JOINS]
    if len(found) < 2:
        return (), ()
    is_fetched = any(word in FETCHED for word in found)
    first = [] if is_fetched or found[0] in MET else _run(parts, ":–—|-")
    last = _run(parts[::-1], "–—|-")
    if is_fetched or any(word in MET for word in found[: len(found) - len(last)]):
        last = []
    return tuple(first), tuple(last[::-1])


def _run(parts: Sequence[str], parting: str) -> list[_Word]:
    found: list[str] = []
    parted, is_joined = False, True
    for part in parts:
        if part in BRACKETS:
            parted = True
        elif part.casefold() in JOINS:
            is_joined = True
        elif not part[0].isalpha():
            parted = parted or (bool(found) and part in parting)
            break
        elif not is_joined:
            break
        else:
            found.append(part)
            is_joined = False
    return [_Word(_plain(one), parted or one.casefold() != _plain(one) or _is_initials(one)) for one in found]


def _is_initials(word: str) -> bool:
    return 2 <= len(word) <= 3 and word.isupper()


def _has(word: str, others: set[str]) -> bool:
    return word in others or any(alike(runs(word), runs(other)) >= SAME for other in others)
