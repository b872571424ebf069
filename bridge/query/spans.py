"""Read spans of dates as people say them, in English and German: "last week", "vom 1. bis 15. Oktober".

Each pattern of ``span_patterns`` names the reader of its match.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from dateutil.relativedelta import relativedelta

from bridge.domain.phrases import NUMBERS, WEEKDAYS
from bridge.query.span_patterns import (
    FEASTS,
    HOLIDAYS,
    LONG_HOLIDAYS,
    MONTHS,
    ORDINALS,
    QUARTERS,
    SEASONS,
    UNITS,
    feast,
    patterns_of,
)

DAY = timedelta(days=1)
BEGUN = timedelta(days=14)  # our choice: a season of fewer days is not meant, but the one before
Span = tuple[date | None, date | None]  # first and last date, both inside


@dataclass(frozen=True)
class Dates:
    """Spans in the words of a language, as seen on a day."""

    language: str
    today: date
    says_this_season: bool = False  # beside the last one, which then is that of the year before

    def found(self, text: str) -> tuple[str, list[Span]]:
        """Return a text with each span replaced by ``§p`` and its number, and the spans."""
        seasons = "|".join(SEASONS[self.language])
        if re.search(rf"(?:this|diese[nrms]?) (?:{seasons})", text) and not self.says_this_season:
            return replace(self, says_this_season=True).found(text)
        spans: list[Span] = []
        text = self._patterns["same"].sub(" §same ", self._parted(text, spans))
        for pattern, name, *given in self._patterns["spans"]:
            if not pattern.search(text):
                continue  # most are not there, and some of their dates take a while
            read = getattr(self, f"_{name}")(*given) if given else getattr(self, f"_{name}")

            def marked(match: re.Match[str], read: Callable[[re.Match[str]], Span | None] = read) -> str:
                try:
                    span = read(match)
                except ValueError:  # no such day
                    span = None
                if span is None:
                    return match[0]
                spans.append((span[0], None) if match.groupdict().get("since") else span)
                return f" §p{len(spans) - 1} "

            text = pattern.sub(marked, text)
        return self._before_it(self._around_it(self._from_ends(text, spans), spans), spans), spans

    def _from_ends(self, text: str, spans: list[Span]) -> str:
        """Mark "since the end of last year" as the days from the last one of that span on."""

        def begun(match: re.Match[str]) -> str:
            at = int(match["at"])
            if last := spans[at][1]:
                spans[at] = last, None
            return f" §p{at} " if last else match[0]

        return re.sub(self._patterns["from_end"], begun, text)

    def now_of(self, last: Span) -> Span | None:
        """Return this week, month or year if a span is the last one, or else None."""
        whole: tuple[Callable[[int], Callable[..., Span]], ...] = (self._week, self._month_back, self._year)
        return next((of(0)(None) for of in whole if of(1)(None) == last), None)

    def _parted(self, text: str, spans: list[Span]) -> str:
        """Mark "before and after 1 June" as two spans."""

        def parted(match: re.Match[str]) -> str:
            at = self._of(match["at"])
            if at is None:
                return match[0]
            spans.extend([(at[0], None), (None, at[0] - DAY)])
            return " §p0 §p1 "

        return re.sub(rf"(?<!\w){self._parting(text)}(?!\w)", parted, text, count=1)

    def _around_it(self, text: str, spans: list[Span]) -> str:
        """Mark "before that and since" as a second span, if the text has one date."""
        around = self._patterns["around"].search(text)
        first = spans[0][0] if len(spans) == 1 else None
        if around is None or first is None:
            return text
        spans[:] = [(first, None), (None, first - DAY)]
        return f"{text[: around.start()]} §p1 {text[around.end() :]}"

    def _before_it(self, text: str, spans: list[Span]) -> str:
        """Mark "the two weeks before" as a second span, if the text has one span."""
        before = self._patterns["before_that"].search(text)
        first, last = spans[0] if len(spans) == 1 else (None, None)
        if len(spans) == 2:
            return self._weekday_before(text, spans)
        if first is None or (last is None and not (before and before["number"])):
            return text
        last = last or self.today
        if "§same" in text:
            year = relativedelta(years=1)
            spans.append((first - year, min(last, self.today) - year))
            return text.replace("§same", "§p1")
        if before is None:
            return text
        length = relativedelta(days=(last - first).days + 1)
        if before["number"]:
            unit = UNITS[self.language].get(before["unit"] or "days", "days")
            length = relativedelta(**{unit: self.number(before["number"])})  # type: ignore[arg-type]
        elif told := re.search(r"week|woche|month|monat", before[0]):
            length = relativedelta(weeks=1) if told[0] in ("week", "woche") else relativedelta(months=1)
        spans.append((first - length, first - DAY))
        return f"{text[: before.start()]} §p1 {text[before.end() :]}"

    def _weekday_before(self, text: str, spans: list[Span]) -> str:
        """Mark "yesterday or the Sunday before" with that Sunday, which is before the first day."""
        told = re.search(rf"(?P<span>§p[01]) +(?:{self._patterns['weekday_before']})(?= *$)", text)
        if told is None:
            return text
        at = int(told["span"][2:])
        (first, _), (day, last) = spans[1 - at], spans[at]
        if first is None or day is None or day != last:
            return text
        spans[at] = (first - ((first - day).days % -7 + 7) * DAY,) * 2
        return text[: told.end("span")] + text[told.end() :]

    @property
    def _patterns(self) -> Mapping[str, Any]:
        return patterns_of(self.language)

    @property
    def _month(self) -> Mapping[str, int]:
        return {name: n for n, names in enumerate(MONTHS[self.language].split("|"), start=1) for name in names.split()}

    @property
    def _weekday(self) -> Mapping[str, int]:
        return {name: n for n, name in enumerate(WEEKDAYS[self.language].split(), start=1)}

    def _parting(self, text: str) -> str:
        lead, then, both = self._patterns["parting"]
        point = self._patterns["point"]
        if re.search(then, text) and (found := re.search(rf"{lead}(?P<at>{point}){then}(?!\w)", text)):
            return rf"{lead}(?P<at>{re.escape(found['at'])}){then}"
        return f"{both} (?P<at>{point})"

    def number(self, word: str) -> int:
        """Return the number that digits or a word say."""
        return int(word) if word.isdecimal() else NUMBERS[self.language].split().index(word) + 1

    def _of(self, text: str) -> tuple[date, date] | None:
        """Return the first and last date of a day, month, season or year in words, at its latest start before today."""
        today, named = self.today, {"today": 0, "heute": 0, "yesterday": 1, "gestern": 1}
        named |= {"the day before yesterday": 2, "vorgestern": 2}
        if text in named:
            return (today - named[text] * DAY,) * 2
        if text in self._weekday:
            return (today - ((today.isoweekday() - self._weekday[text]) % 7 or 7) * DAY,) * 2
        if (name := text.removesuffix(text[-5:]) if text[-4:].isdecimal() else text) in HOLIDAYS[self.language]:
            return self._holiday(name, int(text[-4:]) if name != text else None)
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            return (date.fromisoformat(text),) * 2
        numbers = [int(one) for one in re.findall(r"\d+", text.replace("first of", "1 of"))]
        if any(31 < number <= 2000 for number in numbers):
            raise ValueError(text)
        year = next((number for number in numbers if number > 2000), None)
        days = [number for number in numbers if number <= 31]
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
        years = (year,) if year else (self.today.year - 1, self.today.year)
        days = [feast(one, of) for of in years for one in (told if isinstance(told, list) else [told])]
        return (max(day for day in days if year or day <= self.today),) * 2

    def _stretch(self, match: re.Match[str]) -> Span:
        first, last = FEASTS[self.language][match["feast"]]
        year = self.today.year - (feast(first, self.today.year) > self.today)
        return feast(first, year), feast(last, year)

    def _whole(self, year: int | None, month: int | None) -> tuple[date, date] | None:
        if month is None:
            return None if year is None else (date(year, 1, 1), date(year, 12, 31))
        year = year or (self.today.year if month <= self.today.month else self.today.year - 1)
        first = date(year, month, 1)
        return first, first + relativedelta(months=1) - DAY

    def _between(self, match: re.Match[str]) -> Span | None:
        first, last = match[1], match[2]
        found = self._of(last)
        if found is None or {first, last} <= self._weekday.keys():  # the last ones, or those of every week
            return None
        if re.fullmatch(r"\d{1,2}(?:st|nd|rd|th|\.)?", first):
            return found[0].replace(day=int(re.sub(r"\D", "", first))), found[1]
        begun = self._of(first)
        if begun and begun[0] > found[1] and not re.search(r"\d{4}", first):  # "from October to January"
            begun = (begun[0] - relativedelta(years=1), begun[1])
        return None if begun is None or begun[0] > found[1] else (begun[0], found[1])

    def _since(self, match: re.Match[str]) -> Span | None:
        return (found[0], None) if (found := self._of(match[1])) else None

    def _before(self, match: re.Match[str]) -> Span | None:
        return (None, found[0] - DAY) if (found := self._of(match[1])) else None

    def _until(self, match: re.Match[str]) -> Span | None:
        found = self._of(next(group for group in match.groups() if group))
        return (None, found[1]) if found is not None and found[0] == found[1] else None

    def _until_end(self, match: re.Match[str]) -> Span | None:
        return (None, found[1]) if (found := self._of(match[1])) else None

    def _at(self, match: re.Match[str]) -> Span | None:
        return None if match[1].split(" 20")[0] in LONG_HOLIDAYS else self._of(match[1])

    def _back(self, match: re.Match[str]) -> Span:
        count, unit = self.number(match[1]), UNITS[self.language][match[2]]
        return self.today - relativedelta(**{unit: count}) + DAY, self.today  # type: ignore[arg-type]

    def _ago(self, match: re.Match[str]) -> Span:
        night = any(one in match[0] for one in ("nights", "nächten"))
        return (self.today - (self.number(match[1]) - night) * DAY,) * 2

    def _long_ago(self, match: re.Match[str]) -> Span:
        """Return the thirty days that ended so long ago, which are compared with the last thirty."""
        many = 1 if match["many"] in ("a", "an", "einem") else self.number(match["many"] or "6")
        last = self.today - relativedelta(months=many * (12 if match["unit"] in ("year", "jahr") else 1))
        return last - 29 * DAY, last

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

    def _weekends(self, match: re.Match[str]) -> Span:
        return self._weekend(self.number(match[1]))(match)[0], self._weekend(1)(match)[1]

    def _past(self, count: int, unit: str) -> Callable[[re.Match[str]], Span]:
        return lambda _: (self.today - relativedelta(**{unit: count}) + DAY, self.today)  # type: ignore[arg-type]

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
        year, which = match["year"], match["which"] or ""
        first = date(int(year or self.today.year), SEASONS[self.language][match["season"]], 1)
        this = which.startswith(("this", "dies"))
        if not year and first > self.today:
            if this:
                return None  # that one has not begun
            first -= relativedelta(years=1)
        begun = self.today - first < BEGUN and not (year or this or match.groupdict().get("since"))
        if begun or (which.startswith(("last", "letzt", "vorig", "vergang")) and self.says_this_season):
            first -= relativedelta(years=1)
        return first, first + relativedelta(months=3) - DAY

    def _last_weekday(self, match: re.Match[str]) -> Span:
        return (self.today - ((self.today.isoweekday() - self._weekday[match[1]] - 1) % 7 + 1) * DAY,) * 2

    def _night_back(self, back: int) -> Callable[[re.Match[str]], Span]:
        return lambda _: (self.today - back * DAY,) * 2

    def _weekday_of_last_week(self, match: re.Match[str]) -> Span:
        name = next(group for group in match.groups() if group)
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
        month = self._month[match["month"]]
        first = date(self.today.year - (month >= self.today.month), month, 1)
        return first, first + relativedelta(months=1) - DAY

    def _second(self, match: re.Match[str]) -> Span | None:
        """Return the night "from Monday to Tuesday" as the day on which it ends."""
        found = self._of(match[2])
        if found is None or found[0] != found[1]:
            return None
        before = found[0] - DAY
        same = match[1].rstrip(".") == str(before.day) or self._weekday.get(match[1]) == before.isoweekday()
        return found if same or self._of(match[1]) == (before, before) else None

    def _beside(self, match: re.Match[str]) -> Span | None:
        """Return "two weeks after 1 June" or "the week before Easter" as a span."""
        found = self._of(match["point"])
        if found is None:
            return None
        unit = UNITS[self.language].get(match["unit"] or "", "weeks")
        length = relativedelta(**{unit: self.number(match["many"]) if match["many"] else 1})  # type: ignore[arg-type]
        if match["side"] in ("before", "vor"):
            return found[0] - length, found[0] - DAY
        if match["side"] not in ("after", "nach"):
            return found[1] + DAY - length, found[1]
        return found[1] + DAY, found[1] + length

    def _half(self, match: re.Match[str]) -> Span | None:
        """Return the first or second half of a month or year."""
        told = match.groupdict()
        second = told["half"].startswith(("sec", "zwei"))
        at = (told["at"] or told.get("month") or told.get("year") or str(self.today.year)).removeprefix("des ")
        year = self.today.year if at in ("year", "jahres") else int(at) if at.isdecimal() else None
        if year is not None:
            return (date(year, 7, 1), date(year, 12, 31)) if second else (date(year, 1, 1), date(year, 6, 30))
        found = self._of(at)
        if found is None or found[0] == found[1] or (found[1] - found[0]).days > 31:
            return None
        middle = found[0].replace(day=15)
        return (middle + DAY, found[1]) if second else (found[0], middle)

    def _part(self, match: re.Match[str]) -> Span | None:
        """Return the early, middle or late days of a month."""
        found = self._of(match["point"])
        if found is None or found[0] == found[1]:
            return None
        told = match["part"].split()[0]
        if match["since"] and told in ("end", "ende"):
            return found[1], None  # the days from the last one on, and none of those that come before it
        first = {"mid": 10, "middle": 10, "mitte": 10, "late": 20, "end": 20, "ende": 20}.get(told, 0)
        first = 14 if match["since"] and first == 10 else first
        begun = found[0] + first * DAY
        return begun, found[1] if first == 20 else begun + 9 * DAY

    def _week_in(self, match: re.Match[str]) -> Span | None:
        """Return the first, second, third or last seven days of a month."""
        told = match.groupdict()
        found = self._of(told["point"] or told["month"])
        if found is None:
            return None
        at = next((n for n, one in enumerate(ORDINALS[self.language]) if match["which"].startswith(one)), None)
        first = found[1] - 6 * DAY if at is None else found[0] + 7 * at * DAY
        return first, first + 6 * DAY

    def _half_now(self, _: re.Match[str]) -> Span:
        first = self.today.replace(month=1 if self.today.month <= 6 else 7, day=1)
        return first, first + relativedelta(months=6) - DAY

    def _next_weekday(self, match: re.Match[str]) -> Span:
        ahead = (self._weekday[match[1]] - self.today.isoweekday() - 1) % 7 + 1
        return (self.today + ahead * DAY,) * 2

    def _night_named(self, match: re.Match[str]) -> Span | None:
        found = self._of(next(group for group in match.groups() if group))
        return None if found is None or found[0] != found[1] else (found[0] + DAY,) * 2
