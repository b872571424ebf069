"""Run ``bridge evaluate --comparison``, which grades every policy in every condition and in deployed mode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import typer

from bridge.cli import show
from lab.cli import curves
from lab.cli.figures import give_or_take, table
from lab.marked_documents import put
from lab.pool import worked

if TYPE_CHECKING:
    from lab.evaluation.comparison import Part
    from lab.evaluation.lives import Lived

LEARNERS = ("planner", "network")  # policies that infer, where they are there


def compare(episodes: int, cores: int, write: Path | None, picture: Path | None, *, json: bool) -> None:
    """Run the comparison of all policies and print it, as Markdown or JSON.

    If given, its tables are put into the document ``write`` and its curves into the file ``picture``.
    """
    body = compared(episodes, cores)
    if json:
        show.document(body)
    else:
        typer.echo(markdown(body))
    if write is not None:
        put(write, markdown(body), mark="policies")
    if picture is not None:
        curves.draw(picture, body)


def compared(episodes: int, cores: int) -> dict[str, Any]:
    from bridge import registry
    from lab.evaluation.comparison import gathered, parts

    begun = perf_counter()
    asked = parts(episodes, [name for name in LEARNERS if name in registry.names("policies")])
    found, spent = _played(asked, cores)
    body = gathered(asked, found, registry.policy)
    minutes = {"minutes": (perf_counter() - begun) / 60, "core_minutes": spent / 60}
    return {"episodes": episodes, "cores": cores, **minutes, **body}


def _played(asked: Sequence[Part], cores: int) -> tuple[list[dict[str, Any] | Lived], float]:
    first = sorted(asked, key=lambda part: part.kind is not None)
    with show.Progress() as progress:
        found = dict(worked(play, first, cores, progress.steps("comparison")))
    return [found[part][0] for part in asked], sum(spent for _, spent in found.values())


def play(part: Part) -> tuple[dict[str, Any] | Lived, float]:
    """Run a part of the comparison, and return its result and its CPU seconds."""
    from time import process_time

    from bridge import registry

    begun = process_time()
    return part.play(registry.policy), process_time() - begun


WEEKS = {
    "grade": "Weeks seen without error, planned for the published grade. For the comparison with published figures "
    "only: nobody is served so. Skill: 1 - mean absolute error of the stated belief / that of the best constant.",
    "reward": "The same weeks, planned for the person's own weighted meters, as everybody is served.",
}
ANSWERED = """People of whom nothing but answers is known (no band, no calendar): the share of advice that is accepted,
and the mean level of the hidden meters, weighted as the person would."""
LEANING = """The archetype that the stated belief leans to: answers until it is the person's and stays so. Who is told
knows that there are three kinds of people; as it is served, a policy takes them for three among all there could be."""
BELIEVED = """Anybody: skill of the belief (as above, the best constant being the medians of all people), and the share
of people within the 90 % interval that was stated, after so many answers."""
RECORDED = """With a band and a calendar, by how far nights and stress follow the truth (validity, a correlation)."""
Row = dict[str, Any]


def markdown(body: Mapping[str, Any]) -> str:
    """Return the comparison's tables as Markdown, each with a text that says what it holds."""
    command = f"`bridge evaluate --comparison --episodes {body['episodes']} --write FILE`"
    took = f"{body['minutes']:.0f} minutes on {body['cores']} cores ({body['core_minutes']:.0f} minutes of one)"
    lines = [f"Written by {command} in {took}. ± is half of a 95 % interval."]
    for objective, said in WEEKS.items():
        weeks = [one for one in body["weeks"] if one["objective"] == objective]
        lines += ["", said, "", *table([_week(week) for week in weeks])]
    for said, rows in _of_lives(body["lives"]):
        lines += ["", said, "", *table(rows)]
    return "\n".join(lines)


def _week(one: Mapping[str, Any]) -> Row:
    gain = one["paired_gain"]
    at = one["belief_skill_at"]
    return {
        "policy": one["policy"],
        "condition": one["condition"],
        "score": give_or_take(one["final_score"]),
        "no belief": f"{one['final_score_without_belief']['mean']:.3f}",
        "vs oracle": give_or_take(one["reward_vs_oracle"]),
        "inference gain": give_or_take(one["inference_gain"], 2),
        **{f"skill, slot {slot} (social, morning, work)": _each(at.get(slot), 2) for slot in ("7", "27")},
        "over": "" if gain is None else gain["over"],
        "score over it": "" if gain is None else give_or_take(gain["final_score"]),
        "level over it": "" if gain is None else give_or_take(gain["mean_level"]),
        "ms": f"{one['ms_per_decision']:.1f}",
    }


def _each(dimensions: Mapping[str, Any] | None, digits: int) -> str:
    return "" if dimensions is None else ", ".join(f"{d['mean']:.{digits}f}" for d in dimensions.values())


def _of_lives(lives: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, list[Row]]]:
    alone = [life for life in lives if life["answers_only"]]
    yield ANSWERED, [_life(one) for one in alone]
    yield LEANING, [_told(one) for one in alone if one["archetypes"]]
    yield BELIEVED, [row for one in alone if not one["archetypes"] for row in _believed(one)]
    yield RECORDED, [_life(life) for life in lives if not life["answers_only"]]


def _life(one: Mapping[str, Any]) -> Row:
    gain = one.get("paired_gain")
    return {
        "policy": _named(one),
        "people": one["condition"],
        "lives": f"{one['lives']} of {one['weeks']} weeks",
        **({} if one["answers_only"] else {"validity": one["validity"]}),
        "accepted, first 28": give_or_take(one["accepted_first_28"]),
        "level, first 28": give_or_take(one["mean_level_first_28"]),
        "accepted": give_or_take(one["accepted"]),
        "level": give_or_take(one["mean_level"]),
        "accepted over heuristic": "" if gain is None else give_or_take(gain["accepted"]),
        "level over heuristic": "" if gain is None else give_or_take(gain["mean_level"]),
        "ms": f"{one['ms_per_decision']:.1f}",
    }


def _named(one: Mapping[str, Any]) -> str:
    return f"{one['policy']}, told" if one["told"] else str(one["policy"])


def _told(one: Mapping[str, Any]) -> Row:
    told = one["archetypes"]
    return {
        "policy": _named(one),
        "lives": one["lives"],
        "median": f"{told['median']:.0f}",
        "90 % within": f"{told['ninety_percent_within']:.0f}",
        "within 8": give_or_take(told["share_within_8"], 2),
        "within 20": give_or_take(told["share_within_20"], 2),
        **{name: f"{median:.0f}" for name, median in told["median_by_archetype"].items()},
        "not in 56": f"{told['never']:.2f}",
    }


def _believed(one: Mapping[str, Any]) -> Iterator[Row]:
    for answers, dimensions in one["belief_skill_at"].items():
        held = one["belief_coverage_at"][answers]
        yield {
            "policy": _named(one),
            "answers": answers,
            **{f"{name}: skill": give_or_take(skill, 2) for name, skill in dimensions.items()},
            **{f"{name}: within": give_or_take(held[name], 2) for name in dimensions},
        }
