"""Measure the first sync of many calendar events and a sync without news, beside a download of the same pages.

Run ``python -m lab.benchmarks.calendar [--events N]``. The vendor's server is a process of its own. The store is an
SQLite file in a temporary folder. CPU time is given for this process, and for it and the server together.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
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
    """Serve a vendor with ``events`` events. A true message returns (requests, CPU seconds), a false one stops it."""
    vendor = Vendor(account(events, random.Random(1)))
    with LabServer(vendor.application) as server:
        pipe.send((vendor.settings(server.url), vendor.grant(), [c["id"] for c in vendor.account["calendars"]]))
        while pipe.recv():
            pipe.send((len(server.asked), process_time()))


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The elapsed seconds of an operation, CPU seconds of this process and with the server's, and its requests."""

    wall: float
    cpu: float
    both: float
    requests: int


def cost(run: Callable[[], object], ask: Callable[[], tuple[int, float]]) -> Cost:
    asked, theirs = ask()
    begun, cpu = perf_counter(), process_time()
    run()
    wall, spent = perf_counter() - begun, process_time() - cpu
    more, then = ask()
    return Cost(wall=wall, cpu=spent, both=spent + then - theirs, requests=more - asked)


def measure(
    ask: Callable[[], tuple[int, float]], settings: dict[str, str], grant: dict[str, Any], calendars: list[str]
) -> None:
    """Print the cost of a first sync and of one without changes. ``ask`` returns the server's (requests, seconds)."""
    bare = cost(lambda: downloaded(settings, grant, calendars), ask)
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

        first, again = cost(lambda: synced(0), ask), cost(lambda: synced(1), ask)
    for name, one in (("bare download", bare), ("first sync", first)):
        print(f"{name:20}{one.wall:7.2f} s, {one.cpu:5.2f} s of CPU, {one.both:5.2f} s at both ends")
    ratios = (first.wall / bare.wall, first.cpu / bare.cpu, first.both / bare.both)
    print("{:20}{:7.1f} times the download, {:5.1f} by CPU, {:5.1f} by that of both ends".format("", *ratios))
    listed = f"{again.requests} requests: {len(calendars)} calendars and their list"
    print(f"{'sync without news':20}{again.wall:7.2f} s, {listed}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=10_000)
    chosen = parser.parse_args()
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(there, chosen.events), daemon=True)
    server.start()

    def ask() -> tuple[int, float]:
        here.send(True)
        told: tuple[int, float] = here.recv()
        return told

    measure(ask, *here.recv())
    here.send(False)
    server.join()


if __name__ == "__main__":
    main()
