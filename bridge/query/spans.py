"""Read spans of dates as people say them, in English and German: "last week", "vom 1. bis 15. Oktober"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache

from dateutil.relativedelta import relativedelta

from bridge.domain.phrases import NUMBERS
from bridge.query.span_readers import DAY, Readers, Span
from bridge.query.span_words import FEASTS, QUARTERS, SEASONS, UNITS

__all__ = ["DAY", "Dates", "Span", "compiled"]


compiled = cache(re.compile)  # more patterns than ``re`` keeps
SAME = {
    "en": r"(?:with |than |to )?(?:in )?the same (?:month|week|period|time|span)"
    r"(?: of| in)?(?: the)? (?:last|previous) year",
    "de": r"(?:im |zum |in der )?(?:gleichen?|selben?) (?:monat|woche|zeitraum|zeit) (?:des |im )?"
    r"(?:letzt|vorig|vergangen)e[ns] jahr(?:es)?|(?:im |zum )?vorjahresmonat|(?:im )?vorjahreszeitraum",
}
AROUND = {
    "en": r"before (?:that|it|then) (?:and|or|vs\.?|versus) (?:since|after(?:wards)?)(?: (?:that|it|then))?"
    r"|before and (?:since|after|afterwards)(?: (?:that|it|then))?",
    "de": "davor und (?:danach|seitdem|seither)|vorher und (?:nachher|danach|seitdem|seither)",
}


@dataclass(frozen=True)
class Dates(Readers):
    """Spans in the words of a language, as seen on a day."""

    def found(self, text: str) -> tuple[str, list[Span]]:
        """Return the text with each span replaced by ``§p`` and its number, and the spans."""
        seasons = "|".join(SEASONS[self.language])
        if re.search(rf"(?:this|diese[nrms]?) (?:{seasons})", text) and not self.says_this_season:
            return replace(self, says_this_season=True).found(text)
        spans: list[Span] = []
        text = re.sub(rf"(?<!\w)(?:{SAME[self.language]})(?!\w)", " §same ", self._parted(text, spans))
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

            text = compiled(rf"(?<!\w)(?:{pattern})(?!\w)").sub(marked, text)
        return self._before_it(self._around_it(text, spans), spans), spans

    def now_of(self, last: Span) -> Span | None:
        """Return this week, month or year for the last one, or None for another span."""
        whole: tuple[Callable[[int], Callable[..., Span]], ...] = (self._week, self._month_back, self._year)
        return next((of(0)(None) for of in whole if of(1)(None) == last), None)

    def _parted(self, text: str, spans: list[Span]) -> str:
        """Mark the spans from a date on and before it, which "before and after 1 June" says."""

        def parted(match: re.Match[str]) -> str:
            at = self._of(match["at"])
            if at is None:
                return match[0]
            spans.extend([(at[0], None), (None, at[0] - DAY)])
            return " §p0 §p1 "

        return re.sub(rf"(?<!\w){self._parting(text)}(?!\w)", parted, text, count=1)

    def _around_it(self, text: str, spans: list[Span]) -> str:
        """Mark "before that and since", where one date is told."""
        around = re.search(rf"(?<!\w)(?:{AROUND[self.language]})(?!\w)", text)
        first = spans[0][0] if len(spans) == 1 else None
        if around is None or first is None:
            return text
        spans[:] = [(first, None), (None, first - DAY)]
        return f"{text[: around.start()]} §p1 {text[around.end() :]}"

    def _before_it(self, text: str, spans: list[Span]) -> str:
        """Mark "the two weeks before", where one span is told."""
        before = re.search(rf"(?<!\w){self._before_that()}(?!\w)", text)
        first, last = spans[0] if len(spans) == 1 else (None, None)
        if first is None or last is None:
            return text
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

    def _patterns(self) -> Iterator[tuple[str, Callable[[re.Match[str]], Span | None]]]:
        yield "(?:on )?(the day before yesterday)", self._at
        feast = "|".join(FEASTS[self.language])
        yield rf"(?:during |in |over |im |in der |während der )?(?P<feast>{feast})", self._stretch
        yield (
            "lately|(?<!most )recently|these days|of late|zurzeit|in letzter zeit|neuerdings|dieser tage",
            self._lately,
        )
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
        some = rf"(?:week|(?P<many>{number[1:-1]}) (?P<unit>days|weeks))"
        yield rf"{lead}the {some} (?P<side>before|after) (?:the )?(?P<point>{point[1:-1]})", self._beside
        month = f"({'|'.join(sorted(self._month, key=len, reverse=True))})"
        yield (
            rf"(?:in |during |for |of )?(?:the )?night (?:from|between|of) {point} (?:to|and|on) {point}",
            self._second,
        )
        yield (
            rf"{lead}(?:the )?(?P<half>first|second) half of (?:the |this )?(?P<at>year|{point[1:-1]})",
            self._half,
        )
        yield rf"(?:from |between )?{point[:-1]}|\d{{1,2}}) ?(?:to|until|till|through|-|–) ?{point}", self._between
        yield rf"(?:from|between) {point[:-1]}|\d{{1,2}}) and {point}", self._between
        yield rf"{lead}(?:(?:the|my|these) )?(?:last|past|previous) {number} {unit}", self._back
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
        yield "(?:on |early |of )?this morning|earlier today|so far today|today so far", self._night_back(0)
        yield rf"since last {month}", self._since_last_month
        yield rf"since (?P<which>last )?(?:the )?{season}", self._since_season
        yield "(?:for|of) the month", self._month_back(0)
        yield "(?:for|of) the week", self._week(0)
        yield r"since last (?P<unit>week|month|year)", self._since_last
        yield r"month to date|mtd", self._month_back(0)
        yield "(?:on |for |of )?tomorrow", self._night_back(-1)
        for one in ("next", "the coming", "the next"):
            yield rf"(?:in |for |over |during )?{one} week", self._week(-1)
            yield rf"(?:in |for |over |during )?{one} month", self._month_back(-1)
        yield rf"(?:on )?next {weekday}", self._next_weekday
        yield (
            (
                r"(?:of |for |from )?last (?:night|nite)(?:'s)?(?! (?:with|that|when|under|below|over))"
                r"|tonight|(?:in |of |for )?the last night|this night"
            ),
            self._night_back(0),
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
            yield rf"{lead}the (?:last|past) {one}|{lead}(?:this )?past {one}", self._past(f"{one}s")
        yield rf"{lead}(?:the )?last {month}", self._last_month_named
        yield rf"(?:ever )?(?:since|starting|from)(?: the)? {point}(?: on(?:wards)?)?", self._since
        yield f"before {point}", self._before
        yield rf"(?:until|till|up to) (?:the )?end of {point}", self._until_end
        yield rf"(?:until|till|up to) {point}", self._until
        yield (
            (
                rf"(?<!\dst )(?<!\dnd )(?<!\drd )(?<!\dth )(?:on |in |during |of |for |from )(?:the )?{point}(?:'s)?"
                r"(?! (?:nights|mornings|evenings))"
            ),
            self._at,
        )
        bare = rf"{'|'.join(self._weekday)}|the \d|\d{{1,2}}(?:st|nd|rd|th)(?!\w)(?! of)|(?:may|march)\b(?! \d| vs)"
        yield rf"((?!{bare})(?:{point[1:]})(?:'s)?", self._at

    def _german(self) -> Iterator[tuple[str, Callable[[re.Match[str]], Span | None]]]:
        point, weekday, number, unit, season, quarter = self._parts()
        some = rf"(?:der woche|den (?P<many>{number[1:-1]}) (?P<unit>tagen|wochen))"
        yield rf"in {some} (?P<side>vor|nach) (?:dem |der )?(?P<point>{point[1:-1]})", self._beside
        yield (
            rf"(?:(?:vom|von|zwischen|zwischen dem) )?{point[:-1]}|\d{{1,2}}\.?) ?(?:bis|-|–) ?(?:zum |dem )?{point}",
            self._between,
        )
        yield rf"(?:zwischen|zwischen dem) {point[:-1]}|\d{{1,2}}\.?) und (?:dem )?{point}", self._between
        lead = "(?:in |über |während |der |den |die |aus |von |des |im |für )*"
        last = "letzte[nrms]?|vergangene[nrms]?|vorige[nrms]?"
        this = "diese[nrms]?|laufende[nrms]?|aktuelle[nrms]?"
        yield (
            (
                rf"{lead}nacht (?:vom|von|zwischen) (?:dem )?{point[:-1]}|\d{{1,2}}\.)"
                rf" (?:auf|zu|zum|und|bis) (?:den |dem )?{point}"
            ),
            self._second,
        )
        yield (
            (
                rf"{lead}(?P<half>erste|zweite)[ns]? (?:hälfte (?:des |vom )?(?P<at>jahres|{point[1:-1]})"
                r"|halbjahr(?:es)?(?: (?P<year>20\d\d))?)"
            ),
            self._half,
        )
        yield rf"{lead}(?:letzten|vergangenen|letzte|vorigen) {number} {unit}", self._back
        yield rf"{lead}(?:letzte[snm]?|vergangene[snm]?) halbjahr(?:es)?|seit einem halben jahr", self._half_year
        yield rf"{lead}(?:letzte[snm]?|vergangene[snm]?) vierteljahr(?:es)?", self._quarter_year
        yield (
            "(?:seit )?heute (?:früh|morgen|vormittag)|heut(?: früh)?|heute bis jetzt|bis jetzt heute|bisher heute",
            self._night_back(0),
        )
        yield r"seit (?:der )?(?:letzte[rmn]|vorige[rmn]) (?P<unit>woche|monat|jahr)", self._since_last
        yield (
            "(?:von |für )?(?<!am )(?<!jeden )(?<!gestern )(?<!guten )(?<!den )(?<!frühen )morgen",
            self._night_back(-1),
        )
        yield rf"{lead}(?:nächste[nr]?|kommende[nr]?) woche", self._week(-1)
        yield rf"{lead}(?:nächste[nrms]*|kommende[nrms]*) monats?", self._month_back(-1)
        yield rf"(?:am )?(?:nächsten|kommenden) {weekday}", self._next_weekday
        yield rf"seit (?P<which>letzte[nrm] )?(?:dem )?{season}", self._since_season
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
        yield (
            (
                "(?:in der |von der |der |diese |von )?(?:letzte[nr]?|vergangene[nr]?|heute|heut|diese) nacht"
                "(?! (?:mit|in der|wo|unter|über))"
            ),
            self._night_back(0),
        )
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
        yield r"(?:im )?vorigen jahr|im vergangenen jahr|des vergangenen jahres|im vorjahr|vorjahr", self._year(1)
        yield r"im vormonat|vormonat|des vormonats", self._month_back(1)
        yield r"in der vorwoche|vorwoche|der vorwoche", self._week(1)
        yield r"heuer|(?:im |in diesem )?heurigen jahr(?:es)?|seit jahresbeginn", self._year(0)
        yield rf"(?:seit|ab)(?: dem| der)? {point}", self._since
        yield rf"vor(?: dem)? {point}", self._before
        yield rf"bis(?: zum)? ende(?: des)? {point}", self._until_end
        yield rf"bis(?: zum)? {point}", self._until
        yield rf"(?:am |im |in |vom |von |des |für |aus )(?:den |dem |jahr )?{point}", self._at
        yield rf"((?!{'|'.join(self._weekday)}|\d{{1,2}}\.(?! ?\w))(?:{point[1:]})", self._at
