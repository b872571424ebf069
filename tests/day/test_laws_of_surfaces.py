"""Law 8 over generated people: plan, recommendation, week, page, message and assistant say one value at every look."""

from contextlib import closing
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from bridge.advice import notify, requests
from bridge.advice.day_plan import plan_day
from bridge.advice.recommend import load_person
from bridge.day import plan as planning
from bridge.documents.plan import plan_document
from bridge.domain.rendering import Audience
from bridge.ingest.sync import sync
from bridge.mcp.tools import Tools, _block
from bridge.meters import words
from bridge.recordings.recorded_life import environment
from bridge.store import Store
from bridge.web.state import AppState
from lab.plans.checks import broken
from lab.plans.people import KINDS, generate
from lab.plans.run import FIRST, bridge_of, source_of
from lab.plans.surfaces import disagreements

pytestmark = pytest.mark.timeout(600)
LOOKS = ((0, 13.5), (1, 18.75))  # days after the first, and hours


def looks(seed):
    """(bridge, user, instant) of two looks of a generated person, as the data of each come in."""
    made = generate(seed, 3, FIRST)
    with closing(Store("sqlite://")) as store:
        (begun, zone), *moves = made.zones
        user = store.people.add_user("generated", zone, now=begun)
        for since, name in moves:
            store.people.set_zone(user.id, name, since=since)
        store.people.save_wishes(user.id, made.wishes, now=begun)
        user, source, bridge = store.people.user("generated"), source_of(store, user.id, made, begun), bridge_of(store)
        for days, hours in LOOKS:
            wall = datetime.combine(FIRST + timedelta(days=days), time()) + timedelta(hours=hours)
            now = wall.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
            sync(source, store, holder="lab", now=now)
            yield bridge, user, now


def said_otherwise(bridge, user, now):
    """Yield what any surface says of this slot, of today and of the two days after it that another does not say."""
    advice = requests.recommend(bridge, user, now=now)
    plan = plan_day(bridge, user, None, now=now)
    person = load_person(bridge, user, now=now)
    rules = broken(advice, requests.recommend(bridge, user, now=now), plan, person)
    yield from (text for rule, text in rules if rule == "surfaces disagree")
    yield from disagreements(bridge, user, advice, plan, now)
    yield from _of_the_week(bridge, user, plan, now)


def _of_the_week(bridge, user, plan, now):
    page = AppState(bridge=bridge).plan_cache
    for ahead in range(3):
        day = plan.date + timedelta(days=ahead)
        alone = plan if ahead == 0 else plan_day(bridge, user, day, now=now)
        if page.plan(bridge, user, day, now=now, seen=True).blocks != alone.blocks:
            yield f"the page's week holds another plan of {day}"
        with environment({"BRIDGE_NOW": now.isoformat()}):
            told = Tools(bridge=bridge, name=user.name).plan(ahead)["blocks"]
        if told != [_block(one) for one in plan_document(alone, user.zones, Audience.ASSISTANT)["blocks"]]:
            yield f"the assistant holds another plan of {day}"


@pytest.mark.parametrize("seed", range(len(KINDS)))
def test_law_8_every_surface_says_one_value(seed):
    for bridge, user, now in looks(seed):
        assert list(said_otherwise(bridge, user, now)) == []


def differs(*seeds):
    return any(True for seed in seeds for one in looks(seed) for _ in said_otherwise(*one))


def test_law_8_fails_where_the_plan_forgets_what_was_recommended(monkeypatch):
    monkeypatch.setattr(planning, "given_blocks", lambda *_: iter(()))
    assert differs(0, 2)


def test_law_8_fails_where_a_message_says_another_time(monkeypatch):
    compose = notify.compose
    monkeypatch.setattr(notify, "compose", lambda *of, **more: (compose(*of, **more)[0].replace(":", "."), ""))
    assert differs(0, 2)


def test_law_8_fails_where_a_week_is_planned_otherwise_than_its_days(monkeypatch):
    before = planning.Week._names_before
    monkeypatch.setattr(
        planning.Week, "_names_before", lambda self, day: frozenset() if self.planned else before(self, day)
    )
    assert differs(0, 2)


def test_law_8_fails_where_a_meter_is_as_usual_beside_less_than_usual(monkeypatch):
    monkeypatch.setattr(words, "departs", lambda _: False)
    assert differs(0, 2)
