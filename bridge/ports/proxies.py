"""The proxy map: which signal stands for which meter, in which direction, and how much it counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rhythm_env.interface import Meter


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """One row: how one signal moves one meter."""

    meter: Meter
    signal: str
    inputs: tuple[str, ...]  # metrics, and facts of the agenda or the task list
    direction: int  # +1: more of the signal raises the meter; -1: lowers it
    weight: float  # of the signal at full trust; the person's normal weighs 1
    half_life_h: float | None = None  # hours in which its trust halves; None: it does not fade
    optional: bool = False  # its absence lowers no coverage
    source: str = ""  # of formula and weight


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyMap:
    """All rows. ``version`` names the shipped table, with a mark of what was changed in it."""

    version: str
    rows: tuple[Proxy, ...]
    validity: Mapping[Meter, float] = field(default_factory=dict)  # correlation with reports, where it was measured

    def of(self, meter: Meter) -> dict[str, Proxy]:
        """Signal -> row of one meter."""
        return {row.signal: row for row in self.rows if row.meter is meter}
