"""The page of what each source keeps says what the tests say; ``tests/test_docs.py`` holds the file against it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import lab
from bridge import registry
from tests.contract import conformance, test_laws
from tests.contract.test_vendors_documented import DOCUMENTED

TEXTS = Path(__file__).parents[2] / "docs" / "reference" / "texts.toml"


@pytest.fixture
def told() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads(TEXTS.read_text(encoding="utf-8"))["conformance"]
    return found


def row(page: str, source: str) -> str:
    return next(line for line in page.splitlines() if f"sources/{source}.md" in line)


def test_a_mark_goes_with_its_test(told: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    assert row(conformance.page(told), "whoop").count(" yes |") == 8
    law = test_laws.test_a_source_keeps_the_law
    fewer = [
        pytest.mark.parametrize("source", [name for name in mark.args[1] if name != "whoop"]).mark
        if mark.args[0] == "source"
        else mark
        for mark in law.pytestmark
    ]
    monkeypatch.setattr(law, "pytestmark", fewer)
    assert row(conformance.page(told), "whoop").count(" – |") == 5
    assert row(conformance.page(told), "oura").count(" – |") == 0


def test_what_a_source_is_held_against_is_named_where_anything_is(told: dict[str, Any]) -> None:
    named = {name.partition(" ")[0] for name in told["against"]}
    assert named <= {spec.name for spec in registry.specs()}
    assert not [name for name in DOCUMENTED if told["against"].get(name, "no").startswith(("no", "nothing"))]
    assert f"| {conformance.UNNAMED} |" in row(conformance.page(told), "messages")


def test_a_recording_that_was_given_counts_as_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert conformance.seen("polar") == "never"
    folder = tmp_path / "polar-2027"
    folder.mkdir()
    (folder / "polar.json").write_text("{}")
    (folder / "seen.toml").write_text('by = "ana"\nyear = 2027\n')
    monkeypatch.setattr(lab, "fixtures", lambda _: tmp_path)
    assert (conformance.seen("polar"), conformance.seen("oura")) == ("2027, ana", "never")
