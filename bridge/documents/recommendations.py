"""JSON documents of recommendations and of a policy's beliefs about a user."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast, get_origin

from typing_extensions import TypedDict, get_type_hints

from bridge.advice.belief_history import DIMENSIONS, said
from bridge.day.outcomes import as_answer
from bridge.documents.facts import FactDocument, fact_documents
from bridge.documents.filling import filled, of_record
from bridge.domain.records import FullRecommendation, Recommendation, Silence, User
from bridge.domain.rendering import for_person
from bridge.domain.slots import ZoneHistory, local_time

if TYPE_CHECKING:
    from datetime import datetime

    from bridge.advice.belief_history import Beliefs, Move


class SlotDocument(TypedDict):
    """A slot of a week without its content.

    ``week`` is the date of its Monday. ``day`` 0 is Monday, and ``slot`` 0 the morning.
    """

    day: int
    slot: int
    week: str


@of_record(Recommendation, or_none=True)
class RecommendationDocument(TypedDict):
    """A recommendation with its time and reasons, the score of every action, and the user's feedback.

    ``facts`` are the reasons as data. If there is no recommendation, the reasons tell why, and all other fields but
    those of the slot (``day``, ``slot``, ``timestep``, ``week``) are null or empty.
    """

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
    moved_to: SlotDocument | None


@of_record(Recommendation)
class PastRecommendationDocument(TypedDict):
    """A past recommendation. ``heard`` is the answer from which the model learns, or null if it does not.

    ``shown`` is true if the user has seen the recommendation.
    """

    at: str
    slot: int
    shown: bool
    heard: str | None


def recommendation_document(advice: FullRecommendation, zones: ZoneHistory | None = None) -> RecommendationDocument:
    """Return a recommendation as a JSON document. Times are in the user's ``zones``, or in UTC for None."""
    moved = advice.moved_to
    return filled(
        RecommendationDocument,
        advice,
        zones,
        created_at=advice.created_at.isoformat(),
        expires_at=advice.expires_at.isoformat(),
        moved_to=None if moved is None else filled(SlotDocument, moved, slot=int(moved.slot)),
        **_slot_and_reasons(advice),
    )


def past_document(advice: Recommendation, user: User, *, now: datetime) -> PastRecommendationDocument:
    """Return a past recommendation as a JSON document, with what the model learns from its feedback as of ``now``."""
    heard = as_answer(advice, now)
    return filled(
        PastRecommendationDocument,
        advice,
        user.zones,
        at=local_time(advice.created_at, user.zones).isoformat(timespec="seconds"),
        slot=int(advice.moment.slot),
        shown=advice.shown_at is not None,
        heard=None if heard is None else str(heard),
    )


def _slot_and_reasons(advice: FullRecommendation | Silence) -> dict[str, Any]:
    slot = filled(SlotDocument, advice.moment, slot=int(advice.moment.slot))
    reasons = {"reasons": for_person(advice.facts), "facts": fact_documents(advice.facts)}
    return {**slot, "timestep": advice.moment.timestep, **reasons}


def silence_document(silence: Silence) -> RecommendationDocument:
    """Return a slot without a recommendation as a JSON document, with the reasons and a recommendation's keys."""
    kinds: dict[str, Any] = {key: get_origin(hint) for key, hint in get_type_hints(RecommendationDocument).items()}
    none = {key: kind() if kind in (dict, list) else None for key, kind in kinds.items()}
    return cast("RecommendationDocument", {**none, **_slot_and_reasons(silence)})


def advice_document(found: FullRecommendation | Silence, zones: ZoneHistory) -> RecommendationDocument:
    """Return the recommendation of a slot, or the reasons why there is none, as a JSON document."""
    return silence_document(found) if isinstance(found, Silence) else recommendation_document(found, zones)


class DimensionDocument(TypedDict):
    """A policy's belief (estimate) of a trait of the user, such as ``social``, with a value per day.

    ``low`` and ``high`` say in words what 0 and 1 mean. ``sd`` is null on days when the policy stated none.
    """

    low: str
    high: str
    mean: list[float]
    sd: list[float | None]


class MoveDocument(TypedDict):
    """A user's answer, and how it changed the policy's estimates of the user's traits.

    ``at`` is when the recommendation was made. ``text`` describes the change in a sentence.
    """

    at: str
    action: str
    answer: str
    change: dict[str, float]
    text: str


class ResetDocument(TypedDict):
    """A user's reset, which makes policies ignore earlier feedback until the reset is taken back."""

    made_at: str
    taken_back_at: str | None


class BeliefDocument(TypedDict):
    """A policy's estimates of the user's traits on each of ``days``, the feedback that changed them most, and resets.

    ``policies`` names the policy of each day. ``moved_by`` begins with the largest change. ``answers`` is the number of
    the user's answers in these days. ``resets`` are newest first.
    """

    days: list[str]
    dimensions: dict[str, DimensionDocument]
    policies: list[str]
    moved_by: list[MoveDocument]
    answers: int
    resets: list[ResetDocument]


def belief_document(found: Beliefs) -> BeliefDocument:
    """Return a policy's estimates of a user's traits over time as a JSON document, rounded to four decimals."""
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
