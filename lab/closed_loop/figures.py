"""Figures of many lives, which are acceptance, wellbeing against the oracle, beliefs, and meters against the truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lab.closed_loop.ablations import surer_sd
from lab.closed_loop.living import Lived
from lab.evaluation.grades import ratio, summary
from rhythm_env.interface import Answer, Meter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

NINETY = 1.645  # standard deviations on each side of the mean of a normal that hold 90 %
VALIDATED = (Meter.VITALITY, Meter.SERENITY)  # those whose map has a validity, see bridge/meters/proxy_map.toml
WINDOW, ENOUGH = 20, 0.8  # answers over which a share is looked at, and the share that is waited for
RISES = 0.05  # by which the last half's acceptance must lie above the first quarter's, to have risen
POINT = 7  # answers per point of a curve
MOST_SHOWN = 2000  # dots of meters against the truth in a document

RECOVERED = ("correlation", "coverage", "coverage_with_surer_sds", "bias", "known")

Lives = Sequence[Lived]


def accepted(lives: Lives) -> Array:
    """(n, T) 1 or 0."""
    import numpy as np

    return np.array([[float(answer == Answer.ACCEPT) for answer in one.answers] for one in lives])


def weighted(lives: Lives) -> Array:
    """(n, T) mean of the hidden meters, as the person weighs them."""
    import numpy as np

    return np.array([one.weighted for one in lives])


def figures(lives: Lives, low: Lives, high: Lives, *, believes: bool) -> dict[str, Any]:
    """One arm's figures, each with ``mean``, ``sd`` and ``ci95`` over people.

    ``low``, ``high``: the same people with random advice and with the oracle's; ``reward_vs_oracle`` is 0 for the one
    and 1 for the other, a ratio of means with its bootstrap interval.
    """
    taken, levels = accepted(lives), weighted(lives).mean(axis=1)
    first = interactions(taken)
    read = recovered(lives)
    return {
        "policy": lives[0].arm.name,
        "acceptance": summary(taken.mean(axis=1)),
        "mean_level": summary(levels),
        "reward_vs_oracle": ratio(levels, weighted(low).mean(axis=1), weighted(high).mean(axis=1)),
        "regret": summary(weighted(high).mean(axis=1) - levels),
        "interactions_to_80pct": summary(first) | {"never": int((first > taken.shape[1]).sum())},
        "never_rising": never_rising(taken),
        "belief_mae": summary(errors(lives, believes=believes)[:, -1]),
        "meter_correlation": summary(_over(read, "correlation", tuple(Meter))),
        "interval_coverage": summary(_over(read, "coverage", VALIDATED)),
        "meters": {str(meter): _of_meter(read, meter) for meter in Meter},
        "classifier_accuracy": summary(_shares(lives)),
        "lives": [
            {"seed": one.seed, "source": one.source, "acceptance": float(share), "mean_level": float(level)}
            for one, share, level in zip(lives, taken.mean(axis=1), levels, strict=True)
        ],
        "curves": curves(lives, high, believes=believes),
    }


def interactions(taken: Array) -> Array:
    """(n,) answers until 80 % of the last 20 were Accept; one more than there were for who never came to it."""
    import numpy as np

    window = min(WINDOW, taken.shape[1])
    sums = np.cumsum(np.pad(taken, ((0, 0), (1, 0))), axis=1)
    share = (sums[:, window:] - sums[:, :-window]) / window
    reached = share >= ENOUGH - 1e-9
    first = reached.argmax(axis=1) + window
    return np.asarray(np.where(reached.any(axis=1), first, taken.shape[1] + 1), dtype=float)


def never_rising(taken: Array) -> dict[str, Any]:
    """Count the people whose acceptance in the second half is no higher than in the first quarter. Also returns their
    share.
    """
    total = taken.shape[1]
    gained = taken[:, total // 2 :].mean(axis=1) - taken[:, : max(total // 4, 1)].mean(axis=1)
    return {"people": int((gained < RISES).sum()), **summary((gained < RISES).astype(float))}


def errors(lives: Lives, *, believes: bool) -> Array:
    """(n, T) mean absolute error of the belief; who states none is taken to have said .5, .5, .5."""
    import numpy as np

    target = np.array([one.target for one in lives])[:, None]
    stated = np.array([one.beliefs for one in lives])
    return np.asarray(np.abs((stated if believes else np.full_like(stated, 0.5)) - target).mean(axis=2))


def recovered(lives: Lives) -> dict[Meter, dict[str, Array]]:
    """meter -> per person (not a number where nothing was read): within-person correlation with the hidden level, share
    of slots whose stated 90 % interval holds it, the same with surer sds, and mean distance."""
    import numpy as np

    found: dict[Meter, dict[str, Array]] = {}
    for at, meter in enumerate(Meter):
        rows = [_recovered(meter, np.array(one.read)[:, at], np.array(one.hidden)[:, at]) for one in lives]
        found[meter] = dict(zip(RECOVERED, np.array(rows).T, strict=True))
    return found


def _recovered(meter: Meter, read: Array, hidden: Array) -> tuple[float, ...]:
    import numpy as np

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
    """Per person the mean over some meters, of those with a figure."""
    import numpy as np

    values = np.array([read[meter][name] for meter in meters])
    count = (~np.isnan(values)).sum(axis=0)
    means = np.where(count > 0, np.nansum(values, axis=0) / np.maximum(count, 1), np.nan)
    return np.asarray(means[~np.isnan(means)])


def _of_meter(read: Mapping[Meter, Mapping[str, Array]], meter: Meter) -> dict[str, Any]:
    import numpy as np

    each = {name: values[~np.isnan(values)] for name, values in read[meter].items()}
    found = {name: summary(values) if len(values) else None for name, values in each.items()}
    return {"validated": meter in VALIDATED, **found}


def _shares(lives: Lives) -> Array:
    import numpy as np

    return np.array([one.labelled[0] / max(one.labelled[1], 1) for one in lives])


def paired(mine: Lives, other: Lives) -> dict[str, Any]:
    """Return the advantage of an ablation over another with the same people, person by person."""
    levels = weighted(mine).mean(axis=1) - weighted(other).mean(axis=1)
    taken = accepted(mine).mean(axis=1) - accepted(other).mean(axis=1)
    return {"over": other[0].arm.name, "acceptance": summary(taken), "mean_level": summary(levels)}


def curves(lives: Lives, high: Lives, *, believes: bool) -> dict[str, Any]:
    """Points per seven answers of what the pictures show."""
    taken, wrong = accepted(lives), errors(lives, believes=believes)
    regret = weighted(high) - weighted(lives)
    starts = range(0, taken.shape[1] - POINT + 1, POINT)
    return {
        name: [{"answers": s + POINT, **summary(values[:, s : s + POINT].mean(axis=1))} for s in starts]
        for name, values in (("acceptance", taken), ("regret", regret), ("belief_error", wrong))
    }


def dots(lives: Lives) -> dict[str, list[tuple[float, float]]]:
    """meter -> (hidden, read) of slots in which something was known, evenly thinned."""
    found: dict[str, list[tuple[float, float]]] = {}
    for at, meter in enumerate(Meter):
        rows = [
            (hidden[at], read[at][0])
            for one in lives
            for hidden, read in zip(one.hidden, one.read, strict=True)
            if read[at][2] > 0
        ]
        found[str(meter)] = rows[:: max(1, len(rows) // MOST_SHOWN)]
    return found
