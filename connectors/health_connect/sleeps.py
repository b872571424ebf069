"""Choose among the sleeps and workouts that several apps and devices recorded, so that none counts twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

# Device.type of androidx.health.connect.client.records.metadata.
WATCH, PHONE, RING, BAND, STRAP = 1, 2, 4, 6, 7
WORN = (WATCH, RING, BAND, STRAP)
ON_PHONE = ("android", "com.google.android.apps.fitness")  # the phone's own counters of steps
MIRRORS = ("nl.appyhapps.healthsync",)  # apps that copy records of other apps
AGGREGATED = ""  # the origin of sums that the sending app made
Stage = tuple[int, int, str]  # start and end in Unix seconds, and the app's word
_STAGES = {  # metric's name -> words, and numbers of SleepSessionRecord
    "awake": "awake 1 awake_in_bed 7 out_of_bed 3",
    "sleeping": "sleeping 2",
    "light_sleep": "light 4",
    "deep_sleep": "deep 5",
    "rem_sleep": "rem 6",
}
STAGES = {word: name for name, words in _STAGES.items() for word in words.split()}
STAGED_STATES = ("light_sleep", "deep_sleep", "rem_sleep")
ASLEEP_STATES = (*STAGED_STATES, "sleeping")
ACTIVE, AUTOMATIC = "actively_recorded", "automatically_recorded"
METHODS = {ACTIVE: 0, AUTOMATIC: 2}  # a workout that was started by hand outranks a workout that was detected


def origin_of(row: Mapping[str, Any]) -> str:
    """Return the origin of a row as ``package#TYPE``, or only ``package`` if the device's type is not stated.

    It is empty for a row that names no app, such as a sum over origins.

    >>> origin_of({"metadata": {"data_origin": "com.fitbit.FitbitMobile", "device": {"type": 1}}})
    'com.fitbit.FitbitMobile#1'
    """
    found = row.get("metadata")
    metadata: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
    name = metadata.get("data_origin", row.get("source"))
    if not isinstance(name, str):
        return AGGREGATED
    device = metadata.get("device")
    kind = device.get("type") if isinstance(device, Mapping) else None
    return f"{name}#{kind}" if type(kind) is int and 0 < kind < 100 else name


def rank(origin: str) -> int:
    """Return an origin's rank, from 0 for the most trusted to 3.

    Devices that are worn come first, then unknown devices, then phones, and last apps that copy records of other apps.

    >>> [rank(one) for one in ("com.fitbit.FitbitMobile#1", "com.fitbit.FitbitMobile", "android")]
    [0, 1, 2]
    """
    name, _, kind = origin.rpartition("#") if "#" in origin else (origin, "", "")
    if name in MIRRORS:
        return 3
    if kind in map(str, WORN) or "watch" in name.casefold():
        return 0
    return 2 if kind == str(PHONE) or name in ON_PHONE or "phone" in name.casefold() else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A sleep or a workout as an app wrote it to Health Connect, in Unix seconds and minutes east of UTC.

    ``method`` is how a workout was recorded, or None if unknown.
    """

    key: str
    start: int
    end: int
    offset: int
    origin: str
    stages: Sequence[Stage] = ()
    method: str | None = None
    more: Mapping[str, object] = field(default_factory=dict)

    def minutes(self) -> dict[str, float]:
        """Return the minutes asleep, in bed and in each stage. Without any stage the whole session counts as asleep."""
        told = {name: _minutes(self, name) for name in (*ASLEEP_STATES, "awake")}
        asleep = _covered([one for name in ASLEEP_STATES for one in self.of(name)])
        length = (self.end - self.start) / 60
        found = {"in_bed": length, "asleep": asleep or (0.0 if told["awake"] else length)}
        if any(told[name] for name in STAGED_STATES):
            found |= {name: told[name] for name in STAGED_STATES if told[name]}
        return found | ({"awake": told["awake"]} if told["awake"] else {})

    def of(self, name: str) -> list[Stage]:
        """Return the spans in the stages of a metric, such as "deep_sleep", cut to the session."""
        cut = ((max(a, self.start), min(b, self.end), word) for a, b, word in self.stages if STAGES.get(word) == name)
        return [stage for stage in cut if stage[0] < stage[1]]

    def slept(self) -> tuple[int, int]:
        """Return the Unix seconds of falling asleep and waking, by the stages if there are any, else the session's."""
        asleep = [stage for name in ASLEEP_STATES for stage in self.of(name)]
        if not asleep:
            return self.start, self.end
        return min(stage[0] for stage in asleep), max(stage[1] for stage in asleep)


def chosen_sleeps(sessions: Iterable[Session]) -> list[Session]:
    """Return sleeps that do not overlap, by start. Of two that do, one with stages or the better origin stays."""

    def quality(one: Session) -> tuple[bool, int, float, str]:
        told = one.minutes()
        return not any(name in told for name in STAGED_STATES), rank(one.origin), -told["asleep"], one.key

    found: list[Session] = []
    for one in sorted(sessions, key=quality):
        if all(one.end <= other.start or one.start >= other.end for other in found):
            found.append(one)
    return sorted(found, key=lambda one: one.start)


def chosen_workouts(sessions: Iterable[Session]) -> list[Session]:
    """Return the workouts by start, without those that overlap mostly with a better one of another origin."""

    def quality(one: Session) -> tuple[int, int, int, str]:
        return METHODS.get(one.method or "", 1), rank(one.origin), one.start - one.end, one.key

    found: list[Session] = []
    for one in sorted(sessions, key=quality):
        if not any(one.origin != other.origin and _mostly_within(one, other) for other in found):
            found.append(one)
    return sorted(found, key=lambda one: (one.start, one.key))


def _mostly_within(one: Session, other: Session) -> bool:
    shared = min(one.end, other.end) - max(one.start, other.start)
    return shared > 0 and 2 * shared >= min(one.end - one.start, other.end - other.start)


def _minutes(session: Session, name: str) -> float:
    return _covered(session.of(name))


def _covered(stages: Iterable[Stage]) -> float:
    seconds, until = 0, 0
    for start, end, _ in sorted(stages):
        seconds += max(0, end - max(start, until))
        until = max(until, end)
    return seconds / 60
