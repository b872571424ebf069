"""``bridge share``."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.commands import bridge


@pytest.fixture(autouse=True)
def _people() -> None:
    for name in ("ana", "ben", "cleo"):
        bridge("user", "add", name, "--zone", "Europe/Berlin")
    bridge("checkin", "2", "--user", "ana", "--meter", "vitality")


def share(*arguments: str) -> Any:
    return json.loads(bridge("share", *arguments, "--json").stdout)


def test_given_seen_and_taken_back() -> None:
    told = share("vitality", "Serenity", "--user", "ana", "--with", "ben")
    assert told["given"] == [{"name": "ben", "meters": ["VITALITY", "SERENITY"]}]
    (found,) = share("--user", "ben")["received"]
    assert (found["name"], [one["meter"] for one in found["meters"]]) == ("ana", ["VITALITY", "SERENITY"])
    for meter in found["meters"]:
        assert set(meter) == {"meter", "level", "coverage", "newest_hours"}
    assert "below the usual" in found["meters"][0]["level"]
    assert share("--user", "cleo")["received"] == []
    shown = bridge("share", "--user", "ben").stdout
    assert "ana" in shown
    assert "below the usual" in shown
    assert "ben sees: vitality, serenity" in bridge("share", "--user", "ana").stdout
    assert share("--user", "ana", "--with", "ben", "--stop")["given"] == []
    assert share("--user", "ben")["received"] == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["vitality", "--with", "zoe"], "exact name"),
        (["vitality", "--with", "ana"], "your own name"),
        (["vitality"], "--with NAME"),
        (["--with", "ben"], "bridge share vitality"),
        (["--with", "ben", "--stop"], "bridge share"),
        (["vitality", "--with", "ben", "--stop"], "--stop"),
        (["mood", "--with", "ben"], "mood"),
    ],
)
def test_what_is_wrong_says_what_to_do(arguments: list[str], said: str) -> None:
    told = bridge("share", *arguments, "--user", "ana")
    assert (told.returncode, said in told.stderr) == (2, True), told.stderr
    assert share("--user", "ana")["given"] == []
