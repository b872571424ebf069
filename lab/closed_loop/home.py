"""The home of a simulated person, with vendors behind HTTP, an installation, journeys, and a new watch."""

from __future__ import annotations

import http.client
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from pathlib import Path
from secrets import token_bytes
from typing import Any
from zoneinfo import ZoneInfo

from bridge import config, installation, registry
from bridge.domain.errors import SetupError
from bridge.domain.records import User
from bridge.ingest import runs
from bridge.ingest.pushes import PUSH_PATH, grant
from bridge.recordings.server import LabServer
from bridge.web import pushes
from lab.closed_loop.resident import Resident
from lab.evaluation.deployed import FIRST_MONDAY
from lab.people.body import Body, Morning, Tone
from lab.people.diary import Diary
from lab.people.titles import HOMES
from lab.people.wearables import BANDS, PhoneBand
from lab.web_server import running

SOURCES = tuple(BANDS)
CALENDAR, PUSHED = "google_calendar", "health_auto_export"
JOURNEYS = {"Europe/Lisbon": 3, "Europe/Istanbul": 4, "Asia/Dubai": 5}  # days away
TRAVELS, CHANGES = 0.25, 0.15  # shares of people who make a journey, and who change the watch
LIMIT = 10_000_000  # bytes of a push
OFTEN = 1_000_000  # pushes a minute: simulated weeks pass in seconds
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """Random circumstances of a person, with language, home, the watch worn from each date on, and a journey."""

    language: str
    home: str
    worn: tuple[tuple[date, str], ...]  # (from, source), ascending
    journey: tuple[date, date, str] | None  # first night away, first night back, zone

    def zone(self, day: date) -> ZoneInfo:
        """Return the time zone in which the person wakes up on ``day``."""
        if self.journey is not None and self.journey[0] <= day < self.journey[1]:
            return ZoneInfo(self.journey[2])
        return ZoneInfo(self.home)

    def source(self, day: date) -> str:
        return next(source for since, source in reversed(self.worn) if since <= day)

    def away(self, day: date) -> bool:
        """Return True if ``day`` is one of the first two after a change of place."""
        return self.journey is not None and any(0 <= (day - turn).days < 2 for turn in self.journey[:2])


def circumstances(resident: Resident, weeks: int) -> Circumstances:
    rng = resident.dice("circumstances")
    language = rng.choice(list(HOMES))
    first = SOURCES[resident.seed % len(SOURCES)]
    worn = [(resident.first_monday, first)]
    if rng.random() < CHANGES:
        other = rng.choice([source for source in SOURCES if source != first])
        worn.append((FIRST_MONDAY + DAY * rng.randrange(1, 7 * weeks), other))
    away, leaves = rng.choice(list(JOURNEYS)), FIRST_MONDAY + DAY * rng.randrange(1, 7 * weeks)
    journey = (leaves, leaves + DAY * JOURNEYS[away], away) if rng.random() < TRAVELS else None
    return Circumstances(language=language, home=HOMES[language], worn=tuple(worn), journey=journey)


@dataclass(slots=True, kw_only=True)
class Home:
    """The installation and vendors of a simulated person, open until ``stack`` closes."""

    bridge: installation.Bridge
    user: User
    about: Circumstances
    diary: Diary
    body: Body
    bands: dict[str, Any] = field(default_factory=dict)
    stack: ExitStack
    addresses: dict[str, dict[str, object]]  # source -> its settings, as a settings file would hold them
    _connected: set[str] = field(default_factory=set)
    _post: tuple[int, str] | None = None  # port and token of the receiver

    def wake(self, day: date, tone: Tone) -> Morning:
        """Simulate the night that ends on ``day``, and add it to the account of the watch worn."""
        morning = self.body.morning(day, self.about.zone(day), tone)
        band = self.bands.setdefault(self.about.source(day), BANDS[self.about.source(day)]())
        band.told(morning, self.about.zone(day), trained=tone.trained)
        return morning

    def sync(self, at: datetime, day: date) -> None:
        """Sync all sources over HTTP. A watch that is worn for the first time is connected first.

        Raises SetupError if a sync fails or does not use all data.
        """
        for source in (CALENDAR, self.about.source(day)):
            if source not in self._connected:
                self._connect(source, at)
        if self.about.source(day) == PUSHED:
            self._push(self.bands[PUSHED])
        for outcome in runs.sync_user(self.bridge, self.user, None, at=at):
            if outcome.outcome != "ok" or outcome.set_aside:
                raise SetupError(f"{outcome.source} did not sync ({outcome.skipped_because or outcome.reasons})")

    def travel(self, day: date) -> None:
        """Tell the installation the person's time zone on ``day`` if it is a new one."""
        now = self.about.zone(day)
        if now.key != self.user.zones[-1].zone:
            since = datetime(day.year, day.month, day.day, 2, 30, tzinfo=self.about.zone(day - DAY))
            self.bridge.store.people.set_zone(self.user.id, now.key, since=since)
            self.user = self.bridge.store.people.user(self.user.name)

    def _connect(self, source: str, at: datetime) -> None:
        self._connected.add(source)
        if source == PUSHED:
            token = grant(self.bridge, self.user, source)
            self._post = self.stack.enter_context(_receiving(self.bridge)), token
            return
        account = self.bands[source].account if source in self.bands else None
        vendor = self.diary.vendor if account is None else registry.resolve(f"lab.vendors.{source}:Vendor")(account)
        server = self.stack.enter_context(LabServer(vendor.application))
        self.addresses[source].update(vendor.settings(server.url))
        connection = self.bridge.store.connections.connect(self.user.id, source, "account", now=at)
        self.bridge.account(connection, registry.spec(source)).save_token(vendor.grant())

    def _push(self, phone: PhoneBand) -> None:
        assert self._post is not None  # noqa: S101 - connected before
        port, token = self._post
        body = phone.body(everything=not phone.account)
        phone.account["sent"] = True
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as sender:
            headers = {"Authorization": f"Bearer {token}", "Connection": "close"}
            sender.request("POST", f"{PUSH_PATH}{PUSHED}", body, headers)
            answer = sender.getresponse()
            if answer.status != 200:
                raise SetupError(f"a push was refused ({answer.status})")


@contextmanager
def _receiving(bridge: installation.Bridge) -> Iterator[int]:
    """Serve the address for pushed data, and yield its port. The data are imported by the next sync."""
    app = pushes.create(bridge, max_bytes=LIMIT, requests_per_minute=OFTEN)
    with running(app, lifespan="off") as port:
        yield port


@contextmanager
def home(resident: Resident, weeks: int, folder: Path) -> Iterator[Home]:
    """Return a context manager of a new installation with the person, without any connection."""
    from bridge.store import Store

    about = circumstances(resident, weeks)
    addresses: dict[str, dict[str, object]] = {name: {} for name in (*SOURCES, CALENDAR)}
    settings = replace(
        config.load(),
        folder=folder,
        key=urlsafe_b64encode(token_bytes(32)).decode(),
        classifier="linear",
        explore="0.04",
        quiet="night",
        sources=addresses,
    )
    store = Store(f"sqlite:///{folder / f'{resident.seed}.db'}")
    with closing(store), ExitStack() as stack:
        bridge = installation.Bridge(settings=settings, store=store)
        began = datetime(2025, 1, 1, tzinfo=ZoneInfo(about.home))
        user = store.people.add_user(f"resident-{resident.seed}", about.home, now=began)
        diary = Diary(resident.seed, about.language, ZoneInfo(about.home))
        yield Home(
            bridge=bridge,
            user=user,
            about=about,
            diary=diary,
            body=Body(resident.seed),
            stack=stack,
            addresses=addresses,
        )
