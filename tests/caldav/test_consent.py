"""From the command line and the page to a real server: connect with an app password, sync, and see the week."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from bridge.domain.errors import SetupError
from bridge.domain.records import User
from bridge.recordings.server import Answer, LabServer
from connectors.caldav.client import safe
from tests.caldav.servers import LOGIN, PASSWORD, Client, Running, radicale
from tests.commands import bridge
from tests.web.conftest import ana, place, visitor  # noqa: F401 - fixtures
from tests.web.served import Place, Visitor
from tests.world import KEY, NOW

MEETING = (
    *("BEGIN:VEVENT", "UID:m", "DTSTAMP:20261101T000000Z", "DTSTART:20261120T130000Z", "DTEND:20261120T140000Z"),
    *("SUMMARY:Yoga in the park", "END:VEVENT"),
)
TODO = ("BEGIN:VTODO", "UID:t", "DTSTAMP:20261101T000000Z", "DUE;VALUE=DATE:20261121", "SUMMARY:Tax", "END:VTODO")
Say = Callable[..., CompletedProcess[str]]


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    with radicale(tmp_path) as running:
        client = Client(running)
        path = client.make("home", "Home")
        client.put(f"{path}m.ics", *MEETING)
        client.put(f"{path}t.ics", *TODO)
        yield running


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch) -> Say:
    """``bridge`` on the command line, with a line on standard input."""
    monkeypatch.setenv("BRIDGE_KEY", KEY)
    monkeypatch.setenv("BRIDGE_NOW", NOW.isoformat())

    def said(*arguments: str, typed: str = "") -> CompletedProcess[str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(f"{typed}\n"))
        return bridge(*arguments)

    assert said("user", "add", "ana", "--zone", "Europe/Berlin").returncode == 0
    return said


def connect(say: Say, url: str, *, typed: str = PASSWORD, name: str = LOGIN) -> CompletedProcess[str]:
    return say("connect", "caldav", "--user", "ana", "--url", url, "--name", name, typed=typed)


def test_connect_sync_and_see_the_week(say: Say, running: Running) -> None:
    assert connect(say, running.url).returncode == 0
    (done,) = json.loads(say("sync", "--user", "ana", "--json").stdout)
    assert (done["source"], done["outcome"], done["new"], done["events"], done["tasks"]) == ("caldav", "ok", 2, 1, 1)
    assert "Yoga in the park" in say("calendar", "--user", "ana").stdout
    assert json.loads(say("status", "--user", "ana", "--json").stdout)[0]["source"] == "caldav"
    Client(running).delete(f"{running.home}home/m.ics")
    (done,) = json.loads(say("sync", "--user", "ana", "--json").stdout)
    assert (done["new"], done["deleted"]) == (0, 1)
    assert "Yoga in the park" not in say("calendar", "--user", "ana").stdout
    ended = say("disconnect", "caldav", "--user", "ana", "--yes")
    assert (ended.returncode, "Revoke it there as well" in ended.stdout) == (0, True)


@pytest.mark.parametrize("path", ["/", "/.well-known/caldav", f"/{LOGIN}/", f"/{LOGIN}/home/"])
def test_any_address_of_the_account_leads_to_its_calendars(say: Say, running: Running, path: str) -> None:
    assert connect(say, running.url + path).returncode == 0
    (done,) = json.loads(say("sync", "--user", "ana", "--json").stdout)
    assert (done["outcome"], done["new"]) == ("ok", 2)


def test_a_wrong_password_says_what_to_do_and_is_not_tried_again(say: Say, running: Running) -> None:
    refused = connect(say, running.url, typed="wrong")
    assert refused.returncode == 3
    assert "bridge connect caldav" in refused.stderr
    assert connect(say, running.url, typed="").returncode == 3
    assert say("sync", "--user", "ana").returncode == 2  # nothing was saved


def test_a_changed_password_stops_the_source_and_names_the_next_command(
    say: Say, running: Running, tmp_path: Path
) -> None:
    assert connect(say, running.url).returncode == 0
    (tmp_path / "users").write_text(f"{LOGIN}:another\n")
    stopped = say("sync", "--user", "ana")
    assert stopped.returncode == 3
    assert "bridge connect caldav --user ana" in stopped.stderr


def test_a_silent_server_says_which_command_to_try_again(say: Say) -> None:
    told = connect(say, "http://127.0.0.1:9/")
    assert told.returncode == 1
    assert "; try again later: bridge connect caldav" in told.stderr


def test_an_address_without_calendars_is_a_mistake_in_what_was_typed(say: Say) -> None:
    with LabServer(lambda _: Answer(status=404)) as server:
        wrong = connect(say, server.url)
    assert wrong.returncode == 2
    assert "the calendars at this address cannot be read" in wrong.stderr


def test_other_sources_take_no_address(say: Say) -> None:
    wrong = say("connect", "whoop", "--user", "ana", "--url", "https://example.com")
    assert (wrong.returncode, "takes no --url" in wrong.stderr) == (2, True)


class _Account:
    allow_hosts = frozenset({"nas.lan"})


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("cloud.example.com", "https://cloud.example.com"),
        ("https://cloud.example.com/dav?x=1#y", "https://cloud.example.com/dav"),
        ("http://127.0.0.1:5232", "http://127.0.0.1:5232"),
        ("http://nas.lan:5232/ana/", "http://nas.lan:5232/ana/"),
    ],
)
def test_addresses_that_are_taken(typed: str, kept: str) -> None:
    assert safe(typed, _Account()) == kept  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "typed",
    ["http://cloud.example.com", "ftp://nas.lan", "https://", "https://a b", "https://ana:pw@example.com", "http://["],
)
def test_addresses_that_are_not_taken(typed: str) -> None:
    with pytest.raises(SetupError, match="bridge connect caldav"):
        safe(typed, _Account())  # type: ignore[arg-type]


@pytest.mark.parametrize("allowed", [True, False])
def test_the_page_asks_for_address_name_and_password(
    place: Place,  # noqa: F811 - fixtures
    ana: User,  # noqa: F811
    visitor: Visitor,  # noqa: F811
    running: Running,
    monkeypatch: pytest.MonkeyPatch,
    allowed: bool,
) -> None:
    """An address that somebody types on the page reaches no host inside the network that the operator did not name."""
    page = visitor.get("/connections").text
    for field in ("Server address", "Login name", "App password"):
        assert field in page
    if allowed:
        object.__setattr__(place.bridge.settings, "allow_hosts", frozenset({"127.0.0.1"}))
    form = {"url": running.url, "name": LOGIN, "password": PASSWORD}
    done = visitor.finished(visitor.change("/connections/caldav/connect", form).text)
    assert PASSWORD not in done
    assert ("2 new" in done) is allowed
    assert ("BRIDGE_ALLOW_HOSTS" in done) is not allowed
