"""Logins, the data that each user sees, and refusals."""

from __future__ import annotations

import contextlib
import doctest
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import requests
from fastapi.routing import APIRoute

from bridge import installation
from bridge.advice import requests as advising
from bridge.auth import access
from bridge.domain import languages
from bridge.domain.errors import SetupError
from bridge.domain.records import Recommendation, User
from bridge.ingest import runs
from bridge.web import background, bounds, forwarded, phrases, pushes
from bridge.web.logins import check_passwords
from tests.web.conftest import secured
from tests.web.served import Place, Visitor, calendar, open_at, served

SECRET = "Anas-own-appointment"
OPEN = (
    "/manifest.webmanifest",
    "/sw.js",
    "/offline",
    "/welcome",
    "/login",
    "/logout",
    "/push/",
    "/hooks/",
    "/answer/",
)  # for people who are not known (yet)
TEMPLATES = Path(__file__).parents[2] / "bridge" / "web" / "templates"


@dataclass(frozen=True, kw_only=True)
class Two:
    """Two people with passwords; ``ids`` are things of ana's that ben might ask for."""

    place: Place
    ana: User
    ben: User
    ids: dict[str, str]


@pytest.fixture
def two(place: Place, tmp_path: Path) -> Two:
    ana, ben = secured(place, "ana", "correct horse"), secured(place, "ben", "battery staple")
    file = tmp_path / "calendar.ics"
    file.write_bytes(calendar(SECRET))
    runs.import_path(place.bridge, ana, file, at=installation.now())
    advice = advising.recommend(place.bridge, ana, now=installation.now())
    assert isinstance(advice, Recommendation)
    job = place.made.state.page.jobs.start(ana.id, SECRET, lambda job: job.ask(SECRET))
    ids = {"number": str(advice.id), "name": job.id, "source": "ics", "event": SECRET, "token": "0" * 40}
    return Two(place=place, ana=ana, ben=ben, ids=ids)


def routes(place: Place) -> list[tuple[str, str]]:
    """(method, path) of every route the application has."""
    found = list(_flat(place.made.routes))
    assert len(found) > 25
    return sorted((method, path) for path, methods in found for method in methods)


def _flat(some: Any, prefix: str = "") -> Iterator[tuple[str, set[str]]]:
    for route in some:
        if isinstance(route, APIRoute) or route in pushes.ROUTES or getattr(route, "path", "") == "/mcp":
            yield prefix + route.path, route.methods
        elif hasattr(route, "original_router"):
            yield from _flat(route.original_router.routes, prefix + route.include_context.prefix)


def test_no_route_of_another_persons_data_answers(two: Two) -> None:
    """Every route there is, asked by ben with ana's ids, through a session and with a token."""
    store = two.place.bridge.store
    before = store.exports.dump(two.ana.id)
    _, token = access.new_token(store, two.ben, "test", now=installation.now())
    ben = two.place.visitor()
    ben.log_in("ben", "battery staple")
    ben.get("/connections")
    csrf = ben.csrf
    for method, template in routes(two.place):
        if template in ("/connections/forget", "/logout"):
            continue
        path = re.sub(r"{(\w+)[^}]*}", lambda found: two.ids[found[1]], template)
        form = {"csrf": csrf, "answer": "accept", "event": SECRET, "action": "LEARN", "score": "3", "name": "ana"}
        body = {"json": {"answer": "accept"}} if path.startswith("/api/") and method == "POST" else {"data": form}
        headers = {"Authorization": f"Bearer {token}"} if path.startswith(("/api/", "/mcp")) else {}
        answer = ben.request(method, path, headers=headers, **(body if method == "POST" else {}))
        assert answer.status_code < 500, (method, path)
        assert SECRET.encode() not in answer.content.replace(f"/{SECRET}".encode(), b""), (method, path)
    assert "nothing was deleted: type ben" in ben.change("/connections/forget", {"name": "ana"}).text  # still ben
    assert store.exports.dump(two.ana.id) == before
    assert two.ben in store.people.users()


def test_who_is_not_known_sees_nothing(two: Two) -> None:
    stranger = two.place.visitor()
    for method, template in routes(two.place):
        if template.startswith(OPEN):
            continue
        path = re.sub(r"{(\w+)[^}]*}", lambda found: two.ids[found[1]], template)
        stranger.get("/login")
        answer = stranger.request(method, path, data={"csrf": stranger.csrf} if method == "POST" else None)
        if path.startswith(("/api/", "/mcp")):
            assert answer.status_code in (401, 403, 422), (method, path)
        else:
            assert answer.status_code in (303, 403, 422), (method, path)
        assert SECRET.encode() not in answer.content


def test_every_change_needs_the_token_of_its_page_and_comes_from_our_own(place: Place, visitor: Visitor) -> None:
    others = ("/push", "/hooks", "/mcp")  # which no cookie opens
    changes = [path for method, path in routes(place) if method == "POST" and not path.startswith(others)]
    for template in changes:
        path = re.sub(r"{[^}]*}", "1", template)
        assert visitor.post(path, data={"name": "ana", "answer": "accept"}).status_code in (403, 422), path
        assert visitor.post(path, data={"csrf": "0" * 64}).status_code in (403, 422), path
        for headers in (
            {"Origin": "http://evil.example"},
            {"Origin": "null"},
            {"Origin": "http://["},
            {"Sec-Fetch-Site": "cross-site"},
        ):
            answer = visitor.post(path, data={"csrf": visitor.csrf}, headers=headers)
            assert (answer.status_code, "another site asked for that" in answer.text) == (403, True), path


def test_another_name_for_this_machine_is_refused(visitor: Visitor) -> None:
    for host in ("evil.example", "evil.example:8080", "127.0.0.1.evil.example", "", "[::2]", "10.0.0.7"):
        assert visitor.get("/", headers={"Host": host}).status_code in (400, 421), host


def test_without_a_password_nobody_comes_through_a_proxy(place: Place, visitor: Visitor) -> None:
    for name in ("X-Forwarded-For", "X-Forwarded-Proto", "X-Real-IP", "Via", "Forwarded"):
        assert visitor.get("/", headers={name: "10.0.0.7"}).status_code == 421, name
    with contextlib.closing(socket.create_connection(("127.0.0.1", place.port), timeout=10)) as connection:
        connection.sendall(b"GET /api/v1/today HTTP/1.0\r\nHost: localhost\r\n\r\n")  # as nginx asks by itself
        assert connection.recv(1000).split()[1] == b"421"


def test_a_name_is_known_however_it_is_written(tmp_path: Path) -> None:
    with served(open_at(tmp_path), local=False, names=["Bridge.Example.org", "Anas-MacBook"]) as place:
        for host in ("bridge.example.org", "Bridge.Example.org", "anas-macbook:8080"):
            assert place.visitor().get("/login", headers={"Host": host}).status_code == 200, host


def test_passwords_sessions_and_leaving(two: Two) -> None:
    ana, store = two.place.visitor(), two.place.bridge.store
    assert ana.log_in("ana", "wrong").status_code == 403
    assert ana.log_in("ana").status_code == 403  # who has a password needs it
    entered = ana.log_in("ana", "correct horse")
    assert entered.headers["location"] == "/"
    cookie = entered.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert SECRET in ana.get("/events").text
    token = ana.cookies["bridge_session"]
    kept = access.session_of(store, token, now=installation.now())
    assert kept is not None
    assert kept.user_id == two.ana.id
    assert access.session_of(store, token, now=installation.now() + access.SESSION_LASTS) is None
    idle = access.SESSION_IDLE
    assert store.access.session(token, now=installation.now(), idle=idle) is None  # what is kept is no key
    ana.change("/logout")
    ana.cookies.set("bridge_session", token)
    assert ana.get("/").headers["location"] == "/login"


def test_a_new_password_ends_every_session(two: Two) -> None:
    ana = two.place.visitor()
    ana.log_in("ana", "correct horse")
    access.set_password(two.place.bridge.store, two.ana, "another horse", now=installation.now())
    assert ana.get("/").status_code == 303
    with pytest.raises(SetupError, match="12 to 256"):
        access.set_password(two.place.bridge.store, two.ana, "short", now=installation.now())


def test_guessing_is_slowed_down(two: Two) -> None:
    guest = two.place.visitor()
    assert [guest.log_in("ana", f"guess-{n}").status_code for n in range(7)] == [403] * 5 + [429] * 2
    assert guest.log_in("ana", "correct horse").status_code == 429


def test_the_login_leads_nowhere_else(two: Two) -> None:
    for place in ("//evil.example", "https://evil.example", "/\\evil.example"):
        guest = two.place.visitor()
        guest.get("/login", params={"next": place})
        form = {"csrf": guest.csrf, "name": "ana", "password": "correct horse", "next": place}
        entered = guest.post("/login", params={"next": place}, data=form)
        assert entered.headers["location"] == "/"


def test_behind_a_proxy_with_tls_cookies_are_secure(tmp_path: Path) -> None:
    bridge = open_at(tmp_path)
    with served(bridge, local=False, names=["bridge.example"]) as place:
        secured(place, "ana", "correct horse")
        guest = Visitor(place.url)
        guest.headers.update({"Host": "bridge.example", "X-Forwarded-Proto": "https"})
        seed = guest.get("/login").headers["set-cookie"]
        assert "Secure" in seed
        guest.headers["Cookie"] = seed.partition(";")[0]
        for told in ({}, {"X-Forwarded-Proto": None, "Origin": "https://bridge.example"}):  # by the browser alone
            entered = guest.change("/login", {"name": "ana", "password": "correct horse"}, headers=told)
            assert "Secure" in entered.headers["set-cookie"]
        assert guest.get("/welcome").headers["location"] == "/"


def test_nobody_listens_beyond_this_machine_without_a_password(place: Place) -> None:
    with pytest.raises(SetupError, match="bridge user add"):
        check_passwords(place.bridge)
    ana = place.bridge.store.people.add_user("ana", "UTC", now=installation.now())
    with pytest.raises(SetupError, match="bridge user password ana"):
        check_passwords(place.bridge)
    access.set_password(place.bridge.store, ana, "correct horse", now=installation.now())
    check_passwords(place.bridge)


def test_without_passwords_people_choose_who_they_are(place: Place, visitor: Visitor) -> None:
    place.bridge.store.people.add_user("ben", "UTC", now=installation.now())
    assert visitor.get("/").headers["location"] == "/login"
    assert visitor.log_in("ben").headers["location"] == "/"
    assert "Choir" not in visitor.get("/").text


def test_no_template_has_script_or_style_of_its_own_and_the_policy_forbids_it(visitor: Visitor) -> None:
    policy = visitor.get("/").headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    for template in TEMPLATES.rglob("*.html"):
        text = template.read_text(encoding="utf-8")
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=|javascript:|\|\s*safe", text), (
            template
        )


def test_what_is_too_large_is_refused_before_it_is_read(visitor: Visitor) -> None:
    for path, size in (("/checkin", 2_000_000), ("/connections/import?name=x.zip", 10**11), ("/push/whoop", 10**10)):
        headers = {"Content-Length": str(size), "X-CSRF-Token": visitor.csrf}
        request = requests.Request("POST", visitor.url + path, headers=headers).prepare()
        request.headers["Content-Length"] = str(size)
        assert visitor.send(request, timeout=10).status_code == 413, path

    def endless() -> Iterator[bytes]:
        for _ in range(200):
            yield b"a" * 100_000

    told: Any = {"X-CSRF-Token": visitor.csrf, "Content-Type": "application/x-www-form-urlencoded"}
    with contextlib.suppress(requests.ConnectionError):  # refused while it was still being sent
        assert visitor.post("/checkin", data=endless(), headers=told).status_code in (400, 413)


def test_nothing_of_a_strangers_upload_is_read(two: Two) -> None:
    """The answer comes before the body does, whatever the body says it is."""
    for path in ("/connections/import?name=x.zip", "/api/v1/import?name=x.zip"):
        with contextlib.closing(socket.create_connection(("127.0.0.1", two.place.port), timeout=10)) as connection:
            kind = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 3000000000"
            connection.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{kind}\r\n\r\ncsrf=".encode())
            assert connection.recv(1000).split()[1] == b"403", path


def test_only_uploads_may_be_large(visitor: Visitor) -> None:
    for path in ("/connections/import/connect", "/connections/imports", "/api/v1/import/x"):
        request = requests.Request("POST", visitor.url + path).prepare()
        request.headers["Content-Length"] = "2000000"
        assert visitor.send(request, timeout=10).status_code == 413, path


def test_worked_examples() -> None:
    for module in (background, bounds, forwarded, languages, phrases):
        assert doctest.testmod(module).failed == 0, module


def test_expired_sessions_are_deleted(two: Two) -> None:
    store = two.place.bridge.store
    access.begin_session(store, two.ana, now=installation.now() - access.SESSION_LASTS - timedelta(days=1))
    access.begin_session(store, two.ana, now=installation.now())
    store.people.forget(two.ana.id)
    assert store.access.tokens(two.ana.id) == []


def test_a_file_asked_for_without_cookies_sets_none(place: Place) -> None:
    """As of a manifest: its cookie would make the tokens of the page invalid that asks for it."""
    for path, sets in (("/static/style.css", False), ("/manifest.webmanifest", False), ("/welcome", True)):
        answer = requests.get(f"{place.url}{path}", timeout=10)
        assert answer.status_code == 200, path
        assert ("bridge_seed" in answer.headers.get("set-cookie", "")) == sets, path
