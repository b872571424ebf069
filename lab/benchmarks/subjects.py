"""Records, files and observations to measure with, and the same operations without the product."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from pathlib import Path
from time import process_time
from typing import Any

from bridge import registry
from bridge.domain.metrics import Metric
from bridge.domain.records import Connection
from bridge.domain.types import Item, RawRecord, Sample
from bridge.store import Store
from lab.evaluation.deployed import Life
from policies.adaptive import trust
from policies.planner import particle_filter
from rhythm_env.interface import Observation

PAGE = 2500
NOW = datetime(2026, 1, 1, tzinfo=UTC)
METRICS = (Metric.HRV_RMSSD, Metric.RESTING_HR, Metric.RECOVERY_SCORE)
Pages = Sequence[Sequence[RawRecord]]
Row = tuple[int | float | str | bytes, ...]


def made(records: int, *, shift: float = 0.0) -> Pages:
    """Return pages of ``records`` records in all. ``shift`` changes their values."""
    nights = [
        RawRecord(stream="night", key=f"night-{i}", payload={"i": i, "v": 50 + i % 40 + shift, "note": "x" * 200})
        for i in range(records)
    ]
    return [nights[begin : begin + PAGE] for begin in range(0, records, PAGE)]


def normalise(record: RawRecord, _parent: RawRecord | None) -> Sequence[Item]:
    start = NOW + timedelta(minutes=int(str(record.payload["i"])))
    value = float(str(record.payload["v"]))
    return [Sample(key=str(m), metric=m, start=start, offset=60, day=start.date(), value=value) for m in METRICS]


def landed(store: Store, connection: Connection, pages: Pages, *, hours: int) -> float:
    """Store all pages, each in its own transaction, and return the CPU seconds."""
    begun = process_time()
    for page in pages:
        with store.transaction():
            store.ingest.land(connection, page, normalise, version=1, now=NOW + timedelta(hours=hours))
            store.ingest.save_cursor(connection.id, "night", page[-1].key, 1)
    return process_time() - begun


def bare_twice(path: Path, pages: Pages, again: Pages) -> tuple[float, float]:
    """Write pages and then their changed versions with the driver alone, and return the CPU seconds of both.

    A change reads the stored rows by their keys, keeps the old values of samples as JSON, and updates what changed.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.executescript(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
            "CREATE TABLE records (id INTEGER PRIMARY KEY, stream TEXT, key TEXT, hash BLOB, UNIQUE (stream, key));"
            "CREATE TABLE arrivals (id INTEGER PRIMARY KEY, record_id INTEGER, arrived_at INTEGER, payload BLOB);"
            "CREATE INDEX arrivals_record ON arrivals (record_id);"
            "CREATE TABLE samples (id INTEGER PRIMARY KEY, record_id INTEGER, key TEXT, start INTEGER, day TEXT,"
            " value REAL, known_at INTEGER, UNIQUE (record_id, key));"
            "CREATE INDEX samples_day ON samples (day, key);"
            "CREATE TABLE revisions (id INTEGER PRIMARY KEY, record_id INTEGER, known_at INTEGER, body TEXT);"
            "CREATE INDEX revisions_record ON revisions (record_id);"
        )
        begun, number = process_time(), 0
        for page in pages:
            rows = list(_rows(page, number))
            db.execute("BEGIN IMMEDIATE")
            db.executemany("INSERT INTO records VALUES (?, ?, ?, ?)", [row[0] for row in rows])
            db.executemany("INSERT INTO arrivals VALUES (NULL, ?, ?, ?)", [row[1] for row in rows])
            db.executemany(
                "INSERT INTO samples VALUES (NULL, ?, ?, ?, ?, ?, ?)", [sample for row in rows for sample in row[2]]
            )
            db.execute("COMMIT")
            number += len(page)
        first, begun, number = process_time() - begun, process_time(), 0
        for page in again:
            _change(db, list(_rows(page, number)), page)
            number += len(page)
        return first, process_time() - begun


SOME = 400  # keys or ids per query


def _change(db: sqlite3.Connection, rows: Sequence[tuple[Row, Row, Sequence[Row]]], page: Sequence[RawRecord]) -> None:
    db.execute("BEGIN IMMEDIATE")
    for begin in range(0, len(page), SOME):
        some = rows[begin : begin + SOME]
        marks = ",".join("?" * len(some))
        keys = [record.key for record in page[begin : begin + SOME]]
        db.execute(f"SELECT * FROM records WHERE stream = 'night' AND key IN ({marks})", keys).fetchall()  # noqa: S608
        ids = [record[0] for record, _, _ in some]
        old = db.execute(f"SELECT * FROM samples WHERE record_id IN ({marks})", ids).fetchall()  # noqa: S608
        db.executemany(
            "INSERT INTO revisions VALUES (NULL, ?, ?, ?)", [(row[1], row[6], json.dumps(row)) for row in old]
        )
    changed = [(value, at, record_id, key) for *_, samples in rows for record_id, key, _, _, value, at in samples]
    db.executemany("UPDATE samples SET value = ?, known_at = ? WHERE record_id = ? AND key = ?", changed)
    db.executemany("INSERT INTO arrivals VALUES (NULL, ?, ?, ?)", [arrival for _, arrival, _ in rows])
    db.executemany("UPDATE records SET hash = ? WHERE id = ?", [(record[3], record[0]) for record, _, _ in rows])
    db.execute("COMMIT")


def _rows(page: Sequence[RawRecord], number: int) -> Iterator[tuple[Row, Row, Sequence[Row]]]:
    at = int(NOW.timestamp() * 1_000_000)
    for record_id, record in enumerate(page, start=number + 1):
        text = json.dumps(record.payload, sort_keys=True).encode()
        mark = hashlib.blake2b(text, digest_size=16).digest()
        samples = tuple((record_id, str(m), at, "2026-01-01", 50.0, at) for m in METRICS)
        yield (record_id, record.stream, record.key, mark), (record_id, at, zlib.compress(text)), samples


FIRST = date(2026, 9, 1)
IMPORTED = datetime(2026, 11, 20, 9, tzinfo=UTC)


def write_fit(folder: Path, days: int) -> None:
    """Write a FIT file of a watch for each of ``days`` days, with Garmin's encoder."""
    from lab.people.watch_files import watch_day

    for number in range(days):
        day = FIRST + timedelta(days=number)
        (folder / f"{number:03}_WELLNESS.fit").write_bytes(watch_day(day, steps=7000 + 50 * number))


def decode_fit(folder: Path) -> None:
    """Read all FIT files with Garmin's decoder. Raises SystemExit for errors."""
    from garmin_fit_sdk import Decoder, Stream

    for place in sorted(folder.glob("*.fit")):
        errors: list[Any] = Decoder(Stream.from_file(str(place))).read()[1]
        if errors:
            raise SystemExit(f"the decoder failed: {errors}")


A_SLOT = timedelta(hours=6)  # between two answers
POLICY = "adaptive"


def observed(answers: int) -> Observation:
    """Return an observation with ``answers`` answers in its history, one per slot."""
    life = Life(3)
    weeks = answers // 28 + 2
    for _ in islice(life.live(registry.policy("random"), weeks), answers):
        pass
    last = next(life.live(registry.policy("random"), 1, first=weeks)).observation
    found = tuple(replace(one, at=life.answers[0].at + A_SLOT * n) for n, one in enumerate(life.answers[:answers]))
    return replace(last, history=found)


def forget() -> None:
    """Empty the policies' caches of this process."""
    trust.SHARED, particle_filter.SHARED = trust.Listening(), particle_filter.Memory()
