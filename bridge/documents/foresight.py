"""JSON documents of how well a policy forecast a user's answers."""

from __future__ import annotations

from typing_extensions import TypedDict

from bridge.advice.foresight import Foresight
from bridge.documents.connections import ConnectionDocument, bare_row
from bridge.documents.filling import filled

DIGITS = 4


class WeekDocument(TypedDict):
    """The answers of the week that begins on ``monday``.

    ``foretold`` is the mean forecast probability of acceptance, and ``taken`` the share that was accepted.
    """

    monday: str
    answers: int
    foretold: float
    taken: float


class ForesightDocument(TypedDict):
    """The Brier scores (0 is perfect) of a policy's forecasts of a user's answers.

    ``brier_of_usual`` is the score of always forecasting the user's share of acceptance. Both are null without an
    answer.
    """

    verdict: str
    answers: int
    brier: float | None
    brier_of_usual: float | None
    weeks: list[WeekDocument]


class ForesightStatusDocument(ConnectionDocument):
    """A row of the table of connections that tells how well a policy forecast the user's answers.

    ``rows`` is the number of answers. All times are null.
    """

    foretold: ForesightDocument


def foresight_document(found: Foresight) -> ForesightDocument:
    """Return how well a policy forecast a user's answers as a JSON document, rounded to four decimals."""
    known = found.answers > 0
    return {
        "verdict": found.verdict,
        "answers": found.answers,
        "brier": round(found.score, DIGITS) if known else None,
        "brier_of_usual": round(found.usual, DIGITS) if known else None,
        "weeks": [
            filled(WeekDocument, week, foretold=round(week.foretold, DIGITS), taken=round(week.taken, DIGITS))
            for week in found.weeks
        ],
    }


def foresight_status(found: Foresight) -> list[ForesightStatusDocument]:
    """Return a list with a row for the table of connections, or an empty list if no answers were forecast."""
    if not found.answers:
        return []
    return [{**bare_row("advice", "answers", {"answers": found.answers}), "foretold": foresight_document(found)}]
