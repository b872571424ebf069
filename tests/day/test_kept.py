"""What is in the calendar is no advice: a slot that it fills is silent, and old advice to keep it stands no more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bridge import installation, registry
from bridge.advice import recommend
from bridge.day.outcomes import KEPT_UNTIL, as_answer
from bridge.domain.guard import Guard
from bridge.domain.records import Recommendation, Silence, User
from bridge.domain.rendering import for_person
from bridge.domain.slots import moment_at
from bridge.domain.wishes import Wishes
from bridge.ingest import runs
from bridge.installation import Bridge
from rhythm_env.interface import ActionType, Answer

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
FILE = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//test//EN
BEGIN:VEVENT
UID:yoga@example.com
DTSTAMP:20261101T000000Z
DTSTART:20261121T130000Z
DTEND:20261121T140000Z
SUMMARY:Yoga
END:VEVENT
END:VCALENDAR
"""


@pytest.fixture
def home(tmp_path: Path) -> Iterator[tuple[Bridge, User]]:
    """Somebody with yoga at 13:00, to whom nothing but exercise may be suggested."""
    (tmp_path / "mine.ics").write_text(FILE)
    with installation.open_bridge() as bridge:
        user = bridge.store.people.add_user("ana", "UTC", now=NOON - timedelta(days=1))
        only = Wishes(never=frozenset(ActionType) - {ActionType.EXERCISE})
        bridge.store.people.save_wishes(user.id, only, now=NOON - timedelta(days=1))
        runs.import_path(bridge, user, tmp_path / "mine.ics", at=NOON - timedelta(hours=1))
        yield bridge, user


def ask(home: tuple[Bridge, User], at: datetime) -> Recommendation | Silence:
    bridge, user = home
    never = Guard(explore=0.0, silent=False)
    return recommend.recommend(bridge, user, registry.policy("heuristic"), now=at, guard=never)


def test_an_entry_that_comes_or_lasts_is_the_reason_of_a_silence(home: tuple[Bridge, User]) -> None:
    before, during = ask(home, NOON), ask(home, NOON + timedelta(minutes=90))
    assert isinstance(before, Silence)
    assert for_person(before.facts) == ["nothing needs doing before your sport at 13:00"]
    assert isinstance(during, Silence)
    assert for_person(during.facts) == ["your sport lasts until 14:00"]


def test_answers_to_advice_to_keep_an_entry_teach_nothing_any_more(home: tuple[Bridge, User]) -> None:
    bridge, user = home
    bridge.store.people.save_wishes(user.id, Wishes(), now=NOON)
    made = ask(home, NOON + timedelta(hours=3))
    assert isinstance(made, Recommendation)
    answered = replace(made, answer=Answer.ACCEPT, answered_at=NOON + timedelta(hours=4))
    for kind, before, after in (("suggested", Answer.ACCEPT, Answer.ACCEPT), ("keep", Answer.ACCEPT, None)):
        one = replace(answered, kind=kind)
        assert as_answer(one, KEPT_UNTIL - timedelta(seconds=1)) is before
        assert as_answer(one, KEPT_UNTIL) is after


def test_open_advice_to_keep_an_entry_gives_way_and_answered_advice_stays(home: tuple[Bridge, User]) -> None:
    bridge, user = home
    bridge.store.people.save_wishes(user.id, Wishes(), now=NOON)
    made = ask(home, NOON + timedelta(hours=3))
    assert isinstance(made, Recommendation)
    evening = NOON + timedelta(hours=6)
    kept = replace(made, moment=moment_at(evening, user.zones), kind="keep", created_at=evening)
    old = bridge.store.recommendations.add(replace(kept, start=evening, end=evening + timedelta(hours=2)))
    again = ask(home, evening + timedelta(minutes=5))
    assert isinstance(again, Silence) or again.id != old.id
    assert bridge.store.recommendations.by_id(old.id).superseded_at is not None
