"""Print the cost of the product's work beside a peer or limit and the target.

Run ``python -m lab.benchmarks.targets [PART...]``, by default all parts of ``lab.benchmarks.measures``. Figures are
medians of CPU time over at least five runs unless a line says otherwise. Memory is the peak of the process. Each part
and each command is a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from lab.benchmarks.figures import Row
from lab.benchmarks.measures import PARTS
from lab.benchmarks.tenyears import NOW

ROOT = Path(__file__).parents[2]
HEAD = f"{'work':52}{'measured':>12}{'peer or limit':>15}  {'':34}{'target':>12}{'':>6}{'memory':>9}"


def main(parts: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory(prefix="rhythm-bridge-bench-") as folder:
        variables = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": f"{folder}/bytecode"}
        variables.pop("PYTHONDONTWRITEBYTECODE", None)
        home = Path(folder) / "home"
        variables |= {"BRIDGE_NOW": NOW.isoformat(), "BRIDGE_HOME": str(home), "OPENBLAS_NUM_THREADS": "1"}
        variables["BRIDGE_DATABASE"] = f"sqlite:///{home / 'bridge.db'}"
        of_the_person = "from pathlib import Path; from lab.benchmarks import wearer; import sys;"
        subprocess.run(  # noqa: S603 - our own code
            [sys.executable, "-c", f"{of_the_person} wearer.make(Path(sys.argv[1]))", str(home)],
            env=variables,
            check=True,
        )
        print(HEAD, flush=True)
        for part in parts or PARTS:
            for row in measured(part, home, variables):
                print(line(row), flush=True)


def measured(part: str, home: Path, variables: Mapping[str, str]) -> list[Row]:
    """Return the rows of a part, measured in a process of its own, or a row with the unit "failed"."""
    command = [sys.executable, "-m", "lab.benchmarks.measures", part, str(home)]
    with subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        said = process.communicate()[0]
    if process.returncode != 0:
        return [Row(work=part, figure=float("nan"), unit="failed")]
    return [Row(**row) for row in json.loads(said.splitlines()[-1])]


def line(row: Row) -> str:
    """Return a row of the table.

    >>> line(Row(work="a", figure=1.5, unit="ms", peer="raw", limit=1.0, target=2.0, memory=40.0)).split()
    ['a', '1.50', 'ms', '1.00', 'ms', 'raw', '<=', '2.00', 'ms', 'holds', '40', 'MB']
    """
    limit = "" if row.limit is None else _with_unit(row.limit, row.unit)
    target, verdict = "", ""
    if row.target is not None:
        target = f"{'>=' if row.at_least else '<='} {_with_unit(row.target, row.unit)}"
        verdict = "holds" if (row.figure >= row.target) is row.at_least or row.figure == row.target else "misses"
    memory = "" if row.memory is None else f"{row.memory:.0f} MB"
    measured = _with_unit(row.figure, row.unit)
    return f"{row.work:52}{measured:>12}{limit:>15}  {row.peer:34}{target:>12}{verdict:>8}{memory:>9}"


def _with_unit(figure: float, unit: str) -> str:
    digits = 0 if figure >= 100 else 1 if figure >= 10 else 2
    return f"{figure:.{digits}f} {unit}"


if __name__ == "__main__":
    main(sys.argv[1:])
