"""Measures the first sync of 10,000 events and a sync without news, against a bare download of the same pages.

Run: ``python -m lab.benchmarks.calendar [--events N]``. The vendor's server runs in its own process on loopback. The
store is an SQLite file in a temporary folder. The made-up events are single events, series and changed instances.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import tempfile
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection as Pipe
from time import perf_counter, process_time
from typing import Any
from urllib.parse import quote

import requests
from cryptography.fernet import Fernet

import bridge.cli  # noqa: F401 - it raises the collector's threshold, as in every process of the program
from bridge import installation, registry
from bridge.auth.vault import Vault
from bridge.ingest.sync import Source, sync
from bridge.recordings.server import LabServer
from bridge.store import Store
from connectors.google.calendar.client import EVENT_FIELDS, PAGE_MAX_EVENTS
from lab.people.calendar_edits import account
from lab.vendors.google_calendar import Vendor

NOW = datetime(2026, 11, 20, 9, 5, tzinfo=UTC)
SOURCE = "google_calendar"


def serve(pipe: Pipe, events: int) -> None:
    """Serve a vendor until told to stop, and report its number of requests when asked."""
    vendor = Vendor(account(events, random.Random(1)))
    with LabServer(vendor.application) as server:
        pipe.send((vendor.settings(server.url), vendor.grant(), [c["id"] for c in vendor.account["calendars"]]))
        while pipe.recv():
            pipe.send(len(server.asked))


def downloaded(settings: dict[str, str], grant: dict[str, Any], calendars: list[str]) -> int:
    """Download every page of every calendar as JSON, and return the number of events."""
    found = 0
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {grant['token']}"
        for calendar in calendars:
            address = f"{settings['base_url']}/calendar/v3/calendars/{quote(calendar)}/events"
            query = {"maxResults": str(PAGE_MAX_EVENTS), "singleEvents": "false", "fields": EVENT_FIELDS}
            while True:
                body = session.get(address, params=query, timeout=60).json()
                found += len(body["items"])
                if "nextPageToken" not in body:
                    break
                query["pageToken"] = body["nextPageToken"]
    return found


def timed(run: Callable[[], object]) -> tuple[float, float]:
    """Return elapsed and CPU seconds of a call in this process."""
    begun, cpu = perf_counter(), process_time()
    run()
    return perf_counter() - begun, process_time() - cpu


def measure(ask: Callable[[], int], settings: dict[str, str], grant: dict[str, Any], calendars: list[str]) -> None:
    """Print the cost of a first sync and of a sync without news."""
    bare = timed(lambda: downloaded(settings, grant, calendars))
    with tempfile.TemporaryDirectory() as folder, closing(Store(f"sqlite:///{folder}/bridge.db")) as store:
        user = store.people.add_user("benchmark", "Europe/Berlin", now=NOW)
        connection = store.connections.connect(user.id, SOURCE, "account", now=NOW)
        held = installation.StoredAccount(connection.id, settings, store, Vault([Fernet.generate_key().decode()]))
        held.save_token(grant)
        spec = registry.spec(SOURCE)
        opens = registry.resolve(spec.opens or "")
        source = Source(
            connection=connection, spec=spec, open=lambda: opens(held), normalise=installation.normaliser(spec)
        )

        def synced(hours: int) -> None:
            outcome = sync(source, store, holder="benchmark/1", now=NOW + timedelta(hours=hours))
            print(f"{outcome.outcome}: {outcome.new} new, {outcome.set_aside} set aside, {dict(outcome.streams)}")

        first = timed(lambda: synced(0))
        before = ask()
        again = timed(lambda: synced(1))
        asked = ask() - before
    print(f"{'bare download':20}{bare[0]:7.2f} s, {bare[1]:5.2f} s of CPU")
    print(f"{'first sync':20}{first[0]:7.2f} s, {first[1]:5.2f} s of CPU, {first[0] / bare[0]:5.1f} times the download")
    print(f"{'sync without news':20}{again[0]:7.2f} s, {asked} requests: {len(calendars)} calendars and their list")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=10_000)
    chosen = parser.parse_args()
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(there, chosen.events), daemon=True)
    server.start()

    def ask() -> int:
        here.send(True)
        number: int = here.recv()
        return number

    measure(ask, *here.recv())
    here.send(False)
    server.join()


if __name__ == "__main__":
    main()
