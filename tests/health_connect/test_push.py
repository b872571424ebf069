"""Pushes of the apps over real HTTP, and that their documents are what the apps' makers wrote of."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

import lab
from bridge import installation
from bridge.config import load
from bridge.ingest.pushes import grant, land
from bridge.store import Store
from bridge.web import pushes
from lab.web_server import running
from tests.contract.test_vendors_documented import FIELD, NAMES, TABLES
from tests.health_connect.reading import PHONE, WATCH, document, steps
from tests.pushed import Body
from tests.world import KEY

NOW = installation.now()
BROKEN = ("3-revised", "9-cut-off")  # documents with rows that no app would write
HEADING = re.compile(r"### `health_connect` `POST (\w+)`")


@pytest.fixture
def pushed(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("BRIDGE_KEY", KEY)
    bridge = installation.Bridge(settings=load(), store=store)
    user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
    token = grant(bridge, user, "health_connect")
    with running(pushes.create(bridge), lifespan="off") as port:

        def push(body: Body) -> tuple[int, dict[str, float]]:
            address, signed = f"http://127.0.0.1:{port}/push/health_connect", {"Authorization": f"Bearer {token}"}
            status = requests.post(address, body.content, headers=signed, timeout=20).status_code
            land(bridge)
            found = [one for _, one in store.reading.samples(user.id) if one.metric == "steps"]
            return status, {one.day.isoformat(): one.value for one in found}

        yield push


def test_late_repeated_and_overlapping_writers_come_to_one_day(pushed: Any) -> None:
    phone = document(steps=[steps(100, "08:00", "08:15", PHONE), steps(300, "12:00", "12:30", PHONE)])
    watch = document(steps=[steps(120, "08:00", "08:15", WATCH)])
    assert pushed(phone) == (200, {"2026-11-18": 400})
    assert pushed(phone) == (200, {"2026-11-18": 400})
    assert pushed(watch) == (200, {"2026-11-18": 420})


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"a": 1}', b'{"timestamp": "x", "steps": [{"count": 1}'])
def test_what_is_no_document_of_an_app_is_refused(pushed: Any, content: bytes) -> None:
    assert pushed(Body(content)) == (400, {})


def test_a_document_of_types_that_are_not_read_is_taken(pushed: Any) -> None:
    assert pushed(document(weight=[{"kilograms": 70.0, "time": "2026-11-18T07:00:00Z"}])) == (200, {})
    assert pushed(document(source="screen_time", screen_time=[])) == (200, {})


def documented() -> dict[str, set[str]]:
    """Dotted path of a field -> the types that the apps' makers gave it."""
    found: dict[str, set[str]] = {}
    inside = False
    for line in TABLES.read_text(encoding="utf-8").splitlines():
        if line.startswith("### "):
            inside = HEADING.fullmatch(line) is not None
        elif inside and (field := FIELD.fullmatch(line)):
            found[field[1]] = set(re.findall(r"boolean|integer|number|string|null|object|array", field[2]))
    return found


def fields(value: Any, at: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from fields(inner, f"{at}.{name}" if at else name)
    elif isinstance(value, list):
        for inner in value:
            yield from fields(inner, f"{at}[]")
    else:
        yield at, NAMES[type(value)]


def documents() -> list[Path]:
    return [one for one in sorted(lab.fixtures("health_connect").rglob("*/*.json")) if one.stem not in BROKEN]


@pytest.mark.parametrize("place", documents(), ids=lambda place: place.stem)
def test_every_field_of_a_document_is_one_that_the_apps_makers_wrote_of(place: Path) -> None:
    known = documented()
    for field, kind in fields(json.loads(place.read_text(encoding="utf-8"))):
        assert kind in known[field] or (kind == "integer" and "number" in known[field]), field
