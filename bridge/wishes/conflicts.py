"""Find wishes of one text that contradict each other."""

from __future__ import annotations

from bridge.domain.errors import SetupError
from bridge.domain.wish_terms import common
from bridge.domain.wishes import Wishes
from bridge.wishes.hours import NOON
from bridge.wishes.lexicon import WEEK
from bridge.wishes.said import Said, applied

LIMITS = ("days", "hours")
TIMES_MAX = 2  # of going to bed or getting up in one text


def _goes(one: Said, other: Said) -> bool:
    if one.narrows and other.narrows:
        return True
    if one.narrows == other.narrows:
        return False
    rest, named = (one, other) if one.narrows else (other, one)
    return named.days <= rest.days and (not named.hours or common(named.hours, rest.hours) == named.hours)


def contradicts(said: tuple[Said, ...]) -> bool:
    """Return True if one wish of a text contradicts another one."""
    for at, one in enumerate(said):
        same = [o for o in said[:at] if o.kind == one.kind and o.actions & one.actions and o.when == one.when]
        same = [o for o in same if one.kind == "goal" or o.names == one.names or not (o.names and one.names)]
        if one.kind in ("shortest", "longest", "most", "minutes_daily", "times_daily", "before_bed", "more") and any(
            o.number != one.number for o in same
        ):
            return True
        if (one.kind in ("goal", "best") and same) or (
            one.kind in LIMITS and not all(_goes(one, other) for other in same)
        ):
            return True
    counts = {one.number for one in said if one.kind == "suggestions" and one.when is None}
    few = [at for at, one in enumerate(said) if one.kind == "few" and one.when is None]
    if few and any(one.kind == "suggestions" and one.when and one.when.days for one in said[few[0] :]):
        return True  # "three suggestions in the evening, one on weekends": in its evenings, or in all?
    spans = [(one.hours, one.when) for one in said if one.kind == "few"]
    if len(counts) > 1 or len(spans) > len(set(spans)) or _bars_nothing(said):
        return True  # "one suggestion at a time, three a day at most"
    if any(_leaves_no_best(one, said) or _is_too_short(one, said) for one in said if one.kind == "best"):
        return True
    whole = frozenset().union(*(one.actions for one in said if one.kind == "goal" and one.number >= len(WEEK)))
    if any(one.kind == "days" and one.actions & whole and len(one.days) < len(WEEK) for one in said):
        return True  # "every day but not on Sundays"
    never = frozenset().union(*(one.actions for one in said if one.kind == "never"))
    if _is_no_night(said) or any(one.actions & never for one in said if one.kind != "never"):
        return True
    try:
        applied(Wishes(), said)
    except SetupError:
        return True
    return False


def _is_too_short(best: Said, said: tuple[Said, ...]) -> bool:
    """Return True for "run for three hours between seven and half past"."""
    spans = [(end.hour - begin.hour) * 60 + end.minute - begin.minute for begin, end in best.hours]
    longest = max((span % (24 * 60) or 24 * 60 for span in spans), default=24 * 60)
    of_it = [one for one in said if one.kind == "shortest" and one.actions & best.actions]
    return best.at is None and any(one.number > longest for one in of_it)


def _leaves_no_best(best: Said, said: tuple[Said, ...]) -> bool:
    of_it = [one for one in said if one.actions & best.actions and one.names in (frozenset(), best.names)]
    of_it += [one for one in said if one.kind == "without" and one.actions & best.actions]
    if any(one.kind == "days" and not best.days <= one.days for one in of_it):
        return True
    if any(one.kind == "hours" and best.hours and not common(best.hours, one.hours) for one in of_it):
        return True
    if any(one.kind == "without" and one.names & best.names and _of_its_days(best, one) for one in of_it):
        return True
    barred = [one for one in of_it if one.kind == "barred" and best.hours and frozenset() < best.days <= one.days]
    return any(common(best.hours, one.hours) == best.hours for one in barred)


def _of_its_days(best: Said, one: Said) -> bool:
    return one.when is None or bool(best.days & one.when.days)


def _bars_nothing(said: tuple[Said, ...]) -> bool:
    """Return True if hours are barred that were not allowed anyway: "I start at seven, on Fridays at six"."""
    limits = [one for one in said if one.kind == "hours"]
    barred = [one for one in said if one.kind == "barred"]
    return any(not common(one.hours, o.hours) for one in barred for o in limits if o.actions & one.actions)


def _is_no_night(said: tuple[Said, ...]) -> bool:
    """Return True for two bedtimes or wake times on the same days, or a bedtime before the earliest allowed one."""
    of = {kind: [one for one in said if one.kind == kind] for kind in ("bed", "earliest", "up")}
    if any(len({one.at for one in several}) > 1 and not _of_other_days(several) for several in of.values()):
        return True
    if len(of["bed"]) > 1 or len(of["earliest"]) > 1:  # "by ten, on Fridays by midnight"
        return bool(of["bed"] and of["earliest"])
    after_noon = [((one.at.hour - NOON) % 24, one.at.minute) for one in (*of["bed"], *of["earliest"]) if one.at]
    return len(after_noon) > 1 and after_noon[0] < after_noon[1]


def _of_other_days(several: list[Said]) -> bool:
    """Return True for "up at seven, at the weekend at nine"."""
    return len(several) == TIMES_MAX and several[0].kind != "earliest" and bool(several[1].days - several[0].days)
