"""Run the checks on generated people day by day, and on calendar files."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
from pathlib import Path
from zoneinfo import ZoneInfo, available_timezones

from bridge import config, registry
from bridge.domain.ports import EventClassifier, Invitation
from bridge.domain.records import Feedback
from bridge.domain.types import Item, Label, Page, RawRecord
from bridge.ingest import runs
from bridge.ingest.sync import Source, sync
from bridge.installation import Bridge
from bridge.store import Store, codec
from lab.plans.checks import Counts, look
from lab.plans.people import Person, generate
from rhythm_env.interface import Answer

FIRST = date(2026, 10, 12)
HOURS = (7.5, 12.3, 18.1, 22.4)  # of a look, moved by up to an hour
ANSWERS = (Answer.ACCEPT, Answer.IGNORE, None)
SOURCE = "ics"  # any source with a stream; its normaliser is replaced
CALENDAR_WEEKS = 4  # of a calendar file, spread over its years
FIRST_YEAR, LAST_YEAR = 1990, 2100  # of the looks
HEAD_BYTES = 20_000  # of a calendar file, in which it names its zone
OWN_ZONE = re.compile(rb"^X-WR-TIMEZONE:(.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Delivery:
    """A connector that delivers the items of a generated person, each from the instant at which it is known."""

    person: Person

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        """Yield a page with the newest version of every item known after the instant ``cursor`` and not after ``now``.

        Only the first stream has items. A cursor of None begins with the first item.
        """
        if stream != registry.spec(SOURCE).streams[0]:
            return
        since = None if cursor is None else datetime.fromisoformat(cursor)
        fresh = {
            item.key: RawRecord(stream=stream, key=item.key, payload=payload(item))
            for known, item in sorted(self.person.items, key=lambda one: one[0])
            if (since is None or known > since) and known <= now
        }
        yield Page(stream=stream, records=tuple(fresh.values()), cursor=now.isoformat())

    def close(self) -> None:
        """Do nothing."""


def payload(item: Item) -> dict[str, object]:
    """Return an item as the payload of a record, from which ``normalise`` restores it."""
    return {"kind": codec.KIND_OF_CLASS[type(item)], "body": codec.encode(item)}


def normalise(record: RawRecord, _parent: RawRecord | None) -> list[Item]:
    """Return the item from which ``payload`` made the payload of a record."""
    return [codec.decode(str(record.payload["kind"]), str(record.payload["body"]))]


def generated(seed: int, days: int) -> Counts:
    """Check a generated person's recommendations four times a day for ``days`` days, and answer some of them.

    Returns the counts of checks and broken rules.
    """
    person, rng, counts = generate(seed, days, FIRST), random.Random(f"looks/{seed}"), Counts()
    with closing(Store("sqlite://")) as store:
        bridge = bridge_of(store)
        begin = person.zones[0]
        user = store.people.add_user("generated", begin[1], now=begin[0])
        for since, zone in person.zones[1:]:
            store.people.set_zone(user.id, zone, since=since)
        user = store.people.user("generated")
        store.people.save_wishes(user.id, person.wishes, now=begin[0])
        source = source_of(store, user.id, person, begin[0])
        for number in range(days):
            for now in _looks(rng, FIRST + timedelta(days=number), person):
                sync(source, store, holder="lab", now=now)
                look(bridge, user, now, counts, kind=person.kind)
                _answer(store, user.id, rng, now)
    return counts


def _looks(rng: random.Random, day: date, person: Person) -> Iterator[datetime]:
    for hour in HOURS:
        at = datetime.combine(day, time(0)) + timedelta(hours=hour, minutes=rng.randint(-30, 55))
        zone = next(name for since, name in reversed(person.zones) if since.date() <= day)
        yield at.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


def _answer(store: Store, user_id: int, rng: random.Random, now: datetime) -> None:
    given = rng.choice(ANSWERS)
    recent = store.recommendations.full_between(
        user_id, since=now - timedelta(hours=1), until=now + timedelta(seconds=1)
    )
    if given is not None and recent and recent[-1].answer is None:
        store.recommendations.save_feedback(recent[-1].id, Feedback(answer=given, answered_at=now))


def source_of(store: Store, user_id: int, person: Person, now: datetime) -> Source:
    """Return a source for ``sync`` that delivers a generated person's items. The user gets a connection to it."""
    connection = store.connections.connect(user_id, SOURCE, "account", now=now)
    open_delivery: Callable[[], Delivery] = lambda: Delivery(person)  # noqa: E731
    spec = registry.spec(SOURCE)
    return Source(connection=connection, spec=spec, open=open_delivery, normalise=normalise, recurring=False)


class _Remembering:
    """A classifier that caches each invitation's label, because a check classifies the same calendar many times."""

    def __init__(self, of: EventClassifier) -> None:
        self.name, self.version = of.name, of.version
        self._of = of
        self._labels: dict[Invitation, Label] = {}

    def classify(self, events: Sequence[Invitation]) -> list[Label]:
        new = [one for one in dict.fromkeys(events) if one not in self._labels]
        self._labels.update(zip(new, self._of.classify(new), strict=True))
        return [self._labels[event] for event in events]


class _Installation(Bridge):
    @cached_property
    def classifier(self) -> EventClassifier:
        return _Remembering(super().classifier)


def bridge_of(store: Store) -> Bridge:
    """Return an installation around a store, with settings from the environment and a caching classifier."""
    return _Installation(settings=config.load(), store=store)


def of_calendar(path: Path, zone: str, weeks: int = CALENDAR_WEEKS) -> Counts:
    """Check recommendations in ``weeks`` weeks, spread over the years of a calendar file, as if it were then.

    Returns the counts of checks and broken rules. ``zone`` is the person's IANA zone if the file names none.
    """
    counts, rng, home = Counts(), random.Random(f"calendar/{path.name}"), zone_of(path) or zone
    with closing(Store("sqlite://")) as store:
        bridge = bridge_of(store)
        landed = datetime(1971, 1, 1, tzinfo=UTC)
        user = store.people.add_user("calendar", home, now=landed)
        runs.import_path(bridge, user, path, at=landed)
        for first in spread(busy_days(store, user.id), weeks):
            for day in (first + timedelta(days=number) for number in range(7)):
                for hour in HOURS:
                    at = datetime.combine(day, time(0)) + timedelta(hours=hour, minutes=rng.randint(-30, 55))
                    look(bridge, user, at.replace(tzinfo=ZoneInfo(home)).astimezone(UTC), counts, kind=path.name)
    return counts


def zone_of(path: Path) -> str | None:
    """Return the IANA zone that a calendar file names as its own, or None."""
    found = OWN_ZONE.search(path.read_bytes()[:HEAD_BYTES])
    name = "" if found is None else found[1].decode("ascii", "replace").strip()
    return name if name in available_timezones() else None


def spread(days: Sequence[date], weeks: int) -> list[date]:
    """Return ``weeks`` of the dates ``days``, spread evenly, each from the middle of an equal part.

    >>> spread([date(2026, 1, n) for n in range(1, 13)], 3)
    [datetime.date(2026, 1, 3), datetime.date(2026, 1, 7), datetime.date(2026, 1, 11)]
    """
    found = [days[(2 * number + 1) * len(days) // (2 * weeks)] for number in range(weeks)] if days else []
    return sorted(set(found))


def busy_days(store: Store, user_id: int) -> Sequence[date]:
    """Return the UTC dates on which timed calendar entries of the user begin, ascending. Repeats are left out."""
    wide = {"since": datetime(1990, 1, 1, tzinfo=UTC), "until": datetime(2100, 1, 1, tzinfo=UTC)}
    starts = {e.start.date() for _, e in store.reading.events(user_id, **wide) if e.start is not None}
    return sorted(day for day in starts if FIRST_YEAR <= day.year < LAST_YEAR)
