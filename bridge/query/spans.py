"""Read spans of dates as people say them, in English and German: "last week", "vom 1. bis 15. Oktober"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from dateutil.relativedelta import relativedelta

DAY = timedelta(days=1)
Span = tuple[date | None, date | None]  # first and last date, both inside
MONTHS = {
    "en": "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sept sep|"
    "october oct|november nov|december dec",
    "de": "januar jan jänner|februar feb|märz|april apr|mai|juni jun|juli jul|august aug|september sept|"
    "oktober okt|november nov|dezember dez",
}
WEEKDAYS = {
    "en": "monday tuesday wednesday thursday friday saturday sunday",
    "de": "montag dienstag mittwoch donnerstag freitag samstag sonntag",
}
NUMBERS = {
    "en": "one two three four five six seven eight nine ten eleven twelve",
    "de": "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
}
UNITS = {
    "en": {"day": "days", "days": "days", "week": "weeks", "weeks": "weeks", "month": "months", "months": "months"},
    "de": {"tage": "days", "tagen": "days", "wochen": "weeks", "monate": "months", "monaten": "months"},
}


@dataclass(frozen=True)
class Dates:
    """Spans in the words of a language, as seen on a day."""

    language: str
    today: date

    @property
    def _month(self) -> Mapping[str, int]:
        return {name: n for n, names in enumerate(MONTHS[self.language].split("|"), start=1) for name in names.split()}

    @property
    def _weekday(self) -> Mapping[str, int]:
        return {name: n for n, name in enumerate(WEEKDAYS[self.language].split(), start=1)}

    def found(self, text: str) -> tuple[str, list[Span]]:
        """Return the text with each span replaced by ``§p`` and its number, and the spans."""
        spans: list[Span] = []
        for pattern, read in self._patterns():

            def replace(match: re.Match[str], read: Callable[[re.Match[str]], Span | None] = read) -> str:
                try:
                    span = read(match)
                except ValueError:  # no such day
                    span = None
                if span is None:
                    return match[0]
                spans.append(span)
                return f" §p{len(spans) - 1} "

            text = re.sub(rf"(?<!\w){pattern}(?!\w)", replace, text)
        return text, spans

    def number(self, word: str) -> int:
        """Return the number that digits or a word say."""
        return int(word) if word.isdecimal() else NUMBERS[self.language].split().index(word) + 1

    # The day, month or year at which a span begins or ends ------------------------------------------------------------

    def _point(self) -> str:
        month = "|".join(sorted(self._month, key=len, reverse=True))
        weekday = "|".join(self._weekday)
        if self.language == "en":
            return (
                rf"\d{{4}}-\d\d-\d\d|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{month})(?:,? 20\d\d)?"
                rf"|(?:{month}) \d{{1,2}}(?:st|nd|rd|th)?(?:,? 20\d\d)?(?!\d)|(?:the )?\d{{1,2}}(?:st|nd|rd|th)"
                rf"|(?:{month})(?: 20\d\d)?|20\d\d|yesterday|today|{weekday}"
            )
        return (
            rf"\d{{4}}-\d\d-\d\d|\d{{1,2}}\.\d{{1,2}}(?:\.(?:20\d\d)?|$)|\d{{1,2}}\. ?(?:{month})(?: 20\d\d)?"
            rf"|(?:{month})(?: 20\d\d)?|(?:jahr )?20\d\d|vorgestern|gestern|heute|\d{{1,2}}\.|{weekday}"
        )

    def _of(self, text: str) -> tuple[date, date] | None:
        """Return the first and last date of a point, of which the latest that is not to come is meant."""
        today, named = self.today, {"today": 0, "heute": 0, "yesterday": 1, "gestern": 1}
        named |= {"the day before yesterday": 2, "vorgestern": 2}
        if text in named:
            return (today - named[text] * DAY,) * 2
        if text in self._weekday:
            back = (today.isoweekday() - self._weekday[text]) % 7
            return None if back == 0 else (today - back * DAY,) * 2
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            return (date.fromisoformat(text),) * 2
        numbers = [int(one) for one in re.findall(r"\d+", text)]
        year = next((one for one in numbers if one > 2000), None)
        days = [one for one in numbers if one <= 31]
        month = next((self._month[one] for one in re.findall(r"[^\W\d]+", text) if one in self._month), None)
        if month is None and len(days) > 1:
            month = days[1]
        if not days:
            return self._whole(year, month)
        if month is None:
            at = today.replace(day=days[0])
            return (at if at <= today else at - relativedelta(months=1),) * 2
        at = date(year or today.year, month, days[0])
        return (at if year or at <= today else at.replace(year=at.year - 1),) * 2

    def _whole(self, year: int | None, month: int | None) -> tuple[date, date] | None:
        if month is None:
            return None if year is None else (date(year, 1, 1), date(year, 12, 31))
        year = year or (self.today.year if month <= self.today.month else self.today.year - 1)
        first = date(year, month, 1)
        return first, first + relativedelta(months=1) - DAY

    # Spans around points ----------------------------------------------------------------------------------------------

    def _between(self, match: re.Match[str]) -> Span | None:
        first, last = match[1], match[2]
        found = self._of(last)
        if found is None or {first, last} <= self._weekday.keys():  # the last ones, or those of every week
            return None
        if re.fullmatch(r"\d{1,2}(?:st|nd|rd|th|\.)?", first):
            return found[0].replace(day=int(re.sub(r"\D", "", first))), found[1]
        begun = self._of(first)
        return None if begun is None or begun[0] > found[1] else (begun[0], found[1])

    def _since(self, match: re.Match[str]) -> Span | None:
        found = self._of(match[1])
        return None if found is None else (found[0], None)

    def _before(self, match: re.Match[str]) -> Span | None:
        found = self._of(match[1])
        return None if found is None else (None, found[0] - DAY)

    def _until(self, match: re.Match[str]) -> Span | None:
        found = self._of(match[1])
        return (None, found[1]) if found is not None and found[0] == found[1] else None

    def _at(self, match: re.Match[str]) -> Span | None:
        return self._of(match[1])

    def _back(self, match: re.Match[str]) -> Span:
        count, unit = self.number(match[1]), UNITS[self.language][match[2]]
        return self.today - relativedelta(**{unit: count}) + DAY, self.today  # type: ignore[arg-type]

    def _half_year(self, _: re.Match[str]) -> Span:
        return self.today - relativedelta(months=6) + DAY, self.today

    def _ago(self, match: re.Match[str]) -> Span:
        return (self.today - self.number(match[1]) * DAY,) * 2

    def _week(self, back: int) -> Callable[[re.Match[str]], Span]:
        monday = self.today - (self.today.isoweekday() - 1 + 7 * back) * DAY
        return lambda _: (monday, monday + 6 * DAY)

    def _month_back(self, back: int) -> Callable[[re.Match[str]], Span]:
        first = self.today.replace(day=1) - relativedelta(months=back)
        return lambda _: (first, first + relativedelta(months=1) - DAY)

    def _year(self, back: int) -> Callable[[re.Match[str]], Span]:
        year = self.today.year - back
        return lambda _: (date(year, 1, 1), date(year, 12, 31))

    def _weekend(self, _: re.Match[str]) -> Span:
        sunday = self.today - self.today.isoweekday() * DAY
        return sunday - DAY, sunday

    def _last_weekday(self, match: re.Match[str]) -> Span:
        back = (self.today.isoweekday() - self._weekday[match[1]] - 1) % 7 + 1
        return (self.today - back * DAY,) * 2

    def _tonight(self, _: re.Match[str]) -> Span:
        return self.today, self.today

    def _patterns(self) -> Iterator[tuple[str, Callable[[re.Match[str]], Span | None]]]:
        point, weekday = f"({self._point()})", f"({'|'.join(self._weekday)})"
        number = rf"(\d{{1,4}}|{'|'.join(NUMBERS[self.language].split())})"
        unit = f"({'|'.join(UNITS[self.language])})"
        yield "(?:on )?(the day before yesterday)", self._at
        if self.language == "en":
            yield rf"(?:from|between) {point[:-1]}|\d{{1,2}}) (?:to|and|until|till|through) {point}", self._between
            yield rf"(?:in |over |during |of |for |within )?(?:the )?(?:last|past) {number} {unit}", self._back
            yield "(?:in |over |during |of |for )?(?:the )?(?:last|past) half year", self._half_year
            yield r"since (?:the )?(?:start|beginning) of (?:the|this) year", self._year(0)
            yield rf"{number} days ago", self._ago
            yield "last night", self._tonight
            yield "last weekend", self._weekend
            yield "(?:of|in|during) the year|year to date|ytd|so far this year|this year so far", self._year(0)
            yield "so far this month|this month so far", self._month_back(0)
            yield "so far this week|this week so far", self._week(0)
            yield f"last {weekday}", self._last_weekday
            for name, back in (("last|previous", 1), ("this", 0)):
                lead = r"(?:in |during |of |for )?(?<!the )"
                yield rf"{lead}(?:{name}) week", self._week(back)
                yield rf"{lead}(?:{name}) month", self._month_back(back)
                yield rf"{lead}(?:{name}) year", self._year(back)
            yield rf"(?:since|starting)(?: the)? {point}", self._since
            yield f"before {point}", self._before
            yield rf"(?:until|till|up to) {point}", self._until
            yield rf"(?<!\dst )(?<!\dnd )(?<!\drd )(?<!\dth )(?:on |in |during |of |for )(?:the )?{point}", self._at
            bare = rf"{'|'.join(self._weekday)}|the \d|\d{{1,2}}\w\w(?!\w)(?! of)|(?:may|march)\b(?! \d)"
            yield rf"((?!{bare})(?:{point[1:]})", self._at
            return
        yield (
            rf"(?:vom|von|zwischen|zwischen dem) {point[:-1]}|\d{{1,2}}) (?:bis|und)(?: zum| dem)? {point}",
            self._between,
        )
        lead = "(?:in |über |während |der |den |die )*"
        yield rf"{lead}(?:letzten|vergangenen|letzte) {number} {unit}", self._back
        yield rf"{lead}(?:im )?(?:letzten|vergangenen|letztes) halben?s? jahr", self._half_year
        yield r"seit (?:dem )?(?:anfang|beginn) (?:des|dieses) jahres|seit jahresanfang", self._year(0)
        yield rf"vor {number} tagen", self._ago
        yield "(?:in der )?letzten? nacht", self._tonight
        yield "(?:am )?letztes wochenende|am letzten wochenende", self._weekend
        yield f"(?:am )?letzten {weekday}", self._last_weekday
        for last, back in (
            ("letzte|letzter|letzten|vorige|voriger|vorigen|vergangene|vergangenen", 1),
            ("diese|dieser", 0),
        ):
            yield rf"(?:in )?(?:der )?(?:{last}) woche", self._week(back)
        yield r"(?:im |in |des )?(?:letzten|vorigen|vergangenen) monats?", self._month_back(1)
        yield r"(?:in )?(?:diesen|diesem|dieses) monats?", self._month_back(0)
        yield r"letztes jahr|(?:im )?vorigen jahr|voriges jahr", self._year(1)
        yield r"(?:in |des |im )?(?:dieses|diesem|laufenden) jahr(?:es)?|heuer|seit jahresbeginn", self._year(0)
        yield rf"(?:seit|ab)(?: dem| der)? {point}", self._since
        yield rf"vor(?: dem)? {point}", self._before
        yield rf"bis(?: zum)? {point}", self._until
        yield rf"(?:am |im |in |vom |von |des |für )(?:den |dem )?{point}", self._at
        yield rf"((?!{'|'.join(self._weekday)}|\d{{1,2}}\.(?! ?\w))(?:{point[1:]})", self._at
