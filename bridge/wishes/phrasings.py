"""Say a wish that is not understood in other words, as one wish for each day or action that it names."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from bridge.wishes.hours import NotUnderstood
from bridge.wishes.lexicon import ALL, COMPANY, WORK, Kind, OneOf
from bridge.wishes.slots import POLARITY, Part, is_general, parts_of
from bridge.wishes.statements import is_time
from rhythm_env.interface import ActionType

K = Kind
NO = {"en": "no", "de": "kein"}
NOTHING = {"en": "no suggestions", "de": "keine Vorschläge"}
MOST = {"en": "at most", "de": "höchstens"}
POLITE = re.compile(
    r"^(?:please|bitte|can you|could you|i want|i'd like|i would like|ich will|ich möchte)\b,? ?|,? ?\b(?:please"
    r"|bitte)$"
)
EXCLUSIVE = re.compile(  # what alone is wanted, after its times or before them
    r"^(?P<when>.*?)[,;:]? ?\b(?:(?:there )?(?:should be )?(?:only|just|nothing (?:but|except|other than|besides))"
    r"|nur(?: noch)?|ausschließlich|(?:nichts|nix) (?:außer|anderes als)) (?P<what>[^,;.:]+)$"
    r"|^nothing (?P<when1>.+?) (?:except|but|other than|apart from|besides) (?:for )?(?P<what1>[^,;.:]+)$"
    r"|^(?:nichts|nix)(?: mehr)? (?P<when2>.+?) (?:außer|bis auf) (?P<what2>[^,;.:]+)$"
    r"|^(?P<when3>.+?) (?:nichts|nix)(?: mehr)? (?:außer|bis auf|als) (?P<what3>[^,;.:]+)$"
    r"|^(?:nothing but|nothing except) (?P<what4>[^,;.:]+?) (?P<when4>(?:on|from|in|at|after|before|between|until) .+)$"
    r"|^(?P<what5>\w+(?: time)?) only$"
)
INSTEAD = re.compile(r"^(?:no|keine?n?) \w+(?: \w+)?, (?=(?:only|just|nur) )")  # what "only" bars anyway
JUST = re.compile(r"\bblo(?:ß|ss)\b")
SPLIT = re.compile(  # hours before what alone is wanted, and the days of it after it
    r"^(?P<hours>(?:between|from|zwischen|von) [^,;]+?) (?:only|just|nothing but|nur|ausschließlich) (?P<what>[^,;]+?) "
    r"(?P<days>(?:on |am )?(?:weekdays|weekends?|werktags|wochentags|wochenende|unter der woche"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:montag|dienstag|donnerstag|freitag|samstag|sonntag)s?|mittwochs?))$"
)
A_COUNT = re.compile(r"^(?:ein\w{0,2}|an?|one|two|zwei|\d+)\b")
VAGUE = re.compile(r"^(?:something|(?:et)?was) \w+$")  # "something relaxing" is no one action
KEPT = re.compile(  # times that are kept for somebody
    r"^(?:keep|reserve|hold) (?P<when7>(?:the )?\d[^,;]*?) for (?P<what7>[^,;.:]+)$"
    r"|^(?:(?:please )?(?:keep|leave|hold|block|reserve) )?(?P<when>.+?) (?:belongs? to|(?:is|are) (?:reserved"
    r"|kept) for"
    r"|(?:completely |all )?free for) (?P<what>[^,;.:]+)$"
    r"|^(?:please )?reserve (?P<when1>.+?) for (?P<what1>[^,;.:]+)$"
    r"|^(?P<when2>.+?) (?:gehört|gehören|gehoert|gehoeren)(?: (?:die|der) (?:zeit|abend|tag))? (?P<what2>[^,;.:]+)$"
    r"|^(?P<when3>.+?) (?:ist|sind) (?:reserviert|frei) für (?P<what3>[^,;.:]+)$"
    r"|^(?P<when4>.+?) (?:bitte )?für (?P<what4>[^,;.:]+?) (?:frei ?halten|reservieren|frei ?lassen)$"
    r"|^(?:bitte )?(?:halte?|lass) (?:mir )?(?P<when5>.+?) (?:bitte )?(?:für (?P<what5>[^,;.:]+?) frei"
    r"|frei für (?P<what6>[^,;.:]+))$"
)
FREE_OF = re.compile(
    r"^(?:keep |leave |make )?(?P<when>.+?) (?:(?:completely|totally|entirely|all|ganz|komplett) )?(?:free (?:of"
    r"|from)|frei von|without|ohne) (?P<what>[^,;.:]+)$"
)
LISTED = re.compile(r",? (?:and|or|und|oder|nor|noch) (?:any )?(?:other )?|, ")
NOTS = re.compile(r"\b(?:no|never|kein\w{0,2}|nie)\b ")
COUNTED = re.compile(
    r"\b(?P<most>at most |max(?:imum)? |only |just |no more than |not more than |höchstens |maximal |nur "
    r"|nicht mehr als )?"
    r"(?P<n>\d{1,2}|one|two|three|four|five|six|seven|eight|ein\w{0,2}|zwei|drei|vier|fünf|sechs|sieben"
    r"|acht)(?: einzigen?)?"
    r"(?P<of> (?:suggestions?|tips?|ideas?|vorschl[aä]ge?n?|tipps?|ideen?))?\b"
)
BOUND = re.compile(
    r"\b(?:at most|max\w*|only|just|(?:no|not) more than|enough|tops|höchstens|nur|nicht mehr als|reich\w*|genüg\w*)\b"
)
BLOCKS = re.compile(  # a device, or what runs on one
    r"^(?:please |bitte )?(?:block|lock|disable|uninstall|mute|delete|log me out|turn off|switch off|sperr\w*"
    r"|deaktivier\w*"
    r"|blockier\w*|lösch\w*|schalte?)\b[^,;.]*\b(?:instagram|insta|facebook|tiktok|whatsapp|twitter|snapchat"
    r"|reddit|youtube"
    r"|netflix|apps?|(?:i)?phone|handy|smartphone|internet|wi-?fi|wlan|router|tv|telly|fernseher|laptop|computer"
    r"|tablet)\b"
)
NOTHING_ELSE = re.compile(r"\b(?:und sonst (?:nichts|nix)|and nothing else|nothing else then)\b")
FOREVER = re.compile(
    r"\b(?:never|ever|at all|for good|any ?more|altogether|nie|niemals|ganz|gar|überhaupt|für immer)\b"
)
WHOLE = {"en": "suggestions", "de": "Vorschläge"}
ENOUGH = re.compile(
    r"^(?:[^,;]*\bsuggestions?\b[^,;]*), (?:make it|let's say|say) (?P<n>\w+)$"
    r"|^(?:mach\w* |ma |mal |gib mir )*(?:weniger|mehr"
    r"|nicht so viele) vorschläge, (?P<n1>\w+)(?: am tag)? (?:reichen|genügen)$"
)
OF_SUGGESTIONS = re.compile(r"\b(?:suggestions?|tips|ideas|vorschl\w+|tipps|ideen)\b")
ANSWERS = re.compile(
    r"\b(?:a day|per day|each day|am tag|pro tag|give me|show me|gib mir|zeig mir|i want|ich will|ich möchte"
    r"|bitte|please|make it)\b ?"
)
THAN_TIME = re.compile(r",? ?\b(?:and )?(?:not|rather than|instead of|than|nicht|statt|anstatt|als) (?P<when>[^,;.]+)$")
IN_A_ROW = re.compile(
    r"^(?:(?:i (?:don't|do not|dont) want|no|not|never|nicht|nie|keine?n?) )?(?P<what>[^,;.]+?),? ?(?:but |aber )?"
    r"(?:not |never |nicht |nie )?(?:on |an )?(?:(?:two|2|zwei) (?:days|tagen?) (?:in a row|running|hintereinander"
    r"|nacheinander|in folge)|consecutive days|back to back days|aufeinanderfolgenden tagen)$"
    r"|^(?:nicht|keine|nie|not|no|never) (?:an )?(?:zwei|two|2) (?:tagen?|days) (?:hintereinander|nacheinander"
    r"|in folge|in a row|running) (?P<what1>[^,;.]+)$"
)
AFTER_ALL = re.compile(
    r"^(?:für immer|for good|always|immer|ab sofort|from now on|ab jetzt|auf dauer)[:,] |,? (?:für immer"
    r"|for good|always|no exceptions|ohne ausnahme|i mean it|whenever|egal wann)$"
    r"|(?<=midnight) is (?:ok|okay|fine)$"
)
FORGO = re.compile(r"^(?P<what>[^,;.]+?) (?:kannst du |bitte )?(?:ganz|komplett|für immer) (?:streichen|weglassen)$")
NOTHING_MORE = re.compile(
    r"^(?:schlag mir )?(?P<when>.*?) ?\b(?:gar |überhaupt |ganz )?(?:nichts|nix)(?: mehr)?(?: vor(?:schlagen)?)?$"
    r"|^(?:gar |überhaupt )?(?:nichts|nix) mehr (?P<when1>.+)$"
    r"|^(?:don't|do not) (?:suggest|plan|propose) anything ?(?P<when2>.*)$"
    r"|^all suggestions off ?(?P<when3>.*)$|^gar keine vorschläge(?P<when4>)$"
)
ANCHORED = (  # hours of what has a usual one, said back
    (re.compile(r"\bbefore (?:work|breakfast)\b"), "before 8 am"),
    (re.compile(r"\bafter work\b"), "after 5 pm"),
    (re.compile(r"\b(?:vor der arbeit|vor(?:m| dem) frühstück)\b"), "vor 8 Uhr morgens"),
    (re.compile(r"\bnach (?:der arbeit|feierabend|dem feierabend|dienstschluss)\b"), "nach 17 Uhr"),
    (re.compile(r"\btagsüber (?:nicht schlafen|kein schlaf)\b"), "kein Nickerchen von 6 bis 18 Uhr"),
)


@dataclass(frozen=True, slots=True)
class Alone:
    """What alone is wanted, and the text that wishes nothing at the times of it."""

    nothing: str
    wished: str
    actions: frozenset[ActionType]


@cache
def _words(language: str) -> list[tuple[re.Pattern[str], str]]:
    said = tomllib.loads((Path(__file__).parent / "phrasings.toml").read_text("utf-8"))
    return [(re.compile(pattern), words) for pattern, words in (*said["both"], *said[language])]


def _group(told: re.Match[str], name: str) -> str:
    return next((value for key, value in told.groupdict().items() if key.rstrip("0123456789") == name and value), "")


def alone(text: str, language: str, *, dated: bool) -> Alone | None:
    """Return what a text wants alone at some times, such as "on Sunday only family". ``dated`` allows no times."""
    plain = SPLIT.sub(r"\g<days> \g<hours> only \g<what>", JUST.sub("nur", INSTEAD.sub("", bare(text))))
    for pattern in (KEPT, EXCLUSIVE):
        told = pattern.match(plain)
        if told is None:
            continue
        when, what = _group(told, "when").strip(" ,:"), _group(told, "what").strip()
        actions = named_in(what, language)
        if (
            actions
            and not (POLARITY.search(what) or A_COUNT.match(what) or VAGUE.match(what))
            and (is_time(when, language) if when else dated)
        ):
            when = f"on {when}" if re.match(r"the \d", when) else when
            return Alone(f"{NOTHING[language]} {when}".strip(), f"{what} {when}", actions)
    return None


def bare(text: str) -> str:
    """Return a wish in lower case without words that only ask, such as "please" or "I would like"."""
    plain = " ".join(text.lower().replace("’", "'").strip(" .!?").split())
    while (shorter := POLITE.sub("", plain).strip(" ,")) != plain:
        plain = shorter
    return plain


def named_in(what: str, language: str, *, kinds: bool = False) -> frozenset[ActionType]:
    """Return the actions that a text names as a whole, or also by one of their ``kinds``, and nothing else."""
    try:
        parts = parts_of(what, language, with_meters=False)
    except NotUnderstood:
        return frozenset()
    sleeps = re.fullmatch(r"(?:to )?(?:sleep|schlaf|schlafen)", what) is not None
    if sleeps:
        return frozenset({ActionType.SLEEP})
    named = frozenset[ActionType]().union(*(_whole(part, kinds=kinds) for part in parts))
    whole = all(_whole(part, kinds=kinds) for part in parts)
    return named if named - {ActionType.SLEEP} and whole and named != ALL else frozenset()


def _whole(part: Part, *, kinds: bool) -> frozenset[ActionType]:
    sleep = frozenset({ActionType.SLEEP}) if part.has(K.BED) else frozenset()
    if set(part.kinds) - {K.ACTION, K.AND, K.OR, K.COMMA, K.BED} or part.words:
        return frozenset()
    whole = kinds or is_general(part) or all(one <= COMPANY | WORK for one in part.named if isinstance(one, OneOf))
    return (part.actions | sleep) if whole and (part.actions or sleep) else frozenset()


def phrasings(text: str, language: str) -> Iterator[tuple[Sequence[str], tuple[str, ...]]]:
    """Yield texts that together wish the same as a text, and what is left aside."""
    plain = bare(text)
    shorter = AFTER_ALL.sub("", plain)
    for one in dict.fromkeys((plain, shorter)):
        if one != plain:
            yield [one], ()
        for texts in (*_each(one, language), *_free_of(one, language), _counts(one, language)):
            if texts:
                yield texts, ()
        yield from (([other], ()) for other in _plainly(one, language))
    if (told := THAN_TIME.search(plain)) is not None and is_time(told["when"], language):
        rest = plain[: told.start()]
        if not POLARITY.search(rest) and _names_times(rest, language):
            yield [rest], (told[0].strip(" ,"),)


def _names_times(plain: str, language: str) -> bool:
    """Return True for "runs at noon" before "not in the evening": a bound of all days loses its exception."""
    try:
        return any(one.times for one in parts_of(plain, language, with_meters=False))
    except NotUnderstood:
        return False


def _names_hours(plain: str, language: str) -> bool:
    try:
        return any(one.parts or one.spans for one in parts_of(plain, language, with_meters=False))
    except NotUnderstood:
        return False


def _free_of(plain: str, language: str) -> Iterator[list[str]]:
    """Yield the wishes of "the weekend free of learning and paperwork"."""
    told = FREE_OF.match(plain)
    if told is not None and is_time(told["when"], language):
        yield [f"{told['when']} {NO[language]} {one}" for one in LISTED.split(told["what"])]


def _plainly(plain: str, language: str) -> Iterator[str]:
    """Yield a text in words that are understood, with the usual hour of what it names."""
    if (told := IN_A_ROW.match(plain)) is not None:
        yield f"{_group(told, 'what')} {'with a day between' if language == 'en' else 'mit einem Tag dazwischen'}"
    if (told := NOTHING_MORE.match(plain)) is not None:
        when = _group(told, "when").strip(" ,")
        if not when or is_time(when, language):
            yield f"{NOTHING[language]} {when}".strip()
    if (told := FORGO.match(plain)) is not None:
        yield f"nie {told['what']}"
    changed = plain
    for pattern, words in _words(language):
        changed = pattern.sub(words, changed)
    if changed != plain:
        yield changed
    yield from (one.sub(hours, plain) for one, hours in ANCHORED if POLARITY.search(plain) and one.search(plain))


def _each(plain: str, language: str) -> Iterator[list[str]]:
    """Yield "no series after nine" and "no work after nine" of "no series, no work after nine"."""
    begins = [one.start() for one in NOTS.finditer(plain)]
    if len(begins) < 2:
        return
    lead = plain[: begins[0]].strip(" ,:")
    items = [re.sub(r"[, ]+(?:and|or|und|oder)?[, ]*$", "", plain[a:b]) for a, b in pairwise([*begins, len(plain)])]
    if lead and not is_time(lead, language):
        return
    words = items[-1].split() if len(items) > 2 else []  # "no sport and no tv on Sundays": of both?
    for at in range(2, len(words)):
        end = " ".join(words[at:])
        if is_time(end, language):
            yield [f"{lead} {one} {end}".strip() for one in (*items[:-1], " ".join(words[:at]))]
            return
    if lead:
        yield [f"{lead} {one}" for one in items]


def _counts(plain: str, language: str) -> list[str]:
    """Return "at most five suggestions on weekdays" and "at most two suggestions on weekends"."""
    if (enough := ENOUGH.match(plain)) is not None:
        return [f"{MOST[language]} {enough['n'] or enough['n1']} {WHOLE[language]}"]
    if not OF_SUGGESTIONS.search(plain):
        return []
    told = list(COUNTED.finditer(plain))
    if not 1 <= len(told) <= 2 or not any(one["of"] for one in told):
        return []
    ends = [one.start() for one in told[1:]]
    pieces = [plain[a:b] for a, b in pairwise([0, *ends, len(plain)])]
    found = []
    for one, piece in zip(told, pieces, strict=True):
        rest = ANSWERS.sub("", piece.replace(one[0], " ", 1))
        rest = " ".join(
            re.sub(r"[,;]|\b(?:and|und|but|aber|dafür|are|is|enough|reichen|will do|max)\b", " ", rest).split()
        )
        found.append((one["n"], rest))
    whole = WHOLE[language]
    if not BOUND.search(plain) and any(_names_hours(rest, language) for _, rest in found):
        return []  # "two suggestions in the morning": at most, or at least?
    if (len(found) > 1 and not found[1][1]) or any(rest and not is_time(rest, language) for _, rest in found):
        return _led(told, plain, whole, language)
    return [f"{MOST[language]} {n} {whole} {rest}".strip() for n, rest in found]


def _led(told: Sequence[re.Match[str]], plain: str, whole: str, language: str) -> list[str]:
    """Return the counts of "five suggestions on weekends, in the week only three", of which one follows its days."""
    if len(told) != 2:
        return []
    between = plain[told[0].end() : told[1].start()]
    for at in re.finditer(r", | and | und ", between):
        one, other = between[: at.start()].strip(), between[at.end() :].strip()
        if one and other and is_time(one, language) and is_time(other, language):
            return [
                f"{MOST[language]} {told[0]['n']} {whole} {one}",
                f"{MOST[language]} {told[1]['n']} {whole} {other}",
            ]
    return []
