"""Checks that every source that reads files passes without a test of its own.

A case is a folder ``fixtures/<source>/<case>/`` with ``<case>.expected.json`` beside it, which
``python -m tests.contract.test_files [SOURCE ...]`` writes anew; read the difference before committing it.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lab
from bridge import installation, registry
from bridge.config import load
from bridge.domain.errors import SetupError
from bridge.domain.records import User
from bridge.domain.types import Outcome
from bridge.ingest import connecting, runs
from bridge.ingest.files import HEAD_BYTES
from bridge.store import Store
from tests.world import NOW, contents, expected, filed

SWITCHES = {"BRIDGE_WHOOP_JOURNAL": "yes", "BRIDGE_OURA_TAGS": "yes"}
READERS = [spec.name for spec in registry.specs() if spec.reads is not None]


@pytest.fixture(autouse=True)
def all_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Switch on what files hold and what is not read unless a person asks."""
    for name, value in SWITCHES.items():
        monkeypatch.setenv(name, value)


def person(store: Store) -> tuple[installation.Bridge, User]:
    return installation.Bridge(settings=load(), store=store), store.people.add_user("ana", "Europe/Berlin", now=NOW)


def comes_to(store: Store, source: str, case: str) -> dict[str, Any]:
    bridge, user = person(store)
    outcomes = runs.import_path(bridge, user, lab.fixtures(source) / case, at=NOW).outcomes
    assert [outcome.source for outcome in outcomes] == [source]
    aside = [list(row) for c in store.connections.of_user(user.id) for row in store.ingest.set_aside(c.id)]
    failed = [list(pair) for pair in outcomes[0].failed_files]
    return {**contents(store, user), "set_aside": aside, "failed_files": failed}


def test_every_reader_has_cases() -> None:
    assert {source for source, _ in filed()} == set(READERS)


@pytest.mark.parametrize(("source", "case"), filed())
def test_a_case_comes_to_what_is_expected_and_a_second_import_changes_nothing(
    store: Store, source: str, case: str
) -> None:
    assert comes_to(store, source, case) == expected(source, case)
    user = store.people.user("ana")
    before = contents(store, user)
    again = runs.import_path(person_again(store), user, lab.fixtures(source) / case, at=NOW).outcomes[0]
    assert (again.new, again.updated, again.deleted) == (0, 0, 0)
    assert contents(store, user) == before


def person_again(store: Store) -> installation.Bridge:
    return installation.Bridge(settings=load(), store=store)


@pytest.mark.parametrize(("source", "case"), filed())
def test_a_zip_of_it_comes_to_the_same(lite: Store, tmp_path: Path, source: str, case: str) -> None:
    packed = tmp_path / "download.zip"
    folder = lab.fixtures(source) / case
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for place in sorted(folder.rglob("*")):
            archive.write(place, f"export/{place.relative_to(folder)}")
        archive.writestr("__MACOSX/export/._export.xml", b"\x00\x05\x16\x07")
    bridge, user = person(lite)
    runs.import_path(bridge, user, packed, at=NOW)
    wanted = expected(source, case)
    assert contents(lite, user) == {kind: wanted[kind] for kind in ("samples", "episodes", "events", "tasks")}


@pytest.mark.parametrize(("source", "case"), filed())
def test_a_connected_folder_is_read_once_and_again_when_it_changes(
    lite: Store, tmp_path: Path, source: str, case: str
) -> None:
    folder = tmp_path / "inbox"
    folder.mkdir()
    bridge, user = person(lite)
    connection = connecting.connect_folder(bridge, user, source, folder)
    assert _synced(bridge, user, connection.id).new == 0
    shutil.copytree(lab.fixtures(source) / case, folder, dirs_exist_ok=True)
    first, second = (_synced(bridge, user, connection.id) for _ in range(2))
    assert first.files > 0
    assert (second.files, second.new, second.updated) == (0, 0, 0)
    wanted = expected(source, case)
    assert contents(lite, user) == {kind: wanted[kind] for kind in ("samples", "episodes", "events", "tasks")}


def _synced(bridge: installation.Bridge, user: User, connection_id: int) -> Outcome:
    connection = next(c for c in bridge.store.connections.of_user(user.id) if c.id == connection_id)
    return runs.sync_connection(bridge, user, connection, at=NOW)


@pytest.mark.parametrize(("source", "case"), filed())
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_file_is_a_reason_not_a_crash(tmp_path: Path, source: str, case: str, data: st.DataObject) -> None:
    """Cut off anywhere, or with some bytes overwritten: an outcome comes back, and the other files land."""
    folder = lab.fixtures(source) / case
    places = [place for place in sorted(folder.rglob("*")) if place.is_file()]
    victim = data.draw(st.sampled_from(places))
    content = victim.read_bytes()
    at = data.draw(st.integers(0, len(content)))
    if data.draw(st.booleans()):
        damaged = content[:at]
    else:
        junk = data.draw(st.binary(min_size=1, max_size=40))
        damaged = content[:at] + junk + content[at + len(junk) :]
    target = tmp_path / "damaged"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(folder, target)
    (target / victim.relative_to(folder)).write_bytes(damaged)
    store = Store("sqlite://")
    bridge, user = person(store)
    try:
        for outcome in runs.import_path(bridge, user, target, at=NOW).outcomes:
            assert outcome.outcome in ("ok", "failed")
            assert all(reason and "\n" not in reason for _, reason in outcome.failed_files)
    except SetupError:
        assert at < HEAD_BYTES  # nothing in there is recognised any longer
    store.close()


def write(sources: Sequence[str]) -> None:
    """Write what every case of some sources comes to now, or without sources of all."""
    os.environ.update(SWITCHES)
    for source, case in [one for one in filed() if not sources or one[0] in sources]:
        store = Store("sqlite://")
        text = json.dumps(comes_to(store, source, case), indent=1, ensure_ascii=False)
        file = lab.fixtures(source) / f"{case}.expected.json"
        file.write_text(text + "\n", encoding="utf-8")
        print(file)
        store.close()


if __name__ == "__main__":
    write(sys.argv[1:])
