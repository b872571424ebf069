"""What a day's page shows, in its own words; everything in it comes from the services."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bridge import advising
from bridge.cli.advice import advice_row, event_row, name_of, reading_row
from bridge.ports import Recommendation
from bridge.types import Reading
from bridge.web import words
from bridge.web.sight import Sight
from bridge.web.site import Visit
from bridge.week import WeekSlot
from rhythm_env.interface import ActionType, Answer, Meter, moment_at, zone_at

FRESH = 0.5  # share of a meter's weight from which it counts as well informed


def local(visit: Visit, at: datetime) -> datetime:
    return at.astimezone(zone_at(at, visit.user.zones))


def title(visit: Visit) -> dict[str, str]:
    """Which slot it is, as its advice names it (after midnight still the night of the day before), and the date."""
    now, moment = local(visit, visit.now), moment_at(visit.now, visit.user.zones)
    return {"slot": f"{moment.date:%A} {moment.slot.name.lower()}", "date": f"{now.day} {now:%B %Y}, {now:%H:%M}"}


def meters(readings: Mapping[Meter, Reading]) -> list[dict[str, Any]]:
    """Five meters in percent; no level where nothing is known, for 0.70 would look like a measurement."""
    return [_meter(meter, reading) for meter, reading in readings.items()]


def _meter(meter: Meter, reading: Reading) -> dict[str, Any]:
    known = reading.coverage > 0
    low, high = (max(0.0, reading.level - reading.sd), min(1.0, reading.level + reading.sd))
    oldest = max((b.age_hours for b in reading.because), default=None)
    return {
        **reading_row(reading),
        "name": str(meter).capitalize(),
        "known": known,
        "percent": round(100 * reading.level, 1),
        "low": round(100 * low, 1),
        "wide": round(100 * (high - low), 1),
        "shown": f"{reading.level:.2f}" if known else "not known",
        "fresh": f"{reading.coverage:.0%}",
        "stale": reading.coverage < FRESH,
        "oldest": None if oldest is None else words.age(oldest),
        "reasons": [{"text": b.text, "share": words.signed(b.contribution)} for b in reading.because],
    }


def slots(sight: Sight, visit: Visit) -> list[dict[str, Any]]:
    """The day's four slots with what stands in them."""
    return [_slot(slot, sight, visit) for slot in sight.slots]


def _slot(slot: WeekSlot, sight: Sight, visit: Visit) -> dict[str, Any]:
    start, end = local(visit, slot.facts.start), local(visit, slot.facts.end)
    return {
        "name": slot.facts.moment.slot.name.capitalize(),
        "hours": f"{start:%H:%M}–{end:%H:%M}",
        "now": slot.facts.moment == sight.moment,
        "over": slot.facts.end <= sight.at,
        "busy": f"{slot.facts.busy:.0%}",
        "events": [event_row(occurrence, label, visit.user.zones) for occurrence, label in slot.entries],
        "advice": [{"action": str(one.action), "answer": one.answer and str(one.answer)} for one in slot.advice],
    }


def advice(visit: Visit, advice: Recommendation) -> dict[str, Any]:
    """A recommendation with its reasons and scores, and what it was not and why."""
    held = advising.withheld(visit.bridge, visit.user, advice)
    return {
        **advice_row(advice),
        "slot_name": name_of(advice.moment),
        "until": f"{local(visit, advice.expires_at):%H:%M}",
        "over": advice.expires_at <= visit.now,
        "because": [one for one in advice.reasons if not one.startswith("not ")],
        "bars": _bars(advice),
        "withheld": [{"action": str(action), "why": why} for action, why in held.items()],
        "moved": None if advice.moved_to is None else name_of(advice.moved_to),
        "accepted": advice.answer is Answer.ACCEPT,
        "ignored": advice.answer is Answer.IGNORE,
    }


def _bars(advice: Recommendation) -> list[dict[str, Any]]:
    """The scores from the best down, as percent of the span between the worst and the best."""
    scores = sorted(advice.scores.items(), key=lambda pair: -pair[1])
    if not scores:
        return []
    best, worst = scores[0][1], scores[-1][1]
    span = best - worst or 1.0
    return [
        {
            "action": name,
            "score": f"{score:.3f}",
            "percent": round(4 + 96 * (score - worst) / span, 1),
            "chosen": ActionType(name) is advice.action,
        }
        for name, score in scores
    ]
