"""Families' shared calendars: three people, whose names stand in half of the titles, each family in its own way."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

PEOPLE = ("Clara", "Ben", "Mia", "Jonas", "Emma", "Paul", "Lena", "Oskar", "Zoë", "Max", "Ida", "Tom", "Femke", "Noor")
OF_ONE = {  # what each of three people does, of which a family draws some
    "child": "Ballet,Swimming,Preschool,Playdate,Piano lesson,Speech therapy,Kita,Turnen,Judo,Choir rehearsal,Fußball",
    "partner": "Night shift,Sales review,Climbing,Band practice,Steuerberater,Board games,Physio,Book club,Rudern",
    "me": "Yoga,Team standup,Pottery,Orchestra,Zumba,Elternrat,Running group,Supervision,Spanish class",
}
OF_ANYONE = ["Dentist", "Haircut", "Doctor", "Zahnarzt", "Friseur", "Eye test"]
OF_THE_HOUSE = ["Trash collection", "Biotonne", "Boiler service", "Window cleaner"]
FORMS = ("{name} {what}", "{name}: {what}", "{what} ({name})", "{what} - {name}", "{name}'s {what}", "{what} {name}")
MEETING = ("Lunch with {name}", "Pick up {name}", "{name} abholen", "Call {name}", "Present for {name}")  # of mine
WEEKS, BEGIN = 20, datetime(2026, 8, 3, tzinfo=UTC)  # a Monday


@dataclass(frozen=True)
class Entry:
    """An entry: what it is, whose in truth, the ``name`` by which its title tells that, and its start."""

    title: str
    what: str
    owner: str  # me, partner, child or house
    name: str | None
    start: datetime


def family(seed: int) -> tuple[str, list[Entry]]:
    """Return (my name, entries of 20 weeks)."""
    rng = random.Random(seed)
    names = dict(zip(("me", "partner", "child"), rng.sample(PEOPLE, 3), strict=True))
    called = {who: _called(rng, name) for who, name in names.items()}
    forms = rng.sample(FORMS, 2)  # of the two who write entries
    found: list[Entry] = []
    for who, doings in OF_ONE.items():
        for what in rng.sample(doings.split(","), rng.randint(4, 7)):
            found += _weekly(rng, what, who, called[who], forms, rng.choice((0.3, 0.6, 0.9)))
    for what in rng.sample(OF_ANYONE, 3):
        for who in names:
            found += _weekly(rng, what, who, called[who], forms, 0.1)
    for what in rng.sample(OF_THE_HOUSE, 2):
        found += _weekly(rng, what, "house", None, forms, 0.8)
    for form in rng.sample(MEETING, 3):
        title = form.format(name=called[rng.choice(("partner", "child"))])
        found += [Entry(title, title, "me", None, _at(rng, week)) for week in range(WEEKS) if rng.random() < 0.2]
    return names["me"], sorted(found, key=lambda one: one.start)


def _called(rng: random.Random, name: str) -> str:
    return name[0] + rng.choice("WKS") if rng.random() < 0.25 else name


def _weekly(rng: random.Random, what: str, who: str, name: str | None, forms: list[str], often: float) -> list[Entry]:
    found = []
    for week in range(WEEKS):
        if rng.random() < often:
            is_named = name is not None and rng.random() < 0.5
            title = rng.choice(forms).format(name=name, what=what) if is_named else what
            found.append(Entry(title, what, who, name if is_named else None, _at(rng, week)))
    return found


def _at(rng: random.Random, week: int) -> datetime:
    return BEGIN + timedelta(days=7 * week + rng.randrange(7), minutes=15 * rng.randrange(28, 80))


def as_ics(entries: list[Entry], name: str = "Family") -> str:
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//made up//EN", f"X-WR-CALNAME:{name}"]
    for number, one in enumerate(entries):
        times = (f"DTSTART:{one.start:%Y%m%dT%H%M%SZ}", f"DTEND:{one.start + timedelta(hours=1):%Y%m%dT%H%M%SZ}")
        lines += ["BEGIN:VEVENT", f"UID:{number}@{name}", "DTSTAMP:20260801T000000Z", *times, f"SUMMARY:{one.title}"]
        lines += ["END:VEVENT"]
    return "\r\n".join([*lines, "END:VCALENDAR", ""])
