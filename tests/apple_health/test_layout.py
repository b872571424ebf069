"""The quick way through Apple's layout and the XML parser come to the same rows."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Callable
from datetime import date
from functools import lru_cache
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.domain.errors import CutShort
from bridge.domain.types import RawRecord
from connectors.apple.export import columns, parts, reading
from connectors.apple.export.columns import instants
from connectors.apple.export.units import instant
from lab.people.apple import Plan, write
from tests.apple_health.documents import Text, document, quantity, records, steps

ATTRIBUTE = re.compile(rb' ([a-zA-Z]+)="([^"]*)"')


@lru_cache(maxsize=4)
def export(seed: int, *, american: bool = False) -> bytes:
    content = io.BytesIO()
    last = date(2026, 10, 3)
    write(Plan(seed=seed, days=3, last=last, american=american, sparse=True, version=13), content.write)
    return content.getvalue()


def shuffled(content: bytes, rng: random.Random) -> bytes:
    """The same elements with their attributes in any order, which the quick way does not know."""

    def again(found: re.Match[bytes]) -> bytes:
        attributes = ATTRIBUTE.findall(found[0])
        rng.shuffle(attributes)
        return b"<Record" + b"".join(b" %s='%s'" % pair for pair in attributes)

    return re.sub(rb'<Record(?: [a-zA-Z]+="[^"]*")+', again, content)


def parsed(content: bytes) -> list[RawRecord]:
    """By the XML parser alone."""
    with patch.object(reading, "columns", lambda _: None):
        return records(Text(content))


@given(seed=st.integers(0, 10**6), american=st.booleans(), chunk=st.integers(2_000, 90_000))
@settings(max_examples=6, deadline=None)
def test_both_ways_come_to_the_same(seed: int, american: bool, chunk: int) -> None:
    content = export(seed, american=american)
    whole = parsed(content)
    with (
        patch.object(reading, "CHUNK", chunk),
        patch.object(reading, "PIECE_MAX", chunk),
        patch.object(parts, "PIECE_MIN", chunk * 3 // 4),
    ):
        assert records(Text(content)) == whole
        assert records(Text(shuffled(content, random.Random(seed)))) == whole


def test_the_quick_way_reads_nearly_everything_of_an_export() -> None:
    content = export(1)
    others = re.search(rb"<(Correlation|Workout|ActivitySummary) ", content)
    assert others is not None
    rows = content[content.index(b"<Record") : others.start()].rpartition(b"<Record ")[0]
    found = columns.columns(rows)
    assert found is not None
    assert len(found.heads) == rows.count(b"<Record ")


HIDDEN = steps(999, "2026-11-10 08:00:00 +0100", "2026-11-10 08:10:00 +0100").encode()
ODD = st.sampled_from(
    [
        b"<!-- a comment with <Record in it -->",
        b"<![CDATA[<Record ]]>",
        b'<Correlation type="x">' + HIDDEN + b"</Correlation>",
        b"<Unknown><Record/></Unknown>",
        b"\x0b\x00",
        b"some text",
        b"\xff",
        b"&undefined;",
        b"<Record ",
        b'<?pi <Record type="x"?>',
    ]
)


@pytest.mark.slow
@given(odd=ODD, at=st.integers(0, 200), chunk=st.integers(500, 20_000))
@settings(max_examples=40, deadline=None)
def test_odd_things_between_rows_are_read_the_same_way(odd: bytes, at: int, chunk: int) -> None:
    rows = export(7).split(b"\n <Record ")
    at = 1 + at % (len(rows) - 1)
    content = b"\n <Record ".join(rows[:at]) + b"\n" + odd + b"\n <Record " + b"\n <Record ".join(rows[at:])
    with (
        patch.object(reading, "CHUNK", chunk),
        patch.object(reading, "PIECE_MAX", chunk),
        patch.object(parts, "PIECE_MIN", chunk * 3 // 4),
    ):
        found = told(lambda: records(Text(content)))
    wanted = told(lambda: parsed(content))
    if odd not in (b"&undefined;", b"\xff", b"some text"):  # where a parser stops at text, the quick way goes on
        assert found == wanted


def told(read: Callable[[], list[RawRecord]]) -> list[RawRecord] | str:
    """The records, or why there are none."""
    try:
        return read()
    except CutShort as error:
        return str(error)


@given(st.lists(st.text("0123456789-+: T", min_size=20, max_size=27) | st.datetimes().map(str), max_size=8))
def test_times_in_columns_are_times_one_by_one(texts: list[str]) -> None:
    texts += ["2024-02-29 23:59:59 -0330", "2023-02-29 00:00:00 +0000", "2024-13-01 00:00:00 +0000"]
    texts += ["2024-01-01 24:00:00 +0000", "2024-01-01 00:00:60 +0000", "1889-01-01 00:00:00 +0000"]
    found = instants([text.encode() for text in texts]).tolist()
    assert [None if at != at else at for at in found] == [instant(text) for text in texts]


def test_a_comment_hides_what_is_in_it() -> None:
    hidden = steps(99, "2026-11-10 09:00:00 +0100", "2026-11-10 09:10:00 +0100")
    shown = quantity("HeartRate", 60, "count/min", "2026-11-10 08:00:00 +0100")
    (found,) = records(document(shown, f"<!--\n {hidden}\n {hidden}\n -->", shown))
    assert found.stream == "heart_rate"
