"""Turn Polar's raw records into samples and episodes. Names and units: Polar's AccessLink v3."""

from collections.abc import Iterator, Sequence

from bridge.domain.errors import BadRecord
from bridge.domain.metrics import Metric
from bridge.domain.types import EpisodeKind, Item, RawRecord
from connectors.instants import midnight
from connectors.payload import SECONDS, Fields, total, words
from connectors.polar import ACTIVITY, EXERCISE, RECHARGE, SCORES, SLEEP, SPEC, STAGES
from connectors.stretches import Stretch


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:
    return list(_items(record.stream, record.key, Fields.of(SPEC.name, record), parent))


def _items(stream: str, key: str, fields: Fields, parent: RawRecord | None) -> Iterator[Item]:
    if stream == "sleep":
        yield from _sleep(key, fields)
    elif stream == "nightly_recharge":  # it has no time of its own
        yield from _night_of(fields, parent).samples(key, fields.measured(RECHARGE))
    elif stream == "activities":
        yield from _activity(key, fields)
    elif stream == "exercises":
        yield from _exercise(key, fields)
    else:
        raise fields.bad("not a stream of polar")


def _night(fields: Fields) -> Stretch:
    return fields.stretch("sleep_start_time", "sleep_end_time", day="date")


def _sleep(key: str, fields: Fields) -> Iterator[Item]:
    night, stages = _night(fields), fields.measured(STAGES)
    unknown = fields.number("unrecognized_sleep_stage", SECONDS) or 0.0
    values = {
        Metric.ASLEEP: total(unknown, *stages.values()),
        Metric.IN_BED: night.minutes,
        **fields.measured(SLEEP),
        **(stages if any(stages.values()) else {}),
    }
    yield night.episode(EpisodeKind.SLEEP, key, values)
    yield from night.samples(key, fields.measured(SCORES))


def _night_of(fields: Fields, sleep: RawRecord | None) -> Stretch:
    """Return the time of the night that a recharge belongs to, from its sleep record."""
    try:
        if sleep is not None:
            return _night(Fields.of(SPEC.name, sleep))
    except BadRecord:
        pass
    day = fields.day("date")
    return Stretch(start=midnight(day), end=None, offset=None, day=day)


def _activity(key: str, fields: Fields) -> Iterator[Item]:
    # A day of 0 steps and no active energy yields nothing, because the watch was not worn.
    values = fields.measured(ACTIVITY)
    day = fields.wall("start_time").date()
    if values.get(Metric.STEPS) != 0 or values.get(Metric.ACTIVE_ENERGY):  # a watch in a drawer: no measurement
        yield from Stretch(start=midnight(day), end=None, offset=None, day=day).samples(key, values)


def _exercise(key: str, fields: Fields) -> Iterator[Item]:
    lasted = fields.wall_stretch("start_time", "start_time_utc_offset", duration="duration")
    sport = words(fields.get("sport"))
    label = None if sport is None else sport.replace("_", " ").lower()
    yield lasted.episode(EpisodeKind.WORKOUT, key, fields.measured(EXERCISE), label=label)
