"""Read a wish by what each part names, in any order: the action, "not" or "only", days, hours and counts.

A part without a wish, such as a reason, is set aside. An unknown word beside a wish makes the text not understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, takewhile
from typing import Any

from bridge.domain import phrases
from bridge.domain.wish_terms import common
from bridge.domain.wishes import Hours
from bridge.wishes.contrasts import DENIED, contrasted, excepted, left_out
from bridge.wishes.events import timed
from bridge.wishes.hours import NotUnderstood
from bridge.wishes.lexicon import ALL, COMPANY, Done, Kind, OneOf, Token, lexicon
from bridge.wishes.spelling import words
from bridge.wishes.times import Span, bounded, folded, ranged
from rhythm_env.interface import ActionType, Meter

K = Kind
SHORT = 3  # words of what is no statement
JOINTS = (K.COMMA, K.COLON, K.CUT, K.AND, K.OR, K.THUS, K.WHY, K.WHEN)
LISTS = (K.ACTION, K.DAY, K.PART, K.SPAN, K.METER)
ME, NOUN, OTHERS, PERSON = 1, 2, 3, 4
ELSE, FOR = 1, 2  # of "why"
SHARED = frozenset({ActionType.EXERCISE, ActionType.ME_TIME, ActionType.LEARN})  # which one does with one's family
WITH = frozenset({"with", "mit"})
COMPOUND = re.compile(r"[a-zäöüß]{3,}(?<!st)(?<!re)(training|gymnastik|übungen|workout)")  # of a first word not known
DISLIKED = frozenset({"hate", "hasse"})  # values of "not"
NEVER = tuple((K.NOT, one) for one in DENIED)
TIMED = {K.DAY, K.PART, K.SPAN, K.TIMES, K.PER}
COUNTED = (K.TIMES, K.PER)
LIMITS = {K.ONLY, K.MOST, K.LEAST, K.ENOUGH}
HEADS = {K.FINISH, K.START, K.FREE, K.BED, K.UP, K.SUGGESTION, K.FEWER, K.SPARE}
OF_WISHES = {K.EVERY, K.PER, K.TIMES, K.NUMBER, K.WEEKLY, K.LEAST, K.LASTS, K.BEST, K.BUT, K.THEN, K.APART}
DENIES = {"true", "right", "correct", "serious", "wahr", "stimmt", "richtig", "ernst", "always", "immer"}
ENDS = re.compile(r"[,;.!?()]| (?:and|or|but|und|oder|aber) ")  # of a statement
AT_ONCE = re.compile(  # which only a length can hold
    r"\b(?:am stück|in einem (?:rutsch|zug|block)|gebündelt\w*|geblockt|en bloc"
    r"|(?:in|at) one (?:go|sitting|block|batch)|at a stretch|all at once|batched|bundled|in a batch)\b"
)
CHANGES = frozenset(["longer", "shorter", "later", "earlier", "more", "less", "fewer", "ones"])
CHANGES |= frozenset(["länger", "kürzer", "mehr", "weniger", "später", "früher", "öfter"])

SUBJECT = re.compile(
    r"\b(?:i|i'm|im|i've|i'd|i'll|we|we're|it|it's|its|he|she|they|they're|you|you're|that's|thats|there|there's|my|our|her|his|who|me|us|mich|mir|uns|"
    r"ich|wir|er|sie|es|man|ihr|du|das|da|davon|mein\w*|unser\w*|der|die)\b|'s\b|\b(?:is|are|ist|sind|hat|hab|habe|bin|has)\b"
)
POLARITY = re.compile(
    r"n't\b|\b(?:not|no|never|none|nothing|only|just|except|unless|without|otherwise|earlier|sooner|later|before|after|until|till|"
    r"kein\w*|nicht|nichts|nie\w*|nix|nein|nur|außer|ohne|sonst|früher|eher|später|vor|nach|bis|ab)\b"
)


@dataclass(slots=True)
class Part:
    """A part of a text with its meaning. ``words`` are its unknown words."""

    joint: Kind
    text: str = ""
    clause: str = ""  # that holds the text
    kinds: list[Kind] = field(default_factory=list)
    actions: frozenset[ActionType] = frozenset()
    named: list[frozenset[ActionType]] = field(default_factory=list)
    days: frozenset[int] = frozenset()
    parts: list[Hours] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    flags: dict[Kind, Any] = field(default_factory=dict)
    meters: list[Meter] = field(default_factory=list)
    beside: list[Token] = field(default_factory=list)
    loose: list[Kind] = field(default_factory=list)  # "before" or "after" without a time
    words: list[str] = field(default_factory=list)
    nots: int = 0
    edge: int = 0  # the hour before or after which is work: "after work"
    by_then: bool = False  # points to times that were said before
    is_else: bool = False  # follows "otherwise"
    is_for: bool = False  # follows "for my"
    is_short: bool = False  # no statement, but a few words
    is_fragment: bool = False  # says nothing of anybody: "not earlier"
    subject: int = 0  # of the words it begins with: ME, a noun to come, or somebody else

    def has(self, *kinds: Kind) -> bool:
        """Return True if any of these kinds was said."""
        return any(kind in self.flags for kind in kinds)

    @property
    def of_others(self) -> bool:
        """True if the part is about somebody or something else, such as "my knees stiffen up"."""
        kin = self.kinds[:2] == [K.ACTION, K.WORD] and self.named[0] <= COMPANY  # "mum wakes at five"
        return kin or self.subject in (OTHERS, PERSON) or (self.subject == NOUN and self.kinds[:1] == [K.WORD])

    @property
    def details(self) -> tuple[str, ...]:
        """Words that tell a kind of what is wished, or with whom: "long", "Anna"."""
        return tuple(str(getattr(value, "name", value)) for kind, value in self.beside if kind in (K.DETAIL, K.NAME))

    @property
    def has_head(self) -> bool:
        """True if the part names what is wished."""
        return bool(self.actions or self.meters or self.flags.keys() & HEADS)

    @property
    def times(self) -> bool:
        """True if the part names days or hours."""
        return bool(self.days or self.parts or self.spans)

    @property
    def counts(self) -> bool:
        """True if the part says how often."""
        return self.has(K.NUMBER, K.TIMES, K.PER, K.WEEKLY)


def parts_of(text: str, language: str, *, with_meters: bool) -> list[Part]:
    """Return the parts of a text. Raises NotUnderstood for a text with a word that no wish may contain."""
    known = lexicon(language, with_meters=with_meters)
    spelt = words(timed(text, language), known)
    tokens = list(phrases.tokens(spelt, known.phrases, _figure))
    kinds = [kind for kind, _ in tokens]
    if (
        K.BAR in kinds
        or re.match(r"\s*-\s?\d", text)
        or (K.FINISH not in kinds and re.search(r"\bfinish", " ".join(spelt)))
        or (K.EVERY, K.LASTS) in pairwise(kinds)  # "a break every two hours"
        or (K.LASTS not in kinds and AT_ONCE.search(text.lower()))
    ):
        raise NotUnderstood  # "finish the report by six"
    for at, token in enumerate(tokens[:-1]):
        tokens[at] = (K.NOT, "never") if token == (K.MOST, 2) and tokens[at + 1][0] is K.ACTION else token
    ends = [True, *(kind in JOINTS for kind in kinds)]
    told = [
        one
        for at, one in enumerate(tokens)
        if one[0] is not K.FILL or (ends[at] and one[1] and not _in_list(tokens, at))
    ]
    found = list(_parts(excepted(contrasted(left_out(ranged(folded(bounded(told))))))))
    at = 0
    for part in found:
        if len({kind for kind, _ in part.beside} - {K.DETAIL}) > 1 and not part.actions:
            _take(part, K.ACTION, OneOf({ActionType.SOCIALIZE}))  # "coffee with Anna"
        elif not part.actions and (calls := [one for one in part.beside if _is_call(one)]):
            part.beside = [one for one in part.beside if one not in calls]
            _take(part, K.ACTION, calls[0][1])  # "no phone calls"
        if part.has(K.TO_BED) and not part.actions and (part.has(K.SUGGESTION) or part.flags.get(K.NOT) == "nothing"):
            part.actions = ALL
        _in_part(part)
        if WITH.intersection(spelt):
            _with_company(part)
        alone = {
            value
            for kind, value in part.beside
            if kind is K.DETAIL and isinstance(value, frozenset) and len(value) == 1
        }
        if len(alone) == 1 and not (part.has_head or part.nots) and (part.counts or part.has(K.LASTS)):
            _take(part, K.ACTION, OneOf(*alone))  # "an hour with a book", "two sessions at the studio"
        part.text, at = _source(part.words, text, at)
        if part.text:
            part.clause = said = ENDS.split(text[:at])[-1] + ENDS.split(text[at:])[0]
            part.text = said.strip() if part.actions and CHANGES.intersection(part.words) else part.text
            part.is_fragment = not part.of_others and _is_fragment(
                said, limited=bool(part.days or part.spans or part.counts)
            )
        part.is_short = len(re.split(r"[,;.!?()]", text[:at])[-1].split()) < SHORT and at == _end(text, at)
    return found


def _is_call(token: Token) -> bool:
    return token[0] is K.ABOUT and isinstance(token[1], OneOf)


def _in_list(tokens: Sequence[Token], at: int) -> bool:
    """Return True for the second "my" of "my friends and my sister"."""
    kinds = [kind for kind, _ in tokens[max(at - 2, 0) : at + 2]]
    return tokens[at][1] == NOUN and len(kinds) == 4 and kinds[0] is kinds[3] is K.ACTION and kinds[1] in (K.AND, K.OR)


def _with_company(part: Part) -> None:
    """Read "swimming with my daughter" as time with her, and "tennis with friends" as tennis."""
    kinds = [kind for kind in part.kinds if kind not in (K.DAY, K.PART, K.SPAN, K.EVERY)]
    pairs = [one for one in pairwise(kinds) if one == (K.ACTION, K.ACTION)]
    company = [one for one in part.named if one <= COMPANY]
    if len(part.named) != 2 or len(pairs) != 1 or len(company) != 1 or part.nots:
        return
    (done,) = (one for one in part.named if one is not company[0])
    name = ", ".join(one.name for one in part.named if isinstance(one, OneOf) and one.name)
    if company[0] == {ActionType.FAMILY_TIME} and done <= SHARED:
        part.actions, part.named = frozenset(company[0]), [OneOf.called({ActionType.FAMILY_TIME}, name)]
    elif done <= SHARED | {ActionType.BINGE_WATCH}:
        part.actions, part.named = frozenset(done), [done]


def _in_part(part: Part) -> None:
    """Give a wish the part of the day that its own words name: an "afternoon nap on Sundays" is in the afternoon."""
    named = list({one.hours for one in part.named if isinstance(one, Done) and one.hours is not None})
    if not named or part.spans or part.nots or part.flags.keys() - OF_WISHES:
        return
    if len(named) > 1 or (part.parts and common(part.parts, named) == ()):
        raise NotUnderstood  # "a family evening in the morning"
    part.parts = part.parts or named


def _is_fragment(text: str, *, limited: bool) -> bool:
    """Return True for a limit without a subject, such as "nothing after that" or "not earlier"."""
    plain = " ".join(re.sub(r"[^\w' -]", " ", text.lower()).split()).replace("i am ", "i'm ")
    return (limited or bool(POLARITY.search(plain))) and not SUBJECT.search(plain)


def _end(text: str, at: int) -> int:
    """Return ``at`` if it ends a clause, apart from at most two last words, or else the index after it."""
    rest = re.match(r"(?: [\w+/-]+){0,2}(?=[,;.!?()]|$)", text[at:])
    return at if rest else at + 1


def _source(words: Sequence[str], text: str, at: int) -> tuple[str, int]:
    """Return the piece of a text from the first to the last of some words, and the index of its end."""
    low, begin = text.lower(), None
    for word in words:
        found = low.find(word, at) if word else -1
        if found >= 0:
            begin, at = found if begin is None else begin, found + len(word)
    if begin is not None and "" in words[:1]:
        begin -= len(ENDS.split(text[:begin])[-1].lstrip())  # "I've had the flu"
    return ("" if begin is None else text[begin:at]), at


def _figure(word: str) -> Token:
    if re.fullmatch(r"\d{1,2}[:.]\d\d", word):
        hour, minute = map(int, re.split("[:.]", word))
        if hour <= 24 and minute < 60:
            return (K.CLOCK, (hour, minute, True) if word.startswith("0") else (hour, minute))
    if re.fullmatch(r"\d+min", word):
        return (K.LASTS, int(word[:-3]))
    if re.fullmatch(r"\d+beforebed", word):
        return (K.TO_BED, int(word.removesuffix("beforebed")))
    if word.isdecimal() and len(word) <= 2:
        return (K.NUMBER, int(word))
    if (kind := COMPOUND.fullmatch(word)) is not None:
        return (K.ACTION, OneOf.called({ActionType.EXERCISE}, kind[0]))
    return (K.WORD, word)


def _parts(tokens: Sequence[Token]) -> Iterator[Part]:
    part = Part(K.CUT)
    for at, (kind, value) in enumerate(tokens):
        kind = K.WHY if kind is K.COLON and _is_quiet(part) else kind
        if kind is K.COLON and not (part.words or (part.times and tokens[at + 1 : at + 2] == [(K.NOT, None)])):
            continue  # "emails: from 8 to 9", but "part-time: Fridays off"
        if (kind, value) == (K.WHY, FOR) and not (part.has_head or part.nots) and _is_action(tokens[at + 1 : at + 2]):
            continue  # "Thursday evenings for my book club"
        if kind in JOINTS:
            listed = kind in (K.AND, K.OR, K.COMMA) and 0 < at < len(tokens) - 1 and _lists(tokens, at)
            if listed and not (kind is K.COMMA and _turns(part, tokens[at + 1 :])):
                part.kinds.append(kind)
                continue
            if part.kinds or part.words:
                yield part
                part = Part(kind, is_else=(kind, value) == (K.WHY, ELSE), is_for=(kind, value) == (K.WHY, FOR))
            elif kind in (K.WHY, K.THUS, K.WHEN, K.CUT):
                if (part.joint, kind) == (K.OR, K.WHEN):
                    raise NotUnderstood  # "no gym on Mondays or when I'm tired"
                part.joint, part.is_else = kind, kind is K.WHY and value == ELSE
            continue
        _take(part, kind, value)
    if part.kinds or part.words or part.joint is K.WHEN:
        yield part


def _is_quiet(part: Part) -> bool:
    """Return True for the begin of "nothing from six to seven: dinner with the kids"."""
    return part.flags.get(K.NOT) == "nothing" and part.times


def _is_action(tokens: Sequence[Token]) -> bool:
    return [kind for kind, _ in tokens] == [K.ACTION]


def _lists(tokens: Sequence[Token], at: int) -> bool:
    """Return True if a joint stands between two of the same kind, such as "Monday and Tuesday"."""
    one, (joint, _), other = tokens[at - 1 : at + 2]
    if one[0] is not other[0] or one[0] not in LISTS:
        return False
    if one[0] is K.ACTION and tokens[max(at - 2, 0)] in NEVER and any(kind in TIMED for kind, _ in tokens[at + 2 :]):
        return False  # "never meditation and family on Sundays"
    if one[0] is K.ACTION and joint is K.COMMA and K.FINE in (kind for kind, _ in tokens[at + 2 : at + 3]):
        return False  # "no running, cycling is fine"
    if one[0] is K.SPAN:  # "from half past eight and at five I finish", "bed at ten, eleven on Fridays"
        if joint is K.COMMA and [kind for kind, _ in tokens[: at + 3]].count(K.DAY) == (tokens[-1][0] is K.DAY) == 1:
            return False
        return all(kind not in HEADS | {K.ACTION, K.NOT} for kind, _ in tokens[at + 2 : at + 3])
    if joint is not K.COMMA or one[0] is K.PART:
        return True
    return one[1] == other[1] if one[0] is K.ACTION else all(_is_single(value) for _, value in (one, other))


def _turns(part: Part, tokens: Sequence[Token]) -> bool:
    """Return True after one wish and its time if the next time is of another: "tv on Fridays, on Sundays friends"."""
    follow = {*takewhile(lambda kind: kind not in JOINTS, (kind for kind, _ in tokens))}
    heads = HEADS | {K.ACTION}
    return tokens[0][0] is not K.ACTION and not heads.isdisjoint(part.kinds) and not heads.isdisjoint(follow)


def _is_single(days: Any) -> bool:
    return isinstance(days, frozenset) and len(days) == 1


LISTED = {K.PART: "parts", K.SPAN: "spans", K.METER: "meters", K.WORD: "words"}
LOOSE = (K.BEFORE, K.AFTER, K.TO, K.FROM, K.LATEST, K.EARLIEST, K.EVENT, K.DURING, K.AT, K.BETWEEN)


def _take(part: Part, kind: Kind, value: Any) -> None:
    if kind is K.FILL:
        part.subject = value
        return
    part.kinds.append(kind)
    if kind is K.LASTS:
        part.flags.setdefault(kind, []).append(value)
    elif kind is K.ACTION:
        if value != ALL or not part.named:
            part.actions = value | (part.actions if part.actions != ALL else frozenset())
        part.named.append(value)
    elif kind is K.DAY:
        part.days = value if value < part.days and part.kinds[-2:-1] in ([K.DAY], [K.PART]) else part.days | value
    elif kind in LISTED:
        getattr(part, LISTED[kind]).append(value)
    elif kind in (K.ABOUT, K.DETAIL, K.NAME):
        part.beside.append((kind, value))
    elif kind in LOOSE:
        part.loose.append(kind)
        part.edge = value if kind is K.DURING and isinstance(value, int) else part.edge
    elif (kind is K.NUMBER and kind in part.flags) or (kind in COUNTED and part.flags.get(kind, value) != value):
        part.words.append(str(value))
    else:
        part.nots += kind is K.NOT and not (value == "nothing" == part.flags.get(kind))
        part.by_then |= kind is K.THEN
        part.flags.setdefault(kind, value)


def is_general(part: Part) -> bool:
    """Return True if a part names an action as a whole, and not only one kind of it."""
    return any(not isinstance(one, OneOf) for one in part.named)


def times_between(part: Part, *heads: Kind) -> int:
    """Count the days and hours that stand after the first of some heads of a part and before the last one."""
    at = [place for place, kind in enumerate(part.kinds) if kind in heads]
    return sum(kind in (K.DAY, K.PART, K.SPAN) for kind in part.kinds[at[0] : at[-1]]) if at else 0
