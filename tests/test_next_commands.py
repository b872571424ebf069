"""Texts that name the next command name one that is taken: with whom it is for."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from typer.main import get_command

from bridge.cli import app

ROOT = Path(__file__).parents[1]
FOLDERS = ("bridge", "connectors", "classifiers", "policies")


def test_every_command_that_is_named_says_for_whom() -> None:
    commands: Any = get_command(app)
    needing = [
        name
        for name, command in commands.commands.items()
        if any("--user" in option.opts and (option.required or callable(option.default)) for option in command.params)
    ]
    named = re.compile(rf"(?:[:=] f?\"?|see:? |then:? |or:? )(bridge (?:{'|'.join(needing)})\b(?!:)[^\"`]*)")
    found = [
        (file.name, part)
        for folder in FOLDERS
        for file in (ROOT / folder).rglob("*.py")
        for part in named.findall(file.read_text(encoding="utf-8"))
    ]
    assert len(found) > 30
    assert [one for one in found if "--user" not in one[1]] == []
