"""JSON documents of the good times that are offered when a user reschedules a recommendation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from typing_extensions import TypedDict

from bridge.documents.text import slot_name
from bridge.domain.languages import _, date_text
from bridge.domain.slots import ZoneHistory, local_time, moment_at

if TYPE_CHECKING:
    from bridge.day.choice import Option


class OfferDocument(TypedDict):
    """A good time for a rescheduled recommendation.

    ``when`` is the time in words. ``slot``, such as ``Thu evening``, is the word that chooses this time in ``bridge
    feedback reschedule --to``.
    """

    start: str
    end: str
    slot: str
    when: str


def offer_documents(gaps: Iterable[Option], zones: ZoneHistory, *, now: datetime) -> list[OfferDocument]:
    """Return good times as JSON documents, with instants in the user's zone."""
    return [
        {
            "start": local_time(gap.start, zones).isoformat(),
            "end": local_time(gap.end, zones).isoformat(),
            "slot": slot_name(moment_at(gap.start, zones)),
            "when": when(gap.start, zones, now=now),
        }
        for gap in gaps
    ]


def named(gaps: Sequence[Option], zones: ZoneHistory, *, now: datetime) -> list[tuple[str, str]]:
    """Return, for each free time, (the slot that holds it as ``week/timestep``, the time in words)."""
    moments = (moment_at(gap.start, zones) for gap in gaps)
    return [(f"{m.week}/{m.timestep}", when(gap.start, zones, now=now)) for m, gap in zip(moments, gaps, strict=True)]


def when(at: datetime, zones: ZoneHistory, *, now: datetime) -> str:
    """Return a time in words of the current language, such as ``today 18:30``, ``tomorrow 07:10``, ``Thu 18:30``."""
    there, today = local_time(at, zones), local_time(now, zones).date()
    days = (there.date() - today).days
    if days == 0:
        return _("today {at:%H:%M}", at=there)
    return _("tomorrow {at:%H:%M}", at=there) if days == 1 else date_text(there, "%a %H:%M")
