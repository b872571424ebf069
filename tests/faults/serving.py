"""A person behind vendors on loopback and a mailbox for their advice; real daemons, started and killed."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bridge import installation, registry
from bridge.advice import notify
from bridge.auth.vault import Vault
from bridge.domain.guard import Guard
from bridge.domain.records import SEND_STATES
from bridge.recordings.server import Answer, LabServer, Request
from bridge.store import Store
from lab.people.person import demo_person
from tests.world import KEY, NOW, contents

SOURCES = ("whoop", "google_calendar", "ics")
ROUND = timedelta(hours=2, minutes=45)  # from one start to the next: everything is due, now and then it is another slot
MANY = 10**6  # requests: more than there are, so that time decides
STARTING, CALM = 90.0, 3.0  # seconds without a request, before the first and after it


class Serving:
    """One person's vendors, which change a little every round, and the daemon that follows them."""

    def __init__(self, stack: ExitStack, folder: Path, url: str, *, seed: int) -> None:
        self.url, self.folder, self.now = url, folder, NOW
        self.said = folder / "said.log"  # by all daemons
        self.rng = random.Random(seed)
        self.vendors: dict[str, Any] = {}
        self.servers: list[LabServer] = []
        self.messages: list[dict[str, str]] = []
        self.variables = {"BRIDGE_KEY": KEY, "BRIDGE_DATABASE": url, "BRIDGE_HOME": str(folder)}
        self.variables["BRIDGE_ALLOW_HOSTS"] = "127.0.0.1"  # of the mailbox
        for source, account in demo_person(NOW.date(), days=20).items():
            if source in SOURCES:
                vendor = self.vendors[source] = registry.resolve(f"lab.vendors.{source}:Vendor")(account)
                server = stack.enter_context(LabServer(vendor.application))
                self.servers.append(server)
                settings = vendor.settings(server.url).items()
                self.variables |= {f"BRIDGE_{source}_{name}".upper(): value for name, value in settings}
        self.mailbox = stack.enter_context(LabServer(self._take))
        self.connect(url)

    def _take(self, request: Request) -> Answer:
        self.messages.append(json.loads(request.body))
        return Answer(body={})

    def connect(self, url: str) -> None:
        with closing(Store(url)) as store:
            user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
            for source, vendor in self.vendors.items():
                connection = store.connections.connect(user.id, source, "account", now=NOW)
                installation.StoredAccount(connection.id, {}, store, Vault([KEY])).save_token(vendor.grant())
            address = self.mailbox.url.replace("http://", "json://")
            notify.keep(store, Vault([KEY]), user, address, events=False, now=NOW)

    def change(self) -> None:
        """A later round, in which a day's strain is another one."""
        self.now += ROUND
        cycle = self.vendors["whoop"].account["cycles"][-1]
        cycle["score"]["strain"] = round(self.rng.uniform(4, 20), 1)
        cycle["updated_at"] = self.now.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def start(self, *more: str, url: str = "") -> subprocess.Popen[bytes]:
        own = self.variables | {"BRIDGE_NOW": self.now.isoformat()} | ({"BRIDGE_DATABASE": url} if url else {})
        command = [sys.executable, "-m", "bridge", "daemon", *(more or ("--every", "1"))]
        with self.said.open("ab") as said:
            return subprocess.Popen(command, env={**os.environ, **own}, stdout=subprocess.DEVNULL, stderr=said)

    def kill_once(self) -> bool:
        """Kill a daemon around a random request or a message, or when it has calmed down; False if it had ended."""
        watched, left = self.rng.choice(
            ((self.servers, self.rng.randrange(1, 11)), ([self.mailbox], 1), ([self.mailbox], MANY))
        )
        struck, counting = threading.Event(), threading.Lock()

        def count(request: Request) -> Answer | None:
            nonlocal left
            with counting:
                left -= 1
                if left == 0:
                    struck.set()
            return None

        for server in watched:
            server.faults.append(count)
        process = self.start()
        self._until(struck)
        time.sleep(self.rng.random() * 0.2)
        process.send_signal(signal.SIGKILL)
        process.wait()
        for server in watched:
            server.faults.remove(count)
        return process.returncode == -signal.SIGKILL

    def _until(self, struck: threading.Event) -> None:
        """Until then, or until nobody has been asked for a while; a start takes its time on a busy machine."""
        asked, end = self.asked(), time.monotonic() + STARTING
        while not struck.wait(0.05) and time.monotonic() < end:
            if self.asked() != asked:
                asked, end = self.asked(), time.monotonic() + CALM

    def asked(self) -> int:
        """The number of requests so far."""
        return sum(len(server.asked) for server in (*self.servers, self.mailbox))

    def settle(self) -> None:
        """A last round, undisturbed."""
        self.change()
        assert self.start("--once").wait(timeout=300) == 0

    def check(self) -> dict[str, int]:
        """Whatever happened before ``settle``: all that was due ran, and nothing is lost, doubled or sent twice."""
        fresh = f"sqlite:///{self.folder / 'fresh.db'}"
        told = list(self.messages)
        self.connect(fresh)
        assert self.start("--once", url=fresh).wait(timeout=300) == 0
        with closing(Store(self.url)) as store, closing(Store(fresh)) as calm:
            for connection in store.connections.of_user(store.people.user("ana").id):
                assert connection.last_success == self.now, connection.source
                assert (connection.last_error, store.scheduling.lease_holder(connection.id)) == (None, None)
            assert contents(store, store.people.user("ana")) == contents(calm, calm.people.user("ana"))
            return self._sent(store, told, self.now)

    def _sent(self, store: Store, told: list[dict[str, str]], until: datetime) -> dict[str, int]:
        """Messages against what the store says of them."""
        user = store.people.user("ana")
        given = store.recommendations.full_between(
            user.id, since=NOW - timedelta(days=1), until=until + timedelta(days=1)
        )
        assert len({advice.moment for advice in given}) == len(given)
        states = {n.recommendation_id: n.state for n in store.notifications.in_states(user.id, SEND_STATES)}
        sent, unknown = (sum(state == wanted for state in states.values()) for wanted in ("sent", "sending"))
        assert sent <= len(told) <= sent + unknown
        missed = len(store.notifications.missed(user.id, now=until, quiet=Guard().quiet))
        unsent = len(states) - sent + missed
        return {"advice": len(given), "messages": len(told), "sent": sent, "reported unsent": unsent}
