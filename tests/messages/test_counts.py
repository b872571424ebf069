"""Files of message counts: what is corrected, what is refused, and that no word ever gets in."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bridge import installation
from bridge.config import load
from bridge.domain.errors import BadRecord
from bridge.domain.metrics import METRICS, Metric
from bridge.domain.records import User
from bridge.domain.types import Outcome, Sample
from bridge.ingest import runs
from bridge.ingest.files import DiskFile
from bridge.store import Store
from connectors.messages.files import COUNTS_MAX_BYTES, UNREADABLE_REASONS, normalise, read, recognise
from tests.world import NOW

WORDS = "see you at eight"
Rows = dict[str, float]  # "2026-11-20/contacts" -> value


@pytest.fixture
def ana(store: Store) -> User:
    return store.people.add_user("ana", "Europe/Berlin", now=NOW)


def put(store: Store, user: User, place: Path, text: str, *, hours: int = 0) -> Outcome:
    """Import a file with this content."""
    place.write_text(text, encoding="utf-8", newline="")
    bridge = installation.Bridge(settings=load(), store=store)
    return runs.import_path(bridge, user, place, at=NOW + timedelta(hours=hours)).outcomes[0]


def rows(store: Store, user: User, *, hours: int = 99) -> Rows:
    return {sample.key: sample.value for _, sample in store.reading.samples(user.id, at=NOW + timedelta(hours=hours))}


def test_a_corrected_file_updates_its_rows_and_forgets_what_was_wrong_with_it(
    store: Store, ana: User, tmp_path: Path
) -> None:
    place = tmp_path / "counts.csv"
    first = put(store, ana, place, "date,contacts,messages\n2026-11-18,3,9\n2026-11-19,x,4\n2026-11-20,5,6\n")
    assert (first.outcome, first.new, first.set_aside) == ("ok", 3, 1)
    assert first.reasons == ("messages/day: contacts is not a count (1)",)
    put(store, ana, tmp_path / "old.csv", "date,contacts\n2025-11-18,1\nyesterday,2\n", hours=1)
    fixed = "date,contacts,messages\n2026-11-18,4,9\n2026-11-19,2,4\n2026-11-20,5,\n"
    again = put(store, ana, place, fixed, hours=2)
    assert (again.new, again.updated, again.deleted, again.set_aside) == (1, 2, 1, 0)
    wanted = {"2026-11-18/contacts": 4.0, "2026-11-18/messages": 9.0, "2026-11-19/contacts": 2.0}
    wanted |= {"2026-11-19/messages": 4.0, "2026-11-20/contacts": 5.0, "2025-11-18/contacts": 1.0}
    assert rows(store, ana) == wanted
    assert rows(store, ana, hours=1)["2026-11-18/contacts"] == 3.0
    (connection,) = store.connections.of_user(ana.id)
    assert [reason for _, reason in store.ingest.set_aside(connection.id)] == [
        f"messages/day: {UNREADABLE_REASONS['date']}"
    ]
    assert put(store, ana, place, fixed, hours=3).unchanged == 3


def test_a_file_without_messages_leaves_those_of_another(store: Store, ana: User, tmp_path: Path) -> None:
    put(store, ana, tmp_path / "a.csv", "date,contacts,messages\n2026-11-18,3,9\n")
    put(store, ana, tmp_path / "b.csv", "date,contacts\n2026-11-18,4\n", hours=1)
    assert rows(store, ana) == {"2026-11-18/contacts": 4.0, "2026-11-18/messages": 9.0}


@pytest.mark.parametrize(
    "text",
    [
        f"date,contacts,text\n2026-11-18,3,{WORDS}\n",
        f"date,contacts,{WORDS}\n2026-11-18,3,1\n",
        f"date,contacts,\n2026-11-18,3,{WORDS}\n",
        f"date,contacts,contacts\n2026-11-18,3,{WORDS}\n",
        f'date,contacts,"{WORDS}\n2026-11-18,3,1\n',
    ],
)
def test_a_file_with_any_other_column_is_refused(store: Store, ana: User, tmp_path: Path, text: str) -> None:
    outcome = put(store, ana, tmp_path / "chat.csv", text)
    assert outcome.outcome == "failed"
    ((file, reason),) = outcome.failed_files
    assert file == "chat.csv"
    assert "has other columns than" in reason
    assert WORDS not in reason
    assert rows(store, ana) == {}


def test_no_word_is_kept_or_told(database_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Every byte of the database and every line of the logs is searched."""
    caplog.set_level(logging.DEBUG)
    store = Store(database_url)
    user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
    bad = [f"2026-11-18,3,{WORDS}", f"{WORDS},3", f"2026-11-19,{WORDS}", f'2026-11-19,"{WORDS}', "2026-11-20,2"]
    outcome = put(store, user, tmp_path / "counts.csv", "date,contacts\n" + "\n".join(bad))
    put(store, user, tmp_path / "chat.csv", f"date,contacts,text\n2026-11-18,3,{WORDS}\n")
    assert (outcome.set_aside, rows(store, user)) == (4, {"2026-11-20/contacts": 2.0})
    kept = str(store.exports.dump(user.id)) + str(list(_everything(database_url))) + caplog.text + str(outcome)
    store.close()
    assert "2026-11-20" in kept
    assert WORDS not in kept


def _everything(url: str) -> Iterator[object]:
    """Every row of every table."""
    engine = sa.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    tables = sa.MetaData()
    with engine.connect() as connection:
        tables.reflect(connection)
        for table in tables.tables.values():
            yield from connection.execute(sa.select(table))
    engine.dispose()


@pytest.mark.parametrize(("each", "outcome"), [(3, "ok"), (2, "ok"), (1, "failed")])
def test_lines_are_read_one_by_one_and_a_file_of_mostly_others_is_told(
    store: Store, ana: User, tmp_path: Path, each: int, outcome: str
) -> None:
    lines = ["date,contacts", *[f"2026-11-{n:02},{n if n % each else 'x'}" for n in range(1, 21)]]
    for hours in range(2):
        found = put(store, ana, tmp_path / "counts.csv", "\n".join(lines), hours=hours)
        assert (found.outcome, found.set_aside) == (outcome, 20 // each)
        assert ["most of its rows" in why for _, why in found.failed_files] == [True] * (outcome == "failed")
    assert len(rows(store, ana)) == 20 - 20 // each


def file_of(tmp_path: Path, content: bytes, name: str = "counts.csv") -> DiskFile:
    (tmp_path / name).write_bytes(content)
    return DiskFile(tmp_path / name, name)


@pytest.mark.parametrize(
    ("name", "content", "known"),
    [
        ("counts.csv", b"date,contacts", True),
        ("COUNTS.CSV", b'\xef\xbb\xbf"Date" ; CONTACTS;messages\r\n', True),
        ("counts.csv", b"contacts\tdate\n", True),
        ("chat.csv", b"date,contacts,text\n", True),
        ("counts.txt", b"date,contacts\n", False),
        ("counts.csv", b"date,messages\n", False),
        ("counts.csv", b"\ndate,contacts\n", False),
        ("counts.csv", b"", False),
        ("counts.csv", b"\x00\xff\xfe", False),
    ],
)
def test_it_is_known_by_its_columns(tmp_path: Path, name: str, content: bytes, known: bool) -> None:
    assert recognise(file_of(tmp_path, content, name)) is known


def test_a_file_of_a_hundred_thousand_years_is_refused(store: Store, ana: User, tmp_path: Path) -> None:
    outcome = put(store, ana, tmp_path / "counts.csv", "date,contacts\n" + "\n" * COUNTS_MAX_BYTES)
    assert "far larger" in outcome.failed_files[0][1]


DAYS = st.dates(date(2020, 1, 1), date(2030, 12, 31))
HIGH = int(METRICS[Metric.CONTACTS].high)
COUNTS = st.integers(0, HIGH)
GOOD = st.tuples(DAYS, st.one_of(COUNTS, st.none()), st.sampled_from(["{}", "{}.0", " {} ", '"{}"']))
NO_COUNT = st.one_of(
    st.integers(max_value=-1),
    st.integers(min_value=HIGH + 1),
    st.floats(0.1, 0.9),
    st.text(st.characters(exclude_categories=("Cs", "Zs"), exclude_characters='\r\n,;\t"'), min_size=1).map(
        "w".__add__
    ),
).map(str)
NO_DAY = st.sampled_from(["20261120", "2026-W47-5", "2026-02-30", "0001-01-01", "20.11.2026", "", "٢٠٢٦-١١-٢٠", '"'])
BAD = st.one_of(
    st.builds("{},{}".format, DAYS, NO_COUNT),
    st.builds("{},{}".format, NO_DAY, COUNTS),
    st.builds("{},{},{}".format, DAYS, COUNTS, NO_COUNT),
    st.builds('{},"{}'.format, DAYS, NO_COUNT),
)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(st.one_of(GOOD, BAD, st.just(""))), end=st.sampled_from(["\n", "\r\n", "\r"]), mark=st.booleans())
def test_every_line_counts_or_is_set_aside(
    tmp_path: Path, lines: list[tuple[date, int | None, str] | str], end: str, mark: bool
) -> None:
    """The first good line of a date counts; all others are set aside with a reason from the list, and no word kept."""
    wanted: dict[date, int | None] = {}
    aside, texts = 0, ["date,contacts"]
    for line in lines:
        if isinstance(line, str):
            texts.append(line)
            aside += bool(line)
            continue
        day, count, pattern = line
        texts.append(f"{day}," + ("" if count is None else pattern.format(count)))
        aside += day in wanted
        wanted.setdefault(day, count)
    content = end.join(texts).encode("utf-8-sig" if mark else "utf-8")
    pages = list(read(file_of(tmp_path, content), zone="UTC"))
    records = [record for page in pages for record in page.records]
    assert len({record.path for record in records}) == len(records)
    found: list[Sample] = []
    reasons: list[str] = []
    for record in records:
        try:
            found += normalise(record, None)  # type: ignore[arg-type]
        except BadRecord as error:
            reasons.append(str(error))
            assert set(record.payload) == {"unreadable"}
    assert {s.day: s.value for s in found} == {day: count for day, count in wanted.items() if count is not None}
    assert len(reasons) == aside
    assert set(reasons) <= {f"messages/day: {reason}" for reason in UNREADABLE_REASONS.values()}
