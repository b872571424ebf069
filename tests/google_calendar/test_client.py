"""Google Calendar over HTTP: what a sync asks for, how changes arrive, what a dead token or a lost calendar does."""

from __future__ import annotations

import copy
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from bridge.calendar.expansion import expand
from bridge.recordings.server import Answer, Fault, Request
from bridge.store import Store
from lab.vendors.google import refusal
from tests.world import World, expected, later, living

MINE, FAMILY = "ana@example.com", "family@group.example.com"
SERIES, WEDNESDAY = "serdst01", "serdst01_20261125T080000Z"  # weekly, on Wednesdays at nine in Berlin
WINDOW = {"since": datetime(2026, 11, 23, tzinfo=UTC), "until": datetime(2026, 12, 4, tzinfo=UTC)}


def listings(world: World) -> list[tuple[str, dict[str, str]]]:
    """(calendar, query) of every request for events, in order."""
    asked = [urlsplit(line.removeprefix("GET ")) for line in world.server.asked if "/events?" in line]
    return [(unquote(p.path.split("/")[4]), {k: v[0] for k, v in parse_qs(p.query).items()}) for p in asked]


def keys(world: World) -> set[str]:
    return {event["key"] for event in world.contents()["events"]}


def event(world: World, key: str, calendar: str = MINE) -> dict[str, Any]:
    """A copy of what the account holds."""
    found = next(e for e in world.vendor.account["events"][calendar] if e["id"] == key)
    return copy.deepcopy(found)


def at(start: str, end: str) -> dict[str, Any]:
    return {
        "start": {"dateTime": start, "timeZone": "Europe/Berlin"},
        "end": {"dateTime": end, "timeZone": "Europe/Berlin"},
    }


def starts(world: World, series: str = SERIES) -> list[datetime]:
    """When the instances of a series take place after the first sync."""
    events = [e for _, e in world.store.reading.events(world.user.id, **WINDOW)]
    wanted = [e for e in events if series in (e.key.split("/")[1], (e.master or "/").split("/")[1])]
    return [o.start for o in expand(wanted, **WINDOW, zones=world.user.zones)]


def answering(answer: Answer, calendar: str, *needs: str) -> Fault:
    """``answer`` to every listing of ``calendar`` whose query names all of ``needs``."""

    def fault(request: Request) -> Answer | None:
        meant = unquote(request.path).endswith(f"/{calendar}/events")
        return answer if meant and set(needs) <= set(request.query) else None

    return fault


def test_the_first_sync_lists_whole_calendars_as_series(lite: Store) -> None:
    with living(lite, "google_calendar", "awkward") as world:
        assert world.sync().outcome == "ok"
        found = listings(world)
        assert [calendar for calendar, _ in found] == [MINE, FAMILY]
        for _, query in found:
            assert query["singleEvents"] == "false"
            assert {"syncToken", "timeMin", "timeMax", "updatedMin", "orderBy"}.isdisjoint(query)
            assert "email" not in query["fields"]


def test_an_unchanged_calendar_costs_one_request(world: World) -> None:
    outcome = later(world, minutes=30).sync()
    assert (outcome.outcome, outcome.streams["event"]) == ("ok", 0)
    assert len(world.server.asked) == 3  # the list of calendars and one each
    assert [(calendar, "syncToken" in query) for calendar, query in listings(world)] == [(MINE, True), (FAMILY, True)]


def test_a_token_is_used_with_the_parameters_it_was_given_for(lite: Store) -> None:
    with living(lite, "google_calendar", "awkward") as world:
        world.sync()
        later(world, minutes=30).sync()
        first, second = ({k: v for k, v in q.items() if k != "syncToken"} for c, q in listings(world) if c == MINE)
        assert first == second


def test_an_update_arrives_alone(world: World) -> None:
    moved = event(world, "rooms001") | at("2026-11-24T14:00:00+01:00", "2026-11-24T15:00:00+01:00")
    world.vendor.put(MINE, moved)
    outcome = later(world, minutes=30).sync()
    assert (outcome.new, outcome.updated, outcome.deleted) == (0, 1, 0)
    assert outcome.streams["event"] == 1
    assert starts(world, "rooms001") == [datetime(2026, 11, 24, 13, tzinfo=UTC)]


def test_a_deletion_arrives(world: World) -> None:
    world.vendor.delete(MINE, "rooms001")
    before = keys(world)
    outcome = later(world, minutes=30).sync()
    assert (outcome.new, outcome.updated, outcome.deleted) == (0, 0, 1)
    assert before - keys(world) == {f"{MINE}/rooms001"}


def test_a_deleted_series_takes_its_exceptions_along(world: World) -> None:
    world.vendor.delete(MINE, SERIES)
    assert later(world, minutes=30).sync().deleted == 4  # the series, two moved instances, one cancelled
    assert not [key for key in keys(world) if SERIES in key]


def test_a_deleted_series_takes_exceptions_along_that_nobody_mentions(world: World) -> None:
    world.vendor.tells_exceptions = False
    world.vendor.delete(MINE, SERIES)
    assert later(world, minutes=30).sync().streams["event"] == 1
    assert not [key for key in keys(world) if SERIES in key]


def test_one_invitation_to_a_deleted_series_stays(world: World) -> None:
    """The person was taken off the series and is still invited to one instance of it."""
    kept = next(e for e in world.vendor.events(MINE) if e.get("recurringEventId") == SERIES and "summary" in e)
    world.vendor.delete(MINE, SERIES)
    world.vendor.put(MINE, kept | {"summary": "Only this once"})
    assert later(world, minutes=30).sync().outcome == "ok"
    assert [key for key in keys(world) if SERIES in key] == [f"{MINE}/{kept['id']}"]


def test_what_a_listing_told_before_it_broke_off_may_be_gone(world: World) -> None:
    """The token dies in the middle; what came on the first page is deleted before the calendar is listed anew."""
    world.vendor.page_size = 1
    for key in ("rooms001", "multiday"):
        world.vendor.put(MINE, event(world, key) | {"summary": "Renamed"})

    def vanish(request: Request) -> Answer | None:
        if not {"syncToken", "pageToken"} <= set(request.query):
            return None
        world.vendor.delete(MINE, "rooms001")
        return refusal(410, "fullSyncRequired")

    world.server.faults.append(vanish)
    assert later(world, minutes=30).sync().outcome == "ok"
    assert f"{MINE}/rooms001" not in keys(world)


def test_half_a_calendar_goes_when_it_is_no_longer_looked_at(lite: Store) -> None:
    """Its first listing broke off, so that there is no token yet that would tell of it."""
    with living(lite, "google_calendar", "awkward") as world:
        world.vendor.page_size = 10
        world.server.faults.append(answering(Answer(status=429), MINE, "pageToken"))
        assert world.sync().outcome == "failed"
        entry = next(c for c in world.vendor.account["calendars"] if c["id"] == MINE)
        world.vendor.put_calendar(entry | {"selected": False, "primary": False})
        world.server.faults.clear()
        assert later(world, minutes=30).sync().outcome == "ok"
        assert not [key for key in keys(world) if key.startswith(MINE)]


def test_a_dead_token_of_the_calendar_list_means_the_list_again(world: World) -> None:
    before = world.contents()
    dead = refusal(410, "fullSyncRequired")
    lists = [lambda r: dead if r.path.endswith("calendarList") and "syncToken" in r.query else None]
    world.server.faults.extend(lists)
    world.vendor.account["calendars"] = [c for c in world.vendor.account["calendars"] if c["id"] != FAMILY]
    assert later(world, minutes=30).sync().outcome == "ok"
    assert {key.split("/")[0] for key in keys(world)} == {MINE}
    assert before != world.contents()


def test_a_cancelled_instance_is_a_hole_in_its_series(world: World) -> None:
    assert starts(world) == [datetime(2026, 11, 25, 8, tzinfo=UTC), datetime(2026, 12, 2, 8, tzinfo=UTC)]
    original = {"dateTime": "2026-11-25T09:00:00+01:00", "timeZone": "Europe/Berlin"}
    hole = {"id": WEDNESDAY, "status": "cancelled", "recurringEventId": SERIES, "originalStartTime": original}
    world.vendor.put(MINE, hole)
    outcome = later(world, minutes=30).sync()
    assert (outcome.new, outcome.deleted, outcome.set_aside) == (1, 0, 0)
    assert starts(world) == [datetime(2026, 12, 2, 8, tzinfo=UTC)]


def test_a_moved_instance_is_where_it_went_and_not_where_it_was(world: World) -> None:
    original = {"dateTime": "2026-11-25T09:00:00+01:00", "timeZone": "Europe/Berlin"}
    moved = event(world, SERIES) | at("2026-11-26T16:00:00+01:00", "2026-11-26T17:00:00+01:00")
    del moved["recurrence"]
    world.vendor.put(
        MINE, moved | {"id": WEDNESDAY, "recurringEventId": SERIES, "originalStartTime": original, "sequence": 1}
    )
    outcome = later(world, minutes=30).sync()
    assert (outcome.new, outcome.updated, outcome.deleted) == (1, 0, 0)
    assert starts(world) == [datetime(2026, 11, 26, 15, tzinfo=UTC), datetime(2026, 12, 2, 8, tzinfo=UTC)]
    world.vendor.put(MINE, event(world, WEDNESDAY) | at("2026-11-27T09:00:00+01:00", "2026-11-27T10:00:00+01:00"))
    assert later(world, minutes=60).sync().updated == 1
    assert starts(world) == [datetime(2026, 11, 27, 8, tzinfo=UTC), datetime(2026, 12, 2, 8, tzinfo=UTC)]


def test_a_token_that_died_costs_its_calendar_only_and_drops_what_vanished(world: World) -> None:
    family = world.vendor.account["events"][FAMILY]
    family[:] = [e for e in family if e["id"] != "famdinn1"]  # unnoticed: the token would not have told
    world.server.faults.append(answering(refusal(410, "fullSyncRequired"), FAMILY, "syncToken"))
    outcome = later(world, minutes=30).sync()
    assert (outcome.outcome, outcome.new, outcome.updated, outcome.deleted) == ("ok", 0, 0, 1)
    assert [(c, "syncToken" in q) for c, q in listings(world)] == [(MINE, True), (FAMILY, True), (FAMILY, False)]
    assert f"{FAMILY}/famdinn1" not in keys(world)
    assert f"{MINE}/rooms001" in keys(world)


def test_a_token_that_dies_between_two_pages_starts_the_calendar_over(world: World) -> None:
    world.vendor.page_size = 1
    for key in ("rooms001", "multiday"):
        world.vendor.put(MINE, event(world, key) | {"summary": "Renamed"})
    mine = world.vendor.account["events"][MINE]
    mine[:] = [e for e in mine if e["id"] != "private1"]
    world.server.faults.append(answering(refusal(410, "fullSyncRequired"), MINE, "syncToken", "pageToken"))
    outcome = later(world, minutes=30).sync()
    assert (outcome.outcome, outcome.new, outcome.updated, outcome.deleted) == ("ok", 0, 2, 1)
    renamed = {e["key"] for e in world.contents()["events"] if e.get("title") == "Renamed"}
    assert renamed == {f"{MINE}/rooms001", f"{MINE}/multiday"}
    assert f"{MINE}/private1" not in keys(world)
    world.server.asked.clear()
    world.server.faults.clear()
    assert later(world, minutes=60).sync().streams["event"] == 0  # the new token is kept
    assert [(c, "syncToken" in q) for c, q in listings(world)] == [(MINE, True), (FAMILY, True)]


def test_all_tokens_dead_means_everything_again_once(world: World) -> None:
    before = world.contents()
    world.vendor.expire_sync_tokens()
    outcome = later(world, minutes=30).sync()
    assert (outcome.outcome, outcome.new, outcome.updated, outcome.deleted) == ("ok", 0, 0, 0)
    assert [(c, "syncToken" in q) for c, q in listings(world)] == [
        (MINE, True),
        (MINE, False),
        (FAMILY, True),
        (FAMILY, False),
    ]
    assert world.contents() == before


def test_a_full_listing_that_is_refused_is_no_endless_loop(world: World) -> None:
    before = world.contents()
    world.server.faults.append(answering(refusal(410, "fullSyncRequired"), MINE))
    outcome = later(world, minutes=30).sync()
    assert outcome.outcome == "failed"
    assert len(listings(world)) == 3  # with the token, without it, and once more from the beginning
    assert world.contents() == before


def test_a_removed_calendar_takes_its_events_along(world: World) -> None:
    before = keys(world)
    world.vendor.remove_calendar(FAMILY)
    outcome = later(world, minutes=30).sync()
    assert (outcome.new, outcome.updated, outcome.deleted) == (0, 0, 3)  # the calendar and its two events
    assert before - keys(world) == {f"{FAMILY}/famtwice", f"{FAMILY}/famdinn1"}
    assert later(world, minutes=60).sync().deleted == 0


def test_a_calendar_that_is_ticked_again_comes_back_whole(world: World) -> None:
    before = world.contents()
    entry = next(c for c in world.vendor.account["calendars"] if c["id"] == FAMILY)
    world.vendor.put_calendar(entry | {"selected": False})
    assert later(world, minutes=30).sync().deleted == 3
    world.vendor.put_calendar(entry)
    world.server.asked.clear()
    assert later(world, minutes=60).sync().outcome == "ok"
    assert [(c, "syncToken" in q) for c, q in listings(world)] == [(MINE, True), (FAMILY, False)]
    assert world.contents() == before


def test_a_calendar_unshared_since_the_list_was_read_takes_its_events_along(world: World) -> None:
    world.server.faults.append(answering(refusal(404, "notFound"), FAMILY))
    outcome = later(world, minutes=30).sync()
    assert (outcome.outcome, outcome.deleted) == ("ok", 2)
    assert not [key for key in keys(world) if key.startswith(FAMILY)]


def test_an_empty_first_page_is_not_the_end(lite: Store) -> None:
    with living(lite, "google_calendar", "awkward") as world:
        world.vendor.empty_first_page = True
        assert world.sync().outcome == "ok"
        assert [query.get("pageToken") is None for _, query in listings(world)] == [True, False] * 2
        assert world.contents()["events"] == expected("google_calendar", "awkward")["events"]


def test_an_empty_first_page_of_a_change_is_not_the_end(world: World) -> None:
    world.vendor.empty_first_page = True
    world.vendor.delete(MINE, "rooms001")
    assert later(world, minutes=30).sync().deleted == 1


def test_a_listing_that_broke_off_is_read_again_from_its_beginning(lite: Store) -> None:
    """Only the last page carries a token, so nothing in between is a place to go on from."""
    with living(lite, "google_calendar", "awkward") as world:
        world.vendor.page_size = 10
        world.server.faults.append(answering(Answer(status=429), MINE, "pageToken"))
        assert world.sync().outcome == "failed"
        assert len(keys(world)) == 10
        world.server.faults.clear()
        world.server.asked.clear()
        assert later(world, minutes=30).sync().outcome == "ok"
        pages = [(calendar, query.get("pageToken") is None) for calendar, query in listings(world)]
        assert pages == [(MINE, True), (MINE, False), (MINE, False), (FAMILY, True)]
        assert world.contents()["events"] == expected("google_calendar", "awkward")["events"]
