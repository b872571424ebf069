"""Cache trends documents, because a year takes seconds to compute and does not change within the hour."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import threading
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from bridge.advice import recommend
from bridge.calendar.expansion import midnight
from bridge.documents.trends import trends_document
from bridge.domain.records import User
from bridge.domain.slots import INSTANT, local_time, moment_at
from bridge.installation import Bridge
from bridge.trends import Trends, compute_trends, metrics_of

log = logging.getLogger(__name__)

DAYS_MAX = 366  # days
DOCUMENT_VERSION = 4  # rises when the same data make another document
RENEWAL_TIMEOUT_SECONDS = 120.0  # after which the process that renews is taken for dead


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedTrends:
    """A trends document as JSON ``text``. ``fresh`` is False if it lacks new data and is being computed again."""

    text: str
    fresh: bool

    @property
    def body(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.text)
        return found


def load_trends(bridge: Bridge, user: User, *, at: datetime, days: int, wait: bool = True) -> CachedTrends:
    """Return the trends document of the last ``days`` days before ``at``, from the cache if nothing has changed.

    With ``wait=False`` an outdated document is returned if there is one, while a thread computes the new one.
    """
    days = min(max(days, 7), DAYS_MAX)
    path = bridge.settings.cache / "trends" / f"{user.id}-{days}.json"
    with bridge.store.view():
        rules, data = _rules(bridge, user), _data(bridge, user, at)
    known = _read(path)
    if known is not None and known[:2] == (rules, data):
        return CachedTrends(text=known[2], fresh=True)
    if known is not None and known[0] == rules and not wait:
        threading.Thread(target=_renew, args=(bridge, user, path, at, days), daemon=True).start()
        return CachedTrends(text=known[2], fresh=False)
    return CachedTrends(text=_make(bridge, user, path, at, days), fresh=True)


def trends_until(bridge: Bridge, user: User, day: date, *, at: datetime, days: int) -> str:
    """Return as JSON the trends of the ``days`` days up to ``day``, from all data known at ``at``."""
    until = midnight(day + timedelta(days=1), user.zones) - INSTANT
    back, metrics = at - until + timedelta(days=days), metrics_of(bridge.proxies)
    known = recommend.load_snapshot(bridge, user, at=at, back=back, metrics=metrics)
    return _packed(compute_trends(replace(known, at=until), days=days))


def _packed(found: Trends) -> str:
    return json.dumps(trends_document(found), separators=(",", ":"))


def _make(bridge: Bridge, user: User, path: Path, at: datetime, days: int) -> str:
    rules, data = _rules(bridge, user), _data(bridge, user, at)
    back, metrics = timedelta(days=days), metrics_of(bridge.proxies)
    known = recommend.load_snapshot(bridge, user, at=at, back=back, metrics=metrics)
    text = _packed(compute_trends(known, days=days))
    if _rules(bridge, user) == rules:  # else what was read may have been deleted meanwhile, with the cache
        _write(path, "\n".join((rules, data, text)))
    return text


def _renew(bridge: Bridge, user: User, path: Path, at: datetime, days: int) -> None:
    mark = path.with_suffix(".renewing")
    try:
        if mark.exists() and time.time() - mark.stat().st_mtime > RENEWAL_TIMEOUT_SECONDS:
            mark.unlink(missing_ok=True)
        os.close(os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError:
        return
    try:
        known = _read(path)
        if known is None or known[:2] != (_rules(bridge, user), _data(bridge, user, at)):
            _make(bridge, user, path, at, days)
    except Exception as error:  # noqa: BLE001 - nobody waits for it, and the text may be personal
        log.error("trends: unexpected %s while they were renewed", type(error).__name__)
    finally:
        mark.unlink(missing_ok=True)


def _rules(bridge: Bridge, user: User) -> str:
    """Return a digest of everything but the data that changes the document, such as the order of sources."""
    classifier = bridge.classifier
    return _digest(
        DOCUMENT_VERSION,
        user.name,
        user.zones,
        bridge.store.people.preferred_sources(user.id),
        bridge.proxies.rows,
        sorted(bridge.proxies.validity),
        f"{classifier.name}@{classifier.version}",
        bridge.store.people.corrections(user.id),
        [(c.id, c.source) for c in bridge.store.connections.of_user(user.id)],
    )


def _data(bridge: Bridge, user: User, at: datetime) -> str:
    changed = [c.last_change for c in bridge.store.connections.of_user(user.id)]
    return _digest(local_time(at, user.zones).date(), moment_at(at, user.zones), changed)


def _digest(*facts: object) -> str:
    return hashlib.sha256(repr(facts).encode()).hexdigest()


def _read(path: Path) -> tuple[str, str, str] | None:
    try:
        rules, data, text = path.read_text(encoding="utf-8").split("\n", 2)
    except (OSError, ValueError):
        return None
    return rules, data, text


def _write(path: Path, content: str) -> None:
    """Write a file whole or not at all. A failure is ignored, because the cache only saves time."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        part = path.with_name(f".{uuid.uuid4().hex}")
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(content)
        part.replace(path)
