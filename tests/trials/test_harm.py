"""The watch over harm: it stops advice that does harm, says so, and is switched by the person with a reason."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bridge import registry
from bridge.advice import harm, recommend
from bridge.cli import app as cli
from bridge.domain.errors import SetupError
from bridge.domain.facts import fact
from bridge.domain.guard import ADVICE, WATCH, Switch, is_on
from bridge.domain.records import FullRecommendation, Recommendation, Silence, User
from bridge.domain.slots import moment_at
from bridge.installation import open_bridge
from bridge.store import Store
from lab.benchmarks.harm import TODAY, TWICE, World, share
from rhythm_env.interface import ActionType, Meter, MeterState, Observation
from tests.world import bridge_of, introduce

START = datetime(2026, 9, 7, 7, tzinfo=UTC)
SLOT, DAY = timedelta(hours=6), timedelta(days=1)
SILENT = 0.2
Run = Callable[..., Any]


def live(store: Store, user: User, days: int, *, harm_done: float, first: datetime = START, seed: int = 1) -> datetime:
    """Live so many days of slots with lots; advice lowers the level of the next slot. Returns the next morning."""
    rng, given = random.Random(seed), False
    with store.transaction():
        for slot in range(4 * days):
            now = first + slot * SLOT
            level = min(max(0.6 + rng.gauss(0, 0.05) - harm_done * 0.05 * given, 0), 1)
            moment = moment_at(now, user.zones)
            given = rng.random() >= SILENT
            if not given:
                store.recommendations.add_silence(user.id, moment, probability=SILENT, now=now)
                continue
            seen = {meter: MeterState(level=level, sd=0.05, coverage=1.0) for meter in Meter}
            store.recommendations.add(
                FullRecommendation(
                    id=0,
                    user_id=user.id,
                    moment=moment,
                    action=ActionType.LEARN,
                    policy="random@1",
                    belief={},
                    scores={},
                    probabilities={"LEARN": 1.0},
                    facts=(),
                    observation=Observation(
                        timestep=moment.timestep, day=moment.day, slot=moment.slot, meters=seen
                    ).to_json(),
                    created_at=now,
                    expires_at=now + SLOT,
                    silence=SILENT,
                )
            )
    return first + days * DAY


def advised(store: Store, user: User, now: datetime) -> Recommendation | Silence:
    return recommend.recommend(bridge_of(store), user, registry.policy("heuristic"), now=now)


def test_advice_that_does_harm_stops_and_says_why(store: Store) -> None:
    ana, ben = (store.people.add_user(name, "UTC", now=START) for name in ("ana", "ben"))
    introduce(store, ana, now=START)
    now = live(store, ana, 60, harm_done=1.5)
    live(store, ben, 60, harm_done=0)
    found = harm.watched(store, ana, now=now)
    assert found.stake > harm.STOPS
    assert found.level_silent is not None
    assert found.level_advised is not None
    assert found.level_silent > found.level_advised
    assert harm.watched(store, ben, now=now).stake < harm.STOPS
    first = advised(store, ana, now)
    assert isinstance(first, Silence)
    assert first.facts[0].kind == "advice_stopped"
    assert advised(store, ana, now + SLOT) == replace(first, moment=first.moment.shifted(1), at=now + SLOT)
    (stop,) = store.people.preferences(ana.id).switches
    assert (stop.what, stop.on, stop.by, stop.silent) == (ADVICE, False, WATCH, found.silent)
    assert stop.evidence is not None
    assert recommend.load_person(bridge_of(store), ana, now=now).wishes.suggestions == 0
    assert harm.look(store, ben, now=now)
    later = now + DAY
    harm.switch(store, ana, Switch(at=later, what=ADVICE, on=True, reason="I was ill"))
    assert isinstance(advised(store, ana, later + SLOT), Recommendation)  # awake, who is usually asleep at seven
    assert harm.watched(store, ana, now=later + DAY).stake == 1  # which begins anew
    assert harm.look(store, ana, now=later + DAY)


def test_without_the_watch_advice_goes_on(store: Store) -> None:
    ana = store.people.add_user("ana", "UTC", now=START)
    harm.switch(store, ana, Switch(at=START, what=WATCH, on=False, reason="I know better"))
    now = live(store, ana, 60, harm_done=1.5)
    assert harm.look(store, ana, now=now)
    harm.switch(store, ana, Switch(at=now, what=WATCH, on=True, reason="I do not"))
    assert harm.look(store, ana, now=now)
    again = live(store, ana, 60, harm_done=1.5, first=now, seed=2)
    assert not harm.look(store, ana, now=again)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    def command(*arguments: str, now: datetime = START, plain: bool = False) -> Any:
        monkeypatch.setenv("BRIDGE_NOW", now.isoformat())
        capsys.readouterr()
        cli((*arguments, *(() if plain else ("--json",))), standalone_mode=False)
        said = capsys.readouterr().out
        return said if plain else json.loads(said)

    return command


def test_the_person_switches_it_with_a_reason_in_history(run: Run) -> None:
    run("user", "add", "ana", "--zone", "UTC")
    assert run("watch")["history"] == []
    with pytest.raises(SetupError, match="say why"):
        run("watch", "off")
    with pytest.raises(SetupError, match="set like that already"):
        run("watch", "on", "--because", "x")
    run("watch", "off", "--because", "a study", now=START + DAY)
    body = run("watch", "advice-off", "--because", "holiday", now=START + 2 * DAY)
    assert (body["advice"], body["watch"]) == ("off", "off")
    assert [(one["what"], one["on"], one["by"], one["reason"]) for one in body["history"]] == [
        ("watch", False, "person", "a study"),
        ("advice", False, "person", "holiday"),
    ]
    assert "holiday" in run("history", now=START + 3 * DAY, plain=True)
    with open_bridge() as bridge:
        ana = bridge.store.people.user("ana")
        introduce(bridge.store, ana, now=START)
    silent = run("recommend", now=START + 3 * DAY)
    assert silent["reasons"] == [
        "you switched advice off on 9 September 2026; switch it on: bridge watch advice-on --user ana"
    ]
    with open_bridge() as bridge:
        kept = bridge.store.people.preferences(bridge.store.people.user("ana").id).switches
    assert not is_on(kept, WATCH)


def test_harm_is_seen_within_six_weeks_and_seldom_where_there_is_none() -> None:
    assert share(World(silence=TODAY, harm=0, days=365), 60) <= 0.07  # 2 % and two standard errors
    assert share(World(silence=TODAY, harm=harm.FINDS), 150) > 0.72  # 0.8 and two standard errors
    assert share(World(silence=TWICE, harm=0.8), 150) > 0.75


def test_a_bet_never_loses_the_whole_stake() -> None:
    bets = harm.Bets()
    for number in range(400):
        bets.add(0.5 if number % 2 else -0.5, 0.0, 1e6 if number % 2 else -1e6)
    assert 0 < bets.stake < 1e-3
    assert fact("advice_off", day=START, command="x").kind == "advice_off"
