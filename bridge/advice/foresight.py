"""Measure how well policies predict answers, in comparison with always predicting the user's mean acceptance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from bridge.day.outcomes import as_answer
from bridge.domain.records import User
from bridge.domain.slots import INSTANT
from rhythm_env.interface import Answer

if TYPE_CHECKING:
    from bridge.store import Store

BACK = timedelta(weeks=8)
VERDICT_ANSWERS = 28  # answers that a verdict needs
FORETELLS = ("adaptive",)  # policies whose scores are probabilities of acceptance


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    """The answers of the week that begins on ``monday``.

    ``foretold`` is the mean predicted probability of acceptance, and ``taken`` the share that was accepted.
    """

    monday: date
    answers: int
    foretold: float
    taken: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Foresight:
    """The Brier score (0 is perfect) of a policy's predictions of a user's answers, and its means by week.

    ``usual`` is the score of always predicting the user's own share of acceptance.
    """

    answers: int
    score: float
    usual: float
    weeks: tuple[Week, ...]

    @property
    def verdict(self) -> str:
        """Return "well", "badly" or "no better than by your usual share", from ``score`` in comparison with ``usual``.

        With too few answers, the verdict is "not known yet".

        >>> Foresight(answers=40, score=0.3, usual=0.24, weeks=()).verdict
        'badly'
        """
        if self.answers < VERDICT_ANSWERS:
            return "not known yet"
        if self.score > self.usual * 1.1:
            return "badly"
        return "well" if self.score < self.usual * 0.95 else "no better than by your usual share"


Pair = tuple[date, float, bool]  # Monday, stated chance, taken


def foresight(store: Store, user: User, *, now: datetime) -> Foresight:
    """Return how well the policy ``adaptive`` predicted a user's recent answers. Scores are 0 without answers."""
    pairs: list[Pair] = []
    for one in store.recommendations.between(user.id, since=now - BACK, until=now + INSTANT):
        given, stated = as_answer(one, now), one.scores.get(str(one.action))
        if given is not None and stated is not None and one.policy.partition("@")[0] in FORETELLS:
            pairs.append((one.moment.week, stated, given is Answer.ACCEPT))
    return judged(pairs)


def counts(store: Store, *, now: datetime, most: int) -> dict[str, Any]:
    """Return the number of users by verdict and the Brier scores over all their answers, None without answers.

    At most ``most`` users are counted.
    """
    found = [foresight(store, user, now=now) for user in store.people.users()[:most]]
    answers = sum(one.answers for one in found)
    people: dict[str, int] = {}
    for one in found:
        people[one.verdict] = people.get(one.verdict, 0) + 1
    return {
        "people": people,
        "brier": sum(one.score * one.answers for one in found) / answers if answers else None,
        "brier_of_usual": sum(one.usual * one.answers for one in found) / answers if answers else None,
    }


def judged(pairs: Sequence[Pair]) -> Foresight:
    """Return Brier scores and weekly means of (Monday of the week, predicted probability, was accepted).

    >>> found = judged([(date(2026, 1, 5), 0.8, True), (date(2026, 1, 5), 0.2, False)])
    >>> round(found.score, 2), found.usual, found.weeks[0].taken
    (0.04, 0.25, 0.5)
    """
    share = sum(taken for _, _, taken in pairs) / max(len(pairs), 1)
    mondays = sorted({monday for monday, _, _ in pairs})
    return Foresight(
        answers=len(pairs),
        score=sum((chance - taken) ** 2 for _, chance, taken in pairs) / max(len(pairs), 1),
        usual=share * (1 - share),
        weeks=tuple(_week(monday, [pair for pair in pairs if pair[0] == monday]) for monday in mondays),
    )


def _week(monday: date, pairs: Sequence[Pair]) -> Week:
    n = len(pairs)
    return Week(
        monday=monday,
        answers=n,
        foretold=sum(chance for _, chance, _ in pairs) / n,
        taken=sum(taken for _, _, taken in pairs) / n,
    )
