"""Receive data that apps push with a token. A pushed body is stored in a folder, and later imported like any file."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import os
import secrets
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bridge import installation, registry
from bridge.auth import access
from bridge.auth.vault import SEALING_LOCK
from bridge.domain.errors import BridgeError, SetupError, StoreFault
from bridge.domain.ports import ConnectorSpec
from bridge.domain.records import PUSH_CONNECTION, Connection, User
from bridge.ingest import folder_pages, imports, runs
from bridge.ingest.files import DiskFile, files_below

log = logging.getLogger(__name__)

PUSH_PATH = "/push/"  # of a server, before a source's name
PUSH_KEPT_SECONDS = 7 * 86_400  # a body is recognised for so long, and an unreadable body is kept
IMPORT_PAUSE_SECONDS = 60.0  # between two imports where nothing arrives


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A permission for an app to push a source's data for a user. Received bodies are stored in ``folder``."""

    user: User
    connection: Connection
    spec: ConnectorSpec
    folder: Path


def grant(bridge: installation.Bridge, user: User, source: str) -> str:
    """Permit apps to push a source's data for a user, and return the token to use, which replaces any earlier token.

    Only the token's digest is stored, so it cannot be shown again. Raises SetupError if the source takes no pushes.
    """
    spec = registry.spec(source)
    if spec.receives is None:
        able = ", ".join(spec.name for spec in registry.specs() if spec.receives)
        raise SetupError(f"apps cannot push data of {source} (they can for: {able}); see: bridge sources")
    token = secrets.token_urlsafe(32)
    with bridge.store.lock(SEALING_LOCK), bridge.store.transaction():
        connection = bridge.store.connections.connect(user.id, source, PUSH_CONNECTION, now=installation.now())
        installation.StoredAccount(connection.id, {}, bridge.store, bridge.vault).save_token(
            {"token": access.digest(token)}
        )
    return token


def grants(bridge: installation.Bridge) -> Iterator[tuple[Grant, str]]:
    """Yield (grant, digest of its token) for all users. A grant that cannot be decrypted is skipped."""
    for connection in bridge.store.connections.called(PUSH_CONNECTION):
        try:
            opened = _opened(bridge, bridge.store.people.user_by_id(connection.user_id), connection)
        except StoreFault:
            raise
        except BridgeError:  # bridge doctor reports it
            continue
        yield opened


def _opened(bridge: installation.Bridge, user: User, connection: Connection) -> tuple[Grant, str]:
    account = installation.StoredAccount(connection.id, {}, bridge.store, bridge.vault)
    digest = account.token_field("token")
    folder = folder_pages.folder_of(connection, account, bridge.settings.inbox(user.id))
    return Grant(user=user, connection=connection, spec=registry.spec(connection.source), folder=folder), digest


def granted(bridge: installation.Bridge, source: str, token: str) -> Grant | None:
    """Return the grant that ``token`` gives for ``source``, or None. The time taken reveals nothing about tokens."""
    wanted = access.digest(token)
    known = [one for one, digest in grants(bridge) if hmac.compare_digest(digest, wanted)]
    return next((one for one in known if one.spec.name == source), None)


class Arriving:
    """A pushed body while it is received, in a hidden file of the grant's folder.

    ``close`` deletes the file unless ``accept`` has kept it.
    """

    def __init__(self, into: Grant) -> None:
        self._into, self._part = into, into.folder / f".part-{uuid.uuid4().hex}.json"
        self._digest, self._size = hashlib.sha256(), 0
        self._file = os.fdopen(os.open(self._part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")

    def write(self, piece: bytes) -> None:
        self._digest.update(piece)
        self._size += self._file.write(piece)

    def accept(self, headers: Mapping[str, str]) -> tuple[int, bool]:
        """Keep the received body for the next import, unless the same body came lately. Return (size, True if it did).

        Raises BadRecord for a body that the source cannot read.
        """
        self._file.flush()
        os.fsync(self._file.fileno())
        digest, into = self._digest.hexdigest(), self._into
        mark = into.folder / f".{digest}"
        if mark.exists():
            return self._size, True
        registry.resolve(into.spec.receives or "")(headers, DiskFile(self._part, self._part.name))
        self._part.rename(into.folder / f"{time.time_ns()}-{digest[:16]}.json")
        mark.touch(mode=0o600)
        return self._size, False

    def close(self) -> None:
        self._file.close()
        self._part.unlink(missing_ok=True)


def land(bridge: installation.Bridge) -> None:
    """Import all waiting pushed bodies, and delete them. Those that fail stay in hidden files for a week."""
    for one, _ in grants(bridge):
        if files_below(one.folder):
            outcome = runs.sync_connection(bridge, one.user, one.connection, at=installation.now())
            log.info("push %s: %s, %d new, %d updated", one.spec.name, outcome.outcome, outcome.new, outcome.updated)
            _tidy(bridge, one, failed={path for path, _ in outcome.failed_files})
        _drop_old(one.folder)


def _tidy(bridge: installation.Bridge, one: Grant, *, failed: set[str]) -> None:
    cursor = bridge.store.ingest.cursor(one.connection.id, imports.SEEN_FILES, one.spec.cursor_version)
    read = json.loads(cursor) if cursor else {}
    for place in files_below(one.folder):
        if place.name in failed:
            place.rename(place.with_name(f".unreadable-{place.name}"))
        elif place.name in read:
            place.unlink()


def _drop_old(folder: Path) -> None:
    oldest = time.time() - PUSH_KEPT_SECONDS
    for place in folder.glob(".*"):
        if place.is_file() and place.stat().st_mtime < oldest:
            place.unlink(missing_ok=True)


class PushImporter:
    """A thread that imports waiting pushed bodies at its start, when ``arrived`` is set, and at regular intervals."""

    def __init__(self, bridge: installation.Bridge, arrived: threading.Event) -> None:
        self._bridge, self._arrived = bridge, arrived
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ask the thread to stop after the current import. Bodies that still wait are imported at the next start."""
        self._stopping.set()
        self._arrived.set()

    def join(self) -> None:
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._arrived.clear()
            self._guarded()
            if not self._stopping.is_set():
                self._arrived.wait(IMPORT_PAUSE_SECONDS)

    def _guarded(self) -> None:
        try:
            land(self._bridge)
        except Exception as error:  # noqa: BLE001 - the text may be personal, the kind is not
            log.error("push: unexpected %s while landing", type(error).__name__)
