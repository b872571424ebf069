"""Commands, options and JSON keys that scripts rely on stay. ``contracts_kept.toml`` lists them; additions pass."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from bridge.cli import app

ROOT = Path(__file__).parents[1]
KEPT = tomllib.loads((ROOT / "tests" / "contracts_kept.toml").read_text(encoding="utf-8"))


def commands(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every command with its full name. A group that runs by itself is a command too."""
    for name, command in group.commands.items():
        below = hasattr(command, "commands")
        if not below or command.invoke_without_command:
            yield before + name, command
        if below:
            yield from commands(command, f"{before}{name} ")


def arguments(command: Any) -> list[str]:
    return [one.opts[0] for one in command.params if one.param_type_name == "argument"]


def options(command: Any) -> set[str]:
    return {spelling for one in command.params for spelling in (*one.opts, *one.secondary_opts)}


def documented_keys() -> dict[str, set[str]]:
    """Return the JSON keys of each command in the reference, which a test compares with the program."""
    text = (ROOT / "docs/reference/json.md").read_text(encoding="utf-8")
    sections = re.split(r"^## `bridge (.+) --json`$", text, flags=re.MULTILINE)[1:]
    rows = zip(sections[::2], sections[1::2], strict=True)
    return {name: set(re.findall(r"^\| `([^`]+)` \|", body, re.MULTILINE)) for name, body in rows}


def lost(kept: Mapping[str, list[str]], present: Mapping[str, set[str]]) -> list[str]:
    """Return what is kept and no longer present, as lines of a command and a name."""
    return [f"{name}: {one}" for name, wanted in kept.items() for one in wanted if one not in present.get(name, set())]


def test_every_command_and_option_is_kept() -> None:
    found = dict(commands(get_command(app)))
    assert not set(KEPT["options"]) - set(found)
    assert not lost(KEPT["options"], {name: options(command) for name, command in found.items()})
    assert {name: arguments(found[name])[: len(kept)] for name, kept in KEPT["arguments"].items()} == KEPT["arguments"]


def test_every_json_key_is_kept() -> None:
    assert not lost(KEPT["json"], documented_keys())


@pytest.mark.parametrize("part", ["options", "json"])
def test_a_loss_is_seen(part: str) -> None:
    whole = {name: set(kept) for name, kept in KEPT[part].items()}
    name = max(whole, key=lambda one: len(whole[one]))
    gone = min(whole[name])
    assert lost(KEPT[part], whole | {name: whole[name] - {gone}}) == [f"{name}: {gone}"]
