"""Tell yes, no or not known to a question whether a figure rises, falls or gets better."""

from __future__ import annotations

from dataclasses import replace

from bridge.domain.languages import Text, say
from bridge.query.answered import Answer
from bridge.query.model import Aggregate
from bridge.query.plain_words import pattern
from bridge.query.reduced import held, rows_of, taken, values_of
from bridge.query.settled import BETTER_HIGH
from bridge.query.statistics import slope_interval
from bridge.query.tables import Tables

ASKS, UP, DOWN, BETTER, WORSE = map(pattern, ("asks_whether", "asks_up", "asks_down", "asks_better", "asks_worse"))
BETTER_LOW = frozenset({"resting_hr", "stress", "daily_stress", "sleep_latency", "awake"})
YES, NO, NOT_KNOWN = say("yes"), say("no"), say("not known, it may be chance")
MAY_BE_CHANCE = say("which may be chance")
MEANT = {1: say("where higher counts as better"), -1: say("where lower counts as better")}


def with_verdict(found: Answer, tables: Tables, text: str) -> Answer:
    """Return the answer to a question about a trend with its yes or no, or with the remark that it may be chance."""
    query = found.query
    if query.of is not Aggregate.TREND or query.by or query.per or found.value is None:
        return found
    asked, meant = _asked(text, query.subject.name) if ASKS.match(text) else (0, None)
    values = values_of(query, taken(query, held(query, rows_of(query.subject, tables, query), tables)))
    ends = slope_interval([day.toordinal() for day, _ in values], [value for _, value in values])
    if ends is None:
        return found
    low, high = sorted((asked or 1) * one for one in ends)
    if not asked:
        return found if low > 0 or high < 0 else replace(found, meant=MAY_BE_CHANCE)
    return replace(found, verdict=YES if low > 0 else NO if high < 0 else NOT_KNOWN, meant=meant)


def _asked(text: str, name: str) -> tuple[int, Text | None]:
    """Return 1 where it is asked whether a figure rises, -1 whether it falls, 0 for neither, and what better means."""
    up, down, better, worse = (one.search(text) is not None for one in (UP, DOWN, BETTER, WORSE))
    if up + down + better + worse != 1:
        return 0, None
    if up or down:
        return (1 if up else -1), None
    good = 1 if name in BETTER_HIGH else -1 if name in BETTER_LOW else 0
    return good * (1 if better else -1), MEANT.get(good)
