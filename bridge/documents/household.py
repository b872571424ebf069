"""JSON documents of meters that users share, each as a level in words and the age of its data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from typing_extensions import TypedDict

from bridge.domain.languages import say
from bridge.meters.words import steps_from_usual

if TYPE_CHECKING:
    from datetime import datetime

    from bridge.domain.records import Share, User
    from bridge.domain.types import Reading
    from bridge.installation import Bridge
    from rhythm_env.interface import Meter

LEVEL_TEXTS = (
    *(say("far below the usual"), say("below the usual"), say("a little below the usual"), say("about as usual")),
    *(say("a little above the usual"), say("above the usual"), say("far above the usual")),
)


class SharedMeterDocument(TypedDict):
    """A meter of another user, with its level in words.

    ``level`` and ``newest_hours`` are null if nothing is known. ``coverage`` (0 to 1) is the share of the meter's
    inputs, by weight, that are recent. ``newest_hours`` is the age of the newest input in hours.
    """

    meter: str
    level: str | None
    coverage: float
    newest_hours: float | None


class GivenDocument(TypedDict):
    """The meters that a user shares with the user ``name``."""

    name: str
    meters: list[str]


class ReceivedDocument(TypedDict):
    """The meters that the user ``name`` shares, as they are now."""

    name: str
    meters: list[SharedMeterDocument]


class HouseholdDocument(TypedDict):
    """The meters that ``user`` shares with other users (``given``), and those that other users share (``received``)."""

    user: str
    given: list[GivenDocument]
    received: list[ReceivedDocument]


def household_document(
    bridge: Bridge, user: User, readings: Callable[[User], Mapping[Meter, Reading]]
) -> HouseholdDocument:
    """Return the meters that a user shares, and those that others share with the user.

    ``readings(user)`` returns a user's current readings.
    """
    shares = bridge.store.shares
    return {
        "user": user.name,
        "given": [{"name": one.other, "meters": [str(meter) for meter in one.meters]} for one in shares.given(user.id)],
        "received": [_received(bridge, one, readings) for one in shares.received(user.id)],
    }


def _received(bridge: Bridge, share: Share, readings: Callable[[User], Mapping[Meter, Reading]]) -> ReceivedDocument:
    found = readings(bridge.store.people.user_by_id(share.other_id))
    return {"name": share.other, "meters": [_meter(meter, found[meter]) for meter in share.meters]}


def _meter(meter: Meter, reading: Reading) -> SharedMeterDocument:
    is_known = reading.coverage > 0
    ages = [reason.age_hours for reason in reading.because]
    return {
        "meter": str(meter),
        "level": LEVEL_TEXTS[3 + steps_from_usual(reading.level, reading.sd)] if is_known else None,
        "coverage": round(reading.coverage, 2),
        "newest_hours": round(min(ages), 1) if ages and is_known else None,
    }


def read_now(bridge: Bridge, now: datetime) -> Callable[[User], Mapping[Meter, Reading]]:
    """Return a function that reads a user's meters at ``now``."""
    from bridge.advice import recommend
    from bridge.meters import read

    def readings(user: User) -> Mapping[Meter, Reading]:
        known = bridge.travelled(user, at=now)
        return read(recommend.load_snapshot(bridge, known, at=now))

    return readings
