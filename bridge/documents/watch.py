"""JSON documents and sentences of the watch for harm, which can switch recommendations off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typing_extensions import TypedDict

from bridge.advice.harm import FINDS, STOPS, Watched
from bridge.domain.guard import ADVICE, PERSON, WATCH, Switch, is_on
from bridge.domain.languages import Text, say
from bridge.domain.slots import local_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bridge.domain.records import User

ON = {True: "on", False: "off"}


class SwitchDocument(TypedDict):
    """A change of ``what`` (advice or watch) to on or off, by the person or by the watch, with the reason."""

    at: str
    what: str
    on: bool
    by: str
    reason: str


class WatchDocument(TypedDict):
    """The watch for harm. Recommendations stop when ``evidence`` reaches ``stops_at``.

    ``finds`` is the smallest harm that it finds within six weeks, in standard deviations of the level. ``levels`` are
    means after slots with a recommendation and after silent ones, null if unknown. ``history`` is ascending.
    """

    advice: str
    watch: str
    evidence: float
    stops_at: float
    finds: float
    slots: dict[str, int]
    levels: dict[str, float | None]
    history: list[SwitchDocument]


def watch_document(found: Watched, switches: Sequence[Switch]) -> WatchDocument:
    levels = {"silent": found.level_silent, "advised": found.level_advised}
    return {
        "advice": ON[is_on(switches, ADVICE)],
        "watch": ON[is_on(switches, WATCH)],
        "evidence": round(found.stake, 3),
        "stops_at": STOPS,
        "finds": FINDS,
        "slots": {"silent": found.silent, "advised": found.advised},
        "levels": {name: None if level is None else round(level, 3) for name, level in levels.items()},
        "history": [_switch(switch) for switch in switches],
    }


def _switch(one: Switch) -> SwitchDocument:
    return {"at": one.at.isoformat(), "what": one.what, "on": one.on, "by": one.by, "reason": str(reason(one))}


def reason(one: Switch) -> str | Text:
    """Return why advice or the watch was switched, in the user's own words or with the watch's evidence."""
    if one.by == PERSON:
        return one.reason
    return say(
        "after {advised} slots with advice the level or the nights were lower than after {silent} silent ones "
        "(evidence {evidence:.0f}; {limit:.0f} is enough)",
        advised=one.advised,
        silent=one.silent,
        evidence=one.evidence or STOPS,
        limit=STOPS,
    )


EVENTS = {
    (ADVICE, True): say("Advice was switched on"),
    (ADVICE, False): say("Advice was switched off"),
    (WATCH, True): say("The watch over harm was switched on"),
    (WATCH, False): say("The watch over harm was switched off"),
}
STOPPED = say("The watch over harm stopped advice")


def finds_line() -> Text:
    """Return a sentence about the size of harm that the watch finds."""
    return say(
        "Within six weeks it finds, four times in five, a harm of {finds:.1f} times your usual ups and downs; "
        "a smaller one takes longer.",
        finds=FINDS,
    )


def event_line(one: Switch, user: User) -> Text:
    """Return a sentence about a change of advice or the watch, with its date and reason."""
    what = EVENTS[one.what, one.on] if one.by == PERSON else STOPPED
    day = local_time(one.at, user.zones)
    return say("{day:%-d %B %Y}: {what}: {reason}", day=day, what=what, reason=reason(one))


def watch_line(found: Watched, switches: Sequence[Switch]) -> Text:
    """Return the state of the watch in words."""
    if not is_on(switches, ADVICE):
        return say("Advice is off.")
    if not is_on(switches, WATCH):
        return say("The watch over harm is off, so advice goes on whatever follows it.")
    if not found.advised + found.silent:
        return say("No harm is seen: no slot with advice is compared with a silent one yet.")
    return say(
        "No harm is seen: after {advised} slots with advice and {silent} left silent by lot the evidence is "
        "{evidence:.1f}. Advice stops at {limit:.0f}.",
        advised=found.advised,
        silent=found.silent,
        evidence=found.stake,
        limit=STOPS,
    )
