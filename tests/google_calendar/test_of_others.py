"""A calendar of somebody else that I look at: ``self`` there is them, and what they answered is no answer of mine."""

from bridge.calendar.expansion import expand
from tests.google_calendar.test_client import FAMILY, WINDOW, at
from tests.world import World, later


def takes_place(world: World, answers: dict[str, str]) -> list[str]:
    """On which calendar a meeting stands that each calendar's own answers: the one that is taken of all copies."""
    entry = next(c for c in world.vendor.account["calendars"] if c["id"] == FAMILY)
    world.vendor.put_calendar(entry | {"accessRole": "reader"})
    people = [{"email": name, "responseStatus": answer} for name, answer in answers.items()]
    for calendar in answers:
        copy = {
            "id": "review01",
            "iCalUID": "review01@google.com",
            "status": "confirmed",
            "summary": "Review",
            "organizer": {"email": FAMILY, "self": calendar == FAMILY},
            "attendees": [one | {"self": one["email"] == calendar} for one in people],
            **at("2026-11-27T09:00:00+01:00", "2026-11-27T10:00:00+01:00"),
        }
        world.vendor.put(calendar, copy)
    assert later(world, minutes=30).sync().outcome == "ok"
    events = [event for _, event in world.store.reading.events(world.user.id, **WINDOW) if event.title == "Review"]
    return [o.event.calendar for o in expand(events, **WINDOW, zones=world.user.zones)]


def test_what_they_declined_may_take_place_for_me(world: World) -> None:
    assert takes_place(world, {"ana@example.com": "needsAction", FAMILY: "declined"}) == ["ana@example.com"]


def test_what_i_declined_does_not_take_place_because_they_go(world: World) -> None:
    assert takes_place(world, {"ana@example.com": "declined", FAMILY: "accepted"}) == []


def test_what_they_declined_takes_no_place_of_theirs(world: World) -> None:
    assert takes_place(world, {FAMILY: "declined"}) == []


def test_of_two_copies_mine_is_taken(world: World) -> None:
    assert takes_place(world, {"ana@example.com": "accepted", FAMILY: "accepted"}) == ["ana@example.com"]
