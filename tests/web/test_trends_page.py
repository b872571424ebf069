"""Changes as the page of trends tells them: what may explain one is named, and nothing that is always there."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from bridge.domain.facts import fact
from bridge.domain.languages import shown, speaking
from bridge.domain.rendering import told as told_fact
from bridge.web.pages import trends
from rhythm_env.interface import Meter

FIRST, DAYS = date(2026, 1, 1), 120


def body(happenings: list[tuple[int, str, int]], *, watch: range = range(DAYS)) -> dict[str, Any]:
    levels = [0.7 + 0.01 * (day % 3) + (0.15 if day >= 60 else 0.0) for day in range(DAYS)]
    days = [str(FIRST + timedelta(days=day)) for day in range(DAYS)]
    row = {"metric": "stress", "unit": "points", "source": "garmin", "meters": ["SERENITY"]}
    return {
        "days": days,
        "meters": {str(meter): {"level": levels, "validated": True} for meter in Meter},
        "inputs": [{**row, "values": [30.0 + day % 5 if day in watch else None for day in range(DAYS)]}],
        "planned_hours": {},
        "happenings": [
            {"day": days[day], "kind": "entry", "title": title, "days": length, "hours": None, "private": False}
            for day, title, length in happenings
        ],
    }


def told(*given: Any, **also: Any) -> dict[str, str | None]:
    return {one["said"]: one["around"] for one in trends._charts(body(*given, **also))["changes"]}


def test_only_what_lasts_or_is_new_may_explain_a_change() -> None:
    often = [(day, "Bins", 1) for day in range(0, DAYS, 7)]
    new = [(day, "Night class", 1) for day in range(62, DAYS, 7)]
    found = told([(60, "Ben's birthday", 1), (61, "Camp", 5), *often, *new])
    assert len(found) == len(Meter)
    assert all(around is not None and "Camp (3 Mar)" in around for around in found.values())
    assert all("Night class (4 Mar)" in (around or "") for around in found.values())
    assert not any("birthday" in (around or "") or "Bins" in (around or "") for around in found.values())


def test_a_change_that_surely_began_on_a_day_names_that_day_alone() -> None:
    assert all(said.endswith("; it began on 2 Mar).") for said in told([]))


def test_another_zone_beside_a_change_is_told_as_the_clock_that_was_set() -> None:
    given = body([(60, "Europe/London", 1)])
    given["happenings"][0]["kind"] = "zone"
    for one in trends._charts(given)["changes"]:
        assert "the clock was set to Europe/London (2 Mar)" in (one["around"] or "")


def test_no_change_is_told_where_the_watch_of_a_meter_ends() -> None:
    found = told([], watch=range(60))
    assert len(found) == len(Meter) - 1
    assert not any("serenity" in said for said in found)


def test_ask_tells_the_change_that_trends_tells() -> None:
    given, around = body([]), told([])
    assert trends.change_in(given, "serenity", 12) in {
        f"The clearest change of the last 12 weeks: {said}" for said in around
    }
    flat = "In the last 12 weeks there is no change that chance could not explain."
    assert trends.change_in(given, "stress", 12) == flat
    given["inputs"][0]["values"] = [30.0 + day % 5 + (20 if day >= 60 else 0) for day in range(DAYS)]
    assert "+20 points since 2 Mar against before" in (trends.change_in(given, "stress", 12) or "")
    assert trends.change_in(given, "nights.start", 12) is None


def test_a_sport_is_named_in_the_language_of_the_page() -> None:
    known = body([(60, "weightlifting", 1), (61, "Unicycling with Ann", 1), (62, "running", 1)])
    for one in known["happenings"][:2]:
        one["kind"] = "workout"
    with speaking("de"):
        assert [one for one in trends._happenings(known) if one] == ["Gewichtheben", "Unicycling with Ann", "running"]
        assert trends._charts(known)["sports"]["weightlifting"] == "Gewichtheben"
        last = fact("last_sport", days=3, title="weightlifting")
        assert shown(told_fact(last)) == "das letzte Mal war vor 3 Tagen (Gewichtheben)"
