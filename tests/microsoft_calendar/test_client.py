"""Delta queries: changed and deleted series, missing series, ended links, the window, refusals, and foreign links."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

from bridge.recordings.server import Answer, Request
from connectors.microsoft.graph import instant, written_date, zone_of
from lab.vendors.microsoft import refusal
from tests.microsoft_calendar.conftest import CALENDAR, STANDUP, Life, occurrence
from tests.world import NOW


def test_a_link_brings_changes_alone(life: Life) -> None:
    assert life.sync() == "ok"
    life.world.server.asked.clear()
    gym = next(one for one in life.vendor.events(CALENDAR) if one["id"] == "AAMkgym=")
    life.vendor.put(CALENDAR, gym | {"subject": "Climbing"})
    life.vendor.delete(CALENDAR, "AAMkdinner=")
    assert life.sync(hours=1) == "ok"
    assert life.events()["AAMkgym="]["title"] == "Climbing"
    assert "AAMkdinner=" not in life.events()
    assert len(life.asked("%24deltatoken")) == 1
    assert not life.asked("startDateTime")
    life.same_as_new(hours=1)


@pytest.mark.parametrize("tells", [True, False])
def test_a_deleted_series_takes_its_occurrences_along(life: Life, tells: bool) -> None:
    """The result is the same if Graph names the occurrences too, and if it does not."""
    assert life.sync() == "ok"
    assert "AAMkstandup17=" in life.events()
    life.vendor.delete(CALENDAR, STANDUP, tells_occurrences=tells)
    assert life.sync(hours=1) == "ok"
    assert not [key for key in life.events() if "standup" in key]
    life.same_as_new(hours=1)


def test_a_changed_series_is_listed_anew(life: Life) -> None:
    """Graph tells the series alone here, although an occurrence went and another was added."""
    assert life.sync() == "ok"
    events = life.vendor.events(CALENDAR)
    master = next(one for one in events if one["id"] == STANDUP)
    events[:] = [one for one in events if one["id"] != "AAMkstandup17="]
    events.append(occurrence(datetime(2026, 11, 23, 9, 15, tzinfo=UTC), key="AAMkstandup23="))
    life.vendor.put(CALENDAR, master | {"subject": "Daily"})
    assert life.sync(hours=1) == "ok"
    found = life.events()
    assert "AAMkstandup17=" not in found
    assert (found["AAMkstandup16="]["title"], found["AAMkstandup23="]["title"]) == ("Daily", "Daily")
    life.same_as_new(hours=1)


def test_a_series_that_the_listing_lacks_is_asked_for(life: Life) -> None:
    life.vendor.tells_masters = False
    assert life.sync() == "ok"
    assert life.events()["AAMkstandup16="]["title"] == "Team standup"
    assert len(life.asked("/me/events/AAMkstandup%3D")) == 1
    life.vendor.put(CALENDAR, occurrence(datetime(2026, 11, 24, 9, 15, tzinfo=UTC), key="AAMkstandup24="))
    assert life.sync(hours=1) == "ok"
    assert life.events()["AAMkstandup24="]["title"] == "Team standup"


def test_occurrences_of_a_series_that_vanished_meanwhile_are_left_out(life: Life) -> None:
    events = life.vendor.events(CALENDAR)
    events[:] = [one for one in events if one["id"] != STANDUP]
    assert life.sync() == "ok"
    assert not [key for key in life.events() if "standup" in key]
    assert not life.world.store.ingest.set_aside(life.world.connection.id)


def test_an_ended_link_leads_to_a_full_listing(life: Life) -> None:
    assert life.sync() == "ok"
    events = life.vendor.events(CALENDAR)
    events[:] = [one for one in events if one["id"] != "AAMkgym="]  # of which no change tells
    life.vendor.expire_links()
    assert life.sync(hours=1) == "ok"
    assert "AAMkgym=" not in life.events()
    life.same_as_new(hours=1)


def test_a_full_listing_that_ends_in_410_too_is_tried_again_later(life: Life) -> None:
    life.world.server.faults.append(lambda r: refusal(410, "SyncStateNotFound") if "delta" in r.path else None)
    assert life.world.sync().outcome == "failed"
    life.world.server.faults.clear()
    assert life.sync(hours=1) == "ok"


def test_the_window_is_opened_anew_and_what_lies_before_it_stays(life: Life) -> None:
    old = life.vendor.events(CALENDAR)[0] | {
        "id": "old",
        "start": {"dateTime": "2025-11-20T08:00:00.0000000", "timeZone": "UTC"},
        "end": {"dateTime": "2025-11-20T09:00:00.0000000", "timeZone": "UTC"},
    }
    life.vendor.put(CALENDAR, old)
    assert life.sync() == "ok"
    assert "old" in life.events()
    assert life.sync(days=29) == "ok"
    assert len(life.asked("startDateTime")) == 1
    life.vendor.delete(CALENDAR, "AAMkgym=")
    assert life.sync(days=31) == "ok"
    assert len(life.asked("startDateTime")) == 2
    assert "old" in life.events()  # it began before the new window
    assert "AAMkgym=" not in life.events()
    far = next(one for one in life.vendor.events(CALENDAR) if one["id"] == "AAMkplan=")
    ahead = {"dateTime": "2027-04-01T08:00:00.0000000", "timeZone": "UTC"}  # beyond the first window
    life.vendor.put(CALENDAR, far | {"id": "far", "start": ahead, "end": ahead})
    assert life.sync(days=32) == "ok"
    assert "far" in life.events()


def test_a_removed_calendar_goes_with_its_events(life: Life) -> None:
    life.vendor.account["calendars"].append({"id": "side=", "canEdit": True})
    life.vendor.put("side=", life.vendor.events(CALENDAR)[0] | {"id": "side event"})
    assert life.sync() == "ok"
    assert "side event" in life.events()
    life.vendor.remove_calendar("side=")
    assert life.sync(hours=1) == "ok"
    assert "side event" not in life.events()
    life.same_as_new(hours=1)


def test_a_calendar_that_may_no_longer_be_read_costs_no_other(life: Life) -> None:
    life.vendor.account["calendars"].append({"id": "side=", "canEdit": True})
    life.vendor.put("side=", life.vendor.events(CALENDAR)[0] | {"id": "side event"})
    assert life.sync() == "ok"
    life.world.server.faults.append(lambda r: refusal(403, "ErrorAccessDenied") if "side" in r.path else None)
    assert life.sync(hours=1) == "ok"
    assert "side event" not in life.events()
    assert "AAMkgym=" in life.events()


def test_retry_after_is_kept(life: Life) -> None:
    busy = refusal(429, "TooManyRequests", Retry_After="90")
    life.world.server.faults.append(lambda request: busy if "delta" in request.path else None)
    outcome = life.world.sync()
    assert outcome.limited
    assert outcome.retry_at is not None
    assert timedelta(seconds=90) <= outcome.retry_at - NOW < timedelta(seconds=120)


def test_a_link_to_another_server_gets_no_token(life: Life) -> None:
    seen: list[Request] = []

    def elsewhere(request: Request) -> Answer | None:
        if "delta" not in request.path:
            return None
        return Answer(body={"value": [], "@odata.nextLink": "http://127.0.0.1:1/v1.0/steal"})

    life.world.server.faults.append(elsewhere)
    outcome = life.world.sync()
    assert (outcome.outcome, outcome.odd, seen) == ("failed", True, [])
    assert "elsewhere" in str(outcome.skipped_because)


def test_every_windows_zone_is_known_here() -> None:
    assert len(WINDOWS_TO_OLSON) > 130
    assert [name for name in WINDOWS_TO_OLSON if zone_of(name) is None] == []
    assert zone_of("Pacific Standard Time") == zone_of("America/Los_Angeles")
    assert (zone_of("tzone://Microsoft/Custom"), zone_of("Atlantis Standard Time"), zone_of(None)) == (None, None, None)


@pytest.mark.parametrize(
    ("when", "read"),
    [
        ({"dateTime": "2026-07-01T09:00:00.0000000", "timeZone": "Pacific Standard Time"}, "2026-07-01T16:00:00+00:00"),
        ({"dateTime": "2026-12-01T09:00:00", "timeZone": "Pacific Standard Time"}, "2026-12-01T17:00:00+00:00"),
        ({"dateTime": "2026-12-01T09:00:00", "timeZone": "UTC"}, "2026-12-01T09:00:00+00:00"),
        ({"dateTime": "2026-12-01T09:00:00+05:30", "timeZone": "UTC"}, "2026-12-01T03:30:00+00:00"),
        ({"dateTime": "2026-12-01T09:00:00", "timeZone": "nowhere"}, None),
        ({"dateTime": "soon", "timeZone": "UTC"}, None),
        (None, None),
    ],
)
def test_times_of_graph(when: object, read: str | None) -> None:
    found = instant(when)
    assert (None if found is None else found.isoformat()) == read


def test_a_day_is_read_where_it_was_written() -> None:
    late = {"dateTime": "2026-11-17T23:00:00.0000000", "timeZone": "UTC"}
    assert str(written_date(late, "W. Europe Standard Time")) == "2026-11-18"
    assert str(written_date(late, None)) == "2026-11-17"
    assert (
        str(written_date({"dateTime": "2026-11-17T00:00:00", "timeZone": "UTC"}, "Pacific Standard Time"))
        == "2026-11-17"
    )


def test_a_later_clock_than_now_reads_everything_anew(life: Life) -> None:
    """A window that was opened by a clock that was ahead is opened anew."""
    assert replace(life.world, now=NOW + timedelta(days=400)).sync().outcome == "ok"
    assert life.sync() == "ok"
    assert len(life.asked("startDateTime")) == 2
    life.same_as_new()
