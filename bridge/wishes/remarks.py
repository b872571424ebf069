"""Leave out the clauses of a text that wish nothing, where the text as a whole is not understood."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bridge.wishes.hours import NotUnderstood
from bridge.wishes.lexicon import Kind, lexicon
from bridge.wishes.reasons import ASKED, UNDOES, WISHES
from bridge.wishes.slots import COUNTED, HEADS, POLARITY, SUBJECT, Part, parts_of
from bridge.wishes.spelling import A_DAY, without_adjuncts

K = Kind
Left = tuple[str, tuple[str, ...]]  # what is left of a text, and what is left out
BARE = {K.THEN, K.AT, K.EVENT, K.DURING}  # which tell when a remark holds, and limit nothing
A_DAY_NAMED = re.compile(rf"\b{A_DAY}\b|weekend|wochenende")
OF_A_DAY = re.compile(rf"\b(?:from|since|vom) {A_DAY}\b")  # of a reason: "my legs are heavy from Sunday"
LIMITING = re.compile(r"\b(?:if|when|unless|until|till|except|only|wenn|falls|bis|außer|nur|first|then|zuerst)\b")
CLAUSE = re.compile(r"\s*(?:[,;!]+|\.(?!\d)|\s[-–—]+\s)\s*")
PIECE = re.compile(  # between clauses, or before one
    r"[,;!?()]+\s*|[.:](?!\d)\s*"
    r"|\s(?=(?:and|but|so|because|while|when|as long as|und|aber|also|weil|denn|während|solange|wenn)\b)"
    r"|\s(?=since (?:[iI]|we|my|our|the)\b)"
)
EXPLAINS = re.compile(
    r"(?i)(?:that|it|this|these|those)(?:'s| is| are)\b|(?:das|da|es|dann) (?:ist|sind|wird|werden|gibt)\b"
)
RATHER = re.compile(r"\b(?:rather|prefer\w*|instead|lieber|eher|statt|anstatt|anstelle)\b")
THAN = r"(?:rather than|instead of|than|statt|anstatt|anstelle von|als)"  # before what is wanted less
LESS = re.compile(
    rf"(?i)^(?P<rest>[^,;.]+),? (?P<said>{THAN} (?P<what>[^,;.]+))$"
    rf"|^(?P<said1>{THAN} (?P<what1>[^,;.]+)), (?P<rest1>[^,;.]+)$"
)
NEEDS = re.compile(r"\b(?:need|should|must|may|can|could|brauch\w*|soll\w*|darf|dürf\w*)\b")
ASKS = (ASKED, POLARITY, UNDOES, WISHES, NEEDS)


def without_remarks(text: str, language: str) -> Iterator[Left]:
    """Yield what is left of a text without a reason, or without the remarks at its end, that cannot limit its wish."""
    told = lexicon(language).remarks.search(text.strip(" .!?"))
    if told is not None:
        said = told["ground"] or told["sure"]
        rest = told["rest"] or text[: told.start()]
        if _names_no_day(said, rest) and (told["sure"] or not LIMITING.search(said.lower())):
            yield rest, (said.strip(),)
    for end in reversed(list(CLAUSE.finditer(text.rstrip(" .!?")))):
        rest, said = text[: end.start()], text[end.end() :].strip(" .!?")
        idle = all(is_idle(one, language, explains=bool(EXPLAINS.match(said))) for one in CLAUSE.split(said))
        if idle and _names_no_day(said, rest):
            yield rest, (said,)
    if not POLARITY.search(text.lower()):
        yield without_adjuncts(text, language)


def without_less(text: str, language: str) -> tuple[str, str] | None:
    """Return "read in the evening" and "instead of Netflix" for a text that says which action is wanted less."""
    less = LESS.match(text.strip(" .!?"))
    if less is None or not RATHER.search(text.lower()) or POLARITY.search(text.lower()):
        return None
    try:
        parts = parts_of(less["what"] or less["what1"], language, with_meters=False)
    except NotUnderstood:
        return None
    named = [bool(one.actions) and not (one.times or one.counts or one.nots) for one in parts]
    return (less["rest"] or less["rest1"], less["said"] or less["said1"]) if named == [True] else None


def _names_no_day(said: str, rest: str) -> bool:
    return A_DAY_NAMED.search(said.lower()) is None or A_DAY_NAMED.search(rest.lower()) is not None


def is_idle(text: str, language: str, *, explains: bool = False) -> bool:
    """Return True for a clause that tells something and wishes nothing, such as "we eat then"."""
    plain = OF_A_DAY.sub("", text.lower())
    asks = any(one.search(plain) for one in ASKS) or LIMITING.search(plain.removesuffix(" then"))
    if asks or not (explains or plain.startswith("the ") or SUBJECT.search(plain)):
        return False
    try:
        return not any(_wishes(one, explains=explains) for one in parts_of(plain, language, with_meters=False))
    except NotUnderstood:
        return False


def _wishes(part: Part, *, explains: bool) -> bool:
    limits = part.times or part.counts or part.nots or set(part.loose) - BARE or part.has(*COUNTED)
    heads = HEADS if explains or part.of_others else set()
    return bool(limits or part.flags.keys() - BARE - heads or (part.has_head and not (explains or part.of_others)))


def pieces(text: str) -> list[str]:
    """Return the clauses of a text."""
    return [one for one in dict.fromkeys(one.strip() for one in PIECE.split(text)) if one]


def says_anything(text: str, language: str) -> bool:
    """Return False for a clause of words without a meaning, such as "thank you"."""
    try:
        return bool(parts_of(text, language, with_meters=False))
    except NotUnderstood:
        return True
