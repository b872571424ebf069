"""Measure the worth of a user's prior in simulated lives. Run ``python -m lab.benchmarks.personal [LIVES]``.

See ``lab.evaluation.context`` for the three ways that are compared. A life takes five seconds of a core.
"""

from __future__ import annotations

import os
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")

from lab.cli.figures import give_or_take
from lab.evaluation.context import compare
from policies.planner import Planner

LIVES = 100


def main(lives: int) -> None:
    found = compare(Planner, lives, on_step=_told)
    print("| answers heard | accepted | mean level |")
    print("|---|---|---|")
    for row in found["arms"]:
        print(f"| {row['arm']} | {give_or_take(row['accepted'])} | {give_or_take(row['mean_level'])} |")
    gain = found["gain"]
    print(f"| the last less the first | {give_or_take(gain['accepted'])} | {give_or_take(gain['mean_level'])} |")


def _told(done: int, of: int) -> None:
    print(f"\r{done} of {of} lives", end="\n" if done == of else "", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else LIVES)
