"""``bridge forget`` and ``bridge export``: nothing is left behind, and what is taken along is whole."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

import lab
from bridge import installation
from bridge.advice import feedback
from bridge.config import load
from bridge.doctor import examine
from bridge.domain.errors import SetupError
from bridge.domain.records import Feedback, Recommendation
from bridge.domain.wishes import Wishes
from bridge.ingest import archive, runs
from bridge.store import Store
from lab.people.demo import stage
from rhythm_env.interface import ActionType, Answer
from tests.commands import bridge
from tests.world import NOW, World, bridge_of, contents, living

FORMATS = ("json", "csv", "parquet")
MEETING = b"""BEGIN:VCALENDAR\r
VERSION:2.0\r
PRODID:-//tests//EN\r
BEGIN:VEVENT\r
UID:planning@example.org\r
SUMMARY:Planning\r
DTSTART:20261118T080000Z\r
DTEND:20261118T090000Z\r
END:VEVENT\r
END:VCALENDAR\r
"""


@pytest.fixture
def filled(store: Store) -> Iterator[World]:
    """A person with a synced account, imported files, a recommendation and an answer."""
    from bridge import registry
    from bridge.advice import recommend
    from bridge.domain.records import Recommendation

    with living(store, "google_calendar", "awkward") as world:
        world.sync()
        bridge = installation.Bridge(settings=load(), store=store)
        runs.import_path(bridge, world.user, lab.fixtures("garmin") / "watch", at=NOW)
        runs.import_path(bridge, world.user, lab.fixtures("whoop") / "export", at=NOW)
        policy = registry.policy("heuristic")
        at = world.now + timedelta(hours=4)  # between two entries
        store.people.save_wishes(world.user.id, Wishes(goals={ActionType.MEDITATE: 7}), now=NOW)
        advice = recommend.recommend(bridge_of(store), world.user, policy, now=at)
        assert isinstance(advice, Recommendation)
        feedback.give_feedback(store, world.user, advice.id, Feedback(answer=Answer.ACCEPT), now=at)
        yield world


@pytest.mark.parametrize("kind", FORMATS)
def test_an_export_goes_back_in_as_the_same_store(filled: World, tmp_path: Path, kind: str) -> None:
    store = filled.store
    before = store.exports.dump(filled.user.id)
    archive.write(before, tmp_path / "export", kind)
    other = Store(f"sqlite:///{tmp_path / 'other.db'}")
    ben = other.people.add_user("ben", "Asia/Tokyo", now=NOW)
    (outcome,) = runs.import_path(
        installation.Bridge(settings=load(), store=other), ben, tmp_path / "export", at=NOW
    ).outcomes
    assert outcome.items == {one: len(before[f"{one}s"]) for one in ("sample", "episode", "event", "task")}
    ben = other.people.user("ben")
    assert contents(other, ben) == contents(store, filled.user)
    assert ben.zones == filled.user.zones
    assert [replace(r, id=0, user_id=0) for r in _advice(other, ben.id)] == [
        replace(r, id=0, user_id=0) for r in _advice(store, filled.user.id)
    ]
    again = other.exports.dump(ben.id)
    assert {name: len(rows) for name, rows in again.items()} == {name: len(rows) for name, rows in before.items()}
    assert _without_numbers(again) == _without_numbers(before)
    other.close()


def test_an_export_goes_back_in_for_somebody_who_was_advised_meanwhile(filled: World, tmp_path: Path) -> None:
    """The daemon advises new people within a minute; what they answered to is not deleted for an export."""
    archive.write(filled.store.exports.dump(filled.user.id), tmp_path / "export", "csv")
    first = _advice(filled.store, filled.user.id)[0]
    with closing(Store(f"sqlite:///{tmp_path / 'other.db'}")) as other:
        bridge = installation.Bridge(settings=load(), store=other)
        ben, eve = (other.people.add_user(name, "UTC", now=NOW) for name in ("ben", "eve"))
        for one in (ben, eve):
            number = other.recommendations.add(replace(first, user_id=one.id, answer=None, answered_at=None)).id
        other.recommendations.save_feedback(number, Feedback(answer=Answer.ACCEPT, answered_at=NOW))
        runs.import_path(bridge, ben, tmp_path / "export", at=NOW)
        assert len(_advice(other, ben.id)) == len(_advice(filled.store, filled.user.id))
        with pytest.raises(SetupError, match="has answered advice for the same slots"):
            runs.import_path(bridge, eve, tmp_path / "export", at=NOW)


def _advice(store: Store, user_id: int) -> list[Recommendation]:
    from datetime import timedelta

    return store.recommendations.full_between(user_id, since=NOW - timedelta(days=30), until=NOW + timedelta(days=30))


def _without_numbers(tables: dict[str, list[dict[str, object]]]) -> dict[str, list[str]]:
    """Surrogate keys differ from store to store; everything else must not."""
    return {
        name: sorted(json.dumps({k: v for k, v in row.items() if not k.endswith("id")}, sort_keys=True) for row in rows)
        for name, rows in tables.items()
    }


def test_a_restored_person_can_be_rebuilt(filled: World, tmp_path: Path) -> None:
    archive.write(filled.store.exports.dump(filled.user.id), tmp_path / "export", "json")
    other = Store("sqlite://")
    bridge = installation.Bridge(settings=load(), store=other)
    ben = other.people.add_user("ben", "UTC", now=NOW)
    runs.import_path(bridge, ben, tmp_path / "export", at=NOW)
    before = contents(other, ben)
    runs.rebuild(bridge, ben, None)
    assert contents(other, ben) == before
    other.close()


def test_an_export_is_not_mixed_into_another_persons_data(filled: World, tmp_path: Path) -> None:
    archive.write(filled.store.exports.dump(filled.user.id), tmp_path / "export", "json")
    bridge = installation.Bridge(settings=load(), store=filled.store)
    with pytest.raises(SetupError, match="without connections; add one: bridge user add"):
        runs.import_path(bridge, filled.user, tmp_path / "export", at=NOW)


def test_a_folder_with_something_in_it_is_not_written_to(filled: World, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(SetupError, match="is not empty"):
        archive.write(filled.store.exports.dump(filled.user.id), tmp_path, "json")


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
            archive.open_export(tmp_path / "export.zip", stack)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


def test_forgetting_leaves_nothing_in_database_files_and_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every title, key and payload text of a person is looked for in every byte of the installation's folder."""
    home = tmp_path / "home"
    monkeypatch.setenv("BRIDGE_HOME", str(home))
    store = Store(f"sqlite:///{home / 'bridge.db'}")
    with living(store, "google_calendar", "awkward") as world:
        world.sync()
        needles = {e["title"] for e in world.contents()["events"] if len(e.get("title", "")) > 6}
        needles |= {e["series"] for e in world.contents()["events"] if e.get("series")}
        other = store.people.add_user("ben", "UTC", now=NOW)
        runs.import_path(
            installation.Bridge(settings=load(), store=store), world.user, lab.fixtures("garmin") / "watch", at=NOW
        )
        runs.import_path(
            installation.Bridge(settings=load(), store=store), other, lab.fixtures("whoop") / "export", at=NOW
        )
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
    store = Store(f"sqlite:///{home / 'bridge.db'}")
    assert contents(store, store.people.user("ben")) == kept
    assert [user.name for user in store.people.users()] == ["ben"]
    store.close()


def _found(folder: Path, needles: set[str]) -> list[str]:
    """The needles that occur in any file, plain or escaped as in JSON."""
    content = b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())
    return [n for n in sorted(needles) if n.encode() in content or json.dumps(n)[1:-1].encode() in content]


def test_forgetting_on_postgres(postgres_url: str) -> None:
    store = Store(postgres_url)
    with living(store, "whoop", "week") as world:
        world.sync()
        store.people.forget(world.user.id)
        assert store.people.users() == []
        assert store.people.add_user("ana", "UTC", now=NOW).id != world.user.id
    store.close()


def loose(folder: Path) -> list[str]:
    """Everything below a folder that somebody else on this machine may read."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.stat().st_mode & 0o077)


@pytest.fixture
def careless() -> Iterator[None]:
    """A shell whose files everybody may read."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("careless")
@pytest.mark.parametrize("kind", ["json", "csv", "parquet"])
def test_what_is_written_is_its_owners_alone(tmp_path: Path, kind: str) -> None:
    """Files that were there before, for everybody to read, among them."""
    out = tmp_path / "out"
    (out / "export").mkdir(parents=True)
    out.chmod(0o700)
    calendar = tmp_path / "calendar.ics"
    calendar.write_bytes(MEETING)
    (out / "week.ics").write_text("before")
    (out / "store.backup").write_text("before")
    (out / "levels.png").write_text("before")
    commands = [
        ("user", "add", "ana", "--zone", "UTC"),
        ("import", str(calendar), "--user", "ana"),
        ("connect", "health_auto_export", "--user", "ana", "--push"),
        ("classify", "Lunch", "--user", "ana"),
        ("recommend", "--user", "ana"),
        ("calendar", "--user", "ana", "--week", "2026-W47", "--ics", str(out / "week.ics")),
        ("backup", str(out / "store.backup")),
        ("export", "--user", "ana", "--to", str(out / "export"), "--format", kind),
        ("export", "--user", "ana", "--to", str(out / "new" / "export"), "--format", kind),
        ("meters", "map", "--set", "vitality.steps=0.3"),
        ("meters", "--user", "ana", "--plot", str(out / "levels.png")),
        ("key", "rotate"),
    ]
    for command in commands:
        done = bridge(*command)
        if done.returncode and "pip install" in done.stderr:
            pytest.skip(done.stderr)
        assert done.returncode == 0, done.stderr
    assert loose(out) == []
    assert loose(tmp_path / "home") == []
    assert (tmp_path / "home" / "key").is_file()
    assert (tmp_path / "home" / "bridge.db").is_file()
    assert os.umask(0o022) == 0o022  # the shell's own is as it was


@pytest.mark.usefixtures("careless")
def test_a_recording_is_its_owners_alone(tmp_path: Path) -> None:
    with stage(seed=3, days=8) as (served, _):
        bridge("user", "add", "ana", "--zone", "UTC")
        assert bridge("connect", served[0], "--user", "ana").returncode == 0
        done = bridge("record", str(tmp_path / "out" / "recording"), "--user", "ana")
    assert done.returncode == 0, done.stderr
    (tmp_path / "out").chmod(0o700)
    assert loose(tmp_path / "out") == []


def test_the_doctor_tells_of_a_database_that_others_can_read(tmp_path: Path) -> None:
    bridge("user", "add", "ana", "--zone", "UTC")
    place = tmp_path / "home" / "bridge.db"
    place.chmod(0o644)
    assert [(one.ok, one.next) for one in examine() if one.check == "store"] == [(False, f"chmod 600 {place}*")]
    place.chmod(0o600)
    assert [one.ok for one in examine() if one.check == "store"] == [True]
