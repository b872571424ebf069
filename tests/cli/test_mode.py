"""``bridge mode``: said, ends by itself, teaches nothing, and is undone by one command."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from bridge import installation
from bridge.advice import modes
from bridge.advice.modes import ordinary
from bridge.advice.recommend import load_person
from bridge.cli import app as cli
from bridge.cli import exit_code
from bridge.day.body import Mode, ModeKind
from bridge.day.routine import learn_routine
from bridge.domain.errors import BridgeError
from bridge.domain.facts import fact
from bridge.web.result_cache import data_version
from tests.day.test_any_life import any_life
from tests.world import introduce

Run = Callable[..., tuple[int, Any]]
NOON = datetime(2026, 11, 20, 11, tzinfo=UTC)  # a Friday
NORMAL = {"mode": "normal", "since": None, "until": None, "noticed": []}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run ``bridge mode`` for ana on a day of November; returns (exit code, document or the error's text)."""
    monkeypatch.setenv("BRIDGE_NOW", NOON.isoformat())
    cli(("user", "add", "ana", "--zone", "Europe/Berlin"), standalone_mode=False)

    def command(*arguments: str, day: int = 20) -> tuple[int, Any]:
        monkeypatch.setenv("BRIDGE_NOW", NOON.replace(day=day).isoformat())
        capsys.readouterr()
        try:
            cli(("mode", *arguments, "--json", "--user", "ana"), standalone_mode=False)
        except BridgeError as error:
            return exit_code(error), str(error)
        return 0, json.loads(capsys.readouterr().out)

    return command


def test_a_mode_ends_by_itself_and_by_one_command(run: Run) -> None:
    assert run() == (0, NORMAL)
    said = {**NORMAL, "mode": "holiday", "since": "2026-11-20", "until": "2026-11-24"}
    assert run("holiday", "--until", "2026-11-24") == (0, said)
    assert run(day=24) == (0, said)
    assert run(day=25) == (0, NORMAL)
    assert run("normal", day=22) == (0, NORMAL)
    assert run("ill", day=22)[1]["until"] == "2026-11-24"
    assert run("normal", day=22) == (0, NORMAL)


@pytest.mark.parametrize(
    "arguments",
    [
        ("tired",),
        ("ill", "--until", "2026-11-19"),
        ("normal", "--until", "2026-11-30"),
        ("away", "--from", "2026-11-19"),
        ("away", "--from", "2026-11-30", "--until", "2026-11-29"),
        ("--from", "2026-11-30"),
    ],
)
def test_what_is_no_mode_changes_nothing(run: Run, arguments: tuple[str, ...]) -> None:
    code, said = run(*arguments)
    assert (code, "bridge mode" in said) == (2, True)
    assert run() == (0, NORMAL)


def test_nothing_of_an_odd_week_is_learnt() -> None:
    known = any_life(3)
    today = known.at.date()
    odd = [("odd", date.fromordinal(today.toordinal() - 7), today)]
    left = ordinary(known, odd)
    assert len(left.agenda) + len(left.episodes) < len(known.agenda) + len(known.episodes)
    assert learn_routine(left) == learn_routine(ordinary(left, odd))
    assert ordinary(known, [("normal", date.min, date.max)]) is known


def test_a_mode_reaches_the_plan_and_the_page_at_once(run: Run) -> None:
    seen = []
    for said in (("ill",), ("normal",)):
        run(*said)
        with installation.open_bridge() as bridge:
            ana = bridge.store.people.user("ana")
            one = load_person(bridge, ana, now=NOON)
            seen.append((one.mode.kind, one.body.ill, data_version(bridge, ana, NOON)))
    assert [(kind, ill) for kind, ill, _ in seen] == [("ill", True), ("normal", False)]
    assert seen[0][2] != seen[1][2]


def test_what_was_noticed_is_asked_until_it_is_answered(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [{"mode": "holiday", "because": ["you said that you are ill"]}]
    monkeypatch.setattr(modes, "noticed", lambda _: [(ModeKind.HOLIDAY, (fact("said_ill"),))])
    assert run()[1]["noticed"] == asked
    assert run()[1]["noticed"] == asked
    assert run("normal")[1]["noticed"] == []
    assert run(day=27)[1]["noticed"] == []
    monkeypatch.setattr(modes, "QUIET", timedelta(days=5))
    assert run(day=27)[1]["noticed"] == asked


def test_a_refusal_says_why_and_what_follows(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    with installation.open_bridge() as bridge:
        ana = bridge.store.people.user("ana")
        introduce(bridge.store, ana, now=NOON)
    capsys.readouterr()
    cli(("recommend", "--user", "ana", "--json"), standalone_mode=False)
    action = json.loads(capsys.readouterr().out)["action"]
    cli(("feedback", "ignore", "--because", "not-today", "--user", "ana", "--json"), standalone_mode=False)
    told = json.loads(capsys.readouterr().out)
    assert (told["answer"], told["follows"].partition(":")[0]) == ("IGNORE", "no more today")
    assert told["next"]["id"] is None or told["next"]["action"] != action
    assert told["next"].get("reasons") != []
    cli(("plan", "--user", "ana", "--json"), standalone_mode=False)
    plan = json.loads(capsys.readouterr().out)["blocks"]
    assert action not in [one["action"] for one in plan if one["kind"] == "suggested"]
    for wrong in (("accept", "--because", "never"), ("ignore", "--because", "purple", "--id", str(told["id"]))):
        with pytest.raises(BridgeError, match="bridge feedback ignore --because not-today"):
            cli(("feedback", *wrong, "--user", "ana"), standalone_mode=False)


def test_a_holiday_of_next_week_does_nothing_until_it_begins(run: Run) -> None:
    planned = {"mode": "holiday", "since": "2026-11-25", "until": "2026-11-28"}
    assert run("holiday", "--from", "2026-11-25", "--until", "2026-11-28") == (0, {**NORMAL, "planned": [planned]})
    assert run(day=24)[1]["mode"] == "normal"
    assert run(day=25) == (0, {**NORMAL, **planned})
    assert run(day=29) == (0, NORMAL)
    with installation.open_bridge() as bridge:
        ana = bridge.store.people.user("ana")
        person = load_person(bridge, ana, now=NOON)
        days = [person.mode.on(NOON.date() + timedelta(days=k)) for k in range(10)]
    assert days == ["normal"] * 5 + ["holiday"] * 4 + ["normal"]


@pytest.mark.parametrize("undone", [("normal",), ("normal", "--from", "2026-11-25", "--until", "2026-11-28")])
def test_a_planned_mode_is_taken_back_by_one_command(run: Run, undone: tuple[str, ...]) -> None:
    run("holiday", "--from", "2026-11-25", "--until", "2026-11-28")
    assert run(*undone) == (0, NORMAL)
    assert run(day=26) == (0, NORMAL)


def test_a_mode_of_today_leaves_what_is_planned(run: Run) -> None:
    run("holiday", "--from", "2026-11-22", "--until", "2026-11-28")
    assert run("ill")[1]["mode"] == "ill"
    assert [run(day=one)[1]["mode"] for one in (21, 22, 23, 28)] == ["ill", "ill", "holiday", "holiday"]
    run("normal")
    assert [run(day=one)[1]["mode"] for one in (20, 22)] == ["normal", "holiday"]
    assert run("away", "--from", "2026-11-24", "--until", "2026-11-25", day=22)[0] == 0
    assert [run(day=one)[1]["mode"] for one in (23, 24, 25, 26)] == ["holiday", "away", "away", "normal"]
    assert run("normal", "--from", "2026-11-23", day=22)[1]["until"] == "2026-11-22"


def test_a_planned_mode_is_not_noticed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("holiday", "--from", "2026-11-23", "--until", "2026-12-04")
    with installation.open_bridge() as bridge:
        ana = bridge.store.people.user("ana")
        person = load_person(bridge, ana, now=NOON)
    week = {NOON.date() + timedelta(days=k) for k in range(14)}
    routine = replace(person.routine, work=(((480.0, 960.0),),) * 5 + ((), ()), work_known=True)
    monkeypatch.setattr(modes, "free_days", lambda _: week)
    known = replace(person, routine=routine)
    assert [kind for kind, _ in modes.noticed(replace(known, mode=Mode()))] == [ModeKind.HOLIDAY]
    assert modes.noticed(known) == []
