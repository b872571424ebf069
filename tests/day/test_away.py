"""Away from home, sport has neither the hour nor the kind that it has at home."""

import pytest

from bridge.day.body import Mode, ModeKind
from bridge.domain.wishes import Wishes
from rhythm_env.interface import ActionType

from .lives import DAY, TODAY, nights, whole_day, workout
from .persons import blocks, found, person

A = ActionType
CLIMBS = [workout(TODAY - back * DAY, 1110, 90, "climbing") for back in range(7, 50, 7)]


def climber(*agenda, **of):
    return person(*agenda, hour=16, episodes=[*nights(30, -60, 420), *CLIMBS], **of)


@pytest.mark.parametrize("goals", [{}, {A.EXERCISE: 3}])
def test_sport_away_is_what_is_wished_and_not_what_is_usual_at_home(goals):
    mode, wishes = Mode(kind=ModeKind.AWAY, since=TODAY - DAY, until=TODAY + DAY, said=True), Wishes(goals=goals)
    home = [block for block in blocks(climber(wishes=wishes), "suggested") if block.action is A.EXERCISE]
    assert [block.title for block in home] == ["climbing"]
    away = climber(wishes=wishes, mode=mode)
    planned = [block for block in blocks(away, "suggested") if block.action is A.EXERCISE]
    assert [block.title for block in planned] == [None] * bool(goals)
    if goals:
        assert "climbing" not in [one.what for one in found(away)[0].values()]
    else:
        assert found(away)[1][A.EXERCISE].kind == "away"


SEPARATOR = "; "
AWAY = (
    "Trip to Rome; Business trip; Hotel Ibis Lyon; Airbnb Lisbon; Weekend in Leeds; Dienstreise Wien; Städtetrip Prag; "
    "Hotel Krone; Urlaub in Dänemark; Kurzreise; Déplacement à Lyon; Vacances à Nice; Viaggio a Roma; Viaje a Madrid"
).split(SEPARATOR)
AT_HOME = (
    "Plan trip to Rome; Book hotel; Pack for the trip; Mia's school trip; Trip insurance form; Reise planen; "
    "Reisekosten abrechnen; Hotel buchen; Klassenfahrt Reise Jonas zurück; Réserver l'hôtel; Stripes party; Birthday"
).split(SEPARATOR)


@pytest.mark.parametrize("days", [1, 3])
@pytest.mark.parametrize(("titles", "stays"), [(AWAY, True), (AT_HOME, False)])
def test_an_all_day_entry_of_a_stay_is_away(titles, stays, days):
    for title in titles:
        one = climber(whole_day(TODAY, title, days=days))
        assert one.away(TODAY) is stays, title
        assert not one.away(TODAY + days * DAY), title
        assert (found(one)[1].get(A.EXERCISE) is not None and found(one)[1][A.EXERCISE].kind == "away") is stays, title
