"""Make a query of a share, or of several figures at once, of the tokens of a plain question that are left."""

from __future__ import annotations

import re

from bridge.query import plain_kinds as w
from bridge.query.bag import Bag
from bridge.query.condition_texts import NIGHT, ON
from bridge.query.figures import counted, is_nightly, where_of
from bridge.query.model import METER_NAMES
from bridge.query.parse import Words
from bridge.query.plain_kinds import NotUnderstood
from bridge.query.settled import ENDS

PARTS_OF = {"asleep": {"light_sleep", "deep_sleep", "rem_sleep"}, "in_bed": {*NIGHT} - {"in_bed"}}


def share(bag: Bag) -> Words:
    """Return the query of a share of days, nights, workouts or of the time asleep."""
    if re.match(f"{w.SHARE}[{w.CONDITION}{w.WEEKEND}]", bag.kinds) and bag.sees(w.WORKOUTS, w.SPORT, w.ACTIVITY):
        raise NotUnderstood  # "on what share of weekends did I run"
    pairs = (f"{w.METRIC}{w.NIGHTS}", f"{w.SHARE}{w.NIGHTS}{w.METRIC}")  # "share of the night that was REM"
    beside = any(one in bag.kinds.replace(w.DID, "") for one in pairs) and not bag.sees(w.CONDITION)
    bag.take(w.SHARE, w.HOW, w.WHICH, w.DID, w.HOW_MANY, w.WITH, w.THAN)
    metrics, where, by = [str(one) for one in bag.take(w.METRIC)], where_of(bag), bag.text(w.BY)
    nights, days, rows = bag.has(w.NIGHTS) and not beside, bag.has(w.DAYS), bag.has(w.WORKOUTS)
    nights, days = nights or bag.said == "nights", days or bag.said == "days"
    where += [f"{ON}{one} > 0" for one in bag.take(w.FACTOR)]
    sports = {str(one) for one in bag.take(w.SPORT, w.ACTIVITY)}
    if metrics and not nights and not days and not rows and all(one.startswith("weekday") for one in where):
        bag.take(w.AND)
        if bag.one(w.OF) not in (None, "sum", "mean") or {*bag.take(w.MORE)} - {"to"}:
            raise NotUnderstood
        for whole, parts in PARTS_OF.items():
            part = next((one for one in metrics if one in parts and one != whole), None)
            if part and {*metrics} - {part} <= {whole} and (whole in metrics or whole == "asleep"):
                return Words(what=f"{part}/{whole}", of="mean", by=by, where=where)
        raise NotUnderstood
    bag.take(w.EACH)
    bag.tokens = [one for one in bag.tokens if not (sports and one == (w.ACTION, "EXERCISE"))]
    if rows or sports:
        where = [*(f"workout.sport = {one}" for one in sports), *where]
        if len(where) != 1 or metrics or nights or days:
            raise NotUnderstood  # a share of which workouts would be said by a second condition
        return Words(what="workouts", of="share", by=by, where=where)
    if metrics or len(where) != 1 or where[0].startswith("weekday") or (nights and days):
        raise NotUnderstood
    if days or nights or is_nightly(where):
        return Words(what="nights" if nights or not days else counted(where), of="share", by=by, where=where)
    raise NotUnderstood


def several(bag: Bag) -> Words:
    """Return the query of all meters, or of all figures of a night."""
    names = {str(one) for one in bag.take(w.SEVERAL)}
    metrics = {str(one) for one in bag.take(w.METRIC)}
    ends = {(w.OF, one) for one in ENDS} if bag.sees(w.WHICH) else set()  # "which is lowest": all are told
    bag.tokens = [one for one in bag.tokens if one not in ends]
    bag.take(w.HOW, w.DID, w.WHICH, w.NIGHTS, w.AND, w.EACH)
    of, where = bag.one(w.OF), where_of(bag)
    if not names and metrics == {"asleep"}:
        names = {"night"}
    elif names == {"meters"} and metrics <= {*METER_NAMES}:
        metrics = set()
    if len(names) != 1 or metrics - {"asleep"} or of not in (None, "mean", "median", "last"):
        raise NotUnderstood
    return Words(what=names.pop(), of=str(of or "mean"), where=where)
