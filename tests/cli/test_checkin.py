"""``bridge checkin``: what is said is kept, corrected, listed, and lives with every other command."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import typer

from bridge import doctor, installation
from bridge.cli import app as cli
from bridge.cli import exit_code
from bridge.config import load
from bridge.daemon.scheduler import Daemon
from bridge.domain.errors import BridgeError, SetupError
from bridge.domain.metrics import Metric
from bridge.domain.records import User
from bridge.ingest import archive, checkins, connecting, runs
from bridge.ingest.checkins import CheckIn, record_check_in
from bridge.store import Store
from rhythm_env.interface import Meter
from tests.world import contents

Run = Callable[..., tuple[int, Any]]
NOON = datetime(2026, 11, 20, 11, 0, 30, tzinfo=UTC)  # 12:00:30 in Berlin


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command of ana's at some minutes past noon; returns (exit code, what it printed or the error's text)."""
    monkeypatch.setenv("BRIDGE_NOW", NOON.isoformat())
    cli(("user", "add", "ana", "--zone", "Europe/Berlin"), standalone_mode=False)

    def command(*arguments: str, minutes: float = 0) -> tuple[int, Any]:
        monkeypatch.setenv("BRIDGE_NOW", (NOON + timedelta(minutes=minutes)).isoformat())
        capsys.readouterr()
        try:
            code = cli(arguments, standalone_mode=False) or 0
        except BridgeError as error:
            return exit_code(error), str(error)
        except typer.Exit as left:
            code = left.exit_code
        printed = capsys.readouterr().out
        return code, json.loads(printed) if "--json" in arguments else printed

    return command


@pytest.fixture
def ana(store: Store) -> User:
    return store.people.add_user("ana", "Europe/Berlin", now=NOON - timedelta(days=9))


def test_what_is_said_is_listed_newest_first(run: Run) -> None:
    code, said = run("checkin", "4", "--user", "ana", "--meter", "Vitality", "--json")
    assert code == 0
    noon = {"at": "2026-11-20T12:00:30+01:00", "about": "VITALITY", "score": 4.0}
    assert said == {**noon, "outcome": "new"}
    code, text = run("checkin", "2.5", "--user", "ana", "--at", "2026-11-19T22:00:00+01:00", minutes=5)
    assert (code, text) == (0, "all 2.5 (Thu 22:00): noted.\n")
    evening = {"at": "2026-11-19T22:00:00+01:00", "about": None, "score": 2.5}
    assert run("checkin", "--user", "ana", "--json") == (0, [noon, evening])
    assert run("checkin", "--user", "ana", "--meter", "vitality", "--json") == (0, [noon])
    _, table = run("checkin", "--user", "ana")
    assert table.index("Fri 20 Nov 12:00") < table.index("Thu 19 Nov 22:00")
    assert run("checkin", "--user", "ana", "--json", minutes=60 * 24 * 30) == (0, [])


def test_the_same_minute_corrects_and_a_later_one_is_another_answer(run: Run) -> None:
    run("checkin", "4", "--user", "ana")
    assert "corrected" in run("checkin", "3", "--user", "ana", minutes=0.4)[1]
    assert "as noted before" in run("checkin", "3", "--user", "ana", minutes=0.4)[1]
    assert "noted" in run("checkin", "3", "--user", "ana", "--meter", "serenity", minutes=0.4)[1]
    assert "noted" in run("checkin", "5", "--user", "ana", minutes=1)[1]
    found = [(row["about"], row["score"]) for row in run("checkin", "--user", "ana", "--json", minutes=1)[1]]
    assert found[0] == (None, 5.0)
    assert set(found[1:]) == {(None, 3.0), ("SERENITY", 3.0)}


def test_the_newest_is_taken_back(run: Run) -> None:
    code, text = run("checkin", "--undo", "--user", "ana")
    assert (code, "bridge checkin SCORE --user ana" in text) == (2, True)
    run("checkin", "4", "--user", "ana")
    run("checkin", "1", "--user", "ana", "--meter", "serenity", minutes=5)
    assert run("checkin", "--undo", "--user", "ana", minutes=6) == (0, "serenity 1 (Fri 12:05): deleted.\n")
    left = run("checkin", "--user", "ana", "--json", minutes=6)[1]
    assert [(one["score"], one["about"]) for one in left] == [(4, None)]
    assert run("checkin", "4", "--undo", "--user", "ana")[0] == 2


@pytest.mark.parametrize("score", ["0", "-1", "5.5", "6", "1e3", "3.3", "nan", "inf", "good", ""])
def test_another_score_is_refused_and_leaves_nothing(run: Run, score: str) -> None:
    code, text = run("checkin", score, "--user", "ana")
    assert code == 2
    assert "bridge checkin 3.5 --user ana" in text
    assert run("status", "--user", "ana", "--json") == (0, [])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("3", "--meter", "mood"), "there is no meter 'mood'"),
        (("3", "--at", "2026-11-20T12:00:00"), "has no offset"),
        (
            ("3", "--at", "0001-01-01T00:00:00+01:00"),
            "is too far in the past or future; write it like 2026-11-20T10:05:00+01:00",
        ),
        (("3", "--at", "2026-11-20"), "has no offset; write it like 2026-11-20T10:05:00+01:00"),
        (("3", "--at", "2026-11-20T12:01:00+01:00"), "is in the future"),
        (("3", "--at", "1066-10-14T09:00:00+00:00"), "bridge checkin SCORE --user ana"),
        (("--at", "2026-11-20T12:00:00+01:00"), "bridge checkin SCORE --at"),
    ],
)
def test_what_cannot_be_meant_names_the_next_command(run: Run, arguments: tuple[str, ...], words: str) -> None:
    code, text = run("checkin", *arguments, "--user", "ana")
    assert code == 2
    assert words in text
    assert run("status", "--user", "ana", "--json") == (0, [])


def test_nothing_calls_it_stale_and_nobody_tries_to_sync_it(run: Run) -> None:
    run("checkin", "4", "--user", "ana")
    year = 60 * 24 * 365
    (row,) = run("status", "--user", "ana", "--json", minutes=year)[1]
    assert (row["source"], row["connection"], row["next_due"], row["next"]) == ("check_in", "self", None, "")
    (finding,) = (finding for finding in doctor.examine() if finding.check == "ana/check_in")
    assert (finding.ok, finding.text) == (True, "told by hand")
    assert run("sync", "--user", "ana")[0] == 2
    with installation.open_bridge() as bridge:
        Daemon(bridge=bridge).tick()
        assert bridge.store.connections.of_user(1)[0].last_error is None
    for wrong in (("connect", "check_in"), ("connect", "check_in", "--folder", ".")):
        code, text = run(*wrong, "--user", "ana")
        assert (code, "bridge checkin SCORE --user ana" in text) == (2, True)


def test_no_score_reaches_a_log(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    run("checkin", "1.5", "--user", "ana", "--meter", "serenity")
    assert "check_in self: ok, 1 new" in caplog.text
    assert not any(word in caplog.text.lower() for word in ("1.5", "serenity", "ana"))


def test_it_is_known_from_when_it_was_said(store: Store, ana: User) -> None:
    yesterday = NOON - timedelta(days=1)
    record_check_in(store, ana, CheckIn(at=yesterday, score=2), now=NOON)
    assert store.reading.samples(ana.id, at=NOON - timedelta(minutes=1)) == []
    ((source, sample),) = store.reading.samples(ana.id, at=NOON)
    assert (source, sample.metric, sample.value) == ("check_in", Metric.CHECK_IN, 2.0)
    assert (sample.start, sample.end, sample.offset) == (yesterday, None, 60)


def test_the_day_is_the_persons_own(store: Store, ana: User) -> None:
    store.people.set_zone(ana.id, "Asia/Tokyo", since=NOON)
    ana = store.people.user("ana")
    for minutes in (-1, 300):
        at = NOON + timedelta(minutes=minutes)
        record_check_in(store, ana, CheckIn(at=at, score=3, about=Meter.PROGRESS), now=at)
    found = [(sample.offset, sample.day.day) for _, sample in store.reading.samples(ana.id)]
    assert found == [(60, 20), (540, 21)]


def test_rebuilt_and_taken_along_it_is_the_same(store: Store, ana: User, tmp_path: Path) -> None:
    for n, about in enumerate((None, *Meter)):
        record_check_in(store, ana, CheckIn(at=NOON, score=n / 2 + 1, about=about), now=NOON)
    record_check_in(store, ana, CheckIn(at=NOON, score=5), now=NOON + timedelta(seconds=20))
    bridge = installation.Bridge(settings=load(), store=store)
    before = contents(store, ana)
    assert len(before["samples"]) == 6
    runs.rebuild(bridge, ana, "check_in")
    assert contents(store, ana) == before
    archive.write(store.exports.dump(ana.id), tmp_path / "export", "json")
    other = Store("sqlite://")
    ben = other.people.add_user("ben", "UTC", now=NOON)
    runs.import_path(installation.Bridge(settings=load(), store=other), ben, tmp_path / "export", at=NOON)
    assert contents(other, ben) == before
    other.close()
    connecting.forget(bridge, ana)
    assert store.people.users() == []


def test_a_refused_answer_keeps_neither_record_nor_connection(store: Store, ana: User) -> None:
    with pytest.raises(
        SetupError, match="score is not from 1 to 5; the check-in was not stored; try again: bridge checkin"
    ):
        record_check_in(store, ana, CheckIn(at=NOON, score=7), now=NOON)
    assert store.connections.of_user(ana.id) == []


def test_said_from_many_places_at_once_it_is_one_answer(store: Store, ana: User) -> None:
    def speak(n: int) -> str:
        return record_check_in(store, ana, CheckIn(at=NOON, score=1 + n / 2), now=NOON)

    with ThreadPoolExecutor(8) as pool:
        outcomes = sorted(pool.map(speak, range(8)))
    assert outcomes == ["new", *["updated"] * 7]
    assert len(store.reading.samples(ana.id)) == len(checkins.recent(store, ana, since=NOON.date())) == 1
