"""Raw records that are old go and nothing else does; backups hold all, of either database, also while others write."""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa

from bridge import installation
from bridge.config import load
from bridge.daemon import housekeeping
from bridge.domain.errors import Fault, SetupError, StoreFault, TryLater
from bridge.domain.records import Correction
from bridge.domain.types import Page, RawRecord
from bridge.ingest import connecting, runs
from bridge.ingest.sync import store_page, sync
from bridge.leases import LEASE
from bridge.store import Store, database, maintenance
from bridge.store.maintenance import no_progress
from tests.world import NOW, World, contents, living

LATER = NOW + timedelta(days=100)


@pytest.fixture
def world(store: Store) -> Iterator[World]:
    with living(store, "whoop", "week") as found:
        found.sync()
        yield found


def bridge_of(store: Store) -> installation.Bridge:
    return installation.Bridge(settings=load(), store=store)


def raw(store: Store) -> int:
    with store.database.read() as db:  # type: ignore[attr-defined]
        return int(db.execute(sa.text("SELECT count(*) FROM arrivals")).scalar_one())


def test_what_a_crash_left_of_uploads_goes_after_a_day_and_with_the_person(tmp_path: Path) -> None:
    with closing(Store(f"sqlite:///{tmp_path / 'bridge.db'}")) as store:
        bridge, user = bridge_of(store), store.people.add_user("ana", "UTC", now=NOW)
        old, fresh = (bridge.settings.uploads / str(user.id) / name for name in ("old", "fresh"))
        for folder in (old, fresh):
            folder.mkdir(parents=True)
            (folder / "export.zip").touch()
        os.utime(old, (0, 0))
        housekeeping.tidy(bridge, now=NOW)
        assert (old.exists(), fresh.exists()) == (False, True)
        connecting.forget(bridge, user)
        assert not fresh.exists()


def test_forgetting_that_could_not_be_finished_is_said_again(tmp_path: Path) -> None:
    """The name of a person stays until all else has gone, files and deleted bytes too."""
    path = tmp_path / "bridge.db"
    with closing(Store(f"sqlite:///{path}")) as store, living(store, "whoop", "week") as world:
        bridge = installation.Bridge(settings=load(), store=store)
        uploads = bridge.settings.uploads / str(world.user.id)
        uploads.parent.mkdir(parents=True)
        uploads.symlink_to(tmp_path)
        with pytest.raises(SetupError, match="then: bridge forget --user ana"):
            connecting.forget(bridge, world.user)
        uploads.unlink()
        engine = store.database.engine  # type: ignore[attr-defined]
        engine.dispose()
        sa.event.listen(engine, "connect", _without_vacuum)
        with pytest.raises(SetupError, match="then: bridge forget --user ana"):
            connecting.forget(bridge, store.people.user("ana"))
        assert store.connections.of_user(world.user.id) == []
        sa.event.remove(engine, "connect", _without_vacuum)
        engine.dispose()
        connecting.forget(bridge, store.people.user("ana"))
        assert store.people.users() == []
        assert b"ana" not in b"".join(file.read_bytes() for file in tmp_path.glob("bridge.db*"))


def test_nobody_is_forgotten_while_another_reads_what_they_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a backup of a large store does for minutes: until then the deleted bytes are in the file."""
    monkeypatch.setattr(database, "BUSY_SECONDS", 0)
    url = f"sqlite:///{tmp_path / 'bridge.db'}"
    with closing(Store(url)) as store, closing(Store(url)) as other:
        bridge, user = bridge_of(store), store.people.add_user("ana", "UTC", now=NOW)
        store.people.add_correction(user.id, Correction(series="s", title="Chemotherapy", action=None, made_at=NOW))
        with other.database.read() as db:  # type: ignore[attr-defined]
            assert db.exec_driver_sql("SELECT title FROM corrections").scalar_one() == "Chemotherapy"
            with pytest.raises(SetupError, match=r"still in the database's file .*then: bridge forget --user ana"):
                connecting.forget(bridge, user)
        connecting.forget(bridge, store.people.user("ana"))
        assert b"Chemotherapy" not in b"".join(file.read_bytes() for file in tmp_path.glob("bridge.db*"))


def test_a_consent_of_which_no_vendor_is_told_is_named(tmp_path: Path) -> None:
    """A Garmin key lasts until its owner deletes it."""
    with closing(Store(f"sqlite:///{tmp_path / 'bridge.db'}")) as store, living(store, "garmin", "empty") as world:
        assert connecting.forget(bridge_of(store), world.user) == ["garmin"]


def _without_vacuum(connection: sqlite3.Connection, _record: object) -> None:
    """VACUUM attaches the file it makes."""
    connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_DENY * (action == sqlite3.SQLITE_ATTACH))


def test_old_raw_records_go_and_what_they_mean_stays(world: World) -> None:
    store, before = world.store, world.contents()
    had = raw(store)
    assert housekeeping.tidy(bridge_of(store), now=NOW + timedelta(days=80)).raw == 0
    gone = housekeeping.tidy(bridge_of(store), now=LATER)
    left = raw(store)
    assert gone.raw > 0
    assert left == had - gone.raw > 0  # sleeps, which recoveries are read with
    assert world.contents() == before
    assert world.sync(at=LATER).new == 0  # what comes again is known
    assert runs.rebuild(bridge_of(store), world.user, None)
    assert world.contents() == before
    assert not housekeeping.is_due(bridge_of(store), now=LATER + timedelta(hours=23))
    assert housekeeping.is_due(bridge_of(store), now=LATER + timedelta(hours=24))
    assert housekeeping.is_due(bridge_of(store), now=NOW)  # the clock was ahead


def test_nothing_is_rebuilt_while_it_is_synced_nor_synced_while_it_is_rebuilt(world: World) -> None:
    """On PostgreSQL, what a sync lands beside a rebuild would be lost for good."""
    bridge, number = bridge_of(world.store), world.connection.id
    assert world.store.scheduling.claim(number, "a sync", now=installation.now(), lease=LEASE)
    with pytest.raises(TryLater, match="whoop is being synced"):
        runs.rebuild(bridge, world.user, None)
    world.store.scheduling.release(number, "a sync")
    beside: list[bool] = []

    def look(_done: int, _total: int) -> None:
        beside.append(world.store.scheduling.claim(number, "a sync", now=installation.now(), lease=LEASE))

    runs.rebuild(bridge, world.user, None, progress=look)
    assert set(beside) == {False}
    assert world.store.scheduling.lease_holder(number) is None


def test_a_record_that_changed_lately_keeps_all_its_versions(world: World) -> None:
    store = world.store
    cycle = world.vendor.account["cycles"][0]
    cycle["score"]["strain"] = 19.5
    cycle["updated_at"] = (NOW + timedelta(days=1)).isoformat().replace("+00:00", "Z")
    assert world.sync(at=NOW + timedelta(days=2)).updated == 1
    before, versions = world.contents(), raw(store)
    gone = housekeeping.tidy(bridge_of(store), now=NOW + timedelta(days=91))
    assert gone.raw == versions - raw(store) > 0
    runs.rebuild(bridge_of(store), world.user, None)
    assert world.contents() == before


def test_a_clock_that_is_ahead_for_one_look_deletes_nothing(world: World) -> None:
    bridge, had = bridge_of(world.store), raw(world.store)
    assert housekeeping.daily(bridge, now=LATER).raw == 0  # the first time
    housekeeping.daily(bridge, now=NOW)
    assert housekeeping.daily(bridge, now=LATER).raw == 0
    assert housekeeping.daily(bridge, now=NOW + timedelta(days=1)).raw == 0
    assert raw(world.store) == had
    for day in range(2):
        gone = housekeeping.daily(bridge, now=LATER + timedelta(days=day))
    assert gone.raw > 0


def test_looking_for_what_is_old_waits_for_no_writer(world: World, database_url: str) -> None:
    with closing(Store(database_url)) as other, other.transaction():
        other.people.add_user("ben", "UTC", now=NOW)
        assert world.store.maintenance.tidy(NOW - timedelta(days=1), ()).raw == 0
        assert world.store.scheduling.repair_clock(now=NOW, lease=LEASE) == 0


def test_a_file_that_cannot_be_rewritten_now_is_told_as_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bridge.db"
    monkeypatch.setattr(database, "BUSY_SECONDS", 0)
    with closing(Store(f"sqlite:///{path}")) as store, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("CREATE TABLE large AS SELECT randomblob(3000000)")
        other.execute("DROP TABLE large")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreFault, match="another process writes"):
            store.maintenance.compact()


@pytest.mark.postgres
def test_a_deadlock_is_told_as_a_lock_that_another_try_may_get(postgres: Store) -> None:
    users, both = [postgres.people.add_user(name, "UTC", now=NOW).id for name in ("ana", "ben")], threading.Barrier(2)
    faults: list[StoreFault] = []

    def change(first: int, second: int) -> None:
        try:
            with postgres.transaction():
                postgres.people.set_language(first, "de", now=NOW)
                both.wait(30)
                postgres.people.set_language(second, "de", now=NOW)
        except StoreFault as error:
            faults.append(error)

    threads = [threading.Thread(target=change, args=order) for order in (users, users[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [fault.kind for fault in faults] == [Fault.LOCKED]


def test_what_was_never_understood_is_kept(world: World) -> None:
    odd = RawRecord(stream="cycle", key="odd", payload={"end": "of a later release"})
    store_page(world.source(), world.store, Page(stream="cycle", records=(odd,)), frozenset(), now=NOW)
    housekeeping.tidy(bridge_of(world.store), now=LATER)
    landings = runs.rebuild(bridge_of(world.store), world.user, None)["whoop"]
    assert sum(landing.set_aside is not None for landing in landings) == 1


@pytest.mark.parametrize("there", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_a_backup_goes_back_into_either_database(
    world: World, tmp_path: Path, there: str, database_url: str, request: pytest.FixtureRequest
) -> None:
    path = tmp_path / "saved?100%" / "bridge.backup"
    path.parent.mkdir()
    world.store.maintenance.backup(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in path.parent.iterdir()] == ["bridge.backup"]
    url = f"sqlite:///{tmp_path / 'new.db'}" if there == "sqlite" else request.getfixturevalue("postgres_url")
    with closing(Store(url)) as other:
        itself = url == database_url  # there is one PostgreSQL database here
        housekeeping.restore(bridge_of(other), path, replace=itself, progress=no_progress, now=NOW)
        assert contents(other, other.people.user("ana")) == world.contents()
        assert other.exports.dump(world.user.id) == world.store.exports.dump(world.user.id)
        assert [s for _, s in other.connections.secrets()] == [s for _, s in world.store.connections.secrets()]
        other.people.add_user("ben", "UTC", now=NOW)  # numbers go on where they were
        with pytest.raises(SetupError, match="--replace"):
            other.maintenance.restore(path, replace=False, now=NOW)
        other.maintenance.restore(path, replace=True, now=NOW)
        assert [user.name for user in other.people.users()] == ["ana"]


def test_no_backup_goes_in_beside_a_daemon_and_nothing_else_does(
    world: World, tmp_path: Path, database_url: str
) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(SetupError, match="is not a backup"):
        world.store.maintenance.restore(tmp_path / "letter.txt", replace=True, now=NOW)
    world.store.maintenance.backup(tmp_path / "saved")
    with ExitStack() as stack, closing(Store(database_url)) as two:
        stack.enter_context(closing(two.scheduling.singleton_lock("daemon", "host/1", now=NOW)))
        with pytest.raises(SetupError, match="host/1"):
            housekeeping.restore(
                bridge_of(world.store), tmp_path / "saved", replace=True, progress=no_progress, now=NOW
            )


def test_no_backup_goes_in_while_something_is_synced(world: World, tmp_path: Path) -> None:
    """A row landing next would belong to the person who has that number in the backup."""
    with closing(Store(f"sqlite:///{tmp_path / 'other.db'}")) as other:
        other.connections.connect(other.people.add_user("bob", "UTC", now=NOW).id, "whoop", "account", now=NOW)
        other.maintenance.backup(tmp_path / "saved")
    again = partial(world.store.maintenance.restore, tmp_path / "saved", replace=True, now=world.now)

    def amid(stream: str, records: int) -> None:
        with pytest.raises(SetupError, match="a sync is running"):
            again()

    sync(world.source(), world.store, holder="test/1", now=world.now, on_page=amid)
    again()
    assert [user.name for user in world.store.people.users()] == ["bob"]


def test_what_is_no_whole_backup_deletes_nobody(world: World, tmp_path: Path) -> None:
    store, before = world.store, world.contents()
    store.maintenance.backup(tmp_path / "saved")
    whole = (tmp_path / "saved").read_bytes()
    (tmp_path / "cut").write_bytes(whole[: len(whole) // 2])
    middle = len(whole) // 2
    (tmp_path / "damaged").write_bytes(whole[:middle] + b"\7" * 8192 + whole[middle + 8192 :])
    with closing(sqlite3.connect(tmp_path / "photos")) as file:
        file.execute("CREATE TABLE photos (id INTEGER)")
    (tmp_path / "young.db").touch()  # so that the tables are made here, and not copied
    with closing(Store(f"sqlite:///{tmp_path / 'young.db'}")):
        shutil.copyfile(tmp_path / "young.db", tmp_path / "young")  # all of it is in the log beside it
    for name in ("cut", "damaged", "photos", "young", "nothing"):
        with pytest.raises(SetupError, match="is not a backup"):
            store.maintenance.restore(tmp_path / name, replace=True, now=NOW)
    with closing(Store(f"sqlite:///{tmp_path / 'empty.db'}")) as empty:
        empty.maintenance.backup(tmp_path / "empty")
    with pytest.raises(SetupError, match="holds no users"):
        store.maintenance.restore(tmp_path / "empty", replace=True, now=NOW)
    assert world.contents() == before
    assert not list(tmp_path.glob(".restoring-*"))


def test_a_store_that_was_copied_with_its_log_comes_back_whole(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    with closing(Store(f"sqlite:///{tmp_path / 'bridge.db'}")) as store:
        store.people.add_user("ana", "UTC", now=NOW)
        store.maintenance.compact()
        store.people.add_user("ben", "UTC", now=NOW)
        for file in tmp_path.glob("bridge.db*"):
            shutil.copyfile(file, copy / file.name)
    with closing(Store("sqlite://")) as other:
        other.maintenance.restore(copy / "bridge.db", replace=False, now=NOW)
        assert [user.name for user in other.people.users()] == ["ana", "ben"]


def test_no_backup_replaces_a_database_in_use(lite: Store, tmp_path: Path) -> None:
    path = tmp_path / "used.db"
    with closing(Store(f"sqlite:///{path}")) as used:
        used.people.add_user("eve", "UTC", now=NOW)
        for store in (used, lite):
            with pytest.raises(SetupError, match="in use"):
                store.maintenance.backup(path)
        assert [user.name for user in used.people.users()] == ["eve"]
    lite.maintenance.backup(path)


def test_a_full_disk_is_told_and_leaves_nothing_behind(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    folder.mkdir()
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, most))
    try:
        with pytest.raises(SetupError):
            world.store.maintenance.backup(folder / "bridge.backup")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    assert not list(folder.iterdir())


def test_the_files_of_those_who_were_replaced_go_too(tmp_path: Path) -> None:
    path = tmp_path / "saved"
    for name in ("eve", "ana"):
        with closing(Store(f"sqlite:///{tmp_path / name}.db")) as store:
            store.people.add_user(name, "UTC", now=NOW)
            store.people.add_user("ben", "UTC", now=NOW)
            if name == "eve":
                store.maintenance.backup(path)
                continue
            bridge, places = bridge_of(store), {}
            for user in store.people.users():
                adapter = bridge.settings.adapters / f"u{user.id}-v1"
                places[user.name] = (bridge.settings.inbox(user.id), adapter)
                for place in places[user.name]:
                    place.mkdir(parents=True)
            housekeeping.restore(bridge, path, replace=True, progress=no_progress, now=NOW)
            assert [user.name for user in store.people.users()] == ["ben", "eve"]
            assert not any(place.exists() for place in places["ana"])
            assert all(place.exists() for place in places["ben"])


def test_a_backup_while_a_sync_runs_is_whole(store: Store, tmp_path: Path) -> None:
    with living(store, "whoop", "week") as world, ExitStack() as stack:
        landed = threading.Event()
        backed: list[Path] = []

        def save() -> None:
            assert landed.wait(30)
            for number in range(3):
                store.maintenance.backup(tmp_path / f"saved-{number}")
                backed.append(tmp_path / f"saved-{number}")

        thread = threading.Thread(target=save)
        thread.start()
        sync(world.source(), store, holder="test/1", now=NOW, on_page=lambda *_: landed.set())
        thread.join()
        assert len(backed) == 3
        for path in backed:
            other = stack.enter_context(closing(Store(f"sqlite:///{path}")))
            (connection,) = other.connections.of_user(other.people.user("ana").id)
            other.scheduling.release(connection.id, "test/1")
            mended = sync(replace(world.source(), connection=connection), other, holder="test/2", now=NOW)
            assert mended.outcome == "ok"
            assert contents(other, other.people.user("ana")) == world.contents()


def test_old_rows_go_in_batches_and_none_is_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with living(store, "whoop", "week") as world:
        world.sync()
        kept = raw(store)
        with store.database.write() as db:
            db.execute(sa.text("UPDATE arrivals SET arrived_at = arrived_at + id"))
        monkeypatch.setattr(maintenance, "BATCH_ROWS", 2)
        fetched, commits = list[int](), list[int]()
        engine = store.database.engine
        hears = {
            "after_cursor_execute": lambda _db, cursor, text, *_: (
                fetched.append(cursor.rowcount) if text.startswith("SELECT") and "max(" not in text else None
            ),
            "commit": lambda _db: commits.append(1),
        }
        for name, hear in hears.items():
            sa.event.listen(engine, name, hear)
        gone = store.maintenance.tidy(world.now + timedelta(days=1), ())
        for name, hear in hears.items():
            sa.event.remove(engine, name, hear)
        assert (gone.raw, raw(store)) == (kept, 0)
        assert fetched == []  # but the end of each batch
        assert len(commits) >= kept // 2
