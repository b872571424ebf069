"""Take numbers, times and dates out of a plain question, which leaves marks in their places."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from bridge.domain.phrases import NUMBERS, WEEKDAYS
from bridge.query import plain_kinds as w
from bridge.query.bag import BETWEEN
from bridge.query.plain_numbers import with_digits
from bridge.query.plain_slips import mended
from bridge.query.plain_words import texts, vocabulary
from bridge.query.span_words import MONTHS
from bridge.query.span_words import UNITS as SPAN_UNITS
from bridge.query.spans import DAY, Dates, Span, compiled

COMPARISONS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "<=": "no more than|not more than|at most|up to|a maximum of|<=",
        ">=": "no less than|not less than|at least|a minimum of|reached|reach|hit|>=",
        ">": "more than|over|above|longer than|greater than|higher than|farther than|further than|exceeding|faster than"
        "|went over|go over|topped|beat"
        "|get past|got past|go past|went past|surpassed|surpass|beyond|exceeded|exceed|bigger than|>",
        "<": "less than|fewer than|under|below|shorter than|lower than|slower than|<",
        "=": "exactly",
    },
    "de": {
        "<=": "nicht mehr als|höchstens|maximal|bis zu|<=",
        ">=": "nicht weniger als|mindestens|>=",
        ">": "mehr als|über|länger als|höher als|weiter als|größer als|schneller als|überstieg"
        "|überstiegen|übersteigt|überschritt|überschritten|>",
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
_HOUR = (
    r"(?P<past>half (?:past )?|halb )?(?P<hour>\d{1,2}|noon|midday|midnight|mittag|mitternacht|{words})"
    r"(?:[:.](?P<minute>\d\d))?"
)
CLOCKS = {
    "en": (
        r"(before|after|by|past|later than|earlier than|until|from|at|as late as) (?:the )?"
        + _HOUR.replace("{words}", "|".join(NUMBERS["en"].split()))
        + r"(?P<half> ?(?:[ap]\.?m\.?|o'clock|in the (?:morning|evening|afternoon)|at night|sharp))?"
        r"(?! (?:to|until|till|and) \d{1,2}(?:st|nd|rd|th)? [a-z])(?!\w| ?(?:%|"
        + "|".join(
            ["hours?", "h", "mins?", "minutes?", "k", "km", "days?", "weeks?", "months?", "years?", "nights?", "steps"]
        )
        + r")(?!\w))",
        {"before": "<", "by": "<=", "earlier than": "<", "until": "<=", "after": ">", "past": ">", "later than": ">"}
        | {"from": ">=", "at": "=", "as late as": ">="},
    ),
    "de": (
        r"(vor|nach|ab|bis|später als|früher als|um) "
        + _HOUR.replace("{words}", "|".join(NUMBERS["de"].split()))
        + r"(?P<half> ?(?:uhr abends|uhr nachts|uhr morgens|uhr früh|uhr|abends|morgens))?(?!\w| ?(?:%|stunden?|std|h|"
        + r"min|minuten?|km|tagen?|wochen?|monaten?|jahren?|nächten?)(?!\w)|\. ?\w)",
        {"vor": "<", "nach": ">", "ab": ">=", "bis": "<=", "später als": ">", "früher als": "<", "um": "="},
    ),
}
BEDTIME = {
    "en": r"(?<!\w)(?:bed|asleep|sleep|nights?|bedtime|nod|nodded|doze[d ]|drop off|dropped off)(?!\w)",
    "de": r"(?<!\w)(?:bett|eingeschlafen|schlafen|einschlafe|nächten?)(?!\w)",
}
WAKING = {
    "en": r"(?<!\w)(?:wak\w+|woken?|g[eo]t up|getting up|up (?:before|by|after)|out of bed|rise)(?!\w)",
    "de": r"(?<!\w)(?:auf(?:gestanden|gewacht|stehe?|wache?| gewesen)|wach(?:e|te)?|stehe? ich|stand ich)(?!\w)",
}
LAST_NIGHT = {"en": "last night", "de": "letzte nacht"}
RAN_FAR = {
    "en": r"(?<!\w)(?:runs?|ran|running|rides?|rode|cycl\w+|swims?|swam|hikes?|hiked|walks?)(?!\w)",
    "de": r"(?<!\w)(?:läufe?n?|gelaufen|laufen|joggen|rad\w*|schwimm\w*|wander\w*)(?!\w)",
}
OR: Mapping[str, str] = {
    "more": "at least", "longer": "at least", "less": "at most", "fewer": "at most",
    "mehr": "mindestens", "länger": "mindestens", "weniger": "höchstens",
}  # fmt: skip
CRACKED = {"en": "hit|reach|reached|crack|cracked|make|made", "de": "geknackt|geschafft|erreicht|voll gemacht"}
# Amounts in other words, as figures with a unit.
AMOUNTS: Mapping[str, Sequence[tuple[str, str | Callable[[re.Match[str]], str]]]] = {
    "en": (
        (r"(\d[\d,.]*k?)\+", r"at least \1"),
        (
            r"(first half of (?:the |this )?\w+) (.*)(than|vs\.?|against|compared to) (?:in )?the second(?: one)?$",
            lambda m: f"{m[1]} {m[2]}{m[3]} second{m[1].removeprefix('first')}",
        ),
        (
            rf"({NUMBERS['en'].replace(' ', '|')}|\d) (workouts|sessions|meetings) (?:in|on) (?:one|a|the same) day",
            r"on days with at least \1 \2",
        ),
        (r"(is|are|was|were|has|have) (.+?) (up|down)(?= since| compared| on last| this)", r"\1 \2 going \3"),
        (
            r"do(?:es)? (?:more|fewer|less|longer|higher) (.+?) mean (?:more|fewer|less|longer|higher|lower) (.+)",
            r"correlation between \1 and \2",
        ),
        (
            r"the (?:more|fewer|less|longer) (.+?),? the (?:more|fewer|less|longer|higher|lower) (.+)",
            r"correlation between \1 and \2",
        ),
        (
            (
                rf"({CRACKED['en']}) (?:the |my )?(\d{{4,}}|\d+,\d{{3}}|\d+k)"
                r"(?!,?\d| ?(?:steps|km|k|kcal|calories|m|min\w*|h|hours?|runs?|times)(?!\w))"
            ),
            r"\1 \2 steps",
        ),
        (
            (
                r"this (week|month|year) (.*)(than|vs\.?|versus|against|compared (?:to|with)) "
                r"(?:the )?(?:last|previous)(?: one)?$"
            ),
            r"this \1 \2\3 last \1",
        ),
        (rf"({NUMBERS['en'].replace(' ', '|')}) or (more|less|fewer)", lambda m: f"{OR[m[2]]} {m[1]}"),
        (r"half an hour", "30 minutes"),
        (r"(last|past|previous) couple(?: of)? (days|weeks|months|years)", r"\1 2 \2"),
        (r"an hour and a half|one and a half hours", "90 minutes"),
        (r"(\w+) and a half hours", r"\1 hours and 30 minutes"),
        (r"(\d+):([0-5]\d) ?(?:hours|hrs|h)", r"\1 hours and \2 minutes"),
        (r"(\d+) ?h(?:ours)? ?([0-5]?\d)(?: ?m(?:in\w*)?)?", r"\1 hours and \2 minutes"),
        (
            (
                r"this (week|month|year) (vs\.?|versus|than|against|compared (?:to|with)|minus|and) "
                r"(?:the )?(?:last|previous)"
                r"(?: one)?(?! (?:week|month|year|\d))"
            ),
            r"this \1 \2 last \1",
        ),
        (r"(\d[\d,.]*k?(?: hours and \d+ minutes| \w+)?) or (more|less|fewer|longer)", lambda m: f"{OR[m[2]]} {m[1]}"),
        (
            (
                r"(?<!than )(?<!over )(?<!under )(?<!least )(?<!most )(?<!of )(?<!below )(?<!above )"
                r"(?<!exactly )(?<!to )(?<!past )(\d{4,}|\d+k|\d+,\d{3}) steps"
            ),
            r"at least \1 steps",
        ),
        (r"(?:hit|reach|reached) (more than|over|at least|above|less than|under|fewer than|below)", r"\1"),
        (
            rf"(?:on )?(?:an?|every|each)(?: average| typical| normal| usual)? ({'|'.join(WEEKDAYS['en'].split())})",
            r"per day on \1s",
        ),
        (r"(?:from )?mondays to fridays", "on weekdays"),
        (r"(.+) on any (day|night)( .*)? and (?:on )?which(?: (?:ones?|days?|nights?))?$", r"on which \2s \1\3"),
        (r"(than|over|under|least|most|above|below) (?:an|a) (hour|kilomet(?:er|re)|mile)", r"\1 1 \2"),
    ),
    "de": (
        (r"(\d[\d,.]*)\+", r"mindestens \1"),
        (r"(ersten halbjahr) (.*)(als|gegen|vs\.?|gegenüber) (?:im|dem|in dem) zweiten$", r"\1 \2\3 zweiten halbjahr"),
        (r"(mehr|weniger|\w{3,}er) (\w+ )?wie(?! (?:viel|oft|lang))", r"\1 \2als"),
        (
            rf"({NUMBERS['de'].replace(' ', '|')}|\d) (trainings|workouts|einheiten|termine) (?:an einem|am) tag",
            r"an tagen mit mindestens \1 \2",
        ),
        (
            rf"((?:{NUMBERS['de'].replace(' ', '|')}) (?:stunden|minuten|km)) oder (mehr|weniger|länger)",
            lambda m: f"{OR[m[2]]} {m[1]}",
        ),
        (
            r"je (?:mehr|weniger|länger|höher) (.+?),? (?:desto|umso) (?:mehr|weniger|länger|höher|kürzer) (.+)",
            r"zusammenhang zwischen \1 und \2",
        ),
        (rf"(?:die |meine )?(\d{{4,}}|\d+\.\d{{3}}) ({CRACKED['de']})", r"\1 schritte \2"),
        (
            (
                r"(letzte[nmrs]?) (woche|monat|jahr) "
                r"(gegen|vs\.?|versus|als|minus|gegenüber|und|verglichen mit|im vergleich zu[mr]?)"
                r"(?: der| dem| zur| zum)? vorletzte[nmrs]?(?! (?:woche|monat|jahr|\d))"
            ),
            r"\1 \2 \3 vorletzten \2",
        ),
        (
            (
                r"(diese[nmrs]?) (woche|monat|jahr) (.*)"
                r"(als|vs\.?|gegen|gegenüber|verglichen mit|im vergleich zu[mr]?) "
                r"(?:im |in der |der |dem )?(letzte[nmrs]?|vorige[nmrs]?|vergangene[nmrs]?)$"
            ),
            r"\1 \2 \3\4 \5 \2",
        ),
        (r"ab (\d[\d,.]* ?(?:km|kilometern?|stunden?|std|h|minuten|min|gläsern|tassen|schritten))", r"mindestens \1"),
        (rf"({NUMBERS['de'].replace(' ', '|')}) oder (mehr|weniger)", lambda m: f"{OR[m[2]]} {m[1]}"),
        (r"eine[rn]? halben? stunde", "30 minuten"),
        (r"(?:anderthalb|eineinhalb) stunden", "90 minuten"),
        (r"(zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn)einhalb stunden", r"\1 stunden und 30 minuten"),
        (r"(\d+):([0-5]\d) ?(?:stunden|std|h)", r"\1 stunden und \2 minuten"),
        (r"(\d+) ?h ?([0-5]?\d)(?: ?m(?:in\w*)?)?", r"\1 stunden und \2 minuten"),
        (
            (
                r"(diese[nmrs]?) (woche|monat|jahr) "
                r"(gegen|vs\.?|versus|als|minus|gegenüber|und|verglichen mit|im vergleich zu)"
                r"(?: der| dem)? (letzte[nmrs]?|vorige[nmrs]?)(?! (?:woche|monat|jahr|\d))"
            ),
            r"\1 \2 \3 \4 \2",
        ),
        (
            r"(diese[nmrs]?) (gegen|vs\.?|als|minus|und) (letzte[nmrs]?|vorige[nmrs]?) (woche|monat|jahr)",
            r"\1 \4 \2 \3 \4",
        ),
        (
            (
                r"(?<!als )(?<!über )(?<!unter )(?<!mindestens )(?<!höchstens )(?<!genau )(?<!zu )"
                r"(\d{4,}|\d+\.\d{3}) schritte"
            ),
            r"mindestens \1 schritte",
        ),
        (r"(?:wache?|wachte|stehe?|stand) ich (.*) auf(?= |$)", r"aufwache \1"),
        (r"(?:schlafe?|schlief) ich (.*) ein(?= |$)", r"einschlafe \1"),
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
TOPS = {
    "en": r"(?= (?:(?:very )?(?:best|worst|highest|lowest|longest|shortest|biggest|smallest|fastest|slowest|poorest)"
    r"|most \w+|least \w+|(?:days|nights) with (?:the|my) (?:most|highest|lowest|least|best|worst|longest|shortest)))",
    "de": r"(?= (?:besten|schlechtesten|höchsten|niedrigsten|längsten|kürzesten|größten|kleinsten|schnellsten"
    r"|langsamsten|miesesten|schlimmsten|weitesten|stressigsten|(?:tage|nächte) mit (?:den|der|dem) \w+sten))",
}
# A range of amounts, as "between 5 and 8 km" or "5-8 km".
RANGE = {"en": "between |from ", "de": "zwischen |von "}
TO = {"en": "to|-|–", "de": "bis|-|–"}
COUNTED = {"en": "steps|meetings|appointments|kcal|calories", "de": "schritte|termine|besprechungen|kalorien|kcal"}
ROWS = {"en": r"(last|first|latest)", "de": r"(letzten?|ersten?)"}


@dataclass(frozen=True)
class Marked:
    """Takes numbers, times and dates out of a text, which leaves marks in their places."""

    language: str
    today: date
    found: dict[str, w.Token] = field(default_factory=dict)
    spans: list[Span] = field(default_factory=list)
    corrected: bool = False  # with slips of the pen mended
    titles: bool = False  # with words of the person's own, which stay as they are

    @property
    def parted(self) -> bool:
        """Return True for the spans before and after a date."""
        return len(self.spans) == 2 and self.spans[0][1] is None and self.spans[1][0] is None

    def is_recent(self, until: date | None) -> bool:
        """Return True for a span that ended at most a week ago, of which the time before is the usual one."""
        return until is None or until >= self.today - 7 * DAY

    def corrected_text(self, text: str, known: w.Lexicon) -> str:
        """Return a text in which an unknown word is the only known one that a slip away from it."""
        if not self.corrected or self.titles:
            return text
        language = self.language
        words = vocabulary(language) | {word for phrase in known for word in phrase}
        more = f"{MONTHS[language]}|{WEEKDAYS[language]}|{NUMBERS[language]}|{' '.join(SPAN_UNITS[language])}"
        words |= {*more.replace("|", " ").split(), *texts(language).unmended}
        return " ".join(mended(word, words, language, known) for word in text.split())

    def mark(self, text: str) -> str:
        figure, words = FIGURES[self.language], "|".join(NUMBERS[self.language].split())
        unit = "|".join(map(re.escape, sorted(UNITS, key=len, reverse=True)))
        text = with_digits(text, self.language)
        if re.search(RAN_FAR[self.language], text) and "step" not in text:
            text = re.sub(r"(?<=\d)k(?!\w)", " km", text)  # "runs over 15k"
        for pattern, amount in AMOUNTS[self.language]:
            text = compiled(rf"(?<!\w)(?:{pattern})(?!\w)").sub(amount, text)
        signs = {one: sign for sign, all_ in COMPARISONS[self.language].items() for one in all_.split("|")}
        sign = "|".join(sorted(signs, key=len, reverse=True))
        number = rf"({figure}|{words})(?: ?({unit})(?!\w))?"
        counted = rf"(?: ?(?P<unit>{unit})(?!\w)|(?= (?:{COUNTED[self.language]})))"
        text = re.sub(
            rf"(?<!\w)(?P<between>{RANGE[self.language]})?(?P<low>{figure}|{words})(?: ?(?:{unit}))?"
            rf" ?(?:(?(between)(?:and|und)|(?!))|{TO[self.language]}) ?(?P<high>{figure}|{words}){counted}",
            self._range,
            text,
        )
        text = re.sub(
            rf"(?<!\w)({sign}) (?:an? |einem |einen )?{number}(?:(?: and| und)? (\d+) min\w*)?(?!\w)",
            lambda m: self._put("c", w.COMPARED, self._compared(signs[m[1]], m)),
            text,
        )
        if self.language == "de" and re.search("geschafft|erreicht|geknackt", text):
            text = re.sub(
                rf"(?<!\w)()({figure})()()(?= \w*(?:schritte|minuten))",
                lambda m: self._put("c", w.COMPARED, self._compared(">=", m)),
                text,
            ).replace("geknackt", "geschafft")
        pattern, before = CLOCKS[self.language]
        waking = re.search(WAKING[self.language], text) is not None
        evening = not waking and re.search(BEDTIME[self.language], text) is not None
        text = re.sub(rf"(?<!\w){pattern}", lambda m: self._clock(m, before, evening=evening, waking=waking), text)
        weekday = "|".join(WEEKDAYS[self.language].split())
        text = re.sub(
            r"(?<!\w)(?<!from )(?<!von )(?<!vom )(?<!last )(?<!letzten )"
            rf"({weekday})s? ?(?:to|through|till|bis|-|–) ?({weekday})s?( nights)?"  # by the day of waking
            r"(?!\w)",
            self._weekdays,
            text,
        )
        if re.search(BEDTIME[self.language], text):
            text = re.sub(
                r"(?<!\w)(?:yesterday (?:evening|night)|gestern abend)(?!\w)", LAST_NIGHT[self.language], text
            )
        text = re.sub(
            rf"(?<!\w)(?:top )?(\d+|{words}){TOPS[self.language]}|(?<!\w)top (\d+|{words})(?!\w)",
            lambda m: self._put("t", w.TOP, int(self._number(m[1] or m[2]))),
            text,
        )
        text, spans = Dates(self.language, self.today).found(text)
        self.spans.extend(spans)
        self.found.update({f"§p{n}": (w.SPAN, n) for n in range(len(spans))})
        return re.sub(
            rf"(?<!\w){ROWS[self.language]} (\d+|{words})(?!\w)",
            lambda m: self._put("n", w.ROWS_LAST, ("first" if "rst" in m[1] else "last", self._number(m[2]))),
            text,
        )

    def _weekdays(self, match: re.Match[str]) -> str:
        names = WEEKDAYS[self.language].split()
        first, last = ((names.index(one) + bool(match[3])) % 7 + 1 for one in match.groups()[:2])
        numbers = [*range(first, 8), *range(1, first)][: (last - first) % 7 + 1]
        if numbers == [1, 2, 3, 4, 5]:
            return self._put("x", w.CONDITION, "weekday <= 5")
        return self._put("x", w.CONDITION, f"weekday = {'|'.join(map(str, sorted(numbers)))}")

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

    def _clock(self, match: re.Match[str], signs: Mapping[str, str], *, evening: bool, waking: bool) -> str:
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
        elif not (match["minute"] or half or told in named):
            if not hour or not (evening or (waking and hour < 12)):
                return match[0]
            hour = (hour + 12) % 24 if evening and 7 <= hour <= 12 else hour
        return self._put("k", w.CLOCK, (signs[match[1]], f"{hour:02}:{minute:02}"))
