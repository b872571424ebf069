"""The count of broken rules: every surface is asked, a surface that differs is noticed, and folders of calendars."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from unittest.mock import MagicMock

import pytest
from typer.testing import CliRunner

from bridge.advice import requests
from bridge.advice.day_plan import plan_day
from bridge.cli import app
from bridge.day.plan import DayPlan
from bridge.domain.errors import SetupError
from bridge.domain.facts import fact, length
from bridge.domain.records import Recommendation, User
from bridge.domain.types import Because, Reading
from bridge.ingest.sync import sync
from bridge.installation import Bridge
from bridge.store import Store
from lab.plans import mornings
from lab.plans.people import generate
from lab.plans.run import FIRST, bridge_of, source_of, zone_of
from lab.plans.surfaces import against_their_sign, disagreements
from rhythm_env.interface import Meter

pytestmark = pytest.mark.timeout(600)  # a busy machine is no reason to fail

NOW = datetime(FIRST.year, FIRST.month, FIRST.day, 14, 30, tzinfo=UTC)
ICS = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//tests//EN
X-WR-TIMEZONE:{zone}
{entries}END:VCALENDAR
"""
ENTRY = """BEGIN:VEVENT
UID:{number}@example.org
SUMMARY:Review {number}
DTSTART:{day:%Y%m%d}T090000Z
DTEND:{day:%Y%m%d}T100000Z
END:VEVENT
"""


class Look(NamedTuple):
    bridge: Bridge
    user: User
    advice: Recommendation
    plan: DayPlan


@pytest.fixture
def look() -> Iterator[Look]:
    """An office worker after a day of meetings, with a suggestion."""
    person = generate(0, 3, FIRST)
    with closing(Store("sqlite://")) as store:
        begin = person.zones[0]
        user = store.people.add_user("generated", begin[1], now=begin[0])
        sync(source_of(store, user.id, person, begin[0]), store, holder="lab", now=NOW)
        bridge = bridge_of(store)
        advice = requests.recommend(bridge, user, now=NOW)
        assert isinstance(advice, Recommendation)
        yield Look(bridge, user, advice, plan_day(bridge, user, None, now=NOW))


def test_every_surface_says_the_same_at_one_instant(look: Look) -> None:
    assert list(disagreements(look.bridge, look.user, look.advice, look.plan, NOW)) == []


@pytest.mark.parametrize("change", [{"facts": (fact("by_lot"),)}, {"start": NOW + timedelta(hours=3)}])
def test_a_surface_that_says_anything_else_is_noticed(look: Look, change: dict[str, object]) -> None:
    blocks = [replace(b, **change) if b.recommendation_id == look.advice.id else b for b in look.plan.blocks]
    wrong = replace(look.plan, blocks=tuple(blocks))
    found = list(disagreements(look.bridge, look.user, look.advice, wrong, NOW))
    assert len(found) == 1
    assert found[0].startswith("recommend says (")
    assert "plan (" in found[0]


def test_reasons_stand_in_order_of_strength() -> None:
    weak, strong = (
        Because(signal=text, source=None, z=1.0, contribution=points, age_hours=1.0, fact=fact("by_lot"))
        for text, points in (("weak", 0.01), ("strong", -0.2))
    )
    assert [one.signal for one in Reading(level=0.5, sd=0.1, coverage=1, because=(weak, strong)).strongest] == [
        "strong",
        "weak",
    ]


@pytest.mark.parametrize(
    ("kind", "points", "wrong"),
    [
        ("slept_short", 0.1, True),
        ("slept_short", -0.1, False),
        ("slept_short_well", 0.1, False),
        ("slept_enough", -0.1, True),
    ],
)
def test_words_against_their_sign_are_noticed(kind: str, points: float, wrong: bool) -> None:
    slept = fact(kind, length=length(400), short=length(60))
    because = Because(signal="sleep", source=None, z=1.0, contribution=points, age_hours=1.0, fact=slept)
    found = list(against_their_sign({Meter.VITALITY: Reading(level=0.7, sd=0.1, coverage=1, because=(because,))}))
    assert bool(found) is wrong


def calendar(folder: Path, name: str, zone: str) -> Path:
    days = (datetime(2024, 1, 8, tzinfo=UTC) + timedelta(days=7 * k) for k in range(20))
    entries = "".join(ENTRY.format(number=k, day=day) for k, day in enumerate(days))
    path = folder / name
    path.write_bytes(ICS.format(zone=zone, entries=entries).replace("\n", "\r\n").encode())
    return path


@pytest.mark.slow
def test_a_folder_of_calendars_is_counted_person_by_person(tmp_path: Path) -> None:
    path = calendar(tmp_path, "somebody.ics", "America/Recife")
    (tmp_path / "notes.txt").write_text("no calendar")
    done = CliRunner().invoke(app, ["lab", "plans", "--calendars", str(tmp_path), "--weeks", "1", "--json"])
    assert done.exit_code == 0, done.output
    body = json.loads(done.stdout)
    (row,) = body["calendars"]
    assert (row["calendar"], row["looks"], body["looks"], row["broken"]) == ("somebody", 28, 28, 0)
    assert row["from"] >= "2024-02-01"
    assert len(body["broken"]) == 8
    assert set(body["broken"].values()) == {0}
    assert zone_of(path) == "America/Recife"
    assert zone_of(calendar(tmp_path, "odd.ics", "Moon/Base")) is None


def test_a_folder_without_calendars_is_refused(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["lab", "plans", "--calendars", str(tmp_path)])
    assert isinstance(done.exception, SetupError)
    assert "holds no .ics file" in str(done.exception)


def test_the_key_of_the_mornings_is_not_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.argv", ["mornings", "--folder", str(tmp_path)])
    monkeypatch.setattr("playwright.sync_api.sync_playwright", MagicMock())
    monkeypatch.setattr(mornings, "take", lambda *_: ["01 | the tax return is due"])
    mornings.main()
    assert (tmp_path / "key.txt").read_text() == "01 | the tax return is due\n"
    printed = capsys.readouterr().out
    assert ("tax" in printed, str(tmp_path / "key.txt") in printed) == (False, True)
