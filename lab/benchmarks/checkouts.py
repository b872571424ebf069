"""Compare two checkouts at the same commands and files (``python -m lab.benchmarks.checkouts OLD NEW FILE...``).

Each checkout imports the files into a database of its own and answers the reading commands. The checkouts take turns,
so that other work on the machine slows both. The figures are CPU seconds of the whole process, start included.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

from lab.benchmarks.timing import RUNS

ROUNDS = RUNS + 2
BEGIN = ("user", "add", "ana", "--zone", "Europe/Berlin")
READING = (
    ("--help",),
    ("status", "--user", "ana"),
    ("today", "--user", "ana"),
    ("calendar", "--user", "ana"),
    ("observe", "--user", "ana"),
    ("days", "--user", "ana"),
    ("explain", "--meter", "serenity", "--user", "ana"),
    ("classify", "Dinner with Sam"),
)


def main() -> None:
    """Print a table of both checkouts, in CPU seconds, with the ratio of the new one to the old one."""
    old, new, *files = (Path(argument).resolve() for argument in sys.argv[1:])
    taken: dict[tuple[str, ...], tuple[list[float], list[float]]] = {}
    for number in range(ROUNDS):
        print(f"round {number + 1} of {ROUNDS}", file=sys.stderr, flush=True)
        for which, checkout in enumerate((old, new)):
            for command, seconds in lived(checkout, files):
                taken.setdefault(command, ([], []))[which].append(seconds)
    print(f"{'command':40} {'old s':>8} {'new s':>8} {'ratio':>6}")
    for command, (before, after) in taken.items():
        line = f"{' '.join(command)[:40]:40} {median(before):8.3f} {median(after):8.3f}"
        print(f"{line} {median(after) / median(before):6.2f}")


def lived(checkout: Path, files: Sequence[Path]) -> Iterator[tuple[tuple[str, ...], float]]:
    """Yield each command with its CPU seconds, in a new home."""
    with tempfile.TemporaryDirectory() as home:
        variables = {**os.environ, "BRIDGE_HOME": home, "BRIDGE_DATABASE": f"sqlite:///{home}/bridge.db"}
        variables["PYTHONPATH"] = str(checkout)
        cpu_seconds(BEGIN, variables, home)
        for file in files:
            for title in (("import", file.name), ("import", file.name, "again")):
                yield title, cpu_seconds(("import", str(file), "--user", "ana"), variables, home)
        for command in READING:
            yield command, cpu_seconds(command, variables, home)


def cpu_seconds(command: Sequence[str], variables: Mapping[str, str], folder: str) -> float:
    """Run a command and return its CPU seconds. Raises RuntimeError where it fails."""
    arguments = [sys.executable, "-m", "bridge", *command]
    before = os.times()
    done = subprocess.run(arguments, env=variables, cwd=folder, capture_output=True, check=False)  # noqa: S603
    after = os.times()
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.decode()[-300:]}")
    return (after.children_user - before.children_user) + (after.children_system - before.children_system)


if __name__ == "__main__":
    main()
