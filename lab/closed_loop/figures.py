"""Figures of many simulated lives, such as acceptance, amount of advice, wellbeing, beliefs and error of meters.

Figures of answers are NaN in slots without a recommendation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge.domain.guard import FADES
from lab.closed_loop.ablations import surer_sd
from lab.closed_loop.living import Lived
from lab.evaluation.grades import ratio, summary
from rhythm_env.interface import SLOTS_PER_DAY, Answer, Meter

Array = NDArray[np.float64]

NINETY = 1.645  # standard deviations on each side of the mean of a normal that hold 90 %
VALIDATED = (Meter.VITALITY, Meter.SERENITY)  # those whose map has a validity, see bridge/meters/proxy_map.toml
WINDOW, ENOUGH = 20, 0.8  # answers over which a share is looked at, and the share that is waited for
RISES = 0.05  # by which the last half's acceptance must lie above the first quarter's, to have risen
POINT = 7  # slots per point of a curve
MOST_SHOWN = 2000  # dots of meters against the truth in a document

RECOVERED = ("correlation", "coverage", "coverage_with_surer_sds", "bias", "known")

Lives = Sequence[Lived]


def accepted(lives: Lives) -> Array:
    """Return 1 for Accept, else 0 (n, T), and NaN in slots without a recommendation."""
    return np.array(
        [[np.nan if answer is None else float(answer == Answer.ACCEPT) for answer in life.answers] for life in lives]
    )


def of_suggestions(lives: Lives) -> Array:
    """Return ``accepted`` (n, T) for suggestions only, NaN for other recommendations and slots without one."""
    kinds = np.array([[kind == "suggested" for kind in life.kinds] for life in lives])
    return np.asarray(np.where(kinds, accepted(lives), np.nan))


def means(values: Array) -> Array:
    """Return the mean of each row without its NaNs, and NaN for a row of NaNs."""
    count = (~np.isnan(values)).sum(axis=-1)
    return np.asarray(np.where(count > 0, np.nansum(values, axis=-1) / np.maximum(count, 1), np.nan))


def weighted(lives: Lives) -> Array:
    """Return the mean (n, T) of the hidden meters after each slot, by the person's weights."""
    return np.array([life.weighted for life in lives])


def figures(lives: Lives, low: Lives, high: Lives, *, believes: bool) -> dict[str, Any]:
    """Return the figures of lives with the same policy, each with ``mean``, ``sd`` and ``ci95`` over people.

    ``low`` and ``high`` are the same people with random recommendations and with those of the planner that knows them.
    ``reward_vs_oracle`` is 0 for the first and 1 for the second.
    """
    taken, levels = accepted(lives), weighted(lives).mean(axis=1)
    first, answered = interactions(taken), (~np.isnan(taken)).sum(axis=1)
    read = recovered(lives)
    return {
        "policy": lives[0].arm.name,
        "acceptance": summary(means(taken)),
        "suggestions_accepted": summary(_numbers(means(of_suggestions(lives)))),
        **amounts(lives),
        "mean_level": summary(levels),
        "reward_vs_oracle": ratio(levels, weighted(low).mean(axis=1), weighted(high).mean(axis=1)),
        "regret": summary(weighted(high).mean(axis=1) - levels),
        "interactions_to_80pct": summary(first) | {"never": int((first > answered).sum())},
        "never_rising": never_rising(taken),
        "belief_mae": summary(errors(lives, believes=believes)[:, -1]),
        "meter_correlation": summary(_over(read, "correlation", tuple(Meter))),
        "interval_coverage": summary(_over(read, "coverage", VALIDATED)),
        "meters": {str(meter): _of_meter(read, meter) for meter in Meter},
        "classifier_accuracy": summary(_shares(lives)),
        "lives": [
            {"seed": one.seed, "source": one.source, "acceptance": float(share), "mean_level": float(level)}
            for one, share, level in zip(lives, means(taken), levels, strict=True)
        ],
        "curves": curves(lives, high, believes=believes),
    }


def amounts(lives: Lives) -> dict[str, Any]:
    """Return figures of the amount of advice, such as recommendations per day and the share of slots without one."""
    given = np.array([[kind is not None for kind in life.kinds] for life in lives])
    suggested = np.array([[kind == "suggested" for kind in life.kinds] for life in lives])
    lots = np.array([life.by_lot / len(life.kinds) for life in lives])
    return {
        "advice_per_day": summary(SLOTS_PER_DAY * given.mean(axis=1)),
        "suggestions_per_day": summary(SLOTS_PER_DAY * suggested.mean(axis=1)),
        "silent": summary(1 - given.mean(axis=1)),
        "silent_by_lot": summary(lots),
        "dosage": summary(dosages(given)),
    }


def dosages(given: NDArray[np.bool_]) -> Array:
    """Return each person's mean (n,) of the guard's decaying count of recommendations ``given`` (n, T)."""
    now: Array = np.zeros(len(given))
    total: Array = np.zeros(len(given))
    for slot in given.T:
        total += now
        now = FADES * now + (1 - FADES) * slot
    mean: Array = total / max(given.shape[1], 1)
    return mean


def interactions(taken: Array) -> Array:
    """Return the number (n,) of answers until 80 % of the last 20 were Accept, or one more than all if never."""
    return np.array([_until_most(row[~np.isnan(row)]) for row in taken], dtype=float)


def _until_most(taken: Array) -> int:
    window = max(min(WINDOW, len(taken)), 1)
    sums = np.cumsum(np.pad(taken, (1, 0)))
    reached = (sums[window:] - sums[:-window]) / window >= ENOUGH - 1e-9
    return int(reached.argmax()) + window if reached.any() else len(taken) + 1


def never_rising(taken: Array) -> dict[str, Any]:
    """Return the number and share of people who accept no more in the second half than in the first quarter."""
    total = taken.shape[1]
    never = ~(means(taken[:, total // 2 :]) - means(taken[:, : max(total // 4, 1)]) >= RISES)
    return {"people": int(never.sum()), **summary(never.astype(float))}


def errors(lives: Lives, *, believes: bool) -> Array:
    """Return the mean absolute error (n, T) of the belief. Without ``believes`` it is that of 0.5 for each trait."""
    target = np.array([life.target for life in lives])[:, None]
    stated = np.array([life.beliefs for life in lives])
    return np.asarray(np.abs((stated if believes else np.full_like(stated, 0.5)) - target).mean(axis=2))


def recovered(lives: Lives) -> dict[Meter, dict[str, Array]]:
    """Return by meter and figure a value for each person of how well the product's meters follow the hidden meters.

    The figures are the correlation within person, the share of slots whose stated 90 % interval holds the hidden level,
    the same with ``surer_sd``, and the mean distance. NaN is unknown.
    """
    found: dict[Meter, dict[str, Array]] = {}
    for at, meter in enumerate(Meter):
        rows = [_recovered(meter, np.array(life.read)[:, at], np.array(life.hidden)[:, at]) for life in lives]
        found[meter] = dict(zip(RECOVERED, np.array(rows).T, strict=True))
    return found


def _recovered(meter: Meter, read: Array, hidden: Array) -> tuple[float, ...]:
    advised = ~np.isnan(read[:, 2])
    read, hidden = read[advised], hidden[advised]
    known = read[:, 2] > 0
    if known.sum() < 2:
        return (np.nan, np.nan, np.nan, np.nan, float(known.mean()))
    level, sd, truth = read[known, 0], read[known, 1], hidden[known]
    moves = level.std() > 0 and truth.std() > 0
    correlation = float(np.corrcoef(level, truth)[0, 1]) if moves else np.nan
    surer = np.array([surer_sd(meter, *pair) for pair in zip(level.tolist(), sd.tolist(), strict=True)])
    held = [float((np.abs(truth - level) <= NINETY * of).mean()) for of in (sd, surer)]
    return correlation, *held, float((level - truth).mean()), float(known.mean())


def _over(read: Mapping[Meter, Mapping[str, Array]], name: str, meters: Sequence[Meter]) -> Array:
    """Return the mean over ``meters`` of a figure for each person who has it."""
    values = np.array([read[meter][name] for meter in meters])
    count = (~np.isnan(values)).sum(axis=0)
    means = np.where(count > 0, np.nansum(values, axis=0) / np.maximum(count, 1), np.nan)
    return np.asarray(means[~np.isnan(means)])


def _of_meter(read: Mapping[Meter, Mapping[str, Array]], meter: Meter) -> dict[str, Any]:
    each = {name: _numbers(values) for name, values in read[meter].items()}
    found = {name: summary(values) if len(values) else None for name, values in each.items()}
    return {"validated": meter in VALIDATED, **found}


def _shares(lives: Lives) -> Array:
    return np.array([life.labelled[0] / max(life.labelled[1], 1) for life in lives])


def paired(mine: Lives, other: Lives) -> dict[str, Any]:
    """Return mean differences in acceptance and level between lives of the same people with two policies."""
    levels = weighted(mine).mean(axis=1) - weighted(other).mean(axis=1)
    taken = means(accepted(mine)) - means(accepted(other))
    return {"over": other[0].arm.name, "acceptance": summary(taken), "mean_level": summary(levels)}


def curves(lives: Lives, high: Lives, *, believes: bool) -> dict[str, Any]:
    """Return points of the curves of acceptance, regret and belief error, over POINT slots each."""
    taken, wrong = accepted(lives), errors(lives, believes=believes)
    regret = weighted(high) - weighted(lives)
    starts = range(0, taken.shape[1] - POINT + 1, POINT)
    return {
        name: [
            {"slots": s + POINT, **summary(of)} for s in starts if len(of := _numbers(means(values[:, s : s + POINT])))
        ]
        for name, values in (("acceptance", taken), ("regret", regret), ("belief_error", wrong))
    }


def _numbers(values: Array) -> Array:
    return values[~np.isnan(values)]


def dots(lives: Lives) -> dict[str, list[tuple[float, float]]]:
    """Return by meter (hidden, measured) levels of slots with known meters, thinned to about MOST_SHOWN."""
    found: dict[str, list[tuple[float, float]]] = {}
    for at, meter in enumerate(Meter):
        rows = [
            (hidden[at], read[at][0])
            for life in lives
            for hidden, read in zip(life.hidden, life.read, strict=True)
            if read[at][2] > 0
        ]
        found[str(meter)] = rows[:: max(1, len(rows) // MOST_SHOWN)]
    return found
