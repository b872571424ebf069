"""The piecewise reader sees what ``json`` sees, whatever the chunks, and never more than it must."""

from __future__ import annotations

import io
import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.ingest import json_stream
from bridge.ingest.json_stream import Broken, Json
from connectors.apple.auto_export import files
from tests.pushed import Body

leaves = st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats(allow_nan=False, allow_infinity=False)
documents = st.recursive(
    leaves | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=30
)


class Slow(io.BytesIO):
    """Gives a few bytes at a time, as a network does."""

    def read(self, size: int | None = -1) -> bytes:
        return super().read(min(7, size) if size and size > 0 else 7)


def walked(document: Json) -> Any:
    """The next value, read by its parts."""
    match document.peek():
        case "{":
            return {name: walked(document) for name in document.members()}
        case "[":
            return [walked(document) for _ in document.elements()]
        case _:
            return document.value()


@given(documents, st.booleans(), st.sampled_from([None, 1]))
@settings(max_examples=150, deadline=None)
def test_every_way_of_reading_gives_the_same(document: Any, ascii_only: bool, indent: int | None) -> None:
    content = json.dumps(document, ensure_ascii=ascii_only, indent=indent).encode("utf-8", "surrogatepass")
    try:
        content.decode()
    except UnicodeDecodeError:
        return
    assert walked(Json(Slow(content))) == document
    assert Json(Slow(content)).value() == document
    skipped = Json(Slow(content + b" \n"))
    skipped.skip()
    skipped.end()


@given(documents, st.integers(0, 10_000))
@settings(max_examples=100, deadline=None)
def test_what_is_cut_off_is_said_to_be(document: Any, at: int) -> None:
    content = json.dumps({"all": document}).encode()
    cut = content[: at % len(content)]
    for read in (walked, Json.value, Json.skip):
        with pytest.raises(Broken):
            read(Json(Slow(cut)))


@pytest.mark.parametrize(
    "content", [b"[1 2]", b'{"a" 1}', b"{1: 2}", b"nope", b'"\xff"', b"9" * 5000, b'"' + b"[" * 9000]
)
def test_what_is_no_json_is_refused(content: bytes) -> None:
    with pytest.raises(Broken):
        walked(Json(io.BytesIO(content)))


def test_what_is_nested_beyond_all_measure_is_refused() -> None:
    for read in (Json.value, Json.skip):
        with pytest.raises(Broken):
            read(Json(io.BytesIO(b"[" * 100_000 + b"1")))


class Endless(io.RawIOBase):
    """A text that never ends."""

    def __init__(self) -> None:
        self.given = 0

    def read(self, size: int = -1) -> bytes:
        self.given += size
        return b'"' + b"x" * (size - 1) if self.given == size else b"x" * size


@pytest.mark.parametrize("read", [Json.value, Json.skip])
def test_a_value_beyond_all_measure_is_not_gathered(read: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "VALUE_MAX_CHARS", 1 << 20)
    endless = Endless()
    with pytest.raises(Broken):
        read(Json(endless))  # type: ignore[arg-type]
    assert endless.given < 8 << 20


def test_a_route_of_any_length_is_passed_over_in_little_memory() -> None:
    point = b'{"latitude":1.0,"longitude":2.0,"altitude":3,"timestamp":"2026-11-18 07:00:00 +0100"},'
    start = b'{"data":{"workouts":[{"name":"Run","start":"2026-11-18 07:00:00 +0100","route":['
    content = start + point * 25_000 + b'{}],"end":"2026-11-18 08:00:00 +0100"}]}}'
    tracemalloc.start()
    try:
        (page,) = files.read(Body(content), zone="UTC")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert page.records[0].payload["end"] == page.records[0].payload["start"] + 3600
    assert peak < len(content) / 2  # some chunks
