"""``bridge routine`` and ``bridge wish``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bridge import installation
from bridge.cli import app as cli
from bridge.cli import exit_code
from bridge.config import load
from bridge.domain.errors import BridgeError, SetupError
from bridge.domain.wishes import Wishes
from bridge.ingest import archive, runs
from bridge.store import Store
from rhythm_env.interface import ActionType, Meter
from tests.world import contents

Run = Callable[..., tuple[int, Any]]
BERLIN = ZoneInfo("Europe/Berlin")
NOON = datetime(2026, 11, 20, 11, tzinfo=UTC)  # a Friday
NOTHING = {"user": "ana", "never": [], "hours": {}, "goals": {}, "weights": {}, "suggestions": 3}
SOME = Wishes(
    never=frozenset({ActionType.BINGE_WATCH}),
    hours={ActionType.DEEP_WORK: ((time(9), time(12)),)},
    goals={ActionType.EXERCISE: 3},
    weights={Meter.VITALITY: 2.0},
    suggestions=5,
)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command for ana; returns (exit code, what it printed or the error's text)."""
    monkeypatch.setenv("BRIDGE_NOW", NOON.isoformat())
    cli(("user", "add", "ana", "--zone", "Europe/Berlin"), standalone_mode=False)

    def command(*arguments: str) -> tuple[int, Any]:
        capsys.readouterr()
        try:
            code = cli((*arguments, "--user", "ana"), standalone_mode=False) or 0
        except BridgeError as error:
            return exit_code(error), str(error)
        printed = capsys.readouterr().out
        return code, json.loads(printed) if "--json" in arguments else printed

    return command


def wish(run: Run, *arguments: str) -> Any:
    code, body = run("wish", *arguments, "--json")
    assert code == 0, body
    assert run("wish", "--json") == (0, body)  # it is kept
    return body


def test_without_options_the_wishes_are_shown(run: Run) -> None:
    assert wish(run) == NOTHING
    assert run("wish") == (0, "suggestions: at most 3 a day\n")


def test_wishes_add_up_and_replace_those_of_their_action(run: Run) -> None:
    assert wish(run, "--never", "binge-watch", "--goal", "EXERCISE 3")["never"] == ["BINGE_WATCH"]
    wish(run, "--never", "DEEP_WORK", "--hours", "SLEEP 22:00-07:00", "--weight", "vitality=2")
    body = wish(run, "--hours", "SLEEP 22:30-24:00", "--hours", "SLEEP 13:00-14:00", "--goal", "EXERCISE 4")
    assert body == {
        "user": "ana",
        "never": ["DEEP_WORK", "BINGE_WATCH"],
        "hours": {"SLEEP": [["13:00", "14:00"], ["22:30", "00:00"]]},
        "goals": {"EXERCISE": 4},
        "weights": {"VITALITY": 2.0},
        "suggestions": 3,
    }
    _, said = run("wish")
    assert said == (
        "never: DEEP_WORK, BINGE_WATCH\nonly: SLEEP 13:00-14:00 22:30-00:00\n"
        "goals: EXERCISE 4 times a week\nweights: vitality 2\nsuggestions: at most 3 a day\n"
    )


def test_a_wish_can_be_taken_back(run: Run) -> None:
    all_of_them = ("--never", "SLEEP", "--hours", "LEARN 9:00-10:00, 12:00-13:00", "--goal", "LEARN 2")
    wish(run, *all_of_them, "--weight", "SERENITY=0", "--suggestions", "0")
    assert wish(run, "--hours", "LEARN none")["hours"] == {}
    assert wish(run, "--hours", "LEARN 9\u201310")["hours"] == {"LEARN": [["09:00", "10:00"]]}
    assert wish(run, "--hours", "LEARN none")["hours"] == {}
    assert wish(run, "--goal", "learn 0")["goals"] == {}
    assert wish(run, "--never", "none")["never"] == []
    assert wish(run, "--weight", "SERENITY=1")["weights"] == {}
    assert wish(run, "--suggestions", "3") == NOTHING
    wish(run, *all_of_them)
    assert wish(run, "--clear", "--suggestions", "4") == {**NOTHING, "suggestions": 4}
    assert wish(run, "--clear") == NOTHING


def test_a_wish_in_plain_words_counts_once_it_is_confirmed(run: Run) -> None:
    said = ("wish", "no sport before 9, and family on Sundays")
    body = {
        "understood": "exercise not before 09:00; family time best on Sundays",
        "wishes": {
            **NOTHING,
            "hours": {"EXERCISE": [["09:00", "00:00"]]},
            "best": {"FAMILY_TIME": {"days": [6], "hours": []}},
        },
    }
    assert run(*said, "--json") == (0, body)
    assert "Not saved" in run(*said)[1]
    assert wish(run) == NOTHING
    assert run(*said, "--yes", "--json") == (0, body)
    assert wish(run) == body["wishes"]
    assert "only: EXERCISE 09:00-00:00\nbest: FAMILY_TIME Sun" in run("wish")[1]


def test_words_that_are_not_understood_store_nothing(run: Run) -> None:
    for arguments in (
        ("be nice to me", "--yes"),
        ("no sport before 9", "--suggestions", "2"),
        ("no work on Sundays except",),
    ):
        code, said = run("wish", *arguments, "--json")
        assert (code, "bridge wish" in said) == (2, True)
    assert wish(run) == NOTHING


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--never", "BINGE"), "the nearest is BINGE_WATCH"),
        (("--never", "exercize"), "the nearest is EXERCISE"),
        (("--hours", "DEEP_WORK 25:00-26:00"), "DEEP_WORK 09:00-12:00"),
        (("--hours", "DEEP_WORK 09:00"), "DEEP_WORK 09:00-12:00"),
        (("--hours", "DEEP_WORK 9 bis 12"), "'9 bis 12' are not hours; write begin and end with a minus between"),
        (("--hours", "DEEP_WORK"), "DEEP_WORK 09:00-12:00"),
        (("--hours", "DEEP_WORK 09:00-09:00"), "DEEP_WORK 09:00-12:00"),
        (("--hours", "NAP 09:00-12:00"), "not an action"),
        (("--hours", "SLEEP " + ",".join(f"{h}:00-{h}:30" for h in range(7))), "1 to 6 spans"),
        (("--goal", "EXERCISE"), '"EXERCISE 3"'),
        (("--goal", "EXERCISE many"), '"EXERCISE 3"'),
        (("--goal", "EXERCISE 22"), "1 to 21"),
        (("--goal", "RUN 3"), "not an action"),
        (("--never", "EXERCISE", "--goal", "EXERCISE 3"), '--goal "EXERCISE 0"'),
        (("--weight", "VITALITY=6"), "0 to 5"),
        (("--weight", "VITALITY=nan"), "0 to 5"),
        (("--weight", "JOY=1"), "VITALITY=2"),
        (("--weight", "VITALITY"), "VITALITY=2"),
        (("--suggestions", "13"), "0 to 12"),
        (("--suggestions", "-1"), "0 to 12"),
    ],
)
def test_what_cannot_be_wished_is_refused_and_changes_nothing(run: Run, arguments: tuple[str, ...], named: str) -> None:
    before = wish(run, "--goal", "MEDITATE 7")
    code, said = run("wish", *arguments)
    assert code == 2
    assert named in said
    assert "bridge wish --user" in said
    assert wish(run) == before


def test_the_routine_of_a_new_user_rests_on_published_figures(run: Run) -> None:
    code, body = run("routine", "--json")
    assert code == 0
    assert body["user"] == "ana"
    assert [night["weekday"] for night in body["sleep"]] == list(range(7))
    monday, sunday = body["sleep"][0], body["sleep"][6]
    assert (monday["bedtime"], monday["wake"], monday["nights"]) == ("23:02", "06:41", 0)
    assert (sunday["bedtime"], sunday["wake"]) == ("23:25", "07:41")
    assert body["work"][4] == {"weekday": 4, "spans": [["09:00", "17:00"]]}
    assert body["work"][5] == {"weekday": 5, "spans": []}
    assert (body["work_known"], body["habits"]) == (False, [])
    _, said = run("routine")
    assert "Sleep rests on published figures." in said


def test_the_routine_from_a_calendar(run: Run, tmp_path: Path) -> None:
    (tmp_path / "shifts.ics").write_text(
        "\r\n".join(
            [
                "BEGIN:VCALENDAR",
                "VERSION:2.0",
                "PRODID:-//tests//EN",
                *event("yoga", "Yoga", datetime(2026, 10, 6, 19, tzinfo=BERLIN), 60, "RRULE:FREQ=WEEKLY"),
                *event(
                    "work",
                    "Deep work",
                    datetime(2026, 10, 5, 8, tzinfo=BERLIN),
                    540,
                    "RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH",
                ),
                "END:VCALENDAR",
                "",
            ]
        )
    )
    assert run("import", str(tmp_path / "shifts.ics"))[0] == 0
    _, body = run("routine", "--json")
    assert body["work_known"]
    assert [day["spans"] for day in body["work"]] == [[["08:00", "17:00"]]] * 4 + [[]] * 3
    (yoga,) = [one for one in body["habits"] if one["action"] == "EXERCISE"]
    assert yoga["minutes"] == 60
    assert yoga["usual"] == [{"weekday": 1, "start": "19:00", "name": "Yoga"}]
    _, said = run("routine")
    assert "Tue 19:00 Yoga" in said


def event(uid: str, title: str, start: datetime, minutes: int, *more: str) -> list[str]:
    end = start + timedelta(minutes=minutes)
    return [
        "BEGIN:VEVENT",
        f"UID:{uid}",
        f"SUMMARY:{title}",
        f"DTSTART;TZID=Europe/Berlin:{start:%Y%m%dT%H%M%S}",
        f"DTEND;TZID=Europe/Berlin:{end:%Y%m%dT%H%M%S}",
        *more,
        "END:VEVENT",
    ]


@pytest.mark.parametrize("form", ["json", "csv", "parquet"])
def test_wishes_are_taken_along(store: Store, tmp_path: Path, form: str) -> None:
    ana = store.people.add_user("ana", "UTC", now=NOON)
    store.people.save_wishes(ana.id, SOME, now=NOON)
    before = contents(store, ana)
    archive.write(store.exports.dump(ana.id), tmp_path / "export", form)
    other = Store("sqlite://")
    ben = other.people.add_user("ben", "UTC", now=NOON)
    other.people.save_wishes(ben.id, Wishes(suggestions=1), now=NOON)
    runs.import_path(installation.Bridge(settings=load(), store=other), ben, tmp_path / "export", at=NOON)
    assert other.people.wishes(ben.id) == SOME
    assert contents(other, ben) == before
    other.close()


def test_wishes_of_an_export_are_read_before_they_are_kept(store: Store) -> None:
    ana = store.people.add_user("ana", "UTC", now=NOON)
    for body in ("{", '{"never": ["EVERYTHING"]}', "[]"):
        with pytest.raises(SetupError, match="bridge"):
            store.exports.restore(ana.id, {"wishes": [{"body": body, "set_at": NOON.isoformat()}]})
    assert store.people.wishes(ana.id) == Wishes()


@pytest.fixture
def recorded(run: Run) -> Run:
    """The made-up person's recorded weeks, in the evening of a Wednesday."""
    from bridge.recordings.recorded_life import land, sources

    with installation.open_bridge() as bridge:
        person = bridge.store.people.user("ana")
        for source in sources():
            land(bridge, person, source, at=datetime(2026, 11, 25, 20, tzinfo=BERLIN))
    return run


def test_an_entry_of_the_plan_is_called_by_its_title_alone(recorded: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-25T20:00:00+01:00")
    _, body = recorded("plan", "--date", "2026-11-26", "--json")
    (gym,) = [block for block in body["blocks"] if block["title"] == "Gym"]
    assert gym["action"] == "EXERCISE"
    text = recorded("plan", "--date", "2026-11-26")[1]
    assert "\ufffd" not in text  # of the weekday on which the night began
    assert "Gym" in text
    assert "EXERCISE" not in text


def test_the_plan_of_tomorrow_says_how_the_meters_are_expected_to_go(
    recorded: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-25T20:00:00+01:00")
    code, body = recorded("plan", "--date", "2026-11-26", "--json")
    assert code == 0
    assert list(body) == ["date", "zone", "routine", "blocks", "changes", "unmet", "outlook"]
    assert {one["meter"] for one in body["outlook"]} == {str(meter) for meter in Meter}
    for one in body["outlook"]:
        assert one["low"] < one["level"] < one["high"]
        assert one["days"] >= 5
        assert datetime.fromisoformat(one["at"]).date().isoformat() in ("2026-11-26", "2026-11-27")
    assert recorded("plan", "--json")[1]["outlook"] == []
    assert recorded("plan", "--date", "2026-11-27", "--json")[1]["outlook"] == []
    _, text = recorded("plan", "--date", "2026-11-26")
    vitality = next(one for one in body["outlook"] if one["meter"] == "VITALITY")
    assert f"{vitality['level']:.2f} ± " in text
    assert "0.70 is your normal" in text
    sentences = [line for line in text.splitlines() if "than usual" in line]
    assert 1 <= len(sentences) <= len(Meter)
    assert not any(re.search(r"[+-]\d", line) for line in sentences)
    assert max(map(len, text.partition("expected")[2].splitlines())) <= 100
    assert "your normal" not in recorded("plan")[1]


@pytest.mark.parametrize("days", [40, 800])
def test_the_plan_says_that_data_are_old_and_what_to_do(run: Run, monkeypatch: pytest.MonkeyPatch, days: int) -> None:
    assert "Nothing is known of this day yet. Begin: bridge import FILE --user ana\n" in run("plan")[1]
    assert run("import", "fixtures/whoop/export")[0] == 0
    assert "newest data" not in run("plan")[1]
    monkeypatch.setenv("BRIDGE_NOW", (NOON + timedelta(days=days)).isoformat())
    text = run("plan")[1]
    assert "Your newest data is of 20 November 2026; advice needs data of the last days\n" in text
    assert "Bring in newer data: bridge import FILE --user ana\n" in text
    assert "Nothing is known" not in text


def test_nothing_is_expected_of_somebody_of_whom_nothing_is_known(run: Run) -> None:
    assert run("plan", "--date", "2026-11-21", "--json")[1]["outlook"] == []


def test_a_zone_that_is_set_is_told_once(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "choir.ics"
    file.write_text(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//tests//EN\r\nBEGIN:VEVENT\r\nUID:choir@example.org\r\n"
        "SUMMARY:Choir\r\nDTSTART:20261120T150000Z\r\nDTEND:20261120T160000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
    with installation.open_bridge() as bridge:
        runs.import_path(bridge, bridge.store.people.user("ana"), file, at=NOON)
    monkeypatch.setenv("BRIDGE_NOW", (NOON + timedelta(minutes=1)).isoformat())
    cli(("user", "zone", "ana", "Asia/Kolkata"), standalone_mode=False)
    monkeypatch.setenv("BRIDGE_NOW", (NOON + timedelta(minutes=14)).isoformat())
    assert run("plan")[1].count("Kolkata time from here on") == 1


def test_the_plan_of_a_flight_tells_from_where_on_the_times_are_those_of_the_arrival(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "trip.ics"
    file.write_text(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//tests//EN\r\nBEGIN:VEVENT\r\nUID:lh400@example.org\r\n"
        "SUMMARY:LH 400\r\nDTSTART;TZID=Europe/Berlin:20261120T140000\r\n"
        "DTEND;TZID=America/New_York:20261120T163000\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
    with installation.open_bridge() as bridge:
        runs.import_path(bridge, bridge.store.people.user("ana"), file, at=NOON - timedelta(hours=1))
    code, printed = run("plan")
    assert code == 0
    home, flight, *others = [line for line in printed.splitlines() if re.search(r"\d\d:\d\d", line)]
    assert "Berlin time from here on" in home
    assert re.search(r"14:00\W+16:30", flight)
    at = next(k for k, line in enumerate(others) if "New York time from here on" in line)
    assert "16:30" in others[at]
    times = re.findall(r"\d\d:\d\d", " ".join(others[at + 1 :]))
    assert times[0] > "19:00"
    code, document = run("plan", "--json")
    assert document["zone"] == "Europe/Berlin"
    assert document["blocks"][-1]["start"].endswith("-05:00")
