"""Classify events by tables of keywords in titles, in all languages at once. ``words/README.md`` describes them."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from bridge.domain.languages import say
from bridge.domain.ports import EventClassifier, Invitation
from bridge.domain.types import Label
from rhythm_env.interface import ActionType

WORDS = Path(__file__).parent / "words"
LONGEST_TITLE = 400  # characters that are read, because a title begins with its activity
LANGUAGE = "LANGUAGE"  # the group that says by which words a language is recognised
NEUTRAL = "NEUTRAL"  # the group whose phrases have no action but take words away from other rules
SHORTEST_STEM = 4  # characters of the shortest word part that is looked up
STRENGTHS = {
    "weak": 0.5,
    "normal": 0.75,
    "strong": 0.85,
    "firm": 0.87,
    "guard": 0.9,
}  # rough share of hits that are right
DISAGREEMENT = 0.15  # subtracted if an equally strong phrase suggests another action
WHOLE_TITLE = 0.05  # added if the phrase covers the whole title
PARTY_HOUR = 18  # the hour from which meetings without a video link are private

WORD = re.compile(r"[^\W_]+")
ASIAN = re.compile("[\u3040-\u30ff\u3400-\u9fff]")  # scripts without spaces, whose phrases are found inside words
POSSESSIVE = re.compile(r"['’]s\b")
ONE_TO_ONE = re.compile(r"\b(?:1\s?:\s?1|1-1|1\s?on\s?1|1-on-1)(?!\d)")
NOISE = re.compile(r"\d+(?:am|pm|h|uhr)?|am|pm|uhr")  # words that the whole title may contain besides a phrase
PREFIX = re.compile(
    r"(?:\s|(?:re|fwd?|aw|wg|tr|rv|invitation|updated invitation|einladung|accepted|declined|tentative|hold|canceled"
    r"|cancelled|abgesagt|cancelado|cancelada|annule|annulee|annullato|geannuleerd)\s?:|\[(?:ext|external|optional)\])+"
)
INVISIBLE = dict.fromkeys((0xAD, 0x61C, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A)))
ACCENTS = dict.fromkeys(range(0x300, 0x370))


class Place(Enum):
    """The position of a phrase in a title that a rule requires."""

    ANY = "any"
    FIRST = "first"  # at the beginning
    EXACT = "exact"  # as the whole title, numbers and times aside


class Verdict(NamedTuple):
    """A suggested action for an event, with its confidence (0 to 1) and a reason (``why``).

    The action is None for an event without activity, such as a birthday.
    """

    action: ActionType | None
    confidence: float
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule of the keyword tables, which suggests ``action`` for an event with one of its phrases in the title."""

    id: str  # language/letter and number, so that the name reveals no word of a title
    action: ActionType | None  # None: neutral
    rank: float  # the rule with the highest rank wins
    sure: float  # confidence
    company: ActionType | None = None  # the action if other people are invited
    none: frozenset[str] = frozenset()  # words that forbid the rule anywhere in the title
    idle_all_day: bool = False  # an all-day event of this kind is a date without activity


class Entry(NamedTuple):
    """A rule of the keyword tables, with the position in a title that its phrase must have.

    A ``shared`` phrase means something else in another language, so it counts only beside a word of its own language.
    """

    rule: Rule
    place: Place
    shared: bool = False

    @property
    def language(self) -> str:
        return self.rule.id.partition("/")[0]


class Hit(NamedTuple):
    """A phrase found in a normalised title from the character ``start`` to before ``end``, with its rule."""

    start: int
    end: int
    entry: Entry


@dataclass(slots=True, kw_only=True)
class Lexicon:
    """All phrases of the keyword tables, of all languages, with their rules, for a lookup in linear time.

    ``phrases`` are whole words, ``heads`` and ``tails`` beginnings and ends of words, ``asian`` text without spaces.
    """

    phrases: dict[str, list[Entry]] = field(default_factory=dict)
    reach: dict[str, int] = field(default_factory=dict)  # first word -> words of the longest phrase it begins
    heads: dict[str, list[Entry]] = field(default_factory=dict)  # "zahnarzt*"
    tails: dict[str, list[Entry]] = field(default_factory=dict)  # "*besprechung"
    asian: dict[str, list[Entry]] = field(default_factory=dict)
    longest_asian: int = 0
    emoji: dict[int, str] = field(default_factory=dict)
    own: dict[str, frozenset[str]] = field(default_factory=dict)  # language -> words by which it is recognised

    def add(self, phrase: str, entry: Entry) -> None:
        """Add a phrase of a rule. A star at the phrase's end or beginning stands for the rest of a word."""
        if phrase.endswith("*"):
            self.heads.setdefault(plain(phrase[:-1]), []).append(entry)
        elif phrase.startswith("*"):
            self.tails.setdefault(plain(phrase[1:]), []).append(entry)
        elif ASIAN.search(phrase):
            text = plain(phrase)
            self.asian.setdefault(text, []).append(entry)
            self.longest_asian = max(self.longest_asian, len(text))
        else:
            words = WORD.findall(plain(phrase))
            self.phrases.setdefault(" ".join(words), []).append(entry)
            self.reach[words[0]] = max(self.reach.get(words[0], 0), len(words))

    def hits(self, text: str) -> Iterator[Hit]:
        """Yield every phrase that occurs in a normalised title, with its position and rule.

        Phrases with a star are looked up only in words that are no phrase by themselves.
        """
        spans = [found.span() for found in WORD.finditer(text)]
        words = [text[start:end] for start, end in spans]
        for at, word in enumerate(words):
            start, end = spans[at]
            for count in range(1, min(self.reach.get(word, 0), len(words) - at) + 1):
                for entry in self.phrases.get(" ".join(words[at : at + count]), ()):
                    yield Hit(start, spans[at + count - 1][1], entry)
            if not word.isascii() and ASIAN.search(word):
                yield from self._inside(word, start)
            elif word not in self.phrases:
                yield from self._parts(word, start, end)

    def _parts(self, word: str, start: int, end: int) -> Iterator[Hit]:
        for size in range(SHORTEST_STEM, min(len(word), 24)):
            for entry in self.heads.get(word[:size], ()):
                yield Hit(start, start + size, entry)
            for entry in self.tails.get(word[-size:], ()):
                yield Hit(end - size, end, entry)

    def _inside(self, word: str, start: int) -> Iterator[Hit]:
        for at in range(len(word)):
            for size in range(1, min(self.longest_asian, len(word) - at) + 1):
                for entry in self.asian.get(word[at : at + size], ()):
                    yield Hit(start + at, start + at + size, entry)


def plain(text: str) -> str:
    """Return a text in lower case, without accents and invisible characters, for example "cafe" for "Café"."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold().translate(INVISIBLE)
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", folded).translate(ACCENTS))


@cache
def lexicon() -> Lexicon:
    """Return the phrases and emoji of all tables in ``words/``, loaded once.

    Raises ValueError if a rule in a table has an unknown field or action, and KeyError for an unknown strength.
    """
    book = Lexicon()
    for path in sorted(WORDS.glob("*.toml")):
        groups = tomllib.loads(path.read_text(encoding="utf-8"))
        if path.stem == "emoji":
            book.emoji = {ord(sign): f" {word} " for signs, word in groups.items() for sign in signs}
            continue
        language = groups.pop(LANGUAGE, {})
        book.own[path.stem] = frozenset(map(plain, phrases(language.get("own", ""))))
        shared = frozenset(map(plain, phrases(language.get("shared", ""))))
        for action, rules in groups.items():
            for name, fields in rules.items():
                _add(book, action, f"{path.stem}/{name}", fields, shared)
    return book


def _add(book: Lexicon, action: str, name: str, fields: Mapping[str, Any], shared: frozenset[str]) -> None:
    unknown = set(fields) - {"strength", "sure", "company", "none", "idle_all_day", *(place.value for place in Place)}
    if unknown:
        raise ValueError(f"rule {name} has unknown fields: {', '.join(sorted(unknown))}")
    rank = STRENGTHS[fields.get("strength", "normal")]
    rule = Rule(
        id=name,
        action=None if action == NEUTRAL else ActionType(action),
        rank=rank,
        sure=fields.get("sure", rank),
        company=ActionType(fields["company"]) if "company" in fields else None,
        none=frozenset(plain(word) for word in phrases(fields.get("none", ""))),
        idle_all_day=fields.get("idle_all_day", False),
    )
    for place in Place:
        for phrase in phrases(fields.get(place.value, "")):
            book.add(phrase, Entry(rule, place, plain(phrase) in shared))


def phrases(text: str) -> list[str]:
    """Return the phrases of a text that are separated by commas, with line breaks and runs of blanks made one."""
    return [phrase for part in text.split(",") if (phrase := " ".join(part.split()))]


class Keywords:
    """A classifier by keywords in titles.

    It stores no titles. A label's reason names the rule that decided, but no words of the title.
    """

    name = "keywords"
    version = 1

    def __init__(self, book: Lexicon) -> None:
        self._book = book

    def classify(self, events: Sequence[Invitation]) -> list[Label]:
        """Return a label for each event, in the order of ``events``.

        The surest verdict decides, be it by the title, the calendar's kind of event, or invitees, video link, time and
        length.
        """
        return [self._label(event) for event in events]

    def _label(self, event: Invitation) -> Label:
        verdicts = [self.said(event), KINDS.get(event.kind), structure(event), _unsure(event)]
        best = max((v for v in verdicts if v is not None), key=lambda verdict: verdict.confidence)
        confidence = round(best.confidence, 3)
        return Label(action=best.action, confidence=confidence, by=f"{self.name}@{self.version}", why=best.why)

    def said(self, event: Invitation) -> Verdict | None:
        """Return the verdict of the strongest phrase in an event's title, or None without such a phrase.

        Among equally strong phrases the longest decides, then the first. The reason names the rule.
        """
        text = normalised(event.title)
        hits = uncovered(_at_home(_in_place(self._book.hits(text), text), text, self._book.own))
        hits = [hit for hit in hits if hit.entry.rule.action is not None]
        if not hits:
            return None
        best = max(hits, key=lambda hit: (hit.entry.rule.rank, hit.end - hit.start, -hit.start))
        rule = best.entry.rule
        if rule.idle_all_day and event.all_day:
            return Verdict(None, rule.sure, say("rule {rule}, all day", rule=rule.id))
        sure = rule.sure
        if any(hit.entry.rule.rank == rule.rank and hit.entry.rule.action is not rule.action for hit in hits):
            sure -= DISAGREEMENT
        elif _rest(text, best) == "":
            sure += WHOLE_TITLE
        action = rule.company if rule.company and event.others else rule.action
        return Verdict(action, sure, say("rule {rule}", rule=rule.id))


def normalised(title: str) -> str:
    """Return a title in lower case, without accents and prefixes such as "Re:", with emoji replaced by words.

    Only the first LONGEST_TITLE characters are read. "1:1" becomes "oneonone", "<>" becomes "sync", and a possessive s
    is cut.
    """
    text = title[:LONGEST_TITLE]
    text = plain(text if text.isascii() else text.translate(lexicon().emoji))[:LONGEST_TITLE]
    prefix = PREFIX.match(text)
    if prefix and prefix.end() < len(text):
        text = text[prefix.end() :]
    text = text.replace("<>", " sync ")  # assistants write "Ana <> Ben" for a meeting of two
    return ONE_TO_ONE.sub(" oneonone ", POSSESSIVE.sub("", text))


def _in_place(hits: Iterable[Hit], text: str) -> list[Hit]:
    found = WORD.search(text)
    first = found.start() if found else 0
    standing = [hit for hit in hits if _counts(hit, text, first)]
    if not any(hit.entry.rule.none for hit in standing):
        return standing
    words = set(WORD.findall(text))
    forbidden = {(*hit[:2], hit.entry.rule.action) for hit in standing if not words.isdisjoint(hit.entry.rule.none)}
    return [hit for hit in standing if (*hit[:2], hit.entry.rule.action) not in forbidden]


def _counts(hit: Hit, text: str, first: int) -> bool:
    place = hit.entry.place
    return place is Place.ANY or (hit.start == first if place is Place.FIRST else _rest(text, hit) == "")


def _at_home(hits: Sequence[Hit], text: str, own: Mapping[str, frozenset[str]]) -> list[Hit]:
    def counts(hit: Hit) -> bool:
        language = hit.entry.language
        rest = WORD.findall(f"{text[: hit.start]} {text[hit.end :]}")
        beside = (one for one in hits if one.entry.language == language and not one.entry.shared)
        return not rest or not own[language].isdisjoint(rest) or any(beside)

    return [hit for hit in hits if not hit.entry.shared or counts(hit)]


def uncovered(hits: Iterable[Hit]) -> list[Hit]:
    """Return the hits, by start, without those inside a longer hit, such as "book" inside "book club"."""
    kept: list[Hit] = []
    furthest, span = -1, (-1, -1)
    for hit in sorted(hits, key=lambda hit: (hit.start, -hit.end)):
        if hit.end > furthest or hit[:2] == span:
            kept.append(hit)
            furthest, span = max(furthest, hit.end), hit[:2]
    return kept


def _rest(text: str, hit: Hit) -> str:
    words = WORD.findall(f"{text[: hit.start]} {text[hit.end :]}")
    return " ".join(word for word in words if not NOISE.fullmatch(word))


@cache
def holds() -> frozenset[str]:
    """Return normalised titles that only reserve time, such as "busy", from the file ``words/holds.txt``."""
    lines = (WORDS / "holds.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if not line.startswith("#"))


def is_hold(title: str) -> bool:
    """Return True if a title only reserves time, such as "Busy 9-10", without naming an activity."""
    words = WORD.findall(normalised(title))
    return " ".join(word for word in words if not NOISE.fullmatch(word)) in holds()


KINDS = {
    "birthday": Verdict(None, 0.95, "the calendar marks a birthday"),
    "workingLocation": Verdict(None, 0.95, "the calendar marks a place of work"),
    "focusTime": Verdict(ActionType.DEEP_WORK, 0.85, "the calendar marks undisturbed hours"),
    "outOfOffice": Verdict(ActionType.ME_TIME, 0.5, "the calendar marks an absence"),
    "fromGmail": Verdict(ActionType.ADMIN_WORK, 0.5, "made from a booking in a mail"),
    "task": Verdict(ActionType.ADMIN_WORK, 0.45, "a to-do with a time"),
}


def structure(event: Invitation) -> Verdict | None:
    """Return a verdict from an event's invitees, video link, hour and length, whatever its title.

    The result is None if these tell nothing, and for all-day events.
    """
    if event.all_day:
        return None
    if event.others > 1 and event.conference:
        return Verdict(ActionType.ADMIN_WORK, 0.65 if event.others > 3 else 0.6, "several invited, with a video link")
    if _by_night(event):
        return Verdict(ActionType.SLEEP, 0.6, "a long block by night")
    if event.conference:
        return Verdict(ActionType.ADMIN_WORK, 0.45, "a video link")
    if event.others and (event.others == 1 or (event.start_hour or 0) >= PARTY_HOUR):
        return Verdict(ActionType.SOCIALIZE, 0.4, "others invited, no video link")
    if event.others or not event.organised_by_me:
        return Verdict(ActionType.ADMIN_WORK, 0.45, "others are invited")
    return None


def _by_night(event: Invitation) -> bool:
    hour = event.start_hour
    return event.minutes is not None and 300 <= event.minutes <= 960 and hour is not None and (hour >= 20 or hour < 5)


def _unsure(event: Invitation) -> Verdict:
    at_work = not event.all_day and event.start_hour is not None and 8 <= event.start_hour < 18
    if at_work or (event.start_hour is None and not event.all_day):
        return Verdict(ActionType.ADMIN_WORK, 0.25, "unsure")
    return Verdict(ActionType.ME_TIME, 0.2, "unsure")


def open_classifier() -> EventClassifier:
    """Return the keyword classifier with the shipped tables."""
    return Keywords(lexicon())
