"""Read the days on which a wish holds, such as "until May" and "every other Friday", and take them out of its text."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import cache, partial
from pathlib import Path
from typing import Any

from bridge.domain.occasions import MONTHS, WEEK, Occasion
from bridge.domain.phrases import WEEKDAYS
from bridge.wishes.hours import NotUnderstood

DAY = timedelta(days=1)
SEASONS = ({3, 4, 5}, {6, 7, 8}, {9, 10, 11}, {12, 1, 2})
CHRISTMAS, NEW_YEAR = (12, 24), (1, 1)
FEASTS = {  # by the words for them, of which Christmas is of several days; see {feast} of the patterns
    r"christmas eve|heilig(?:er |en |)abend": CHRISTMAS,
    r"new year(?:'?s)? eve|silvester": (12, 31),
    r"christmas day|first christmas day|(?:ersten? )?weihnachts(?:feier)?tag": (12, 25),
    r"boxing day|zweiten? weihnachts(?:feier)?tag": (12, 26),
    r"st\.? nicholas(?:'s?)? day|nikolaus(?:tag)?": (12, 6),
    r"halloween": (10, 31),
    r"valentine'?s day|valentinstag": (2, 14),
    r"christmas|weihnachten": CHRISTMAS,
    r"new year(?:'?s day)?|neujahr": NEW_YEAR,
}
EXCEPT = re.compile(
    r"\b(?:except|excepting|excluding|apart from|other than|unless|but not|außer|ausgenommen|bis auf|aber nicht)"
    r"(?: (?:for|on|in|at|am|an|im|in der))?[, ]*$"
)
LONG_YEAR = 53  # weeks, after which an even or odd week follows one
SPANS = (
    *("this_weekend", "this_week", "next_week", "this_month", "next_month"),
    *("rest_month", "rest_year", "today", "overmorrow", "tomorrow", "between", "christmas"),
)
Words = Mapping[str, Any]


def occasion(text: str, language: str, today: date) -> tuple[str, Occasion | None]:
    """Return a text in lower case without the days on which its wish holds, and these days, or None for all days.

    Raises NotUnderstood if the text names such days twice.
    """
    words, rest = _words(language), text.lower().replace("’", "'")
    rest = _written(words["short_month"].sub(partial(_in_full, words=words), rest), words["also"])
    rest = words["from_day"].sub(partial(_from_day, words=words, today=today), rest)
    rest = words["dated"].sub(partial(_by_date, words=words, today=today), rest)
    found: dict[str, Any] = {}
    for name, pattern in words["patterns"]:
        if name in ("until_day", "since_day") and len(words["weekday"].findall(rest)) > 1:
            continue  # "Monday until Friday"
        for told in reversed(list(pattern.finditer(rest))):
            given = _given(name, told, words, today)
            if given.keys() & found.keys() or EXCEPT.search(rest[: told.start()]):
                raise NotUnderstood  # also "except the first Saturday of the month"
            found |= given
            between = told[0][0] == "," and rest[told.end() :][:1] == " "  # a reason and "this week no sport"
            joint = "," if between else ""
            rest = rest[: told.start()] + joint + _left(name, told, words) + rest[told.end() :]
    if not found:
        return text, None
    found = _counted(found)
    rest = re.sub(r"^[ ,;:]+|\s+(?=[ ,.;])", "", rest).strip(" .!")
    alone = found.get("since") == found.get("until") is not None and re.fullmatch(words["day_off"], rest)
    rest = written_out("off" if alone and language == "en" else "frei" if alone else rest, language)
    try:
        return rest, Occasion(**found)
    except ValueError:
        raise NotUnderstood from None


def written_out(text: str, language: str) -> str:
    """Return "never work" for the "off" or "no work" that is left of a text without its days."""
    words = _words(language)
    return re.sub(words["none"], words["never"], _written(text, words["alone"]))


def _by_date(told: re.Match[str], words: Words, today: date) -> str:
    """Return "on the 11th" for "Friday 11th". Raises NotUnderstood for another weekday than that of the date."""
    day, days = _date(told, words, today, last=False), WEEKDAYS[words["language"]].split()
    if _group(told, "d") and not days[day.weekday()].startswith(_group(told, "w") or ""):
        raise NotUnderstood
    lead = _group(told, "lead") or ("on " if words["language"] == "en" else "am ")
    return lead + (_group(told, "rest") or "")


def _from_day(told: re.Match[str], words: Words, today: date) -> str:
    """Return "from 2 december" for "from tomorrow"."""
    day = today + (told["d"] in ("tomorrow", "morgen")) * DAY
    return f"{told['lead']} {day.day}{'.' * (words['language'] == 'de')} {words['names'][day.month - 1]}"


def _in_full(told: re.Match[str], words: Words) -> str:
    """Return a month such as "dec" or "Dez." by its whole name."""
    months: Mapping[str, set[int]] = words["of_months"]
    short = (_group(told, "m") or "")[:3]
    return next(name for name, of in months.items() if len(of) == 1 and name.startswith(short))


def days_of(text: str, today: date) -> tuple[date | None, date | None]:
    """Return the first and the last day that a text names, in English or German."""
    for language in WEEKDAYS:
        try:
            when = occasion(text, language, today)[1]
        except NotUnderstood:
            continue
        if when is not None and when.every == 1:
            return when.since, when.until
    return None, None


def _counted(found: dict[str, Any]) -> dict[str, Any]:
    """Return the days of "every other week from May on" with its weeks counted from May."""
    begin, since, until = found.pop("begin", None), found.get("since"), found.get("until")
    if (begin and "every" not in found) or (begin and since):
        raise NotUnderstood
    start = begin or since
    if "every" not in found or start is None:
        return found
    if since and until and until - since < found["every"] * WEEK:
        raise NotUnderstood  # "every other Friday this week"
    return {**found, "first": _monday(start)}


def _written(text: str, patterns: Sequence[Sequence[str]]) -> str:
    for pattern, plain in patterns:
        text = re.sub(pattern, plain, text)
    return text


@cache
def _words(language: str) -> Words:
    said = tomllib.loads((Path(__file__).parent / "occasions.toml").read_text("utf-8"))[language]
    others = dict(one.split("=") for one in said["other_seasons"].split())
    months = {name: {at} for at, name in enumerate(said["months"].split(), 1)}
    months |= dict(zip(said["seasons"].split(), SEASONS, strict=True))
    months |= {name: months[same] for name, same in others.items()}
    seasons = [name for name, of in months.items() if len(of) > 1]
    named = {"MONTHS": "|".join(name for name in months if name not in seasons), "SEASONS": "|".join(seasons)}
    named["FEASTS"] = "|".join(FEASTS)
    patterns = []
    for name in (
        "begin",
        "nth",
        "every",
        "in_weeks",
        *("even", "odd", "range"),
        *SPANS,
        "for_days",
        "this_day",
        "until_day",
        "since_day",
        "until",
        "since",
        "in_months",
        *("both", "on_date", "dated", "date"),
    ):
        for one in _apart(said[name].replace("{at}", f"(?:{said['at']})").replace("{day}", said["day"])):
            for key, value in named.items():
                one = one.replace(key, value)
            patterns.append((name, re.compile(one)))
    cut = "|".join(sorted({name[:size] for name in named["MONTHS"].split("|") for size in (3, 4)}))
    after = r"(?:(?<=\d )|(?<=\d\. )|(?<=\d(?:st|nd|rd|th) )|(?<=\b(?:in|im) ))"
    before = r"(?= \d{1,2}(?:st|nd|rd|th)?(?=$|[,;.)–-]| (?!times|x\b|[ap]m)))"
    short_month = re.compile(rf"{after}(?P<m1>{cut})\b\.?" + rf"|\b(?P<m2>{cut})\.?{before}" * (language == "en"))
    numbers = {name: int(n) for name, n in (one.split("=") for one in said["numbers"].split())}
    short = {"en": 3, "de": 2}[language]  # letters, by which no other word is taken for a day
    named_days = "|".join(name[:short] for name in WEEKDAYS[language].split())
    weekday = re.compile(rf"\b(?:{said['day']}|{named_days})\b")
    found = {
        "patterns": patterns[:-2],
        **dict(patterns[-2:]),
        "of_months": months,
        "of_numbers": numbers,
        "weekday": weekday,
        "short_month": short_month,
        "language": language,
        "names": said["months"].split(),
        "from_day": re.compile(said["from_day"]),
    }
    return {**said, **found}


def _apart(pattern: str) -> Iterator[str]:
    seen: dict[str, int] = {}

    def named(found: re.Match[str]) -> str:
        seen[found[1]] = seen.get(found[1], 0) + 1
        return f"(?P<{found[1]}{seen[found[1]]}>"

    yield re.sub(r"\(\?P<(\w+)>", named, pattern)


def _group(told: re.Match[str], name: str) -> str | None:
    return next((value for key, value in told.groupdict().items() if key.rstrip("0123456789") == name and value), None)


def _left(name: str, told: re.Match[str], words: Words) -> str:
    """Return the words to keep in place of the days: "every other friday" becomes "on friday"."""
    if name == "in_weeks":
        return f"{_group(told, 'rest') or ''}{words['weekly']}{_group(told, 'more') or ''}"
    day = _group(told, "day")
    of_week = day is not None and day not in ("week", "woche")
    return str(words["on_day"]).replace(r"\1", day or "") if of_week else ""


def _given(name: str, told: re.Match[str], words: Words, today: date) -> dict[str, Any]:
    counted = _group(told, "n") or ""
    number = words["of_numbers"].get(counted) or (int(counted) if counted.isdecimal() else 2)
    match name:
        case "nth":
            return {"nth": frozenset({number})}
        case "every" | "in_weeks":
            return {"every": number, "first": _monday(today)}
        case "begin":
            return {"begin": _monday(today) + bool(_group(told, "next")) * WEEK}
        case "for_days":
            unit = (_group(told, "u") or "")[0]
            days = {"d": 1, "t": 1, "w": 7, "m": 30}[unit] * number
            return {"since": today, "until": today + (days - 1) * DAY}
        case "in_months":
            return _in_months(told, words, today)
        case "this_day" | "until_day" | "since_day":
            at = WEEKDAYS[words["language"]].split().index(_group(told, "w") or "")
            day = today + ((at - today.weekday()) % WEEK.days) * DAY
            day += (day == today and bool(re.search("coming|komm", told[0]))) * WEEK
            if name == "since_day":
                return {"since": day + (day == today) * WEEK}
            return {"until": day, **({"since": day} if name == "this_day" else {})}
        case "until" | "since":
            return {name: _date(told, words, today, last=name == "until")}
    return _of_calendar(name, told, words, today)


def _in_months(told: re.Match[str], words: Words, today: date) -> dict[str, Any]:
    """Return the coming or present month, but the months of every year for a season, and where it is so told."""
    named = [one for one in (_group(told, "m"), _group(told, "n")) if one]
    months = [words["of_months"][one] for one in named]
    if _group(told, "yearly") or {len(month) for month in months} != {1}:
        return {"months": frozenset().union(*months) & MONTHS}
    first, last = (min(months[at]) for at in (0, -1))
    if (last - first) % max(MONTHS) > 1:
        return {"months": frozenset({first, last})}
    year = today.year + (first < today.month)
    after = date(year + (last < first) + (last == max(MONTHS)), last % max(MONTHS) + 1, 1)
    return {"since": max(date(year, first, 1), today), "until": after - DAY}


def _of_calendar(name: str, told: re.Match[str], words: Words, today: date) -> dict[str, Any]:
    match name:
        case "even" | "odd":
            return _weeks(_monday(today), odd=name == "odd")
        case "range" | "both":
            return _range(name, told, words, today)
        case "on_date":
            if _group(told, "d") is None and _group(told, "x") in (None, "christmas", "weihnachten"):
                raise NotUnderstood  # "on Christmas": on which days?
            day = _date(told, words, today, last=False)
            return {"since": day, "until": day}
    low, high = _span(name, today)
    return {"since": low, "until": high}


def _weeks(monday: date, *, odd: bool) -> dict[str, Any]:
    """Return the even or odd weeks of the calendar, until two such weeks follow each other."""
    first = monday + (monday.isocalendar().week % 2 != odd) * WEEK
    year = first.isocalendar().year
    while (last := date(year, 12, 28)).isocalendar().week != LONG_YEAR:
        year += 1
    return {"every": 2, "first": first, "until": last + (6 - last.weekday()) * DAY}


def _range(name: str, told: re.Match[str], words: Words, today: date) -> dict[str, Any]:
    """Return the days of "from 3 to 8 January", whose first date has the month of the last one."""
    ends = [words["date"].fullmatch(_group(told, one) or "") for one in ("low", "high")]
    begin, end = (one if one and any(_group(one, key) for key in "mkx") else None for one in ends)
    low, high = (int(re.sub(r"\D", "", _group(told, one) or "") or 0) for one in ("low", "high"))
    last = end is not None and _group(end, "d") is None and _group(end, "x") is None
    since = begin and _date(begin, words, today, last=False)
    try:
        until = _date(end, words, today, last=last) if end else since.replace(day=high) if since else None
        until = until or _numbered(high, today)
        month = until if low <= until.day else until.replace(day=1) - DAY
        since = since or month.replace(day=low)
    except ValueError:
        raise NotUnderstood from None
    since = since.replace(year=since.year - 1) if since > until else since
    if name == "both" and until - since != (2 if _group(told, "mid") else 1) * DAY:
        raise NotUnderstood  # "on the 10th and the 17th"
    return {"since": since, "until": until}


def _monday(day: date) -> date:
    return day - day.weekday() * DAY


def _span(name: str, today: date) -> tuple[date, date]:
    monday, first = _monday(today), today.replace(day=1)
    following = (first + 32 * DAY).replace(day=1)
    christmas = date(today.year, *CHRISTMAS)
    return {
        "this_weekend": (max(today, monday + 5 * DAY), monday + 6 * DAY),
        "this_week": (today, monday + 6 * DAY),
        "next_week": (monday + WEEK, monday + WEEK + 6 * DAY),
        "this_month": (today, following - DAY),
        "rest_month": (today, following - DAY),
        "rest_year": (today, date(today.year, 12, 31)),
        "next_month": (following, (following + 32 * DAY).replace(day=1) - DAY),
        "today": (today, today),
        "overmorrow": (today + 2 * DAY, today + 2 * DAY),
        "tomorrow": (today + DAY, today + DAY),
        "christmas": (christmas, christmas + 2 * DAY),
        "between": (christmas, date(today.year + 1, *NEW_YEAR)),
    }[name]


def _date(told: re.Match[str], words: Words, today: date, *, last: bool) -> date:
    """Return the date of "1 October", "the 20th" or the first day of "May", or the day before that if ``last``."""
    day, month, season = _group(told, "d"), _group(told, "m"), _group(told, "x")
    if season is not None:
        feast = next(day for named, day in FEASTS.items() if re.fullmatch(named, season))
        return _next(*feast, today) - (last and feast == NEW_YEAR) * DAY
    if day is not None:
        if month is None and (of_year := _group(told, "k")) is None:
            return _numbered(int(day), today)
        return _next(min(words["of_months"][month]) if month else int(of_year or 1), int(day), today)
    months = words["of_months"][month]
    begin = 12 if 12 in months else min(months)
    if _group(told, "end"):
        at = _next(begin, 28, today)
        return (at.replace(day=1) + (31 * len(months) + 1) * DAY).replace(day=1) - DAY
    at = _next(begin, 1, today)
    return at - DAY if last else at


def _numbered(day: int, today: date) -> date:
    """Return the next 24th, which may be today."""
    return next((one for one in (today + n * DAY for n in range(62)) if one.day == day), today)


def _next(month: int, day: int, today: date) -> date:
    """Return the next date after today with this month and day. Raises NotUnderstood if there is none."""
    for year in (today.year, today.year + 1):
        try:
            at = date(year, month, day)
        except ValueError:
            continue
        if at > today:
            return at
    raise NotUnderstood
