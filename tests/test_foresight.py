"""Forecasts compared with answers, both from the store."""

from __future__ import annotations

import json
import urllib.request
from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from bridge import installation, registry
from bridge.advice import recommend
from bridge.advice.foresight import foresight, judged
from bridge.cli import app as cli
from bridge.cli.status import _foresight_words
from bridge.daemon.health import serve_health
from bridge.daemon.scheduler import Daemon
from bridge.domain.guard import Guard
from bridge.domain.records import Feedback, Recommendation, User
from bridge.installation import Bridge
from rhythm_env.interface import Answer
from tests.world import introduce

START = datetime(2026, 11, 2, 8, tzinfo=UTC)


def advise(bridge: Bridge, user: User, number: int, answer: Answer, policy: str = "adaptive") -> Recommendation:
    """Recommend and answer in the slot of a number."""
    now = START + timedelta(hours=6 * number)
    guard = Guard(explore=0.0, silent=False)
    advice = recommend.recommend(bridge, user, registry.policy(policy), now=now, guard=guard)
    assert isinstance(advice, Recommendation)
    bridge.store.recommendations.save_feedback(advice.id, Feedback(answer=answer, answered_at=now))
    return advice


def test_status_and_metrics_tell_how_well_answers_are_foretold(monkeypatch: pytest.MonkeyPatch) -> None:
    with installation.open_bridge() as bridge:
        user = bridge.store.people.add_user("ana", "UTC", now=START)
        bridge.store.people.add_user("ben", "UTC", now=START)
        introduce(bridge.store, user, now=START)
        chances = [advise(bridge, user, n, Answer.ACCEPT) for n in range(2)]
        daemon = Daemon(bridge=bridge, clock=lambda: START + timedelta(days=1))
        with (
            serve_health(daemon, "127.0.0.1:0", every=1) as port,
            urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer,
        ):
            told = answer.read().decode()
    monkeypatch.setenv("BRIDGE_NOW", (START + timedelta(days=1)).isoformat())
    rows = json.loads(CliRunner().invoke(cli, ["status", "--user", "ana", "--json"]).stdout)
    (row,) = (one for one in rows if one["source"] == "advice")
    score = sum((1 - one.scores[str(one.action)]) ** 2 for one in chances) / 2
    assert row["source"] == "advice"
    assert row["foretold"]["verdict"] == "not known yet"
    assert row["foretold"]["answers"] == row["foretold"]["weeks"][0]["answers"] == 2
    assert row["foretold"]["brier"] == pytest.approx(score, abs=1e-4)
    assert row["foretold"]["brier_of_usual"] == 0.0
    assert 'rhythm_bridge_foretold_people{verdict="not known yet"} 2' in told
    (brier,) = [line for line in told.splitlines() if line.startswith("rhythm_bridge_foretold_brier ")]
    assert float(brier.split()[1]) == pytest.approx(score, abs=1e-6)
    assert json.loads(CliRunner().invoke(cli, ["status", "--user", "ben", "--json"]).stdout) == []
    text = CliRunner().invoke(cli, ["status", "--user", "ana"]).stdout
    assert "advice: 2 answers of yours so far; how well they are foretold can be told from 28 on\n" in text


def test_status_tells_scores_only_with_a_verdict() -> None:
    day = START.date()
    assert _foresight_words(judged([(day, 0.9, True)])).startswith("1 answer of yours so far; ")
    text = _foresight_words(judged([(day, 0.9 if n % 3 else 0.1, n % 3 > 0) for n in range(60)]))
    assert text.startswith("your answers are foretold well (60 answers, Brier score 0.010, by your usual share 0.222")


def test_stored_answers_are_held_against_what_was_said_of_them() -> None:
    with installation.open_bridge() as bridge:
        user = bridge.store.people.add_user("ana", "UTC", now=START)
        introduce(bridge.store, user, now=START)
        taken = []
        for number in range(30):
            given = Answer.ACCEPT if number % 2 else Answer.IGNORE
            advice = advise(bridge, user, number, given, "adaptive" if number < 24 else "planner")
            if number < 24:
                taken.append((advice.scores[str(advice.action)], given is Answer.ACCEPT))
        found = foresight(bridge.store, user, now=START + timedelta(days=9))
    assert found.answers == 24  # the planner's scores are no chances
    assert abs(found.score - sum((p - t) ** 2 for p, t in taken) / 24) < 1e-9
    assert found.usual == 0.25
    assert found.verdict == "not known yet"
    assert sum(week.answers for week in found.weeks) == 24


def test_a_policy_that_is_always_wrong_foretells_badly() -> None:
    day = START.date()
    assert judged([(day, 0.9, n % 3 == 0) for n in range(60)]).verdict == "badly"
    assert judged([(day, 0.9 if n % 3 else 0.1, n % 3 > 0) for n in range(60)]).verdict == "well"
    assert judged([(day, 0.33, n % 3 == 0) for n in range(60)]).verdict.startswith("no better")
