"""A person with the files of three vendors, and the same person's measurements in a standard's format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import lab
from bridge import installation
from bridge.config import load
from bridge.documents import standards
from bridge.ingest import runs
from bridge.store import Store
from tests.world import NOW

FILES = (("fitbit", "week"), ("oura", "saved"), ("samsung_health", "week"), ("whoop", "export"))


def filled(store: Store) -> int:
    """Import the files of all vendors for ana, and return her number."""
    bridge = installation.Bridge(settings=load(), store=store)
    user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
    for source, case in FILES:
        runs.import_path(bridge, user, lab.fixtures(source) / case, at=NOW)
    return user.id


def exported(store: Store, user_id: int, folder: Path, kind: str) -> tuple[Any, dict[str, int]]:
    """The written document, read again, and its counts."""
    told = store.reading.samples(user_id), store.reading.episodes(user_id)
    counts = standards.write("ana", told, folder, kind, at=NOW)
    return json.loads((folder / standards.FILES[kind]).read_text(encoding="utf-8")), counts
