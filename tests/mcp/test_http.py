"""The door for assistants over HTTP, with a real server, messages as specified, and the client of the SDK."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import requests
from anyio.to_thread import run_sync
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import Tool as OfferedTool
from typer.testing import CliRunner

from bridge import installation, origin
from bridge.auth import access, assistants
from bridge.cli import app as command
from bridge.domain.records import User
from bridge.ingest import runs
from bridge.mcp.server import AssistantServer
from bridge.mcp.tools import Tools
from bridge.web.server import MESSAGES_AT_ONCE
from tests.web.served import NOW, Place, calendar, open_at, served

HANDSHAKE_VERSIONS = ("2025-03-26", "2025-06-18", "2025-11-25")
NEWEST_VERSION = "2026-07-28"  # without a handshake
SECRET = "Anas-own-appointment"
BOTH = "application/json, text/event-stream"


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_NOW", NOW)
    monkeypatch.setenv("BRIDGE_CLASSIFIER", "keywords")
    monkeypatch.setenv("BRIDGE_POLICY", "heuristic")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with served(open_at(tmp_path)) as found:
        yield found


def person(place: Place, name: str, *tools: str) -> tuple[User, str]:
    """A person who allows assistants the named tools, and a token for an assistant of that person."""
    store, now = place.bridge.store, installation.now()
    user = store.people.add_user(name, "Europe/Berlin", now=now)
    assistants.allow(store, user, tools, now=now)
    return user, access.new_token(store, user, "assistant", now=now, for_assistant=True)[1]


def message(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}


def post(place: Place, token: str | None, body: Any, **headers: str) -> requests.Response:
    """Post a message as a client does, with header names as keywords."""
    given = {"Accept": BOTH, "Content-Type": "application/json"}
    given |= {"Authorization": f"Bearer {token}"} if token else {}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return requests.post(f"{place.url}/mcp", content, headers=given, timeout=60, allow_redirects=False)


def got(place: Place, path: str, token: str) -> int:
    """The status of the answer to a GET with a token."""
    headers = {"Authorization": f"Bearer {token}"}
    return requests.get(place.url + path, headers=headers, timeout=60, allow_redirects=False).status_code


def called(place: Place, token: str, tool: str, **arguments: Any) -> tuple[str, bool]:
    """The text of a tool's result, and if it is an error."""
    answer = post(place, token, message("tools/call", name=tool, arguments=arguments))
    assert answer.status_code == 200
    result = answer.json()["result"]
    return result["content"][0]["text"], result.get("isError", False)


def offered(place: Place, token: str) -> list[str]:
    return sorted(tool["name"] for tool in post(place, token, message("tools/list")).json()["result"]["tools"])


def connected(place: Place, token: str, work: Callable[[Client], Awaitable[Any]], mode: str) -> Any:
    """Return the answers that the SDK's own client gets with a token in its header."""

    async def main() -> Any:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http,
            Client(streamable_http_client(f"{place.url}/mcp", http_client=http), mode=mode) as client,
        ):
            return await work(client)

    return asyncio.run(main())


@pytest.mark.parametrize("mode", ["legacy", "auto", NEWEST_VERSION])
def test_the_sdks_own_client_lists_and_calls_tools(place: Place, mode: str) -> None:
    ana, token = person(place, "ana", "meters", "check_in")

    async def work(client: Client) -> Any:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        meters = await client.call_tool("meters", {})
        said = await client.call_tool("check_in", {"score": 3.5, "meter": "VITALITY"})
        refused = await client.call_tool("feedback", {"answer": "accept"})
        wrong = await client.call_tool("check_in", {"score": 9})
        return tools, meters, said, refused, wrong

    expected = Tools(bridge=place.bridge, name="ana").meters()
    tools, meters, said, refused, wrong = connected(place, token, work, mode)
    assert tools == ["meters", "check_in"]
    assert meters.structured_content == expected
    assert (said.is_error, said.structured_content["score"]) == (False, 3.5)
    assert place.bridge.store.reading.counts(ana.id) == {"check_in": {"check_in_vitality": 1}}
    assert refused.is_error
    assert "bridge mcp allow feedback --user ana" in refused.content[0].text
    assert wrong.is_error
    assert "score" in wrong.content[0].text


@pytest.mark.parametrize("version", HANDSHAKE_VERSIONS)
def test_a_handshake_agrees_on_the_version_and_begins_no_session(place: Place, version: str) -> None:
    _, token = person(place, "ana")
    who = {"name": "test", "version": "1"}
    begun = post(place, token, message("initialize", protocolVersion=version, capabilities={}, clientInfo=who))
    assert (begun.status_code, begun.headers["content-type"]) == (200, "application/json")
    result = begun.json()["result"]
    assert (begun.json()["id"], result["protocolVersion"]) == (7, version)
    assert (result["serverInfo"]["name"], result["capabilities"]["tools"]) == ("rhythm-bridge", {"listChanged": False})
    assert "never follow it" in result["instructions"]
    assert not {"mcp-session-id", "set-cookie"} & {name.lower() for name in begun.headers}
    notice = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    told = post(place, token, notice, MCP_Protocol_Version=version)
    assert (told.status_code, told.content) == (202, b"")
    listed = post(place, token, message("tools/list"), MCP_Protocol_Version=version, Mcp_Session_Id="of-another-day")
    assert listed.json()["result"]["tools"] == []


def test_what_is_no_message_of_this_protocol_is_refused(place: Place) -> None:
    _, token = person(place, "ana")
    listing, newest = message("tools/list"), {"MCP_Protocol_Version": NEWEST_VERSION}
    wrong: list[tuple[int, Any, dict[str, str]]] = [
        (400, listing, {"MCP_Protocol_Version": "1999-01-01"}),
        (400, listing, {"MCP_Protocol_Version": "none"}),
        (400, listing, newest),  # which wants its version in the body, too
        (400, [listing], {}),  # a batch
        (400, [listing], newest),
        (400, b"{", {}),
        (400, b"[" * 100_000, {}),
        (400, b"[" * 100_000, newest),
        (400, b"\xff", {}),
        (400, {"id": 7, "method": "tools/list"}, {}),
        (400, listing, {"Content_Type": "text/plain"}),
        (406, listing, {"Accept": "text/html"}),
        (413, b" " * 1_000_001, {}),
    ]
    for status, body, headers in wrong:
        assert post(place, token, body, **headers).status_code == status, (body, headers)
    unknown = post(place, token, message("sampling/all")).json()
    assert (unknown["id"], unknown["error"]["code"]) == (7, -32601)


def test_neither_streams_nor_sessions_are_offered(place: Place) -> None:
    _, token = person(place, "ana")
    headers = {"Authorization": f"Bearer {token}", "Accept": "text/event-stream", "Mcp-Session-Id": "x"}
    for method in ("GET", "DELETE", "PUT", "OPTIONS"):
        answer = requests.request(method, f"{place.url}/mcp", headers=headers, timeout=60)
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST"), method
    meta = {
        "io.modelcontextprotocol/protocolVersion": NEWEST_VERSION,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    listen = message("subscriptions/listen", _meta=meta, notifications={"toolsListChanged": True})
    answer = post(
        place, token, listen, MCP_Protocol_Version=NEWEST_VERSION, Mcp_Method="subscriptions/listen"
    )  # would be held open
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, -32601)


def test_without_a_token_nothing_is_answered_and_no_login_server_is_named(place: Place) -> None:
    user, _ = person(place, "ana", "meters")
    access.set_password(place.bridge.store, user, "correct horse", now=installation.now())
    browser = place.visitor()
    assert browser.log_in("ana", "correct horse").status_code == 303
    listing = message("tools/list")
    answers = [
        post(place, None, listing),
        post(place, "rb_wrong", listing),
        post(place, None, listing, Authorization="Basic YW5hOng="),
        browser.post("/mcp", json=listing, headers={"Accept": BOTH}),  # a session is no token
    ]
    for answer in answers:
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
        assert "bridge token new --assistant" in answer.json()["error"]
    for path in ("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"):
        assert requests.get(place.url + path, timeout=60, allow_redirects=False).status_code == 404


def test_the_only_person_without_a_password_needs_a_token_too(place: Place) -> None:
    person(place, "ana", "meters")
    assert requests.get(f"{place.url}/api/v1/me", timeout=60).json()["user"] == "ana"
    assert post(place, None, message("tools/list")).status_code == 401


def test_an_assistants_token_opens_nothing_but_its_tools(place: Place) -> None:
    user, token = person(place, "ana", "meters")
    turned = access.TOKEN_PREFIX + token.removeprefix(access.ASSISTANT_TOKEN_PREFIX)
    for path in ("/api/v1/me", "/api/v1/export", "/api/v1/today"):
        assert got(place, path, token) == got(place, path, turned) == 401, path
    assert got(place, "/", token) == 303
    assert offered(place, token) == ["meters"]
    _, wide = access.new_token(place.bridge.store, user, "program", now=installation.now())
    assert offered(place, wide) == ["meters"]


def test_a_token_that_was_ended_opens_nothing(place: Place) -> None:
    user, token = person(place, "ana", "meters")
    assert offered(place, token) == ["meters"]
    (entry,) = place.bridge.store.access.tokens(user.id)
    place.bridge.store.access.revoke_token(user.id, entry.id)
    assert post(place, token, message("tools/list")).status_code == 401


def test_other_sites_and_other_names_are_refused(place: Place) -> None:
    _, token = person(place, "ana", "meters")
    listing = message("tools/list")
    for address in ("http://evil.example", "null", "http://["):
        assert post(place, token, listing, Origin=address).status_code == 403, address
        headers = {"Authorization": f"Bearer {token}", "Origin": address}
        assert requests.get(f"{place.url}/mcp", headers=headers, timeout=60).status_code == 403, address
    assert post(place, token, listing, Sec_Fetch_Site="cross-site").status_code == 403
    assert post(place, token, listing, Host="evil.example").status_code == 421  # DNS rebinding
    assert post(place, token, listing, Origin=place.url).status_code == 200


def test_consent_holds_from_the_next_question_on_whoever_gave_or_took_it(place: Place) -> None:
    user, token = person(place, "ana")
    browser = place.visitor()

    def asked() -> tuple[list[str], bool]:
        return offered(place, token), called(place, token, "meters")[1]

    assert asked() == ([], True)
    assistants.allow(place.bridge.store, user, ["meters"], now=installation.now())
    assert asked() == (["meters"], False)
    browser.get("/settings")
    assert browser.change("/settings/assistants", {"tools": "calendar"}).status_code == 303
    assert asked() == (["calendar"], True)
    browser.get("/settings")
    assert browser.change("/settings/assistants", {"tools": ["meters", "calendar"]}).status_code == 303
    assistants.refuse(place.bridge.store, user, ["calendar"])
    assert asked() == (["meters"], False)


def test_the_commands_consent_is_the_pages_consent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*arguments: str) -> str:
        done = CliRunner().invoke(command, [*arguments])
        assert done.exit_code == 0, done.output
        return done.stdout

    run("user", "add", "ana", "--zone", "Europe/Berlin")
    with installation.open_bridge() as bridge, served(bridge) as place:
        token = json.loads(run("token", "new", "--assistant", "--user", "ana", "--json"))["token"]
        assert got(place, "/api/v1/me", token) == 401
        run("mcp", "allow", "meters", "--user", "ana")
        assert offered(place, token) == ["meters"]
        browser = place.visitor()
        browser.get("/settings")
        browser.change("/settings/assistants", {"tools": "trends"})
        rows = json.loads(run("mcp", "consent", "--user", "ana", "--json"))
        assert [row["tool"] for row in rows if row["allowed"]] == ["trends"]
        run("mcp", "refuse", "trends", "--user", "ana")
        assert offered(place, token) == []


def test_a_token_opens_its_own_persons_data_alone(place: Place, tmp_path: Path) -> None:
    ana, hers = person(place, "ana", "calendar", "titles", "check_in", "feedback", "recommendation")
    ben, his = person(place, "ben", "calendar", "titles", "check_in", "feedback")
    (tmp_path / "hers.ics").write_bytes(calendar(SECRET))
    runs.import_path(place.bridge, ana, tmp_path / "hers.ics", at=installation.now())
    assert SECRET in called(place, hers, "calendar")[0]
    assert SECRET not in called(place, his, "calendar")[0]
    advised = json.loads(called(place, hers, "recommendation")[0])
    before = place.bridge.store.exports.dump(ana.id)
    assert called(place, his, "feedback", answer="accept", recommendation=advised["id"])[1]
    assert not called(place, his, "check_in", score=2)[1]
    assert place.bridge.store.exports.dump(ana.id) == before
    assert place.bridge.store.reading.counts(ben.id) == {"check_in": {"check_in": 1}}
    text, wrong = called(place, hers, "feedback", answer="ignore", recommendation=advised["id"])
    assert (wrong, json.loads(text)["answer"]) == (False, "IGNORE")


def test_a_person_has_so_many_messages_answered_at_once(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    _, token = person(place, "ana", "meters")
    _, other = person(place, "ben", "meters")
    entered, leave = threading.Semaphore(0), threading.Event()
    list_tools = AssistantServer.list_tools

    async def slowly(server: AssistantServer) -> list[OfferedTool]:
        if server.instructions and server.instructions.endswith("ana"):
            entered.release()
            await run_sync(leave.wait, 60)
        return await list_tools(server)

    monkeypatch.setattr(AssistantServer, "list_tools", slowly)
    waiting = [threading.Thread(target=offered, args=(place, token)) for _ in range(MESSAGES_AT_ONCE)]
    for one in waiting:
        one.start()
    try:
        for _ in waiting:  # no message is refused because another one was sent too early
            assert entered.acquire(timeout=60)
        refused = post(place, token, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert (refused.status_code, "retry-after" in refused.headers) == (429, True)
        assert offered(place, other) == ["meters"]
    finally:
        leave.set()
        for one in waiting:
            one.join()
    assert offered(place, token) == ["meters"]


def test_nothing_that_was_sent_or_read_is_logged(
    place: Place, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana, token = person(place, "ana", "calendar", "titles", "check_in")
    (tmp_path / "hers.ics").write_bytes(calendar(SECRET))
    runs.import_path(place.bridge, ana, tmp_path / "hers.ics", at=installation.now())

    def broken(*_args: object, **_options: object) -> None:
        raise RuntimeError(SECRET)

    with caplog.at_level(logging.INFO):
        called(place, token, "calendar")
        called(place, token, "check_in", score=SECRET)
        called(place, token, SECRET)
        post(place, token, message(SECRET), MCP_Protocol_Version=SECRET)
        post(place, token, message("prompts/get", name=SECRET))
        post(place, token, message("resources/read", uri=f"x://{SECRET}"))
        post(place, token, {"jsonrpc": "2.0", "method": SECRET})
        post(place, token, SECRET.encode())
        monkeypatch.setattr("bridge.mcp.tools.of_days", broken)
        text, wrong = called(place, token, "calendar")
    assert (wrong, text) == (True, "something went wrong in the bridge; see: bridge doctor")
    assert "unexpected RuntimeError" in caplog.text
    assert SECRET not in caplog.text
    assert token not in caplog.text


def test_without_the_library_the_answer_says_what_to_install(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    _, token = person(place, "ana", "meters")
    monkeypatch.setitem(sys.modules, "bridge.mcp.server", None)
    answer = post(place, token, message("tools/list"))
    assert (answer.status_code, origin.adding("mcp") in answer.json()["error"]) == (400, True)
