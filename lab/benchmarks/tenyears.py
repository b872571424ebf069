"""Measure opening the store, a sync without news, and an observation, for ten years of data and for less.

Run ``python -m lab.benchmarks.tenyears [--years N] [--url URLS] [--write FILE]``. Without addresses of three empty
databases, separated by commas, SQLite files in a temporary folder are used. ``--write`` puts the figures into a
document between the marks ``<!-- years -->`` and ``<!-- /years -->``. Times are CPU times of this thread, medians of
alternating runs. The data are those of ``lab.people.person``.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from bridge import config, installation, registry
from bridge.advice import recommend
from bridge.auth.account import StoredAccount
from bridge.auth.vault import Vault
from bridge.domain.records import Connection, User
from bridge.ingest.sync import Source, sync
from bridge.recordings.server import LabServer
from bridge.store import Store
from lab.benchmarks.figures import MS, together
from lab.cli.figures import table
from lab.cli.scale import exponent
from lab.fleet.accounts import records as of_vendor
from lab.marked_documents import put
from lab.people.person import demo_person

NOW = datetime(2026, 11, 20, 9, 5, tzinfo=UTC)
PAGE = 500
KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
WATCHES = ("whoop", "garmin")
LIMIT = 1.5  # how much slower ten years may be


class Life:
    """A person with ``days`` days of data in the database at ``url``, and servers of the person's sources.

    ``only`` names the sources to use, by default all of the made-up person.
    """

    def __init__(self, stack: ExitStack, url: str, days: int, only: Collection[str] | None = None) -> None:
        self.url = url
        self.store = stack.enter_context(closing(Store(url)))
        self.user: User = self.store.people.add_user("ana", "Europe/Berlin", now=NOW - timedelta(days=days))
        self.bridge = installation.Bridge(settings=replace(config.load(), classifier="keywords"), store=self.store)
        self.sources: dict[str, Source] = {}
        accounts = demo_person(NOW.date(), days=days)
        accounts.pop("ics")
        for source, account in accounts.items():
            if only is not None and source not in only:
                continue
            vendor = registry.resolve(f"lab.vendors.{source}:Vendor")(account)
            server = stack.enter_context(LabServer(vendor.application))
            connection = self.store.connections.connect(self.user.id, source, "account", now=NOW)
            settings = vendor.settings(server.url)
            held = StoredAccount(connection.id, settings, self.store, Vault([KEY]), zone="Europe/Berlin")
            held.save_token(vendor.grant())
            self.sources[source] = self._source(connection, held)
            self._land(connection, source, account)

    def _source(self, connection: Connection, held: StoredAccount) -> Source:
        spec = registry.spec(connection.source)
        opened = partial(registry.resolve(spec.opens or ""), held)
        return Source(connection=connection, spec=spec, open=opened, normalise=installation.normaliser(spec))

    def _land(self, connection: Connection, source: str, account: dict[str, Any]) -> None:
        """Store all records of the watches as a first sync would, but without requests."""
        records = (
            [one for one in of_vendor(source, account) if one.stream != "body_battery"] if source in WATCHES else []
        )
        spec = registry.spec(source)
        for begin in range(0, len(records), PAGE):
            some = records[begin : begin + PAGE]
            version, arrived = spec.normaliser_version, NOW - timedelta(days=1)
            self.store.ingest.land(connection, some, installation.normaliser(spec), version=version, now=arrived)

    def settle(self, like: Life | None) -> None:
        """Sync until nothing is new. Watches begin at the cursors of ``like``, so that older years are not read."""
        for source, of in self.sources.items():
            for stream in of.spec.streams if like and source in WATCHES else ():
                other = like.sources[source].connection.id if like else 0
                cursor = like.store.ingest.cursor(other, stream, of.spec.cursor_version) if like else None
                if cursor is not None:
                    self.store.ingest.save_cursor(of.connection.id, stream, cursor, of.spec.cursor_version)
        for _ in range(2):
            self.sync()

    def sync(self) -> None:
        for of in self.sources.values():
            of = replace(of, connection=self.store.connections.by_id(of.connection.id) or of.connection)
            outcome = sync(of, self.store, holder="bench/1", now=NOW)
            if outcome.outcome != "ok":
                raise SystemExit(f"{of.spec.name}: {outcome.skipped_because}")

    def open(self) -> None:
        Store(self.url).close()

    def observe(self) -> None:
        recommend.build_observation(self.bridge, self.user, at=NOW)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--years", type=float, default=10.0)
    parser.add_argument("--url", help="three empty databases, comma separated")
    parser.add_argument("--write", type=Path, help="a document to put the table into")
    options = parser.parse_args()
    spans = {"month": 30, "quarter": 91, f"{options.years:g} years": round(options.years * 365)}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        urls = (
            options.url.split(",") if options.url else [f"sqlite:///{folder / str(days)}.db" for days in spans.values()]
        )
        lives = [Life(stack, url, days) for url, days in zip(urls, spans.values(), strict=True)]
        for life in lives:
            life.settle(None if life is lives[0] else lives[0])
        for name, life in zip(spans, lives, strict=True):
            print(
                f"{name}: {sum(sum(kinds.values()) for kinds in life.store.reading.counts(life.user.id).values())} rows"
            )
        measured = {what: medians(lives, what) for what in ("open", "sync", "observe")}
    report(measured, list(spans))
    if options.write:
        rows = [row(what, spans, figures) for what, figures in measured.items()]
        put(options.write, "\n".join(table(rows)), mark="years")


def medians(lives: list[Life], what: str) -> list[float]:
    """Return the median CPU time (ms) of an operation for each life, from runs that alternate."""
    return [seconds * MS for seconds in together(*(getattr(life, what) for life in lives), clock=time.thread_time)]


def report(measured: Mapping[str, Sequence[float]], names: Sequence[str]) -> None:
    """Print a line per operation, and whether the years take at most LIMIT times the quarter's time.

    ``measured`` maps an operation to its CPU times (ms) for the three ``names``.
    """
    for what, (month, quarter, years) in measured.items():
        figures = ", ".join(f"{name} {ms:.1f} ms" for name, ms in zip(names, (month, quarter, years), strict=True))
        print(f"{what}: {figures}; {years / month:.2f} times a month, {years / quarter:.2f} times a quarter")
    worst = max(years / quarter for _, quarter, years in measured.values())
    print("within" if worst <= LIMIT else "NOT within", f"a factor of {LIMIT} of a quarter")


def row(what: str, spans: Mapping[str, int], figures: Sequence[float]) -> dict[str, str]:
    """Return a table row with the CPU time (ms) by span, and the exponent of growth between the last two spans.

    >>> row("open", {"month": 30, "quarter": 90, "10 years": 900}, [2, 1, 10])["exponent, quarter to 10 years"]
    '1.00'
    """
    _, before, last = spans
    grown = exponent([spans[before], spans[last]], figures[1:])
    times = {f"{span}, CPU ms": f"{ms:.1f}" for span, ms in zip(spans, figures, strict=True)}
    return {"work": what, **times, f"exponent, {before} to {last}": f"{grown:.2f}"}


if __name__ == "__main__":
    main()
