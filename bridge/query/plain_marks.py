"""Replace numbers, times and dates in a plain question by placeholders.

The patterns of each language stand in ``marks.toml``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from importlib import resources
from typing import Any

from bridge.domain.phrases import NUMBERS, WEEKDAYS
from bridge.query import plain_kinds as w
from bridge.query.condition_texts import BETWEEN
from bridge.query.model import TITLED
from bridge.query.plain_slips import mended
from bridge.query.plain_words import Known
from bridge.query.span_patterns import MONTHS, with_year
from bridge.query.spans import DAY, Dates, Span

TOLD = tomllib.loads((resources.files("bridge.query") / "marks.toml").read_text(encoding="utf-8"))
UNITS: Mapping[str, tuple[str, float]] = {
    word: (unit, float(many)) for words, unit, many in TOLD["units"]["names"] for word in words.split(", ")
}
SHIFT = re.compile("shift|schicht|dienst(?!ag)")
ONES = re.compile(r"(?<=(?:early|night) )ones|(?<=late )ones|(?<=day )ones")  # "late shifts or early ones"
LEADS = "before|after|on|in|with|an?|the|my|days|vor|nach|an|tagen|mit|bei|de[rmn]|eine[rmn]?"
THAN_SHIFT = re.compile(rf"(?<!\w)(than|als)(?= (?:(?:{LEADS}) )*+ ?§s)")
Words = Mapping[str, Any]
AMOUNTS = frozenset({"many", "much", "viele", "viel"})  # behind which a word of its own is no slip of a small one


@cache
def _words(language: str) -> Words:
    said = TOLD[language]
    ones = {name: n for n, name in enumerate(NUMBERS[language].split(), start=1)} | {"ein": 1, "a": 1}
    ones |= {name: n for n, name in enumerate(said["teens"].split(), start=13)}
    tens = {name: 10 * n for n, name in enumerate(said["tens"].split(), start=2)}
    words = {"NUMBER": NUMBERS[language], "WEEKDAY": WEEKDAYS[language], "ONE": " ".join(ones), "TEN": said["tens"]}
    words["MONTH"] = MONTHS[language].replace("|", " ")

    def written(pattern: str) -> str:
        return re.sub("|".join(words), lambda found: words[found[0]].replace(" ", "|"), pattern)

    signs = {one: sign for sign, named in said["comparisons"].items() for one in named.split("|")}
    return {
        **said,
        "amounts": [(re.compile(rf"(?<!\w)(?:{written(one)})(?!\w)"), plainer) for one, plainer in said["amounts"]],
        "clock": written(said["clock"]),
        "clock_signs": {one: sign for sign, named in said["clock_signs"].items() for one in named.split("|")},
        "signs": signs,
        "sign": "|".join(sorted(signs, key=len, reverse=True)),
        "number": "|".join(NUMBERS[language].split()),
        "joined": written(said["joined"]),
        "ones": ones,
        "tens": tens,
    }


def with_digits(text: str, language: str) -> str:
    """Return a text with numbers above twelve in digits.

    >>> with_digits("over eight thousand steps in thirty five days", "en")
    'over 8000 steps in 35 days'
    >>> with_digits("in fünfundvierzig tagen über achttausend", "de")
    'in 45 tagen über 8000'
    """
    words = _words(language)
    ones, tens, large = words["ones"], words["tens"], words["large"]
    text = re.sub(rf"(?<!\w){words['joined']}(?!\w)", lambda m: str(tens[m["ten"]] + ones[m["one"]]), text)
    text = re.sub(rf"(?<!\w)({'|'.join(tens)})(?!\w)", lambda m: str(tens[m[1]]), text)
    text = re.sub(rf"(?<!\w)({words['teens'].replace(' ', '|')})(?!\w)", lambda m: str(ones[m[1]]), text)

    def scaled(match: re.Match[str]) -> str:
        count = match[1] or "1"
        return str((int(count) if count.isdecimal() else ones[count]) * large[match[2]])

    return re.sub(rf"(?<!\w)(?:(\d+|{'|'.join(ones)}) ?)?({'|'.join(large)})(?!\w)", scaled, text)


def _with_months(text: str) -> str:
    """Return an English text with dates such as "1.10." and "31.10.2026" written with the month's name."""
    dotted = r"(?<![\w.])(3[01]|[12]?\d)\.(1[0-2]|0?[1-9])"
    if not re.search(rf"{dotted}\.", text):
        return text
    months = [names.split()[0] for names in MONTHS["en"].split("|")]
    return re.sub(
        rf"{dotted}(?:\.(20\d\d)?(?!\d)|$)", lambda m: f"{m[1]} {months[int(m[2]) - 1]} {m[3] or ''}".rstrip(), text
    )


@dataclass(frozen=True)
class Marked:
    """Replaces numbers, times and dates in a text by placeholders, and keeps what these stand for."""

    language: str
    today: date
    found: dict[str, w.Token] = field(default_factory=dict)
    spans: list[Span] = field(default_factory=list)
    corrected: bool = False  # with slips of the pen mended
    mended: list[str] = field(default_factory=list)  # the slips, and what they were read as
    titles: bool = False  # with words of the person's own, which stay as they are

    @property
    def parted(self) -> bool:
        """Return True if the question compares the spans before and after a date."""
        return len(self.spans) == 2 and self.spans[0][1] is None and self.spans[1][0] is None

    def is_recent(self, until: date | None) -> bool:
        """Return True if a span is open or ended within a week. It is then compared with the usual time before it."""
        return until is None or until >= self.today - 7 * DAY

    def corrected_text(self, text: str, known: Known) -> str:
        """Return a text in which unknown words are replaced by the only known word that differs by a typing slip."""
        if not self.corrected or self.titles:
            return text
        said = ["", *text.split(), ""]
        meant = [
            mended(word, known, beside=(before, behind))
            for before, word, behind in zip(said, said[1:], said[2:], strict=False)
        ]
        for at, (before, one) in enumerate(zip(said, meant, strict=False)):
            if before in AMOUNTS and all(kind == w.FILL for kind, _ in known.get((one,), ())):
                meant[at] = said[at + 1]
        self.mended.extend(f"{one} → {other}" for one, other in zip(said[1:], meant, strict=False) if one != other)
        return " ".join(meant)

    def with_shifts(self, text: str, noted: w.Lexicon) -> str:
        """Return a text with shifts of work read as the title of calendar entries, unless shifts are ``noted``."""
        if any(SHIFT.search(" ".join(words)) for words in noted):
            return text
        shift = rf"(?<!\w)(?:{_words(self.language)['shift']})(?!\w)"
        on_days = _words(self.language)["on_days"]  # "when I had the early shift"
        text = ONES.sub("shifts", text) if "shift" in text else text
        text = re.sub(
            shift,
            lambda m: f"{on_days} " * bool(m["lead"]) + self._put("s", w.FACTOR, f"{TITLED}{m['name'] or m['any']}"),
            text,
        )
        return THAN_SHIFT.sub(r"\1 vs", text) if text.count("§s") > 1 else text  # before one than before the other

    def mark(self, text: str) -> str:
        """Return a text with its numbers, times and dates replaced by placeholders."""
        of = _words(self.language)
        figure, words = of["figure"], of["number"]
        unit = "|".join(map(re.escape, sorted(UNITS, key=len, reverse=True)))
        text = with_digits(_with_months(text) if self.language == "en" else text, self.language)
        if re.search(of["ran_far"], text) and "step" not in text:
            text = re.sub(r"(?<=\d) ?k(?!\w)", " km", text)  # "runs over 15k"
        for pattern, plainer in of["amounts"]:
            text = pattern.sub(plainer, text)
        number = rf"({figure}|{words})(?: ?({unit})(?!\w))?"
        counted = rf"(?: ?(?P<unit>{unit})(?!\w)|(?= (?:{of['counted']})))"
        text = re.sub(
            rf"(?<!\w)(?P<between>{of['range']})?(?P<low>{figure}|{words})(?: ?(?:{unit}))?"
            rf" ?(?:(?(between)(?:and|und)|(?!))|{of['to']}) ?(?P<high>{figure}|{words}){counted}",
            self._range,
            text,
        )
        text = re.sub(
            rf"(?<!\w)({of['sign']}) (?:an? |einem |einen )?{number}(?:(?: and| und)? (\d+) min\w*)?(?!\w)",
            lambda m: self._put("c", w.COMPARED, self._compared(of["signs"][m[1]], m)),
            text,
        )
        if self.language == "de" and re.search("geschafft|erreicht|geknackt", text):
            text = re.sub(
                rf"(?<!\w)()({figure})()()(?= \w*(?:schritte|minuten))",
                lambda m: self._put("c", w.COMPARED, self._compared(">=", m)),
                text,
            ).replace("geknackt", "geschafft")
        waking = re.search(of["waking"], text) is not None
        evening = not waking and re.search(of["bedtime"], text) is not None
        text = re.sub(rf"(?<!\w){of['clock']}", lambda m: self._clock(m, evening=evening, waking=waking), text)
        weekday = "|".join(WEEKDAYS[self.language].split())
        text = re.sub(
            rf"(?<!\w)(?:(?P<week>{of['week']}),? )?(?:from |von |(?P<both>between |zwischen ))?(?P<first>{weekday})"
            rf" ?(?(both)(?:and|und)|(?:{of['through']})) ?(?P<last>{weekday})"
            rf"(?!\w)(?: nights?)?(?(week)|,? (?P<behind>{of['week']})(?!\w))",
            self._days_of_week,
            text,
        )
        text, compared = self._with_ranges(text)
        begun = "(?:from |von )?" if compared or re.search(of["usual"], text) else "(?<!from )(?<!von )"
        text = re.sub(
            rf"(?<!\w){begun}(?<!vom )(?<!last )(?<!letzten )"
            rf"({weekday})s? ?(?:to|through|till|bis|-|–) ?({weekday})s?( nights)?"  # by the day of waking
            r"(?!\w)",
            self._weekdays,
            text,
        )
        text = self._without_weekdays(text)
        if not re.search(of["compares"], text):
            day = rf"(?:(?:and|or|und|oder|on|an|&) )*(?:{weekday})s(?: nights)?"
            text = re.sub(rf"(?<!\w){day}(?: {day})+(?!\w)", self._several_weekdays, text)
        if re.search(of["bedtime"], text):
            text = re.sub(r"(?<!\w)(?:yesterday (?:evening|night)|gestern abend)(?!\w)", of["last_night"], text)
        text = re.sub(
            rf"(?<!\w)(?:top )?(?!20\d\d )(\d+|{words}){of['tops']}|(?<!\w)top (\d+|{words})(?!\w)",
            lambda m: self._put("t", w.TOP, int(self._number(m[1] or m[2]))),
            text,
        )
        today = WEEKDAYS["de"].split()[self.today.weekday()]
        text = re.sub(rf"(?:in der )?nacht (?:auf|zum?) (?:den )?{today}(?!\w)", "letzte nacht", text)
        text, spans = Dates(self.language, self.today).found(with_year(text, self.language, self.today))
        self.spans.extend(spans)
        self.found.update({f"§p{n}": (w.SPAN, spans.index(one)) for n, one in enumerate(spans)})
        return re.sub(
            rf"(?<!\w){of['rows']} (\d+|{words})(?!\w)",
            lambda m: self._put("n", w.ROWS_LAST, ("first" if "rst" in m[1] else "last", self._number(m[2]))),
            text,
        )

    def _with_ranges(self, text: str) -> tuple[str, bool]:
        """Return a text with "mon-thu" and "fri-sun" written out if it names two ranges, and whether it does."""
        of, names = _words(self.language), WEEKDAYS[self.language].split()
        short = "|".join([*names, *(one[: of["short"]] for one in names)])
        pair = rf"(?<!\w)({short})\.? ?(?:{of['through']}) ?({short})(?!\w)\.?"
        found = len(re.findall(pair, text)) > 1

        def whole(match: re.Match[str]) -> str:
            return " – ".join(next(name for name in names if name.startswith(group)) for group in match.groups())

        return (re.sub(pair, whole, text), True) if found else (text, False)

    def _days_of_week(self, match: re.Match[str]) -> str:
        """Return the dates of "Monday to Wednesday last week", between which it asks."""
        names = WEEKDAYS[self.language].split()
        first, last = (names.index(match[name]) for name in ("first", "last"))
        told = match["week"] or match["behind"]
        if "night" in match[0] or first > last:
            return match[0]
        back = not re.search(r"(?<!\w)(?:this|diese)", told)
        monday = self.today - (self.today.weekday() + 7 * back) * DAY
        return f"{monday + first * DAY} – {monday + last * DAY}"

    def _weekdays(self, match: re.Match[str]) -> str:
        names = WEEKDAYS[self.language].split()
        first, last = ((names.index(group) + bool(match[3])) % 7 + 1 for group in match.groups()[:2])
        numbers = [*range(first, 8), *range(1, first)][: (last - first) % 7 + 1]
        if numbers == [1, 2, 3, 4, 5]:
            return self._put("x", w.CONDITION, "weekday <= 5")
        return self._put("x", w.CONDITION, f"weekday = {'|'.join(map(str, sorted(numbers)))}")

    def _without_weekdays(self, text: str) -> str:
        """Mark "except Sundays and Mondays", "weekends excluded" as a condition for the other weekdays."""
        of = _words(self.language)
        day = rf"(?:{'|'.join(WEEKDAYS[self.language].split())}|weekend|wochenende)(?:s|n|e|en)?"
        days = rf"(?P<{{0}}>{day}(?:(?: and| und| or| oder|,)? (?:(?:on|am|an) )?{day})*)"
        lead = r"(?: (?:on|at|the|in|am|an|den|dem|der))*"
        return re.sub(
            rf"(?<!\w)(?:{of['without']}{lead} {days.format('behind')}|{days.format('before')} {of['left_out']})(?!\w)",
            self._other_weekdays,
            text,
        )

    def _other_weekdays(self, match: re.Match[str]) -> str:
        names = WEEKDAYS[self.language].split()
        told = re.findall("|".join([*names, "weekend", "wochenende"]), match["behind"] or match["before"])
        numbers = {n for one in told for n in ([names.index(one) + 1] if one in names else [6, 7])}
        left = [str(n) for n in range(1, 8) if n not in numbers]
        named = {"12345": "weekday <= 5", "67": "weekday >= 6"}.get("".join(left))
        return self._put("x", w.CONDITION, named or f"weekday = {'|'.join(left)}")

    def _several_weekdays(self, match: re.Match[str]) -> str:
        names, nights = WEEKDAYS[self.language].split(), "nights" in match[0]
        numbers = {(names.index(one) + nights) % 7 + 1 for one in re.findall("|".join(names), match[0])}
        several = f"weekday = {'|'.join(map(str, sorted(numbers)))}"
        return self._put("x", w.CONDITION, "weekday >= 6" if numbers == {6, 7} else several)

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

    def _range(self, match: re.Match[str]) -> str:
        unit, factor = UNITS.get(match["unit"] or "", (None, 1.0))
        low, high = (self._number(match[name]) * factor for name in ("low", "high"))
        return self._put("c", w.COMPARED, (f"{BETWEEN}{high:g}", low, unit)) if low < high else match[0]

    def _compared(self, sign: str, match: re.Match[str]) -> tuple[str, float, str | None]:
        unit, factor = UNITS.get(match[3] or "", (None, 1.0))
        more = float(match[4]) if match[4] else 0.0
        return sign, self._number(match[2]) * factor + more, unit

    def _clock(self, match: re.Match[str], *, evening: bool, waking: bool) -> str:
        """Mark a clock time. A bare hour is one of the evening or night with bed, and of the morning with waking."""
        words, told = NUMBERS[self.language].split(), match["hour"]
        named = {"noon": 12, "midday": 12, "mittag": 12, "midnight": 0, "mitternacht": 0, "eins": 1, "ein": 1}
        hour = named[told] if told in named else int(told) if told.isdecimal() else words.index(told) + 1
        half = (match["half"] or "").strip()
        minute = 30 if match["past"] else int(match["minute"] or 0)
        hour -= bool(match["past"]) and self.language == "de"
        if hour > 23 or minute > 59:
            return match[0]
        late = half.replace(".", "") in ("pm", "in the evening", "at night", "in the afternoon", "uhr abends", "abends")
        late = late or (half == "uhr nachts" and 8 <= hour < 12)
        if late or half.replace(".", "") in ("am", "in the morning"):
            if not 1 <= hour <= 12:
                return match[0]
            hour = hour % 12 + 12 * (late and not (half == "at night" and hour in (12, 1, 2, 3, 4)))
        elif evening and match["minute"] and not half and self.language == "en" and 7 <= hour <= 12:
            hour = (hour + 12) % 24  # "asleep before 10:30"
        elif not (match["minute"] or half or told in named):
            if not hour or not (evening or (waking and hour < 12)):
                return match[0]
            hour = (hour + 12) % 24 if evening and 7 <= hour <= 12 else hour
        return self._put("k", w.CLOCK, (_words(self.language)["clock_signs"][match[1]], f"{hour:02}:{minute:02}"))
