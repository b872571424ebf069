"""Tell what no source of a person ever told: workouts, a sport, entries, tasks, or a figure of workouts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING

from bridge.domain import sports
from bridge.domain.languages import Text, listed, say
from bridge.domain.sport_names import sport_name
from bridge.domain.types import EpisodeKind
from bridge.query.model import WORKOUT_METRICS, Kind, Query
from bridge.query.tables import Row
from bridge.query.understood import ROWS, metric_name

if TYPE_CHECKING:
    from bridge.domain.records import User
    from bridge.installation import Bridge


def unreached(bridge: Bridge, user: User, query: Query, workouts: Sequence[Row]) -> Text | None:
    """Return a text why no workout, entry or task is known for a query, or None if some may be."""
    kind, daily = query.subject.kind, bridge.store.daily
    first = daily.first_event(user.id) if kind is Kind.ENTRIES else None
    if first and query.until and query.until < first - timedelta(days=1):  # a day of another zone may be the one before
        return say("no calendar of yours reaches back that far")
    untold = kind is Kind.WORKOUTS and not daily.told_episode(user.id, EpisodeKind.WORKOUT)
    untold = untold or (kind is Kind.ENTRIES and first is None)
    untold = untold or (kind is Kind.TASKS and not bridge.store.reading.tasks(user.id))
    if untold or kind is not Kind.WORKOUTS:
        return say("none of your sources told {what}", what=ROWS[kind]) if untold else None
    named = next((one.values for one in query.where if one.name == "workout.sport" and one.operator == "="), ())
    asked, figures = [str(one) for one in named], _figures_asked(query)
    if not asked or all(_told_figures(workouts, asked, figures)):
        return None
    ever = daily.episodes(user.id, (EpisodeKind.WORKOUT,), since=date.min, until=date.max)
    rows = [Row(date.min, fields.get("values", {}), fields.get("label")) for _, fields in ever]
    any_told, *each = _told_figures(rows, asked, figures)
    sport = listed([*map(sport_name, asked)])
    if not any_told:
        return say("none of your sources told a workout of {sport}", sport=sport)
    missing = next((metric_name(one) for one, told in zip(figures, each, strict=True) if not told), None)
    return say("none of your sources told {what}, for {sport}", what=missing, sport=sport) if missing else None


def _figures_asked(query: Query) -> Sequence[str]:
    """Return the fields of workouts that a query asks for and that a source may leave out, such as the distance."""
    subjects = [f"workout.{part.field}" for part in query.subjects if part.kind is Kind.WORKOUTS]
    asked = dict.fromkeys([*(condition.name for condition in query.conditions), *subjects])
    return [one for one in asked if one.removeprefix("workout.") in WORKOUT_METRICS and one.startswith("workout.")]


def _told_figures(workouts: Iterable[Row], asked: Sequence[str], figures: Sequence[str]) -> list[bool]:
    """Return whether there is a workout of the sports, or of any without sports, and whether one has each figure."""
    rows = [row for row in workouts if not asked or any(sports.is_sport(row.name, one) for one in asked)]
    metrics = [WORKOUT_METRICS[figure.removeprefix("workout.")] for figure in figures]
    return [bool(rows), *(any(not row.values.keys().isdisjoint(told) for row in rows) for told in metrics)]


def never_told(bridge: Bridge, user: User, query: Query, workouts: Sequence[Row]) -> Iterator[str]:
    """Yield the figures of workouts that a query asks for and that no workout of the user ever had."""
    figures = _figures_asked(query)
    if not figures or all(_told_figures(workouts, (), figures)):
        return
    ever = bridge.store.daily.episodes(user.id, (EpisodeKind.WORKOUT,), since=date.min, until=date.max)
    known, *each = _told_figures([Row(date.min, fields.get("values", {})) for _, fields in ever], (), figures)
    yield from (one for one, told in zip(figures, each, strict=True) if known and not told)
