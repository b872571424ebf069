"""The README's commands are run, every command is in the README, and make targets exist."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from bridge.cli import app
from bridge.lab.demo import stage

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def commands(text: str) -> list[list[str]]:
    return [shlex.split(line[2:]) for line in text.splitlines() if line.startswith("$ ")]


@pytest.mark.timeout(300)
def test_the_commands_of_the_readme_run(monkeypatch: pytest.MonkeyPatch) -> None:
    block = README.split("<!-- run -->")[1].split("<!-- /run -->")[0]
    found = commands(block)
    assert len(found) >= 10
    with stage(seed=5) as (_, downloads):
        monkeypatch.chdir(Path(downloads[0]).parent)
        for command in found:
            assert command[0] == "bridge"
            code = app(command[1:], standalone_mode=False)
            assert not code, command


def test_every_command_is_in_the_readme() -> None:
    for name in named(typer.main.get_command(app)):
        assert re.search(rf"`?bridge {name}\b", README), name


def named(group: Any, before: str = "") -> Iterator[str]:
    """Commands with their subcommands; those of ``llm`` are steps, which stand beside it."""
    for name, command in group.commands.items():
        yield before + name
        if name != "llm":
            yield from named(command, f"{before}{name} ") if hasattr(command, "commands") else ()


def test_make_targets_of_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = {command[1] for command in commands(README) if command[0] == "make"}
    assert targets >= {"demo", "test"}
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_project_speaks_of_itself_alone() -> None:
    slip = re.compile("|".join(f"/{folder}/" for folder in ("work", "tmp")))
    for path in ROOT.rglob("*"):
        if path.suffix not in {".py", ".md", ".toml", ".json", ".txt", ".csv"} or path == Path(__file__):
            continue
        if any(part.startswith(".") for part in path.relative_to(ROOT).parts):
            continue
        assert not slip.search(path.read_text(encoding="utf-8", errors="replace")), path
