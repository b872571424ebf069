"""Errors of a writer whose database is locked for long, or full: what to do, and nothing of what it wrote."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

from bridge.domain.errors import TryLater
from bridge.domain.records import Correction
from bridge.store import Store, database
from tests.world import NOW

TITLE = "Chemotherapy"


@contextmanager
def written_by_another(path: Path) -> Iterator[None]:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")  # as for a rebuild
        yield


def test_a_writer_that_waits_for_long_is_told_to_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0)
    with closing(Store(f"sqlite:///{tmp_path / 'bridge.db'}")) as store:
        with written_by_another(tmp_path / "bridge.db"), pytest.raises(TryLater, match="try again when it is done"):
            store.people.add_user("ana", "UTC", now=NOW)
        assert store.people.add_user("ana", "UTC", now=NOW).name == "ana"


def test_a_full_disk_keeps_nothing_and_its_error_tells_no_title(tmp_path: Path) -> None:
    with closing(Store(f"sqlite:///{tmp_path / 'bridge.db'}")) as store:
        user = store.people.add_user("ana", "UTC", now=NOW)
        with store.database.write() as db:  # type: ignore[attr-defined]
            pages = db.exec_driver_sql("PRAGMA page_count").scalar_one()
            db.exec_driver_sql(f"PRAGMA max_page_count={pages}")
        with pytest.raises(TryLater, match="make room") as told:
            store.people.add_correction(user.id, correction(1, length=10_000))
        assert TITLE not in f"{told.value}{told.value.__cause__}"
        assert store.people.corrections(user.id) == []


def test_what_no_error_of_ours_covers_tells_no_title_either(store: Store) -> None:
    with pytest.raises(sa.exc.IntegrityError) as told:
        store.people.add_correction(7, correction(1))
    assert TITLE not in str(told.value)


def correction(number: int, *, length: int = 1) -> Correction:
    return Correction(series=f"s{number}", title=TITLE * length, action=None, made_at=NOW)
