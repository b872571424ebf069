"""Write the results of ``bridge live`` as Markdown tables, most with a text above that says what they hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bridge.cli.meters import METER_COLOURS
from lab.cli.figures import give_or_take, table
from lab.pictures import COLOURS, panels, saved
from rhythm_env.interface import Meter

Body = Mapping[str, Any]
Row = dict[str, Any]
METERS = """Meters as the bridge read them against the hidden truth, first policy: the mean within-person correlation
over the slots; the share of slots whose stated 90 % interval holds the truth; the same if meters of body and mind were
as sure as the weights of their signals alone would make them, as they once were; how far readings lie above the truth;
and the share of slots with advice in which anything was known. The truth is put on the scale that the bridge reads in:
0.70 is where the person was on average in the weeks without advice, one of their standard deviations below it 0.46,
above it 0.86; progress is counted as it is. How far nights follow the truth at all is drawn for each person, a
correlation from 0.1 to 0.5: more of body and mind cannot be read."""
ABLATION = """The first policy's chain with one stage perfect at a time: how much of the oracle's advantage over random
advice in mean level is left, and what is won over the whole chain, person by person. "With surer meters" is the chain
as it would be if meters were as sure as the weights of their signals alone would make them."""
MOMENTS = """Bodies of the first policy's people beside LifeSnaps': mean and spread of people's means; medians over
people of the spread within, of the correlation of neighbouring days and of the share of days without a value."""


def markdown(body: Body, spent: Mapping[str, float]) -> str:
    """Return the tables of a run as Markdown, with the command that made them. ``spent`` are milliseconds by stage."""
    policies = ",".join(one["policy"] for one in body["policies"])
    more = (" --ablation" if "ablation" in body else "") + (" --moments lifesnaps" if "moments" in body else "")
    if body.get("answers") is not None:
        more += f" --answers {body['answers']}"
    asked = f"--people {body['people']} --weeks {body['weeks']} --policy {policies} --seed {body['seed']}{more}"
    wore = ", ".join(f"{people} {source}" for source, people in body["sources"].items())
    lines = [
        f"Written by `bridge live {asked} --write FILE`. ± is half of a 95 % interval over people. They wore: {wore}.",
        f"Processor time per person and slot: {', '.join(f'{stage} {ms:.1f} ms' for stage, ms in spent.items())}.",
    ]
    for said, rows in _tables(body):
        lines += ["", *([said, ""] if said else []), *table(rows)]
    return "\n".join(lines)


def _tables(body: Body) -> Iterator[tuple[str, list[Row]]]:
    yield "", [_policy(one) for one in [*body["policies"], {**body["oracle"], "policy": "oracle"}]]
    if body["paired"]:
        yield (
            f"What `{body['policy']}` has over each of the others, with the same people.",
            [
                {name: one[name] if name == "over" else give_or_take(one[name]) for name in ("over", *GAINS)}
                for one in body["paired"]
            ],
        )
    if "ablation" in body:
        yield ABLATION, [_stage(one) for one in body["ablation"]]
    else:
        yield METERS, [_meter(name, one) for name, one in body["meters"].items()]
    if "moments" in body:
        yield MOMENTS, [{k: f"{v:.2f}" if isinstance(v, float) else v for k, v in row.items()} for row in _even(body)]


GAINS = ("acceptance", "mean_level")


def _policy(one: Body) -> Row:
    first = one["interactions_to_80pct"]
    return {
        "policy": one["policy"],
        "accepted": give_or_take(one["acceptance"]),
        "of suggestions": give_or_take(one["suggestions_accepted"]),
        "advice a day": give_or_take(one["advice_per_day"], 2),
        "of it suggestions": give_or_take(one["suggestions_per_day"], 2),
        "silent slots": f"{give_or_take(one['silent'])} ({one['silent_by_lot']['mean']:.3f} by lot)",
        "dosage": give_or_take(one["dosage"]),
        "level": give_or_take(one["mean_level"]),
        "of the oracle's advantage": give_or_take(one["reward_vs_oracle"], 2),
        "answers to 80 %": f"{give_or_take(first, 0)} (never: {first['never']})",
        "people whose acceptance did not rise": one["never_rising"]["people"],
        "error of belief": give_or_take(one["belief_mae"]),
        "classifier right": give_or_take(one["classifier_accuracy"]),
    }


def _meter(name: str, one: Body) -> Row:
    figures = {
        "correlation": "correlation",
        "coverage": "within 90 %",
        "coverage_with_surer_sds": "with surer sds",
        "bias": "above by",
        "known": "known",
    }
    validated = "" if one["validated"] else " (not validated)"
    return {"meter": name.capitalize() + validated} | {
        said: "" if one[key] is None else give_or_take(one[key], 2) for key, said in figures.items()
    }


def _stage(one: Body) -> Row:
    over = one["over_chain"]
    return {
        "chain": one["policy"],
        "of the oracle's advantage": give_or_take(one["reward_vs_oracle"], 2),
        "level over the chain": give_or_take(over["mean_level"]),
        "accepted": give_or_take(one["acceptance"]),
        "accepted over the chain": give_or_take(over["acceptance"]),
        "error of belief": give_or_take(one["belief_mae"]),
    }


def _even(body: Body) -> Sequence[Row]:
    """Return the rows of the comparison with LifeSnaps, all with the same columns. A cell that a row lacks is empty."""
    columns = dict.fromkeys(name for row in body["moments"] for name in row)
    return [{name: row.get(name, "") for name in columns} for row in body["moments"]]


OVER = {  # name of a curve -> title, span
    "acceptance": ("Advice that is accepted", (0, 1)),
    "regret": ("Regret against the oracle, mean level", (-0.05, 0.25)),
    "belief_error": ("Error of the belief", (0, 0.35)),
}


def draw(path: Path, body: Body, dots: Mapping[str, Sequence[tuple[float, float]]]) -> None:
    """Draw ``body`` and the points ``dots`` (meter -> (hidden, read) levels) into the picture file ``path``.

    The file's ending gives the format, and an old file is replaced. Raises SetupError without matplotlib, for an
    unknown ending, and if the file cannot be written.
    """
    figure, rows = panels(2, 4, (13, 8))
    axes = rows.ravel()
    everybody = [*body["policies"], {**body["oracle"], "policy": "oracle"}]
    for axis, (name, (title, span)) in zip(axes, OVER.items(), strict=False):
        _curves(axis, everybody, name, title, span)
    for axis, meter in zip(axes[3:], Meter, strict=True):
        _against(axis, meter, dots[str(meter)], body["meters"][str(meter)])
    saved(figure, path)


def _curves(axis: Any, each: Sequence[Body], name: str, title: str, span: tuple[float, float]) -> None:
    """Draw the curve ``name`` of each policy, with its 95 % interval as a band, within the values ``span``."""
    import numpy as np

    for colour, one in zip(COLOURS, each, strict=False):
        points = one["curves"][name]
        slots = [point["slots"] for point in points]
        bounds = np.array([point["ci95"] for point in points], dtype=float).T  # not a number of one person
        axis.fill_between(slots, *bounds, color=colour, alpha=0.15, linewidth=0)
        axis.plot(slots, [point["mean"] for point in points], color=colour, label=one["policy"])
    axis.set_title(title, loc="left", fontsize=9)
    axis.set_xlabel("slots", fontsize=8)
    axis.set_ylim(*span)
    axis.legend(fontsize=7, frameon=False)


def _against(axis: Any, meter: Meter, dots: Sequence[tuple[float, float]], found: Body) -> None:
    if dots:
        axis.scatter(*zip(*dots, strict=True), s=3, alpha=0.2, color=METER_COLOURS[meter], rasterized=True)
    axis.plot((0, 1), (0, 1), color="0.7", linewidth=0.8)
    correlation = found["correlation"]
    said = "" if correlation is None else f", within people {correlation['mean']:.2f}"
    axis.set_title(f"{str(meter).capitalize()}{said}", loc="left", fontsize=9)
    axis.set_xlabel("hidden", fontsize=8)
    axis.set_ylabel("read", fontsize=8)
    axis.set(xlim=(0, 1), ylim=(0, 1))
