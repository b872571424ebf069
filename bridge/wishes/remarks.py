"""Leave out the clauses of a text that wish nothing, where the text as a whole is not understood."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bridge.wishes.hours import NotUnderstood
from bridge.wishes.lexicon import Kind, lexicon
from bridge.wishes.reasons import ASKED, UNDOES, WISHES
from bridge.wishes.slots import COUNTED, HEADS, POLARITY, SUBJECT, Part, is_general, parts_of
from bridge.wishes.spelling import A_DAY, without_adjuncts

K = Kind
Left = tuple[str, tuple[str, ...]]  # what is left of a text, and what is left out
WHEN = {K.DAY, K.PART, K.SPAN}
BARE = {K.THEN, K.AT, K.EVENT, K.DURING}  # which tell when a remark holds, and limit nothing
A_DAY_NAMED = re.compile(rf"\b{A_DAY}\b|weekend|wochenende")
OF_A_DAY = re.compile(rf"\b(?:from|since|vom) {A_DAY}\b")  # of a reason: "my legs are heavy from Sunday"
LIMITING = re.compile(r"\b(?:if|when|unless|until|till|except|only|wenn|falls|bis|außer|nur|first|then|zuerst)\b")
CLAUSE = re.compile(r"\s*(?:[,;!]+|\.(?!\d)|\s[-–—]+\s)\s*")
PIECE = re.compile(  # between clauses, or before one
    r"[,;!?()]+\s*|[.:](?!\d)\s*"
    r"|\s(?=(?:and|but|so|because|cos|coz|cuz|while|when|as long as|und|aber|also|weil|denn|während|solange|wenn)\b)"
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
    r"|^(?P<rest2>[^,;.]*\bprefer (?!not\b)[^,;.]+?) (?P<said2>to (?P<what2>[^,;.]+))$"
)
OF_KINDS = re.compile(
    r"(?i)^(?:please |bitte |lieber )*(?P<more>[^,;.]+?),? (?:instead of|statt|anstatt|anstelle von) "
    r"(?:the |my |dem |der )?(?P<less>[^,;.]+?)(?: please| bitte)?(?P<end>,.*|)$"
    r"|^(?:instead of|statt|anstatt) (?P<less1>[^ ,;.]+),? (?:lieber |rather )?(?P<more1>[^,;.]+)$"
)
NOTHING_ELSE = re.compile(  # after what is wished, at its times or on the rest of the evening
    r"(?i)^(?P<rest>.+?)[,;.:]* (?:and |but |so |und |aber |da |dann )*(?:please |bitte )?"
    r"(?:(?:do not|don't|dont) (?:put|plan|schedule|book|suggest) anything else|nothing else|sonst (?:nichts|nix)"
    r"|(?:in der zeit )?(?:bitte )?(?:nichts|nix) anderes)(?: (?:reinlegen|planen|vorschlagen))?"
    r"(?: (?:then|there|in there|da|dann|in der zeit)| (?P<evening>that evening|an dem abend|an diesem abend))?"
    r"(?:,? (?:please|bitte))?$"
)
NAMED = re.compile(  # days by what is done on them, which are told after it
    r"(?i)\b(?P<on>on|an) (?:the |den )?"
    r"(?P<said>(?:days (?:when |that |on which )?(?:i|we)|tagen,? (?:an denen|wo|wenn)"
    r" (?:ich|wir)) [^,;.]+)[,:;] (?:(?:that|which)(?:'?s| is| are)|so|also|das (?:ist|sind)|nämlich|sprich) (?=\w)"
)
NEEDS = re.compile(r"\b(?:need|should|must|may|can|could|brauch\w*|soll\w*|darf|dürf\w*)\b")
ASKS = (ASKED, POLARITY, UNDOES, WISHES, NEEDS)


def without_remarks(text: str, language: str) -> Iterator[Left]:
    """Yield what is left of a text without a reason, or without the remarks at its end, that cannot limit its wish."""
    told = lexicon(language).remarks.search(text.strip(" .!?"))
    if told is not None:
        said = told["ground"] or told["sure"]
        rest = told["rest"] or text[: told.start()]
        needless = told["why"] and not POLARITY.search(rest.lower())  # "three runs a week, too much sport"
        if not needless and _names_no_day(said, rest) and (told["sure"] or not LIMITING.search(said.lower())):
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
    what, rest, said = (less[name] or less[f"{name}1"] or less[f"{name}2"] for name in ("what", "rest", "said"))
    ends = (
        [one.start() for one in re.finditer(" ", what)] if RATHER.search(rest.lower().removesuffix(" rather")) else []
    )
    for end in [len(what), *ends]:
        try:
            less_wanted, times = (parts_of(one, language, with_meters=False) for one in (what[:end], what[end:]))
            at_night = any(one.has(K.BED, K.UP) for one in parts_of(rest, language, with_meters=False))
        except NotUnderstood:
            continue
        named = [_is_bare(one) or (at_night and one.kinds in ([K.SPAN], [K.NUMBER])) for one in less_wanted]
        if named == [True] and all(time.times and set(time.kinds) <= WHEN for time in times):
            return rest + what[end:], said[: len(said) - len(what[end:])]  # "than watch tv in the evening"
    return None


def without_kind(text: str, language: str) -> tuple[str, str] | None:
    """Return "no running" and "swimming" of "swimming instead of running", two kinds of one action without times."""
    told = OF_KINDS.match(text.strip(" .!?"))
    if told is None:
        return None
    more, less = (told[name] or told[f"{name}1"] for name in ("more", "less"))
    try:
        of = [parts_of(one, language, with_meters=False) for one in (more, less)]
    except NotUnderstood:
        return None
    bare = all(len(one) == 1 and _is_bare(one[0]) and one[0].kinds == [K.ACTION] and not one[0].words for one in of)
    if not bare or of[0][0].actions != of[1][0].actions or any(is_general(one[0]) for one in of):
        return None
    return f"{'no' if language == 'en' else 'kein'} {less}{told['end'] or ''}", more


def _is_bare(part: Part) -> bool:
    return bool(part.actions) and not (part.times or part.counts or part.nots)


def without_names(text: str) -> tuple[str, str] | None:
    """Return "no gym on Mondays" and "days I have choir" of "no gym on the days I have choir, that's Mondays"."""
    told = NAMED.search(text)
    if told is None or POLARITY.search(told["said"].lower()):
        return None
    return f"{text[: told.start()]}{told['on'].replace('an', 'am')} {text[told.end() :]}", told["said"]


def without_else(text: str) -> tuple[str, str] | None:
    """Return "pilates on Wednesdays at 6 pm" of a text that wishes "nothing else", and the evening if it is of all."""
    told = NOTHING_ELSE.match(text.strip(" .!?"))
    return None if told is None or POLARITY.search(told["rest"].lower()) else (told["rest"], told["evening"] or "")


def _names_no_day(said: str, rest: str) -> bool:
    return A_DAY_NAMED.search(said.lower()) is None or A_DAY_NAMED.search(rest.lower()) is not None


def is_idle(text: str, language: str, *, explains: bool = False) -> bool:
    """Return True for a clause that tells something and wishes nothing, such as "we eat then"."""
    plain = OF_A_DAY.sub("", text.lower())
    asks = any(ask.search(plain) for ask in ASKS) or LIMITING.search(plain.removesuffix(" then"))
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
