"""Part the text of a wish into words: what is said apart is put together, and a mistyped letter is mended."""

from __future__ import annotations

import re
import string
from functools import cache

from bridge.domain.wish_lexicon import Kind, Lexicon, english, german

K = Kind
A_DAY = r"((?:mon|tue|wed|thu|fri|sat|sun)\w*|(?:mo|di|mi|do|fr|sa|so)|(?:diens|donners|frei|sams|sonn)\w+|mittwoch)"
DAY_RANGE = re.compile(rf"\b{A_DAY}[-–]{A_DAY}\b")  # "Mo-Fr", whose hyphen joins no word
WORD = re.compile(r"\d{1,2}[:.]\d\d|\d+|[^\W\d_]+(?:'[^\W\d_]+)?|[-–,;.:&!?]")

TYPO_MIN, MEANT_MIN = 6, 8  # letters of a word with a mistyped one, and of the word that was meant
CONTENT = frozenset({K.ACTION, K.DAY, K.PART, K.SUGGESTION})
LETTERS = string.ascii_lowercase + "äöüß"

A_PART = r"(?:\w{3,}days?|weekends?|mornings?|afternoons?|evenings?)"
EIN_TEIL = r"(?:\w{3,}tage?s?|wochenenden?|abende?s?|morgens)"
PARTED = (  # what stands around something else -> both together
    (r"(?<=\w) ?/ ?(?=(?:week|day)\b)", " a "),
    (r"(?<=\w) ?/ ?(?=(?:woche|tag)\b)", " pro "),
    (r"^(?:please|bitte|hey|hi|hello|hallo|ok|okay)[, ]+", ""),
    (r"^(?:always|immer) ", ""),
    (r"\b(no|not|never|don't|do not|dont) (.+) (?:at all|whatsoever|ever again|any ?more)\b", r"\1 \2"),
    (r"\bkeep (.+) work free\b", r"no work on \1"),
    (r"\bwork to (?:end|stop|finish)\b", "work ends"),
    (r"\bwork to (?:start|begin)\b", "work starts"),
    (r"\bweder (.+) noch (.+)", r"nie \1 oder \2"),
    (r"\bkeep (.+) (?:free of|free from|clear of) (.+)", r"no \2 on \1"),
    (
        rf"^((?:on |my |the )*{A_PART}) (?:(?:is|are|should be|stays?) (?:free of|free from|without)|without) (.+)",
        r"no \2 on \1",
    ),
    (rf"^(?:halte? )?((?:am |an |die |den |der |meine )*{EIN_TEIL}) (?:frei von|ohne) (.+)", r"kein \2 \1"),
    (r"^(?:plan|schedule|book|reserve|set aside|save|put|plane?|reserviere?)(?: me| mir| in| bitte)? ", ""),
    (r"\bi(?:'m| am)? (?:have|take|get|want) (.+) off(?: work)?$", r"no work on \1"),
    (r"^i (?:start|begin) (?=(?:at|not before) )", "i start work "),
    (r"\b(?:at|from) (\S+(?: [ap]m| o'clock)?) at the earliest\b", r"not before \1"),
    (r"\b(?:by|until|till|at|before) (\S+(?: [ap]m| o'clock)?) at the latest\b", r"before \1"),
    (r"\b(?:um|ab) (\S+(?: uhr)?) frühestens\b", r"nicht vor \1"),
    (r"\b(?:um|bis) (\S+(?: uhr)?) spätestens\b", r"bis spätestens \1"),
    (r"\b(?:a|an) (\w+) (?:a|per|each|every) week\b", r"one \1 a week"),
    (r"\b(?:ein|eine|einen) (\w+) (?:pro|die|in der|je|jede) woche\b", r"1 \1 pro woche"),
    (
        r"\barbeit (?:soll|sollte|muss) (um .+) (?:enden|aufhören|vorbei sein|zu ende sein|fertig sein)\b",
        r"feierabend \1",
    ),
    (r"\barbeit (?:soll|sollte|muss) (um .+) (?:beginnen|anfangen|losgehen|starten)\b", r"arbeitsbeginn \1"),
    (r"\bbeginne (um .+) mit der arbeit\b", r"arbeitsbeginn \1"),
    (r"(?<!nicht )\bimmer (?=am |mon|diens|mitt|donners|frei|sams|sonn|morgens|abends)", ""),
    (r"\bfange (um .+) (?:an|mit der arbeit an)$", r"arbeitsbeginn \1"),
    (r"\bfange (um .+) an und (?:höre|bin) (um .+) (?:auf|fertig)\b", r"arbeitsbeginn \1 und feierabend \2"),
    (r"\bhör(?:e)?(?: bitte)? auf,? (?:mir )?(.+) vorzuschlagen\b", r"kein \1"),
    (r"\b(arbeitsende|arbeitsbeginn|arbeitsschluss|feierabend|dienstschluss|dienstbeginn):? (?=\d)", r"\1 um "),
    (r"\bhöre (um .+) auf zu arbeiten\b", r"feierabend \1"),
    (r"\b(work) starts (.+) and ends\b", r"\1 starts \2 and \1 ends"),
    (r"\b(arbeit) beginnt (.+) und endet\b", r"\1 beginnt \2 und \1 endet"),
    (r"^(\w+),? (?:but|aber) (not|nicht)\b", r"\2 \1"),
    (r"\blass(?:t)? mich (.+) in ruhe\b", r"lass mich in ruhe \1"),
    (r"\bleave me (.+) alone\b", r"leave me alone \1"),
    (r"\bhalt(?:e)? (.+) frei\b", r"\1"),
    (r"\bkeep (.+) free\b", r"\1"),
    (r"\b(one|two|three|four|five|six|\d+) things?\b", r"\1 suggestions"),
    (r"\berst (?:nach|ab) (8|9|10|11) uhr\b", r"nicht vor \1 uhr"),
    (r"\b(kein\w*) (\w+) mehr\b", r"\1 \2"),
    (r"\b(?:schaue|gucke|sehe) ((?:\w+ ){0,2}(?:fernsehen|serien|filme?|netflix|tv|youtube|freunde))\b", r"\1"),
    (r"\bdo nothing\b", "idle"),  # which is no wish for silence
    (r"\bmax\.", "max"),
    (r"\b(kein\w*|nicht|nichts) (.+) mehr(?: vor| vorschlagen| empfehlen| zeigen| haben| machen)?$", r"\1 \2"),
)
MISTYPED = (  # although shorter than other words that are corrected
    "family familie friends workout jogging joggen cycling tuesday tuesdays weekend netflix fitness freitag freitags "
    "samstag samstags montags running friday fridays monday mondays sunday sundays sonntag sonntags"
)
REAL = (  # which look like mistyped ones
    "fiends ruining sundry sundaes internal shipping printing spanning commuter trailing mediate mediating "
    "lecturers brothels breaching expanses screaming messages messagen stopping medication medications medicate "
    "medicating bothers pointing wandering clearing leaning hovering parting cleansing steaming panting foosball "
    "skimming streaking slimming chucking witching exorcise sinning formulate english spanish planting aufbäumen "
    "einlaufen zeichen verlesung medikation kollagen waking"
)
OFTEN_MISTYPED, REAL_WORDS = frozenset(MISTYPED.split()), frozenset(REAL.split())  # which look like mistyped ones


def words(text: str, lexicon: Lexicon) -> list[str]:
    text = re.sub(DAY_RANGE, r"\1 - \2", text.lower().replace("’", "'"))
    text = re.sub(r"(?<=[^\W\d_])-(?=[^\W\d_])", " ", text).strip(" .!?")
    for parted, together in PARTED:
        text = re.sub(parted, together, text)
    found = ["-" if one == "–" else "comma" if one == "," else one for one in WORD.findall(text)]
    return [_spelt(one, lexicon) for one in found]


def _spelt(word: str, lexicon: Lexicon) -> str:
    """Return the one long word of which a letter inside was mistyped, or else the word itself."""
    known, long = _known(lexicon is english())
    if len(word) < TYPO_MIN or word in known or word in REAL_WORDS or not word.isalpha():
        return word
    halves = [(word[:i], word[i:]) for i in range(1, len(word))]  # the first and the last letter are taken as typed
    near = {head + tail[1:] for head, tail in halves if len(tail) > 1}
    near |= {head + tail[1] + tail[0] + tail[2:] for head, tail in halves if len(tail) > 2}
    near |= {head + one + tail for head, tail in halves for one in LETTERS}
    near |= {head + one + tail[1:] for head, tail in halves if len(tail) > 1 for one in LETTERS}
    meant = near & long
    return meant.pop() if len(meant) == 1 else word


@cache
def _known(is_english: bool) -> tuple[frozenset[str], frozenset[str]]:
    """Return all words of a lexicon, and those of them that are long enough, or safe, to be meant by a mistyped one."""
    lexicon = english() if is_english else german()
    known = {word for phrase in lexicon for word in phrase}
    long = {
        word
        for phrase, tokens in lexicon.items()
        for word in phrase
        if (len(word) >= MEANT_MIN or word in OFTEN_MISTYPED) and {kind for kind, _ in tokens} & CONTENT
    }
    return frozenset(known), frozenset(long)
