"""Load the words and patterns of spans of dates from ``spans.toml``, each pattern with the name of its reader."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from functools import cache
from importlib import resources
from typing import Any

from dateutil.easter import easter

from bridge.domain.phrases import NUMBERS, WEEKDAYS

TOLD = tomllib.loads((resources.files("bridge.query") / "spans.toml").read_text(encoding="utf-8"))
MONTHS, ORDINALS, UNITS, SEASONS, QUARTERS, HOLIDAYS, FEASTS = (
    {language: words[name] for language, words in TOLD["words"].items() if language != "long"}
    for name in ("months", "ordinals", "units", "seasons", "quarters", "holidays", "feasts")
)
LONG_HOLIDAYS = TOLD["words"]["long"]  # of several days


def feast(told: str | int, year: int) -> date:
    """Return the date of a feast in a year, told as a month and day or as days after Easter Sunday."""
    if isinstance(told, int):
        return easter(year) + timedelta(told)
    if told == "advent":
        christmas = date(year, 12, 25)
        return christmas - timedelta(christmas.isoweekday() + 21)
    name, _, month = told.partition("-")
    if name == "sunday":  # the last one of a month, on which the clocks change
        last = date(year, int(month), 31)
        return last - timedelta(last.isoweekday() % 7)
    return date.fromisoformat(f"{year}-{told}")


@cache
def patterns_of(language: str) -> Mapping[str, Any]:
    """Return the compiled patterns of a language by their names; "spans" are those with a reader."""
    said = TOLD[language]
    words = {
        "HOLIDAY": _longest(HOLIDAYS[language]),
        "MONTH": _longest(MONTHS[language].replace("|", " ").split()),
        "WEEKDAY": "|".join(WEEKDAYS[language].split()),
        "NUMBER": "|".join(NUMBERS[language].split()),
        "UNIT": "|".join(UNITS[language]),
        "FEAST": "|".join(FEASTS[language]),
        "SEASON": rf"(?P<season>{'|'.join(SEASONS[language])})(?: (?P<year>20\d\d))?",
        "QUARTER": f"(?P<number>{'|'.join(map(re.escape, QUARTERS[language]))})",
        **{name: text for name, text in said.items() if name.isupper()},
    }

    def written(pattern: str) -> str:
        return re.sub("|".join(words), lambda found: words[found[0]], pattern)

    words["POINT"] = written(said["POINT"])
    before_that = re.compile(rf"(?<!\w){written(said['before_that'])}(?!\w)")
    words |= {"NUMBER": rf"\d{{1,4}}|{words['NUMBER']}", "UNIT": _longest(UNITS[language])}
    spans = [(_apart(written(pattern)), *read) for pattern, *read in (*TOLD["any"], *said["spans"])]
    beside = {name: _apart(said[name]) for name in ("same", "around")}
    beside["of_year"] = _apart(written(said["of_year"]))
    return {**said, **beside, "point": words["POINT"], "before_that": before_that, "spans": spans}


def with_year(text: str, language: str, today: date) -> str:
    """Return a text with "november 2025" for "november last year"."""
    of_year = patterns_of(language)["of_year"]
    return of_year.sub(lambda m: f"{m['at']} {today.year - (not m['year'].startswith(('this', 'dies')))}", text)  # type: ignore[no-any-return]


def _apart(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{pattern})(?!\w)")


def _longest(names: Iterable[str]) -> str:
    return "|".join(sorted(names, key=len, reverse=True))
