"""JSON documents of recommendations and of the beliefs they rest on."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from typing_extensions import TypedDict

from bridge.advice.belief_history import DIMENSIONS, said
from bridge.documents.facts import FactDocument, fact_documents
from bridge.documents.filling import filled
from bridge.domain.records import FullRecommendation, Silence
from bridge.domain.rendering import for_person
from bridge.domain.slots import ZoneHistory, local_time

if TYPE_CHECKING:
    from bridge.advice.belief_history import Beliefs, Move


class SlotDocument(TypedDict):
    """A slot of a week without its content.

    ``week`` is the date of its Monday. ``day`` 0 is Monday, and ``slot`` 0 the morning.
    """

    day: int
    slot: int
    week: str


class RecommendationDocument(TypedDict):
    """A recommendation with its time and reasons, the score of every action, and the user's feedback.

    ``kind`` is ``suggested`` or ``sleep``, and ``keep`` in old history. ``what`` names the task, the
    entry or the user's usual activity. ``facts`` are the reasons as data.
    Without a recommendation, both say why. All other fields are then null or
    empty, except those of the slot (``day``, ``slot``, ``timestep``, ``week``).
    """

    id: int | None
    action: str | None
    start: str | None
    end: str | None
    kind: str | None
    what: str | None
    day: int
    slot: int
    timestep: int
    week: str
    belief: dict[str, float]
    reasons: list[str]
    facts: list[FactDocument]
    scores: dict[str, float]
    probabilities: dict[str, float]
    policy: str | None
    created_at: str | None
    expires_at: str | None
    answer: str | None
    moved_to: SlotDocument | None
    outcome: str | None
    evidence: list[str]


def recommendation_document(advice: FullRecommendation, zones: ZoneHistory | None = None) -> RecommendationDocument:
    """Return a recommendation as a JSON document, with times on the user's clock, or without ``zones`` in UTC."""
    moved = advice.moved_to
    return filled(
        RecommendationDocument,
        advice,
        start=_instant(advice.start, zones),
        end=_instant(advice.end, zones),
        moved_to=None if moved is None else filled(SlotDocument, moved, slot=int(moved.slot)),
        evidence=for_person(advice.evidence),
        **_slot_and_reasons(advice),
    )


def _slot_and_reasons(advice: FullRecommendation | Silence) -> dict[str, Any]:
    slot = filled(SlotDocument, advice.moment, slot=int(advice.moment.slot))
    reasons = {"reasons": for_person(advice.facts), "facts": fact_documents(advice.facts)}
    return {**slot, "timestep": advice.moment.timestep, **reasons}


def silence_document(silence: Silence) -> RecommendationDocument:
    """Return a slot without a recommendation, and the reasons, as a JSON document with a recommendation's keys."""
    none: dict[str, Any] = {
        **dict.fromkeys(RecommendationDocument.__annotations__),
        "belief": {},
        "scores": {},
        "probabilities": {},
    }
    return cast("RecommendationDocument", {**none, "evidence": [], **_slot_and_reasons(silence)})


def advice_document(found: FullRecommendation | Silence, zones: ZoneHistory) -> RecommendationDocument:
    """Return the recommendation of a slot, or the reasons why there is none, as a JSON document."""
    return silence_document(found) if isinstance(found, Silence) else recommendation_document(found, zones)


def _instant(at: datetime | None, zones: ZoneHistory | None) -> str | None:
    if at is None:
        return None
    return (local_time(at, zones) if zones else at).isoformat()


class DimensionDocument(TypedDict):
    """A dimension of a policy's belief about the user, such as ``social``, with a value per day.

    ``low`` and ``high`` say in words what 0 and 1 mean. ``sd`` is null on days when the policy stated none.
    """

    low: str
    high: str
    mean: list[float]
    sd: list[float | None]


class MoveDocument(TypedDict):
    """A user's feedback, and how each dimension of the policy's belief changed until the next recommendation.

    ``at`` is when the recommendation was made. ``text`` says the same in a sentence.
    """

    at: str
    action: str
    answer: str
    change: dict[str, float]
    text: str


class ResetDocument(TypedDict):
    """A user's reset of what policies learnt. Earlier feedback counts again once the reset is taken back."""

    made_at: str
    taken_back_at: str | None


class BeliefDocument(TypedDict):
    """A policy's belief about the user on each of ``days``, the feedback that moved it most, and the user's resets.

    ``policies`` names the policy of each day. ``moved_by`` holds at most eight, the largest change first. ``answers``
    is the number of the user's answers in these days. ``resets`` are newest first.
    """

    days: list[str]
    dimensions: dict[str, DimensionDocument]
    policies: list[str]
    moved_by: list[MoveDocument]
    answers: int
    resets: list[ResetDocument]


def belief_document(found: Beliefs) -> BeliefDocument:
    """Return the belief history of a user as a JSON document, rounded to four decimals."""
    return {
        "days": [day.day.isoformat() for day in found.days],
        "dimensions": {name: _dimension(found, name, bounds) for name, bounds in DIMENSIONS.items()},
        "policies": [day.policy for day in found.days],
        "moved_by": [_move(move) for move in found.moves],
        "answers": found.answers,
        "resets": [filled(ResetDocument, reset) for reset in found.resets],
    }


def _dimension(found: Beliefs, name: str, bounds: tuple[str, str]) -> DimensionDocument:
    return {
        "low": bounds[0],
        "high": bounds[1],
        "mean": [round(day.mean[name], 4) for day in found.days],
        "sd": [None if day.sd is None else round(day.sd[name], 4) for day in found.days],
    }


def _move(move: Move) -> MoveDocument:
    return {
        "at": move.advice.created_at.isoformat(),
        "action": str(move.advice.action),
        "answer": str(move.answer),
        "change": _rounded(move.change),
        "text": said(move),
    }


def _rounded(figures: Mapping[str, float]) -> dict[str, float]:
    return {name: round(figure, 4) for name, figure in figures.items()}
