"""Laws that every live source keeps. A plug-in, its lab ``Vendor`` and its fixtures are all they need to know.

``LAWS`` names them; each takes a source's name and raises AssertionError where the source breaks it. The ``Vendor``
serves ``account`` live: rows that are taken away or put back there are what the next request gets. One whose changes
bear numbers or leave marks also has ``account_changed(before, at)``, and is told.
"""

from __future__ import annotations

import contextlib
import copy
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime
from statistics import median
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit
from zoneinfo import ZoneInfo

import pytest
import requests

from bridge import installation, registry
from bridge.auth.vault import Vault
from bridge.domain.errors import BadRecord
from bridge.domain.types import Episode, EpisodeKind, Item, Outcome, RawRecord, Sample
from bridge.recordings.server import Answer, Fault, Request
from bridge.store import Store
from tests.contract import accounts
from tests.contract.population import spreads_away
from tests.world import KEY, World, contents, later, living, plain, served

HOME = "Europe/Berlin"
AWAY = ("Pacific/Kiritimati", "Pacific/Honolulu")  # UTC+14 and UTC-10, all year: mornings and evenings change the date
SPREADS = 5.0
FIRST_DAYS = 12  # that a first sync reads of a source which is asked for each day alone
RESET = 77  # seconds
SINCE = re.compile(r"since|last_?update|updated|modified|changed", re.IGNORECASE)  # of changes, not of a window
SECRET_CHARS = 8  # shorter texts of a token are no secrets


def cases(source: str) -> list[str]:
    return [case for other, case in served() if other == source]


@contextmanager
def alive(source: str, case: str) -> Iterator[World]:
    """Yield a person behind a vendor with a fixture's account, and an empty store. Sources
    asked by day read few days.
    """
    with closing(Store("sqlite://")) as store, living(store, source, case) as world:
        if hasattr(world.vendor, "days"):
            world.vendor.days = FIRST_DAYS
        yield replace(world)


def went_well(outcome: Outcome) -> None:
    assert outcome.outcome == "ok", outcome.skipped_because


def change(world: World, wanted: accounts.Account, at: datetime) -> None:
    """Make the vendor hold another account from a moment on."""
    before = copy.deepcopy(world.vendor.account)
    accounts.become(world.vendor.account, wanted)
    if hasattr(world.vendor, "account_changed"):
        world.vendor.account_changed(before, at)


def fresh(world: World) -> dict[str, list[Any]]:
    """Everything a first sync of the same account would find now."""
    with closing(Store("sqlite://")) as store:
        user = store.people.add_user("ana", HOME, now=world.now)
        connection = store.connections.connect(user.id, world.spec.name, world.spec.name, now=world.now)
        anew = replace(world, store=store, user=user, connection=connection)
        anew.account.save_token(world.vendor.grant())
        went_well(anew.sync())
        return contents(store, user)


def young(world: World) -> list[accounts.Row]:
    """Return rows that every sync reads again, because they lie well within the overlap or bear no time."""
    margin = min(timedelta(days=2), world.spec.overlap / 3)
    since = world.now - world.spec.overlap + margin
    found = accounts.rows(world.vendor.account)
    return [row for row in found if accounts.within(row, since, world.now + timedelta(days=1))]


def halves(found: list[accounts.Row]) -> list[list[accounts.Row]]:
    return [half for half in (found[::2], found[1::2]) if half]


def late_rows_are_found(source: str) -> None:
    """After rows came late, an incremental sync finds the same as a first sync."""
    tried = 0
    for case in cases(source):
        with alive(source, case) as world:
            parts = halves(young(world))
        for part in parts:
            with alive(source, case) as world:
                whole = copy.deepcopy(world.vendor.account)
                accounts.become(world.vendor.account, accounts.without(whole, part))
                if hasattr(world.vendor, "account_changed"):
                    world.vendor.account_changed(whole, world.now - timedelta(days=1))
                went_well(world.sync())
                arrives_late(world, accounts.stamped(whole, part, world.now + timedelta(minutes=30)))
                tried += 1
    assert tried, f"no fixture of {source} has a row within the overlap"


def arrives_late(world: World, wanted: accounts.Account) -> None:
    """Sync an hour later, when the vendor holds ``wanted``, and compare with a first sync."""
    change(world, wanted, world.now + timedelta(minutes=30))
    after = later(world, hours=1)
    went_well(after.sync())
    assert after.contents() == fresh(after), "rows that came late were not found, or others were lost"


def rows_from_the_future_hide_no_late_ones(source: str) -> None:
    """A row that claims to have been changed in two days takes no cursor along. Late rows are found after it."""
    for case in cases(source):
        with alive(source, case) as world:
            found = [row for row in young(world) if accounts.tells_changes(row)]
            if len(found) < 2:
                continue
            ahead, late = found[:1], found[1::2]
            whole = accounts.stamped(world.vendor.account, ahead, world.now + timedelta(days=2))
            before = copy.deepcopy(whole)
            accounts.become(world.vendor.account, accounts.without(whole, late))
            if hasattr(world.vendor, "account_changed"):
                world.vendor.account_changed(before, world.now - timedelta(days=1))
            went_well(world.sync())
            no_cursor_is_ahead(world)
            arrives_late(world, accounts.stamped(whole, late, world.now + timedelta(minutes=30)))


def vanished_rows_are_gone(source: str) -> None:
    """After rows vanished, an incremental sync finds the same as a first sync, but for deletions that SPEC cannot
    know.
    """
    for case in cases(source):
        with alive(source, case) as world:
            parts = halves(young(world))
        for part in parts:
            with alive(source, case) as world:
                went_well(world.sync())
                kept = unknowable(world)
                gone = accounts.with_dependents(world.vendor.account, part)
                change(world, accounts.without(world.vendor.account, gone), world.now + timedelta(minutes=30))
                after = later(world, hours=1)
                went_well(after.sync())
                same_but_for(after.contents(), fresh(after), kept)


def same_but_for(found: dict[str, list[Any]], wanted: dict[str, list[Any]], kept: set[str]) -> None:
    """Both are equal, except that ``found`` may still have what is ``kept``."""
    for kind, items in found.items():
        texts = Counter(str(item) for item in items)
        expected = Counter(str(item) for item in wanted[kind])
        assert not expected - texts, f"{kind} are missing"
        stale = [text for text in texts - expected if text not in kept]
        assert not stale, f"{len(stale)} {kind} vanished at the vendor and stayed"


def unknowable(world: World) -> set[str]:
    """Return the items of streams whose source does not tell deletions, as texts."""
    streams = world.spec.deletions_unknown
    assert all(len(why.split()) >= 5 for why in streams.values()), "SPEC says why deletions cannot be known"
    assert set(streams) <= set(world.spec.streams)
    return {str(plain({"source": world.spec.name, **asdict(item)})) for item in meanings(world, set(streams))}


def meanings(world: World, streams: set[str] | None = None) -> list[Item]:
    """Return the items of the records that a first pull delivers, of some streams or all."""
    records = {record.path: record for record in world.records()}
    normalise = installation.normaliser(world.spec)
    found: list[Item] = []
    for record in records.values():
        if not record.deleted and (streams is None or record.stream in streams):
            found += read(normalise, record, records)
    return found


def read(normalise: Any, record: RawRecord, records: dict[str, RawRecord]) -> list[Item]:
    try:
        return list(normalise(record, records.get(record.parent or "")))
    except BadRecord:
        return []


def tokens_end(source: str) -> bool:
    """Say if a source's access tokens end, and are refreshed."""
    return getattr(registry.resolve(f"lab.vendors.{source}:Vendor"), "tokens_expire", None) is not None


def ended_tokens_cost_no_consent(source: str) -> None:
    """Tokens end between syncs, by the vendor's clock and by ours, and once while the vendor is down."""
    with alive(source, "week") as world:
        if not tokens_end(source):
            return  # nor does a secret address
        went_well(world.sync())
        world.vendor.tokens_expire()
        world.server.faults.append(lambda r: None if for_a_token(r) else Answer(status=500, body=b""))
        assert later(world, hours=1).sync().outcome == "failed"
        world.server.faults.clear()
        for hours in range(12, 16):
            if hours % 2:
                world.account.save_token(ended(world.account.token() or {}))
            world.vendor.tokens_expire()
            went_well(later(world, hours=hours).sync())


def for_a_token(request: Request) -> bool:
    """Say if a request asks for a token, by its path or by what it posts."""
    posted = request.form if request.method == "POST" else {}
    return "token" in request.path or "grant_type" in posted


def ended(token: dict[str, Any]) -> dict[str, Any]:
    """A token that ended yesterday, where it says when it ends."""
    yesterday = datetime.now(UTC) - timedelta(days=1)
    dated = {"expires_at": yesterday.timestamp(), "expiry": yesterday.isoformat()}
    return token | {name: at for name, at in dated.items() if name in token}


class Visitor:
    """A person who agrees at once, pastes the address they were led to, and has the vendor's secret at hand."""

    def __init__(self, world: World, secret: str) -> None:
        self._world, self._secret, self._led = world, secret, ""

    def open(self, url: str) -> None:
        """Look at the vendor's page. Where there is none, be led back with a code of no meaning."""
        asked = dict(parse_qsl(urlsplit(url).query))
        if "redirect_uri" in asked:
            self._led = f"{asked['redirect_uri']}?{urlencode({'code': 'lab-code', 'state': asked.get('state', '')})}"
        if url.startswith(self._world.server.url):
            self._led = requests.get(url, timeout=10, allow_redirects=False).headers.get("Location", self._led)

    def paste(self) -> str | None:
        return self._led or None

    def ask(self, question: str) -> str | None:  # noqa: ARG002 - there is but one secret
        return self._secret


def consent_is_given_saved_and_used(source: str) -> None:
    """Connecting from nothing leaves a token in the store, with which a sync asks the vendor."""
    with alive(source, "week") as world:
        went_well(world.sync())
        expected = world.contents()
        settings = dict(world.account.settings)
        held = {n: v for n, v in world.vendor.grant().items() if n in settings and not n.startswith("client")}
        with closing(Store("sqlite://")) as store:
            user = store.people.add_user("ben", HOME, now=world.now)
            connection = store.connections.connect(user.id, source, source, now=world.now)
            anew = replace(world, store=store, user=user, connection=connection)
            asked = installation.StoredAccount(connection.id, settings | dict.fromkeys(held, ""), store, Vault([KEY]))
            assert asked.token() is None
            visitor = Visitor(world, next(iter(held.values()), ""))
            registry.resolve(world.spec.authorises or "")(asked, visitor)
            token = asked.token()
            assert token, "the consent was not saved"
            seen = requests_of(anew)
            went_well(anew.sync())
            assert contents(store, user) == expected
            assert any(shows(request, token) for request in seen), "the consent was not used"


def requests_of(world: World) -> list[Request]:
    """A list that every request to the vendor joins from now on."""
    seen: list[Request] = []

    def note(request: Request) -> None:
        seen.append(request)

    world.server.faults.append(note)
    return seen


def shows(request: Request, token: dict[str, Any]) -> bool:
    """Say if a request bears a secret of a token. A secret address is its own."""
    sent = [*request.headers.values(), *request.query.values(), *request.form.values()]
    secrets = [text for text in token.values() if isinstance(text, str) and len(text) > SECRET_CHARS]
    return any(secret in text for secret in secrets for text in sent) or any(
        secret.endswith(request.path) for secret in secrets if "://" in secret
    )


def limits_are_waited_out(source: str) -> None:
    """A limit, in each way a vendor tells it, ends as "try later", pauses nothing, and heals by itself."""
    for name, answer in limits(source).items():
        for position in (1, 2):
            with alive(source, "week") as world, pytest.MonkeyPatch.context() as patch:
                patch.setattr("time.sleep", lambda _: None)
                world.server.faults.append(strike(answer, position))
                limited = world.sync()
                if position > 1 and limited.outcome == "ok" and data_requests(world) < position:
                    continue  # all is told in one answer
                waits(world, limited, name)
    if tokens_end(source):
        limited_at_the_token(source)


def limited_at_the_token(source: str) -> None:
    with alive(source, "week") as world, pytest.MonkeyPatch.context() as patch:
        patch.setattr("time.sleep", lambda _: None)
        world.vendor.tokens_expire()
        busy = Answer(status=429, headers={"Retry-After": str(RESET)})
        world.server.faults.append(lambda r: busy if for_a_token(r) else None)
        waits(world, world.sync(), "429 where tokens are given")


def waits(world: World, limited: Outcome, name: str) -> None:
    """The outcome is "try later", the connection is due by itself, and all is well then."""
    assert limited.outcome == "failed", f"{name}: {limited.outcome}"
    assert not limited.odd, f"{name}: taken for an odd answer, which stops the source in the end"
    connection = world.store.connections.of_user(world.user.id)[0]
    assert connection.paused is None, name
    assert connection.due_at is not None, name
    assert connection.due_at > world.now, name
    world.server.faults.clear()
    went_well(replace(world, connection=connection).sync(at=connection.due_at))


def limits(source: str) -> dict[str, Answer]:
    """The ways in which this vendor may tell that too much was asked."""
    date_of = format_datetime(datetime.now(UTC) + timedelta(seconds=RESET), usegmt=True)
    found = {
        "429 with seconds": Answer(status=429, body=b"slow down", headers={"Retry-After": str(RESET)}),
        "429 with a date": Answer(status=429, headers={"Retry-After": date_of}),
        "429 alone": Answer(status=429, body={"error": "too many requests"}),
    }
    return found | ({"status 601": Answer(body={"status": 601, "error": "Too Many Requests"})} if wraps(source) else {})


def wraps(source: str) -> bool:
    """Say if the vendor's answers carry their own status, as Withings' ``{"status": 0, "body": ...}``.

    Such a vendor answers 601 for a limit, with HTTP 200.
    """
    with alive(source, "week") as world:
        application, told = world.server.application, []

        def note(request: Request) -> Answer:
            answer = application(request)
            with contextlib.suppress(ValueError):  # no JSON
                body = json.loads(answer.encoded())
                told.append(body.get("status") if isinstance(body, dict) else None)
            return answer

        world.server.application = note
        went_well(world.sync())
        return any(type(status) is int and status == 0 for status in told)


def strike(answer: Answer, position: int) -> Fault:
    """The vendor answers so from its nth request for data on."""
    asked = 0

    def fault(request: Request) -> Answer | None:
        nonlocal asked
        asked += not for_a_token(request)
        return answer if asked >= position and not for_a_token(request) else None

    return fault


def data_requests(world: World) -> int:
    return sum("token" not in line for line in world.server.asked)


def cursors_never_pass_now(source: str) -> None:
    """No cursor passes now, after a first sync and after the next. No request asks for what changed after now."""
    for case in cases(source):
        with alive(source, case) as world:
            morning = replace(
                world, now=world.now.astimezone(UTC).replace(hour=8)
            )  # the date is the same all over the world
            seen = requests_of(world)
            for at in (morning, later(morning, hours=1)):
                went_well(at.sync())
                no_cursor_is_ahead(at)
                for request in seen:
                    nothing_from_the_future(request, at.now)
                seen.clear()


def no_cursor_is_ahead(world: World) -> None:
    for stream, cursor in world.store.ingest.cursors(world.connection.id, world.spec.cursor_version).items():
        for at in accounts.moments_of_text(cursor):
            whole = at.time() == datetime.min.time()  # a date: the person's, anywhere
            ahead = at.date() > accounts.latest_date(world.now) if whole else at > world.now + timedelta(seconds=1)
            assert not ahead, f"the cursor of {stream} lies ahead of now"


def nothing_from_the_future(request: Request, now: datetime) -> None:
    for name, value in {**request.query, **request.form}.items():
        if SINCE.search(name):
            assert all(at <= now for at in accounts.moments_of_text(value)), f"{name} lies ahead of now"


def medians_are_of_people(source: str) -> None:
    """A unit or a sign that is wrong moves a metric's median far from that of people."""
    values: dict[tuple[str, str], list[float]] = {}
    for case in cases(source):
        with alive(source, case) as world:
            for kind, metric, value in figures(meanings(world)):
                values.setdefault((kind, metric), []).append(value)
    for (kind, metric), found in values.items():
        away = spreads_away(kind, metric, median(found))
        assert away <= SPREADS, f"{metric} ({kind}): the median lies {away:.1f} spreads from people's"


def figures(items: list[Item]) -> Iterator[tuple[str, str, float]]:
    """Yield (kind of stretch, metric, value) of samples, nights and workouts. Naps vary too much to tell."""
    for item in items:
        if isinstance(item, Sample):
            yield "sample", item.metric, item.value
        elif isinstance(item, Episode) and item.kind is not EpisodeKind.NAP:
            for metric, value in item.values.items():
                yield str(item.kind), metric, value


def days_are_the_persons(source: str) -> None:
    """The same life in another zone reads the same on the wall. Dates stay, and offsets are
    the zone's, by their sign.
    """
    spec = registry.spec(source)
    if not spec.delivers - {"events", "tasks"}:
        return
    with alive(source, "week") as world:
        items = lived(world, HOME, world.now)
        account = copy.deepcopy(world.vendor.account)
        for away in AWAY:
            accounts.become(world.vendor.account, accounts.moved(account, HOME, away, world.now))
            moved = lived(world, away, shifted(world.now, away))
            assert walls(items, HOME) == walls(moved, away), f"dates or times change with the zone ({away})"
            assert nights_end_on_their_day(moved)


def lived(world: World, zone: str, now: datetime) -> list[Sample | Episode]:
    """Return the items of a person who lives in ``zone``, a day later, when today's are whole anywhere."""
    account = installation.StoredAccount(
        world.connection.id, world.account.settings, world.store, Vault([KEY]), zone=zone
    )
    with closing(registry.resolve(world.spec.opens or "")(account)) as connector:
        pages = [
            page for stream in world.spec.streams for page in connector.pull(stream, None, now=now + timedelta(days=1))
        ]
    records = {record.path: record for page in pages for record in page.records if not record.deleted}
    normalise = installation.normaliser(world.spec)
    items = [item for record in records.values() for item in read(normalise, record, records)]
    return [item for item in items if isinstance(item, Sample | Episode)]


def shifted(at: datetime, zone: str) -> datetime:
    """The instant at which the clocks of ``zone`` show what those at home do."""
    wall = at.astimezone(ZoneInfo(HOME)).replace(tzinfo=None)
    return wall.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


def walls(items: list[Sample | Episode], zone: str) -> Counter[tuple[str, date, datetime | None, str]]:
    """Count items by their wall clock. A told offset is the zone's, and 0 is that of times told in UTC."""
    found: Counter[tuple[str, date, datetime | None, str]] = Counter()
    for item in items:
        kind = str(item.metric if isinstance(item, Sample) else item.kind)
        value = f"{item.value:.4f}" if isinstance(item, Sample) else json.dumps(dict(sorted(item.values.items())))
        home = int((item.start.astimezone(ZoneInfo(zone)).utcoffset() or timedelta(0)) / timedelta(minutes=1))
        assert item.offset in (None, 0, home), f"{kind}: an offset of {item.offset} minutes in {zone}"
        wall = (item.start + timedelta(minutes=item.offset)).replace(tzinfo=None) if item.offset else None
        found[kind, item.day, wall, value] += 1
    return found


def nights_end_on_their_day(items: list[Sample | Episode]) -> bool:
    nights = [i for i in items if isinstance(i, Episode) and i.kind is EpisodeKind.SLEEP and i.offset]
    return all((night.end + timedelta(minutes=night.offset or 0)).date() == night.day for night in nights)


LAWS: MappingProxyType[str, Callable[[str], None]] = MappingProxyType(
    {
        law.__name__: law
        for law in (
            late_rows_are_found,
            rows_from_the_future_hide_no_late_ones,
            vanished_rows_are_gone,
            ended_tokens_cost_no_consent,
            consent_is_given_saved_and_used,
            limits_are_waited_out,
            cursors_never_pass_now,
            medians_are_of_people,
            days_are_the_persons,
        )
    }
)
