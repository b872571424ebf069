"""A database that does not answer is said in words, to people and to programs, and both servers recover."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from bridge import installation
from bridge.auth import access
from bridge.ingest.pushes import grant
from bridge.web import pushes
from lab.web_server import running
from tests.health_auto_export.reading import body, metric
from tests.web.served import Place, Visitor, open_at, served

pytestmark = pytest.mark.postgres
CONTENT = body(metric("step_count", "count", {"date": "2026-11-18 00:00:00 +0100", "qty": 5000})).content


@dataclass(frozen=True, kw_only=True)
class Database:
    """A database of a real server that can be closed to all connections, which ends those there are."""

    url: str

    def close(self) -> None:
        self._run("ALTER DATABASE {} WITH ALLOW_CONNECTIONS false")
        self._run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'")

    def open(self) -> None:
        self._run("ALTER DATABASE {} WITH ALLOW_CONNECTIONS true")

    def _run(self, statement: str) -> None:
        server, _, name = self.url.rpartition("/")
        with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
            connection.execute(statement.format(name).encode())


@pytest.fixture
def database(postgres_url: str) -> Iterator[Database]:
    made = Database(url=postgres_url)
    yield made
    made.open()


@pytest.fixture
def there(database: Database, tmp_path: Path) -> Iterator[Place]:
    with served(open_at(tmp_path, database.url)) as place:
        place.bridge.store.people.add_user("ana", "Europe/Berlin", now=installation.now())
        yield place


def token_of(place: Place) -> str:
    user = place.bridge.store.people.user("ana")
    return access.new_token(place.bridge.store, user, "test", now=installation.now())[1]


def test_the_page_says_it_and_comes_back(there: Place, database: Database) -> None:
    visitor = there.visitor()
    assert visitor.get("/").status_code == 200
    database.close()
    for path in ("/", "/connections", "/login", "/trends", "/connections/export.zip"):
        answer = visitor.get(path)
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "30"), path
        assert "the database does not answer" in answer.text
        assert "text/html" in answer.headers["content-type"]
    part = visitor.get("/advice", headers={"HX-Request": "true"})
    assert (part.status_code, part.headers["Retry-After"]) == (503, "30")
    assert "<" not in part.text
    assert visitor.log_in("ana", "guess").status_code == 503
    database.open()
    assert visitor.get("/").status_code == 200


def test_the_json_door_says_it_as_a_document(there: Place, database: Database) -> None:
    headers = {"Authorization": f"Bearer {token_of(there)}"}
    database.close()
    for path in ("/api/v1/today", "/api/v1/connections", "/api/v1/export"):
        answer = there.visitor().get(path, headers=headers)
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "30"), path
        assert "bridge doctor" in answer.json()["error"]
    database.open()
    assert there.visitor().get("/api/v1/today", headers=headers).status_code == 200


def test_what_apps_push_to_the_page_waits_for_it(there: Place, database: Database) -> None:
    token = grant(there.bridge, there.bridge.store.people.user("ana"), "health_auto_export")
    database.close()
    send = {"X-API-Key": token}
    answer = there.visitor().post("/push/health_auto_export", CONTENT, headers=send)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "30")
    assert "database" in answer.json()["error"]
    database.open()
    assert there.visitor().post("/push/health_auto_export", CONTENT, headers=send).status_code == 200


def test_the_push_server_says_it_and_comes_back(database: Database, tmp_path: Path) -> None:
    bridge = open_at(tmp_path, database.url)
    token = grant(bridge, bridge.store.people.add_user("ana", "UTC", now=installation.now()), "health_auto_export")
    with closing(bridge.store), running(pushes.create(bridge, max_bytes=10**6)) as port:
        assert pushed(port, token)[0] == 200
        database.close()
        status, retry, told = pushed(port, token)
        assert (status, retry) == (503, "30")
        assert "database" in told["error"]
        database.open()
        assert pushed(port, token)[0] == 200


def pushed(port: int, token: str) -> tuple[int, str | None, dict[str, str]]:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
        connection.request("POST", "/push/health_auto_export", CONTENT, {"X-API-Key": token})
        answer = connection.getresponse()
        return answer.status, answer.getheader("Retry-After"), json.loads(answer.read())


@pytest.mark.parametrize("what", ["removed", "damaged"])
def test_a_file_that_is_gone_or_damaged_is_no_defect(tmp_path: Path, what: str) -> None:
    with served(open_at(tmp_path)) as place:
        place.bridge.store.people.add_user("ana", "Europe/Berlin", now=installation.now())
        visitor: Visitor = place.visitor()
        assert visitor.get("/").status_code == 200
        place.bridge.store.close()  # its connections: another process's would be fresh
        for file in tmp_path.glob("bridge.db*"):
            with suppress(OSError):
                file.write_bytes(b"x" * 20_000) if what == "damaged" and file.name == "bridge.db" else file.unlink()
        assert visitor.get("/").status_code == 503
