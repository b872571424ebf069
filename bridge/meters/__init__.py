"""Five meters read from what is known of a person at a moment, each with its uncertainty and its reasons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from bridge.meters import cognition, connection, progress, serenity, vitality
from bridge.meters.past import Past
from bridge.ports import Known
from bridge.types import Reading
from rhythm_env.interface import Meter

__all__ = ["METERS", "Past", "read", "read_at", "read_slots"]

METERS: Mapping[Meter, Callable[[Past, datetime], Reading]] = MappingProxyType(
    {
        Meter.VITALITY: vitality.read,
        Meter.COGNITION: cognition.read,
        Meter.PROGRESS: progress.read,
        Meter.SERENITY: serenity.read,
        Meter.CONNECTION: connection.read,
    }
)


def read(known: Known) -> dict[Meter, Reading]:
    """Every meter at ``known.at``; nothing that begins or ends later counts, and missing input is never zero."""
    return read_at(Past(known), known.at)


def read_slots(known: Known, starts: Sequence[datetime]) -> list[dict[Meter, Reading]]:
    """Every meter at ascending moments up to ``known.at``, each from what was measured by then, though it came later.

    ``known`` reaches back 80 days from the first; a year of slots takes less than a second, and memory follows the days
    between them.
    """
    past = Past(known, since=starts[0] if starts else None)
    return [read_at(past, at) for at in starts]


def read_at(past: Past, at: datetime) -> dict[Meter, Reading]:
    """Every meter at a moment not later than the one ``past`` was made for, from what was known by then."""
    return {meter: read_meter(past, at) for meter, read_meter in METERS.items()}
