"""Print every figure of ``docs/evidence.md`` (``make evidence``, or ``python -m lab.evidence --samples FOLDER``).

Figures are stored in ``docs/evidence.json``. Those of data in the folder are computed again. Those of simulations are
stored by seed, and a random tenth of them is computed again. ``--write COMMIT`` renews the file and the page.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from bridge import registry
from bridge.domain.records import ProxyMap
from bridge.meters import proxy
from lab.cli.figures import ends as ends_of
from lab.evaluation.grades import play_by_name
from lab.marked_documents import put
from lab.validation import diary, diary_ranks, ranks, validate
from rhythm_env.interface import Meter

DOCS = Path(__file__).parents[1] / "docs"
FILE, PAGE = DOCS / "evidence.json", DOCS / "evidence.md"
SEED = 47
TENTH = 10
WEEKS = 200  # of the simulator, each a person of a seed
POLICIES = ("planner", "planner-no-inference", "heuristic", "random")
COMMAND = "bridge validate-meters"
# The map as it was, by the rows that diaries changed.
BEFORE: Mapping[Meter, Mapping[str, Mapping[str, float]]] = {
    Meter.COGNITION: {"workday": {"weight": 0.0}, "calendar": {"weight": 0.6}},
    Meter.CONNECTION: {"company_now": {"weight": 0.0}, "company": {"weight": 1.0}},
}
DAYS = (
    ("Vitality", "composite"),
    ("Vitality + check-in every 7 days", "composite"),
    ("Vitality + check-in every 3 days", "composite"),
    ("Vitality + daily check-in", "composite"),
    ("vendor sleep score", "composite"),
    ("Vitality - vendor sleep score", "composite"),
    ("Vitality - raw sleep hours", "composite"),
    ("Serenity", "calm"),
    ("Serenity", "valence"),
    ("yesterday's own report", "composite"),
)
PROMPTS = (
    (Meter.COGNITION, "energy"),
    (Meter.COGNITION, "vigour"),
    (Meter.SERENITY, "calm"),
    (Meter.CONNECTION, "mood"),
)

CHOSEN, ELSEWHERE = (": less what it was", "that chose"), "Connection"  # company now was chosen by others' cohort

Figure = dict[str, Any]


def computed(samples: Path) -> Iterator[Figure]:
    """Yield the figures computed from the data in a folder. Data sets that are missing give none."""
    yield from _days(samples)
    for one in diary.found(samples):
        yield from of_diary(one)


def of_diary(one: diary.Diary) -> Iterator[Figure]:
    """Return the figures of a diary, which are correlations for one study and the decay of answers for others."""
    return _prompts(one) if one.name.startswith("menghini") else _memory(one)


def _days(samples: Path) -> Iterator[Figure]:
    for result in validate(samples, None, lambda _name: lambda _done, _total: None):
        rows = {(row["predictor"], row["target"]): row for row in result.rows}
        wanted = DAYS if result.name == "LifeSnaps" else (("HRV z + HR z", "how_feel"), ("previous answer", "how_feel"))
        for name, target in wanted:
            if (row := rows.get((name, target))) is not None:
                command = f"{COMMAND} --data FOLDER"
                yield _figure(f"{name}, {target}", result.name, (row["mean"], row["ci95"], row["persons"]), command)


def _prompts(one: diary.Diary) -> Iterator[Figure]:
    now, was = ({who: _person(p, m) for who, p in one.people.items()} for m in (proxy.shipped(), before()))
    for meter, report in PROMPTS:
        row = diary_ranks.row(list(now.values()), meter, report)
        name, command = f"{meter.title()}, {report}", f"{COMMAND} --diary TABLE"
        yield _figure(name, one.name, (row["mean"], row["interval"], row["persons"]), command)
        hour = row["minus_hour"]
        less = (hour["mean"], hour["interval"], hour["persons"])
        yield _figure(f"{name}: less the hour alone", one.name, less, command)
        if meter in BEFORE:
            yield _gain(f"{name}: less what it was", one.name, now, was, (meter, report))


def before() -> ProxyMap:
    """Return the shipped map of inputs with the weights that were used before diaries were looked at."""
    changes = {str(meter): rows for meter, rows in BEFORE.items()}
    return proxy.with_changes(changes, Path(proxy.OVERRIDES))


def _person(prompts: Sequence[diary.Prompt], proxies: ProxyMap) -> diary_ranks.Person:
    return diary_ranks.Person(prompts=prompts, levels=diary.levels(prompts, proxies))


def _gain(
    name: str,
    cohort: str,
    now: Mapping[str, diary_ranks.Person],
    was: Mapping[str, diary_ranks.Person],
    what: tuple[Meter, str],
) -> Figure:
    """Return the mean paired gain in correlation by the newer map of inputs. An unknown meter counts as 0."""
    rhos = [(diary_ranks.rho(now[who], *what), diary_ranks.rho(was[who], *what)) for who in now]
    gains = [mine - (old or 0.0) for mine, old in rhos if mine is not None]
    return _figure(name, cohort, (fmean(gains), ranks.interval(gains), len(gains)), "make evidence")


def _memory(one: diary.Diary) -> Iterator[Figure]:
    for name, gains in diary_ranks.gains(one, "valence").items():
        told = f"log likelihood of an answer by its daily rhythm, {name}"
        yield _figure(told, one.name, (fmean(gains), ranks.interval(gains), len(gains)), "make evidence")


def _figure(name: str, cohort: str, found: tuple[float, Sequence[float | None], int], command: str) -> Figure:
    mean, interval, persons = found
    ends = [None if end is None else round(end, ranks.DIGITS) for end in interval]
    mean = round(mean, ranks.DIGITS)
    return {"figure": name, "on": cohort, "mean": mean, "interval": ends, "n": persons, "command": command}


def lived(policy: str, seeds: Sequence[int]) -> list[float]:
    """Return the published grade of a policy for the simulated week of each seed."""
    result = play_by_name(policy, "in", list(seeds), "grade", registry.policy)
    return [round(float(score), 6) for score in result.score()]


def worlds() -> list[dict[str, Any]]:
    command = f"bridge evaluate --policy POLICY --episodes {WEEKS}"
    return [{"policy": p, "command": command, "scores": lived(p, range(WEEKS))} for p in POLICIES]


def again(kept: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, list[int], bool]]:
    """Simulate a random tenth of the stored weeks again, and yield (policy, seeds, True if every score is the same)."""
    draw = random.Random(SEED)
    for one in kept:
        seeds = sorted(draw.sample(range(len(one["scores"])), len(one["scores"]) // TENTH))
        yield one["policy"], seeds, lived(one["policy"], seeds) == [one["scores"][seed] for seed in seeds]


def table(document: Mapping[str, Any]) -> str:
    """Return the Markdown tables of a result file's content."""
    lines = ["| figure | on | mean | 95 % | persons | command |", "|---|---|---:|---|---:|---|"]
    for one in document["figures"]:
        ends = ends_of(one["interval"], "+.3f")
        lines.append(
            f"| {one['figure']} | {one['on']} | {one['mean']:+.3f} | {ends} | {one['n']} | `{one['command']}` |"
        )
    lines += ["", "| policy, in simulation | grade | 95 % | weeks | command |", "|---|---:|---|---:|---|"]
    for one in document["worlds"]:
        scores = one["scores"]
        ends = ends_of(ranks.interval(scores), "+.3f")
        lines.append(f"| {one['policy']} | {fmean(scores):.3f} | {ends} | {len(scores)} | `{one['command']}` |")
    lines += ["", f"Seed {document['seed']}, commit {document['commit']}, map {document['map']}."]
    return "\n".join(lines)


def unearned(found: Iterable[Figure]) -> list[str]:
    """Return the names of the figures on our own choices whose 95 % interval is not above 0, or is unknown."""
    chosen = (one for one in found if one["figure"].endswith(CHOSEN) and not one["figure"].startswith(ELSEWHERE))
    return [one["figure"] for one in chosen if one["interval"][0] is None or one["interval"][0] <= 0]


def load() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures and whether they equal those of the result file. Returns 1 if any differs, else 0."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--samples", type=Path, help="folder with wellness/ and diaries/")
    asked.add_argument(
        "--write", metavar="COMMIT", help="renew docs/evidence.json and docs/evidence.md from this commit"
    )
    chosen = asked.parse_args(arguments)
    found = list(computed(chosen.samples)) if chosen.samples else []
    if chosen.write:
        told = {"seed": SEED, "commit": chosen.write, "map": proxy.shipped().version}
        document = {**told, "figures": found, "worlds": worlds()}
        FILE.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        put(PAGE, table(document), mark="figures")
    document = load()
    sys.stdout.write(table(document) + "\n\n")
    return _checked(document, found)


def _checked(document: Mapping[str, Any], found: Sequence[Figure]) -> int:
    kept = {(one["figure"], one["on"]): one for one in document["figures"]}
    other = [one["figure"] for one in found if kept.get((one["figure"], one["on"])) != one]
    for policy, seeds, same in again(document["worlds"]):
        sys.stdout.write(f"{policy}: {len(seeds)} of the weeks again: {'the same' if same else 'OTHER SCORES'}\n")
        other += [] if same else [policy]
    other += [f"not earned: {name}" for name in unearned(kept.values())]
    sys.stdout.write(f"{len(found)} of {len(kept)} figures computed again, {len(other)} other\n")
    if len(found) < len(kept):
        sys.stdout.write("The rest is of the result file: name the folder of the data with --samples FOLDER.\n")
    for name in other:
        sys.stdout.write(f"other than in {FILE.name}: {name}\n")
    return 1 if other else 0


if __name__ == "__main__":
    sys.exit(main())
