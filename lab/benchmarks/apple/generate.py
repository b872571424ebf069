"""Write an Apple Health export of any size, and the true values behind it.

Run ``python -m lab.benchmarks.apple.generate --megabytes 200 --seed 1 --to export.zip [--truth truth.json]``. A name
that ends with ``.xml`` is not packed. ``--days`` gives a length instead of a size.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

from lab.people.apple import Plan, Truth, write, write_zip

PROBE = 60  # days that a size is reckoned from


def of_size(megabytes: float, plan: Plan) -> Plan:
    """Return the plan with as many days as make an XML file of ``megabytes`` (10**6 bytes). The last day stays."""
    probe = write(replace(plan, days=PROBE), lambda _: None)
    return replace(plan, days=max(round(megabytes * 1e6 / probe.size * PROBE), 2))


def generate(plan: Plan, place: Path) -> Truth:
    """Write an export to ``place``, as plain XML if the name ends with ``.xml``, else as a zip."""
    if place.suffix == ".xml":
        with place.open("wb") as file:
            return write(plan, file.write)
    return write_zip(plan, place)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float)
    parser.add_argument("--days", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--truth", type=Path)
    parser.add_argument("--american", action="store_true", help="miles, Fahrenheit and a 12-hour clock")
    chosen = parser.parse_args()
    plan = Plan(seed=chosen.seed, days=chosen.days, american=chosen.american)
    if chosen.megabytes:
        plan = of_size(chosen.megabytes, plan)
    truth = generate(plan, chosen.to)
    if chosen.truth:
        chosen.truth.write_text(json.dumps(truth.as_json(), indent=1))
    print(f"{truth.size / 1e6:.1f} MB, {plan.days} days, {truth.rows}")


if __name__ == "__main__":
    main()
