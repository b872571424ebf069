"""Meters and advice at a real MQTT broker: what Home Assistant is told, what its buttons do, what never leaves."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bridge.daemon.due_tasks import run_due_tasks
from bridge.daemon.mqtt import entities, link, publisher
from bridge.daemon.mqtt.publisher import Publisher, opened
from bridge.daemon.process import only_daemon
from bridge.domain.facts import fact, length
from bridge.domain.guard import guard_from_settings
from bridge.domain.metrics import Metric
from bridge.domain.records import Recommendation
from bridge.domain.types import Because, Episode, EpisodeKind, Reading
from bridge.ingest import connecting, runs
from bridge.query.tables import Row
from rhythm_env.interface import ActionType, Answer, Meter
from tests.daemon.broker import Listener, free_port, listening, mosquitto, retained, until
from tests.daemon.stage import Stage
from tests.query.wearer import land

SETTINGS = {"url": "", "user": "", "password": "", "ca": "", "name": "rhythm_bridge", "discovery": "homeassistant"}


@dataclass
class Home:
    """A person's bridge, a broker, and a listener in Home Assistant's place."""

    stage: Stage
    port: int
    ear: Listener
    stack: ExitStack = field(default_factory=ExitStack)

    def publisher(self) -> Publisher:
        """A publisher that has connected and read what is retained."""
        found = opened(self.stage.bridge, lambda: None)
        assert found is not None
        self.stack.callback(found.link.close)
        until(lambda: found.link.is_ready)
        return found

    def update(self, publisher: Publisher) -> None:
        """Let a publisher tell everything, and wait until the listener has heard it."""
        publisher.update(self.stage.now)
        marker = f"marker/{len(self.ear.told)}"
        publisher.link.tell(marker, "told")
        until(lambda: self.ear.last(marker))

    def advise(self) -> Recommendation:
        run_due_tasks(self.stage.bridge, self.stage.users[0], now=self.stage.now)
        return self.advice()

    def advice(self) -> Recommendation:
        since, until_ = self.stage.now - timedelta(days=1), self.stage.now + timedelta(seconds=1)
        return self.stage.bridge.store.recommendations.full_between(self.stage.users[0].id, since=since, until=until_)[
            -1
        ]

    def device(self) -> str:
        return link.Names(node="rhythm_bridge", discovery="homeassistant").device(self.stage.users[0])

    def topic(self, part: str) -> str:
        return f"rhythm_bridge/{self.device()}/{part}"

    def config(self) -> str:
        return f"homeassistant/device/{self.device()}/config"

    def state(self, part: str) -> dict[str, Any]:
        found = json.loads(self.ear.last(self.topic(part)) or "null")
        assert isinstance(found, dict)
        return found

    def press(self, publisher: Publisher, word: str) -> None:
        """Press a button, as Home Assistant does, and let the publisher store it."""
        before = len(publisher.presses)
        self.ear.say(self.topic("answer"), word)
        until(lambda: len(publisher.presses) > before)
        self.update(publisher)


@pytest.fixture
def stage(stage: Stage) -> Stage:
    stage.add("ana", "Europe/Berlin")
    return stage


@pytest.fixture
def home(stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    port = free_port()
    monkeypatch.setenv("BRIDGE_MQTT_URL", f"mqtt://127.0.0.1:{port}")
    monkeypatch.setenv("BRIDGE_MQTT_SHARE", "yes")
    with mosquitto(tmp_path / "broker", port), listening(port) as ear:
        found = Home(stage=stage, port=port, ear=ear)
        with found.stack:
            yield found


def test_a_device_with_its_entities_is_discovered_and_told(home: Home) -> None:
    advice = home.advise()
    home.update(home.publisher())
    told = json.loads(home.ear.last(home.config()) or "null")
    platforms = {name: one["platform"] for name, one in told["components"].items()}
    assert platforms == {
        **{str(meter).lower(): "sensor" for meter in Meter},
        "recommendation": "sensor",
        "recommended": "event",
        **dict.fromkeys(("accept", "ignore", "reschedule", "confirm_wish"), "button"),
        "mode": "select",
        "because": "select",
        **dict.fromkeys(("wish", "note"), "text"),
        **dict.fromkeys(("sleep_start", "sleep_end", "last_night", "last_workout"), "sensor"),
    }
    assert told["device"]["name"] == "rhythm-bridge ana"
    assert len({one["unique_id"] for one in told["components"].values()}) == len(platforms)
    assert [told["components"][word]["name"] for word in ("accept", "ignore", "reschedule")] == [
        "Accept",
        "Not now",
        "Later",
    ]
    assert home.ear.last("rhythm_bridge/status") == "online"
    assert home.state("recommendation")["id"] == advice.id
    assert home.state("recommendation")["action"] == str(advice.action).lower()
    assert home.ear.last(home.topic("open")) == "online"
    for one in told["components"].values():  # each topic that is named has a message, but those of presses and events
        topics = {one.get("state_topic"), one.get("json_attributes_topic")} | {a["topic"] for a in one["availability"]}
        for topic in topics - {None, home.topic("recommended")}:
            assert home.ear.last(topic) is not None, topic


def test_what_is_not_known_is_null_and_not_zero() -> None:
    unknown = entities.meter_state(Reading(level=0.7, sd=0.3, coverage=0))
    assert (unknown["level"], unknown["uncertainty"], unknown["words"]) == (None, None, "not known")
    because = Because(
        signal="sleep",
        source="oura",
        z=1,
        contribution=0.05,
        age_hours=2,
        fact=fact("slept_enough", length=length(480)),
    )
    known = entities.meter_state(Reading(level=0.0, sd=0.1, coverage=1, because=(because,)))
    assert (known["level"], known["uncertainty"], known["because"]) == (0, 10, ["slept 8 h, as much as you need"])
    assert entities.advice_state(None, None)["action"] is None  # type: ignore[arg-type]


def test_the_last_night_and_workout_are_told(home: Home) -> None:
    stage = home.stage
    home.update(home.publisher())
    assert {*home.state("night").values(), *home.state("last_workout").values()} == {None}
    woke = stage.now.replace(hour=5, minute=0, second=0, microsecond=0)
    night = Episode(
        key="night",
        kind=EpisodeKind.SLEEP,
        start=woke - timedelta(hours=8),
        end=woke,
        offset=60,
        day=woke.date(),
        values={Metric.ASLEEP: 431.0, Metric.DEEP_SLEEP: 80.0},
    )
    begun = woke - timedelta(days=2)
    times = {"start": begun, "end": begun + timedelta(minutes=40), "offset": 60, "day": begun.date()}
    ride = Episode(key="ride", kind=EpisodeKind.WORKOUT, label="My hill", values={Metric.ASCENT: 300.0}, **times)
    older = replace(ride, key="older", label="Run", start=begun - timedelta(days=1), end=begun)
    land(stage.bridge.store, stage.users[0], [night, ride, older])
    home.update(home.publisher())
    told = home.state("night")
    assert (told["day"], told["end"]) == (str(woke.date()), night.end.isoformat())
    assert (told["asleep"], told["deep_sleep"], told["rem_sleep"]) == (431, 80, None)
    told = home.state("last_workout")
    assert (told["sport"], told["minutes"], told["ascent"], told["distance"]) == ("workout", 40, 300, None)
    row = Row(day=begun.date(), name="My hill")
    assert [entities._sport(row, titles=titles) for titles in (False, True)] == ["workout", "My hill"]


def test_without_advice_its_sensor_and_the_buttons_are_unavailable(home: Home) -> None:
    home.update(home.publisher())
    told = json.loads(home.ear.last(home.config()) or "null")["components"]
    waiting = {name for name, one in told.items() if {"topic": home.topic("open")} in one["availability"]}
    assert waiting == {"recommendation", "accept", "ignore", "reschedule", "because"}
    assert home.state("recommendation")["action"] is None
    assert home.ear.last(home.topic("open")) == "offline"
    assert home.ear.all_of("/recommended") == []


def test_an_event_tells_of_new_advice_once_even_after_a_restart(home: Home) -> None:
    advice = home.advise()
    first = home.publisher()
    home.update(first)
    home.update(first)
    first.link.close()
    home.update(home.publisher())
    assert [json.loads(text)["id"] for text in home.ear.all_of("/recommended")] == [advice.id]
    told = json.loads(home.ear.all_of("/recommended")[0])
    assert (
        told["event_type"] in json.loads(home.ear.last(home.config()) or "")["components"]["recommended"]["event_types"]
    )


def test_nothing_is_told_twice_while_nothing_changes(home: Home) -> None:
    home.advise()
    publisher = home.publisher()
    home.update(publisher)
    before = [one for one in home.ear.told if not one[0].startswith("marker")]
    home.stage.now += timedelta(minutes=1)
    home.update(publisher)
    assert [one for one in home.ear.told if not one[0].startswith("marker")] == before


def test_no_event_wakes_anybody_in_a_quiet_slot(home: Home) -> None:
    home.stage.bridge.__dict__["guard"] = guard_from_settings("0", "morning")
    home.advise()
    home.update(home.publisher())
    assert home.state("recommendation")["id"] is not None
    assert home.ear.all_of("/recommended") == []


@pytest.mark.parametrize("answer", list(Answer))
def test_a_button_is_an_answer(home: Home, answer: Answer) -> None:
    home.advise()
    publisher = home.publisher()
    home.update(publisher)
    home.press(publisher, str(answer).lower())
    found = home.advice()
    assert (found.answer, found.answered_at) == (answer, home.stage.now)
    assert home.state("recommendation")["answer"] == str(answer).lower()


def test_another_button_changes_the_answer_until_the_day_ends(home: Home) -> None:
    home.advise()
    publisher = home.publisher()
    home.update(publisher)
    home.press(publisher, "ignore")
    home.press(publisher, "accept")
    assert home.advice().answer is Answer.ACCEPT
    home.ear.say(home.topic("answer"), "ignore")
    until(lambda: publisher.presses)
    home.stage.now += timedelta(days=1)
    publisher.update(home.stage.now)
    assert home.stage.bridge.store.recommendations.by_id(1).answer is Answer.ACCEPT  # type: ignore[union-attr]


def test_an_expired_recommendation_takes_no_answer(home: Home) -> None:
    advice = home.advise()
    publisher = home.publisher()
    home.update(publisher)
    home.ear.say(home.topic("answer"), "accept")
    until(lambda: publisher.presses)
    home.stage.now = advice.expires_at
    home.update(publisher)
    found = home.stage.bridge.store.recommendations.by_id(advice.id)
    assert found is not None
    assert found.answer is None
    assert home.ear.last(home.topic("open")) == "offline"


@pytest.mark.parametrize(
    ("part", "word"), [("answer", "explode"), ("answer", ""), ("answer", "accept" * 50), ("other", "accept")]
)
def test_what_is_no_button_answers_nothing(home: Home, part: str, word: str) -> None:
    home.advise()
    publisher = home.publisher()
    home.update(publisher)
    home.ear.say(home.topic(part), word)
    home.ear.say("rhythm_bridge/rhythm_bridge_000000000000/answer", "accept")
    home.update(publisher)
    assert not publisher.presses
    assert home.advice().answer is None


def test_a_press_that_the_broker_retained_is_an_old_press(home: Home) -> None:
    home.advise()
    home.update(home.publisher())
    home.ear.say(home.topic("answer"), "ignore", retain=True)
    second = home.publisher()
    home.update(second)
    home.update(second)
    assert home.advice().answer is None


def say(home: Home, publisher: Publisher, part: str, text: str) -> None:
    home.ear.say(home.topic(part), text)
    until(lambda: publisher.orders.waiting)
    home.update(publisher)


def test_the_mode_is_selected_and_undone(home: Home) -> None:
    publisher = home.publisher()
    home.update(publisher)
    assert home.state("mode") == {"mode": "normal", "until": None}
    say(home, publisher, "set_mode", "holiday")
    assert home.state("mode")["mode"] == "holiday"
    say(home, publisher, "set_mode", "tired")
    assert home.state("mode")["mode"] == "holiday"
    say(home, publisher, "set_mode", "normal")
    assert home.state("mode") == {"mode": "normal", "until": None}


def test_a_wish_counts_once_what_was_understood_is_confirmed(home: Home) -> None:
    publisher, people, user = home.publisher(), home.stage.bridge.store.people, home.stage.users[0]
    home.update(publisher)
    say(home, publisher, "set_wish", "never meditation")
    understood = "Understood: never suggest meditation; instead of: meditation 21 times a week. Confirm it."
    assert home.state("wish") == {"text": understood, "waits": True}
    assert not people.wishes(user.id).never
    say(home, publisher, "confirm_wish", "confirm")
    assert home.state("wish") == {"text": "Saved: never suggest meditation.", "waits": False}
    assert people.wishes(user.id).never == {ActionType.MEDITATE}
    say(home, publisher, "set_wish", "purple")
    assert home.state("wish")["text"].startswith("this is not understood as a wish")
    say(home, publisher, "confirm_wish", "confirm")
    assert people.wishes(user.id).never == {ActionType.MEDITATE}


def test_a_note_is_taken_and_never_told_again(home: Home) -> None:
    publisher = home.publisher()
    home.update(publisher)
    say(home, publisher, "set_note", "sour plums 2")
    bridge, user = home.stage.bridge, home.stage.users[0]
    assert bridge.store.daily.noted(user.id) == ["sour plums"]
    assert home.state("note")["text"].startswith("Noted at ")
    say(home, publisher, "set_note", "<3")
    assert home.state("note")["text"].startswith("note a name")
    assert not any("plums" in str(told) for told in home.ear.told if not str(told[0]).endswith("set_note"))


def test_a_reason_refuses_and_a_lasting_one_is_confirmed(home: Home) -> None:
    advice, people, (user,) = home.advise(), home.stage.bridge.store.people, home.stage.users
    publisher = home.publisher()
    home.update(publisher)
    say(home, publisher, "set_because", "never")
    assert home.advice().answer is Answer.IGNORE
    assert home.state("wish")["text"].startswith("Understood: from now on no ")
    assert not people.wishes(user.id).never
    say(home, publisher, "confirm_wish", "confirm")
    assert home.state("wish")["text"].startswith("Saved: never suggest ")
    assert people.wishes(user.id).never == {advice.action}
    say(home, publisher, "set_because", "purple")
    assert home.state("wish")["text"].startswith("'purple' is not a reason")
    say(home, publisher, "set_because", "not-today")
    assert home.state("wish")["text"].startswith("Noted: no more today: ")
    assert people.preferences(user.id).resting


def test_a_flood_of_presses_is_bounded(home: Home) -> None:
    home.advise()
    publisher = home.publisher()
    home.update(publisher)
    for _ in range(200):
        home.ear.say(home.topic("answer"), "accept")
    publisher.link.tell("marker/flood", "x")
    until(lambda: home.ear.last("marker/flood"))
    assert len(publisher.presses) <= 20


def test_sharing_that_ends_takes_the_device_away(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.advise()
    publisher = home.publisher()
    home.update(publisher)
    monkeypatch.setenv("BRIDGE_MQTT_SHARE", "no")
    home.update(publisher)
    assert home.ear.last(home.config()) == ""
    assert retained(home.port) == {"rhythm_bridge/status": "online"}


def test_a_forgotten_person_is_taken_away_even_if_nobody_ran_then(home: Home) -> None:
    home.advise()
    first = home.publisher()
    home.update(first)
    first.link.close()
    config = home.config()
    connecting.forget(home.stage.bridge, home.stage.users[0])
    home.update(home.publisher())
    assert home.ear.last(config) == ""
    assert retained(home.port) == {"rhythm_bridge/status": "online"}


def test_the_devices_of_another_bridge_stay(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_MQTT_NAME", "rhythm_bridge_2")
    home.update(home.publisher())
    monkeypatch.setenv("BRIDGE_MQTT_NAME", "rhythm_bridge")
    monkeypatch.setenv("BRIDGE_MQTT_SHARE", "no")
    home.ear.say("homeassistant/device/kettle/config", "{}", retain=True)
    home.update(home.publisher())
    kept = retained(home.port)
    assert "homeassistant/device/kettle/config" in kept
    assert [topic for topic in kept if topic.startswith("homeassistant/device/rhythm_bridge_2_")]


def test_with_two_people_each_shares_alone(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.stage.add("ben", "Europe/Berlin")
    home.update(home.publisher())  # the variable belongs to nobody now
    assert [topic for topic in retained(home.port) if topic.endswith("/config")] == []
    sources = {"people": {"ana": {"mqtt": {"share": "yes"}}}}
    object.__setattr__(home.stage.bridge.settings, "sources", sources)
    home.update(home.publisher())
    assert [topic for topic in retained(home.port) if topic.endswith("/config")] == [home.config()]


@pytest.mark.parametrize(("share", "leaves"), [("yes", False), ("titles", True)])
def test_titles_leave_only_if_the_person_says_so(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: str, leaves: bool
) -> None:
    monkeypatch.setenv("BRIDGE_MQTT_SHARE", share)
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//tests//EN"]
    for number, (title, kind) in enumerate((("Oncologist", "PUBLIC"), ("Divorce lawyer", "PRIVATE"))):
        times = [f"DTSTART:20261019T0{6 + number}0000Z", f"DTEND:20261019T0{6 + number}3000Z"]
        lines += ["BEGIN:VEVENT", f"UID:{number}", f"SUMMARY:{title}", f"CLASS:{kind}", *times, "END:VEVENT"]
    (tmp_path / "mine.ics").write_text("\r\n".join([*lines, "END:VCALENDAR", ""]))
    runs.import_path(home.stage.bridge, home.stage.users[0], tmp_path / "mine.ics", at=home.stage.now)
    home.advise()
    home.update(home.publisher())
    everything = json.dumps(home.ear.told)
    assert ("Oncologist" in everything) is leaves
    assert "Divorce" not in everything
    assert ("busy" in home.state("recommendation")["text"]) is leaves


def test_a_lost_bridge_is_unavailable_by_its_last_will(home: Home) -> None:
    code = (
        "import os, sys, time; from bridge.daemon.mqtt.link import Link, broker_of;"
        f"broker = broker_of({{**{SETTINGS!r}, 'url': 'mqtt://127.0.0.1:{home.port}'}});"
        "link = Link(broker, lambda: os._exit(9), lambda *_: None); time.sleep(20)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, timeout=30)
    assert done.returncode == 9
    until(lambda: home.ear.last("rhythm_bridge/status") == "offline")


def test_a_goodbye_is_told(home: Home) -> None:
    publisher = home.publisher()
    until(lambda: home.ear.last("rhythm_bridge/status") == "online")
    publisher.link.close()
    until(lambda: home.ear.last("rhythm_bridge/status") == "offline")


def test_advice_is_told_as_soon_as_it_is_made(home: Home) -> None:
    publisher = home.publisher()
    home.update(publisher)
    daemon = home.stage.daemon(publisher=publisher)
    daemon._run_due_tasks()
    until(lambda: home.state("recommendation")["id"] is not None)
    assert daemon.stop(5)


def test_a_broker_that_answers_at_once_is_told_at_once(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection can be ready in its own thread before the daemon knows its publisher."""
    monkeypatch.setenv("BRIDGE_NOW", home.stage.now.isoformat())
    home.advise()

    def ready(*given: Any) -> Any:
        made = opened(*given)
        until(lambda: made is not None and made.link.is_ready)
        return made

    monkeypatch.setattr(publisher, "opened", ready)
    with only_daemon(home.stage.bridge) as daemon:
        until(lambda: home.ear.last(home.topic("recommendation")))
        assert daemon.stop(5)


def test_the_daemon_does_it_by_itself(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_NOW", home.stage.now.isoformat())  # also for what it does before its clock is set
    home.advise()
    with only_daemon(home.stage.bridge) as daemon:
        daemon.clock = lambda: home.stage.now
        until(lambda: home.ear.last(home.topic("recommendation")))
        home.ear.say(home.topic("answer"), "accept")
        until(lambda: home.state("recommendation")["answer"] == "accept")
        assert daemon.stop(5)
    assert home.advice().answer is Answer.ACCEPT
    until(lambda: home.ear.last("rhythm_bridge/status") == "offline")
