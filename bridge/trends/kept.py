"""Trends that were computed before: a year takes seconds to read and does not change within the hour.

What is kept lies in the installation's cache, its owner's alone, and goes when anybody is forgotten. It is made anew
before it is shown where something was taken away or read by other rules; where data only came in, it is shown as it is
while it is made anew in the background.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import threading
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bridge import advise
from bridge.app import Bridge
from bridge.ports import User
from bridge.trends import trends
from bridge.trends.document import document
from rhythm_env.interface import moment_at, zone_at

log = logging.getLogger(__name__)

LONGEST = 366  # days
TOLD = 2  # version of the document; a new one where it tells something else of the same data
AT_WORK = 120.0  # seconds after which somebody who was making it anew is taken for dead


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """``text`` is the JSON document; ``fresh``: made of all that is stored now, else it is being made anew."""

    text: str
    fresh: bool

    @property
    def body(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.text)
        return found


def kept(bridge: Bridge, user: User, *, at: datetime, days: int, wait: bool = True) -> Kept:
    """The trends of the last ``days`` (7 to 366). Without ``wait`` they may lack what came in since they were kept."""
    days = min(max(days, 7), LONGEST)
    path = bridge.settings.cache / "trends" / f"{user.id}-{days}.json"
    rules, data = _rules(bridge, user), _data(bridge, user, at)
    known = _read(path)
    if known is not None and known[:2] == (rules, data):
        return Kept(text=known[2], fresh=True)
    if known is not None and known[0] == rules and not wait:
        threading.Thread(target=_renew, args=(bridge, user, path, at, days), daemon=True).start()
        return Kept(text=known[2], fresh=False)
    return Kept(text=_make(bridge, user, path, at, days), fresh=True)


def _make(bridge: Bridge, user: User, path: Path, at: datetime, days: int) -> str:
    rules, data = _rules(bridge, user), _data(bridge, user, at)
    back = timedelta(days=days)
    known = advise.know(bridge.store, user, bridge.classifier, at=at, proxies=bridge.proxies, back=back)
    text = json.dumps(document(trends(known, days=days)), separators=(",", ":"))
    if _rules(bridge, user) == rules:  # else what was read may have been deleted meanwhile, with the cache
        _write(path, "\n".join((rules, data, text)))
    return text


def _renew(bridge: Bridge, user: User, path: Path, at: datetime, days: int) -> None:
    """Unless somebody is at it, or has just done it."""
    mark = path.with_suffix(".renewing")
    try:
        if mark.exists() and time.time() - mark.stat().st_mtime > AT_WORK:
            mark.unlink(missing_ok=True)
        os.close(os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError:
        return
    try:
        known = _read(path)
        if known is None or known[:2] != (_rules(bridge, user), _data(bridge, user, at)):
            _make(bridge, user, path, at, days)
    except Exception as error:  # noqa: BLE001 - nobody waits for it, and the text may be personal
        log.error("trends: unexpected %s while they were made anew", type(error).__name__)
    finally:
        mark.unlink(missing_ok=True)


def _rules(bridge: Bridge, user: User) -> str:
    """What decides how the same data are read and told, and whose they are."""
    classifier = bridge.classifier
    corrections = bridge.store.corrections(user.id)
    return _digest(
        TOLD,
        user.name,
        user.zones,
        bridge.proxies.rows,
        sorted(bridge.proxies.validity),
        f"{classifier.name}@{classifier.version}",
        corrections[0] if corrections else None,
        [(c.id, c.source) for c in bridge.store.connections(user.id)],
    )


def _data(bridge: Bridge, user: User, at: datetime) -> str:
    """What came in last from each connection, the day, and its slot: today's point is the mean of those begun."""
    changed = [bridge.store.changed(c.id) for c in bridge.store.connections(user.id)]
    return _digest(at.astimezone(zone_at(at, user.zones)).date(), moment_at(at, user.zones), changed)


def _digest(*facts: object) -> str:
    return hashlib.sha256(repr(facts).encode()).hexdigest()


def _read(path: Path) -> tuple[str, str, str] | None:
    try:
        rules, data, text = path.read_text(encoding="utf-8").split("\n", 2)
    except (OSError, ValueError):
        return None
    return rules, data, text


def _write(path: Path, content: str) -> None:
    """Whole or not at all; a cache that cannot be written costs time and nothing else."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        part = path.with_name(f".{uuid.uuid4().hex}")
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(content)
        part.replace(path)
