"""Print what is said in a fortnight that replays an export beside a calendar, for readers.

``python -m lab.plans.fortnight --commit ID --export FOLDER --calendar FILE [--zone ZONE]``

The fortnight and the minutes of three looks a day are drawn by the id of the judged commit. Files are read from where
they lie, into a database in memory. Nothing is written.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from bridge.advice import requests
from bridge.advice.day_plan import plan_day
from bridge.advice.recommend import load_person
from bridge.domain.records import Recommendation, Silence, User
from bridge.domain.rendering import for_person
from bridge.ingest import runs
from bridge.installation import Bridge
from bridge.store import Store
from lab.plans.run import bridge_of, busy_days, zone_of
from lab.plans.sample import described, line_of

DAYS = 14
LOOKS = ((7.0, 9.5), (12.0, 15.5), (17.5, 21.5))  # hours between which the three looks of a day are drawn
BEGUN = datetime(1971, 1, 1, tzinfo=UTC)


def fortnight(commit: str, export: Path, calendar: Path, zone: str) -> Iterator[str]:
    """Yield the lines of a fortnight: at each look what is said, and once a day the plan. Counts come last."""
    rng, counts = random.Random(f"{commit}/fortnight"), Counter[str]()
    home = zone_of(calendar) or zone
    with closing(Store("sqlite://")) as store:
        bridge = bridge_of(store)
        user = store.people.add_user("reader", home, now=BEGUN)
        for path in (export, calendar):
            runs.import_path(bridge, user, path, at=BEGUN)
        first = _first(rng, store, user, busy_days(store, user.id))
        for day in (first + timedelta(days=number) for number in range(DAYS)):
            for number, hours in enumerate(LOOKS):
                at = datetime.combine(day, time(0)) + timedelta(hours=rng.uniform(*hours))
                now = at.replace(second=0, microsecond=0, tzinfo=ZoneInfo(home)).astimezone(UTC)
                yield from _look(bridge, user, now, counts, plan=number == 0)
    yield "; ".join(f"{kind}: {times}" for kind, times in counts.most_common())


def _first(rng: random.Random, store: Store, user: User, busy: Sequence[date]) -> date:
    """Draw the first day of a fortnight with entries, after six weeks of nights where the export reaches so far."""
    nights = sorted(one.day for _, one in store.reading.episodes(user.id))
    busy = [day for day in busy if day <= busy[-1] - timedelta(days=DAYS)] or busy
    last = nights[-1] - timedelta(days=DAYS) if nights else date.min
    days = [day for day in busy if nights and nights[0] + timedelta(weeks=6) <= day <= last]
    if not (days or busy):
        raise SystemExit("the calendar holds no timed entry; name another with --calendar")
    return rng.choice(days or busy)


def _look(bridge: Bridge, user: User, now: datetime, counts: Counter[str], *, plan: bool) -> Iterator[str]:
    advice = requests.recommend(bridge, user, now=now)
    person = load_person(bridge.store, user, bridge.classifier, now=now)
    counts["silence" if isinstance(advice, Silence) else f"{advice.kind} {advice.action}"] += 1
    following = requests.next_entry(bridge, user, now)
    yield f"## {person.date_of(now):%A} {person.clock(now)}. {described(person)}"
    yield f"Said: {_said(advice, person.clock)}"
    yield from (f"Shown: {text}" for text in for_person([] if following is None else [following]))
    if plan:
        day = plan_day(bridge, user, None, now=now)
        yield from (line_of(one, person, day.date) for one in day.rows)
    yield ""


def _said(advice: Recommendation | Silence, clock: Callable[[datetime], str]) -> str:
    if isinstance(advice, Silence) or advice.start is None or advice.end is None:
        return f"nothing ({'; '.join(for_person(advice.facts))})"
    what = f" {advice.what}" if advice.what else ""
    hours = f"{clock(advice.start)}-{clock(advice.end)}"
    return f"{advice.kind} {advice.action}{what}, {hours}, because {'; '.join(for_person(advice.facts))}"


def main() -> None:
    """Print the fortnight of an export beside a calendar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commit", required=True, help="the id that seeds the draw")
    parser.add_argument("--export", required=True, type=Path, help="a file or folder of an export of a watch")
    parser.add_argument("--calendar", required=True, type=Path, help="an iCalendar file")
    parser.add_argument("--zone", default="Europe/Berlin", help="the zone, where the calendar names none")
    asked = parser.parse_args()
    for line in fortnight(asked.commit, asked.export, asked.calendar, asked.zone):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
