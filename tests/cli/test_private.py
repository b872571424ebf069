"""``bridge forget`` and ``bridge export``: nothing is left behind, and what is taken along is whole."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from bridge import app, archive, lab
from bridge.config import load
from bridge.errors import SetupError
from bridge.ports import Store
from bridge.store import open_store
from rhythm_env.interface import Answer
from tests.world import NOW, World, contents, living

FORMATS = ("json", "csv", "parquet")


@pytest.fixture
def filled(store: Store) -> Iterator[World]:
    """A person with a synced account, imported files, a recommendation and an answer."""
    from bridge import advise, registry

    with living(store, "google_calendar", "awkward") as world:
        world.sync()
        bridge = app.Bridge(settings=load(), store=store)
        app.import_path(bridge, world.user, lab.fixtures("garmin") / "watch", at=NOW)
        app.import_path(bridge, world.user, lab.fixtures("whoop") / "export", at=NOW)
        classifier, policy = registry.classifier("keywords"), registry.policy("heuristic")
        advice = advise.recommend(store, world.user, classifier, policy, now=world.now)
        advise.give_feedback(store, world.user, advice.id, Answer.ACCEPT, now=world.now)
        yield world


@pytest.mark.parametrize("kind", FORMATS)
def test_an_export_goes_back_in_as_the_same_store(filled: World, tmp_path: Path, kind: str) -> None:
    store = filled.store
    before = store.dump(filled.user.id)
    archive.write(before, tmp_path / "export", kind)
    other = open_store(f"sqlite:///{tmp_path / 'other.db'}")
    ben = other.add_user("ben", "Asia/Tokyo", now=NOW)
    (outcome,) = app.import_path(app.Bridge(settings=load(), store=other), ben, tmp_path / "export", at=NOW).outcomes
    assert outcome.items == {one: len(before[f"{one}s"]) for one in ("sample", "episode", "event", "task")}
    ben = other.user("ben")
    assert contents(other, ben) == contents(store, filled.user)
    assert ben.zones == filled.user.zones
    assert [replace(r, id=0, user_id=0) for r in _advice(other, ben.id)] == [
        replace(r, id=0, user_id=0) for r in _advice(store, filled.user.id)
    ]
    again = other.dump(ben.id)
    assert {name: len(rows) for name, rows in again.items()} == {name: len(rows) for name, rows in before.items()}
    assert _without_numbers(again) == _without_numbers(before)
    other.close()


def test_an_export_goes_back_in_for_somebody_who_was_advised_meanwhile(filled: World, tmp_path: Path) -> None:
    """The daemon advises new people within a minute; what they answered to is not deleted for an export."""
    archive.write(filled.store.dump(filled.user.id), tmp_path / "export", "csv")
    first = _advice(filled.store, filled.user.id)[0]
    with closing(open_store(f"sqlite:///{tmp_path / 'other.db'}")) as other:
        bridge = app.Bridge(settings=load(), store=other)
        ben, eve = (other.add_user(name, "UTC", now=NOW) for name in ("ben", "eve"))
        for one in (ben, eve):
            number = other.add_recommendation(replace(first, user_id=one.id, answer=None, answered_at=None)).id
        other.answer(number, Answer.ACCEPT, now=NOW)
        app.import_path(bridge, ben, tmp_path / "export", at=NOW)
        assert len(_advice(other, ben.id)) == len(_advice(filled.store, filled.user.id))
        with pytest.raises(SetupError, match="was answered here"):
            app.import_path(bridge, eve, tmp_path / "export", at=NOW)


def _advice(store: Store, user_id: int) -> list[app.Any]:
    from datetime import timedelta

    return store.recommendations(user_id, since=NOW - timedelta(days=30), until=NOW + timedelta(days=30))


def _without_numbers(tables: dict[str, list[dict[str, object]]]) -> dict[str, list[str]]:
    """Surrogate keys differ from store to store; everything else must not."""
    return {
        name: sorted(json.dumps({k: v for k, v in row.items() if not k.endswith("id")}, sort_keys=True) for row in rows)
        for name, rows in tables.items()
    }


def test_a_restored_person_can_be_rebuilt(filled: World, tmp_path: Path) -> None:
    archive.write(filled.store.dump(filled.user.id), tmp_path / "export", "json")
    other = open_store("sqlite://")
    bridge = app.Bridge(settings=load(), store=other)
    ben = other.add_user("ben", "UTC", now=NOW)
    app.import_path(bridge, ben, tmp_path / "export", at=NOW)
    before = contents(other, ben)
    app.rebuild(bridge, ben, None)
    assert contents(other, ben) == before
    other.close()


def test_an_export_is_not_mixed_into_another_persons_data(filled: World, tmp_path: Path) -> None:
    archive.write(filled.store.dump(filled.user.id), tmp_path / "export", "json")
    bridge = app.Bridge(settings=load(), store=filled.store)
    with pytest.raises(SetupError, match="for a new person only"):
        app.import_path(bridge, filled.user, tmp_path / "export", at=NOW)


def test_a_folder_with_something_in_it_is_not_written_to(filled: World, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(SetupError, match="is not empty"):
        archive.write(filled.store.dump(filled.user.id), tmp_path, "json")


def test_a_file_is_no_folder_to_export_to(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    for place in (tmp_path / "mine.txt", tmp_path / "mine.txt" / "below"):
        with pytest.raises(SetupError, match="bridge export --user NAME --to FOLDER"):
            archive.write({}, place, "json")


def test_a_full_disk_is_told_and_not_said_to_be_damage(tmp_path: Path) -> None:
    many = {"zones": [{"zone": "UTC"}] * 5000}
    archive.write(many, tmp_path / "export", "json")
    with ZipFile(tmp_path / "export.zip", "w", ZIP_DEFLATED) as packed:
        for file in (tmp_path / "export").iterdir():
            packed.write(file, file.name)
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, most))
    try:
        with pytest.raises(SetupError, match="make room, then: bridge export"):
            archive.write(many, tmp_path / "again", "json")
        with ExitStack() as stack, pytest.raises(SetupError, match="cannot be unpacked"):
            archive.opened(tmp_path / "export.zip", stack)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


def test_forgetting_leaves_nothing_in_database_files_and_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every title, key and payload text of a person is looked for in every byte of the installation's folder."""
    home = tmp_path / "home"
    monkeypatch.setenv("BRIDGE_HOME", str(home))
    store = open_store(f"sqlite:///{home / 'bridge.db'}")
    with living(store, "google_calendar", "awkward") as world:
        world.sync()
        needles = {e["title"] for e in world.contents()["events"] if len(e.get("title", "")) > 6}
        needles |= {e["series"] for e in world.contents()["events"] if e.get("series")}
        other = store.add_user("ben", "UTC", now=NOW)
        app.import_path(app.Bridge(settings=load(), store=store), world.user, lab.fixtures("garmin") / "watch", at=NOW)
        app.import_path(app.Bridge(settings=load(), store=store), other, lab.fixtures("whoop") / "export", at=NOW)
        kept = contents(store, other)
    store.close()
    assert needles
    needles.add("3999000111")  # the watch's serial number
    assert needles & set(_found(home, needles)), "the search must be able to find something"
    log = tmp_path / "log.txt"
    with log.open("w") as err:
        command = [sys.executable, "-m", "bridge", "forget", "--user", "ana", "--yes", "--json"]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=err, check=True)
    assert json.loads(done.stdout)["forgotten"] is True
    assert _found(tmp_path, needles) == []
    store = open_store(f"sqlite:///{home / 'bridge.db'}")
    assert contents(store, store.user("ben")) == kept
    assert [user.name for user in store.users()] == ["ben"]
    store.close()


def _found(folder: Path, needles: set[str]) -> list[str]:
    """The needles that occur in any file, plain or escaped as in JSON."""
    content = b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())
    return [n for n in sorted(needles) if n.encode() in content or json.dumps(n)[1:-1].encode() in content]


def test_forgetting_on_postgres(postgres_url: str) -> None:
    store = open_store(postgres_url)
    with living(store, "whoop", "week") as world:
        world.sync()
        store.forget(world.user.id)
        assert store.users() == []
        assert store.add_user("ana", "UTC", now=NOW).id != world.user.id
    store.close()
