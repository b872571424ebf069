"""Changes as the page of trends tells them: what may explain one is named, and nothing that is always there."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pytest

from bridge import installation
from bridge.domain.facts import fact
from bridge.domain.languages import shown, speaking
from bridge.domain.metrics import Metric
from bridge.domain.records import User
from bridge.domain.rendering import told as told_fact
from bridge.domain.types import RawRecord, Sample
from bridge.web.pages import trends
from rhythm_env.interface import Meter
from tests.web.served import Place, Visitor

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


def test_a_slope_that_is_sure_stands_beside_no_other_verdict() -> None:
    given = body([])
    assert trends.change_in(given, "stress", 12, is_sure=True) is None
    assert trends.change_in(given, "serenity", 12, is_sure=True) == trends.change_in(given, "serenity", 12)


@pytest.mark.parametrize(("rise", "sure"), [(0.07, True), (-0.07, True), (0.0, False)])
def test_a_question_for_a_trend_gets_one_verdict(
    place: Place, ana: User, visitor: Visitor, rise: float, sure: bool
) -> None:
    """A slow rise is surer than a step on any day of it, so that "yes" stood beside "no change"."""
    draw, now = random.Random(3), installation.now()
    days = [now.date() - timedelta(days=ago) for ago in range(80, 0, -1)]
    rows = [
        Sample(
            key=str(day),
            metric=Metric.HRV_RMSSD,
            start=datetime.combine(day, time(5), UTC),
            day=day,
            value=60 + rise * number + draw.gauss(0, 3),
        )
        for number, day in enumerate(days)
    ]
    store, by_key = place.bridge.store, {row.key: row for row in rows}
    connection = store.connections.connect(ana.id, "whoop", "account", now=now)
    records = [RawRecord(stream="all", key=key, payload={}) for key in by_key]
    store.ingest.land(connection, records, lambda record, _: [by_key[record.key]], now=now, version=1)
    for asked in ("is my HRV going up?", "is my HRV going down?", "HRV trend", "HRV-Trend"):
        shown = visitor.get("/ask", params={"text": asked}).text
        assert "HRV" in shown.partition('<h2 id="answer-head')[2], asked
        assert ("may be chance" in shown, "could not explain" in shown) == (not sure, not sure), asked


def test_a_sport_is_named_in_the_language_of_the_page() -> None:
    known = body([(60, "weightlifting", 1), (61, "Unicycling with Ann", 1), (62, "running", 1)])
    for one in known["happenings"][:2]:
        one["kind"] = "workout"
    with speaking("de"):
        assert [one for one in trends._happenings(known) if one] == ["Gewichtheben", "Unicycling with Ann", "running"]
        assert trends._charts(known)["sports"]["weightlifting"] == "Gewichtheben"
        last = fact("last_sport", days=3, title="weightlifting")
        assert shown(told_fact(last)) == "das letzte Mal war vor 3 Tagen (Gewichtheben)"
