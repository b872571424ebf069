"""A small model of a single user's corrections, which carries them to similar entries.

It is a logistic regression on a title's words and letters, the classifier's label, the calendar and the context. Its
scores are added to 0.3 times the logarithms of the classifier's probabilities. An entry that resembles no corrected
entry keeps its label. The model is fitted anew in well under a second. It is used only if earlier corrections foretell
later ones.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bridge.calendar.corrections import BY, words
from bridge.domain.languages import say
from bridge.domain.ports import Invitation
from bridge.domain.types import Label
from rhythm_env.interface import ActionType

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEWEST = 5  # corrections with an action, below which nothing is learnt
MOST = 400  # corrections that are read, the newest
MOST_LEFT = 200  # titles without correction that are read
LEFT_WEIGHT = 0.3  # a label that was not corrected was perhaps not seen
TRUST = 0.3  # weight of the classifier's logarithm
STRENGTH = 8.0  # inverse of the regularisation
BUCKETS = 1 << 15
LETTERS, SHOWN = 0.6, 0.2  # lengths of a title's letters and of each fact, where that of its words is 1
SUREST = 0.9
HALF, CLOSEST = 0.5, 0.7  # the most that a runner-up has of what is left, and of the first
LONG_MINUTES = 240
EVENING, OFFICE, SATURDAY = 18, range(8, 18), 5
ACTIONS = tuple(ActionType)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A calendar entry as the model of corrections sees it.

    It has the classifier's label, and facts such as "evening" or its calendar.
    """

    title: str
    label: Label
    facts: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """A calendar entry with the action that the user gave it in place of the classifier's."""

    case: Case
    action: ActionType


def case(event: Invitation, label: Label, calendar: str = "") -> Case:
    """Return a calendar entry as the model of corrections sees it: its title, the classifier's label, and facts.

    ``calendar`` is the calendar's key, or empty to leave the calendar out of the facts. "long" means four hours or
    more, and "evening" a start from 18:00 on. "office hours" means a start from 8:00 on and before 18:00, Monday to
    Friday.
    """
    late = event.start_hour is not None and event.start_hour >= EVENING
    work = event.start_hour in OFFICE and event.weekday is not None and event.weekday < SATURDAY
    shown = {
        "all day": event.all_day,
        "long": not event.all_day and (event.minutes or 0) >= LONG_MINUTES,
        "others": event.others > 0,
        "repeats": event.recurring,
        "place": event.located,
        "evening": late,
        "office hours": work,
        f"calendar {calendar}": bool(calendar),
    }
    return Case(title=event.title, label=label, facts=frozenset(name for name, true in shown.items() if true))


def likened(asked: Sequence[Case], made: Sequence[Corrected], left: Sequence[Case]) -> list[Label | None]:
    """Return a label for each of ``asked`` that the user's corrections change, and None for the rest.

    ``made`` are the corrected entries, newest first, of which the first 400 are read. ``left`` are entries that the
    user did not correct, of which the first 200 are read. All are None with fewer than five corrections. The same holds
    if the earlier half of the corrections does not foretell the later half.
    """
    made, left = made[:MOST], _distinct(left)[:MOST_LEFT]
    if len(made) < FEWEST or not asked or not _foretells(made, left):
        return [None] * len(asked)
    different = _distinct(asked)
    known = dict(zip(different, _labels(different, made, left), strict=True))
    return [known[one] for one in asked]


def _distinct(cases: Sequence[Case]) -> list[Case]:
    return list(dict.fromkeys(cases))


def _foretells(made: Sequence[Corrected], left: Sequence[Case]) -> bool:
    """Return True if the earlier half of the corrections foretells the later half.

    The share of later corrections that come out right must reach the share of uncorrected entries that would change.
    ``made`` are the newest first.
    """
    half = len(made) // 2
    later, earlier = made[:half], made[half:]
    found = _labels([one.case for one in later], earlier, left)
    hits = sum(label is not None and label.action is one.action for one, label in zip(later, found, strict=True))
    apart = left[1::2]
    changed = sum(label is not None for label in _labels(apart, earlier, left[::2]))
    return hits * max(len(apart), 1) >= changed * len(later)


def _labels(asked: Sequence[Case], made: Sequence[Corrected], left: Sequence[Case]) -> list[Label | None]:
    """Return for each of ``asked`` the label that the corrections give it, or None to keep the classifier's.

    ``made`` are corrected entries, and ``left`` entries that the user did not correct. The label is None where both
    actions agree, and where the classifier sees no activity. All are None if there is a single action to learn.
    """
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    taught = [*(one.case for one in made), *left]
    truth = [ACTIONS.index(one.action) for one in made] + [_first(one) for one in left]
    if len(set(truth)) < 2 or not asked:
        return [None] * len(asked)
    weights = np.array([1.0] * len(made) + [LEFT_WEIGHT] * len(left))
    features = _features([*taught, *asked])
    seen = features[:, np.unique(features[: len(taught)].indices)]  # the weight of any other feature would stay 0
    model = LogisticRegression(C=STRENGTH, fit_intercept=False, max_iter=200)
    model.fit(seen[: len(taught)], truth, sample_weight=weights)
    scores = TRUST * np.log(_shares(asked))
    scores[:, model.classes_] += _scores(model.decision_function(seen[len(taught) :]))
    given = {one.action for one in made}
    return [_label(one, row, given) for one, row in zip(asked, scores, strict=True)]


def _scores(decided: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the scores (entry, class) of a fitted model.

    A model of two classes decides by a single number, which is split into both classes.
    """
    import numpy as np

    return decided if decided.ndim > 1 else np.stack([-decided / 2, decided / 2], axis=1)


def _features(cases: Sequence[Case]) -> Any:
    """Return the words, letters and facts of entries as a sparse matrix (entry, feature).

    The classifier's label is among the facts.
    """
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.pipeline import FeatureUnion, make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    titles = FunctionTransformer(lambda found: [one.title for one in found])
    facts = FunctionTransformer(lambda found: [dict.fromkeys(_shown(one), SHOWN) for one in found])
    by_word = HashingVectorizer(n_features=BUCKETS, alternate_sign=False, tokenizer=words, token_pattern=None)
    by_letter = HashingVectorizer(n_features=BUCKETS, alternate_sign=False, analyzer="char_wb", ngram_range=(3, 4))
    parts = {"words": (titles, by_word), "letters": (titles, by_letter), "facts": (facts, DictVectorizer())}
    union = FeatureUnion([(name, make_pipeline(*steps)) for name, steps in parts.items()])
    return union.set_params(transformer_weights={"letters": LETTERS}).fit_transform(cases)


def _shown(one: Case) -> list[str]:
    return [*one.facts, f"label {one.label.action}"]


def _shares(cases: Sequence[Case]) -> NDArray[np.float64]:
    """Return the probability (entry, action) that the classifier's label tells.

    Its action has the label's confidence. The runner-up gets half of what is left, but at most 0.7 times the
    confidence. All actions share the rest. Each row sums to 1.
    """
    import numpy as np

    found = np.zeros((len(cases), len(ACTIONS)))
    for row, one in zip(found, cases, strict=True):
        first = one.label.confidence
        row += 1e-3
        if one.label.action is not None:
            row[_first(one)] += first
        second = 0.0
        if one.label.runner_up is not None:
            second = min(HALF * (1 - first), CLOSEST * first)
            row[ACTIONS.index(one.label.runner_up)] += second
        row += (1 - first - second) / len(ACTIONS)
    shares: NDArray[np.float64] = found / found.sum(axis=1, keepdims=True)
    return shares


def _first(one: Case) -> int:
    """Return the number of the label's action. Without an action, it is that of ADMIN_WORK."""
    return ACTIONS.index(one.label.action or ActionType.ADMIN_WORK)


def _label(one: Case, scores: NDArray[np.float64], given: Collection[ActionType]) -> Label | None:
    """Return the label of an entry whose action has the best of ``scores``, which are by action.

    Only ``given``, the actions that the user gave, and the classifier's own are compared. Returns None if the
    classifier's own is best, or if it named no action. The confidence is at most 0.9.
    """
    import numpy as np

    if one.label.action is None:
        return None
    best = max({*given, one.label.action}, key=lambda action: (scores[ACTIONS.index(action)], action))
    if best is one.label.action:
        return None
    likely = float(np.exp(scores[ACTIONS.index(best)] - np.logaddexp.reduce(scores)))
    why = say("like entries you corrected")
    return Label(action=best, confidence=round(min(likely, SUREST), 3), by=BY, why=why, runner_up=one.label.action)
