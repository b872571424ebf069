"""A prior of one person: made of many answers, tried on later ones, kept when it is better, and taken back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from math import log
from typing import Any

import pytest
import sqlalchemy as sa

from bridge import installation, registry
from bridge.advice import personalise
from bridge.cli import app as command
from bridge.domain.errors import SetupError
from bridge.domain.records import Deed, Feedback, FullRecommendation, Prior, Recommendation, User
from bridge.domain.slots import slot_bounds
from bridge.store import Store
from lab.evaluation.context import Forgetful, recent
from lab.evaluation.deployed import FIRST_MONDAY, ZONES, Life, Slice
from policies.heuristic import Heuristic
from rhythm_env.interface import ActionType, Answer, Observation

START = datetime(2026, 1, 5, 6, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def live(weeks: int) -> tuple[Life, list[Slice]]:
    life = Life(11)
    return life, list(life.live(registry.policy("heuristic"), weeks))


@pytest.fixture(scope="module")
def month() -> list[Slice]:
    return live(4)[1]


def stored(store: Store, slices: Sequence[Slice]) -> User:
    """Somebody whose advice and answers were these."""
    user = store.people.add_user("ana", ZONES[0].zone, now=START)
    answer(store, user, slices)
    return user


def answer(store: Store, user: User, slices: Sequence[Slice]) -> None:
    with store.transaction():
        for one in slices:
            start, end = slot_bounds(one.moment, ZONES)
            kept = store.recommendations.add(replace(unanswered(user, one, start, end), shown_at=start))
            moved = None if one.moved_to is None else replace(one.moment, slot=one.moved_to)
            store.recommendations.save_feedback(kept.id, Feedback(answer=one.answer, answered_at=start, moved_to=moved))


def unanswered(user: User, one: Slice, start: datetime, end: datetime) -> Recommendation:
    return FullRecommendation(
        id=0,
        user_id=user.id,
        moment=one.moment,
        action=one.decision.action,
        policy="heuristic@1",
        belief=asdict(one.decision.belief),
        scores={},
        probabilities={str(one.decision.action): 1.0},
        facts=(),
        observation=one.observation.to_json(),
        created_at=start,
        expires_at=end,
    )


def after(slices: Sequence[Slice]) -> datetime:
    return slot_bounds(slices[-1].moment, ZONES)[1]


def test_too_little_is_said_with_the_next_command(lite: Store, month: list[Slice]) -> None:
    user = stored(lite, month[:60])
    with pytest.raises(SetupError, match="bridge recommend"):
        personalise.personalise(lite, user, registry.policy("planner"), now=after(month[:60]))
    assert not personalise.is_due(lite, user, registry.policy("planner"), now=after(month[:60]))


def test_a_policy_that_cannot_learn_says_so(lite: Store, month: list[Slice]) -> None:
    user = stored(lite, month[:1])
    with pytest.raises(SetupError, match="BRIDGE_POLICY=adaptive"):
        personalise.personalise(lite, user, registry.policy("heuristic"), now=after(month))
    assert not personalise.is_due(lite, user, registry.policy("heuristic"), now=after(month))


def test_it_is_tried_on_later_answers_kept_if_better_and_taken_back(store: Store, month: list[Slice]) -> None:
    user, planner, now = stored(store, month), registry.policy("planner"), after(month)
    assert personalise.is_due(store, user, planner, now=now)
    made = personalise.personalise(store, user, planner, now=now)
    assert (made.learnt_from, made.tried_on) == (112, 34)
    assert 0 < made.gain < 0.1
    assert not made.kept  # of 34 answers, a gain of that size is within its own error
    store.lessons.add_prior(user.id, replace(made, kept=True, made_at=now + timedelta(minutes=1)))
    assert personalise.for_person(store, user, planner) is not planner
    with pytest.raises(SetupError, match="0 times since"):
        personalise.personalise(store, user, planner, now=now + timedelta(days=1))
    while store.lessons.withdraw_prior(user.id, f"{planner.name}@{planner.version}") is not None:
        pass
    assert personalise.for_person(store, user, planner) is planner
    assert len(store.lessons.priors(user.id)) == 2  # nothing is lost by taking it back


class Says:
    """A policy that finds everything as likely."""

    def __init__(self, chance: float) -> None:
        self._chance = chance

    def chance(self, observation: Observation, action: ActionType) -> float:  # noqa: ARG002
        return self._chance


def test_a_gain_is_told_with_its_own_error(lite: Store, month: list[Slice]) -> None:
    user, now = stored(lite, month), after(month)
    taken = sum(one.answer is Answer.ACCEPT for one in month) / len(month)

    def gained(chance: float, over: float) -> tuple[float, float]:
        answers = personalise.answered(lite, user, START, now, now=now)
        return personalise.foretold(Says(chance), Says(over), answers)  # type: ignore[arg-type]

    gain, error = gained(taken, 0.05)
    assert gain > personalise.SURE_Z * error > 0
    gain, error = gained(taken, taken - 0.02)
    assert abs(gain) < personalise.SURE_Z * error


def test_the_daemon_waits_for_answers_and_not_for_advice(lite: Store, month: list[Slice]) -> None:
    user, planner = stored(lite, month[-35:]), registry.policy("planner")
    for one in month[:-35]:  # advice that nobody saw
        start, end = slot_bounds(one.moment, ZONES)
        lite.recommendations.add(unanswered(user, one, start, end))
    assert len(lite.recommendations.full_between(user.id, since=START, until=after(month))) == len(month)
    assert not personalise.is_due(lite, user, planner, now=after(month))


def test_the_daemon_tries_again_after_a_week_and_new_answers(lite: Store, month: list[Slice]) -> None:
    user, planner, later = stored(lite, month[:98]), registry.policy("planner"), after(month) + timedelta(days=4)
    made = personalise.personalise(lite, user, planner, now=after(month[:98]))
    assert not personalise.is_due(lite, user, planner, now=later)  # days later, with nothing new
    answer(lite, user, month[98:])
    assert personalise.is_due(lite, user, planner, now=later)
    assert not personalise.is_due(lite, user, planner, now=made.made_at + timedelta(days=4))


def test_whether_it_is_due_is_seen_without_the_situations(store: Store, month: list[Slice]) -> None:
    """They are most of what is stored, and the daemon looks in every slot."""
    user, planner = stored(store, month), registry.policy("planner")
    assert isinstance(store, Store)
    with store.database.write() as db:
        db.execute(sa.text("UPDATE recommendations SET observation = :junk"), {"junk": b"unreadable"})
    assert personalise.is_due(store, user, planner, now=after(month))


def test_of_many_attempts_the_one_in_use_is_read(store: Store) -> None:
    """Each has 20 kB, and there is one every five days: tried with older ones that cannot be read."""
    user, planner = store.people.add_user("ana", ZONES[0].zone, now=START), registry.policy("planner")
    mine = f"{planner.name}@{planner.version}"
    made = Prior(policy=mine, made_at=START, body={"through": "?"}, learnt_from=50, tried_on=15, gain=0.1, kept=True)
    tries = [made, replace(made, made_at=START + HOUR), replace(made, made_at=START + 2 * HOUR, kept=False)]
    for one in (*tries, replace(made, made_at=START + 3 * HOUR, policy="llm@1")):
        store.lessons.add_prior(user.id, one)
    assert isinstance(store, Store)
    with store.database.write() as db:
        db.execute(sa.text("UPDATE priors SET body = '' WHERE made_at = (SELECT MIN(made_at) FROM priors)"))
    assert personalise.in_use(store, user, planner) == tries[1]
    assert not personalise.is_due(store, user, planner, now=START + DAY)


def test_the_store_counts_as_answered_what_the_model_hears(store: Store, month: list[Slice]) -> None:
    user, hour = store.people.add_user("ana", ZONES[0].zone, now=START), timedelta(hours=1)
    for number, one in enumerate(month[:20]):  # shown or not, answered or not, with each outcome and without
        start, end = slot_bounds(one.moment, ZONES)
        shown = start + hour if number % 2 else None
        kept = store.recommendations.add(replace(unanswered(user, one, start, end), shown_at=shown))
        if number % 4 > 1:
            store.recommendations.save_feedback(kept.id, Feedback(answer=one.answer, answered_at=end + 5 * hour))
        deed = [None, *Deed][number % 5]
        if deed is not None:
            store.recommendations.save_outcome(kept.id, deed, (), at=start + 3 * hour)
    for passed in range(140):
        now = START + passed * hour
        heard = [one.at for one, _ in personalise.answered(store, user, START, now, now=now)]
        assert store.recommendations.settled_times(user.id, since=START, until=now) == heard
    assert len(heard) == 12


class Lately(Heuristic):
    """Foretells badly by five days of answers alone, better with a prior, best by more than five days."""

    def __init__(self, chance: float | None = None) -> None:
        self._chance = chance

    def learn(self, observation: Observation) -> Mapping[str, Any]:
        return {"through": observation.history[-1].at.isoformat()}

    def personal(self, prior: Mapping[str, Any]) -> Lately:  # noqa: ARG002 - any prior is the same to it
        return Lately(0.9)

    def chance(self, observation: Observation, action: ActionType) -> float:  # noqa: ARG002 - and any action
        heard = observation.history
        return self._chance or (0.5 if heard[-1].at - heard[0].at > timedelta(days=6) else 0.98)


def test_a_prior_is_tried_against_the_policy_as_it_is_in_use(lite: Store, month: list[Slice]) -> None:
    user = stored(lite, month)
    made = personalise.personalise(lite, user, Lately(), now=after(month))
    taken = sum(one.answer is Answer.ACCEPT for one in month[-34:]) / 34
    assert made.gain == pytest.approx(taken * log(0.9) + (1 - taken) * log(0.1) - log(0.5))
    assert not made.kept


def test_a_prior_of_another_version_is_not_used(lite: Store, month: list[Slice]) -> None:
    user, planner = stored(lite, month), registry.policy("planner")
    made = personalise.personalise(lite, user, planner, now=after(month))
    lite.lessons.add_prior(
        user.id, replace(made, kept=True, policy="planner@0", made_at=after(month) + timedelta(days=1))
    )
    in_use = personalise.in_use(lite, user, planner)
    assert in_use is None or in_use.policy != "planner@0"


def test_it_travels_with_an_export_and_goes_with_the_person(store: Store, month: list[Slice]) -> None:
    user, planner = stored(store, month), registry.policy("planner")
    personalise.personalise(store, user, planner, now=after(month))
    other = store.people.add_user("ben", "UTC", now=START)
    store.exports.restore(other.id, store.exports.dump(user.id))
    assert store.lessons.priors(other.id) == store.lessons.priors(user.id)
    store.people.forget(user.id)
    assert store.lessons.priors(user.id) == []


def test_a_prior_hears_only_what_it_has_not_heard(month: list[Slice]) -> None:
    planner: Any = registry.policy("planner")
    seen = month[-1].observation
    prior = planner.learn(seen)
    assert prior["through"] == seen.history[-1].at.isoformat()
    able = planner.personal(json.loads(json.dumps(prior)))
    unheard = replace(seen, history=())
    assert able.chance(seen, month[-1].decision.action) == able.chance(unheard, month[-1].decision.action)
    assert able.chance(unheard, month[-1].decision.action) != planner.chance(unheard, month[-1].decision.action)


def test_what_is_no_prior_is_refused() -> None:
    planner: Any = registry.policy("planner")
    observation = Observation(timestep=0, day=0, slot=month_slot(), meters={})
    with pytest.raises(ValueError, match="not a prior"):
        planner.personal(
            {"people": [[0.0]], "meters": [[1.0]], "through": START.isoformat(), "day": 0, "slot": 0}
        ).chance(replace(observation, history=live(1)[1][-1].observation.history), live(1)[1][0].decision.action)
    with pytest.raises(ValueError, match="nothing was answered"):
        planner.learn(observation)


def month_slot() -> Any:
    from rhythm_env.interface import Slot

    return Slot.MORNING


def test_little_context_is_five_days(month: list[Slice]) -> None:
    seen = recent(month[-1].observation)
    assert {one.at.date() for one in seen.history} <= {FIRST_MONDAY + timedelta(days=d) for d in range(21, 28)}
    assert len(seen.history) == 20
    assert Forgetful(registry.policy("heuristic")).name == "heuristic"


def test_the_command_prints_and_undoes(
    month: list[Slice], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with installation.open_bridge() as bridge:
        stored(bridge.store, month)
    monkeypatch.setenv("BRIDGE_NOW", after(month).isoformat())
    command(("personalise", "--user", "ana", "--json"), standalone_mode=False)
    made = json.loads(capsys.readouterr().out)
    assert {"made_at", "policy", "learnt_from", "tried_on", "gain", "kept"} <= set(made)
    command(("personalise", "--user", "ana", "--history", "--json"), standalone_mode=False)
    assert len(json.loads(capsys.readouterr().out)) == 1
    if not made["kept"]:
        with pytest.raises(SetupError, match="bridge personalise"):
            command(("personalise", "--user", "ana", "--undo"), standalone_mode=False)
    else:
        command(("personalise", "--user", "ana", "--undo", "--json"), standalone_mode=False)
        assert json.loads(capsys.readouterr().out)["kept"] is False
