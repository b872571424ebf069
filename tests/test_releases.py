"""Whatever a release left behind is opened by this version: ``fixtures/releases`` holds it, by version."""

from __future__ import annotations

import gzip
import os
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from bridge import config, installation
from bridge.advice import notify
from bridge.auth import access
from bridge.store import Store
from lab import kept_release
from rhythm_env.interface import ActionType, Answer
from tests.commands import bridge

VERSIONS = sorted(path.name for path in kept_release.KEPT.iterdir() if path.is_dir())
ROWS = {"apple_health": 426, "ics": 2}


def unpacked(kept: Path, to: Path) -> Path:
    to.write_bytes(gzip.decompress(kept.read_bytes()))
    return to


@pytest.fixture(params=VERSIONS)
def kept(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a release, whose key and configuration lie in this test's folder."""
    folder: Path = kept_release.KEPT / request.param
    home = Path(os.environ["BRIDGE_HOME"])
    home.mkdir(parents=True, exist_ok=True)
    for name in ("key", "config.toml"):
        shutil.copy(folder / name, home)
    (home / "key").chmod(0o600)
    monkeypatch.setenv("BRIDGE_NOW", kept_release.NOW.isoformat())
    return folder


def assert_everything_is_there(url: str) -> None:
    """Check what ana did on that day, whichever way it came here."""
    with closing(Store(url)) as store:
        ana = store.people.user("ana")
        counts = {source: sum(kinds.values()) for source, kinds in store.reading.counts(ana.id).items()}
        assert {source: counts[source] for source in ROWS} == ROWS
        (advice,) = store.recommendations.newest(ana.id, before=None, limit=9)
        assert advice.answer is Answer.ACCEPT
        assert access.user_with_password(store, "ana", kept_release.PASSWORD) == ana
        assert ActionType.BINGE_WATCH in store.people.wishes(ana.id).never


def test_a_database_is_opened_with_what_the_key_seals(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{unpacked(kept / 'bridge.db.gz', tmp_path / 'kept.db')}"
    assert_everything_is_there(url)
    monkeypatch.setenv("BRIDGE_DATABASE", url)
    with installation.open_bridge() as opened:
        sealed = notify._secret(opened.store, opened.vault, opened.person("ana", at=installation.now()).id)
        assert sealed["address"] == "ntfys://ntfy.example.org/made-up"
    for command in ("plan", "meters", "history", "notify", "trial", "mode", "note", "recommend"):
        done = bridge(command)
        assert done.returncode == 0, (command, done.stderr)


@pytest.mark.postgres
def test_a_database_of_postgresql_is_opened(kept: Path, postgres_url: str) -> None:
    import psycopg

    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        connection.execute(gzip.decompress((kept / "postgres.sql.gz").read_bytes()))
    assert_everything_is_there(postgres_url)


def test_a_backup_is_restored(kept: Path, tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_DATABASE", database_url)
    done = bridge("restore", str(unpacked(kept / "backup.gz", tmp_path / "backup")))
    assert done.returncode == 0, done.stderr
    assert_everything_is_there(database_url)


def test_an_export_is_imported(kept: Path, tmp_path: Path) -> None:
    bridge("user", "add", "eve", "--zone", kept_release.ZONE)
    done = bridge("import", str(kept / "export.zip"))
    assert done.returncode == 0, done.stderr
    with installation.open_bridge() as opened:
        counts = opened.store.reading.counts(opened.store.people.user("eve").id)
        assert {source: sum(counts[source].values()) for source in ROWS} == ROWS


def test_an_export_of_a_state_before_the_first_release_is_imported() -> None:
    """Commit 59c3ca08 wrote it, of ``fixtures/apple_health/week``; its database is refused by this version."""
    bridge("user", "add", "eve", "--zone", kept_release.ZONE)
    done = bridge("import", str(kept_release.KEPT / "before_0.1.0.zip"))
    assert done.returncode == 0, done.stderr
    with installation.open_bridge() as opened:
        counts = opened.store.reading.counts(opened.store.people.user("eve").id)
        assert sum(counts["apple_health"].values()) == 71


def test_a_configuration_is_read(kept: Path) -> None:
    settings = config.load()
    assert (settings.policy, settings.keep_raw) == ("heuristic", "60")


def test_this_version_is_kept() -> None:
    from bridge import __version__

    assert __version__ in VERSIONS
