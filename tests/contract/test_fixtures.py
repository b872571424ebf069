"""Every fixture account, served over HTTP and synced, comes to exactly what is written beside it.

``python -m tests.contract.test_fixtures`` writes the files anew; read the difference before committing it.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bridge import lab, registry
from bridge.ports import Store
from bridge.store import open_store
from tests.world import expected, living, served

SECRET = re.compile(r"(?i)bearer |refresh_token|client_secret|api[_-]?key")
ADDRESS = re.compile(r"[\w.+-]+@([\w-]+\.)*[\w-]+")


@pytest.mark.parametrize(("source", "case"), served())
def test_a_case_comes_to_what_is_expected(store: Store, source: str, case: str) -> None:
    with living(store, source, case) as world:
        assert world.sync().outcome == "ok"
        assert {**world.contents(), "set_aside": _set_aside(store, world.connection.id)} == expected(source, case)


def _set_aside(store: Store, connection_id: int) -> list[list[str]]:
    return [list(row) for row in store.set_aside(connection_id)]


@pytest.mark.parametrize(("source", "case"), served())
def test_fixtures_are_marked_and_hold_no_secret_or_real_address(source: str, case: str) -> None:
    account = lab.account(source, case)
    assert account["origin"] in {"docs", "recorded"}
    assert account["about"]
    text = json.dumps(account)
    assert not SECRET.search(text)
    for address in ADDRESS.finditer(text):
        domain = address.group().partition("@")[2]
        assert domain.endswith(("example.com", "group.v.calendar.google.com")), domain


def write() -> None:
    """Write what every case comes to now."""
    for source in registry.names("connectors"):
        for path in sorted(lab.fixtures(source).glob("*.json")):
            if not path.stem.endswith(".expected"):
                _write_case(source, path.stem, path.with_name(f"{path.stem}.expected.json"))


def _write_case(source: str, case: str, target: Path) -> None:
    store = open_store("sqlite://")
    with living(store, source, case) as world:
        outcome = world.sync()
        assert outcome.outcome == "ok", outcome
        body = {**world.contents(), "set_aside": _set_aside(store, world.connection.id)}
    store.close()
    target.write_text(json.dumps(body, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
