"""What a person sees of today, quickly: what is known of them is read once and kept until something new is known."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from bridge import advise, agenda, meters
from bridge.ports import Known, User
from bridge.types import Reading
from bridge.week import WeekSlot, is_known, slot_of
from rhythm_env.interface import Meter, Moment, Slot, moment_at, zone_at

if TYPE_CHECKING:
    from bridge.app import Bridge

A_WEEK = timedelta(days=7)
MOST = 32  # people whose data are kept at hand
Mark = tuple[object, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """The five meters at a moment, and the four slots of its day; ``calendar``: whether a calendar is known at all."""

    at: datetime
    moment: Moment
    readings: Mapping[Meter, Reading]
    slots: Sequence[WeekSlot]
    calendar: bool


class Sights:
    """What is known per person, by a mark that changes with every record, correction, change of the rules and day."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Mark, Known]] = {}
        self._lock = threading.Lock()

    def known(self, bridge: Bridge, user: User, now: datetime) -> Known:
        """As ``advise.know``, at ``now``."""
        mark = _mark(bridge, user, now)
        kept = self._known.get(user.id)
        if kept is None or kept[0] != mark or kept[1].at > now:
            found = advise.know(bridge.store, user, bridge.classifier, at=now, proxies=bridge.proxies)
            with self._lock:
                self._known.pop(user.id, None)
                self._known[user.id] = kept = mark, found
                if len(self._known) > MOST:
                    del self._known[next(iter(self._known))]
        return replace(kept[1], at=now)

    def today(self, bridge: Bridge, user: User, now: datetime) -> Sight:
        known = self.known(bridge, user, now)
        moment = moment_at(now, user.zones)
        entries = [one for one in known.agenda if one[0].end > now - A_WEEK and one[0].start < now + A_WEEK]
        advice = bridge.store.recommendations(user.id, since=now - A_WEEK, until=now + advise.INSTANT)
        day = (Moment(week=moment.week, day=moment.day, slot=slot) for slot in Slot)
        facts = (agenda.slot_facts(entries, known.tasks, one, user.zones) for one in day)
        return Sight(
            at=now,
            moment=moment,
            readings=meters.read(known),
            slots=[slot_of(one, entries, advice, user.zones) for one in facts],
            calendar=is_known(bridge.store, user, entries),
        )


def _mark(bridge: Bridge, user: User, now: datetime) -> Mark:
    arrived = tuple((c.id, bridge.store.changed(c.id)) for c in bridge.store.connections(user.id))
    said = max((one.made_at for one in bridge.store.corrections(user.id)), default=None)
    return arrived, said, bridge.proxies.version, user.zones, now.astimezone(zone_at(now, user.zones)).date()
