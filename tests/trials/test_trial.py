"""``bridge trial``: days drawn in blocks, power said before, nothing told early, and a result that holds."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bridge.cli import app as cli
from bridge.domain.errors import SetupError
from bridge.domain.trials import Trial, draw
from bridge.store import Store
from tests.trials.nights import export

Run = Callable[..., Any]
FIRST = date(2026, 9, 28)  # a Monday, on which the trials begin
DAY = timedelta(days=1)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run ``bridge trial`` so many days after its first, at 9; returns the document."""
    cli(("user", "add", "ana", "--zone", "UTC"), standalone_mode=False)

    def command(*arguments: str, day: int = 0, hour: int = 9, plain: bool = False) -> Any:
        now = datetime(FIRST.year, FIRST.month, FIRST.day, hour, tzinfo=UTC) + day * DAY
        monkeypatch.setenv("BRIDGE_NOW", now.isoformat())
        capsys.readouterr()
        cli((*arguments, *(() if plain else ("--json",))), standalone_mode=False)
        said = capsys.readouterr().out
        return said if plain else json.loads(said)

    return command


def lived(run: Run, folder: Path, first: date, days: int, more: Callable[[date], float], *, day: int) -> None:
    run("import", str(export(folder, first, days, more)), "--user", "ana", day=day)


def test_every_weekday_is_lived_both_ways_and_the_seed_repeats_the_draw(run: Run) -> None:
    body = run("trial", "no  screens after 22", "--weeks", "5")
    arms = {date.fromisoformat(day["date"]): day["arm"] for day in body["days"]}
    assert (body["text"], len(arms), min(arms)) == ("no screens after 22", 35, FIRST)
    assert all(arms[FIRST + n * DAY] != arms[FIRST + (n + 7) * DAY] for n in range(7))
    for weekday in range(7):  # and of the last three weeks one or two
        assert {arms[FIRST + (14 + weekday + 7 * week) * DAY] for week in range(3)} == {"on", "off"}
    assert [arm == "on" for arm in arms.values()] == draw(body["draw"]["seed"], 5)
    with pytest.raises(SetupError, match="on already, until 2026-11-01; end it first: bridge trial stop 1"):
        run("trial", "No screens after 22", "--weeks", "2")
    other = run("trial", "no screens after 23", "--weeks", "5")
    assert other["draw"]["seed"] != body["draw"]["seed"]
    assert run("trial", "tea", day=0, hour=19)["start"] == str(FIRST + DAY)


def test_each_day_has_the_chance_that_is_told() -> None:
    shares = Counter(day for seed in range(2000) for day, arm in enumerate(draw(str(seed), 5)) if arm)
    assert all(0.46 < shares[day] / 2000 < 0.54 for day in range(35))


def test_a_trial_from_its_power_to_its_verdict(run: Run, tmp_path: Path) -> None:
    lived(run, tmp_path, FIRST - 56 * DAY, 56, lambda _: 0, day=0)
    body = run("trial", "no screens after 22", "--weeks", "4")
    power = {one["weeks"]: one["effect"] for one in body["power"]}
    assert list(power) == [2, 4, 6, 8, 12]
    assert 12 < power[4] < 25  # 15 minutes on each of two nights, in 14 pairs
    assert (body["effect"], body["interval"], body["verdict"], body["state"]) == (None, None, "not known", "running")
    assert "4 weeks tell a difference of" in run("trial", plain=True)
    with_it = {date.fromisoformat(day["date"]) for day in body["days"] if day["arm"] == "on"}
    lived(run, tmp_path, FIRST, 27, lambda day: 60 * (day in with_it), day=27)
    early = run("trial", "list", day=27)[0]
    assert (early["effect"], early["verdict"]) == (None, "not known")
    assert sum(day["outcome"] is not None for day in early["days"]) == 27
    lived(run, tmp_path, FIRST, 28, lambda day: 60 * (day in with_it), day=28)
    found = run("trial", "list", day=28)[0]
    assert (found["state"], found["verdict"], found["blocks"]) == ("over", "more", 14)
    assert found["interval"][0] < found["effect"] < found["interval"][1]
    assert abs(found["effect"] - 60) < 25  # 4 standard errors
    assert "More, by" in run("trial", "list", day=28, plain=True)


def test_a_day_counts_as_drawn_whatever_was_kept(run: Run, tmp_path: Path) -> None:
    body = run("trial", "tea", "--weeks", "2")
    lived(run, tmp_path, FIRST, 14, lambda _: 0, day=14)
    before = run("trial", "list", day=14)[0]
    assert run("trial", "kept", "1", "no", "--at", str(FIRST + 3 * DAY), day=5)["days"][3]["kept"] is False
    assert run("trial", "kept", "1", "yes")["days"][0]["kept"] is True
    after = run("trial", "list", day=14)[0]
    assert (after["effect"], after["interval"]) == (before["effect"], before["interval"])
    assert before["effect"] is not None
    assert body["days"][3]["kept"] is None


def test_too_few_days_tell_nothing(run: Run, tmp_path: Path) -> None:
    run("trial", "tea", "--weeks", "2")
    lived(run, tmp_path, FIRST, 12, lambda _: 0, day=14)  # five weekdays are known both ways
    found = run("trial", "list", day=14)[0]
    assert (found["state"], found["effect"], found["verdict"]) == ("over", None, "not known")
    assert "Too few days" in run("trial", "list", day=14, plain=True)


def test_a_stopped_trial_counts_its_days_until_then(run: Run, tmp_path: Path) -> None:
    run("trial", "tea", "--weeks", "6")
    lived(run, tmp_path, FIRST, 20, lambda _: 0, day=20)
    found = run("trial", "stop", "1", day=20)
    assert (found["state"], len(found["days"]), found["blocks"]) == ("stopped", 20, 7)
    with pytest.raises(SetupError, match="is over"):
        run("trial", "stop", "1", day=21)


@pytest.mark.parametrize("outcome", ["vitality", "serenity", "steps", "hrv"])
def test_other_outcomes_can_be_chosen(run: Run, tmp_path: Path, outcome: str) -> None:
    lived(run, tmp_path, FIRST - 40 * DAY, 54, lambda _: 0, day=14)
    run("trial", "tea", "--weeks", "2", "--outcome", outcome)
    found = run("trial", "list", day=15)[0]
    assert (found["outcome"], found["state"]) == (outcome, "over")
    assert (found["blocks"] or 0) >= (6 if outcome == "vitality" else 0)  # the only one of which nights tell


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("tea", "--weeks", "1"), "2 to 26 weeks"),
        (("tea", "--outcome", "luck"), "not an outcome"),
        (("x" * 201,), "1 to 200"),
        (("kept", "1", "perhaps"), "write one of"),
        (("kept", "7", "yes"), "no trial 7"),
        (("kept", "1", "yes", "--at", "2026-09-01"), "not a day of trial 1"),
        (("kept", "1", "yes", "--at", "2026-10-01"), "still ahead"),
        (("stop",), "write one of"),
        (("list", "--weeks", "3"), "new trial"),
    ],
)
def test_what_cannot_be_is_said(run: Run, words: tuple[str, ...], said: str) -> None:
    run("trial", "tea", "--weeks", "2")
    with pytest.raises(SetupError, match=said):
        run("trial", *words)


def test_trials_go_with_their_person_and_into_the_export(store: Store) -> None:
    now = datetime(2026, 11, 20, 9, tzinfo=UTC)
    ana, ben, cleo = (store.people.add_user(name, "UTC", now=now) for name in ("ana", "ben", "cleo"))
    one = Trial(id=1, text="tea", outcome="sleep", start=FIRST, weeks=4, seed="0f", kept={FIRST: True})
    for user in (ana, ben):
        store.people.change_preferences(user.id, trials=(one,), now=now)
    store.people.set_language(ana.id, "de", now=now)
    store.exports.restore(cleo.id, store.exports.dump(ana.id))
    assert (store.people.preferences(cleo.id).trials, store.people.language(cleo.id)) == ((one,), "de")
    store.people.forget(ana.id)
    assert store.people.preferences(ana.id).trials == ()
    assert store.people.preferences(ben.id).trials == (one,)


@pytest.mark.parametrize(
    "change",
    [
        {"start": "0001-01-01"},
        {"stopped": "9999-12-31"},
        {"weeks": 400},
        {"id": 2**70},
        {"kept": {"2026-01-01": True}},
        {"kept": []},
        {"seed": None, "text": None, "weeks": None},
    ],
)
def test_a_crafted_export_of_a_trial_is_refused(store: Store, change: dict[str, Any]) -> None:
    now = datetime(2026, 11, 20, 9, tzinfo=UTC)
    ana, ben = (store.people.add_user(name, "UTC", now=now) for name in ("ana", "ben"))
    one = Trial(id=1, text="tea", outcome="sleep", start=FIRST, weeks=4, seed="0f")
    store.people.change_preferences(ana.id, trials=(one,), now=now)
    saved = store.exports.dump(ana.id)
    (row,) = saved["preferences"]
    body = json.loads(row["body"])
    body["trials"][0] |= change
    with pytest.raises(SetupError, match="cannot be read"):
        store.exports.restore(ben.id, {"preferences": [{**row, "body": json.dumps(body)}]})
    switch = {"at": "0001-01-01T00:00:00+00:00", "what": "watch", "on": True, "by": "person", "reason": ""}
    switch |= {"evidence": None, "silent": 0, "advised": 0}
    old = json.dumps({"sources": [], "language": None, "switches": [switch]})
    with pytest.raises(SetupError, match="cannot be read"):
        store.exports.restore(ben.id, {"preferences": [{**row, "body": old}]})
