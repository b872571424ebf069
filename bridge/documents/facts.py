"""JSON documents of reasons (facts), with only what their readers may know."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from typing_extensions import TypedDict

from bridge.domain.facts import PROSE, Fact, Value
from bridge.domain.rendering import Audience, rendered, revealed

WEIGHT_DIGITS = 4


class FactDocument(TypedDict):
    """A reason as data. ``values`` fill the message of its ``kind``. Times are ISO 8601, and a value may be a fact.

    ``weight`` is its share in the choice of a recommendation, or in a meter's level. ``title`` is null without a title,
    and for readers who may not see titles. A reason stored as text by an earlier release has the kind ``prose``.
    """

    kind: str
    values: dict[str, Any]
    weight: float
    title: str | None


def fact_documents(facts: Iterable[Fact], audience: Audience = Audience.PERSON) -> list[FactDocument]:
    """Return reasons as JSON documents, without what the readers (``audience``) may not know, such as titles."""
    return [_document(fact, audience) for fact in facts if rendered(fact, audience) is not None or fact.kind != PROSE]


def _document(fact: Fact, audience: Audience) -> FactDocument:
    values = {name: _plain(value, audience) for name, value in fact.values.items()}
    return {
        "kind": fact.kind,
        "values": {"text": str(rendered(fact, audience))} if fact.kind == PROSE else values,
        "weight": round(fact.weight, WEIGHT_DIGITS),
        "title": revealed(fact.title, audience),
    }


def _plain(value: Value, audience: Audience) -> Any:
    if isinstance(value, tuple):
        return [_plain(one, audience) for one in value]
    if isinstance(value, Fact):
        return _document(value, audience) if value.kind != PROSE or audience is Audience.PERSON else None
    return value
