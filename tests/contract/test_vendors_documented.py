"""Every field that a lab server answers stands in ``docs/vendors.md``, with its type and where others wrote of it.

A source without a table there has no independent record, and its page in ``docs/sources/`` says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bridge.recordings.server import Answer, Request
from bridge.store import Store
from tests.world import living, served

TABLES = Path(__file__).parents[2] / "docs" / "vendors.md"
HEADING = re.compile(r"### `(\w+)` `GET (\S+)`")
FIELD = re.compile(r"\| `([^`]+)` \| ([^|]+) \| ([^|]+) \|")
NAMES: dict[type, str] = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}

Known = dict[tuple[str, str], dict[str, set[str]]]


def known() -> Known:
    """(source, path) -> field -> the types it may have, "null" among them where it is so on purpose."""
    found: Known = {}
    fields: dict[str, set[str]] = {}
    for line in TABLES.read_text(encoding="utf-8").splitlines():
        if heading := HEADING.fullmatch(line):
            fields = found.setdefault((heading[1], heading[2]), {})
        elif line.startswith("### "):  # of what is not answered, but pushed
            fields = {}
        elif (field := FIELD.fullmatch(line)) and found:
            assert field[3].strip("` ?"), f"it is not said where {field[1]} was found"
            fields[field[1]] = set(re.findall(r"boolean|integer|number|string|null|object|array", field[2]))
    return found


DOCUMENTED = sorted({source for source, _ in known()})
CASES = [(source, case) for source, case in served() if source in DOCUMENTED]


def leaves(value: Any, at: str = "") -> Iterator[tuple[str, str]]:
    """(dotted path, type) of every plain value in JSON."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, f"{at}.{name}" if at else name)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner, f"{at}[]")
    else:
        yield at, NAMES[type(value)]


def answered(source: str, case: str) -> Iterator[tuple[str, Any]]:
    """(path without dates, body) of every JSON answer of a sync."""
    told: list[tuple[str, Any]] = []
    with closing(Store("sqlite://")) as store, living(store, source, case) as world:
        application = world.server.application

        def note(request: Request) -> Answer:
            answer = application(request)
            if isinstance(answer.body, dict | list):
                told.append((re.sub(r"/\d{4}-\d\d-\d\d", "/{date}", request.path), answer.body))
            return answer

        world.server.application = note
        assert world.sync().outcome == "ok"
    yield from told


@pytest.mark.parametrize(("source", "case"), CASES)
def test_every_field_is_one_that_others_wrote_of(source: str, case: str) -> None:
    tables = known()
    for path, body in answered(source, case):
        for field, kind in leaves(body):
            types = tables[source, path].get(field)
            assert types is not None, f"{path} {field} is not in docs/vendors.md"
            assert kind in types or (kind == "integer" and "number" in types), f"{path} {field}: {kind}"


def test_a_source_with_an_independent_record_is_held_against_it() -> None:
    assert {"whoop", "oura", "garmin"} <= set(DOCUMENTED)


@pytest.mark.parametrize("source", DOCUMENTED)
def test_no_documented_field_is_left_that_no_server_answers(source: str) -> None:
    fields = {
        (path, field)
        for other, case in CASES
        if other == source
        for path, body in answered(source, case)
        for field, _ in leaves(body)
    }
    documented = {(path, field) for (other, path), listed in known().items() if other == source for field in listed}
    assert documented == fields
