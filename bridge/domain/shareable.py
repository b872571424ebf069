"""List the fields of a source's answers whose values may stay in a recording that is given to others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Shareable:
    """Names of a source's fields, separated by blanks, that may keep their values in a recording, by kind of value.

    All other values, and the names of all other fields, are replaced. If a name stands in several lists, the first list
    whose kind fits the value counts.
    """

    parts: str = ""  # objects and lists
    measures: str = ""  # numbers, also as text, and lengths of time such as 2880s
    flags: str = ""  # true or false
    instants: str = ""  # times in UTC or with an offset, and Unix times
    walls: str = ""  # dates, and times of a wall clock
    offsets: str = ""  # from UTC
    zones: str = ""
    names: str = ""  # identifiers, which are replaced alike wherever they stand, in addresses too
    rules: str = ""  # of recurrence
    links: str = ""  # to the source's own addresses
    sports: str = ""  # kept where they are known
    words: Mapping[str, str] = field(default_factory=dict, hash=False)  # field -> the texts that are kept
    endings: str = ""  # of identifiers, which are kept
    path: str = ""  # segments of addresses
    asks: str = ""  # parameters of requests that hold nothing but dates and constants of the connector

    def kinds(self) -> dict[str, list[str]]:
        """Return field name -> names of this class's lists that hold it, such as "measures"."""
        lists = ("flags", "measures", "instants", "walls", "offsets", "zones", "rules", "links", "sports", "names")
        found: dict[str, list[str]] = {name: [] for name in self.parts.split()} | {
            name: ["words"] for name in self.words
        }
        for kind in lists:
            for name in getattr(self, kind).split():
                found.setdefault(name, []).append(kind)
        return found
