"""The page on changing the store: a copy that follows it shows a new column in JSON and on the page, and migrates."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from bridge.store import Store
from tests.store.test_advice import advised

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "developers" / "change_the_store.md"
PARTS = ("bridge", "connectors", "classifiers", "policies", "rhythm_env")
NOW = "2026-03-03T09:00:00+01:00"  # two days after the recommendation was made
FOLLOW = """
from fastapi.testclient import TestClient
from bridge import installation
from bridge.cli import app
from bridge.cli.mcp import over_http
from bridge.domain.records import Feedback
from bridge.web.server import create
from rhythm_env.interface import Answer

with installation.open_bridge() as bridge:
    store, (user,) = bridge.store.recommendations, bridge.store.people.users()
    (kept,) = store.newest(user.id, before=None, limit=9)
    noted = Feedback(answer=Answer.ACCEPT, answered_at=kept.created_at, mood_note="tired <b>")
    assert store.save_feedback(kept.id, noted).mood_note == "tired <b>"
    page = create(bridge, local=True, names=(), assistants=over_http(bridge))
    with TestClient(page, base_url="http://localhost") as client:
        print(client.get("/history").text)
print("JSON")
app(["history", "--user", user.name, "--json"], standalone_mode=False)
"""


def blocks(language: str) -> list[str]:
    """The examples of the page in a language."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)


def put_after(path: Path, place: str, added: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(place) == 1
    path.write_text(text.replace(place, place + added), encoding="utf-8")


def changed(copy: Path) -> None:
    """Do as the page says in a copy of the product."""
    for part in PARTS:
        shutil.copytree(ROOT / part, copy / part)
    field, migration = blocks("python")
    (shown,) = blocks("html")
    put_after(copy / "bridge/domain/records.py", "    moved_to: Moment | None = None\n", field)
    versions = copy / "bridge/store/migrations/versions"
    newest = max(path.name[:4] for path in versions.glob("[0-9]*.py"))
    following = f"{int(newest) + 1:04}"
    numbered = migration.replace('"0013"', f'"{following}"').replace('"0012"', f'"{newest}"')
    (versions / f"{following}_mood_note.py").write_text(numbered, encoding="utf-8")
    put_after(copy / "bridge/web/templates/history.html", "{{ one.answered_at }}</span>", shown.strip())


@pytest.mark.timeout(400)
def test_a_column_is_three_places(tmp_path: Path) -> None:
    copy, home = tmp_path / "copy", tmp_path / "home"
    home.mkdir()
    with closing(Store(f"sqlite:///{home / 'bridge.db'}")) as store:
        store.recommendations.add(advised(store))
    changed(copy)
    environment = {**os.environ, "PYTHONPATH": str(copy), "BRIDGE_HOME": str(home), "BRIDGE_NOW": NOW}
    asked = [sys.executable, "-c", FOLLOW]
    done = subprocess.run(asked, cwd=copy, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    page, _, listed = done.stdout.partition("JSON\n")
    assert "tired &lt;b&gt;</span>" in page
    assert [one["mood_note"] for one in json.loads(listed)] == ["tired <b>"]
