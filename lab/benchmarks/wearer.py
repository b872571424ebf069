"""The person that targets are measured on, with a year of a Garmin watch, calendars, tasks and answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from bridge import config
from bridge.ingest.sync import sync
from bridge.installation import Bridge
from lab.benchmarks.tenyears import NOW, WATCHES, Life
from lab.benchmarks.web import advised

DAYS = 365
SOURCES = ("garmin", "google_calendar", "google_tasks")
USER = "ana"


def make(home: Path, days: int = DAYS, *, answered: bool = True) -> None:
    """Make the person in a new installation at ``home``. With ``answered``, three recommendations a day have answers.

    Raises SystemExit if a sync fails. ``BRIDGE_NOW`` must be the instant ``NOW`` of ``lab.benchmarks.tenyears``.
    """
    home.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        life = Life(stack, f"sqlite:///{home / 'bridge.db'}", days, SOURCES)
        for name, source in life.sources.items():
            if name not in WATCHES and sync(source, life.store, holder="bench/1", now=NOW).outcome != "ok":
                raise SystemExit(f"{name} could not be synced")
        if answered:
            advised(Bridge(settings=replace(config.load(), folder=home), store=life.store), life.user, days)


@contextmanager
def opened(home: Path) -> Iterator[Bridge]:
    """Open the installation at ``home``, with the default settings."""
    from bridge.store import Store

    database = f"sqlite:///{home / 'bridge.db'}"
    store = Store(database)
    try:
        yield Bridge(settings=replace(config.load(), folder=home, database=database), store=store)
    finally:
        store.close()
