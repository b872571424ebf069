"""``bridge classify``: titles from the line or a file, and a person's own word."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bridge import installation
from bridge.cli import app as cli
from bridge.cli.classify import _event
from bridge.domain.errors import SetupError
from bridge.domain.ports import Invitation
from bridge.domain.records import Correction
from lab.people.demo import stage
from rhythm_env.interface import ActionType
from tests.commands import bridge

Run = Callable[..., Any]
KEYS = {"title", "action", "probability", "runner_up", "by", "why"}


def classified(*arguments: str, text: bytes = b"") -> Any:
    with patch("sys.stdin", io.TextIOWrapper(io.BytesIO(text))):
        done = bridge("classify", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_titles_on_the_line_in_order() -> None:
    found = classified("Dentist", "Gym block", "Dentist")
    assert [row["title"] for row in found] == ["Dentist", "Gym block", "Dentist"]
    assert [row["action"] for row in found] == ["ME_TIME", "EXERCISE", "ME_TIME"]
    assert all(set(row) == KEYS and 0 <= row["probability"] <= 1 for row in found)
    assert {row["by"] for row in classified("Gym", "--by", "keywords")} == {"keywords@1"}


def test_a_table_with_facts_and_titles_echoed_exactly(tmp_path: Path) -> None:
    lines = [
        "title\tothers\tconference\tkind\tlanguage",
        '"Quoted" sync \t6\tyes\tdefault\ten',
        "Zrmpf\t\t\tfocusTime\ten",
        "",
        "  spaces  \t",
        "Office\t\t\tbirthday",
        "会議\u2028室\x0b\t1",
    ]
    (tmp_path / "t.tsv").write_bytes("\ufeff".encode() + "\r\n".join(lines).encode() + b"\r\n")
    found = classified("--file", str(tmp_path / "t.tsv"))
    assert [row["title"] for row in found] == [
        '"Quoted" sync ',
        "Zrmpf",
        "",
        "  spaces  ",
        "Office",
        "会議\u2028室\x0b",
    ]
    assert [row["action"] for row in found[:2]] == ["ADMIN_WORK", "DEEP_WORK"]
    assert found[4]["action"] is None
    assert classified("--file", "-", text=b"Gym\nDentist")[1]["title"] == "Dentist"
    assert classified("--file", "-", text=b"") == []


def test_what_columns_say_of_an_event() -> None:
    found = _event(
        "x", {"attendees": "4", "hour": "19", "duration_min": "90", "conference": "TRUE", "kind": "calendar"}
    )
    assert found == Invitation(title="x", others=3, start_hour=19, minutes=90.0, conference=True)
    assert _event("x", {"others": "2", "attendees": "9", "minutes": "soon", "colour": "red"}).others == 2


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(st.characters(exclude_characters="\t\n\r", exclude_categories=["Cs"])), max_size=20))
def test_any_lines_come_back_one_by_one(tmp_path: Path, capsys: pytest.CaptureFixture[str], lines: list[str]) -> None:
    path = tmp_path / "titles.tsv"
    path.write_text("title\n" + "".join(f"{line}\n" for line in lines), encoding="utf-8", newline="")
    capsys.readouterr()
    cli(("classify", "--file", str(path), "--json"), standalone_mode=False)
    assert [row["title"] for row in json.loads(capsys.readouterr().out)] == lines


def test_nothing_and_a_file_that_is_not_there_say_what_to_do() -> None:
    for arguments, said in ((("classify",), "bridge classify"), (("classify", "--file", "no.tsv"), "no.tsv")):
        with pytest.raises(SetupError, match=said):
            cli(arguments, standalone_mode=False)


@pytest.fixture
def ana(capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    with stage(seed=5):

        def run(*arguments: str) -> Any:
            capsys.readouterr()
            assert not cli(arguments, standalone_mode=False)
            return json.loads(capsys.readouterr().out) if "--json" in arguments else None

        run("user", "add", "ana", "--zone", "Europe/Berlin")
        run("connect", "google_calendar", "--user", "ana")
        run("sync", "--user", "ana")
        yield run


def test_a_correction_outranks_the_classifier_for_its_series(ana: Run) -> None:
    found = [row for row in ana("today", "--user", "ana", "--json") if row["action"] not in (None, "MEDITATE")]
    one, other = found[0], next(row for row in found if row["title"] != found[0]["title"])
    said = ana("classify", "--user", "ana", "--fix", one["event"], "meditate", "--json")
    assert said["action"] == "MEDITATE"
    assert ana("classify", "--user", "ana", "--fix", other["event"], "meditate", "--json")["holds_for"] > 0
    again = ana("classify", "--user", "ana", "--fix", one["event"], "meditate", "--json")
    assert again["holds_for"] == said["holds_for"]  # the other's are not its own
    (now,) = [row for row in ana("today", "--user", "ana", "--json") if row["event"] == one["event"]]
    assert (now["action"], now["by"], now["confidence"]) == ("MEDITATE", "you", 1.0)
    (there,) = ana("classify", one["title"], "--user", "ana", "--json")
    assert (there["action"], there["by"], set(there)) == ("MEDITATE", "you", KEYS)
    assert ana("classify", one["title"], "--json")[0]["by"] != "you"
    ana("classify", "--user", "ana", "--fix", one["title"], "none")
    (now,) = [row for row in ana("today", "--user", "ana", "--json") if row["event"] == one["event"]]
    assert now["action"] is None


def test_a_wrong_correction_is_refused(ana: Run) -> None:
    for arguments, said in (
        (("--fix", "no such event", "SLEEP"), "bridge calendar"),
        (("--fix", "", "SLEEP"), "no such event"),
        (("--fix", "Gym", "XYZZY"), "DEEP_WORK"),
        (("Gym", "--user", "nobody"), "nobody"),
    ):
        with pytest.raises(SetupError, match=said):
            ana("classify", "--user", "ana", *arguments)


def test_the_only_user_corrects_without_a_name(ana: Run) -> None:
    with pytest.raises(SetupError, match="no such event"):
        ana("classify", "--fix", "no such event", "SLEEP")


def test_a_person_is_asked_once_about_each_series_and_answers_carry(ana: Run) -> None:
    asked = ana("classify", "--user", "ana", "--ask", "6", "--json")
    assert len({row["event"] for row in asked}) == len({row["title"].casefold() for row in asked}) == 6
    assert all(row["times"] >= 1 and row["action"] for row in asked)
    for row in asked[:3]:
        ana("classify", "--user", "ana", "--fix", row["event"], row["action"])
    again = ana("classify", "--user", "ana", "--ask", "6", "--json")
    assert {row["event"] for row in again}.isdisjoint(row["event"] for row in asked[:3])


def test_what_was_never_corrected_does_not_outvote_answers(ana: Run) -> None:
    """Eight answers reach a new title of the same choir, though a calendar of other entries was left as it is."""
    words = ("rehearsal", "at St Paul", "dress run", "tour", "altos", "with piano", "warm-up", "Friday")
    assert ana("classify", "Polyhymnia sectional", "--user", "ana", "--json")[0]["action"] != "SOCIALIZE"
    with installation.open_bridge() as bridge:
        user = bridge.store.people.user("ana")
        for word in words:
            made = {"title": f"Polyhymnia {word}", "action": ActionType.SOCIALIZE, "made_at": installation.now()}
            bridge.store.people.add_correction(user.id, Correction(series=f"choir/{word}", **made))
    found = ana("classify", "Polyhymnia sectional", "Buy milk", "--user", "ana", "--json")
    assert [(row["action"], row["by"] == "you") for row in found] == [("SOCIALIZE", True), ("ADMIN_WORK", False)]
