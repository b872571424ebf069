"""Tell when a user's data are too old for advice, and of which day the newest are."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from bridge.domain.facts import Fact, fact
from bridge.domain.slots import zone_at

if TYPE_CHECKING:
    from bridge.domain.records import Snapshot, User
    from bridge.store import Store

FRESH_ENOUGH = timedelta(days=7)  # meters read the last days; older data are only compared with
BY_HAND = "check_in"  # the source of what a user says, which alone gives no advice


def newest_if_old(store: Store, user: User, known: Snapshot) -> date | None:
    """Return the date of a user's newest data on the user's clock if all data are old, otherwise None."""
    if known.tasks or _is_recent(known, known.at - FRESH_ENOUGH):
        return None
    mine = [one.id for one in store.connections.of_user(user.id) if one.source != BY_HAND]
    measured = [store.reading.newest_measurement(connection, known.at) for connection in mine]
    ends = [end for end in (*measured, store.reading.last_event(user.id, known.at)) if end is not None]
    return max(ends).astimezone(zone_at(max(ends), user.zones)).date() if ends else None


def _is_recent(known: Snapshot, since: datetime) -> bool:
    return (
        any((one.end or one.start) > since for source, one in known.samples if source != BY_HAND)
        or any(one.end > since for _, one in known.episodes)
        or any(entry.end > since for entry, _ in known.agenda)
    )


def reasons_of_old(newest: date, user: User) -> tuple[Fact, Fact]:
    """Return two reasons for a slot without advice: the date of the newest data, and the command for newer data."""
    command = f"bridge import FILE --user {user.name}"
    return fact("old_data", day=newest), fact("newer_data", command=command)
