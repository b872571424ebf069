"""The JSON documents of notes and of what factors go with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typing_extensions import TypedDict

from bridge.documents.filling import filled
from bridge.domain.slots import ZoneHistory, local_time

if TYPE_CHECKING:
    from bridge.ingest.notes import Note
    from bridge.query.effects import Effect


class NoteDocument(TypedDict):
    """A note at an instant on the user's clock, with its amount."""

    at: str
    name: str
    amount: float


class EffectDocument(TypedDict):
    """The difference of a figure after days with a factor to days without. ``effect`` is null with too few days.

    ``days_left`` is how many more days with the factor would show a difference that people care for.
    """

    factor: str
    on: str
    effect: float | None
    unit: str
    interval: list[float] | None
    n_with: int
    n_without: int
    verdict: str
    days_left: int


def note_document(note: Note, zones: ZoneHistory) -> NoteDocument:
    """Return a note as a JSON document."""
    return {"at": local_time(note.at, zones).isoformat(), "name": note.name, "amount": note.amount}


def effect_document(one: Effect) -> EffectDocument:
    """Return an effect as a JSON document."""
    return filled(EffectDocument, one)
