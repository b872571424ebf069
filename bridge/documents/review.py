"""JSON documents of weekly reviews."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typing_extensions import TypedDict

from bridge.advice.review_figures import clock
from bridge.advice.review_summary import summary
from bridge.advice.review_words import counts
from bridge.documents.recommendations import PastRecommendationDocument, past_document
from bridge.domain.slots import local_time

if TYPE_CHECKING:
    from datetime import date

    from bridge.advice.review_words import Compared, Review
    from bridge.domain.records import User
    from rhythm_env.interface import ActionType


class FigureDocument(TypedDict):
    """A number of the week. ``usual`` is its mean over the same part of the four weeks before. Null means unknown."""

    value: float | None
    usual: float | None


class LevelDocument(TypedDict):
    """A meter's mean level in the week, and in the four weeks before (``usual``).

    ``days`` counts the days of the week with a level.
    """

    mean: float | None
    usual: float | None
    days: int


class SleepDocument(TypedDict):
    """The nights that ended in the week: their number, minutes asleep, and times of falling asleep.

    ``bedtime`` is the mean time of falling asleep as ``HH:MM``, and ``usual_bedtime`` that of the four weeks before.
    ``bedtime_sd_min`` is the standard deviation of these times in minutes, null below three nights.
    """

    nights: int
    asleep_min: FigureDocument
    bedtime: str | None
    usual_bedtime: str | None
    bedtime_sd_min: FigureDocument


class GoalDocument(TypedDict):
    """The number of times that an action was ``done`` in the week, and the number ``wanted`` by the user.

    ``since`` is the date from which it is counted, if the goal was set during the week.
    """

    done: int
    wanted: int
    since: str | None


class EffectDocument(TypedDict):
    """A measured effect of recommending an action instead of others, with its 95 % interval.

    For the outcome ``taken``, it is the logarithm of a ratio of probabilities. For other outcomes it is a difference.
    """

    action: str
    outcome: str
    effect: float
    ci95: list[float]


# "from" and "try" cannot be written as attributes of a class
ReviewDocument = TypedDict(
    "ReviewDocument",
    {
        "user": str,
        "week": str,
        "from": str,
        "to": str,
        "summary": list[str],
        "advised": list[PastRecommendationDocument],
        "counts": dict[str, int],
        "meters": dict[str, LevelDocument],
        "sleep": SleepDocument,
        "done": dict[str, FigureDocument],
        "goals": dict[str, GoalDocument],
        "effects": list[EffectDocument],
        "try": list[str],
    },
)


def review_document(review: Review, user: User) -> ReviewDocument:
    """Return a weekly review as a JSON document with rounded figures."""
    sleep = review.sleep
    return {
        "user": user.name,
        "week": week_name(review.monday),
        "from": local_time(review.start, user.zones).isoformat(timespec="seconds"),
        "to": local_time(review.until, user.zones).isoformat(timespec="seconds"),
        "summary": summary(review),
        "advised": [past_document(one, user, now=review.until) for one in review.advised],
        "counts": counts(review.advised),
        "meters": {
            str(meter): {"mean": _rounded(of.value, 3), "usual": _rounded(of.usual, 3), "days": of.days}
            for meter, of in review.meters.items()
        },
        "sleep": {
            "nights": sleep.asleep.days,
            "asleep_min": _figure(sleep.asleep),
            "bedtime": None if sleep.bedtime.value is None else clock(sleep.bedtime.value),
            "usual_bedtime": None if sleep.bedtime.usual is None else clock(sleep.bedtime.usual),
            "bedtime_sd_min": _figure(sleep.spread),
        },
        "done": {name: _figure(of) for name, of in review.done.items()},
        "goals": {str(action): _goal(review, action) for action in review.goals},
        "effects": [
            {
                "action": str(effect.action),
                "outcome": effect.outcome,
                "effect": round(effect.effect, 3),
                "ci95": [round(effect.low, 3), round(effect.high, 3)],
            }
            for effect in review.effects
        ],
        "try": list(review.ideas),
    }


def _goal(review: Review, action: ActionType) -> GoalDocument:
    (done, wanted), since = review.goals[action], review.since.get(action)
    return {"done": done, "wanted": wanted, "since": None if since is None else since.isoformat()}


def week_name(monday: date) -> str:
    """Return the name of the week that begins on a Monday, as ISO 8601 writes it, such as ``2026-W47``."""
    year, number, _ = monday.isocalendar()
    return f"{year}-W{number:02}"


def _figure(of: Compared) -> FigureDocument:
    return {"value": _rounded(of.value, 1), "usual": _rounded(of.usual, 1)}


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
