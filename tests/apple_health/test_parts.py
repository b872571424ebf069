"""Exports one after the other: what is known of the last one is not read again, and the store is the same."""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest
import sqlalchemy as sa
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from bridge import installation
from bridge.config import load
from bridge.domain.records import User
from bridge.domain.types import Outcome
from bridge.ingest import runs
from bridge.ingest.imports import PARTS_STREAM
from bridge.store import Store, tables
from connectors.apple.export import parts, reading
from connectors.apple.export.parts import Memory, Part, unpacked
from lab.people.apple import Plan, write
from tests.world import NOW

PLAN = Plan(seed=5, days=160, last=date(2026, 9, 15), sparse=True)  # three days before, the phone was in another offset
ROW = re.compile(rb" <Record [^\n]*(?:/>|>\n(?:  [^\n]*\n)*? </Record>)\n")
KEPT = {
    "records": ("stream", "key", "hash", "deleted", "reason", "version", "as_of", "whole_as_of"),
    "samples": ("key", "start", "end", "day", "value", "count", "low", "high"),
    "episodes": ("key", "day", "body"),
    "covered": ("stream", "prefix", "as_of"),
}


@cache
def exported(later: int) -> bytes:
    """The export of a life, some days later, with a twentieth of its rows."""
    found: list[bytes] = []
    write(replace(PLAN, days=PLAN.days + later, last=PLAN.last + timedelta(days=later)), found.append)
    return ROW.sub(lambda row: row[0] if zlib.crc32(row[0]) % 20 == 0 else b"", b"".join(found))


def edited(content: bytes, how: str, seed: int) -> bytes:
    """The export after the user, an app or the phone did something to it."""
    chance = random.Random(seed)
    rows = [found.span() for found in ROW.finditer(content)]
    begin, end = chance.choice(rows)
    row = content[begin:end]
    match how:
        case "a row less":
            return content[:begin] + content[end:]
        case "a row twice":
            return content[:end] + content[begin:]
        case "another value":
            return content[:begin] + re.sub(rb' value="[^"]*"', b' value="63"', row) + content[end:]
        case "an odd value":
            return content[:begin] + re.sub(rb' value="[^"]*"', b' value="odd"', row) + content[end:]
        case "other addresses":
            return re.sub(rb"0x28([0-9a-f]+)", rb"0x1f\g<1>", content)
        case "a row moved":
            place = chance.choice(rows)[0]
            rest = content[:begin] + content[end:]
            place -= len(row) if place > begin else 0
            return rest[:place] + row + rest[place:]
        case "cut off":
            return content[:begin]
    return content


CHANGES = (
    "",
    "a row less",
    "a row twice",
    "another value",
    "an odd value",
    "other addresses",
    "a row moved",
    "cut off",
)
EXPORTS = st.lists(
    st.tuples(st.sampled_from([0, 1, -3]), st.sampled_from(CHANGES), st.integers(0, 50)), min_size=2, max_size=4
)


@contextmanager
def small_pieces() -> Iterator[None]:
    """Pieces of a size that fits the small exports of a test."""
    with ExitStack() as stack:
        for module, name, size in (
            (reading, "CHUNK", 5000),
            (reading, "PIECE_MAX", 8000),
            (parts, "PIECE_MIN", 6000),
        ):
            stack.enter_context(patch.object(module, name, size))
        yield


def person(store: Store) -> tuple[installation.Bridge, User]:
    user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
    return installation.Bridge(settings=load(), store=store), user


def imported(bridge: installation.Bridge, user: User, place: Path, *, forgets: bool = False) -> Outcome:
    if forgets:
        for connection in bridge.store.connections.of_user(user.id):
            bridge.store.ingest.drop_cursors(connection.id)
    (outcome,) = runs.import_path(bridge, user, place, at=NOW).outcomes
    streams = {name: count for name, count in outcome.streams.items() if name != PARTS_STREAM}
    return replace(outcome, seconds=0.0, streams=streams)


def stored(store: Store) -> dict[str, list[Any]]:
    with store.database.engine.connect() as db:
        return {
            name: sorted(map(repr, db.execute(sa.select(*(tables.metadata.tables[name].c[c] for c in columns)))))
            for name, columns in KEPT.items()
        }


def compared(several: list[tuple[int, str, int]]) -> Outcome:
    """Import exports with a memory and without any, and return the last outcome. The stores must be equal all along."""
    with TemporaryDirectory() as folder, ExitStack() as stack:
        stack.enter_context(small_pieces())
        bridges = [person(stack.enter_context(_opened())) for _ in range(2)]
        place, names = Path(folder) / "export.xml", set[bytes]()
        for later, how, seed in several:
            content = edited(exported(later), how, seed)
            place.write_bytes(content)
            outcomes = [
                imported(bridge, user, place, forgets=forgets)
                for (bridge, user), forgets in zip(bridges, (False, True), strict=True)
            ]
            if content not in names:  # else one of them does not read the file at all
                assert outcomes[0] == outcomes[1]
            names.add(content)
            assert stored(bridges[0][0].store) == stored(bridges[1][0].store)
    return outcomes[0]


@pytest.mark.slow
@given(EXPORTS)
@settings(max_examples=8, deadline=None, phases=[Phase.generate])  # each takes a second
def test_a_memory_changes_nothing(several: list[tuple[int, str, int]]) -> None:
    compared(several)


def test_a_changed_old_row_is_found() -> None:
    outcome = compared([(0, "", 0), (0, "another value", 7)])  # active energy, in June
    assert (outcome.new, outcome.deleted) == (0, 0)
    assert 1 <= outcome.updated < 10


@contextmanager
def _opened() -> Iterator[Store]:
    store = Store("sqlite://")
    try:
        yield store
    finally:
        store.close()


def test_a_new_day_reads_a_part_of_the_file(tmp_path: Path) -> None:
    read: list[int] = []
    real = reading.columns
    with small_pieces(), _opened() as store:
        bridge, user = person(store)
        place = tmp_path / "export.xml"
        for later in (0, 1):
            read.append(0)

            def counted(piece: bytes) -> Any:
                read[-1] += len(piece)
                return real(piece)

            place.write_bytes(edited(exported(later), "other addresses", 0) if later else exported(later))
            with patch.object(reading, "columns", counted):
                outcome = imported(bridge, user, place)
        assert outcome.unchanged > 0.9 * sum(outcome.streams.values())
        assert 0 < read[1] < 0.6 * read[0]


@given(
    st.builds(
        Part,
        st.floats(0, 2e9),
        st.floats(0, 2e9),
        st.dictionaries(st.integers(0, 2000), st.integers(0, 2**64 - 1)),
        st.lists(st.tuples(st.floats(6e8, 4e9) | st.integers(600_000_000, 10**9).map(float), st.sampled_from("ab"))),
    )
)
def test_a_memory_survives_being_stored(part: Part) -> None:
    memory = Memory("as", 5.5, 7.5, {"mark": part}, {"2026-01": parts.Month("m", {"day": 31})})
    assert unpacked(memory.packed()) == memory


@pytest.mark.parametrize("text", [None, "", "{}", "x" * 40, Memory("as").packed()[:-3]])
def test_an_unreadable_memory_is_none(text: str | None) -> None:
    assert unpacked(text) is None
