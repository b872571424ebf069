"""What a database or a file system answers becomes one kind of fault, and a damaged copy is no backup."""

from __future__ import annotations

import errno
import random
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa

from bridge.domain.errors import BridgeError, Fault, SetupError, StoreFault
from bridge.store import Store, faults
from bridge.store.locks import Locks, SingletonLock

NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)
PAGE_BYTES = 4096


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (errno.ENOSPC, Fault.FULL),
        (errno.EDQUOT, Fault.FULL),
        (errno.EROFS, Fault.READ_ONLY),
        (errno.EIO, Fault.FAILING),
        (errno.ENOENT, None),
    ],
)
def test_an_error_of_the_system_has_its_kind(number: int, kind: Fault | None) -> None:
    assert faults.kind_of(OSError(number, "")) is kind


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("state", "kind"),
    [
        ("53100", Fault.FULL),
        ("25006", Fault.READ_ONLY),
        ("55P03", Fault.LOCKED),
        ("XX001", Fault.DAMAGED),
        ("XX002", Fault.DAMAGED),
        ("58030", Fault.FAILING),
    ],
)
def test_what_postgresql_says_has_its_kind(postgres: Store, state: str, kind: Fault) -> None:
    raised = sa.text(f"DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '{state}'; END $$")
    with pytest.raises(StoreFault) as told, postgres.database.write() as db:
        db.execute(raised)
    assert told.value.kind is kind
    assert postgres.database.fault is kind
    assert postgres.database.damage() is None  # its pages match their checksums


def _filled(path: Path) -> None:
    with closing(Store(f"sqlite:///{path}")) as store:
        for number in range(300):
            store.people.add_user(f"person-{number}", "UTC", now=NOW)


def _torn(path: Path, seed: int) -> None:
    """Overwrite three pages of a file that hold rows, as a disk would."""
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        pages = file.execute("PRAGMA page_count").fetchone()[0]
    dice = random.Random(seed)
    with path.open("r+b") as raw:
        for page in dice.sample(range(1, pages), 3):
            raw.seek(page * PAGE_BYTES)
            raw.write(dice.randbytes(PAGE_BYTES))


@pytest.mark.parametrize("seed", range(12))
def test_three_torn_pages_never_become_a_backup(tmp_path: Path, seed: int) -> None:
    path, saved = tmp_path / "bridge.db", tmp_path / "saved.backup"
    _filled(path)
    _torn(path, seed)
    assert faults.damage(path) is not None
    saved.write_bytes(b"the backup of yesterday")
    with pytest.raises(BridgeError, match="damaged"), closing(Store(f"sqlite:///{path}")) as store:
        store.maintenance.backup(saved)
    assert saved.read_bytes() == b"the backup of yesterday"
    assert not list(tmp_path.glob("*.part*"))


def test_a_lock_tells_a_held_file_from_a_broken_one(tmp_path: Path) -> None:
    path = tmp_path / "bridge.db"
    with closing(Store(f"sqlite:///{path}")) as store:
        engine = store.database.engine
        with (
            closing(SingletonLock(engine, "daemon")) as first,
            closing(SingletonLock(engine, "daemon")) as second,
        ):
            assert first.taken()
            assert not second.taken()
        Path(f"{path}.sealing.lock").write_bytes(b"no lock" * 1000)
        with pytest.raises(StoreFault) as told, Locks(engine).hold("sealing"):
            pass
        assert told.value.kind is Fault.DAMAGED


def test_a_restore_keeps_the_damaged_file(tmp_path: Path) -> None:
    from bridge.store.maintenance import set_damaged_aside

    path = tmp_path / "bridge.db"
    _filled(path)
    url = f"sqlite:///{path}"
    assert set_damaged_aside(url, NOW) is None
    _torn(path, 1)
    torn = path.read_bytes()
    with closing(SingletonLock(sa.create_engine(url), "daemon")) as lock:
        assert lock.taken()
        with pytest.raises(SetupError, match="a daemon works at this store"):
            set_damaged_aside(url, NOW)
    aside = set_damaged_aside(url, NOW)
    assert aside is not None
    assert aside.read_bytes() == torn
    assert not path.exists()
