"""Make spans of what is found by the patterns for dates in plain questions, as seen on a day."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from dateutil.easter import easter
from dateutil.relativedelta import relativedelta

from bridge.domain.phrases import NUMBERS, WEEKDAYS
from bridge.query.span_words import FEASTS, HOLIDAYS, LONG_HOLIDAYS, MONTHS, QUARTERS, SEASONS, UNITS

DAY = timedelta(days=1)
LATELY_DAYS = 30  # our choice, which the answer says
Span = tuple[date | None, date | None]  # first and last date, both inside


def _feast(told: str | int, year: int) -> date:
    if isinstance(told, int):
        return easter(year) + told * DAY
    if told == "advent":
        christmas = date(year, 12, 25)
        return christmas - (christmas.isoweekday() + 21) * DAY
    return date.fromisoformat(f"{year}-{told}")


@dataclass(frozen=True)
class Readers:
    """Spans of single matches in a language, as seen on a day."""

    language: str
    today: date
    says_this_season: bool = False  # beside the last one, which then is that of the year before

    @property
    def _month(self) -> Mapping[str, int]:
        return {name: n for n, names in enumerate(MONTHS[self.language].split("|"), start=1) for name in names.split()}

    @property
    def _weekday(self) -> Mapping[str, int]:
        return {name: n for n, name in enumerate(WEEKDAYS[self.language].split(), start=1)}

    def _parting(self, text: str) -> str:
        if self.language == "en":
            then = r"(?:,? and|,? or|,? vs\.?)?,? (?:after|since)(?: it| that| then| this)?"
            if "before" in text and (found := re.search(rf"before (?P<at>{self._point()}){then}(?!\w)", text)):
                return rf"before (?P<at>{re.escape(found['at'])}){then}"
            both = r"before and after|before vs\.? after|after and before|after vs\.? before"
            return rf"(?:{both})(?: the)? (?P<at>{self._point()})"
        then = ",? und (?:danach|nachher|seitdem|seither)"
        if re.search(then, text) and (found := re.search(rf"vor (?:dem )?(?P<at>{self._point()}){then}(?!\w)", text)):
            return rf"vor (?:dem )?(?P<at>{re.escape(found['at'])}){then}"
        return rf"(?:vor und nach|nach und vor|vor und seit|vor vs\.? nach)(?: dem| der)? (?P<at>{self._point()})"

    def _before_that(self) -> str:
        number, unit = "|".join(NUMBERS[self.language].split()), "|".join(UNITS[self.language])
        if self.language == "en":
            some = rf"(?P<number>\d+|{number}) (?:(?P<unit>{unit}|nights) )?|time "
            return (
                r"(?:in )?the one before(?: that| it)?(?= *$)|"
                rf"(?:the )?(?:same |week |month |previous |preceding )?(?:{some})?"
                r"(?:before that|before it|before|prior|earlier)(?= *$)"
                rf"|the (?:previous|preceding|prior) (?:one|week|month|year|period|time)(?= *$)"
            )
        some = rf"(?P<number>\d+|{number}) (?:(?P<unit>{unit}|nächten?) )?"
        return rf"(?:in |zu )?(?:(?:die|den|der|dem) )?(?:{some}|zeit |woche |monat |jahr )?(?:davor|zuvor)(?= *$)"

    def number(self, word: str) -> int:
        """Return the number that digits or a word say."""
        return int(word) if word.isdecimal() else NUMBERS[self.language].split().index(word) + 1

    # The day, month or year at which a span begins or ends ------------------------------------------------------------

    def _point(self) -> str:
        month = "|".join(sorted(self._month, key=len, reverse=True))
        weekday = "|".join(self._weekday)
        holiday = "|".join(sorted(HOLIDAYS[self.language], key=len, reverse=True))
        if self.language == "en":
            return (
                rf"(?:{holiday})(?: 20\d\d)?|"
                rf"\d{{4}}-\d\d-\d\d|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{month})(?:,? 20\d\d)?|first of (?:{month})"
                rf"|(?:{month}) \d{{1,2}}(?:st|nd|rd|th)?(?:,? 20\d\d)?(?!\d)|(?:the )?\d{{1,2}}(?:st|nd|rd|th)"
                rf"|(?:{month})(?: 20\d\d)?|20\d\d|yesterday|today|{weekday}"
            )
        return (
            rf"(?:{holiday})(?: 20\d\d)?|"
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
        if (name := text.removesuffix(text[-5:]) if text[-4:].isdecimal() else text) in HOLIDAYS[self.language]:
            return self._holiday(name, int(text[-4:]) if name != text else None)
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            return (date.fromisoformat(text),) * 2
        numbers = [int(one) for one in re.findall(r"\d+", text.replace("first of", "1 of"))]
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

    def _holiday(self, name: str, year: int | None) -> tuple[date, date]:
        told = HOLIDAYS[self.language][name]

        at = _feast(told, year or self.today.year)
        return (at if year or at <= self.today else _feast(told, self.today.year - 1),) * 2

    def _stretch(self, match: re.Match[str]) -> Span:
        first, last = FEASTS[self.language][match["feast"]]
        year = self.today.year - (_feast(first, self.today.year) > self.today)
        return _feast(first, year), _feast(last, year)

    def _lately(self, _: re.Match[str]) -> Span:
        return self.today - (LATELY_DAYS - 1) * DAY, self.today

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

    def _until_end(self, match: re.Match[str]) -> Span | None:
        found = self._of(match[1])
        return None if found is None else (None, found[1])

    def _at(self, match: re.Match[str]) -> Span | None:
        if match[1].split(" 20")[0] in LONG_HOLIDAYS:
            return None
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

    def _since_season(self, match: re.Match[str]) -> Span | None:
        found = self._season(match)
        return None if found is None else (found[0], None)

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

    def _second(self, match: re.Match[str]) -> Span | None:
        """Return the night from one day to the next, which is of its day of waking."""
        found = self._of(match[2])
        return None if found is None or found[0] != found[1] else found

    def _beside(self, match: re.Match[str]) -> Span | None:
        """Return the week, or so many days or weeks, before or after a date."""
        found = self._of(match["point"])
        if found is None:
            return None
        unit = UNITS[self.language].get(match["unit"] or "", "weeks")
        length = relativedelta(**{unit: self.number(match["many"]) if match["many"] else 1})  # type: ignore[arg-type]
        if match["side"] in ("before", "vor"):
            return found[0] - length, found[0] - DAY
        return found[1] + DAY, found[1] + length

    def _half(self, match: re.Match[str]) -> Span | None:
        """Return the first or second half of a month, or of a year."""
        told = match.groupdict()
        second = told["half"].startswith(("sec", "zwei"))
        at = (told["at"] or told.get("year") or str(self.today.year)).removeprefix("des ")
        year = self.today.year if at in ("year", "jahres") else int(at) if at.isdecimal() else None
        if year is not None:
            return (date(year, 7, 1), date(year, 12, 31)) if second else (date(year, 1, 1), date(year, 6, 30))
        found = self._of(at)
        if found is None or found[0] == found[1] or (found[1] - found[0]).days > 31:
            return None
        middle = found[0].replace(day=15)
        return (middle + DAY, found[1]) if second else (found[0], middle)

    def _quarter_year(self, _: re.Match[str]) -> Span:
        return self.today - relativedelta(months=3) + DAY, self.today

    def _since_last_month(self, match: re.Match[str]) -> Span:
        return self._last_month_named(match)[0], None

    def _since_last(self, match: re.Match[str]) -> Span:
        unit = match["unit"]
        of = {"week": self._week, "woche": self._week, "month": self._month_back, "monat": self._month_back}
        return of.get(unit, self._year)(1)(match)[0], None

    def _next_weekday(self, match: re.Match[str]) -> Span:
        ahead = (self._weekday[match[1]] - self.today.isoweekday() - 1) % 7 + 1
        return (self.today + ahead * DAY,) * 2

    def _night_named(self, match: re.Match[str]) -> Span | None:
        found = self._of(next(one for one in match.groups() if one))
        return None if found is None or found[0] != found[1] else (found[0] + DAY,) * 2
