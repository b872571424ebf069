"""JSON documents of answers to queries, of notes, and of the effects of factors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NotRequired

from typing_extensions import TypedDict

from bridge.documents.filling import filled
from bridge.domain.slots import ZoneHistory, local_time
from bridge.query.said import said
from bridge.query.understood import sentence

if TYPE_CHECKING:
    from bridge.ingest.notes import Note
    from bridge.query.answered import Answer, Group
    from bridge.query.effects import Effect


class GroupDocument(TypedDict):
    """The figure of a group of rows, such as a week's, and their number. ``unit`` is missing if it is the answer's."""

    key: str
    value: float | None
    n: int
    unit: NotRequired[str]


class AnswerDocument(TypedDict):
    """The answer to a query, a figure (``value``) with its unit, and the number of rows (``n``) behind it.

    ``at`` is the date of a lowest, highest, first or last value. ``value`` is null if there is none, with the
    ``reason``. ``said`` is the answer as a sentence, if the answer is a single figure.
    """

    query: dict[str, Any]
    value: float | None
    unit: str
    n: int
    at: str | None
    groups: list[GroupDocument]
    interval: list[float] | None
    reason: str | None
    said: str | None


class AskedDocument(AnswerDocument):
    """The answer to a plain question. ``understood`` repeats as a sentence what the bridge understood.

    For two questions at once, ``understood`` and ``said`` cover both, and all other keys only the first.
    """

    understood: str


def asked_document(found: Answer) -> AskedDocument:
    document = answer_document(found)
    understood = " ".join(str(sentence(one.query, one.read_as)) for one in (found, *found.also))
    if found.also:
        told = [one["said"] or one["reason"] for one in (document, *map(answer_document, found.also))]
        document["said"] = " ".join(one for one in told if one)
    return {**document, "understood": understood}


def answer_document(found: Answer) -> AnswerDocument:
    reason = None if found.reason is None else str(found.reason)
    groups = [_group(group) for group in found.groups]
    told = said(found)
    text = None if told is None else str(told)
    return filled(AnswerDocument, found, query=found.query.to_json(), groups=groups, reason=reason, said=text)


def _group(one: Group) -> GroupDocument:
    found: GroupDocument = {"key": one.key, "value": one.value, "n": one.n}
    return found if one.unit is None else {**found, "unit": one.unit}


class NoteDocument(TypedDict):
    """A note with its time in the user's zone, and its amount."""

    at: str
    name: str
    amount: float


class EffectDocument(TypedDict):
    """The mean difference of a figure between days after a factor and other days, null with too few days.

    ``days_left`` is how many more days with the factor are needed to detect a difference that matters.
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
    return {"at": local_time(note.at, zones).isoformat(), "name": note.name, "amount": note.amount}


def effect_document(one: Effect) -> EffectDocument:
    return filled(EffectDocument, one)
