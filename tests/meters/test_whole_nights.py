"""A night that a device wrote in pieces is one, by the rule that also tells naps, wherever nights are read."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import permutations

import pytest

from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, EpisodeKind
from bridge.meters.daily import figures
from bridge.meters.nights import Nights
from bridge.meters.overlaps import once, whole_nights

DAY = date(2026, 3, 4)
MIDNIGHT = datetime(2026, 3, 3, 23, tzinfo=UTC)  # in Berlin


def sleep(begin: float, end: float, *, kind: EpisodeKind = EpisodeKind.SLEEP, device: str | None = None) -> Episode:
    """Asleep from and to an hour of the local day, a tenth of it awake."""
    minutes = (end - begin) * 60
    values = {Metric.ASLEEP: minutes * 0.9, Metric.AWAKE: minutes * 0.1, Metric.IN_BED: minutes}
    start, over = (MIDNIGHT + timedelta(hours=hours) for hours in (begin, end))
    return Episode(
        key=f"{begin}", kind=kind, start=start, end=over, offset=60, day=DAY, values=values, device=device
    )  # fmt: skip


def joined(*episodes: Episode) -> list[tuple[float, float]]:
    found = whole_nights([("watch", one) for one in episodes])
    return [
        ((one.start - MIDNIGHT) / timedelta(hours=1), (one.end - MIDNIGHT) / timedelta(hours=1)) for _, one in found
    ]


NAP = EpisodeKind.NAP


@pytest.mark.parametrize(
    ("episodes", "expected"),
    [
        ([sleep(-0.5, 4), sleep(5, 9)], [(-0.5, 9)]),  # awake for an hour at night
        ([sleep(-1, 3), sleep(3.5, 5), sleep(5.5, 7)], [(-1, 7)]),  # three pieces
        ([sleep(-1, 3), sleep(4.5, 7, kind=NAP)], [(-1, 7)]),  # its source calls the second piece a nap
        ([sleep(-1, 3), sleep(4.5, 5.5)], [(-1, 3), (4.5, 5.5)]),  # a pause longer than the piece
        ([sleep(-3, 1), sleep(3.5, 7)], [(-3, 1), (3.5, 7)]),  # more than two hours awake
        ([sleep(-1, 7.5), sleep(8.5, 10)], [(-1, 7.5), (8.5, 10)]),  # a nap in the morning
        ([sleep(-5, -3.5), sleep(-2.5, 6)], [(-5, -3.5), (-2.5, 6)]),  # a nap in the evening
        ([sleep(2, 5, kind=NAP), sleep(5.5, 7, kind=NAP)], [(2, 5), (5.5, 7)]),  # no main sleep among them
        ([sleep(1, 8.5), sleep(9, 13)], [(1, 8.5), (9, 13)]),  # two long sleeps by day, as after a flight
        ([sleep(-1, 3), sleep(2.5, 7)], [(-1, 3), (2.5, 7)]),  # recordings that overlap are told apart elsewhere
        ([sleep(-1, 3, device="a"), sleep(3.5, 7, device="b")], [(-1, 3), (3.5, 7)]),
    ],
)
def test_pieces_of_a_night_are_told_from_naps(episodes: list[Episode], expected: list[tuple[float, float]]) -> None:
    for order in permutations(episodes):
        assert joined(*order) == expected


def test_nights_on_both_sides_of_a_flight_are_two() -> None:
    flown = replace(sleep(5, 10), offset=-300)
    assert joined(sleep(-1, 4), flown) == [(-1, 4), (5, 10)]
    assert joined(sleep(-1, 4), replace(flown, offset=0)) == [(-1, 10)]


def test_the_values_of_pieces_add_up_and_the_pause_is_awake() -> None:
    (night,) = (one for _, one in whole_nights([("watch", sleep(-0.5, 4)), ("watch", sleep(5, 9))]))
    assert night.values == {
        Metric.ASLEEP: pytest.approx(459),
        Metric.AWAKE: pytest.approx(111),
        Metric.IN_BED: pytest.approx(570),
        Metric.SLEEP_EFFICIENCY: pytest.approx(100 * 459 / 570),
    }
    assert whole_nights([("watch", night)]) == [("watch", night)]


def test_days_meters_and_plans_read_the_same_night() -> None:
    told = [("watch", sleep(-0.5, 4)), ("watch", sleep(5, 9))]
    figure = figures([], told)[DAY, "watch"][Metric.ASLEEP]
    night = Nights(told, ()).counted()[DAY]
    ((_, one),) = whole_nights(once(told))
    assert figure.value == night.asleep * 60 == one.values[Metric.ASLEEP] == pytest.approx(459)
    assert night.end == one.end == MIDNIGHT + timedelta(hours=9)
