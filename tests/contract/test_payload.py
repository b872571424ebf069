"""Readers that all connectors share, with exact units, bounded instants, offsets, and errors that name the field."""

from __future__ import annotations

import doctest
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

import pytest

from bridge.domain.errors import BadRecord, SourceChanged
from bridge.domain.metrics import Metric
from bridge.domain.types import EpisodeKind, RawRecord
from connectors import answers, instants, payload, windows
from connectors.answers import listing, token_pages
from connectors.payload import Fields
from connectors.windows import Window

NIGHT = {
    "type": "long",
    "start": "2026-10-24T23:10:00+02:00",
    "end": "2026-10-25T06:40:00+01:00",
    "score": {"asleep": 25_200, "efficiency": 0.93, "energy": 418.4, "nothing": None, "text": "61"},
}


def fields(**other: object) -> Fields:
    return Fields.of("pebble", RawRecord(stream="sleep", key="1", payload=NIGHT | other))


def test_a_table_reads_fields_by_path_into_the_metrics_units() -> None:
    table: payload.Table = {
        Metric.ASLEEP: ("score.asleep", payload.SECONDS),
        Metric.SLEEP_EFFICIENCY: ("score.efficiency", payload.SHARE),
        Metric.TOTAL_ENERGY: ("score.energy", payload.KILOJOULES),
        Metric.SLEEP_SCORE: "score.nothing",
        Metric.HRV_RMSSD: "score.text",
        Metric.RESTING_HR: "score.absent.deeper",
    }
    assert fields().measured(table) == {
        Metric.ASLEEP: 420.0,
        Metric.SLEEP_EFFICIENCY: pytest.approx(93),
        Metric.TOTAL_ENERGY: pytest.approx(100),
        **dict.fromkeys((Metric.SLEEP_SCORE, Metric.HRV_RMSSD, Metric.RESTING_HR)),
    }
    assert all(fields(n=60 * n).number("n", payload.SECONDS) == n for n in range(1, 1500))


def test_a_stretch_has_the_offset_and_the_date_of_its_end_or_its_own() -> None:
    night = fields().stretch("start", "end")
    assert (night.offset, night.day, night.minutes) == (60, date(2026, 10, 25), 510)
    assert fields().stretch("start", "end").on_start().day == date(2026, 10, 24)
    assert fields(day="2026-10-26").stretch("start", "end", day="day").day == date(2026, 10, 26)
    episode = night.episode(EpisodeKind.SLEEP, "1", {Metric.ASLEEP: 420.0, Metric.AWAKE: None, Metric.IN_BED: -1.0})
    assert (episode.end - episode.start, episode.values) == (timedelta(minutes=510), {Metric.ASLEEP: 420.0})


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("end", "2026-10-25T06:40:00", "end is not an instant"),  # without an offset
        ("end", 10**400, "end is not an instant"),
        ("start", "9999-12-31T23:59:59-23:00", "start is not an instant"),
        ("start", "2026-10-30T00:00:00Z", "it ends before it starts, or days later"),
        ("start", "2026-10-02T00:00:00Z", "it ends before it starts, or days later"),
    ],
)
def test_a_record_with_an_unreadable_time_is_set_aside_with_the_field(field: str, value: object, reason: str) -> None:
    with pytest.raises(BadRecord) as told:
        fields(**{field: value}).stretch("start", "end")
    assert str(told.value) == f"pebble/sleep: {reason}"


@pytest.mark.parametrize(
    ("read", "path", "value", "reason"),
    [
        ("key", "id", True, "id is missing"),
        ("day", "day", "2026-02-30", "day is not a date"),
        ("zone", "zone", "../Berlin", "zone is no known time zone"),
        ("offset", "tz", "later", "tz is not an offset from UTC"),
    ],
)
def test_a_required_field_is_named_and_its_value_is_not(read: str, path: str, value: object, reason: str) -> None:
    with pytest.raises(BadRecord) as told:
        getattr(fields(**{path: value}), read)(path)
    assert str(told.value) == f"pebble/sleep: {reason}"


def test_a_stretch_of_unix_times_is_bounded_and_needs_an_offset() -> None:
    start = 1_795_000_000
    times = fields(start=1000 * start, end=1000 * (start + 600), east=-600)
    walk = times.stretch("start", "end", offset="east", per_second=1000).on_start()
    assert (walk.start.timestamp(), walk.minutes, walk.offset, walk.day) == (start, 10, -600, date(2026, 11, 18))
    for odd, reason in ((None, "end is not an instant"), (1000 * start - 1, "it ends before it starts")):
        with pytest.raises(BadRecord, match=reason):
            fields(start=1000 * start, end=odd, east=60).stretch("start", "end", offset="east", per_second=1000)
    with pytest.raises(BadRecord, match="east is not an offset"):
        fields(day="2026-11-20", east="late").civil_day("day", offset="east")


def test_words_choose_and_unknown_words_are_set_aside() -> None:
    assert fields().choice("type", {"long": EpisodeKind.SLEEP, "rest": None}) is EpisodeKind.SLEEP
    with pytest.raises(BadRecord, match="type is missing or unknown"):
        fields(type=["long"]).choice("type", {"long": 1})


@pytest.mark.parametrize(
    ("text", "minutes"),
    [("+05:30", 330), ("-0300", -180), ("Z", 0), ("2026-10-25T06:40:00-10:00", -600), ("", None), (60, None)],
)
def test_offsets_are_minutes_east_of_utc(text: object, minutes: int | None) -> None:
    assert instants.written_offset(text) == minutes


def test_instants_come_in_every_notation_and_are_bounded() -> None:
    noon = datetime(2026, 10, 25, 12, tzinfo=UTC)
    assert instants.utc("2026-10-25T13:00:00+01:00") == noon
    assert instants.utc("2026-10-25T13:00:00", zone=ZoneInfo("Europe/Berlin")) == noon
    assert instants.utc_of_naive("2026-10-25T12:00:00.0") == noon
    assert instants.utc_of_unix(noon.timestamp()) == noon
    assert instants.utc_of_unix(noon.timestamp() * 1000, per_second=1000) == noon
    wrong = (instants.utc("1989-01-01T00:00:00Z"), instants.utc_of_unix(1e14), instants.utc_of_unix(True))
    assert wrong == (None, None, None)
    assert instants.utc("1944-05-01T00:00:00Z", instants.EVENT_YEARS) is not None
    assert instants.offset_between(noon + timedelta(hours=1), noon) == 60
    assert instants.offset_between(noon + timedelta(hours=20), noon) is None


def test_a_sum_with_a_missing_part_is_missing() -> None:
    assert (payload.total(1.0, 2.0), payload.total(1.0, None), payload.total()) == (3.0, None, 0)


def test_an_answer_of_another_shape_is_told_apart_from_an_empty_one() -> None:
    assert listing({"body": {"rows": []}}, "body.rows", "pebble", "sleep") == []
    for body in ({"rows": None}, {"rows": [1]}, [], None):
        with pytest.raises(SourceChanged, match="pebble answered sleep in an unknown shape"):
            listing(body, "rows", "pebble", "sleep")


def test_a_page_that_was_named_before_ends_the_listing_whatever_its_parameter_is() -> None:
    answers = {"": "a", "a": "b", "b": "a"}
    pages = token_pages(lambda more: {"next": answers[more.get("page", "")]}, parameter="page", field="next")
    assert [next(pages)["next"] for _ in range(3)] == ["a", "b", "a"]
    with pytest.raises(SourceChanged, match="the same next page again and again"):
        next(pages)


def test_a_factor_is_exact() -> None:
    assert Fraction(1, 60) == payload.SECONDS
    assert Fraction("4.184") == 1 / payload.KILOJOULES


NOW = datetime(2026, 11, 20, 23, 30, tzinfo=UTC)
WEEK = timedelta(days=7)


@pytest.mark.parametrize(
    ("cursor", "since", "again"),
    [
        (None, date(2026, 10, 22), False),
        ('{"until": "2026-11-20"}', date(2026, 11, 13), True),
        ('{"until": "2026-12-20"}', date(2026, 10, 22), False),  # a clock that was far ahead
        ('{"until": "2026-03-01"}', date(2026, 2, 22), True),  # an absence: all of it
    ],
)
def test_a_window_reads_the_last_days_again(cursor: str | None, since: date, again: bool) -> None:
    window = Window.after(cursor, now=NOW, days=30, overlap=WEEK)
    assert (window.since, window.until, window.again) == (since, date(2026, 11, 21), again)


def test_pieces_join_and_the_cursor_stays_behind_now() -> None:
    window = Window.after(None, now=NOW, days=30, overlap=WEEK)
    pieces = list(window.pieces(14))
    assert [(str(a), str(b)) for a, b in pieces] == [
        ("2026-10-22", "2026-11-04"),
        ("2026-11-05", "2026-11-18"),
        ("2026-11-19", "2026-11-21"),
    ]
    assert [window.cursor(last) for _, last in pieces][-1] == '{"until": "2026-11-20"}'
    assert window.covers(window.until) is None  # a first pull covers nothing
    again = Window.after('{"until": "2026-11-20"}', now=NOW, days=30, overlap=WEEK)
    assert again.covers(date(2026, 11, 15)) is None
    covers = again.covers(again.until)
    assert covers is not None
    assert covers.since == datetime(2026, 11, 14, tzinfo=UTC)


def test_a_list_that_tells_the_last_days_alone_is_not_read_beyond_them() -> None:
    for cursor in (None, '{"until": "2026-03-01"}', '{"until": "2026-10-30"}'):
        window = Window.after(cursor, now=NOW, days=365, overlap=WEEK, held=28)
        assert window.since == date(2026, 10, 25)
    again = Window.after('{"until": "2026-11-20"}', now=NOW, days=365, overlap=WEEK, held=28)
    assert (again.since, again.again) == (date(2026, 11, 13), True)


def test_the_examples_of_the_readers_are_true() -> None:
    assert [doctest.testmod(module).failed for module in (answers, instants, payload, windows)] == [0, 0, 0, 0]


@pytest.mark.parametrize("odd", ["", "PT", "P1D", "PT1S1H", "an hour", "PT99999H", None, 3120])
def test_a_duration_that_is_none_is_set_aside(odd: object) -> None:
    with pytest.raises(BadRecord, match="lasted is not a duration"):
        fields(lasted=odd).duration("lasted")


@pytest.mark.parametrize("odd", [None, -1, 1e14, True, "60", 3 * 86_401])
def test_a_length_in_seconds_that_is_none_is_set_aside(odd: object) -> None:
    with pytest.raises(BadRecord, match="lasted is not a duration"):
        fields(lasted=odd).duration("lasted", per_second=1)
    assert fields(lasted=90_000).duration("lasted", per_second=1000) == timedelta(seconds=90)


@pytest.mark.parametrize("odd", [None, 0.5, 1000, True, "60"])
def test_an_offset_that_is_none_is_set_aside(odd: object) -> None:
    with pytest.raises(BadRecord, match="east is not an offset"):
        fields(east=odd).offset("east")
    assert fields(east=-600).offset("east") == -600


@pytest.mark.parametrize(
    ("zone", "start", "offset"),
    [
        ("America/New_York", datetime(2026, 11, 1, 4, tzinfo=UTC), -240),  # clocks change in that night
        ("../Berlin", datetime(2026, 11, 1, tzinfo=UTC), None),
    ],
)
def test_a_civil_day_begins_at_midnight_of_its_zone(zone: str, start: datetime, offset: int | None) -> None:
    found = fields(date="2026-11-01", tz=zone).day_in("date", "tz")
    assert (found.start, found.end, found.offset, found.day) == (start, None, offset, date(2026, 11, 1))


def test_a_stretch_of_the_wall_clock_is_bounded() -> None:
    with pytest.raises(BadRecord, match="days later"):
        fields(start="2026-11-20T00:30:00", east=60, lasted="PT100H").wall_stretch("start", "east", duration="lasted")
