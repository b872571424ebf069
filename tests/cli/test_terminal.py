"""The terminal: whole words, whole commands, names in any script, and settings that are named when they are wrong."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from bridge import __version__
from bridge.cli import GROUPS, MODULES
from tests.commands import bridge

ROOT = Path(__file__).parents[2]


def words(text: str) -> set[str]:
    return set(re.sub(r"[│┃┏┳┓┡╇┩└┴┘━─]", " ", text).split())


@pytest.mark.parametrize("columns", [40, 60, 80, 110])
def test_no_word_is_broken_and_no_command_is_split(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    bridge("user", "add", "a-person-with-a-rather-long-name")
    found = json.loads(bridge("doctor", "--json").stdout)
    monkeypatch.setenv("COLUMNS", str(columns))
    printed = bridge("doctor").stdout
    assert {word for row in found for word in row["finding"].split()} <= words(printed)
    assert all(row["next"] in printed for row in found)
    whole = [word for row in found for word in (row["next"], *row["finding"].split())]
    longest = max(map(len, whole)) + len("finding  ")
    assert max(map(len, printed.splitlines())) <= max(columns, longest)


def test_the_only_user_need_not_be_named() -> None:
    none = bridge("meters")
    assert (none.returncode, "bridge user add NAME" in none.stderr) == (2, True)
    bridge("user", "add", "ana", "--zone", "Europe/Berlin")
    for command in ("status", "meters", "history", "plan", "sync"):
        mine, named = bridge(command), bridge(command, "--user", "ana")
        assert (mine.returncode, mine.stdout) == (named.returncode, named.stdout), command
    bridge("user", "add", "ben")
    several = bridge("history")
    assert several.returncode == 2
    assert "ana, ben" in several.stderr
    assert "--user NAME" in several.stderr


def test_nobody_is_forgotten_without_a_name() -> None:
    bridge("user", "add", "ana")
    assert bridge("forget", "--yes").returncode == 2
    assert [user["name"] for user in json.loads(bridge("user", "list", "--json").stdout)] == ["ana"]


@pytest.mark.parametrize("name", ["Зоя", "美咲", "हिन्दी", "José", "עמית"])
def test_names_of_any_script(name: str) -> None:
    assert bridge("user", "add", name).returncode == 0
    assert bridge("history", "--user", name).returncode == 0
    (added,) = json.loads(bridge("user", "list", "--json").stdout)
    assert added["name"] == name


def test_a_letter_and_its_accent_are_one_name() -> None:
    bridge("user", "add", "Jose\u0301")
    assert bridge("history", "--user", "Jos\u00e9").returncode == 0
    assert bridge("user", "add", "Jos\u00e9").returncode == 2


@pytest.mark.parametrize("name", ["two words", "a/b", "", "x" * 65, "‮evil", "a\nb"])
def test_what_is_no_name(name: str) -> None:
    assert bridge("user", "add", name).returncode == 2


def test_the_version() -> None:
    done = bridge("--version")
    assert (done.returncode, done.stdout) == (0, f"rhythm-bridge {__version__}\n")


def test_the_help_shows_every_command_of_the_product_in_a_group() -> None:
    printed = bridge("--help").stdout
    assert all(f"{title}:" in printed for title in GROUPS)
    own = {name for names in MODULES.values() for name in names}
    assert own == {name for names in GROUPS.values() for name in names}
    documented = tomllib.loads((ROOT / "docs/reference/texts.toml").read_text())["groups"]
    assert own <= {name.split()[0] for names in documented.values() for name in names}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_the_commands(shell: str) -> None:
    variables = {"_BRIDGE_COMPLETE": f"complete_{shell}", "COMP_WORDS": "bridge rec", "COMP_CWORD": "1"}
    variables |= {"_TYPER_COMPLETE_ARGS": "bridge rec", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    code = "import sys; sys.argv = ['bridge']; from bridge.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | variables, capture_output=True, text=True, timeout=60
    )
    assert "recommend" in done.stdout
    assert "sync" not in done.stdout


@pytest.mark.parametrize(
    ("variable", "near"),
    [
        ("BRIDGE_POLCY", "BRIDGE_POLICY"),
        ("BRIDGE_DATABSE", "BRIDGE_DATABASE"),
        ("BRIDGE_WHOOP_CLIENT_IDS", "BRIDGE_WHOOP_CLIENT_ID"),
        ("BRIDGE_GOOGLE_CLIENTID", "BRIDGE_GOOGLE_CLIENT_ID"),
        ("BRIDGE_LLM_ADRESS", "BRIDGE_LLM_ADDRESS"),
    ],
)
def test_a_slip_in_a_variable_is_refused_with_its_name(
    variable: str, near: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "x")
    done = bridge("user", "list")
    assert (done.returncode, f"{variable} is not a setting; did you mean {near}?" in done.stderr) == (2, True), (
        done.stderr
    )
    (finding,) = json.loads(bridge("doctor", "--json").stdout)
    assert (finding["ok"], near in finding["finding"]) == (False, True)


def test_a_variable_of_another_program_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_SOMETHING_ELSE_ENTIRELY", "x")
    assert bridge("user", "list").returncode == 0


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ('polcy = "planner"', "did you mean policy?"),
        ('[whop]\nclient_id = "x"', "did you mean [whoop]?"),
        ('[whoop]\nclient = "x"', "did you mean client_id?"),
        ('[people.ana.ics]\nadresses = "x"', "did you mean addresses?"),
        ('[policy_llm]\nadress = "x"', "did you mean address?"),
    ],
)
def test_a_slip_in_the_settings_file_is_refused_with_its_name(written: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(written)
    done = bridge("user", "list", home=tmp_path)
    assert (done.returncode, told in done.stderr) == (2, True), done.stderr


def test_every_setting_may_stand_in_the_file(tmp_path: Path) -> None:
    settings = '[google]\nclient_id = "x"\n[ics]\naddresses = "a@example.org"\n[people.ana.garmin]\napi_key = "k"\n'
    (tmp_path / "config.toml").write_text(f'policy = "adaptive"\n{settings}[llm]\naddress = "http://localhost:1"\n')
    assert bridge("user", "list", home=tmp_path).returncode == 0


def test_the_doctor_begins_with_faults_and_never_sends_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    bridge("user", "add", "ana", "--zone", "Europe/Berlin")
    assert bridge("doctor").stdout.splitlines()[-1].startswith("1 fault to mend")  # nothing is connected
    monkeypatch.setenv("BRIDGE_EXPLORE", "often")
    monkeypatch.setenv("COLUMNS", "160")
    found = [row for row in json.loads(bridge("doctor", "--json").stdout) if not row["ok"]]
    lines = [line for line in bridge("doctor").stdout.splitlines() if "│ !! │" in line or "│ ok │" in line]
    assert [("!!" in line) for line in lines] == [True] * len(found) + [False] * (len(lines) - len(found))
    assert len(found) == 2
    assert not any("bridge doctor" in row["finding"] for row in found)
    printed = bridge("doctor").stdout
    assert printed.index("nothing is connected") < printed.index("opened and up to date") < printed.index("BRIDGE_OURA")


def test_the_doctor_names_each_source_that_lacks_something(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_OURA_CLIENT_ID", "x")
    found = {row["check"]: row for row in json.loads(bridge("doctor", "--json").stdout)}
    assert found["whoop"]["ok"]
    assert "BRIDGE_WHOOP_CLIENT_ID and BRIDGE_WHOOP_CLIENT_SECRET" in found["whoop"]["finding"]
    assert not found["oura"]["ok"]
    assert "lacks BRIDGE_OURA_CLIENT_SECRET" in found["oura"]["finding"]
    assert "ics" not in found
