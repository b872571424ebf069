"""Who may push, where what they sent waits, and how it lands: as any file of a connected folder does."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import os
import secrets
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bridge import app, intake, registry
from bridge.account import SEALING
from bridge.errors import BridgeError, SetupError
from bridge.files import Plain, plain
from bridge.intake import PUSHED
from bridge.ports import Connection, ConnectorSpec, User

log = logging.getLogger(__name__)

KEPT = 7 * 86_400  # seconds for which a body is known again, and an unreadable one kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """Whom a token stands for, at which source, and where their bodies wait."""

    user: User
    connection: Connection
    spec: ConnectorSpec
    folder: Path


def grant(bridge: app.Bridge, user: User, source: str) -> str:
    """A new token for pushes to a source; the one before ends. It is not kept and cannot be shown again."""
    spec = registry.spec(source)
    if spec.receives is None:
        able = ", ".join(spec.name for spec in registry.specs() if spec.receives)
        raise SetupError(f"nothing can be pushed to {source} (but to: {able}); see: bridge sources")
    token = secrets.token_urlsafe(32)
    with bridge.store.lock(SEALING), bridge.store.transaction():
        connection = bridge.store.connect(user.id, source, PUSHED, now=app.now())
        app.StoredAccount(connection.id, {}, bridge.store, bridge.vault).save_token({"token": _digest(token)})
    return token


def grants(bridge: app.Bridge) -> Iterator[tuple[Grant, str]]:
    """Everybody who may push, with the digest of their token; a consent that no key opens stops nobody else."""
    for user in bridge.store.users():
        for connection in bridge.store.connections(user.id):
            if connection.name == PUSHED:
                with suppress(BridgeError):  # bridge doctor tells of it
                    yield _opened(bridge, user, connection)


def _opened(bridge: app.Bridge, user: User, connection: Connection) -> tuple[Grant, str]:
    account = app.StoredAccount(connection.id, {}, bridge.store, bridge.vault)
    digest = account.token_field("token")
    folder = intake.place_of(connection, account, bridge.settings.inbox(user.id))
    return Grant(user=user, connection=connection, spec=registry.spec(connection.source), folder=folder), digest


def granted(bridge: app.Bridge, source: str, token: str) -> Grant | None:
    """Whom a token stands for; every token is compared, so that the time taken tells nothing."""
    wanted = _digest(token)
    known = [one for one, digest in grants(bridge) if hmac.compare_digest(digest, wanted)]
    return next((one for one in known if one.spec.name == source), None)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def take_in(into: Grant, headers: Mapping[str, str], body: Iterable[bytes]) -> tuple[int, bool]:
    """Put a body where it waits; returns its size and whether it came before. Raises BadRecord if it is unreadable."""
    part = into.folder / f".part-{uuid.uuid4().hex}.json"
    digest, size = hashlib.sha256(), 0
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            for chunk in body:
                digest.update(chunk)
                size += file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        mark = into.folder / f".{digest.hexdigest()}"
        if mark.exists():
            return size, True
        registry.resolve(into.spec.receives or "")(headers, Plain(part, part.name))
        part.rename(into.folder / f"{time.time_ns()}-{digest.hexdigest()[:16]}.json")
        mark.touch(mode=0o600)
        return size, False
    finally:
        part.unlink(missing_ok=True)


def land(bridge: app.Bridge) -> None:
    """Land everything that waits; what has landed is deleted, what could not be read is kept for some days, hidden."""
    for one, _ in grants(bridge):
        if plain(one.folder):
            outcome = app.sync_connection(bridge, one.user, one.connection, at=app.now())
            log.info("push %s: %s, %d new, %d updated", one.spec.name, outcome.outcome, outcome.new, outcome.updated)
            _tidy(bridge, one, failed={path for path, _ in outcome.failed_files})
        _drop_old(one.folder)


def _tidy(bridge: app.Bridge, one: Grant, *, failed: set[str]) -> None:
    cursor = bridge.store.cursor(one.connection.id, intake.SEEN, one.spec.cursor_version)
    read = json.loads(cursor) if cursor else {}
    for place in plain(one.folder):
        if place.name in failed:
            place.rename(place.with_name(f".unreadable-{place.name}"))
        elif place.name in read:
            place.unlink()


def _drop_old(folder: Path) -> None:
    oldest = time.time() - KEPT
    for place in folder.glob(".*"):
        if place.is_file() and place.stat().st_mtime < oldest:
            place.unlink(missing_ok=True)
