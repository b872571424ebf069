"""Texts that are long, odd or damaged: what can be read lands, and nothing else is raised."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lab
from bridge.domain.errors import BadRecord, BridgeError, SourceChanged
from bridge.domain.types import Event
from connectors.icalendar.meaning import of_file as normalise
from connectors.ics.files import recognise
from connectors.ics.parse import PAGE_COMPONENTS, pages
from tests.ics.components import AT_EIGHT, calendar, records, utc, vevent, vtodo


class TestDamage:
    HEAD = ("X-WR-CALNAME:Club / Team", "X-WR-TIMEZONE:America/New_York")

    @pytest.mark.parametrize(
        "broken",
        [
            ["BEGIN:VEVENT", "no line at all", "END:VEVENT"],
            ["BEGIN:VEVENT", "UID:2", "BEGIN:VALARM", "END:VEVENT"],
            ["BEGIN:VEVENT", "UID:2", 'DTSTART;TZID="Europe:20261119T080000', "END:VEVENT"],
            ["BEGIN:VFREEBUSY", "no line at all", "END:VFREEBUSY"],
            ["X", "no line at all"],
            ["BEGIN:VEVENT", "UID:2", AT_EIGHT],
        ],
    )
    def test_one_component_takes_no_other_along(self, broken: list[str]) -> None:
        found = records(*self.HEAD, *vevent("DTSTART:20261119T080000"), *broken, *vtodo(uid="3"))
        good = {record.key: record for record in found}
        (first,) = normalise(good["Club   Team/1"], None)
        assert isinstance(first, Event)
        assert (first.start, first.zone) == (utc("2026-11-19T13:00"), "America/New_York")
        if broken[-1] != AT_EIGHT:  # without an end it swallows what follows
            assert "Club   Team/3" in good

    def test_what_is_broken_keeps_its_key(self) -> None:
        lines = [*self.HEAD, "X", *vevent(AT_EIGHT), "BEGIN:VEVENT", "UID:2", '"', "END:VEVENT"]
        assert [r.key for r in records(*lines)] == [r.key for r in records(*lines)]

    @pytest.mark.parametrize("content", [b"BEGIN:VCALENDAR\r\nnothing", b"BEGIN:VCARD\r\nEND:VCARD\r\n"])
    def test_no_calendar_at_all_is_one_clear_line(self, content: bytes) -> None:
        with pytest.raises(SourceChanged, match=r"^the file holds no calendar; export it again$"):
            list(pages(content, name="x", zone="UTC"))

    def test_any_case_marks_and_blanks_are_read(self) -> None:
        text = b"\xef\xbb\xbf\r\n" + calendar(*vevent(AT_EIGHT)).lower().replace(b"t080000z", b"T080000Z")
        (found, *_) = [r for page in pages(text, name="x", zone="UTC") for r in page.records]
        (item,) = normalise(found, None)
        assert isinstance(item, Event)

    def test_text_that_is_no_utf_8_costs_its_letters_only(self) -> None:
        text = calendar(*vevent(AT_EIGHT, "SUMMARY:Büro")).decode().encode("latin-1")
        (found,) = [r for page in pages(text, name="x", zone="UTC") for r in page.records]
        (item,) = normalise(found, None)
        assert isinstance(item, Event)
        assert item.start == utc("2026-11-19T08:00")


def test_long_calendars_come_in_pages_and_the_last_of_a_stream_covers_it() -> None:
    lines = [line for n in range(PAGE_COMPONENTS + 1) for line in vevent(AT_EIGHT, uid=str(n))]
    found = list(pages(calendar(*lines, *vtodo()), name="x", zone="UTC"))
    assert [(p.stream, len(p.records), p.covers is not None) for p in found] == [
        ("event", PAGE_COMPONENTS, False),
        ("event", 1, True),
        ("task", 1, True),
    ]


class Head:
    name, path, size = "x.ics", "x.ics", 1

    def __init__(self, head: bytes) -> None:
        self.head = head


@pytest.mark.parametrize(
    ("head", "known"),
    [
        (b"BEGIN:VCALENDAR\r\n", True),
        (b"\xef\xbb\xbf \r\n\r\nbegin:vcalendar", True),
        (b"BEGIN:VCARD\r\n", False),
        (b"", False),
        (b"PK\x03\x04", False),
        (b"<html>BEGIN:VCALENDAR", False),
    ],
)
def test_files_are_known_by_their_head(head: bytes, known: bool) -> None:
    assert recognise(Head(head)) is known  # type: ignore[arg-type]


TEXT = "\r\n".join([*lab.account("ics", "awkward")["text"], ""]).encode()
SPLICES = (
    b"",
    b"\r\n",
    b":",
    b";",
    b'"',
    b"\x00",
    b"\xff",
    b"END:VEVENT",
    b"BEGIN:VTIMEZONE\r\n",
    b"99999999",
    b"T",
    b"-",
)


@pytest.mark.slow
@pytest.mark.timeout(600)
@settings(max_examples=300, deadline=None)
@given(st.integers(0, len(TEXT)), st.integers(0, 40), st.sampled_from(SPLICES))
def test_no_damage_to_a_text_raises_anything_unexpected(at: int, cut: int, splice: bytes) -> None:
    damaged = TEXT[:at] + splice + TEXT[at + cut :]
    try:
        found = [record for page in pages(damaged, name="x", zone="Europe/Berlin") for record in page.records]
    except BridgeError:
        return
    for record in found:
        json.dumps(record.payload)
        try:
            normalise(copy.deepcopy(record), None)
        except BadRecord:
            continue
