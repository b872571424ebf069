"""Print generated people's day plans with calendar and last night, drawn by a commit id.

``python -m lab.plans.sample --commit ID``
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from bridge.advice import requests
from bridge.advice.day_plan import plan_day
from bridge.advice.recommend import load_person
from bridge.day.blocks import Block
from bridge.day.person import Person
from bridge.day.recovery import asleep
from bridge.documents.plan import ends
from bridge.domain.records import Recommendation, Silence
from bridge.domain.rendering import for_person
from bridge.domain.slots import ZoneSpan, local_time, zone_at
from bridge.domain.zones import place_of
from bridge.ingest.sync import sync
from bridge.store import Store
from lab.plans.people import generate
from lab.plans.run import FIRST, bridge_of, source_of

PLANS = 40
DAYS = 7  # after the first, of which one is drawn
LOOKS = (7.6, 9.2, 12.4, 15.3, 18.2, 20.5)


def drawn(commit: str, number: int) -> Iterator[str]:
    """Yield the lines of plan ``number``, for a person and a time of day that ``commit`` and ``number`` seed."""
    rng = random.Random(f"{commit}/{number}")
    seed, ahead = rng.randrange(10_000), rng.randrange(DAYS)
    life = generate(seed, DAYS + 1, FIRST)
    with closing(Store("sqlite://")) as store:
        begin = life.zones[0]
        store.people.add_user("reader", begin[1], now=begin[0])
        for since, zone in life.zones[1:]:
            store.people.set_zone(store.people.user("reader").id, zone, since=since)
        user = store.people.user("reader")
        at = datetime.combine(FIRST + timedelta(days=ahead), time(0)) + timedelta(hours=rng.choice(LOOKS))
        now = at.replace(tzinfo=ZoneInfo(zone_at(at.replace(tzinfo=UTC), user.zones).key)).astimezone(UTC)
        sync(source_of(store, user.id, life, begin[0]), store, holder="lab", now=now)
        bridge = bridge_of(store)
        advice = requests.recommend(bridge, user, now=now)
        plan = plan_day(bridge, user, None, now=now)
        person = load_person(bridge, user, now=now)
    yield f"## Plan {number + 1}: {life.kind}"
    yield f"It is {plan.date:%A} {person.clock(now)} in {plan.zone}. {described(person)}"
    yield f"Now: {_advice(advice, person)}"
    yield from (line_of(row, person, plan.date) for row in plan.rows)
    yield ""


def described(person: Person) -> str:
    """Return a sentence on last night's time in bed and asleep."""
    nights = [e for _, e in person.known.episodes if e.kind == "sleep" and e.day == person.date_of(person.now)]
    if not nights:
        return "Last night is not known."
    slept = for_person([asleep(nights[-1])])[0]
    return f"In bed {person.clock(nights[-1].start)} to {person.clock(nights[-1].end)}, asleep for {slept}."


def _advice(advice: Recommendation | Silence, person: Person) -> str:
    if isinstance(advice, Silence) or advice.start is None or advice.end is None:
        must = isinstance(advice, Silence) and advice.must_do
        return f"{'to do' if must else 'no advice'} ({for_person(advice.facts)[0]})"
    hours = f"{person.clock(advice.start)}-{person.clock(advice.end)}"
    return f"{advice.kind} {advice.action} {hours} {advice.what or ''} because {'; '.join(for_person(advice.facts))}"


def line_of(block: Block | ZoneSpan, person: Person, day: date) -> str:
    """Return a line of text about a block of a day plan, or about a change of time zone on ``day``."""
    zones = person.known.zones
    if isinstance(block, ZoneSpan):
        return f"  {person.clock(block.since)} {place_of(block.zone)} time from here on"
    start = local_time(block.start, zones)
    hours = "all day    " if block.all_day else "-".join(ends(block, day, zones))
    since = " since yesterday" if start.date() < day and not block.all_day else ""
    why = f" ({'; '.join(for_person(block.facts))})" if block.facts else ""
    return f"  {hours} {block.kind:9} {block.action or '':11} {block.title or ''}{since}{why}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commit", required=True, help="the id that seeds the draw")
    commit = parser.parse_args().commit
    for number in range(PLANS):
        sys.stdout.write("\n".join(drawn(commit, number)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
