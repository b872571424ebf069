"""Understand plain questions, in English and German, as typed queries: "how much deep sleep did I get in October?".

Every word must be known and every part must be used, else nothing is understood: a question that is refused costs a
second try, a question that is misunderstood is answered wrongly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import pairwise

from bridge.domain import phrases
from bridge.domain.errors import SetupError
from bridge.domain.languages import say
from bridge.query import plain_words as w
from bridge.query.bag import Bag, NotUnderstood
from bridge.query.parse import Words
from bridge.query.readings import words_of
from bridge.query.spans import NUMBERS, WEEKDAYS, Dates, Span

TEXT_MAX = 300  # characters
EXAMPLE = 'bridge ask "how much deep sleep did I get on weekdays in October?"'
LANGUAGES = ("en", "de")


class NotRead(SetupError):
    """A plain question is not understood as a whole."""


def read(text: str, today: date, factors: Iterable[str] = ()) -> Words:
    """Return the query that a question means, where ``factors`` are the names of what the person notes.

    Raises NotRead with an example, also where two languages disagree.
    """
    named = {tuple(one.lower().split()): ((w.FACTOR, one),) for one in factors}
    found: list[Words] = []
    for language in LANGUAGES:
        try:
            found.append(_read(text[: TEXT_MAX + 1], _Marked(language, today), named))
        except NotUnderstood:
            continue
    if not found or len(text) > TEXT_MAX or any(one != other for one, other in pairwise(found)):
        raise NotRead(
            say(
                "this question is not understood as a whole; ask a plainer one in English or German, "
                "such as: {example}",
                example=EXAMPLE,
            )
        )
    return found[0]


def _read(text: str, marked: _Marked, factors: w.Lexicon) -> Words:
    tokens = _tokens(marked.mark(_plain(text)), marked, {**factors, **w.lexicon(marked.language)})
    named = {value for kind, value in tokens if kind == w.SPAN}
    if len(named) > 1:
        raise NotUnderstood
    read = words_of(Bag.of([one for one in tokens if one[0] not in (w.FILL, w.SPAN)]))
    if not named:
        return read
    since, until = marked.spans[0]
    return replace(read, since=since.isoformat() if since else None, until=until.isoformat() if until else None)


def _plain(text: str) -> str:
    text = text.lower().replace("’", "'").strip(" ?!.\n\t")
    text = re.sub(r"(?<=[^\W\d_])-(?=[^\W\d_])", " ", text)  # "REM-Schlaf"
    return re.sub(r"[,:?!](?=\s|$)", " ", re.sub(r"\s+", " ", text))


# Numbers, times and dates become marks such as §c0 --------------------------------------------------------------------

COMPARISONS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "<=": "no more than|not more than|at most|up to|a maximum of|<=",
        ">=": "no less than|not less than|at least|a minimum of|reached|reach|hit|>=",
        ">": "more than|over|above|longer than|greater than|higher than|farther than|further than|exceeding|faster than"
        "|beyond|exceeded|exceed|bigger than|>",
        "<": "less than|fewer than|under|below|shorter than|lower than|slower than|<",
        "=": "exactly",
    },
    "de": {
        "<=": "nicht mehr als|höchstens|maximal|bis zu|<=",
        ">=": "nicht weniger als|mindestens|>=",
        ">": "mehr als|über|länger als|höher als|weiter als|größer als|schneller als|>",
        "<": "weniger als|unter|kürzer als|niedriger als|tiefer als|langsamer als|<",
        "=": "genau",
    },
}
UNITS: Mapping[str, tuple[str, float]] = {
    "stunden": ("min", 60), "stunde": ("min", 60), "hours": ("min", 60), "hour": ("min", 60), "hrs": ("min", 60),
    "std": ("min", 60), "h": ("min", 60), "minuten": ("min", 1), "minutes": ("min", 1), "minute": ("min", 1),
    "mins": ("min", 1), "min": ("min", 1), "kilometers": ("m", 1000), "kilometres": ("m", 1000),
    "kilometern": ("m", 1000), "kilometer": ("m", 1000), "km": ("m", 1000), "meters": ("m", 1), "metres": ("m", 1),
    "metern": ("m", 1), "meter": ("m", 1), "m": ("m", 1), "bpm": ("bpm", 1), "ms": ("ms", 1), "%": ("%", 1),
    "percent": ("%", 1), "prozent": ("%", 1), "km/h": ("km/h", 1), "kmh": ("km/h", 1), "kph": ("km/h", 1),
    "miles": ("m", 1609.344), "mile": ("m", 1609.344), "meilen": ("m", 1609.344), "kcal": ("kcal", 1),
}  # fmt: skip
FIGURES = {"en": r"\d{1,3}(?:,\d{3})+(?!\d)|\d+(?:\.\d+)?(?:k(?!\w))?", "de": r"\d{1,3}(?:\.\d{3})+(?!\d)|\d+(?:,\d+)?"}
CLOCKS = {
    "en": (r"(before|after) (\d{1,2})(?::(\d\d))? ?(am|pm|o'clock)?(?!\w)", {"before": "<", "after": ">"}),
    "de": (r"(vor|nach) (\d{1,2})(?:[:.](\d\d))?( uhr)?(?!\w)", {"vor": "<", "nach": ">"}),
}
OR: Mapping[str, str] = {
    "more": "at least", "longer": "at least", "less": "at most", "fewer": "at most",
    "mehr": "mindestens", "länger": "mindestens", "weniger": "höchstens",
}  # fmt: skip
# Amounts in other words, as figures with a unit.
AMOUNTS: Mapping[str, Sequence[tuple[str, str | Callable[[re.Match[str]], str]]]] = {
    "en": (
        (r"half an hour", "30 minutes"),
        (r"an hour and a half|one and a half hours", "90 minutes"),
        (r"(\w+) and a half hours", r"\1 hours and 30 minutes"),
        (r"(\d+):([0-5]\d) ?(?:hours|hrs|h)", r"\1 hours and \2 minutes"),
        (r"(\d+) ?h(?:ours)? ?([0-5]?\d)(?: ?m(?:in\w*)?)?", r"\1 hours and \2 minutes"),
        (r"ten thousand", "10000"),
        (r"(?:hit|reach|reached) (more than|over|at least|above|less than|under|fewer than|below)", r"\1"),
        (
            rf"(?:on )?(?:an?|every|each)(?: average| typical| normal| usual)? ({'|'.join(WEEKDAYS['en'].split())})",
            r"per day on \1s",
        ),
        (r"(?:from )?mondays to fridays", "on weekdays"),
        (r"(than|over|under|least|most|above|below) (?:an|a) (hour|kilomet(?:er|re)|mile)", r"\1 1 \2"),
        (r"(\d[\d,.]*k?(?: hours and \d+ minutes| \w+)?) or (more|less|fewer|longer)", lambda m: f"{OR[m[2]]} {m[1]}"),
    ),
    "de": (
        (r"eine[rn]? halben? stunde", "30 minuten"),
        (r"(?:anderthalb|eineinhalb) stunden", "90 minuten"),
        (r"(zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn)einhalb stunden", r"\1 stunden und 30 minuten"),
        (r"(\d+):([0-5]\d) ?(?:stunden|std|h)", r"\1 stunden und \2 minuten"),
        (r"(\d+) ?h ?([0-5]?\d)(?: ?m(?:in\w*)?)?", r"\1 stunden und \2 minuten"),
        (r"zehntausend", "10000"),
        (
            rf"(?:an )?(?:einem|jedem|jeden)(?: \w+lichen| typischen| normalen)? ({'|'.join(WEEKDAYS['de'].split())})",
            r"pro tag \1s",
        ),
        (r"montags bis freitags", "unter der woche"),
        (r"(als|über|unter|mindestens|höchstens) (?:einer|eine) (stunde)", r"\1 1 \2"),
        (r"(als|über|unter|mindestens|höchstens) (?:einem|einen) (kilometer)", r"\1 1 \2"),
        (r"(\d[\d,.]*(?: stunden und \d+ minuten| \w+)?) oder (mehr|weniger|länger)", lambda m: f"{OR[m[2]]} {m[1]}"),
    ),
}
ROWS = {"en": r"(last|first|latest)", "de": r"(letzten|ersten)"}


@dataclass(frozen=True)
class _Marked:
    """Takes numbers, times and dates out of a text, which leaves marks in their places."""

    language: str
    today: date
    found: dict[str, w.Token] = field(default_factory=dict)
    spans: list[Span] = field(default_factory=list)

    def mark(self, text: str) -> str:
        figure, words = FIGURES[self.language], "|".join(NUMBERS[self.language].split())
        unit = "|".join(map(re.escape, sorted(UNITS, key=len, reverse=True)))
        for pattern, amount in AMOUNTS[self.language]:
            text = re.sub(rf"(?<!\w)(?:{pattern})(?!\w)", amount, text)
        signs = {one: sign for sign, all_ in COMPARISONS[self.language].items() for one in all_.split("|")}
        number = rf"({figure}|{words})(?: ?({unit})(?!\w))?"
        text = re.sub(
            rf"(?<!\w)({'|'.join(signs)}) (?:an? |einem |einen )?{number}(?:(?: and| und)? (\d+) min\w*)?(?!\w)",
            lambda m: self._put("c", w.COMPARED, self._compared(signs[m[1]], m)),
            text,
        )
        if self.language == "de" and re.search("geschafft|erreicht", text):
            text = re.sub(
                rf"(?<!\w)()({figure})()()(?= \w*(?:schritte|minuten))",
                lambda m: self._put("c", w.COMPARED, self._compared(">=", m)),
                text,
            ).replace("erreicht", "geschafft")
        pattern, before = CLOCKS[self.language]
        text = re.sub(rf"(?<!\w){pattern}", lambda m: self._clock(m, before), text)
        text, spans = Dates(self.language, self.today).found(text)
        self.spans.extend(spans)
        self.found.update({f"§p{n}": (w.SPAN, span) for n, span in enumerate(spans)})
        return re.sub(
            rf"(?<!\w){ROWS[self.language]} (\d+|{words})(?!\w)",
            lambda m: self._put("n", w.ROWS_LAST, ("first" if "rst" in m[1] else "last", self._number(m[2]))),
            text,
        )

    def _put(self, letter: str, kind: str, value: object) -> str:
        name = f"§{letter}{len(self.found)}"
        self.found[name] = (kind, value)
        return f" {name} "

    def _number(self, text: str) -> float:
        if not text[0].isdigit():
            return float(Dates(self.language, self.today).number(text))
        if text.endswith("k"):
            return 1000 * float(text[:-1])
        plain = text.replace(",", "") if self.language == "en" else text.replace(".", "").replace(",", ".")
        return float(plain)

    def _compared(self, sign: str, match: re.Match[str]) -> tuple[str, float, str | None]:
        unit, factor = UNITS.get(match[3] or "", (None, 1.0))
        more = float(match[4]) if match[4] else 0.0
        return sign, self._number(match[2]) * factor + more, unit

    def _clock(self, match: re.Match[str], signs: Mapping[str, str]) -> str:
        hour, minute, half = int(match[2]), int(match[3] or 0), (match[4] or "").strip()
        if not (match[3] or half) or hour > 23 or minute > 59 or (half in ("am", "pm") and not 1 <= hour <= 12):
            return match[0]
        hour = hour % 12 + 12 * (half == "pm") if half in ("am", "pm") else hour
        return self._put("k", w.CLOCK, (signs[match[1]], f"{hour:02}:{minute:02}"))


# Words to tokens ------------------------------------------------------------------------------------------------------


def _tokens(text: str, marked: _Marked, lexicon: w.Lexicon) -> list[w.Token]:
    def marked_as(word: str) -> w.Token:
        if word not in marked.found:
            raise NotUnderstood
        return marked.found[word]

    words = [part for word in text.split() for part in _parts(word, marked.language, lexicon)]
    return list(phrases.tokens(words, lexicon, marked_as))


def _parts(word: str, language: str, lexicon: w.Lexicon) -> Sequence[str]:
    """Return the parts of a German compound that begins with what is made of the rest, or the word."""
    if language == "de" and (word,) not in lexicon:
        for lead, alone in {"durchschnitts": "durchschnittlich", "gesamt": "insgesamt"}.items():
            rest = word.removeprefix(lead)
            if rest != word and (rest,) in lexicon:
                return alone, rest
    return (word,)
