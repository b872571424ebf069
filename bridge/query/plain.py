"""Understand plain questions, in English and German, as typed queries: "how much deep sleep did I get in October?".

Every word must be known and every part must be used, else nothing is understood: a question that is refused costs a
second try, a question that is misunderstood is answered wrongly.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import pairwise

from bridge.domain import phrases
from bridge.domain.errors import SetupError
from bridge.query import plain_words as w
from bridge.query.bag import Bag, NotUnderstood, words_of
from bridge.query.parse import Words
from bridge.query.spans import NUMBERS, Dates, Span

TEXT_MAX = 300  # characters
EXAMPLE = 'bridge ask "how much deep sleep did I get on weekdays in October?"'
LANGUAGES = ("en", "de")


def read(text: str, today: date) -> Words:
    """Return the query that a question means. Raises SetupError with an example, also where two languages disagree."""
    found: list[Words] = []
    for language in LANGUAGES:
        try:
            found.append(_read(text[: TEXT_MAX + 1], language, today))
        except NotUnderstood:
            continue
    if not found or len(text) > TEXT_MAX or any(one != other for one, other in pairwise(found)):
        raise SetupError(f"this question is not understood as a whole; ask a plainer one, such as: {EXAMPLE}")
    return found[0]


def _read(text: str, language: str, today: date) -> Words:
    marked = _Marked(language, today)
    tokens = _tokens(marked.mark(_plain(text)), marked, w.lexicon(language))
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
        "<=": "no more than|not more than|at most|up to",
        ">=": "no less than|not less than|at least|reached|reach|hit",
        ">": "more than|over|above|longer than|greater than|higher than|farther than|further than|exceeding",
        "<": "less than|fewer than|under|below|shorter than|lower than",
        "=": "exactly",
    },
    "de": {
        "<=": "nicht mehr als|höchstens|maximal|bis zu",
        ">=": "nicht weniger als|mindestens",
        ">": "mehr als|über|länger als|höher als|weiter als|größer als",
        "<": "weniger als|unter|kürzer als|niedriger als",
        "=": "genau",
    },
}
UNITS: Mapping[str, tuple[str, float]] = {
    "stunden": ("min", 60), "stunde": ("min", 60), "hours": ("min", 60), "hour": ("min", 60), "hrs": ("min", 60),
    "std": ("min", 60), "h": ("min", 60), "minuten": ("min", 1), "minutes": ("min", 1), "minute": ("min", 1),
    "mins": ("min", 1), "min": ("min", 1), "kilometers": ("m", 1000), "kilometres": ("m", 1000),
    "kilometern": ("m", 1000), "kilometer": ("m", 1000), "km": ("m", 1000), "meters": ("m", 1), "metres": ("m", 1),
    "metern": ("m", 1), "meter": ("m", 1), "m": ("m", 1), "bpm": ("bpm", 1), "ms": ("ms", 1), "%": ("%", 1),
    "percent": ("%", 1), "prozent": ("%", 1),
}  # fmt: skip
FIGURES = {"en": r"\d{1,3}(?:,\d{3})+(?!\d)|\d+(?:\.\d+)?(?:k(?!\w))?", "de": r"\d{1,3}(?:\.\d{3})+(?!\d)|\d+(?:,\d+)?"}
CLOCKS = {
    "en": (r"(before|after) (\d{1,2})(?::(\d\d))? ?(am|pm|o'clock)?(?!\w)", {"before": "<", "after": ">"}),
    "de": (r"(vor|nach) (\d{1,2})(?:[:.](\d\d))?( uhr)?(?!\w)", {"vor": "<", "nach": ">"}),
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
        unit = "|".join(map(re.escape, UNITS))
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


def _tokens(text: str, marked: _Marked, lexicon: Mapping[tuple[str, ...], tuple[w.Token, ...]]) -> list[w.Token]:
    def marked_as(word: str) -> w.Token:
        if word not in marked.found:
            raise NotUnderstood
        return marked.found[word]

    return list(phrases.tokens(text.split(), lexicon, marked_as))
