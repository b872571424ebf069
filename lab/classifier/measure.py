"""Measure the classification of titles by cross-validation and on real titles, for the tables of the model card."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridge.domain.ports import EventClassifier, Invitation
from classifiers.keywords import Keywords, lexicon
from classifiers.linear import CLASSES, ENTRY_TEMPERATURE, Linear, is_entry
from classifiers.linear.model import Model, blocks, words_in
from lab.classifier.corpus import Titled, groups
from lab.classifier.train import Calibration, trained
from rhythm_env.interface import ActionType

FOLDS = 5
MOST_SURE = 0.6
BINS = 10
HALF = 0.5
CAUTION = 0.02  # how strongly logarithms of the temperature and the weights are drawn to zero
Guess = tuple[ActionType | None, float]
Guesser = Callable[[Sequence[Invitation]], list[Guess]]
OnStep = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Shares of titles by how well a classifier labelled them.

    ``strict`` is the share with the label itself, ``also`` the share with an acceptable label. ``sure`` is ``strict``
    among the 60 % most confident titles. ``calibration`` is the expected calibration error over ten equal bins of
    confidence (Guo 2017).
    """

    titles: int
    strict: float
    also: float
    macro_f1: float
    sure: float
    calibration: float


def guesser(classifier: EventClassifier) -> Guesser:
    return lambda events: [(label.action, label.confidence) for label in classifier.classify(events)]


def rules_alone() -> Guesser:
    return guesser(Keywords(lexicon()))


def with_rules(model: Model) -> Guesser:
    return guesser(Linear(model, Keywords(lexicon())))


def letters_alone(model: Model) -> Guesser:
    """Return a guesser by a model that was trained without the keyword rules, and is run without them."""

    def guess(events: Sequence[Invitation]) -> list[Guess]:
        shares = model.probabilities(events, None)
        return [(CLASSES[row.argmax()], float(row.max())) for row in shares]

    return guess


def folds(titles: Sequence[Titled], of: NDArray[np.int64]) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the indices of training and test titles for each fold. Near-duplicates are in the same fold."""
    from sklearn.model_selection import GroupKFold

    for train, test in GroupKFold(FOLDS, shuffle=True, random_state=0).split(titles, groups=of):
        yield train.tolist(), test.tolist()


def crossed(titles: Sequence[Titled], on_step: OnStep) -> dict[str, list[Guess]]:
    """Return by method a guess for each title, by a model trained without this title and its near-duplicates."""
    events = [title.event for title in titles]
    found: dict[str, list[Guess]] = {"rules": rules_alone()(events)}
    methods = {"linear": False, "linear + rules": True}
    found |= {method: [(None, 0.0)] * len(titles) for method in methods}
    apart = list(folds(titles, groups(titles)))
    with ProcessPoolExecutor() as pool:
        waiting = {
            pool.submit(_unseen, [titles[k] for k in train], [events[k] for k in test], rules=rules): (method, test)
            for train, test in apart
            for method, rules in methods.items()
        }
        for step, done in enumerate(as_completed(waiting)):
            method, test = waiting[done]
            for k, made in zip(test, done.result(), strict=True):
                found[method][k] = made
            on_step(step + 1, len(waiting))
    return found


def _unseen(own: Sequence[Titled], events: Sequence[Invitation], *, rules: bool) -> list[Guess]:
    model = trained(own, rules=rules)
    return with_rules(model)(events) if rules else letters_alone(model)(events)


def figures(titles: Sequence[Titled], guesses: Sequence[Guess]) -> Figures:
    from sklearn.metrics import f1_score

    right = np.array([action is one.action for one, (action, _) in zip(titles, guesses, strict=True)])
    also = [action in (one.action, *one.also) for one, (action, _) in zip(titles, guesses, strict=True)]
    sure = np.array([confidence for _, confidence in guesses])
    surest = np.argsort(-sure, kind="stable")[: int(np.ceil(MOST_SURE * len(titles)))]
    truth, said = [str(title.action) for title in titles], [str(action) for action, _ in guesses]
    return Figures(
        titles=len(titles),
        strict=float(right.mean()),
        also=float(np.mean(also)),
        macro_f1=float(f1_score(truth, said, labels=sorted(set(truth)), average="macro", zero_division=0)),
        sure=float(right[surest].mean()),
        calibration=calibration_error(right, sure),
    )


def calibration_error(right: NDArray[np.bool_], sure: NDArray[np.float64]) -> float:
    """Return the mean over titles of |share right - mean confidence| in the title's bin of confidence."""
    place = np.minimum((sure * BINS).astype(int), BINS - 1)
    gaps = (abs(right[place == k].mean() - sure[place == k].mean()) * (place == k).mean() for k in np.unique(place))
    return float(sum(gaps))


def calibration(model: Model, titles: Sequence[Titled]) -> Calibration:
    """Return the calibration that maximises the likelihood of the titles' labels, for an uncalibrated model.

    It has a temperature (Guo et al. 2017) that grows with a title's words, and a weight per type for its frequency
    among these titles against training (Saerens et al. 2002), shrunk to zero. The scores of calendar entries are
    divided by their own temperature first. All entries together weigh as much as all titles.
    """
    from scipy.optimize import minimize

    rules, events = Keywords(lexicon()), [Invitation(title=title.event.title) for title in titles]
    scores = np.log(model.probabilities(events, [rules.said(e) for e in events]))
    entry = np.array([is_entry(title.event) for title in titles])
    scores /= np.where(entry, ENTRY_TEMPERATURE, 1.0)[:, None]
    words = np.log1p(words_in(blocks([event.title for event in events], [[]] * len(events)), len(events)))
    weights = np.where(entry, 1 / max(entry.sum(), 1), 1 / max((~entry).sum(), 1))
    place = np.arange(len(titles)), np.array([CLASSES.index(title.action) for title in titles])

    def surprise(given: NDArray[np.float64]) -> float:
        scaled = scores / np.exp(given[0] + given[1] * words)[:, None] + given[2:]
        missed = np.logaddexp.reduce(scaled, axis=1) - scaled[place]
        return float(np.average(missed, weights=weights) + CAUTION * (given**2).mean())

    heat, longer, *more = minimize(surprise, np.zeros(2 + len(CLASSES))).x
    return Calibration(
        temperature=round(float(np.exp(heat)), 2),
        longer=round(float(longer), 2),
        commoner={name: round(HALF * float(one), 2) for name, one in zip(CLASSES, more, strict=True)},
    )


def parts(titles: Sequence[Titled]) -> dict[str, dict[str, list[int]]]:
    """Return the positions of titles by type, language and difficulty, each as value -> positions."""
    found: dict[str, dict[str, list[int]]] = {"type": {}, "language": {}, "difficulty": {}}
    for k, one in enumerate(titles):
        for what, value in (("type", str(one.action)), ("language", one.language), ("difficulty", one.difficulty)):
            if value:
                found[what].setdefault(value, []).append(k)
    order = {"type": [*map(str, CLASSES)], "difficulty": ["easy", "medium", "hard"]}
    return {
        what: {value: of[value] for value in order.get(what, sorted(of)) if value in of} for what, of in found.items()
    }


def agreement(titles: Sequence[Titled]) -> tuple[float, float]:
    """Return (share of titles that both readers labelled equally, Cohen's kappa)."""
    from sklearn.metrics import cohen_kappa_score

    first, second = zip(*(title.readers for title in titles if len(title.readers) == 2), strict=True)
    same = sum(a == b for a, b in zip(first, second, strict=True)) / len(first)
    return same, float(cohen_kappa_score(first, second))


def tables(name: str, titles: Sequence[Titled], guesses: Mapping[str, Sequence[Guess]]) -> str:
    """Return Markdown tables of the methods, then of the last method by type, language and difficulty."""
    rows = [_row(method, figures(titles, made)) for method, made in guesses.items()]
    text = [f"### {name}", _table("method", rows)]
    *_, last = guesses.values()
    for what, values in parts(titles).items():
        some = [_row(v, figures([titles[k] for k in at], [last[k] for k in at])) for v, at in values.items()]
        if len(some) > 1:
            text.append(_table(what, some))
    return "\n\n".join(text)


def _row(name: str, one: Figures) -> str:
    shares = " | ".join(f"{v:.3f}" for v in (one.strict, one.also, one.macro_f1, one.sure, one.calibration))
    return f"| {name} | {one.titles:,} | {shares} |"


def _table(what: str, rows: Sequence[str]) -> str:
    head = f"| {what} | titles | strict | acceptable | macro F1 | of the surest 60 % | calibration error |"
    return "\n".join([head, "|---|---:|---:|---:|---:|---:|---:|", *rows])
