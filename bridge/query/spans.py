"""Read spans of dates as people say them, in English and German: "last week", "vom 1. bis 15. Oktober"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta

from dateutil.relativedelta import relativedelta

from bridge.query.span_words import MONTHS, NUMBERS, QUARTERS, SEASONS, UNITS, WEEKDAYS

DAY = timedelta(days=1)
Span = tuple[date | None, date | None]  # first and last date, both inside


@dataclass(frozen=True)
class Dates:
    """Spans in the words of a language, as seen on a day."""

    language: str
    today: date
    says_this_season: bool = False  # beside the last one, which then is that of the year before

    @property
    def _month(self) -> Mapping[str, int]:
        return {name: n for n, names in enumerate(MONTHS[self.language].split("|"), start=1) for name in names.split()}

    @property
    def _weekday(self) -> Mapping[str, int]:
        return {name: n for n, name in enumerate(WEEKDAYS[self.language].split(), start=1)}

    def found(self, text: str) -> tuple[str, list[Span]]:
        """Return the text with each span replaced by ``§p`` and its number, and the spans."""
        seasons = "|".join(SEASONS[self.language])
        if re.search(rf"(?:this|diese[nrms]?) (?:{seasons})", text) and not self.says_this_season:
            return replace(self, says_this_season=True).found(text)
        spans: list[Span] = []
        text = self._parted(text, spans)
        for pattern, read in self._patterns():

            def marked(match: re.Match[str], read: Callable[[re.Match[str]], Span | None] = read) -> str:
                try:
                    span = read(match)
                except ValueError:  # no such day
                    span = None
                if span is None:
                    return match[0]
                spans.append(span)
                return f" §p{len(spans) - 1} "

            text = re.sub(rf"(?<!\w){pattern}(?!\w)", marked, text)
        return self._before_it(text, spans), spans

    def _parted(self, text: str, spans: list[Span]) -> str:
        """Mark the spans from a date on and before it, which "before and after 1 June" says."""

        def parted(match: re.Match[str]) -> str:
            at = self._of(match["at"])
            if at is None:
                return match[0]
            spans.extend([(at[0], None), (None, at[0] - DAY)])
            return " §p0 §p1 "

        return re.sub(rf"(?<!\w){self._parting()}(?!\w)", parted, text, count=1)

    def _before_it(self, text: str, spans: list[Span]) -> str:
        """Mark "the two weeks before", where one span is told."""
        before = re.search(rf"(?<!\w){self._before_that()}(?!\w)", text)
        first, last = spans[0] if len(spans) == 1 else (None, None)
        if before is None or first is None or last is None:
            return text
        length = relativedelta(days=(last - first).days + 1)
        if before["number"]:
            unit = UNITS[self.language][before["unit"]]
            length = relativedelta(**{unit: self.number(before["number"])})  # type: ignore[arg-type]
        spans.append((first - length, first - DAY))
        return f"{text[: before.start()]} §p1 {text[before.end() :]}"

    def _parting(self) -> str:
        if self.language == "en":
            both = r"before and after|before vs\.? after|after and before|after vs\.? before"
            return rf"(?:{both})(?: the)? (?P<at>{self._point()})"
        return rf"(?:vor und nach|nach und vor|vor und seit|vor vs\.? nach)(?: dem| der)? (?P<at>{self._point()})"

    def _before_that(self) -> str:
        number, unit = "|".join(NUMBERS[self.language].split()), "|".join(UNITS[self.language])
        if self.language == "en":
            some = rf"(?P<number>\d+|{number}) (?P<unit>{unit}) |time "
            return rf"the (?:same |week |month )?(?:{some})?(?:before that|before|prior)(?= *$)"
        return rf"(?:die|den|der) (?:(?P<number>\d+|{number}) (?P<unit>{unit}) |zeit |woche )?davor"

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

    def _weekend(self, back: int) -> Callable[[re.Match[str]], Span]:
        sunday = self.today - (self.today.isoweekday() + 7 * (back - 1)) * DAY
        return lambda _: (sunday - DAY, sunday)

    def _past(self, unit: str) -> Callable[[re.Match[str]], Span]:
        return lambda _: (self.today - relativedelta(**{unit: 1}) + DAY, self.today)  # type: ignore[arg-type]

    def _quarter_at(self, year: int, number: int) -> Span:
        first = date(year, 3 * number - 2, 1)
        return first, first + relativedelta(months=3) - DAY

    def _quarter(self, match: re.Match[str]) -> Span:
        told = match["number"]
        number = int(told) if told.isdecimal() else QUARTERS[self.language][told]
        now = (self.today.month + 2) // 3
        return self._quarter_at(int(match["year"]) if match["year"] else self.today.year - (number > now), number)

    def _quarter_back(self, back: int) -> Callable[[re.Match[str]], Span]:
        at = self.today.replace(day=1) - relativedelta(months=3 * back)
        return lambda _: self._quarter_at(at.year, (at.month + 2) // 3)

    def _season(self, match: re.Match[str]) -> Span | None:
        begins = SEASONS[self.language][match["season"]]
        first = date(int(match["year"]) if match["year"] else self.today.year, begins, 1)
        which = match["which"] or ""
        if not match["year"] and first > self.today:
            if which.startswith(("this", "dies")):
                return None  # that one has not begun
            first -= relativedelta(years=1)
        if which.startswith(("last", "letzt", "vorig", "vergang")) and self.says_this_season:
            first -= relativedelta(years=1)
        return first, first + relativedelta(months=3) - DAY

    def _last_weekday(self, match: re.Match[str]) -> Span:
        back = (self.today.isoweekday() - self._weekday[match[1]] - 1) % 7 + 1
        return (self.today - back * DAY,) * 2

    def _night_back(self, back: int) -> Callable[[re.Match[str]], Span]:
        return lambda _: (self.today - back * DAY,) * 2

    def _nights_ago(self, match: re.Match[str]) -> Span:
        return (self.today - (self.number(match[1]) - 1) * DAY,) * 2

    def _weekday_of_last_week(self, match: re.Match[str]) -> Span:
        name = next(one for one in match.groups() if one)
        monday = self.today - (self.today.isoweekday() - 1 + 7) * DAY
        night = any(one in match[0] for one in ("night", "nacht"))  # a night is of its day of waking
        return (monday + (self._weekday[name] - 1 + night) * DAY,) * 2

    def _week_number(self, match: re.Match[str]) -> Span:
        first = date.fromisocalendar(self.today.year, int(match[1]), 1)
        if first > self.today:
            first = date.fromisocalendar(self.today.year - 1, int(match[1]), 1)
        return first, first + 6 * DAY

    def _week_of(self, match: re.Match[str]) -> Span | None:
        found = self._of(match[1])
        if found is None or found[0] != found[1]:
            return None
        monday = found[0] - (found[0].isoweekday() - 1) * DAY
        return monday, monday + 6 * DAY

    def _last_month_named(self, match: re.Match[str]) -> Span:
        month = self._month[match[1]]
        first = date(self.today.year - (month >= self.today.month), month, 1)
        return first, first + relativedelta(months=1) - DAY

    def _patterns(self) -> Iterator[tuple[str, Callable[[re.Match[str]], Span | None]]]:
        yield "(?:on )?(the day before yesterday)", self._at
        yield from self._english() if self.language == "en" else self._german()

    def _parts(self) -> tuple[str, str, str, str, str, str]:
        """Return patterns of a point, a weekday, a number, a unit, a season and a month, each in a group."""
        seasons, quarters = "|".join(SEASONS[self.language]), "|".join(map(re.escape, QUARTERS[self.language]))
        return (
            f"({self._point()})",
            f"({'|'.join(self._weekday)})",
            rf"(\d{{1,4}}|{'|'.join(NUMBERS[self.language].split())})",
            f"({'|'.join(sorted(UNITS[self.language], key=len, reverse=True))})",
            f"(?P<season>{seasons})(?: (?P<year>20\\d\\d))?",
            f"(?P<number>{quarters})",
        )

    def _english(self) -> Iterator[tuple[str, Callable[[re.Match[str]], Span | None]]]:
        point, weekday, number, unit, season, quarter = self._parts()
        lead = "(?:in |over |during |of |for |within |from |on )?"
        month = f"({'|'.join(sorted(self._month, key=len, reverse=True))})"
        yield rf"(?:from |between )?{point[:-1]}|\d{{1,2}}) ?(?:to|until|till|through|-|–) ?{point}", self._between
        yield rf"(?:from|between) {point[:-1]}|\d{{1,2}}) and {point}", self._between
        yield rf"{lead}(?:the )?(?:last|past|previous) {number} {unit}", self._back
        yield (
            rf"{lead}(?:the )?(?:last|past)(?: couple of weeks| fortnight)|{lead}(?:the )?(?:last|past) 2 wks?",
            (lambda _: (self.today - 13 * DAY, self.today)),
        )
        yield rf"{lead}(?:the )?(?:last|past) half(?: a)? year", self._half_year
        yield rf"{lead}the week before last", self._week(2)
        yield rf"{lead}the month before last", self._month_back(2)
        yield rf"{lead}the year before last", self._year(2)
        yield "the weekend before last", self._weekend(2)
        yield "the night before last", self._night_back(1)
        yield rf"{number} nights ago", self._nights_ago
        yield r"since (?:the )?(?:start|beginning) of (?:the|this) year|since new year", self._year(0)
        yield r"since (?:the )?(?:start|beginning) of (?:the|this) month", self._month_back(0)
        yield r"(?:since|from)(?: the)? (?:start|beginning) of " + point, self._since
        yield rf"{number} days ago", self._ago
        yield (
            r"(?:of |for |from )?last (?:night|nite)(?:'s)?|tonight|(?:in |of |for )?the last night|this night",
            (self._night_back(0)),
        )
        yield rf"(?:on |of |for )?(?:the )?(?:night (?:of|on|from) )(?:last )?{point}", self._night_named
        yield rf"(?:on |last )?{weekday} night(?! last)", self._night_named
        yield (
            rf"(?:on )?(?:{weekday}(?: night)?,? (?:of )?last week|last week'?s? {weekday})",
            self._weekday_of_last_week,
        )
        yield "(?:on |at |of |for |over |during |in )?(?:the )?last weekend", self._weekend(1)
        yield r"(?:of|in|during) the year|as the year goes on|over the year|year to date|ytd", self._year(0)
        yield r"so far this year|this year so far", self._year(0)
        yield "so far this month|this month so far", self._month_back(0)
        yield "so far this week|this week so far", self._week(0)
        yield rf"{lead}(?:the )?week (\d{{1,2}})", self._week_number
        yield rf"{lead}the week (?:of|from) {point}", self._week_of
        yield rf"(?:on )?last {weekday}", self._last_weekday
        yield rf"{lead}(?:the )?q(?P<number>[1-4])(?:,? (?:of )?(?P<year>20\d\d))?", self._quarter
        yield rf"{lead}(?:the )?{quarter} quarter(?:,? (?:of )?(?P<year>20\d\d))?", self._quarter
        yield rf"{lead}(?:the )?(?:last|previous) quarter", self._quarter_back(1)
        yield rf"{lead}this quarter", self._quarter_back(0)
        yield rf"{lead}(?P<which>this |last |the )?{season}", self._season
        for name, back in (("last|previous", 1), ("this|the current|the present", 0)):
            before = rf"{lead}(?<!the )"
            yield rf"{before}(?:{name}) (?:week|wk)(?:'s)?", self._week(back)
            yield rf"{before}(?:{name}) month(?:'s)?", self._month_back(back)
            yield rf"{before}(?:{name}) (?:year|yr)(?:'s)?", self._year(back)
        for one in ("week", "month", "year"):
            yield rf"{lead}the (?:last|past) {one}|{lead}past {one}", self._past(f"{one}s")
        yield rf"{lead}(?:the )?last {month}", self._last_month_named
        yield rf"(?:ever )?(?:since|starting|from)(?: the)? {point}(?: on(?:wards)?)?", self._since
        yield f"before {point}", self._before
        yield rf"(?:until|till|up to) {point}", self._until
        yield rf"(?<!\dst )(?<!\dnd )(?<!\drd )(?<!\dth )(?:on |in |during |of |for |from )(?:the )?{point}", self._at
        bare = rf"{'|'.join(self._weekday)}|the \d|\d{{1,2}}(?:st|nd|rd|th)(?!\w)(?! of)|(?:may|march)\b(?! \d| vs)"
        yield rf"((?!{bare})(?:{point[1:]})(?:'s)?", self._at

    def _night_named(self, match: re.Match[str]) -> Span | None:
        found = self._of(next(one for one in match.groups() if one))
        return None if found is None or found[0] != found[1] else (found[0] + DAY,) * 2

    def _german(self) -> Iterator[tuple[str, Callable[[re.Match[str]], Span | None]]]:
        point, weekday, number, unit, season, quarter = self._parts()
        yield (
            rf"(?:(?:vom|von|zwischen|zwischen dem) )?{point[:-1]}|\d{{1,2}}\.?) ?(?:bis|-|–) ?(?:zum |dem )?{point}",
            self._between,
        )
        yield rf"(?:zwischen|zwischen dem) {point[:-1]}|\d{{1,2}}\.?) und (?:dem )?{point}", self._between
        lead = "(?:in |über |während |der |den |die |aus |von |des |im |für )*"
        last = "letzte[nrms]?|vergangene[nrms]?|vorige[nrms]?"
        this = "diese[nrms]?|laufende[nrms]?|aktuelle[nrms]?"
        yield rf"{lead}(?:letzten|vergangenen|letzte) {number} {unit}", self._back
        yield rf"seit {number} {unit}", self._back
        yield rf"{lead}(?:im )?(?:letzten|vergangenen|letztes) halben?s? jahr", self._half_year
        yield rf"{lead}vorletzten? woche", self._week(2)
        yield rf"{lead}vorletzte[nrms]? monats?", self._month_back(2)
        yield "(?:in der )?vorletzten? nacht", self._night_back(1)
        yield "(?:am )?vorletzte[sn]? wochenende", self._weekend(2)
        yield r"seit (?:dem )?(?:anfang|beginn) (?:des|dieses) jahres|seit jahres(?:anfang|beginn)", self._year(0)
        yield "übers jahr|über das jahr", self._year(0)
        yield rf"(?:seit|ab) (?:anfang|beginn)(?: des| vom)? {point}", self._since
        yield rf"vor {number} tagen", self._ago
        yield rf"vor {number} nächten", self._nights_ago
        yield "(?:in der |von der |der |diese )?(?:letzten?|vergangenen?|heute) nacht", self._night_back(0)
        yield rf"(?:in der )?nacht (?:auf|zu|zum) (?:den )?{weekday}", self._at
        yield rf"(?:am )?{weekday}(?:nacht| nacht)", self._night_named
        yield (
            rf"(?:am )?(?:{weekday} (?:der )?(?:letzten?|vorigen?) woche|letzte woche (?:am )?{weekday})",
            (self._weekday_of_last_week),
        )
        yield "(?:am |an |vom |des )?(?:letzte[sn]?|vergangene[sn]?|vorige[sn]?) wochenendes?", self._weekend(1)
        yield f"(?:am |an )?(?:letzten|vorigen|vergangenen) {weekday}", self._last_weekday
        yield r"(?:in )?(?:der )?(?:kw|kalenderwoche|woche) (\d{1,2})", self._week_number
        yield rf"(?:in )?(?:der )?woche (?:vom|des) {point}", self._week_of
        yield rf"{lead}(?:q(?P<number>[1-4]))(?: (?P<year>20\d\d))?", self._quarter
        yield rf"{lead}{quarter} quartal(?:s)?(?: (?P<year>20\d\d))?", self._quarter
        yield rf"{lead}(?:{last}) quartals?", self._quarter_back(1)
        yield rf"{lead}(?:{this}) quartals?", self._quarter_back(0)
        yield rf"{lead}(?P<which>(?:{last}|{this}) )?{season}", self._season
        for which, back in ((last, 1), (this, 0)):
            yield rf"{lead}(?:{which}) woche", self._week(back)
            yield rf"{lead}(?:{which}) monats?", self._month_back(back)
            yield rf"{lead}{'(?<!im )' * back}(?:{which}) jahr(?:es)?", self._year(back)
        yield r"(?:im )?vorigen jahr", self._year(1)
        yield r"heuer|seit jahresbeginn", self._year(0)
        yield rf"(?:seit|ab)(?: dem| der)? {point}", self._since
        yield rf"vor(?: dem)? {point}", self._before
        yield rf"bis(?: zum)? {point}", self._until
        yield rf"(?:am |im |in |vom |von |des |für |aus )(?:den |dem |jahr )?{point}", self._at
        yield rf"((?!{'|'.join(self._weekday)}|\d{{1,2}}\.(?! ?\w))(?:{point[1:]})", self._at
