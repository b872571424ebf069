"""``bridge note`` and ``bridge factors``: notes are kept, listed, taken back, and fields of queries."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest
from typer.testing import CliRunner

from bridge.cli import app
from bridge.domain.errors import SetupError
from bridge.ingest.notes import Note, record_note
from bridge.installation import open_bridge
from bridge.query.asking import typed
from bridge.query.factors import factors
from bridge.query.parse import Words
from tests.query.life import FIRST, at, life
from tests.query.wearer import land

EVENING = "2026-01-10T21:00:00+01:00"


@pytest.fixture
def ana(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installation with a life of three weeks, on the evening of its last day but one."""
    monkeypatch.setenv("BRIDGE_DATABASE", database_url)
    monkeypatch.setenv("BRIDGE_NOW", EVENING)
    with open_bridge() as bridge:
        user = bridge.store.people.add_user("ana", "Europe/Berlin", now=at(date(2025, 1, 1), "12:00"))
        land(bridge.store, user, list(life()))
        yield


def run(*words: str) -> Any:
    """What a command of ana's prints as JSON."""
    done = CliRunner().invoke(app, [*words, "--user", "ana", "--json"], catch_exceptions=False)
    assert done.exit_code == 0
    return json.loads(done.stdout)


def test_notes_are_kept_corrected_listed_and_taken_back(ana: None) -> None:
    assert run("note", "Alcohol 2")["outcome"] == "new"
    assert run("note", "alcohol 3")["outcome"] == "updated"
    assert run("note", "late  coffee", "--at", "2026-01-09T18:00:00+01:00")["amount"] == 1
    listed = run("note")
    assert [(one["name"], one["amount"], one["at"][:16]) for one in listed] == [
        ("alcohol", 3, "2026-01-10T21:00"),
        ("late coffee", 1, "2026-01-09T18:00"),
    ]
    assert run("note", "--undo")["outcome"] == "deleted"
    assert [one["name"] for one in run("note")] == ["late coffee"]
    assert run("note", "alcohol 1")["outcome"] in ("new", "updated")
    assert len(run("note")) == 2


@pytest.mark.parametrize("text", ["two bananas", "Zwei Bananas", "bananas 2", "deux bananas"])
def test_an_amount_may_be_a_word(ana: None, text: str) -> None:
    noted = run("note", text)
    assert (noted["name"], noted["amount"]) == ("bananas", 2)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("three beers last night", "noted: alcohol 3, yesterday 21:00, as no clock time was said\n"),
        ("2 coffees yesterday", "noted: coffee 2, yesterday 12:00, as no clock time was said\n"),
        ("late coffee at 17:00", "noted: late coffee 1, today 17:00\n"),
        ("sauna 2026-01-08", "noted: sauna 1, Thu 08 Jan 12:00, as no clock time was said\n"),
    ],
)
def test_what_is_kept_is_told_back(ana: None, text: str, told: str) -> None:
    assert CliRunner().invoke(app, ["note", text, "--user", "ana"]).stdout == told


def test_drinks_under_older_names_count_as_alcohol_and_late_coffees_as_coffee(ana: None) -> None:
    with open_bridge() as bridge:
        user = bridge.person("ana", at=at(date(2026, 1, 10), "21:00"))
        for n, name, amount in ((2, "beers", 3), (9, "wine 0.2l", 1), (3, "tassen kaffee um 17 uhr", 3)):
            said = Note(at=at(FIRST + timedelta(days=n), "20:00"), name=name, amount=amount)
            record_note(bridge.store, user, said, now=at(date(2026, 1, 10), "21:00"))
    run("note", "late coffee yesterday at 17:00")
    run("note", "two glasses of wine last night")
    assert run("ask", "on how many days did I drink alcohol")["value"] == 3
    assert run("ask", "how many coffees in the last 30 days")["value"] == 4
    assert run("query", "deep_sleep", "--where", "before.beers > 0", "--of", "count")["value"] == 1
    factors = {one["factor"] for one in run("factors")}
    assert {"alcohol", "coffee", "late coffee"} <= factors
    assert not {"beers", "wine 0.2l"} & factors


@pytest.mark.parametrize("words", [["3"], [""], ["a" * 61], ["a < 3"], ["wine 99999"], ["x", "--undo"]])
def test_what_is_no_note_is_refused(ana: None, words: list[str]) -> None:
    with pytest.raises(SetupError, match="bridge note"):
        run("note", *words)
    assert run("note") == []


def test_a_note_is_a_field_of_queries_of_its_evening(ana: None) -> None:
    for n in (2, 9, 16):
        run("note", "alcohol 2", "--at", at(FIRST + timedelta(days=n), "22:00").isoformat())
    run("note", "alcohol 1", "--at", at(FIRST + timedelta(days=10), "01:30").isoformat())  # still the evening before
    found = run("query", "deep_sleep", "--where", "before.alcohol > 0", "--of", "count")
    assert found["value"] == 3
    assert run("query", "steps", "--where", "alcohol >= 3")["value"] == 10_000
    assert (
        run("query", "steps", "--where", "alcohol = 0", "--of", "count")["value"] == 14
    )  # from the first on, where steps are known
    split = run("query", "deep_sleep", "--against", "before.alcohol > 0")
    assert [one["n"] for one in split["groups"]] == [3, 15]
    with pytest.raises(SetupError, match="alcohol"):
        run("query", "steps", "--where", "alcool > 0")


def test_a_late_workout_is_a_factor_without_a_note(ana: None) -> None:
    assert run("query", "steps", "--where", "late workouts > 0", "--of", "count")["value"] == 2


def test_effects_are_listed_as_promised(ana: None) -> None:
    assert {one["factor"] for one in run("factors")} == {"late workouts", "mindfulness"}
    for n in range(0, 20, 3):
        run("note", "alcohol", "--at", at(FIRST + timedelta(days=n), "20:00").isoformat())
    (asleep,) = (one for one in run("factors") if (one["factor"], one["on"]) == ("alcohol", "asleep"))
    assert asleep.keys() == {
        "factor", "on", "effect", "unit", "interval", "n_with", "n_without", "verdict", "days_left",
    }  # fmt: skip
    assert (asleep["effect"], asleep["verdict"], asleep["unit"], asleep["n_with"]) == (None, "not known", "min", 7)
    assert asleep["days_left"] > 0


def test_a_planted_effect_is_found_from_notes_and_nights(ana: None) -> None:
    with open_bridge() as bridge:
        user = bridge.person("ana", at=at(date(2026, 1, 10), "21:00"))
        days = [FIRST - timedelta(days=400 - n) for n in range(400)]
        land(bridge.store, user, list(_nights(days)))
        notes = [day for day in days if _drank(day)]
        for day in notes:
            said = Note(at=at(day, "20:00"), name="wine")
            record_note(bridge.store, user, said, now=at(date(2026, 1, 10), "21:00"))
        found = {(one.factor, one.on): one for one in factors(bridge, user, now=at(date(2026, 1, 10), "21:00"))}
        wine = found["wine", "asleep"]
        assert wine.verdict == "less"
        assert wine.interval is not None
        assert wine.interval[0] <= -40 <= wine.interval[1]
        answer, _ = typed(
            bridge, user, Words(what="asleep", against="before.wine > 0"), now=at(date(2026, 1, 10), "21:00")
        )
        assert (answer.value or 0) < -20


def _drank(day: date) -> bool:
    return (day.toordinal() * 31) % 11 < 3


def _nights(days: list[date]) -> Iterator[Any]:
    from bridge.domain.metrics import Metric
    from bridge.domain.types import Episode, EpisodeKind

    for day in days:
        start = at(day, "23:00")
        asleep = 420.0 + (day.toordinal() * 7919) % 61 - 30 - 40 * _drank(day)
        yield Episode(
            key=f"more/{day}",
            kind=EpisodeKind.SLEEP,
            start=start,
            end=start + timedelta(minutes=500),
            offset=60,
            day=day + timedelta(days=1),
            values={Metric.ASLEEP: asleep},
        )
