"""Diagnostics tell versions, counts and states, and nothing about a person."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bridge import __version__
from bridge.cli import app as cli
from tests.web.served import NOW, Visitor, calendar, open_at, served

NAME, TITLE, SECRET = "zenobia", "Divorce lawyer", "hunter2hunter2"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person with an entry and with settings that are secret."""
    found = tmp_path / "secret-place"
    monkeypatch.setenv("BRIDGE_HOME", str(found))
    monkeypatch.setenv("BRIDGE_NOW", NOW)
    monkeypatch.setenv("BRIDGE_WHOOP_CLIENT_SECRET", SECRET)
    monkeypatch.setenv("BRIDGE_WEBHOOK_SECRET", SECRET)
    (tmp_path / "day.ics").write_bytes(calendar(TITLE))
    for words in (
        ["user", "add", NAME, "--zone", "Europe/Berlin"],
        ["import", str(tmp_path / "day.ics"), "--user", NAME],
    ):
        done = CliRunner().invoke(cli, words)
        assert done.exit_code == 0, done.output
    return found


def test_the_command_counts_and_names_nobody(home: Path) -> None:
    done = CliRunner().invoke(cli, ["diagnostics"])
    body = json.loads(done.output)
    assert (body["version"], body["database"], body["users"]) == (__version__, "sqlite", 1)
    assert body["row_counts"]["events"] == 2
    assert body["by_source"]["ics"]["connections"] == 1
    assert body["by_source"]["ics"]["last_outcomes"] == {"ok": 1}
    assert body["settings"] == ["BRIDGE_WEBHOOK_SECRET", "BRIDGE_WHOOP_CLIENT_SECRET"]
    assert body["checks"]["store"] is True
    assert body["libraries"]["sqlalchemy"]
    for personal in (NAME, TITLE, SECRET, "Choir", "Berlin", home.name):
        assert personal not in done.output


def test_the_page_gives_them_to_a_person_who_is_alone(home: Path) -> None:
    with served(open_at(home, f"sqlite:///{home / 'bridge.db'}")) as place:
        visitor = Visitor(place.url)
        assert "/settings/diagnostics.json" in visitor.get("/settings").text
        answer = visitor.get("/settings/diagnostics.json")
        assert "attachment" in answer.headers["content-disposition"]
        assert answer.json()["row_counts"]["events"] == 2
        assert NAME not in answer.text
        place.bridge.store.people.add_user("ben", "Europe/Berlin", now=datetime.fromisoformat(NOW))
        visitor.log_in(NAME)
        assert visitor.get("/settings/diagnostics.json").status_code == 403
