"""Quick ways give what the plain ways give: indexed tasks, kept indexes, equal events, remembered imports, counts."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import nullcontext
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge import installation, meters, registry
from bridge.advice.recommend import load_snapshot
from bridge.calendar.expansion import midnight
from bridge.calendar.facts import deadline_pressure, still_open
from bridge.calendar.plans import effort_of
from bridge.config import load
from bridge.domain.metrics import Metric
from bridge.domain.ports import Invitation
from bridge.domain.records import User
from bridge.domain.slots import ZoneSpan
from bridge.domain.types import Page, RawRecord, Sample, Task
from bridge.ingest import runs
from bridge.ingest.sync import Source, _Pull, sync
from bridge.meters.habit import LEAST_HISTORY, SPAN, Amounts, against
from bridge.meters.hours import Tasks
from bridge.store import Store, codec, inserts, rows
from bridge.store.tables import instant
from bridge.web.today_cache import TodayCache
from tests.store.toy import HOUR, connected, day, land, normalise
from tests.store.toy import T0 as TOY_TIME
from tests.world import NOW

T0 = datetime(2026, 11, 20, 9, tzinfo=UTC)
BERLIN = (ZoneSpan(since=datetime(2020, 1, 1, tzinfo=UTC), zone="Europe/Berlin"),)
DAY = timedelta(days=1)
hours = st.integers(-2000, 2000)
tasks = st.lists(
    st.builds(
        lambda due, done, effort: Task(
            key="t",
            list="l",
            due=None if due is None else (T0 + due * DAY).date(),
            completed=None if done is None else T0 + done * HOUR,
            effort=effort,
        ),
        st.none() | st.integers(-90, 90),
        st.none() | hours,
        st.none() | st.floats(0, 60),
    ),
    max_size=12,
)


@settings(deadline=None, max_examples=200)
@given(tasks, st.lists(hours, min_size=1, max_size=4))
def test_indexed_tasks_are_those_that_a_search_finds(some: list[Task], instants: list[int]) -> None:
    index = Tasks(some, BERLIN)
    kept = [one.completed for one in some if one.completed is not None]
    kept += [end - DAY - effort_of(one) * HOUR for one in some if one.due for end in [midnight(one.due + DAY, BERLIN)]]
    for at in (T0 + hour * HOUR for hour in instants):
        assert index.pressure(at) == (deadline_pressure(some, at, BERLIN) if at >= min(kept, default=at) else None)
        near = [end for _, end in still_open(some, at, BERLIN) if end <= at + 7 * DAY]
        assert [end for end, *_ in index.open(at) if end <= at + 7 * DAY] == near
        done = [one.completed for one in some if one.completed is not None and at - 7 * DAY <= one.completed <= at]
        assert index.done(at - 7 * DAY, at) == done


@settings(deadline=None, max_examples=200)
@given(
    st.lists(st.tuples(st.integers(-1200, 30).map(lambda n: T0 + n * HOUR), st.floats(0.1, 3)), max_size=40),
    st.integers(-900, -100),
    st.integers(-48, 48),
)
def test_amounts_are_compared_with_the_same_hours_of_four_weeks(
    amounts: list[tuple[datetime, float]], begun: int, hour: int
) -> None:
    begin, at, half = T0 + begun * HOUR, T0 + hour * HOUR, timedelta(days=4)
    index = Amounts(amounts, begin)
    days = len({(at - known) // DAY for known, _ in amounts if at - 28 * DAY < known <= at})
    assert index.is_kept(at, days)
    assert not index.is_kept(at, days + 1)
    before = [index.left(at - k * DAY, half) for k in range(1, 29) if at - k * DAY >= begin]
    found = Amounts(amounts, begin).compared(at, least_days=1, half_life=half, longest=half)
    silent = not any(at - SPAN < known <= at for known, _ in amounts)
    if silent or not days or len(before) < LEAST_HISTORY:
        assert found is None
    else:
        assert found is not None
        assert found.z == against(index.left(at, half), before)


@pytest.fixture
def ana() -> tuple[installation.Bridge, User]:
    store = Store("sqlite://")
    return installation.Bridge(settings=load(), store=store), store.people.add_user("ana", "Europe/Berlin", now=NOW)


def test_the_meters_of_a_day_are_read_from_one_index(ana: tuple[installation.Bridge, User]) -> None:
    bridge, user = ana
    connection = bridge.store.connections.connect(user.id, "toy", "toy", now=NOW)
    bridge.store.ingest.land(
        connection, [day(f"2026-01-{n:02}", n % 5) for n in range(1, 28)], normalise, version=1, now=TOY_TIME
    )
    cache, first = TodayCache(), datetime(2026, 1, 29, 0, 30, tzinfo=UTC)
    for at in (first + n * HOUR for n in range(0, 60, 3)):
        plain = load_snapshot(bridge, user, at=max(at, TOY_TIME))
        found = cache.today(bridge, user, max(at, TOY_TIME)).readings
        assert found == meters.read(plain)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.sampled_from(["Lunch", "Focus", "Gym with Sam", "日会議", ""]), min_size=1, max_size=12), st.data())
def test_equal_events_get_the_label_that_each_gets_alone(titles: list[str], data: st.DataObject) -> None:
    classifier = registry.classifier("linear")
    asked = [Invitation(title=title, others=data.draw(st.integers(0, 2))) for title in titles]
    together = dict(zip(dict.fromkeys(asked), classifier.classify(list(dict.fromkeys(asked))), strict=True))
    assert [together[one] for one in asked] == [classifier.classify([one])[0] for one in asked]


numbers = st.floats() | st.integers(-(10**6), 10**6)
instants = st.integers(0, 4 * 10**15).map(lambda n: T0 + timedelta(microseconds=n))
any_samples = st.builds(
    Sample,
    key=st.text(),
    metric=st.sampled_from(Metric),
    start=instants,
    end=st.none() | instants,
    offset=st.none() | st.integers(-900, 900),
    day=st.dates(),
    value=numbers,
    device=st.none() | st.text(),
    count=st.none() | st.integers(-(10**6), 10**6),
    low=st.none() | numbers,
    high=st.none() | numbers,
)


@settings(deadline=None, max_examples=200)
@given(any_samples)
def test_a_sample_is_written_as_json_writes_it(sample: Sample) -> None:
    """The texts of revisions written by hand are those of the ``json`` module, and read back as equal samples."""
    body = {one.name: getattr(sample, one.name) for one in fields(sample)}
    text = codec.encode(sample)
    assert text == json.dumps({k: v for k, v in body.items() if v is not None}, default=lambda at: at.isoformat())
    assert codec.decode("sample", text) == sample or "NaN" in text


OTHER: dict[str, object] = {
    "value": 51.0,
    "count": 2,
    "low": 49.5,
    "high": 52.0,
    "metric": Metric.RESPIRATORY_RATE,
    "device": "another watch",
    "start": T0 - HOUR,
    "end": T0 + 2 * HOUR,
    "offset": -300,
    "day": (T0 + DAY).date(),
}


@pytest.mark.parametrize("changed", OTHER)
def test_a_changed_sample_has_the_row_of_its_new_version(store: Store, changed: str) -> None:
    """Change a sample's figures alone, which is a shorter update, or more of it."""
    connection = connected(store)
    old = Sample(key="s", metric=Metric.RESTING_HR, start=T0, end=T0 + HOUR, offset=60, day=T0.date(), value=50.0)
    new = replace(old, **{changed: OTHER[changed]})  # type: ignore[arg-type]
    for sample, at in ((old, TOY_TIME), (new, TOY_TIME + HOUR)):
        record = RawRecord(stream="day", key="d", payload={"at": at.isoformat()})
        store.ingest.land(connection, [record], lambda *_, sample=sample: [sample], version=1, now=at)
    assert [one for _, one in store.reading.samples(connection.user_id)] == [new]
    assert [one for _, one in store.reading.samples(connection.user_id, at=TOY_TIME)] == [old]


def test_records_are_found_by_any_number_of_keys(store: Store) -> None:
    connection = connected(store)
    with mock.patch.object(inserts, "VALUES_MAX", 7):
        pages = [[day(f"d{key}", n) for key in range(15)] for n in (1, 1, 2)]
        outcomes = [land(store, connection, *page, now=TOY_TIME + n * HOUR) for n, page in enumerate(pages)]
    assert [set(one) for one in outcomes] == [{"new"}, {"unchanged"}, {"updated"}]
    found = [one for _, one in store.reading.samples(connection.user_id)]
    items = [item for record in pages[-1] for item in normalise(record, None)]
    assert Counter(found) == Counter(items)


def test_rows_are_counted_as_they_are_read(store: Store) -> None:
    connection = connected(store)
    land(store, connection, *(day(f"d{n}", n % 6) for n in range(12)))
    plain: Counter[str] = Counter(str(one.metric) for _, one in store.reading.samples(connection.user_id))
    plain.update(str(one.kind) for _, one in store.reading.episodes(connection.user_id))
    counted = dict(store.reading.counts(connection.user_id)[connection.source])
    assert {kind: n for kind, n in counted.items() if kind not in ("event", "task")} == dict(plain)
    assert counted.get("task", 0) == len(store.reading.tasks(connection.user_id))


def test_the_newest_measurement_and_the_starts_are_those_of_the_rows(store: Store) -> None:
    connection = connected(store)
    land(store, connection, *(day(f"d{n}", n % 6) for n in range(12)))
    found = [one for _, one in store.reading.samples(connection.user_id)]
    found_ends = [one.end or one.start for one in found]
    ends = [*found_ends, *(one.end for _, one in store.reading.episodes(connection.user_id))]
    for at in sorted({*ends, min(ends) - HOUR, max(ends) + HOUR}):
        newest = store.reading.newest_measurement(connection.id, at)
        within = [end for end in found_ends if end <= at]
        if within:
            assert newest is not None
            assert newest >= max(within)
            assert newest in ends
    with store.database.read() as db:
        ids = list(range(1, 13))
        plain: dict[int, list[datetime | None]] = {}
        for kind, of in rows.current(db, ids).items():
            for number, kept in of.items():
                plain.setdefault(number, []).extend(_start(kind, one.values) for one in kept.values())
        earliest = {n: None if None in of else min(of) for n, of in plain.items()}
        assert rows.first_starts(db, ids) == earliest


def _start(kind: str, values: Any) -> datetime | None:
    """Return the start of an item from its row's values."""
    if isinstance(values, Sample):
        return values.start
    if kind in ("episode", "task"):
        start: datetime | None = getattr(codec.decode(kind, values[-1]), "start", None)
        return start
    at = values[rows.OWN_COLUMNS[kind].index("start")]
    return None if at is None else instant(at)


def calendar(title: str) -> bytes:
    return (
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:one\r\nDTSTAMP:20261101T000000Z\r\n"
        f"DTSTART:20261120T100000Z\r\nDTEND:20261120T110000Z\r\nSUMMARY:{title}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    ).encode()


def test_the_files_of_the_last_import_are_not_read_again_but_older_files_are(
    ana: tuple[installation.Bridge, User], tmp_path: Path
) -> None:
    bridge, user = ana
    first, other = tmp_path / "a" / "mine.ics", tmp_path / "b" / "mine.ics"
    for place in (first, other):
        place.parent.mkdir()
    first.write_bytes(calendar("First"))
    other.write_bytes(calendar("Other"))

    def imported(place: Path) -> tuple[int, int, list[str | None]]:
        outcome = runs.import_path(bridge, user, place, at=NOW).outcomes[0]
        events = bridge.store.reading.events(user.id, since=NOW - DAY, until=NOW + DAY)
        return outcome.new + outcome.updated, outcome.unchanged, [event.title for _, event in events]

    assert imported(first)[2] == ["First"]
    changed, unchanged, titles = imported(first)
    assert (changed, titles) == (0, ["First"])
    assert unchanged > 0
    assert imported(other)[2] == ["Other"]
    assert imported(first)[2] == ["First"]
    first.write_bytes(calendar("Third"))
    assert imported(first)[2] == ["Third"]


def test_a_newer_export_of_the_same_changes_the_date_alone(store: Store) -> None:
    connection = connected(store)
    whole = [replace(day(f"d{n}", n % 4), as_of=TOY_TIME - DAY) for n in range(6)]
    land(store, connection, *whole)
    later = [replace(one, as_of=TOY_TIME) for one in whole]
    assert set(land(store, connection, *later)) == {"unchanged"}
    older: RawRecord = replace(day("d3", 9), as_of=TOY_TIME - HOUR)
    assert land(store, connection, older) == ["unchanged"]
    samples: list[Sample] = [one for _, one in store.reading.samples(connection.user_id)]
    again = [replace(one, as_of=TOY_TIME + HOUR) for one in whole[:5]]
    land(store, connection, *again)
    assert [one for _, one in store.reading.samples(connection.user_id)] == samples


pulled = st.lists(
    st.builds(
        Page,
        stream=st.just("day"),
        records=st.lists(st.integers(0, 5), max_size=2).map(lambda ns: tuple(day(f"d{n}", n) for n in {*ns})),
        cursor=st.none() | st.sampled_from("ab"),
        member=st.none() | st.sampled_from(["ana", "ben"]),
    ),
    max_size=4,
)


@settings(deadline=None, max_examples=12)
@given(st.lists(pulled, min_size=1, max_size=3))
def test_pages_that_bring_nothing_leave_the_store_as_if_they_were_stored(pulls: list[list[Page]]) -> None:
    def left(*, plain: bool) -> object:
        store = Store("sqlite://")
        connection = store.connections.by_id(connected(store).id)
        spec = replace(registry.spec("whoop"), name="toy", streams=("day",), shares_limit=False)
        with mock.patch.object(_Pull, "_is_stored", return_value=False) if plain else nullcontext():
            for number, pages in enumerate(pulls):
                assert connection is not None
                connector = SimpleNamespace(pull=lambda *_, pages=pages, **__: iter(pages), close=lambda: None)
                source = Source(connection=connection, spec=spec, open=lambda c=connector: c, normalise=normalise)
                assert sync(source, store, holder="test", now=TOY_TIME + number * HOUR).outcome == "ok"
                connection = store.connections.by_id(connection.id)
        assert connection is not None
        rows = store.reading.samples(connection.user_id), store.reading.episodes(connection.user_id)
        return rows, store.ingest.cursors(connection.id, spec.cursor_version), connection.member

    assert left(plain=False) == left(plain=True)
