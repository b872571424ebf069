"""An entry that was recommended to be kept stays the slot's recommendation until it is over."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bridge import installation, registry
from bridge.advice import recommend
from bridge.domain.guard import Guard
from bridge.domain.records import Recommendation, Silence
from bridge.domain.wishes import Wishes
from bridge.ingest import runs
from rhythm_env.interface import ActionType

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


def test_it_is_not_taken_back_at_its_end(tmp_path):
    (tmp_path / "mine.ics").write_text(FILE)
    never = Guard(explore=0.0, silent=False)
    with installation.open_bridge() as bridge:
        user = bridge.store.people.add_user("ana", "UTC", now=NOON - timedelta(days=1))
        only = Wishes(never=frozenset(ActionType) - {ActionType.EXERCISE})
        bridge.store.people.save_wishes(user.id, only, now=NOON - timedelta(days=1))
        runs.import_path(bridge, user, tmp_path / "mine.ics", at=NOON - timedelta(hours=1))

        def ask(at):
            policy, classifier = registry.policy("heuristic"), bridge.classifier
            return recommend.recommend(bridge.store, user, classifier, policy, now=at, guard=never)

        first = ask(NOON)
        assert isinstance(first, Recommendation)
        last = ask(NOON + timedelta(minutes=115))
        after = ask(NOON + timedelta(minutes=125))
        assert first.kind == "keep"
        assert isinstance(last, Recommendation)
        assert last.id == first.id
        assert isinstance(after, Silence)
        assert not bridge.store.recommendations.taken_back(user.id, since=NOON, until=NOON + timedelta(days=1))
