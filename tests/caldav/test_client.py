"""Servers that cut listings, forget tokens, have none, lose calendars, lead elsewhere, and send odd XML."""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from bridge.domain.errors import SourceChanged
from bridge.http import transport
from bridge.recordings.server import Answer, LabServer, Request
from bridge.store import Store
from connectors.caldav import client, multistatus
from connectors.caldav.discovery import discover
from connectors.caldav.server import Login, Server
from lab.vendors.caldav import HOME, TYPE
from tests.contract.laws.stage import fresh
from tests.world import World, later, living

TODO = ["BEGIN:VTODO", "UID:new@example.com", "DTSTAMP:20261101T080000Z", "SUMMARY:New", "END:VTODO"]


def add(world: World, calendar: str = "verein", lines: list[str] = TODO) -> None:
    world.vendor.account["calendars"][calendar]["text"][3:3] = lines


def drop(world: World, calendar: str = "verein") -> None:
    """Take the first component of a calendar away."""
    lines = world.vendor.account["calendars"][calendar]["text"]
    end = next(n for n, line in enumerate(lines) if line in ("END:VEVENT", "END:VTODO"))
    del lines[3 : end + 1]


def same_as_new(world: World) -> None:
    assert world.sync().outcome == "ok"
    assert world.contents() == fresh(world)


def test_nothing_new_takes_one_request(world: World) -> None:
    assert later(world, minutes=30).sync().unchanged == 0
    assert world.server.asked == [f"PROPFIND {HOME}"] * 2  # where the calendars are, and which there are


def test_a_change_asks_for_the_changed_entries_alone(world: World) -> None:
    add(world)
    outcome = later(world, minutes=30).sync()
    assert (outcome.new, outcome.updated, outcome.unchanged, outcome.deleted) == (1, 0, 0, 0)
    assert len([line for line in world.server.asked if line.startswith("REPORT")]) == 2


@pytest.mark.parametrize("part", [1, 2, 3])
def test_a_listing_cut_into_parts_is_read_to_its_end(lite: Store, part: int) -> None:
    with living(lite, "caldav", "week") as world:
        world.vendor.part = part
        same_as_new(world)
        add(world)
        drop(world)
        add(world, "zu hause")
        same_as_new(later(world, minutes=30))


def test_forgotten_tokens_lead_to_a_whole_listing_and_deletions_are_found(world: World) -> None:
    add(world)
    drop(world, "zu hause")
    world.vendor.forget_tokens()
    outcome = later(world, minutes=30).sync()
    assert (outcome.new, outcome.deleted) == (1, 1)
    assert world.contents() == fresh(world)


@pytest.mark.parametrize("ctags", [True, False])
def test_a_server_without_sync_tokens_is_compared_by_etags(lite: Store, ctags: bool) -> None:
    with living(lite, "caldav", "week") as world:
        world.vendor.tokens, world.vendor.ctags = False, ctags
        same_as_new(world)
        world.server.asked.clear()
        outcome = later(world, minutes=30).sync()
        assert (outcome.outcome, outcome.new, outcome.deleted) == ("ok", 0, 0)
        assert (len(world.server.asked) == 2) is ctags  # without a mark of change every calendar is listed
        add(world)
        drop(world, "zu hause")
        outcome = later(world, minutes=60).sync()
        assert (outcome.new, outcome.updated, outcome.deleted, outcome.unchanged) == (1, 0, 1, 0)
        assert world.contents() == fresh(world)


def test_a_server_may_refuse_to_list_by_tokens_that_it_names(world: World, lite: Store) -> None:
    world.server.faults.append(lambda r: Answer(status=400) if b"sync-collection" in r.body else None)
    add(world)
    drop(world)
    same_as_new(later(world, minutes=30))


def test_a_calendar_that_is_removed_goes_with_its_entries(world: World) -> None:
    del world.vendor.account["calendars"]["verein"]
    outcome = later(world, minutes=30).sync()
    assert outcome.deleted == 6
    assert {task["list"] for task in world.contents()["tasks"]} == {"Zu Hause"}
    assert world.contents() == fresh(world)


def test_a_calendar_that_is_removed_during_its_first_listing_leaves_nothing(
    lite: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "BATCH_ENTRIES", 1)
    with living(lite, "caldav", "week") as world:
        world.server.faults.append(lambda r: Answer(status=503) if b"multiget" in r.body and later_ones() else None)
        asked = iter(range(100))

        def later_ones() -> bool:
            return next(asked) > 2

        assert world.sync().outcome == "failed"
        assert world.contents()["events"]
        world.server.faults.clear()
        del world.vendor.account["calendars"]["verein"]
        same_as_new(later(world, minutes=30))


def test_a_renamed_calendar_names_its_entries_anew(world: World) -> None:
    world.vendor.account["calendars"]["verein"]["name"] = "Club"
    same_as_new(later(world, minutes=30))
    assert {event["calendar"] for event in world.contents()["events"]} == {"Club", "Zu Hause"}


@pytest.mark.parametrize("status", [403, 404])
def test_a_calendar_that_may_not_be_read_costs_no_other(world: World, status: int) -> None:
    add(world)
    add(world, "zu hause")
    refused = f"{HOME}verein/"
    world.server.faults.append(lambda r: Answer(status=status) if r.path == refused else None)
    assert later(world, minutes=30).sync().outcome == "ok"
    assert {task["list"] for task in world.contents()["tasks"]} == {"Zu Hause"}
    world.server.faults.clear()
    same_as_new(later(world, minutes=60))


def test_calendars_whose_names_differ_by_case_alone_are_two(store: Store) -> None:
    with living(store, "caldav", "week") as world:
        calendars = world.vendor.account["calendars"]
        calendars["Verein"] = copy.deepcopy(calendars["verein"]) | {"name": "Other"}
        same_as_new(world)
        del calendars["verein"]
        same_as_new(later(world, minutes=30))
        assert {event["calendar"] for event in world.contents()["events"]} == {"Other", "Zu Hause"}


def test_another_login_reads_everything_anew(world: World) -> None:
    """A token of another login may mean something at the same server by chance."""
    world.vendor.account["calendars"]["verein"]["text"] = world.vendor.account["calendars"]["zu hause"]["text"]
    token = world.account.token() or {}
    world.server.faults.append(_any_login(world.vendor.application, world.vendor.grant()["password"]))
    world.account.save_token(token | {"login": "ben"})
    assert later(world, minutes=30).sync().outcome == "ok"
    assert world.contents() == fresh(world)


def _any_login(application: Callable[[Request], Answer], password: str) -> Callable[[Request], Answer]:
    import base64

    right = "Basic " + base64.b64encode(f"ana:{password}".encode()).decode()
    return lambda r: application(replace(r, headers={**r.headers, "authorization": right}))


def test_an_answer_too_large_is_asked_for_in_halves(lite: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with living(lite, "caldav", "week") as world:
        add(world, lines=[*TODO[:-1], f"X-IMAGE:{'x' * 60_000}", "END:VTODO"])
        add(
            world,
            lines=[line.replace("new@", "huge@") for line in TODO[:-1]] + [f"X-IMAGE:{'x' * 90_000}", "END:VTODO"],
        )
        monkeypatch.setattr(transport, "ANSWER_MAX_BYTES", 80_000)
        outcome = world.sync()
        assert (outcome.outcome, outcome.set_aside) == ("ok", 1)
        titles = [task["title"] for task in world.contents()["tasks"]]
        assert titles.count("New") == 1
        assert len(titles) == 7


def test_entries_that_an_answer_leaves_out_are_asked_for_again(world: World) -> None:
    application = world.vendor.application

    def short(request: Request) -> Answer | None:
        if b"multiget" not in request.body:
            return None
        answer = application(request)
        parts = answer.body.split(b"</d:response>")
        return (
            replace(answer, body=b"</d:response>".join([parts[0], b"</d:multistatus>"])) if len(parts) > 2 else answer
        )

    world.server.faults.append(short)
    add(world)
    add(world, lines=[line.replace("new@", "newer@") for line in TODO])
    world.vendor.forget_tokens()
    same_as_new(later(world, minutes=30))


@pytest.mark.parametrize("status", [None, 500, 403])
def test_an_entry_that_the_server_cannot_give_loses_no_other(world: World, status: int | None) -> None:
    """It is left out for good, or told with a status of its own."""
    application = world.vendor.application

    def without_one(request: Request) -> Answer | None:
        if b"multiget" not in request.body:
            return None
        head, *parts = application(request).body.split(b"<d:response>")
        told = b"" if status is None else b"</d:href><d:status>HTTP/1.1 %d no</d:status></d:response>" % status
        kept = [part if b"No one" not in part else part.partition(b"</d:href>")[0] + told for part in parts]
        if status is None:
            kept = [part for part in kept if b"</d:response>" in part]
        tail = b"" if kept and kept[-1].endswith(b"</d:multistatus>") else b"</d:multistatus>"
        return Answer(status=207, body=b"<d:response>".join([head, *kept]) + tail, headers=TYPE)

    world.server.faults.append(without_one)
    add(world, lines=[line.replace("new@", "none@").replace("New", "No one") for line in TODO])
    outcome = later(world, minutes=30).sync()
    assert (outcome.outcome, outcome.set_aside) == ("ok", 1)
    add(world)
    outcome = later(world, minutes=60).sync()
    assert (outcome.outcome, outcome.new) == ("ok", 1)
    assert "No one" not in {task["title"] for task in world.contents()["tasks"]}


def test_a_listing_whose_token_never_changes_comes_to_an_end(world: World) -> None:
    stuck = _multistatus(
        f"<d:response><d:href>{HOME}verein/</d:href><d:status>HTTP/1.1 507 more</d:status></d:response>"
        "<d:sync-token>urn:again</d:sync-token>"
    )
    world.server.faults.append(lambda r: stuck if b"sync-collection" in r.body else None)
    add(world)
    outcome = later(world, minutes=30).sync()
    assert (outcome.outcome, outcome.odd) == ("failed", True)
    assert len(world.server.asked) < 10


def test_entries_elsewhere_than_in_the_calendar_are_no_entries(world: World) -> None:
    away = "".join(
        f"<d:response><d:href>{href}</d:href><d:propstat><d:prop><d:getetag>1</d:getetag></d:prop>"
        "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
        for href in ("/etc/passwd", f"{HOME}verein/", f"{HOME}verein/a/b.ics", "http://10.0.0.1/x.ics")
    )
    listed = _multistatus(f"{away}<d:sync-token>urn:x</d:sync-token>")
    world.server.faults.append(lambda r: listed if b"sync-collection" in r.body else None)
    add(world)
    assert later(world, minutes=30).sync().outcome == "ok"
    assert len([line for line in world.server.asked if line.startswith("REPORT")]) == 1


def _multistatus(inner: str) -> Answer:
    body = f'<d:multistatus xmlns:d="DAV:" xmlns:c="{multistatus.CALDAV}">{inner}</d:multistatus>'
    return Answer(status=207, body=body.encode(), headers=TYPE)


BOMB = b"""<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">]>
<d:multistatus xmlns:d="DAV:"><d:sync-token>&a;</d:sync-token></d:multistatus>"""


@pytest.mark.parametrize("body", [BOMB, BOMB.decode().encode("utf-16"), b"<a/>", b"{}", b"", b"<d:multistatus"])
def test_text_with_entities_or_of_another_kind_is_not_read(body: bytes) -> None:
    with pytest.raises(multistatus.NotWebDav):
        multistatus.read(body)


def test_xml_beyond_its_bounds_is_an_odd_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    deep = b'<d:multistatus xmlns:d="DAV:"><d:response>' + b"<a>" * 50 + b"</a>" * 50 + b"</d:response></d:multistatus>"
    wide = b'<d:multistatus xmlns:d="DAV:"><d:response>' + b"<a/>" * 3000 + b"</d:response></d:multistatus>"
    many = b'<d:multistatus xmlns:d="DAV:">' + b"<d:response><d:href>a</d:href></d:response>" * 9 + b"</d:multistatus>"
    monkeypatch.setattr(multistatus, "RESPONSES_MAX", 8)
    for body in (deep, wide, many):
        with pytest.raises(SourceChanged):
            multistatus.read(body)


def test_a_password_follows_no_redirect_to_another_host_without_https(world: World) -> None:
    seen: list[Request] = []

    def elsewhere(request: Request) -> Answer:
        seen.append(request)
        return Answer(status=404)

    with LabServer(elsewhere) as other:
        location = other.url.replace("127.0.0.1", "localhost") + "/dav/"
        world.server.faults.append(lambda _: Answer(status=301, headers={"Location": location}))
        outcome = later(world, minutes=30).sync()
    assert (outcome.outcome, seen) == ("failed", [])
    assert "unencrypted" in str(outcome.skipped_because)


def test_a_home_on_another_host_without_https_is_refused(world: World) -> None:
    home = (
        "<d:response><d:href>/</d:href><d:propstat><d:prop><c:calendar-home-set><d:href>http://10.0.0.7/</d:href>"
        "</c:calendar-home-set></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
    )
    world.server.faults.append(lambda _: _multistatus(home))
    outcome = later(world, minutes=30).sync()
    assert (outcome.outcome, outcome.odd) == ("failed", True)


def test_a_redirect_on_the_same_host_is_followed(world: World) -> None:
    moved = "/.well-known/caldav"
    base = world.server.url

    def lead(request: Request) -> Answer | None:
        if request.path == moved:
            return Answer(status=301, headers={"Location": HOME})
        return None if request.path.startswith(HOME) else Answer(status=404)

    world.server.faults.append(lead)
    login = Login(address=base, name="ana", password=world.vendor.grant()["password"], hosts={"127.0.0.1"})
    with closing(Server(login)) as server:
        found = discover(server, base)
    assert found.homes == [base + HOME]
    assert found.addresses == ["ana@example.com"]


def test_a_principal_is_asked_of_itself_alone(world: World) -> None:
    base, depths = world.server.url, list[str | None]()
    principal = (
        f"<d:response><d:href>/</d:href><d:propstat><d:prop><d:current-user-principal><d:href>{HOME}</d:href>"
        "</d:current-user-principal></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
    )

    def lead(request: Request) -> Answer | None:
        depths.append(request.headers.get("depth"))
        return _multistatus(principal) if request.path == "/" else None

    world.server.faults.append(lead)
    login = Login(address=base, name="ana", password=world.vendor.grant()["password"], hosts={"127.0.0.1"})
    with closing(Server(login)) as server:
        found = discover(server, base)
    assert (found.homes, found.addresses) == ([base + HOME], ["ana@example.com"])
    assert depths == ["0"] * 3  # its known place, the root, and whom that names


def test_a_server_that_wants_digests_gets_them(lite: Store) -> None:
    with living(lite, "caldav", "week") as world:
        application, password = world.vendor.application, world.vendor.grant()["password"]

        def digests(request: Request) -> Answer:
            told = request.headers.get("authorization", "")
            if told.startswith("Digest ") and 'username="ana"' in told:
                return _any_login(application, password)(request)
            challenge = 'Digest realm="lab", qop="auth", nonce="abc", algorithm=MD5'
            return Answer(status=401, headers={"WWW-Authenticate": challenge})

        world.server.faults.append(digests)
        assert world.sync().outcome == "ok"
        assert len(world.contents()["events"]) == 5


def test_own_addresses_come_from_the_server_and_tell_the_answer(world: World) -> None:
    meeting = next(e for e in world.contents()["events"] if e["title"] == "Mitgliederversammlung")
    assert (meeting["response"], meeting["others"]) == ("accepted", 2)


def test_what_is_broken_in_an_entry_loses_nothing_else(lite: Store) -> None:
    with living(lite, "caldav", "awkward") as world:
        assert world.sync().outcome == "ok"
        held: dict[str, Any] = {str(event.get("title")): event for event in world.contents()["events"]}
    assert "A series with a broken exception" in held
    assert "Ends before it starts" not in held


def test_a_series_of_todos_is_due_at_its_first_instance_that_is_left(world: World) -> None:
    plants = [t for t in world.contents()["tasks"] if t["title"] == "Blumen gießen"]
    assert sorted((t["due"], "completed" in t) for t in plants) == [
        ("2026-11-16", True),
        ("2026-11-17", True),
        ("2026-11-18", False),
    ]
