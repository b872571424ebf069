"""A proxy names the user who logged in there, and nobody else can."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from bridge import installation
from bridge.auth import access
from bridge.domain.errors import SetupError
from bridge.ingest import checkins
from bridge.web.logins import check_passwords
from bridge.web.server import create
from tests.web.conftest import secured
from tests.web.served import Place, Visitor, open_at, served

HEADER, PASSWORD = "Remote-User", "correct horse"


@contextmanager
def behind(folder: Path, proxies: str, header: str = "remote-user") -> Iterator[Place]:
    bridge = open_at(folder)
    settings = replace(bridge.settings, trusted_proxies=proxies, user_header=header)
    with served(replace(bridge, settings=settings), local=False, names=["bridge.example"]) as place:
        for name in ("ana", "ben", "Зоя"):
            place.bridge.store.people.add_user(name, "Europe/Berlin", now=installation.now())
        yield place


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """The tests themselves are the proxy."""
    with behind(tmp_path, "127.0.0.1") as found:
        yield found


def named(place: Place, name: str) -> Visitor:
    found = place.visitor()
    found.headers[HEADER] = name.encode()
    return found


def test_the_named_user_is_in_without_a_login_and_sees_their_own(place: Place) -> None:
    for name in ("ana", "ben", "Зоя"):
        visitor = named(place, name)
        assert f"Of {name}" in visitor.get("/settings").text
        assert visitor.get("/login").headers["Location"] == "/"
        assert "Log out" not in visitor.get("/").text  # the proxy would log in again at once
    assert place.visitor().get("/settings").headers["Location"] == "/login"


def test_changes_still_need_the_token_of_the_page(place: Place) -> None:
    """A proxy adds the header to what another site makes a browser send, too."""
    visitor = named(place, "ana")
    forged = visitor.post("/settings/zone", data={"zone": "Asia/Tokyo"})
    assert forged.status_code == 403
    visitor.get("/settings")
    assert visitor.change("/settings/zone", {"zone": "Asia/Tokyo"}).status_code == 303


def test_the_header_of_anybody_else_counts_for_nothing(tmp_path: Path) -> None:
    with behind(tmp_path, "10.0.0.0/8") as place:
        visitor = named(place, "ana")
        visitor.headers["X-Forwarded-For"] = "10.0.0.7"
        assert visitor.get("/settings").headers["Location"] == "/login"
        assert visitor.get("/api/v1/today").status_code == 401


def test_without_the_setting_the_header_counts_for_nothing(tmp_path: Path) -> None:
    with behind(tmp_path, "127.0.0.1", header="") as place:
        assert named(place, "ana").get("/settings").headers["Location"] == "/login"


def test_the_header_outranks_a_session_that_another_left_in_the_browser(place: Place) -> None:
    secured(place, "cleo", PASSWORD)
    visitor = place.visitor()
    visitor.log_in("cleo", PASSWORD)
    assert "Of cleo" in visitor.get("/settings").text
    visitor.headers[HEADER] = "ana"
    assert "Of ana" in visitor.get("/settings").text


@pytest.mark.parametrize(("name", "said"), [("zoe", "bridge user add zoe"), ("<b>x</b>", "bridge user add NAME")])
def test_a_name_that_is_nobodys_is_told_so(place: Place, name: str, said: str) -> None:
    answer = named(place, name).get("/")
    assert answer.status_code == 403
    assert said in answer.text
    assert "<b>x" not in answer.text
    told = named(place, name).get("/api/v1/today")
    assert (told.status_code, said in told.json()["error"]) == (403, True)


def test_two_names_are_none(place: Place) -> None:
    """A proxy that adds its header behind a client's own must not let the client choose."""
    with socket.create_connection(("127.0.0.1", place.port)) as line:
        line.sendall(
            b"GET /settings HTTP/1.1\r\nHost: bridge.example\r\nRemote-User: ben\r\nRemote-User: ana\r\n"
            b"Connection: close\r\n\r\n"
        )
        told = b"".join(iter(lambda: line.recv(65536), b""))
    assert told.startswith(b"HTTP/1.1 303")
    assert b"location: /login" in told


def test_tokens_of_programs_go_on_working_and_outrank_the_header(place: Place) -> None:
    store = place.bridge.store
    _, token = access.new_token(store, store.people.user("ben"), "test", now=installation.now())
    for visitor in (place.visitor(), named(place, "ana"), named(place, "zoe")):
        visitor.headers["Authorization"] = f"Bearer {token}"
        assert visitor.get("/api/v1/today").status_code == 200
        assert visitor.post("/api/v1/checkins", json={"score": 4}).status_code < 300
        visitor.headers["Authorization"] = "Bearer wrong"
        assert visitor.get("/api/v1/today").status_code == 401
    said = {name: checkins.recent(store, store.people.user(name), since=date(2026, 11, 1)) for name in ("ana", "ben")}
    assert (len(said["ana"]), len(said["ben"])) == (0, 1)


@pytest.mark.parametrize(
    ("header", "proxies"),
    [("remote-user", ""), ("cookie", "127.0.0.1"), ("remote user", "127.0.0.1"), ("x-forwarded-for", "127.0.0.1")],
)
def test_a_header_that_anybody_could_send_does_not_start(tmp_path: Path, header: str, proxies: str) -> None:
    bridge = open_at(tmp_path)
    settings = replace(bridge.settings, trusted_proxies=proxies, user_header=header)
    with pytest.raises(SetupError, match="BRIDGE_USER_HEADER"):
        create(replace(bridge, settings=settings), local=False)
    bridge.store.close()


def test_nobody_needs_a_password_where_the_proxy_logs_people_in(place: Place) -> None:
    check_passwords(place.bridge)
    with pytest.raises(SetupError, match="ana"):
        check_passwords(replace(place.bridge, settings=replace(place.bridge.settings, user_header="")))
