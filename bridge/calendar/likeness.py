"""Predict labels of entries from a user's corrections of similar entries, and choose entries to ask about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from bridge.calendar.corrections import BY, words
from bridge.domain.languages import say
from bridge.domain.ports import Invitation
from bridge.domain.types import Label
from rhythm_env.interface import ActionType

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


FEWEST = 3  # answers with an action, below which nothing is learnt
MOST = 400  # answers that are read, the newest
TRUST = 0.5  # weight of the classifier's logarithms
STIFFNESS = 0.3  # weight of the squared scores against an answer's surprise
SAME_CALENDAR, SAME_FACT, ANYTHING = 0.1, 0.05, 0.1  # likeness by these, where equal words and equal letters are 1 each
BUCKETS = 1 << 16
ROUNDS, CLOSE = 60, 1e-6
FLOOR = 1e-4
SUREST = 0.9
HALF, CLOSEST = 0.5, 0.7  # the most that a runner-up has of what is left, and of the first
EARLY, EVENING, SATURDAY = 8, 18, 5
ACTIONS = tuple(ActionType)
MOST_READ = 1500  # entries that are compared, those with most weight
NOISE = 0.3  # variance of an answer, where that of a lone word is 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A calendar entry as input of the prediction, with title, the classifier's label and facts such as "evening"."""

    title: str
    label: Label
    facts: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    case: Case
    action: ActionType


def case(event: Invitation, label: Label, calendar: str = "") -> Case:
    """Return a calendar entry as input of the prediction. An entry without a time has no facts.

    ``calendar`` is the calendar's key, or empty to ignore the calendar.
    """
    facts = []
    if event.all_day or event.start_hour is not None:
        hour = event.start_hour if event.start_hour is not None else -1
        part = "early" if hour < EARLY else "evening" if hour >= EVENING else "by day"
        facts = [
            "all day" if event.all_day else part,
            "timed" if not event.all_day else "whole",
            "weekend" if (event.weekday or 0) >= SATURDAY else "weekday",
            "with others" if event.others > 0 else "alone",
        ]
    return Case(title=event.title, label=label, facts=frozenset([*facts, *([f"calendar {calendar}"] * bool(calendar))]))


def likened(asked: Sequence[Case], made: Sequence[Corrected], titles: Sequence[str]) -> list[Label | None]:
    """Return for each of ``asked`` the label predicted from the corrections ``made`` (newest first), or None.

    None keeps the entry's own label. Words that are rare among ``titles`` count more.
    """
    import numpy as np

    made = made[:MOST]
    different = list(dict.fromkeys(asked))
    if len(made) < FEWEST or not different:
        return [None] * len(asked)
    known = [one.case for one in made]
    space = Likeness([*titles, *(one.title for one in known)])
    taught, found = space.features(known), space.features(different)
    weights = _fitted((taught @ taught.T).toarray(), _logs(known), [ACTIONS.index(one.action) for one in made])
    scores = _logs(different) + np.asarray((found @ taught.T) @ weights)
    labels = {one: _label(one, row) for one, row in zip(different, scores, strict=True)}
    return [labels[one] for one in asked]


class Likeness:
    """The features of calendar entries, which are words, letters, facts and calendar.

    The dot product of two entries' features is their similarity. Words that are rare among ``titles`` count more.
    """

    def __init__(self, titles: Sequence[str]) -> None:
        from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer

        hashing = {"n_features": BUCKETS, "alternate_sign": False, "norm": None, "lowercase": False}
        self._parts = [
            HashingVectorizer(**hashing, tokenizer=_words, token_pattern=None),
            HashingVectorizer(**hashing, analyzer="char_wb", ngram_range=(3, 4), preprocessor=_plain),
        ]
        seen = sorted(set(titles))
        self._rarity = [TfidfTransformer(sublinear_tf=True).fit(part.transform(seen)) for part in self._parts]

    def features(self, cases: Sequence[Case]) -> Any:
        """Return the features of entries as a sparse matrix (entry, feature)."""
        from scipy.sparse import csr_array, hstack
        from sklearn.feature_extraction import FeatureHasher

        titles = [one.title for one in cases]
        text = [rare.transform(part.transform(titles)) for part, rare in zip(self._parts, self._rarity, strict=True)]
        facts = FeatureHasher(BUCKETS, alternate_sign=False).transform([_weighed(one.facts) for one in cases])
        return csr_array(hstack([*text, facts]))


@lru_cache(maxsize=1 << 14)
def _words(title: str) -> tuple[str, ...]:
    return tuple(words(title)) or (title.strip().casefold(),)


def _plain(title: str) -> str:
    return " ".join(_words(title))


def _weighed(facts: frozenset[str]) -> dict[str, float]:
    weights = {name: SAME_CALENDAR if name.startswith("calendar ") else SAME_FACT for name in facts}
    return {name: weight**0.5 for name, weight in (weights | {"anything": ANYTHING}).items()}


def _fitted(alike: Floats, logs: Floats, truth: Sequence[int]) -> Floats:
    import numpy as np
    from scipy.optimize import minimize

    wanted = np.eye(len(ACTIONS))[truth]

    def surprise(flat: Floats) -> tuple[float, Floats]:
        moved = alike @ flat.reshape(wanted.shape)
        scores = logs + moved
        total = np.logaddexp.reduce(scores, axis=1)
        slope = alike @ (np.exp(scores - total[:, None]) - wanted) + STIFFNESS * moved
        cost = total.sum() - (scores * wanted).sum() + STIFFNESS / 2 * (flat * moved.ravel()).sum()
        return float(cost), slope.ravel()

    options = {"maxiter": ROUNDS, "ftol": CLOSE}
    found = minimize(surprise, np.zeros(wanted.size), jac=True, method="L-BFGS-B", options=options)
    weights: Floats = found.x.reshape(wanted.shape)
    return weights


def _logs(cases: Sequence[Case]) -> Floats:
    import numpy as np

    logs: Floats = TRUST * np.log(shares(cases) + FLOOR)
    return logs


def shares(cases: Sequence[Case]) -> Floats:
    """Return the classifier's probability of each action as an array (entry, action) whose rows sum to 1."""
    import numpy as np

    found = np.zeros((len(cases), len(ACTIONS)))
    for row, one in zip(found, cases, strict=True):
        if one.label.shares:
            row += one.label.shares
            continue
        first = one.label.confidence
        row += 1e-3
        if one.label.action is not None:
            row[ACTIONS.index(one.label.action)] += first
        second = 0.0
        if one.label.runner_up is not None:
            second = min(HALF * (1 - first), CLOSEST * first)
            row[ACTIONS.index(one.label.runner_up)] += second
        row += (1 - first - second) / len(ACTIONS)
    told: Floats = found / found.sum(axis=1, keepdims=True)
    return told


def _label(one: Case, scores: Floats) -> Label | None:
    import numpy as np

    best = ACTIONS[int(scores.argmax())]
    if one.label.action is None or best is one.label.action:
        return None
    likely = float(np.exp(scores.max() - np.logaddexp.reduce(scores)))
    why = say("like entries you corrected")
    return Label(action=best, confidence=round(min(likely, SUREST), 3), by=BY, why=why, runner_up=one.label.action)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A series or single entry whose action the user may be asked about, and the number of its occurrences."""

    series: str
    case: Case
    times: int


def questions(open_ones: Sequence[Question], answered: Sequence[Case], count: int) -> list[Question]:
    """Return at most ``count`` of ``open_ones``, ordered by how much their action tells about the other entries.

    ``answered`` are entries whose action the user gave. By a greedy choice with a Gaussian process.
    """
    import numpy as np

    found = _distinct(open_ones, answered)
    if not found or count < 1:
        return []
    doubt = 1 - shares([one.case for one in found]).max(axis=1)
    weights = np.sqrt(np.array([one.times for one in found]) * doubt)
    kept = np.sort(np.argsort(-weights, kind="stable")[:MOST_READ])
    found, weights = [found[at] for at in kept], weights[kept]
    cases = [*(one.case for one in found), *answered]
    features = Likeness([one.title for one in cases]).features(cases)
    unknown = (features @ features.T).toarray() / NOISE
    for at in range(len(found), len(cases)):
        unknown = _told(unknown, at)
    chosen: list[int] = []
    for _ in range(min(count, len(found))):
        told = unknown[: len(found), : len(found)]
        gain = (weights[:, None] * told**2).sum(axis=0) / (told.diagonal() + 1)
        gain[chosen] = -1
        chosen.append(int(gain.argmax()))
        unknown = _told(unknown, chosen[-1])
    return [found[at] for at in chosen]


def _distinct(open_ones: Sequence[Question], answered: Sequence[Case]) -> list[Question]:
    said = {one.title.casefold() for one in answered}
    found: dict[str, Question] = {}
    for one in open_ones:
        title = one.case.title.casefold()
        if title and title not in said and one.case.label.action is not None:
            times = one.times + (found[title].times if title in found else 0)
            first = found.get(title, one)
            found[title] = Question(series=first.series, case=first.case, times=times)
    return list(found.values())


def _told(unknown: NDArray[np.float64], at: int) -> NDArray[np.float64]:
    import numpy as np

    left: NDArray[np.float64] = unknown - np.outer(unknown[:, at], unknown[at]) / (unknown[at, at] + 1)
    return left
