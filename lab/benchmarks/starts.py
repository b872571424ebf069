"""Measure short commands, whose time is mostly the loading of libraries.

This module loads little itself, because Linux counts the memory of the process that starts a command as the command's.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from lab.benchmarks.figures import RUNS, Row, process, run_once, typical

SLOT = timedelta(hours=6)
TABLES = "import argparse, json, sqlite3, sys; print(list(sqlite3.connect(sys.argv[1]).execute('select * from users')))"
BRIDGE = (sys.executable, "-m", "bridge")


def starts(home: Path) -> Iterator[Row]:
    """Time short commands, and yield each with the time of a comparable program or of only loading its libraries."""
    limit, _ = process(sys.executable, "-c", TABLES, str(home / "bridge.db"))
    program = shutil.which("sqlite-utils")
    peer, least = ("sqlite3 and argparse", limit)
    if program is not None:
        peer, least = "sqlite-utils tables", process(program, "tables", str(home / "bridge.db"))[0]
    seconds, memory = process(*BRIDGE, "--help")
    yield Row(work="bridge --help", figure=seconds, unit="s", peer=peer, limit=least, target=0.12, memory=memory)
    without = "SQLAlchemy and Typer", *process(sys.executable, "-c", "import sqlalchemy.dialects.sqlite, typer")
    told = "import sqlalchemy.dialects.sqlite, typer, numpy"
    numeric = "SQLAlchemy, Typer and numpy", *process(sys.executable, "-c", told)
    for command, loaded in (("status", without), ("recommend", without), ("today", numeric)):
        yield from _command(f"bridge {command}", process(*BRIDGE, command, "--user", "ana"), loaded)
    yield from _command("bridge recommend, first of a slot", _new_slots(home), numeric)


def _command(name: str, taken: tuple[float, float], loaded: tuple[str, float, float]) -> Iterator[Row]:
    """Yield the rows of a command's time and memory, each beside those of the libraries ``loaded``."""
    peer, seconds, memory = loaded
    yield Row(work=name, figure=taken[0], unit="s", peer=peer, limit=seconds, target=0.45)
    yield Row(work=f"{name}, memory", figure=taken[1], unit="MB", peer=peer, limit=memory, target=45)


def _new_slots(home: Path) -> tuple[float, float]:
    """Return CPU seconds and memory (MB) of a command that makes a new recommendation in each of several slots."""
    begin = datetime.fromisoformat(os.environ["BRIDGE_NOW"])
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(home, Path(folder) / "home")
        variables = {**os.environ, "BRIDGE_HOME": str(copy), "BRIDGE_DATABASE": f"sqlite:///{copy / 'bridge.db'}"}
        instants = [begin + number * SLOT for number in range(1, RUNS + 1)]
        command = (*BRIDGE, "recommend", "--user", "ana")
        return typical([run_once(command, {**variables, "BRIDGE_NOW": at.isoformat()}) for at in instants])
