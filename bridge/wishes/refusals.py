"""Tell texts that are no wish: questions, orders, conditions, what others are to do, and wishes left half unread."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bridge.domain.phrases import WEEKDAYS
from bridge.wishes.lexicon import COMPANY, Kind, lexicon
from bridge.wishes.phrasings import BLOCKS
from bridge.wishes.said import Said

HAPPENED = re.compile(  # on which a wish depends
    r"\b(?:when|whenever|if) i(?:'ve| have) (?:had|been|worked|slept)\b|\bwenn ich [^,;.]*\b(?:hatte|war|gehabt habe)\b"
)
NO_END = re.compile(
    r"(?:\b(?:never|not|no need to)|n't)\b[^,.;]*\b(?:stop(?! work)|quit|skip|drop)\b"
)  # of what is wished
ENDS = re.compile(  # of work, or of the day
    r"^(?:please |bitte )?(?:(?:be |get )?(?:done|finished|through|wrapped up) (?:by|before|at)\b"
    r"|fertig (?:bis|um)\b|bis [^,;]+? fertig(?: sein)?$)(?!.*\b(?:i|we|ich|wir)\b)"
    r"(?!.*(?:work|office|job|shift|desk|arbeit|büro|dienst|schicht|feierabend))"
)
QUESTION = re.compile(  # asks, or tells a condition, and wishes not
    r"(?:is (?!it\b)|are|do|does|did|why|what|how|ist|sind|warum|wieso|weshalb|wie)\b.*\?$"
    r"|(?:ist|sind|hat|hab|habe|bin|wird|regnet|scheint|schläft|should) [^,.;]*,? dann\b"
)
ALONE = r"^(?!.*(?:[,;]| so | because | also | weil |\b(?:count|matter|weigh|come first|zähl|wichtig|wieg)))"
DO = r"(?:should|must|shall|ha(?:ve|s) to|needs? to|ought to|sollen|soll|sollten?|müssen|muss|dürfen)"
TO_DO = re.compile(  # by its subject, who may be somebody else
    rf"{ALONE}.*?\b{DO} (?:the|my|our|die|der|das|meine?|unsere?) (?P<who>[^\W\d]+)\b"
    rf"|{ALONE}(?:(?:please|bitte|the|my|our|die|der|das|meine?|unsere?) )*(?P<who1>[^\W\d]+)(?= {DO}\b)"
    r"|\b(?:want|like|expect|wish) (?:(?:the|my|our) )?(?P<who2>[^\W\d]+) to\b"
    r"|\b(?:will|möchte|wünsche mir|hoffe),? dass (?:die|der|das|meine?|unsere?) (?P<who3>[^\W\d]+)\b"
)
LIMITED = re.compile(  # by a clause that tells which: "nothing before ten, wofür man denken muss"
    r",\s*(?:wo(?:für|bei|mit|zu|von|ran|rauf|rin|durch|nach|rum|rüber)|welche[rsnm]?|(?:für|mit|bei|von|an|in|auf) "
    r"(?:die|das|den|dem|der) (?:man|ich|du|wir)|(?:for|with|at|in|on) which)\b"
    r"|\b(?:nichts|nix|alles|everything|anything|nothing)\b[^,.;]*,\s*(?:was (?!soll\b)|which\b|that (?!is\b|'s))"
)
_DAY = "(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
GLADLY = re.compile(  # a turn to another day, which the veto would take along: "not on Mondays, Tuesdays gladly"
    rf"\b(?:kein\w*|nie|niemals|nicht|no|never|not)\b[^,;.]*[,;] ?(?:am |on )?(?:{_DAY}) "
    r"(?:(?:hingegen|dagegen|however|though) )?(?:gerne?|gladly)$"
)
CHANGED = r"\b(?:more|less|fewer|mehr|weniger|öfter|seltener|häufiger)\b"
AMOUNT = re.compile(CHANGED)
WANTED = re.compile(  # more or less, which no reason tells
    rf"^(?:(?:and|but|und|aber) )?(?:i'd like|i would like|i want|i wish|let me|give me|ich (?:will|möchte|würde|hätte)"
    rf"|gib mir|bitte|please)\b.*{CHANGED}"
)


def is_no_wish(plain: str) -> bool:
    """Return True for a text in lower case that asks, tells a condition, or is about others or a device."""
    return (
        any(one.search(plain) for one in (HAPPENED, LIMITED, NO_END, ENDS, BLOCKS, GLADLY))
        or QUESTION.match(plain) is not None
        or _is_of_others(plain)
    )


def leaves_amounts(said: Sequence[Said], aside: Sequence[str]) -> bool:
    """Return True if "less meditation" is set aside, or "more sport" is taken for a kind of sport."""
    kinds = [name.lower() for one in said for name in (*one.names, one.of)]
    return any(map(AMOUNT.search, kinds)) or any(WANTED.search(one.lower()) for one in aside)


def _is_of_others(plain: str) -> bool:
    """Return True for "the neighbours should be quieter", which is nothing that one does oneself."""
    who = [next(name for name in told.groups() if name) for told in TO_DO.finditer(plain)]
    tokens = [one for language in WEEKDAYS for name in who for one in lexicon(language).phrases.get((name,), ())]
    return any(kind is Kind.ACTION and isinstance(of, frozenset) and of <= COMPANY for kind, of in tokens)
