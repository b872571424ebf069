"""The key that seals the consents: rotated, interrupted at every step, and under processes that keep writing."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet

from bridge.auth.account import StoredAccount
from bridge.auth.key_storage import InEnvironment, InFile, InKeyring, KeyStorage, key_storage_of
from bridge.auth.vault import Vault, rotate
from bridge.cli import app as cli
from bridge.doctor import examine
from bridge.domain.errors import SetupError
from bridge.store import Store, database
from tests.world import NOW

TOKENS = [{"access_token": f"a{n}", "refresh_token": f"r{n}"} for n in range(5)]


def accounts(store: Store, place: KeyStorage) -> list[StoredAccount]:
    """Five people with a consent each."""
    found = []
    for number, token in enumerate(TOKENS):
        user = store.people.add_user(f"user{number}", "UTC", now=NOW)
        connection = store.connections.connect(user.id, "whoop", "account", now=NOW)
        found.append(StoredAccount(connection.id, {}, store, Vault(place.keys)))
        found[-1].save_token(token)
    return found


@pytest.fixture
def place(tmp_path: Path) -> InFile:
    return InFile(tmp_path / "keys" / "key")


def test_everything_is_sealed_with_a_new_key_and_the_old_one_is_gone(store: Store, place: InFile) -> None:
    people = accounts(store, place)
    old = place.keys()
    done = rotate(store, place)
    assert (done.resealed, done.unreadable, done.dropped) == (5, (), True)
    assert len(place.keys()) == 1
    assert place.keys() != old
    assert place.path.stat().st_mode & 0o077 == 0
    assert [path.name for path in place.path.parent.iterdir()] == ["key"]
    assert [account.token() for account in people] == TOKENS
    for _, sealed in store.connections.secrets():
        with pytest.raises(SetupError, match="a key that is gone"):
            Vault(old).unseal(sealed)


def test_a_token_outlasts_whoever_writes_for_long(
    tmp_path: Path, place: InFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its vendor has ended the one before. Meanwhile others save theirs: nobody holds the key while waiting."""
    monkeypatch.setattr(database, "BUSY_SECONDS", 0)
    with closing(Store(f"sqlite:///{tmp_path / 'bridge.db'}")) as store:
        account = accounts(store, place)[0]
        with closing(sqlite3.connect(tmp_path / "bridge.db", isolation_level=None, check_same_thread=False)) as other:
            other.execute("BEGIN IMMEDIATE")
            end = threading.Timer(0.3, other.rollback)
            end.start()
            account.save_token(TOKENS[1])
            end.join()
        assert account.token() == TOKENS[1]


class Breaking(InFile):
    """A place at which the process dies, before or after the given change."""

    at, after = 0, False

    def save(self, keys: Sequence[str]) -> None:
        self.__dict__["at"] = self.at - 1
        if self.at == 0 and not self.after:
            raise KeyboardInterrupt
        super().save(keys)
        if self.at == 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("step", [1, 2])
def test_interrupted_anywhere_it_has_lost_nothing_and_is_finished_later(
    store: Store, place: InFile, step: int, after: bool
) -> None:
    people = accounts(store, place)
    old = list(place.keys())
    breaking = Breaking(place.path)
    breaking.__dict__.update(at=step, after=after)
    with pytest.raises(KeyboardInterrupt):
        rotate(store, breaking)
    assert [account.token() for account in people] == TOKENS
    kept = list(place.keys())
    rotate(store, place)
    assert [account.token() for account in people] == TOKENS
    assert len(place.keys()) == 1
    assert list(place.keys()) != old
    if len(kept) == 2:  # the same new key is used, not yet another one
        assert list(place.keys()) == kept[:1]


def killed_at(line: int, url: str, path: Path) -> bool:
    """Rotate in a process of its own that is killed before it runs so many lines of ours; False if it ended first."""
    process = os.fork()
    if process == 0:
        with closing(Store(url)) as store:
            sys.settrace(_killing(line))
            rotate(store, InFile(path))
        os._exit(0)
    return os.waitpid(process, 0)[1] == signal.SIGKILL


def _killing(line: int) -> Any:
    left = [line]

    def trace(frame: Any, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.endswith(("key_storage.py", "vault.py")):
            return None
        if event == "line":
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    return trace


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_killed_before_any_line_it_leaves_no_key_behind_and_loses_nothing(tmp_path: Path, place: InFile) -> None:
    """A real process and a real kill, before every single line of the rotation."""
    url = f"sqlite:///{tmp_path / 'bridge.db'}"
    with closing(Store(url)) as store:
        for account in accounts(store, place):
            account.token()
    kills, left_behind = 0, 0
    while killed_at(kills + 1, url, place.path):
        kills += 1
        left_behind += bool(place.leftovers())
        with closing(Store(url)) as store:
            before = list(place.keys())
            people = [StoredAccount(number, {}, store, Vault(place.keys)) for number, _ in store.connections.secrets()]
            assert [account.token() for account in people] == TOKENS
            assert all(path.stat().st_mode & 0o077 == 0 for path in place.path.parent.iterdir())
            assert rotate(store, place).unreadable == ()
            assert [account.token() for account in people] == TOKENS
        assert [path.name for path in place.path.parent.iterdir()] == ["key"]
        assert len(place.keys()) == 1
        assert place.keys()[0] not in before or len(before) == 2
    print(f"{kills} kills, {left_behind} left a file")
    assert kills > 30
    assert left_behind <= 2 * 2  # between its name and its place, in either of the two steps


def test_what_was_left_beside_the_key_is_told_and_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_HOME", str(tmp_path))
    place = InFile(tmp_path / "key")
    key = place.keys()[0]
    left = tmp_path / "key.0a1b2c3d.part"
    left.write_text(f"{Fernet.generate_key().decode()}\n{key}")
    mine = tmp_path / "key.backup"
    mine.write_text(key)
    assert [f.next for f in examine() if f.check == "key"] == ["bridge key rotate"]
    assert not cli(["key", "rotate"], standalone_mode=False)
    assert not left.exists()
    assert mine.exists()
    assert [f.ok for f in examine() if f.check == "key"] == [True]


def test_a_folder_without_nameless_files_has_a_key_as_well(place: InFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "O_TMPFILE")
    assert len(place.keys()) == 1
    place.save(["one", "two"])
    assert place.keys() == ["one", "two"]
    assert place.path.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in place.path.parent.iterdir()] == ["key"]


def test_nothing_is_lost_that_is_saved_meanwhile(database_url: str, place: InFile) -> None:
    """Three writers with stores of their own save and read while the key is rotated eight times."""
    with closing(Store(database_url)) as store:
        people = accounts(store, place)
        stop, failed = threading.Event(), []

        def write(account: int) -> None:
            with closing(Store(database_url)) as mine:
                own = StoredAccount(account, {}, mine, Vault(place.keys))
                count = 0
                while not stop.is_set():
                    count += 1
                    own.save_token({"n": count})
                    if own.token() != {"n": count}:
                        failed.append(account)

        ids = [connection for connection, _ in store.connections.secrets()]
        writers = [threading.Thread(target=write, args=(account,)) for account in ids[:3]]
        for writer in writers:
            writer.start()
        rotations = [rotate(store, place) for _ in range(8)]
        stop.set()
        for writer in writers:
            writer.join()
        assert failed == []
        assert all(done.unreadable == () for done in rotations)
        rotate(store, place)
        assert all(account.token() for account in people)


def test_a_key_of_the_environment_is_the_persons_to_change(store: Store) -> None:
    old, new = (Fernet.generate_key().decode() for _ in range(2))
    people = accounts(store, InEnvironment((old,)))
    with pytest.raises(SetupError, match="bridge key new"):
        rotate(store, InEnvironment((old,)))
    assert [account.token() for account in people] == TOKENS
    done = rotate(store, InEnvironment((new, old)))
    assert (done.resealed, done.dropped) == (5, False)
    assert [Vault([new]).unseal(sealed) for _, sealed in store.connections.secrets()] == TOKENS


@pytest.fixture
def keyring() -> Iterator[Any]:
    """A real backend of the keyring library, in memory."""
    library = pytest.importorskip("keyring")
    from keyring.backend import KeyringBackend

    class InMemory(KeyringBackend):  # type: ignore[misc]
        priority = 1

        def __init__(self) -> None:
            super().__init__()
            self.kept: dict[tuple[str, str], str] = {}

        def get_password(self, service: str, username: str) -> str | None:
            return self.kept.get((service, username))

        def set_password(self, service: str, username: str, password: str) -> None:
            self.kept[service, username] = password

    before = library.get_keyring()
    library.set_keyring(InMemory())
    yield library.get_keyring()
    library.set_keyring(before)


def test_a_key_in_the_keyring(store: Store, keyring: Any, tmp_path: Path) -> None:
    place = key_storage_of("keyring", tmp_path)
    assert isinstance(place, InKeyring)
    people = accounts(store, place)
    old = place.keys()
    assert rotate(store, place).dropped
    assert [account.token() for account in people] == TOKENS
    assert place.keys() != old
    assert len(keyring.kept) == 1
    assert not list(tmp_path.glob("key*"))


def test_a_machine_without_a_keyring_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from bridge.auth.key_storage import *; from pathlib import Path\nInKeyring('x').keys()",
        ],
        capture_output=True,
        text=True,
    )
    assert "SetupError" in done.stderr
    assert "pip install" in done.stderr or "unset BRIDGE_KEY" in done.stderr


def test_the_first_key_is_one_key_however_many_begin(tmp_path: Path) -> None:
    found: list[tuple[str, ...]] = []
    begin = threading.Barrier(8)

    def look() -> None:
        begin.wait()
        found.append(tuple(InFile(tmp_path / "key").keys()))

    threads = [threading.Thread(target=look) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("key")] == ["key"]


def test_the_command_and_what_the_doctor_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BRIDGE_HOME", str(tmp_path))
    with closing(Store(f"sqlite:///{tmp_path / 'bridge.db'}")) as store:
        people = accounts(store, InFile(tmp_path / "key"))
        assert not cli(["key", "rotate", "--json"], standalone_mode=False)
        said = capsys.readouterr().out
        assert json.loads(said) == {"resealed": 5, "old_key_dropped": True, "next": []}
        key = (tmp_path / "key").read_text()
        assert key not in said
        InFile(tmp_path / "key").save([key, Fernet.generate_key().decode()])
        assert [f.next for f in examine() if f.check == "key"] == ["bridge key rotate"]
        store.connections.save_secret(
            store.connections.secrets()[0][0], Vault([Fernet.generate_key().decode()]).seal({})
        )
        assert cli(["key", "rotate", "--json"], standalone_mode=False) == 1
        assert json.loads(capsys.readouterr().out)["next"] == ["bridge connect whoop --user user0"]
        assert [account.token() for account in people[1:]] == TOKENS[1:]
        assert [f.ok for f in examine() if f.check == "key"] == [True]
    assert not cli(["key", "new"], standalone_mode=False)
    Fernet(capsys.readouterr().out.strip())
