"""Advice out over real HTTP: once whatever happens, never in quiet slots, and what did not go is told."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from typer.testing import CliRunner

from bridge import registry
from bridge.advice import feedback, notify, trial
from bridge.auth import vault
from bridge.auth.key_storage import InFile
from bridge.auth.vault import Vault
from bridge.cli import app as cli
from bridge.daemon.due_tasks import Everybody, users_with_due_tasks
from bridge.documents.connections import notifications_document
from bridge.domain.languages import shown, speaking
from bridge.domain.records import Deed, Recommendation
from bridge.domain.rendering import for_person
from bridge.domain.slots import moment_at, zone_at
from bridge.domain.titles import ACTION_TITLES
from bridge.ingest import runs
from bridge.recordings.server import Answer, LabServer, Request
from rhythm_env.interface import Slot
from tests.daemon.quick_sender import quick_sender
from tests.daemon.stage import MONDAY, Stage

HERE = frozenset({"127.0.0.1"})
SECOND = timedelta(seconds=1)


class Mailbox:
    """An HTTP server that keeps what Apprise posts, and refuses while it is told to."""

    def __init__(self) -> None:
        self.got: list[dict[str, str]] = []
        self.refuses = False

    def application(self, request: Request) -> Answer:
        if self.refuses:
            return Answer(status=500)
        self.got.append(json.loads(request.body))
        return Answer(body={})


@pytest.fixture(scope="module")
def sender() -> Iterator[Any]:
    with quick_sender() as found:
        yield found


@pytest.fixture
def mailbox(stage: Stage, sender: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mailbox]:
    """Ana's advice goes there."""
    monkeypatch.setattr(notify, "subprocess", sender)
    box = Mailbox()
    with LabServer(box.application) as server:
        stage.add("ana", "Europe/Berlin")
        address = server.url.replace("http://", "json://")
        notify.keep(stage.bridge.store, stage.bridge.vault, stage.users[0], address, events=False, now=stage.now)
        yield box


def test_each_slots_advice_goes_once_and_never_at_night(stage: Stage, mailbox: Mailbox) -> None:
    daemon = stage.daemon()
    for _ in range(12):  # a day, two hours at a time
        daemon.tick()
        stage.now += timedelta(hours=2)
    given = stage.bridge.store.recommendations.full_between(stage.users[0].id, since=MONDAY, until=stage.now)
    assert len(given) == 4
    assert [message["title"].split(", ")[1] for message in mailbox.got] == [time_of(one) for one in given[:3]]
    first = mailbox.got[0]
    assert first["title"].upper().replace(" ", "_").startswith(str(given[0].action))
    assert first["message"].splitlines() == for_person(given[0].facts)
    assert all(advice.shown_at is None for advice in given)  # that it went out does not mean that it was seen


def test_messages_speak_the_language_that_the_person_chose(stage: Stage, mailbox: Mailbox) -> None:
    stage.bridge.store.people.set_language(stage.users[0].id, "de", now=stage.now)
    stage.daemon().tick()
    (given,) = stage.bridge.store.recommendations.full_between(
        stage.users[0].id, since=MONDAY, until=stage.now + SECOND
    )
    with speaking("de"):
        expected = [shown(reason) for reason in for_person(given.facts)]
        title = shown(ACTION_TITLES[given.action])
    assert expected != for_person(given.facts)  # which stay English
    assert mailbox.got[0]["message"].splitlines() == expected
    assert mailbox.got[0]["title"].startswith(title)


def test_nothing_is_sent_in_the_slots_that_the_person_wants_quiet(stage: Stage, mailbox: Mailbox) -> None:
    store, user = stage.bridge.store, stage.users[0]
    notify.choose(store, user, events=False, quiet={Slot.AFTERNOON, Slot.EVENING}, now=stage.now)
    daemon = stage.daemon()
    for _ in range(12):  # a day, two hours at a time
        daemon.tick()
        stage.now += timedelta(hours=2)
    given = store.recommendations.full_between(user.id, since=MONDAY, until=stage.now)
    assert len(given) == 4
    assert [message["title"].split(", ")[1] for message in mailbox.got] == [time_of(given[0])]
    body = notifications_document(stage.bridge, user, stage.now)
    assert (body["quiet"], body["missed"]) == (["AFTERNOON", "EVENING"], 0)


def test_events_go_along_where_wanted_and_private_ones_without_their_title(
    stage: Stage, mailbox: Mailbox, tmp_path: Path
) -> None:
    store, user = stage.bridge.store, stage.users[0]
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//tests//EN"]
    for number, (title, kind) in enumerate((("Planning", "PUBLIC"), ("Chemotherapy", "PRIVATE"))):
        times = [f"DTSTART:20261019T0{6 + number}0000Z", f"DTEND:20261019T0{6 + number}3000Z"]
        lines += ["BEGIN:VEVENT", f"UID:{number}", f"SUMMARY:{title}", f"CLASS:{kind}", *times, "END:VEVENT"]
    (tmp_path / "mine.ics").write_text("\r\n".join([*lines, "END:VCALENDAR", ""]))
    runs.import_path(stage.bridge, user, tmp_path / "mine.ics", at=stage.now)
    address = notify._secret(store, stage.bridge.vault, user.id)["address"]
    notify.keep(store, stage.bridge.vault, user, address, events=True, now=stage.now)
    stage.daemon().tick()
    told = mailbox.got[0]["message"].splitlines()
    assert told[-2:] == ["08:00 Planning", "09:00 busy"]


def test_a_message_is_text_also_where_it_goes_out_as_html(stage: Stage, mailbox: Mailbox) -> None:
    to = notify._secret(stage.bridge.store, stage.bridge.vault, stage.users[0].id)["address"]
    for address in (to, f"{to}?format=html"):
        assert (
            notify.send(address, "Deep work", "14:00 Budget <draft>\naccept: https://b.example.org/answer/1.a_b", HERE)
            is None
        )
    plain, html = (message["message"] for message in mailbox.got)
    assert plain.splitlines() == ["14:00 Budget <draft>", "accept: https://b.example.org/answer/1.a_b"]
    assert "<draft>" not in html
    assert "<br/>accept:" in html
    assert html.endswith("https://b.example.org/answer/1.a_b")


def test_what_was_not_taken_or_left_by_a_crash_is_told_and_not_sent_again(stage: Stage, mailbox: Mailbox) -> None:
    mailbox.refuses = True
    stage.daemon().tick()
    mailbox.refuses = False
    stage.daemon().tick()
    store, user = stage.bridge.store, stage.users[0]
    stage.now += timedelta(hours=6)
    stage.daemon().tick()
    stage.now += timedelta(hours=6)
    stage.bridge.store.notifications.save_channel(
        user.id, None, now=stage.now
    )  # advice alone, as a crash right after it leaves it
    channel_less = stage.daemon()
    channel_less.tick()
    advice = store.recommendations.of_slot(user.id, moment_at(stage.now, user.zones))
    assert advice is not None
    assert store.notifications.begin(user.id, advice.id, now=stage.now)
    stage.daemon().tick()
    assert len(mailbox.got) == 1
    printed = CliRunner().invoke(cli, ["status", "--user", "ana", "--json"])
    (row,) = [row for row in json.loads(printed.stdout) if row["source"] == "notify"]
    assert [one["state"] for one in row["unsent"]] == ["sending", "failed"]
    assert row["rows"] == 1


def test_advice_that_nobody_began_to_send_is_told_when_its_slot_is_over(
    stage: Stage, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, user = stage.bridge.store, stage.users[0]
    with monkeypatch.context() as patched:
        patched.setattr("bridge.advice.notify.compose", None)  # what composing needs is broken, all slot long
        stage.daemon().tick()
    stage.now += timedelta(hours=18)  # midnight, a quiet slot
    stage.daemon().tick()
    later = stage.now + timedelta(hours=6)
    (missed,) = store.notifications.missed(user.id, now=later, quiet=stage.bridge.guard.quiet)
    assert (missed.state, missed.at) == ("missed", MONDAY + timedelta(hours=5))
    assert store.notifications.missed(user.id, now=MONDAY + timedelta(hours=4), quiet=()) == []
    monkeypatch.setenv("BRIDGE_NOW", later.isoformat())
    body = json.loads(CliRunner().invoke(cli, ["notify", "--user", "ana", "--json"]).stdout)
    assert (body["missed"], [one["state"] for one in body["unsent"]]) == (1, ["missed"])
    local = missed.at.astimezone(zone_at(missed.at, user.zones))
    assert f"{local:%a %d %b %H:%M} missed: " in CliRunner().invoke(cli, ["notify", "--user", "ana"]).stdout
    for days, count in ((0, "1 not sent"), (20, None)):
        monkeypatch.setenv("BRIDGE_NOW", (later + timedelta(days=days)).isoformat())
        rows = json.loads(CliRunner().invoke(cli, ["status", "--user", "ana", "--json"]).stdout)
        assert [row["error"] for row in rows if row["source"] == "notify"] == [count]


def test_who_comes_into_a_slot_again_by_flying_west_is_not_sent_what_is_over(stage: Stage, mailbox: Mailbox) -> None:
    store, user = stage.bridge.store, stage.users[0]
    channel = store.notifications.channel(user.id)
    store.notifications.save_channel(user.id, None, now=stage.now)
    stage.now += timedelta(hours=6)  # 13:00 in Berlin
    stage.daemon().tick()
    stage.now += timedelta(hours=6)
    store.people.set_zone(user.id, "America/New_York", since=stage.now)  # 13:00 there
    store.notifications.save_channel(user.id, channel, now=stage.now)
    stage.daemon().tick()
    assert mailbox.got == []
    stage.now += timedelta(hours=18)
    stage.daemon().tick()
    (message,) = mailbox.got
    newest = store.recommendations.full_between(
        user.id, since=stage.now - timedelta(hours=1), until=stage.now + timedelta(hours=1)
    )[-1]
    assert message["title"].split(", ")[1] == time_of(newest, "America/New_York")


def test_advice_wakes_nobody_and_the_morning_has_its_own_after_the_night(stage: Stage, mailbox: Mailbox) -> None:
    store, user = stage.bridge.store, stage.users[0]
    stage.now = MONDAY + timedelta(hours=23)  # 06:00
    stage.daemon().tick()
    moment = moment_at(stage.now, user.zones)
    assert store.recommendations.of_slot(user.id, moment) is None  # the end of the night is silent
    assert users_with_due_tasks(stage.bridge, Everybody(stage.bridge).at(stage.now), now=stage.now) == []
    assert store.notifications.missed(user.id, now=stage.now + timedelta(hours=6), quiet=()) == []
    assert mailbox.got == []
    stage.now += timedelta(hours=1, minutes=1)  # a silent slot is looked at again after half an hour, or with news
    stage.daemon().tick()
    day = store.recommendations.of_slot(user.id, moment_at(stage.now, user.zones))
    assert day is not None
    assert (day.moment, day.kind) == (moment, "suggested")
    assert [message["title"].split(", ")[1] for message in mailbox.got] == [time_of(day)]


def test_on_a_monday_the_week_before_is_told_once(stage: Stage, mailbox: Mailbox) -> None:
    store, user, daemon = stage.bridge.store, stage.users[0], stage.daemon()

    def told() -> list[str]:
        return [message["message"] for message in mailbox.got if message["title"] == "Your week"]

    daemon.tick()
    assert told() == []  # of the week before nothing was seen
    (advice,) = store.recommendations.full_between(user.id, since=MONDAY, until=stage.now + timedelta(hours=1))
    feedback.say(store, user, advice.id, Deed.DONE, now=stage.now)
    stage.now += timedelta(days=7, hours=-3)  # before dawn, and the clocks went back
    for hours in (0, 4, 6, 6, 24):
        stage.now += timedelta(hours=hours)
        daemon.tick()
    assert len(told()) == 1
    assert told()[0].startswith("What fell short: ")
    assert "1 suggestion: 1 done." in told()[0]
    assert "http" not in told()[0]  # there is no page that can be reached from outside


def test_what_became_of_advice_is_known_before_the_next_is_given(stage: Stage, mailbox: Mailbox) -> None:
    store, user, daemon = stage.bridge.store, stage.users[0], stage.daemon()
    daemon.tick()
    (seen,) = store.recommendations.full_between(user.id, since=MONDAY, until=stage.now + timedelta(hours=1))
    store.recommendations.mark_shown(seen.id, now=stage.now)
    stage.now += timedelta(hours=6)
    daemon.tick()
    first, second = store.recommendations.full_between(user.id, since=MONDAY, until=stage.now + timedelta(hours=1))
    assert (first.outcome, first.outcome_at, second.outcome) == (Deed.UNKNOWN, stage.now, None)
    assert len(mailbox.got) == 2


def test_a_lost_consent_is_told_once_each_time_and_never_at_night(stage: Stage, mailbox: Mailbox) -> None:
    store, daemon = stage.bridge.store, stage.daemon()

    def told() -> int:
        for hours in (0, 1, 18):
            stage.now = stage.now.replace(hour=4) + timedelta(hours=hours)
            daemon.tick()
        stage.now += timedelta(hours=6)
        return sum(message["title"] == "WHOOP: please log in again" for message in mailbox.got)

    assert told() == 0
    stage.vendor.revoke()
    assert told() == told() == 1
    connection = store.connections.connect(stage.users[0].id, "whoop", "account", now=stage.now)
    stage.bridge.account(connection, registry.spec("whoop")).save_token(stage.vendor.grant())
    assert told() == 1
    stage.vendor.revoke()
    assert told() == told() == 2
    assert "bridge connect whoop --user ana" in mailbox.got[-1]["message"] + mailbox.got[-2]["message"]


def test_an_address_is_sealed_and_in_no_line_and_comes_along_to_another_key(
    stage: Stage, mailbox: Mailbox, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    mailbox.refuses = True
    stage.daemon().tick()
    channel = stage.bridge.store.notifications.channel(stage.users[0].id)
    assert channel is not None
    assert b"json://" not in channel.sealed
    assert "json://" not in caplog.text
    place = InFile(tmp_path / "key")
    place.save([stage.bridge.settings.key or ""])
    vault.rotate(stage.bridge.store, place)
    assert notify._secret(stage.bridge.store, Vault(place.keys), stage.users[0].id)["address"].startswith("json://")


def test_the_command_keeps_tests_and_takes_away(stage: Stage) -> None:
    stage.add("ana", "UTC")
    box = Mailbox()
    with LabServer(box.application) as server:
        to = ["--to", server.url.replace("http://", "json://")]
        body = json.loads(CliRunner().invoke(cli, ["notify", "--user", "ana", *to, "--test", "--json"]).stdout)
        assert (body["on"], body["test"]) == (True, "sent")
        assert len(box.got) == 1
        box.refuses = True
        assert CliRunner().invoke(cli, ["notify", "--user", "ana", "--test"]).exit_code == 1
    assert json.loads(CliRunner().invoke(cli, ["notify", "--user", "ana", "--off", "--json"]).stdout)["on"] is False
    assert "needs an address" in str(CliRunner().invoke(cli, ["notify", "--user", "ana", "--events"]).exception)
    assert "not an address" in str(CliRunner().invoke(cli, ["notify", "--user", "ana", "--to", "nonsense"]).exception)


def time_of(advice: Recommendation, zone: str = "Europe/Berlin") -> str:
    """Return the time of a recommendation as a message says it."""
    assert advice.start is not None
    assert advice.end is not None
    start, end = (at.astimezone(ZoneInfo(zone)) for at in (advice.start, advice.end))
    return f"{start:%H:%M} to {end:%H:%M}"


def test_a_day_of_a_trial_is_told_once_and_its_text_only_where_titles_may_go(stage: Stage, mailbox: Mailbox) -> None:
    bridge, user, daemon = stage.bridge, stage.users[0], stage.daemon()
    told = trial.begin(bridge, user, trial.drafted("no screens after 22", 2, "sleep"), now=stage.now)
    for _ in range(12):  # a day, two hours at a time
        daemon.tick()
        stage.now += timedelta(hours=2)
    arm = "With it" if next(iter(told.trial.arms().values())) else "Without it"
    assert [one["message"] for one in mailbox.got if one["title"] == "Your trial today"] == [f"{arm} today: trial 1"]
    notify.choose(bridge.store, user, events=True, quiet={Slot.MORNING}, now=stage.now)
    mailbox.got.clear()
    for _ in range(2):
        daemon.tick()
        assert not mailbox.got  # in the morning, which the person wants quiet
        stage.now += timedelta(hours=2)
    for _ in range(3):
        stage.now += timedelta(hours=2)
        daemon.tick()
    (reminder,) = [one for one in mailbox.got if one["title"] == "Your trial today"]
    assert reminder["message"].endswith("it today: no screens after 22")
    trial.stop(bridge, user, 1, now=stage.now)
    stage.now += timedelta(days=1)
    mailbox.got.clear()
    daemon.tick()
    assert not [one for one in mailbox.got if one["title"] == "Your trial today"]
