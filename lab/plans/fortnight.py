"""Print the recommendations and plans of a fortnight that combines an export of a watch with a calendar.

``python -m lab.plans.fortnight --commit ID --export FOLDER --calendar FILE [--zone ZONE]``

The two share no dates, so the export is moved by whole weeks until its fullest fortnight coincides with the calendar's.
The commit id seeds the choice between equal fortnights and the three times of day. Nothing is written.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from bridge.advice import requests
from bridge.advice.day_plan import plan_day
from bridge.advice.recommend import load_person
from bridge.domain.errors import SetupError
from bridge.domain.records import Recommendation, Silence, User
from bridge.domain.rendering import for_person
from bridge.ingest import runs
from bridge.ingest.sync import sync
from bridge.installation import Bridge
from bridge.store import Store
from lab.plans.replay import FORTNIGHT, NIGHTS_MIN, fullest, moved, nights_of, sources_of
from lab.plans.run import bridge_of, busy_days, zone_of
from lab.plans.sample import described, line_of

DAYS = 14
LOOKS = ((7.0, 9.5), (12.0, 15.5), (17.5, 21.5))  # hours between which the three looks of a day are drawn
BEGUN = datetime(1971, 1, 1, tzinfo=UTC)


def fortnight(commit: str, export: Path, calendar: Path, zone: str) -> Iterator[str]:
    """Yield lines with the recommendation three times a day, the plan once a day, and finally counts by action.

    ``commit`` seeds random choices. ``zone`` is the IANA zone of the export, and of the calendar if it names none.
    """
    rng, counts = random.Random(f"{commit}/fortnight"), Counter[str]()
    home = zone_of(calendar) or zone
    with closing(Store("sqlite://")) as store, closing(Store("sqlite://")) as exported:
        bridge = bridge_of(store)
        user = store.people.add_user("reader", home, now=BEGUN)
        runs.import_path(bridge, user, calendar, at=BEGUN)
        wearer = exported.people.add_user("wearer", zone, now=BEGUN)
        runs.import_path(bridge_of(exported), wearer, export, at=BEGUN)
        first, by, told = _over(rng, busy_days(store, user.id), nights_of(exported, wearer.id))
        yield told
        yield ""
        sources = sources_of(store, user.id, moved(exported, wearer.id, by, home), BEGUN)
        for day in (first + timedelta(days=number) for number in range(DAYS)):
            for number, hours in enumerate(LOOKS):
                at = datetime.combine(day, time(0)) + timedelta(hours=rng.uniform(*hours))
                now = at.replace(second=0, microsecond=0, tzinfo=ZoneInfo(home)).astimezone(UTC)
                for source in sources:
                    sync(source, store, holder="lab", now=now)
                yield from _look(bridge, user, now, counts, plan=number == 0)
    yield "; ".join(f"{kind}: {times}" for kind, times in counts.most_common())


def _over(rng: random.Random, busy: Collection[date], nights: Collection[date]) -> tuple[date, timedelta, str]:
    """Return (first day of the fortnight, shift of the export, sentence that describes both).

    Raises SystemExit for a calendar without timed entries, or for fewer than NIGHTS_MIN nights.
    """
    if len(nights) < NIGHTS_MIN:
        few = f"the export holds {len(nights)} nights, and a fortnight takes {NIGHTS_MIN}"
        raise SystemExit(f"{few}; name another with --export")
    first, slept = fullest(busy, rng), fullest(nights, rng)
    if first is None or slept is None:
        raise SystemExit("the calendar holds no timed entry; name another with --calendar")
    by = first - slept
    days, known = (sum(one <= day < one + FORTNIGHT for day in of) for one, of in ((first, busy), (slept, nights)))
    told = f"The export is moved by {by.days // 7:+d} weeks, so that its fullest fortnight ({known} nights) lies over"
    return first, by, f"{told} the calendar's ({days} days with timed entries)."


def _look(bridge: Bridge, user: User, now: datetime, counts: Counter[str], *, plan: bool) -> Iterator[str]:
    advice = requests.recommend(bridge, user, now=now)
    person = load_person(bridge, user, now=now)
    counts[
        ("to do" if advice.must_do else "silence") if isinstance(advice, Silence) else f"{advice.kind} {advice.action}"
    ] += 1
    following = requests.next_entry(bridge, user, now)
    yield f"## {person.date_of(now):%A} {person.clock(now)}. {described(person)}"
    yield f"Said: {_said(advice, person.clock)}"
    yield from (f"Shown: {text}" for text in for_person([] if following is None else [following]))
    if plan:
        day = plan_day(bridge, user, None, now=now)
        yield from (line_of(row, person, day.date) for row in day.rows)
    yield ""


def _said(advice: Recommendation | Silence, clock: Callable[[datetime], str]) -> str:
    if isinstance(advice, Silence) or advice.start is None or advice.end is None:
        must = isinstance(advice, Silence) and advice.must_do
        return f"{'to do' if must else 'nothing'} ({'; '.join(for_person(advice.facts))})"
    what = f" {advice.what}" if advice.what else ""
    hours = f"{clock(advice.start)}-{clock(advice.end)}"
    return f"{advice.kind} {advice.action}{what}, {hours}, because {'; '.join(for_person(advice.facts))}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commit", required=True, help="the id that seeds the draw")
    parser.add_argument("--export", required=True, type=Path, help="a file or folder of an export of a watch")
    parser.add_argument("--calendar", required=True, type=Path, help="an iCalendar file")
    parser.add_argument("--zone", default="Europe/Berlin", help="the zone, where the calendar names none")
    asked = parser.parse_args()
    try:
        for line in fortnight(asked.commit, asked.export, asked.calendar, asked.zone):
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
    except SetupError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
