"""Train a logistic regression on the corpus, with a calibration from real titles outside its training."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bridge.domain.ports import Invitation
from classifiers.keywords import Keywords, lexicon
from classifiers.linear import CLASSES
from classifiers.linear.model import BITS, FORMAT, LOUD, Model, Part, blocks, names
from lab.classifier.corpus import Titled
from rhythm_env.interface import ActionType

if TYPE_CHECKING:
    from scipy.sparse import csr_array


VERSION = 8
STRENGTH = 8.0  # inverse of the regularisation
FEW_LINES = (0.0, 0.2)  # powers of a language's share of lines by which its lines weigh more, one model each
NEVER = -20.0  # score of a type without titles
ROUNDS = 300
CLOSE = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A calibration of scores.

    Each score is divided by ``temperature`` times ``(1 + words of the title) ** longer``. Then ``commoner`` is added,
    the logarithm of a type's frequency in real calendars relative to the corpus.
    """

    temperature: float = 1.0
    longer: float = 0.0
    commoner: Mapping[ActionType, float] = field(default_factory=dict)


REAL = Calibration(
    temperature=0.69,
    longer=0.3,
    commoner={
        ActionType.DEEP_WORK: -0.39,
        ActionType.ADMIN_WORK: 0.52,
        ActionType.LEARN: 0.17,
        ActionType.SLEEP: -0.11,
        ActionType.EXERCISE: -0.01,
        ActionType.MEDITATE: -0.38,
        ActionType.FAMILY_TIME: 0.03,
        ActionType.SOCIALIZE: 0.13,
        ActionType.ME_TIME: 0.2,
        ActionType.BINGE_WATCH: -0.16,
    },
)  # chosen by real_dev.tsv and entries_dev.tsv, for a model that knows no title of theirs (measure.calibration)


def trained(titles: Sequence[Titled], *, rules: bool = True, calibration: Calibration = REAL) -> Model:
    """Train a model on titles, without ``rules`` without the keyword rules as features.

    The scores are the mean of models that weigh rare languages differently. Titles whose label depends on other facts
    of their event are left out.
    """
    from sklearn.linear_model import LogisticRegression

    titles = [title for title in titles if title.event == Invitation(title=title.event.title)]
    counts = counted(titles, rules=rules)
    rarity = rarities(counts)
    features = weighed(counts, rarity)
    used = np.flatnonzero(np.bincount(features.indices, minlength=1 << BITS))
    labels = np.array([CLASSES.index(title.action) for title in titles])
    weights = np.zeros((1 << BITS, len(CLASSES)), dtype=np.float32)
    bias = np.zeros(len(CLASSES), dtype=np.float32)
    for power in FEW_LINES:
        weighing = seldom(labels) * spoken([title.language for title in titles], power)
        model = LogisticRegression(C=STRENGTH, max_iter=ROUNDS, tol=CLOSE)
        fitted = model.fit(features[:, used], labels, sample_weight=weighing / weighing.mean())
        weights[np.ix_(used, fitted.classes_)] += fitted.coef_.T / len(FEW_LINES)
        bias[fitted.classes_] += fitted.intercept_ / len(FEW_LINES)
    bias[np.setdiff1d(np.arange(len(CLASSES)), labels)] = NEVER
    model = Model(
        version=VERSION,
        weights=weights,
        scale=np.ones(len(CLASSES), dtype=np.float32),
        rarity=rarity,
        bias=bias,
        commoner=np.zeros(len(CLASSES), dtype=np.float32),
        temperature=1.0,
        longer=0.0,
    )
    return calibrated(model, calibration)


def calibrated(model: Model, by: Calibration) -> Model:
    """Return the model with the calibration ``by``."""
    more = np.array([by.commoner.get(name, 0.0) for name in CLASSES], np.float32)
    return replace(model, commoner=more, temperature=by.temperature, longer=by.longer)


def seldom(labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return a weight for each title, in proportion to the inverse root of its type's frequency, with mean 1."""
    weights = 1 / np.sqrt(np.maximum(np.bincount(labels, minlength=len(CLASSES)), 1))[labels]
    found: NDArray[np.float64] = weights / weights.mean()
    return found


def spoken(languages: Sequence[str], power: float) -> NDArray[np.float64]:
    """Return a weight for each title, which is (titles in the most frequent language / in its language) ** power."""
    lines = Counter(languages)
    most = max(lines.values(), default=1)
    return np.array([(lines[language] / most) ** -power for language in languages])


def counted(titles: Sequence[Titled], *, rules: bool) -> dict[Part, csr_array]:
    """Return a matrix (title, bucket) of feature counts by part of the features, with or without the keyword rules."""
    from scipy.sparse import csr_array

    keywords = Keywords(lexicon())
    events = [title.event for title in titles]
    found = blocks(
        [event.title for event in events], [names(keywords.said(event)) if rules else [] for event in events]
    )
    counted = {}
    for part in Part:
        of = [block for block in found if block.part is part]
        places = (np.concatenate([b.titles for b in of]), np.concatenate([b.buckets for b in of]))
        counted[part] = csr_array((np.ones(len(places[0]), np.float32), places), shape=(len(events), 1 << BITS))
    return counted


def rarities(counts: dict[Part, csr_array]) -> NDArray[np.float32]:
    """Return ln((1 + titles) / (1 + titles with the feature)) + 1 for each bucket (Spärck Jones 1972, smoothed)."""
    total = counts[Part.WORDS].shape[0]
    seen = sum(np.bincount(counts[part].indices, minlength=1 << BITS) for part in (Part.LETTERS, Part.WORDS))
    rarity: NDArray[np.float32] = (np.log((1 + total) / (1 + seen)) + 1).astype(np.float32)
    return rarity


def weighed(counts: dict[Part, csr_array], rarity: NDArray[np.float32]) -> csr_array:
    """Return the sum of the parts as a matrix (title, bucket), with rows of letters and of words scaled to length 1.

    ``rarity`` weighs each bucket of letters and words. Facts are multiplied by LOUD instead.
    """
    from scipy.sparse import diags_array

    total = LOUD * counts[Part.FACTS]
    for part in (Part.LETTERS, Part.WORDS):
        lengths = np.sqrt(np.maximum(counts[part] @ rarity**2, 1e-9))
        total = total + diags_array(1 / lengths) @ counts[part] @ diags_array(rarity)
    return total.tocsr()


def save(model: Model, path: Path) -> None:
    """Write a model to a file, with 8-bit weights and only the buckets that have weights."""
    weights = model.weights * model.scale
    used = np.flatnonzero(np.abs(weights).max(axis=1) > 0).astype(np.uint32)
    scale = np.maximum(np.abs(weights).max(axis=0), 1e-9).astype(np.float32) / 127
    np.savez_compressed(
        path,
        format=FORMAT,
        bits=BITS,
        version=model.version,
        buckets=used,
        weights=np.rint(weights[used] / scale).astype(np.int8),
        scale=scale,
        rarity=model.rarity[used].astype(np.float16),
        unseen=np.float32(model.rarity.max()),
        bias=model.bias,
        commoner=model.commoner,
        temperature=model.temperature,
        longer=model.longer,
    )
