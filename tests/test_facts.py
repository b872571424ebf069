"""Facts: every kind has a message and every message a kind, and no audience reads what it may not."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from string import Formatter

import pytest

import bridge
from bridge.documents.facts import fact_documents
from bridge.domain.fact_messages import EARLIER, MESSAGES, WORDS, Plural, Titled
from bridge.domain.facts import Fact, Private, fact, length, prose
from bridge.domain.records import FullRecommendation
from bridge.domain.rendering import Audience, for_person, reasons, rendered, told
from bridge.store.columns import fact_of, facts_anew

ROOT = Path(bridge.__file__).parent
CANARY = "Oncology Dr Miller"
AFTER = fact("next_entry", time="2026-11-28T10:00:00+01:00", title=CANARY)
OTHERS = [one for one in Audience if not one.reads_titles]


def test_private_words_become_no_string_by_accident() -> None:
    private = Private(CANARY)
    for spoil in (str, "{}".format, "%s".__mod__, json.dumps, "".__add__, lambda one: ", ".join([one])):
        with pytest.raises(TypeError):
            spoil(private)
    assert CANARY not in repr(AFTER)
    assert deepcopy(AFTER) == AFTER == Fact.from_json(json.loads(json.dumps(AFTER.to_json())))
    assert hash(AFTER) == hash(Fact.from_json(AFTER.to_json()))


def test_a_title_is_read_by_its_audience_alone() -> None:
    assert told(AFTER) == f"Next: {CANARY}, 10:00"
    within = fact("slot_had", action="LEARN", why=AFTER)
    for audience in OTHERS:
        assert rendered(AFTER, audience) == "Next: an entry, 10:00"
        said = json.dumps([reasons([AFTER, within], audience), fact_documents([AFTER, within], audience)])
        assert CANARY not in said
    assert reasons([fact("for_task", title=CANARY)], Audience.LOCK_SCREEN) == []
    assert fact_documents([AFTER])[0]["title"] == CANARY


def test_an_assistant_gets_titles_as_data_and_never_in_prose() -> None:
    assert CANARY not in str(rendered(AFTER, Audience.ASSISTANT_WITH_TITLES))
    assert fact_documents([AFTER], Audience.ASSISTANT_WITH_TITLES)[0]["title"] == CANARY


@pytest.mark.parametrize("audience", [one for one in Audience if one is not Audience.PERSON])
def test_a_reason_stored_as_text_is_for_the_person_alone(audience: Audience) -> None:
    old = fact_of(f"it is in your calendar at 10:00, after {CANARY} at 09:00")
    within = fact("slot_had", action="LEARN", why=old)
    assert CANARY in told(old)
    assert CANARY in told(within)
    assert reasons([old, within], audience) == []
    assert CANARY not in json.dumps(fact_documents([old, within], audience))
    assert CANARY in json.dumps(fact_documents([old]))


def test_stored_texts_become_facts_once() -> None:
    text = {"text": "due in 3 days", "message": "due in {days} days", "many": None, "values": {"days": 3}}
    kept = json.dumps(["you said so", text])
    row = {"reasons": None, "evidence": kept, "withheld": '{"LEARN": "it is work time"}'}
    once = facts_anew(FullRecommendation, row)
    assert for_person(map(fact_of, json.loads(once["evidence"]))) == ["you said so", "due in 3 days"]
    assert fact_of(json.loads(once["evidence"])[0]) == fact("said")
    assert facts_anew(FullRecommendation, row | once) == once
    assert fact_of(json.loads(once["withheld"])["LEARN"]) == prose("it is work time")


def test_a_length_is_told_in_hours_and_minutes() -> None:
    assert [told(length(minutes)) for minutes in (77, 60, 5)] == ["1 h 17 min", "1 h", "5 min"]


def test_values_are_told_by_their_names() -> None:
    kinds = "meetings", "work"
    assert told(fact("tiring", length=length(570), kinds=kinds)) == "you have had 9 h 30 min of meetings and work today"
    assert told(fact("quiet_slot", slots="night")) == "nights are quiet"
    assert (
        told(fact("slot_had", action="LEARN", why=fact("work_time"))) == "learn was suggested earlier; it is work time"
    )


def test_reasons_of_earlier_versions_are_still_told() -> None:
    assert told(fact("free_evening")) == "your evening has no entry"
    assert told(fact("load", hours=6, kinds=("work",))) == "you have had 6 hours of work today"
    assert EARLIER.keys().isdisjoint(MESSAGES)


def test_every_kind_has_a_message_and_every_message_a_kind() -> None:
    made = set(_kinds())
    assert sorted(kind for kind in made if not kind.endswith("*") and kind not in MESSAGES) == []
    begun = tuple(kind.rstrip("*") for kind in made if kind.endswith("*") and kind != "*")
    assert sorted(kind for kind in MESSAGES if kind not in made and not kind.startswith(begun)) == []


def _kinds() -> Iterator[str]:
    """The strings in the code that may be kinds: any that stands alone, and the begin of one that is put together."""
    for path in ROOT.rglob("*.py"):
        if path.name == "fact_messages.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("fact", "_seen"):
                yield from _said(node.args[0])
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Fact":
                yield from (kind for one in node.keywords if one.arg == "kind" for kind in _said(one.value))
            elif isinstance(node, ast.Constant) and node.value in MESSAGES:
                yield node.value


def _said(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.IfExp):
        yield from (*_said(node.body), *_said(node.orelse))
    elif isinstance(node, ast.Constant):
        yield str(node.value)
    elif isinstance(node, ast.JoinedStr):
        yield f"{node.values[0].value if isinstance(node.values[0], ast.Constant) else ''}*"


@pytest.mark.parametrize("kind", MESSAGES)
def test_a_message_and_its_variants_take_the_same_values(kind: str) -> None:
    row = MESSAGES[kind]
    if isinstance(row, Titled):
        assert "title" in _fields(row.titled.message)
        named = _fields(row.titled.message) - {"title"}
        if isinstance(row.without, Plural):  # a list of titles tells how many there are
            assert named <= _fields(row.without.one) | _fields(row.without.several)
        else:
            assert row.without is None or named == _fields(row.without.message)
    elif isinstance(row, Plural):
        assert "count" in _fields(row.one) | _fields(row.several)
    else:
        assert "title" not in _fields(row.message)
    assert all(WORDS.values())


def _fields(message: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(message) if name}
