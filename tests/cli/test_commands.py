"""Commands on a person with live vendors: JSON contracts, exit codes, and sentences that name the next command."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import typer

from bridge.cli import MODULES, ByName, app, exit_code, options
from bridge.domain.errors import BridgeError, NeedsLogin, SetupError, TryLater
from lab.people.demo import stage

Run = Callable[..., Any]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """Run a command; returns (exit code, what it printed: parsed when ``--json`` was asked for)."""

    def command(*arguments: str) -> tuple[int, Any]:
        capsys.readouterr()
        try:
            code = app(arguments, standalone_mode=False) or 0
        except BridgeError as error:
            return exit_code(error), str(error)
        except typer.Exit as left:
            code = left.exit_code
        printed = capsys.readouterr().out
        return code, json.loads(printed) if "--json" in arguments else printed

    return command  # type: ignore[return-value]


def test_the_module_that_is_imported_for_a_command_adds_it() -> None:
    ByName.found.helps()  # imports all
    found = {
        info.name or info.callback.__name__: info.callback.__module__ for info in options.commands.registered_commands
    }
    groups = {str(info.name) for info in options.commands.registered_groups}
    named = {name: f"bridge.cli.{module}" for module, names in MODULES.items() for name in names}
    assert found.keys() | groups == named.keys()
    assert {name: named[name] for name in found} == found


def arrive(served: list[str]) -> None:
    """Connect a person everywhere and sync once."""
    with redirect_stdout(StringIO()):
        assert not app(("user", "add", "ana", "--zone", "Europe/Berlin"), standalone_mode=False)
        for source in served:
            assert not app(("connect", source, "--user", "ana"), standalone_mode=False)
        assert not app(("sync", "--user", "ana"), standalone_mode=False)


@pytest.fixture(scope="module")
def synced() -> Iterator[dict[str, str]]:
    """The variables of an installation with a person who is connected everywhere and synced once."""
    with stage(seed=3, days=35) as (served, _):
        arrive(served)
        yield {name: value for name, value in os.environ.items() if name.startswith("BRIDGE_")}


@pytest.fixture
def ana(run: Run, synced: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """``run`` with a copy of that installation, whose vendors are the same."""
    home = shutil.copytree(synced["BRIDGE_HOME"], tmp_path / "copy")
    own = {"BRIDGE_HOME": str(home), "BRIDGE_DATABASE": f"sqlite:///{home}/bridge.db"}
    for name, value in {**synced, **own}.items():
        monkeypatch.setenv(name, value)
    return run


@pytest.fixture
def free(ana: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """``ana`` at 11:50, when the morning's entry is over."""
    now = datetime.fromisoformat(os.environ["BRIDGE_NOW"]) + timedelta(minutes=105)
    monkeypatch.setenv("BRIDGE_NOW", now.isoformat())
    return ana


@pytest.fixture
def alone(run: Run) -> Iterator[Run]:
    """The same with vendors of its own, for what changes them."""
    with stage(seed=3, days=35) as (served, _):
        arrive(served)
        yield run


def test_sync_prints_an_array_with_the_promised_keys(ana: Run) -> None:
    code, rows = ana("sync", "--user", "ana", "--json")
    assert code == 0
    promised = {"source", "connection", "outcome", "new", "updated", "unchanged", "set_aside"}
    assert rows
    assert all(promised <= set(row) for row in rows)
    code, rows = ana("sync", "--user", "ana", "--source", "whoop", "--json")
    assert [row["source"] for row in rows] == ["whoop"]


def test_a_policy_that_is_named_too_late_is_said_not_to_be_asked(free: Run) -> None:
    """The slot's recommendation stays: it may have been seen or answered."""
    _, first = free("recommend", "--user", "ana", "--json")
    _, same = free("recommend", "--user", "ana", "--policy", "adaptive", "--json")
    assert same == {**first, "not_asked": None}
    _, other = free("recommend", "--user", "ana", "--policy", "heuristic", "--json")
    assert other.pop("not_asked").startswith("heuristic was not asked")
    assert other == first
    _, said = free("recommend", "--user", "ana", "--policy", "heuristic")
    assert "heuristic was not asked: this slot has its recommendation already, from adaptive" in said
    assert first["action"] in said


def test_one_recommendation_per_slot_and_the_answer_comes_back(free: Run) -> None:
    _, first = free("recommend", "--user", "ana", "--json")
    _, again = free("recommend", "--user", "ana", "--json")
    assert first["id"] == again["id"]
    assert first["answer"] is None
    code, answered = free(
        "feedback", "reschedule", "--user", "ana", "--id", str(first["id"]), "--to", "Thu evening", "--json"
    )
    assert (code, answered["answer"], answered["moved_to"]["slot"]) == (0, "RESCHEDULE", 2)
    _, seen = free("observe", "--user", "ana", "--json")
    assert seen["reward"] == -1.0
    assert [(i["recommended"], i["answer"]) for i in seen["history"]] == [(first["action"], "RESCHEDULE")]
    free("feedback", "accept", "--user", "ana", "--id", str(first["id"]))
    _, seen = free("observe", "--user", "ana", "--json")
    assert (seen["reward"], len(seen["history"])) == (1.0, 1)


def advised(run: Run) -> dict[str, Any]:
    """The recommendation of a new user, whose goals speak for it."""
    run("user", "add", "eve", "--zone", "UTC")
    run("checkin", "3", "--user", "eve")
    run("wish", "--user", "eve", "--goal", "MEDITATE 7", "--goal", "EXERCISE 3")
    _, advice = run("recommend", "--user", "eve", "--json")
    assert isinstance(advice, dict)
    return advice


def test_putting_off_without_a_time_offers_three_and_takes_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T09:00:00+00:00")
    advice = advised(run)
    answer = ("feedback", "reschedule", "--user", "eve", "--id", str(advice["id"]))
    _, body = run(*answer, "--json")
    assert (body["answer"], body["moved_to"]) == ("RESCHEDULE", None)
    assert len(body["offers"]) == 3
    _, said = run(*answer)
    for offer in body["offers"]:
        assert f'{offer["when"]}: bridge {" ".join(answer)} --to "{offer["slot"]}"' in said
    second = body["offers"][1]
    _, taken = run(*answer, "--to", second["slot"], "--json")
    assert (taken["start"], taken["end"]) == (second["start"], second["end"])
    assert "offers" not in taken
    _, plan = run("plan", "--user", "eve", "--date", second["start"][:10], "--json")
    assert advice["id"] in [block["recommendation_id"] for block in plan["blocks"] if block["start"] == second["start"]]
    _, accepted = run("feedback", "accept", "--user", "eve", "--id", str(advice["id"]), "--json")
    assert "offers" not in accepted


def test_at_a_terminal_the_time_is_chosen_by_its_number(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T09:00:00+00:00")
    advice = advised(run)
    answer = ("feedback", "reschedule", "--user", "eve", "--id", str(advice["id"]))
    offers = run(*answer, "--json")[1]["offers"]
    for chosen, wanted in ((2, offers[1]["start"]), (0, None)):
        monkeypatch.setattr("sys.stdin", Terminal(f"{chosen}\n"))
        _, said = run(*answer)
        assert f"2  {offers[1]['when']}" in said
        _, (kept,) = run("history", "--user", "eve", "--json")
        assert (kept["start"] == wanted) is (wanted is not None)


class Terminal(StringIO):
    """Lines to type at a terminal."""

    def isatty(self) -> bool:
        return True


def test_shown_and_not_done_counts_as_ignored_once_it_is_over(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T09:00:00+00:00")
    advice = advised(run)
    assert advice["kind"] == "suggested"
    run("feedback", "not_done", "--user", "eve", "--id", str(advice["id"]))
    _, seen = run("observe", "--user", "eve", "--json")
    assert seen["history"] == []
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T13:00:00+00:00")
    _, seen = run("observe", "--user", "eve", "--json")
    assert [i["answer"] for i in seen["history"]] == ["IGNORE"]
    assert seen["step_history"][-1]["answer"] == "IGNORE"


def test_what_was_not_known_then_is_not_shown(ana: Run) -> None:
    _, before = ana("observe", "--user", "ana", "--at", "2020-01-01T10:00:00+01:00", "--json")
    assert all(state["coverage"] == 0 for state in before["meters"].values())
    assert before["meters"]["VITALITY"]["level"] == 0.7


def test_rebuild_and_status(ana: Run) -> None:
    _, before = ana("status", "--user", "ana", "--json")
    code, rows = ana("rebuild", "--user", "ana", "--json")
    assert code == 0
    assert sum(row["records"] for row in rows) > 300
    _, after = ana("status", "--user", "ana", "--json")
    assert after == before
    assert all(row["next"] == "" for row in after)
    assert {row["newest_day"] is not None for row in after if row["source"] == "whoop"} == {True}


def test_doctor_is_content(ana: Run) -> None:
    code, findings = ana("doctor", "--json")
    assert code == 0, findings
    assert all(finding["ok"] for finding in findings)


def test_a_dead_consent_is_exit_three_and_names_the_command(alone: Run) -> None:
    from bridge import installation as composition
    from bridge.store import Store

    settings = composition.config.load()
    store = Store(settings.database)
    user = store.people.user("ana")
    whoop = next(c for c in store.connections.of_user(user.id) if c.source == "whoop")
    vault = composition.open_vault(settings.key, settings.folder)
    token = vault.unseal(store.connections.secret(whoop.id) or b"")
    store.connections.save_secret(whoop.id, vault.seal({**token, "access_token": "gone", "refresh_token": "gone"}))
    store.close()
    code, rows = alone("sync", "--user", "ana", "--json")
    assert code == 3
    outcomes = {row["source"]: row["outcome"] for row in rows}
    assert outcomes.pop("whoop") == "needs_login"
    assert set(outcomes.values()) == {"ok"}
    _, status = alone("status", "--user", "ana", "--json")
    assert {row["source"]: row["next"] for row in status}["whoop"] == "bridge connect whoop --user ana"
    assert alone("doctor", "--json")[0] == 1
    assert alone("connect", "whoop", "--user", "ana")[0] == 0
    assert alone("sync", "--user", "ana")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("sync", "--user", "nobody"), "bridge user add"),
        (("observe", "--user", "nobody"), "bridge user add"),
        (("user", "add", "x", "--zone", "Mars/Olympus"), "zone"),
        (("user", "add", "a b", "--zone", "UTC"), "name"),
        (("connect", "fitbit9000", "--user", "eve"), "bridge sources"),
        (("sync", "--user", "eve"), "bridge connect"),
        (("connect", "health_auto_export", "--user", "eve", "--push", "--folder", "."), "give at most one of them"),
        (("connect", "google_calendar", "--user", "eve", "--push", "--write"), "give at most one of them"),
        (("connect", "ics", "--user", "eve", "--folder", ".", "--write"), "give at most one of them"),
        (("import", "no-such-file.zip", "--user", "eve"), "no file"),
        (("feedback", "maybe", "--user", "eve"), "accept"),
        (("feedback", "accept", "--user", "eve"), "bridge recommend"),
        (("observe", "--user", "eve", "--at", "yesterday"), "instant"),
        (("observe", "--user", "eve", "--at", "2026-11-20T10:00:00"), "offset"),
    ],
)
def test_mistakes_get_a_sentence_and_exit_two(run: Run, arguments: tuple[str, ...], named: str) -> None:
    run("user", "add", "eve", "--zone", "UTC")
    code, said = run(*arguments)
    assert code == 2
    assert named in said


def test_more_days_than_there_are_is_a_mistake_of_the_line(run: Run) -> None:
    with pytest.raises(typer.BadParameter, match="3660"):
        run("days", "--user", "eve", "--last", "999999")


def test_whoever_moved_earlier_is_told_when(run: Run) -> None:
    added = run("user", "add", "eve", "--zone", "UTC")[1]
    assert "Next: bridge import EXPORT --user eve, or bridge connect SOURCE --user eve" in added
    assert run("user", "zone", "eve", "Europe/Lisbon") == (0, "eve lives in Europe/Lisbon from now on.\n")
    since = "2026-01-01T00:00:00+00:00"
    assert since in run("user", "zone", "eve", "Europe/Lisbon", "--since", since)[1]


def test_what_leaves_this_machine_is_said_before_anybody_agrees(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    run("user", "add", "eve", "--zone", "UTC")
    for write in ((), ("--write",)):
        assert run("connect", "google_calendar", "--user", "eve", *write)[0] == 2  # no client is set up
        said = " ".join(capsys.readouterr().err.split())  # its lines are wrapped
        assert "read: events" in said
        assert ("write advice you accept" in said) is bool(write)


def test_an_empty_person_gets_normal_meters_and_the_way_to_begin(run: Run) -> None:
    run("user", "add", "eve", "--zone", "Asia/Tokyo")
    code, seen = run("observe", "--user", "eve", "--json")
    assert code == 0
    levels = {name: (state["level"], state["coverage"]) for name, state in seen["meters"].items() if name != "PROGRESS"}
    assert set(levels.values()) == {(0.7, 0.0)}
    for policy in ("random", "heuristic"):
        code, said = run("recommend", "--user", "eve", "--policy", policy, "--json")
        assert (code, said["id"], said["action"], said["kind"]) == (0, None, None, None)
        assert said["reasons"] == ["nothing is known of you yet; begin: bridge import FILE --user eve"]


def test_the_table_shows_what_the_model_sees_and_nothing_where_nothing_is_known(run: Run) -> None:
    run("user", "add", "eve", "--zone", "Asia/Tokyo")
    run("checkin", "5", "--user", "eve")
    _, seen = run("observe", "--user", "eve", "--json")
    lines = run("observe", "--user", "eve")[1].splitlines()
    vitality = seen["meters"]["VITALITY"]
    assert seen["readings"]["PROGRESS"]["coverage"] > 0 == seen["meters"]["PROGRESS"]["coverage"]
    assert any("Progress *" in line and "not known" in line for line in lines)
    assert any("Vitality" in line and f"{vitality['level']:.2f} ± {vitality['sd']:.2f}" in line for line in lines)


def test_every_error_has_its_code() -> None:
    assert [exit_code(e) for e in (NeedsLogin("x"), SetupError("x"), TryLater("x"))] == [3, 2, 1]
