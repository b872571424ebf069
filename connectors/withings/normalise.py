"""Turn Withings's raw records into episodes and samples. Field names: https://developer.withings.com/api-reference."""

from collections.abc import Iterator, Sequence

from bridge.domain.types import EpisodeKind, Item, RawRecord
from connectors.instants import local_date, offset_in
from connectors.payload import Fields
from connectors.stretches import Stretch
from connectors.withings import ACTIVITY, NIGHT, SLEEP, SPEC

SHORTEST_NIGHT = 120  # minutes; Withings does not tell which sleep is a nap


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - no record has a parent
    fields = Fields.of(SPEC.name, record)
    return list(_sleep(record.key, fields) if record.stream == "sleep" else _activity(record.key, fields))


def _sleep(key: str, fields: Fields) -> Iterator[Item]:
    start, end = fields.unix("startdate"), fields.unix("enddate")
    fields.ordered(start, end)
    offset = offset_in(fields.zone("timezone"), end)
    lasted = Stretch(start=start, end=end, offset=offset, day=local_date(end, offset))
    nap = lasted.minutes < SHORTEST_NIGHT
    yield lasted.episode(EpisodeKind.NAP if nap else EpisodeKind.SLEEP, key, fields.measured(SLEEP))
    yield from lasted.samples(key, {} if nap else fields.measured(NIGHT))


def _activity(key: str, fields: Fields) -> Iterator[Item]:
    yield from fields.day_in("date", "timezone").samples(key, fields.measured(ACTIVITY))
