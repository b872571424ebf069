"""Write the times of a wish plainly: "once the boys sleep, after half past eight" is "after half past eight pm"."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from bridge.domain.phrases import NUMBERS

NOON, HOUR, HALF = 12, 60, 30
SMALL = {name: at for names in NUMBERS.values() for at, name in enumerate(names.split(), 1) if 3 <= at <= 9}
SAY = re.compile(r"\b(?:say|so|like|meaning|roughly|also|sprich|sagen wir)\b")
HALVES = (
    r"(?P<half>(?: (?:in the |at )?(?:am|pm|morning|afternoon|evening|night)"
    r"| (?:morgens|abends|nachts|früh|vormittags|nachmittags|mittags))?)"
)
LEADS = r"(?:at|by|before|after|until|till|alarm|up|bed|bedtime|around|about|than|out|starts?|ends?)[:,]? "
OF_24 = re.compile(r"\b(?:1[3-9]|2[0-4])(?:[:.]\d\d)? ?(?:uhr|h\b)")  # which says that all hours are of 24
BARE = re.compile(r"(?<![\d:.])([5-9])[:.](\d\d)(?= ?(?:uhr|h\b|bis|-|und|[,.;]|$))")
BARE_HOUR = re.compile(r"(?<![\d:.])([5-9])(?= ?(?:bis|-) ?\d| uhr)(?! uhr (?:abends|nachmittags))")
LIMIT = re.compile(
    r"n't\b|\b(?:no|not|never|nothing|only|stop|kein\w*|nicht\w*|nie|niemals|nix|nur|erst|frei\w*|free|finish\w*|feierabend)\b"
)
BARE_RANGE = re.compile(  # without the half of the day, before what may tell it
    r"\b(?P<from>between|from|zwischen|von) (?P<low>{n}) (?P<to>and|to|till|until|und|bis) (?P<high>{n})\b(?![:.]\d)"
    r"(?P<rest>(?! ?(?:am|pm)\b)[^,;:.–-]*[,;:.–-](?P<reason>\D*))$".replace("{n}", rf"[3-9]|{'|'.join(SMALL)}"),
    re.IGNORECASE,
)
LED = "".join(
    rf"(?<!\b{one} )" for one in ["at", "by", "um", "ab", "halb", "past", "after", "nach", "before", "vor", "gegen"]
)  # of a clock
BARE_LENGTH = re.compile(  # "20 or maybe 30min", but not "at 10 pm for 15min"
    rf"\b(?<![:.]){LED}(\d+)(?! ?(?:[ap]m|uhr|h|o'clock)\b)(?=,? (?:[^\W\d_]+ ){{1,3}}\d+min\b)(?!min)"
)
BEFORE_BED = re.compile(  # in which something is not wanted; before it in a text in which nothing else is denied
    r"\b(?:(?:(?P<latest>at the (?:very )?latest|spätestens)|later|after|später|nach) (?:than |als )?)?"
    r"(?:(?:within|in|for|during|die|in den|in der|die) )?"
    r"(?:(?:the|den|der|die|an) )?(?:(?:last|final|letzten?) )?(?:(?P<min>\d+)min|(?P<one>hour|stunde)) "
    r"(?:(?:or so|oder so) )?(?P<of>before|prior to|vor|vorm|ahead of|of) "
    r"(?:(?:my|the|de[rmn]|meine[rmn]?|i go to|going to|getting in|getting into|to go to) )*"
    r"(?:bed ?times?|bed|sleep(?:ing)?|i sleep|lights out|bett ?gehen|zu ?bett ?gehen|schlafen ?gehen"
    r"|schlaf(?:en|enszeit)?|bettzeit|zubettgehen|ins bett gehen|einschlafen|bett)\b"
    r"(?P<late>,? (?:at the (?:very )?latest|spätestens))?"
)
NOT = {"vor": "nicht ", "vorm": "nicht ", **dict.fromkeys(("before", "prior to", "ahead of", "of"), "not ")}
DENIES = re.compile(
    r"n't\b|\b(?:no|not|never|nothing|without|stop\w*|latest|kein\w*|nicht|nichts|nie|niemals|nix|ohne|spätestens)\b"
)
RANGE = re.compile(r"\d ?(?:to|bis|-|–|till|until) ?|\w (?:to|bis|till) \w")
DAILY = ("over", "am", "pm", "by_morning", "by_evening")  # patterns of what every day has its time
Words = Mapping[str, Any]


@cache
def _words(language: str) -> Words:
    said = tomllib.loads((Path(__file__).parent / "events.toml").read_text("utf-8"))[language]
    numbers = NUMBERS[language].split()
    clock = said["clock"].replace("NUMBERS", "|".join(numbers))
    bad = f"{said['bad']}|{'|'.join(numbers)}"
    told = (
        r"(?:\b(?P<right>right|straight|just|shortly|direkt|gleich|kurz) (?={leads}))?\b(?P<lead>{leads}) "
        r"(?P<event>(?:(?!(?:{bad})\b)(?:[^\W\d_]|')+ ?){{1,7}}?)"
        r"(?P<cut>(?: ?[,:(] ?| [-–] )| (?=(?:at|around|about|um|gegen)\b))(?:(?:{fill}),? )*"
        r"(?P<from>(?:(?:{sure}) )?)(?P<at>{clock}(?:{to}{clock})?){halves}\)?(?=\s*(?:[,.;!?)]|$|(?:{ends})\b))"
    )
    return {
        **said,
        "told": re.compile(told.format(**{**said, "bad": bad, "clock": clock, "halves": HALVES})),
        "hours": {word: at for at, word in enumerate(numbers, 1)},
    }


ABED = (  # an hour at which children sleep, and its half of the day
    (
        re.compile(
            r"(?i)\b(?<!before )(?<!until )(?<!till )(?P<at>half past (?:seven|eight|nine)|eight|nine|ten"
            r"|(?:8|9|10)(?:[:.]\d\d)?|7[:.][345]\d)(?=,? (?:when|once|after) (?:the |my |our )*(?:kids?|children"
            r"|little ones?|baby|boys|girls|son|daughter|twins) (?:are |is )?(?:in bed|asleep|sleep|sleeps|sleeping)\b)"
        ),
        "pm",
    ),
    (
        re.compile(
            r"(?i)\b(?<!vor )(?<!bis )(?P<at>halb (?:acht|neun|zehn)|(?<!halb )(?:acht|neun|zehn)"
            r"|(?:8|9|10)(?:[:.]\d\d)?|7[:.][345]\d)(?: uhr)?(?=(?: [^,;]+)?,? (?:wenn|sobald|nachdem)"
            r" (?:die |meine |unsere |der |das |unser )*(?:kinder|kids|kleinen?|baby|jungs|mädels|sohn|tochter)"
            r" (?:im bett|schlafen|schläft|eingeschlafen)\b)"
        ),
        "abends",
    ),
)


def timed(text: str, language: str) -> str:
    """Return a text in lower case, with times of day in figures, and with the time of an event instead of the event."""
    words = _words(language)
    found = _in_minutes(_in_figures(text.lower().replace("’", "'"), language, words), words)
    if language == "de" and OF_24.search(found):
        found = BARE.sub(r"0\1:\2", BARE_HOUR.sub(r"0\1:00", found))
    found = _before_bed(found) if DENIES.search(found) else found
    told: re.Pattern[str] = words["told"]
    return told.sub(partial(_told, words=words), found)


def _before_bed(text: str) -> str:
    """Return "no sport two hours before bed" with one word for its hours, of which the latest is not later."""
    return BEFORE_BED.sub(
        lambda one: f"{((one['latest'] or one['late']) and NOT[one['of']]) or ''}{one['min'] or HOUR}beforebed", text
    )


def with_half(text: str, language: str) -> str:
    """Return "nothing from five to seven, we eat dinner then" with its hours in the evening."""
    return BARE_RANGE.sub(partial(_halved, words=_words(language)), text)


def with_evening(text: str) -> str:
    """Return "from 8.30 when the kids are in bed" with its hour in the evening."""
    for pattern, half in ABED:
        text = pattern.sub(rf"\g<at> {half}", text)
    return text


def _halved(found: re.Match[str], words: Words) -> str:
    shown = [
        half
        for name, half in (("by_morning", 0), ("by_evening", NOON))
        if re.search(words[name], found["reason"].lower())
    ]
    low, high = (SMALL.get(one.lower()) or int(one) for one in (found["low"], found["high"]))
    if len(shown) != 1 or high <= low or re.search(words["known"], found["rest"]):
        return found[0]
    return f"{found['from']} {low + shown[0]:02d}:00 {found['to']} {high + shown[0]:02d}:00{found['rest']}"


def _told(found: re.Match[str], words: Words) -> str:
    lead, event, at, told = (found["lead"], found["event"].strip(), found["at"] + found["half"], found["from"].strip())
    plain = lead in words["plain"].split()
    daily = any(re.search(words[one], f"{lead} {event}") for one in DAILY[: None if plain else 1])
    if (lead == "while" and " so " in found[0]) or not daily:
        return found[0]  # "when I start at seven" is a condition, and "until Easter, after nine" no time of day
    spoken, pronouns = event.split(), words["pronouns"].split()
    aimed = next((i for i, one in enumerate(spoken) if one in pronouns), 0)
    if aimed and not found["cut"].strip():  # "after work I go to bed at one", in German with the verb before "I"
        return f"{' '.join(spoken[aimed - ('ich' in pronouns) :])}{found['cut']}{found['from']}{at}"
    if lead in words["back"].split() and not found["cut"].strip() and re.search(words["work"], event):
        return found[0]  # "gym before work at seven": which of them is at seven?
    if lead in words["back"].split() and re.search(words["bed"], event) and not re.search(words["kids"], event):
        return found[0]  # the time of going to bed
    if not (found["half"] or re.search(words["known"], at)):
        halves = ((words["am"], words["morning"]), (words["pm"], words["evening"]))
        at += next((f" {half}" for one, half in halves if re.search(one, f"{lead} {event}")), "")
    rest = _left(f"{lead} {event}", words) if plain and (told or RANGE.search(at)) else ""
    if rest or RANGE.search(at):
        return f"{rest}{found['cut']}{found['from']}{at}" if rest else at
    if (
        told == words["at"]
        and lead in words["back"].split()
        and SAY.search(found[0])
        and not LIMIT.search(found.string)
    ):
        return f"{told} {at}"  # "learning before work, say at half past six"
    at_it = told in ("", *words["around"].split())
    if not at_it:
        return f"{told} {at}"
    back, until = words["back"].split(), words["until"].split()
    soon = lead not in (*back, *until) and not LIMIT.search(found.string)  # "a walk after dinner at seven"
    if found["right"] or soon:
        return f"{words['at']} {at}"
    relation = back[0] if lead in back else lead if lead in until else words["after"]
    return f"{relation} {at}"


def _left(text: str, words: Words) -> str:
    """Return what follows a daily event: the "Sport" of "vor der Arbeit Sport, so von sechs bis sieben"."""
    ends = [one.end() for name in DAILY for one in re.finditer(words[name], text)]
    return "" if re.search(words["over"], text) else text[max(ends) :].strip()


def _in_minutes(text: str, words: Words) -> str:
    """Return a text in which "an hour and a half" and "ne Viertelstunde" are 90min and 15min."""
    for pattern, minutes in words["lasting"].items():
        text = re.sub(rf"\b(?:{pattern})\b", f"{minutes}min", text)
    counts = {name.replace("_", " "): int(n) for name, n in (one.split("=") for one in words["counts"].split())}
    named = "|".join([*sorted(counts, key=len, reverse=True), r"\d+(?:[.,]5)?"])
    half = rf"\b({named})(?: and a half| ?½|(?<=\d) ?einhalb)(?= (?:{words['of_hours']})\b)"
    text = re.sub(half, lambda one: f"{counts.get(one[1]) or one[1]}.5", text)
    for unit, minutes in ((words["of_hours"], HOUR), (words["of_minutes"], 1)):
        written = partial(_many, counts=counts, minutes=minutes)
        text = re.sub(rf"\b({named})[ -]?(?:(?:{words['manner']}) )?(?:{unit})\b\.?", written, text)
    text = BARE_LENGTH.sub(r"\1min", text)
    return re.sub(r"\b(\d+min) ?(?:to|bis|-|–) ?(\d+min)\b", words["both"], text)


def _many(found: re.Match[str], *, counts: Mapping[str, int], minutes: int) -> str:
    number = counts.get(found[1]) or float(found[1].replace(",", "."))
    return f"{round(number * minutes)}min"


def _in_figures(text: str, language: str, words: Words) -> str:
    """Return a text in which "ten to four" and "zwanzig vor elf" are clocks, where they can be nothing else."""
    named = "|".join([*words["hours"], r"\d{1,2}"])
    minutes = "|".join(sorted(words["minutes"], key=len, reverse=True))
    figures = partial(_figures, words=words)
    if language == "en":
        text = re.sub(rf"\b(?P<m>{minutes}) (?:minutes )?(?P<way>past) (?P<h>{named})\b", figures, text)
        until = rf"\b(?P<lead>{LEADS})(?P<m>{minutes}) (?:minutes )?(?P<way>to) (?P<h>{named})\b"
        return re.sub(until, lambda one: one["lead"] + figures(one), text)
    beside = rf"(?P<way>vor|nach) (?P<halb>halb )?(?P<h>{named})\b(?! ?(?:uhr )?(?:bis|-))"
    text = re.sub(rf"\b(?P<m>{minutes}) (?:minuten )?{beside}", figures, text)
    return re.sub(
        rf"\b(?:dreiviertel|drei viertel) (?P<h>{named})\b", lambda one: _clock(one["h"], -HALF // 2, words), text
    )


def _figures(found: re.Match[str], words: Words) -> str:
    shift = words["minutes"][found["m"]] * (1 if found["way"] in ("past", "nach") else -1)
    return _clock(found["h"], shift - HALF * bool(found.groupdict().get("halb")), words)


def _clock(name: str, shift: int, words: Words) -> str:
    hour, minute = divmod((words["hours"].get(name) or int(name)) * HOUR + shift, HOUR)
    return f"{hour or NOON}:{minute:02d}"
