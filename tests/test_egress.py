"""Addresses that people type: what may be connected to, by the calendar's way and by the messages' way."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import requests
from typer.testing import CliRunner

from bridge import config, http
from bridge.advice import notify
from bridge.cli import app as cli
from bridge.domain.errors import SetupError
from bridge.http import egress
from bridge.recordings.server import Answer, LabServer
from bridge.store import Store
from tests.world import KEY, World, later, living

INSIDE = (
    *("127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"),  # noqa: S104
    *("100.100.100.200", "168.63.129.16", "192.0.0.192", "198.18.0.1", "192.88.99.1", "224.0.0.1", "240.0.0.1"),
    *("255.255.255.255", "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "fe80::1", "fd00::1"),
    *("fe80::1%lo", "fec0::1", "ff02::1", "fd00:ec2::254", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2002:a00:1::1"),
    *("2001::1", "100::1", "5f00::1"),
)
OUTSIDE = ("8.8.8.8", "::ffff:8.8.8.8", "64:ff9b::808:808", "2606:4700:4700::1111", "2002:808:808::1")


@pytest.mark.parametrize("address", INSIDE)
def test_an_address_inside_is_not_public(address: str) -> None:
    assert not egress.is_public(address)


@pytest.mark.parametrize("address", OUTSIDE)
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert egress.is_public(address)


@pytest.fixture
def inside() -> Iterator[LabServer]:
    """A server of the network that must not be reached; it would answer with a calendar."""
    with LabServer(lambda _: Answer(body=b"BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n")) as server:
        yield server


def test_every_spelling_of_loopback_is_refused(inside: LabServer) -> None:
    port = inside.url.rpartition(":")[2]
    spelled = ("127.0.0.1", "localhost", "LOCALHOST.", "127.1", "2130706433", "0x7f.1", "0.0.0.0", "[::ffff:7f00:1]")  # noqa: S104
    with closing(http.open_typed_session(())) as session:
        for host in spelled:
            with pytest.raises(requests.ConnectionError):
                session.get(f"http://{host}:{port}/admin", timeout=5)
    assert inside.asked == []
    with closing(http.open_typed_session(egress.parse_hosts("localhost"))) as session:
        assert session.get(f"http://LocalHost:{port}/", timeout=5).ok
        with pytest.raises(requests.ConnectionError):
            session.get(f"http://127.0.0.1:{port}/", timeout=5)


def test_a_redirect_and_a_name_that_changes_reach_nothing_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name is public at the first look and leads inside at the next one; every connection looks again."""
    answers, real = ["127.0.0.1", "10.0.0.1"], egress._look_up

    def look_up(_host: str, port: int, **more: object) -> list[egress.Found]:
        return real(answers.pop(0), port, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(egress, "_look_up", look_up)
    monkeypatch.setattr(egress, "is_public", lambda address: address == "127.0.0.1")  # stands for one outside
    monkeypatch.setattr(egress, "_is_own", lambda *_: False)
    with socket.create_server(("127.0.0.1", 0)) as outside, closing(http.open_typed_session(())) as session:
        session.mount("http://", egress.adapter(()))  # without a second try
        url = f"http://rebound.example:{outside.getsockname()[1]}/"
        threading.Thread(target=_redirect, args=(outside, url), daemon=True).start()
        with pytest.raises(requests.ConnectionError, match="no permitted address"):
            session.get(url, timeout=5)
    assert answers == []


def _redirect(outside: socket.socket, target: str) -> None:
    connection, _ = outside.accept()
    with connection:
        connection.recv(10_000)
        head = f"HTTP/1.1 302 Found\r\nLocation: {target}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        connection.sendall(head.encode())


def test_a_proxy_of_the_environment_is_not_asked(inside: LabServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, inside.url)
        monkeypatch.setenv(name.upper(), inside.url)
    monkeypatch.delenv("no_proxy", raising=False)
    with closing(http.open_typed_session(())) as session, pytest.raises(requests.ConnectionError):
        session.get("http://192.0.2.1/", timeout=5)
    reason = notify.send("json://192.0.2.1/", "title", "text", ())
    assert reason is not None
    assert inside.asked == []


def test_a_public_address_of_this_machine_is_not_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(egress, "is_public", lambda _: True)  # as 127.0.0.1 were one
    with pytest.raises(egress.Refused):
        egress.permitted_addresses("127.0.0.1", 80, ())


@pytest.fixture
def typed(lite: Store) -> Iterator[World]:
    """A calendar whose address a person typed: the operator has set none, and allows no host."""
    with living(lite, "ics", "week") as world:
        settings = world.vendor.settings
        world.vendor.settings = lambda url: settings(url) | {"url": ""}
        found = replace(world, allow_hosts=frozenset())
        found.account.save_token(world.vendor.grant())
        yield found


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def test_a_calendar_inside_is_not_read_and_nothing_tells_what_is_there(typed: World) -> None:
    there = typed.account.token_field("url")
    told = set()
    addresses = (there, f"http://127.0.0.1:{closed_port()}/a", "https://10.255.255.1/", "https://nowhere.invalid/a.ics")
    for hours, address in enumerate(addresses):
        typed.account.save_token({"url": address})
        outcome = later(typed, hours=12 * hours).sync()
        told.add((outcome.outcome, str(outcome.skipped_because)))
    ((outcome, text),) = told
    assert outcome == "failed"
    assert "BRIDGE_ALLOW_HOSTS" in text
    assert typed.server.asked == []


def test_what_the_operator_names_or_sets_is_read(typed: World) -> None:
    assert replace(typed, allow_hosts=frozenset({"127.0.0.1"})).sync().outcome == "ok"
    url = typed.account.token_field("url")
    typed.vendor.settings = lambda _: {"url": url, "addresses": ""}
    typed.server.asked.clear()
    again = replace(typed, now=typed.now.replace(hour=20))
    assert again.sync().outcome == "ok"
    assert typed.server.asked


def test_messages_reach_nothing_inside(inside: LabServer) -> None:
    """Whatever plug-in of Apprise it is, and however it opens its socket: over HTTP, SMTP or a bare datagram."""
    port = int(inside.url.rpartition(":")[2])
    with (
        closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as log,
        socket.create_server(("127.0.0.1", 0)) as mail,
    ):
        log.bind(("127.0.0.1", 0))
        log.settimeout(0.1)
        mail.settimeout(0.1)
        addresses = (
            *(f"{scheme}://127.0.0.1:{port}/" for scheme in ("json", "xml", "form", "gotify")),
            f"json://localhost:{closed_port()}/",
            f"mailto://a:b@127.0.0.1:{mail.getsockname()[1]}/?to=c@example.org&from=a@example.org",
            f"rsyslog://127.0.0.1:{log.getsockname()[1]}",
        )
        reasons = {notify.send(address, "title", "text", ()) for address in addresses if "gotify" not in address}
        with pytest.raises(TimeoutError):
            log.recv(1)
        with pytest.raises(TimeoutError):
            mail.accept()
    (reason,) = reasons
    assert "BRIDGE_ALLOW_HOSTS" in str(reason)
    assert inside.asked == []
    assert notify.send(f"json://127.0.0.1:{port}/", "title", "text", egress.parse_hosts("127.0.0.1")) is None
    assert len(inside.asked) == 1


def test_the_commands_name_the_setting(inside: LabServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_KEY", KEY)
    run = CliRunner().invoke
    assert run(cli, ["user", "add", "ana", "--zone", "UTC"]).exit_code == 0
    port = inside.url.rpartition(":")[2]
    sent = ["notify", "--user", "ana", "--to", f"json://127.0.0.1:{port}/", "--test", "--json"]
    assert "BRIDGE_ALLOW_HOSTS" in json.loads(run(cli, sent).stdout)["test"]
    refused = run(cli, ["connect", "ics", "--user", "ana"], input=f"http://127.0.0.1:{port}/admin\n")
    assert isinstance(refused.exception, SetupError)
    assert "BRIDGE_ALLOW_HOSTS" in str(refused.exception)
    assert inside.asked == []
    monkeypatch.setenv("BRIDGE_ALLOW_HOSTS", "127.0.0.1")
    assert config.load().allow_hosts == {"127.0.0.1"}
    assert json.loads(run(cli, sent).stdout)["test"] == "sent"


def test_the_document_of_calendars_says_where_a_host_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    text = Path("docs/sources/ics.md").read_text(encoding="utf-8")
    section = text.split("### A server in your own network")[1].split("\n## ")[0]
    written = section.split("```toml\n")[1].split("```")[0]
    home = config.load().folder
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.toml").write_text(written + "[ics]\n", encoding="utf-8")
    assert config.load().allow_hosts == {"nas.lan"}
    (home / "config.toml").unlink()
    name, _, value = section.split("$ export ")[1].splitlines()[0].partition("=")
    monkeypatch.setenv(name, value)
    assert config.load().allow_hosts == {"nas.lan"}


def test_a_message_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notify, "SEND_SECONDS", 2.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"json://127.0.0.1:{silent.getsockname()[1]}/?rto=300"
        assert "not taken" in str(notify.send(address, "title", "text", egress.parse_hosts("127.0.0.1")))
