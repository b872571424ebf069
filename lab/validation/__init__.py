"""Validation of the meters by rank correlation with people's own reports, on any study that has both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bridge.domain.errors import SetupError
from bridge.domain.records import ProxyMap
from bridge.meters import proxy
from lab.validation import levels, lifesnaps, protocol, table, welltory
from lab.validation.cohort import Cohort
from lab.validation.columns import Columns, of_person

__all__ = ["Result", "validate"]

Steps = Callable[[str], Callable[[int, int], None]]
PLACES = {
    "lifesnaps": ("lifesnaps", "wellness/lifesnaps", "."),
    "welltory": ("welltory", "wellness/welltory", "."),
}  # where in a folder a data set is looked for
FILES = {"lifesnaps": (lifesnaps.DAILY, lifesnaps.PROMPTS), "welltory": (welltory.FILE,)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The table of a cohort. ``aside`` counts unused rows and cells by reason.

    Its rows have ``cohort``, ``target``, ``predictor``, ``median``, ``iqr``, ``mean``, ``ci95``, ``persons`` and
    ``days``. Rows of a single predictor also have ``null95`` and ``p``, and ``warning`` for a suspiciously high
    correlation.
    """

    name: str
    rows: list[dict[str, Any]]
    aside: Mapping[str, int]
    assumed: tuple[str, ...] = ()
    licence: str = ""


def validate(
    data: Path | None,
    file: Path | None,
    steps: Steps,
    proxies: ProxyMap | None = None,
    calendars: Path | None = None,
) -> list[Result]:
    """Return the results of every known data set in ``data``, of the table ``file``, and of a folder of calendars.

    ``proxies`` tells how meters are computed, by default as shipped. ``steps(name)`` returns a function that is called
    with (done, total). Raises SetupError if no data are found.
    """
    chosen = proxies or proxy.shipped()
    found = [_of_cohort(cohort, steps, chosen) for cohort in _cohorts(data, file)]
    spots = None if data is None else _place(data, "welltory")
    if spots is not None:
        people, aside = welltory.read(spots)
        rows = _rows(welltory.NAME, people, steps)
        found.append(Result(name=welltory.NAME, rows=rows, aside=aside, licence="CC0"))
    if calendars is not None:
        shares, short = levels.of_calendars(calendars, steps(levels.CALENDARS))
        found.append(Result(name=levels.CALENDARS, rows=shares, aside={"calendars of under two years": short}))
    if not found:
        raise SetupError(_nothing(data))
    return found


def _cohorts(data: Path | None, file: Path | None) -> list[Cohort]:
    place = None if data is None else _place(data, "lifesnaps")
    found = [] if place is None else [lifesnaps.read(place)]
    return found if file is None else [*found, table.read(file)]


def _place(data: Path, name: str) -> Path | None:
    folders = (data / place for place in PLACES[name])
    return next((f for f in folders if all((f / one).is_file() for one in FILES[name])), None)


def _nothing(data: Path | None) -> str:
    if data is None:
        return "nothing to validate on: name a folder with --data or a table with --table"
    looked = "; ".join(f"{' and '.join(FILES[name])} in it, {' or '.join(PLACES[name][:-1])}" for name in FILES)
    return f"no cohort in {data}: looked for {looked}"


def _of_cohort(cohort: Cohort, steps: Steps, proxies: ProxyMap) -> Result:
    on_step = steps(f"{cohort.name}: meters")
    people: list[Columns] = []
    for k, person in enumerate(cohort.persons):
        people += [of_person(person, proxies)] if person.asked else []
        on_step(k + 1, len(cohort.persons))
    rows = [*_rows(cohort.name, people, steps), *levels.of_cohort(cohort, people)]
    return Result(name=cohort.name, rows=rows, aside=cohort.aside, assumed=cohort.assumed, licence=cohort.licence)


def _rows(name: str, people: list[Columns], steps: Steps) -> list[dict[str, Any]]:
    return protocol.rows(name, people, steps(f"{name}: correlations"))
