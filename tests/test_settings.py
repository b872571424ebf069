"""What an installation is set to: the file, the variables, and what the doctor says of either."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge import config, registry
from bridge.app import open_bridge
from bridge.errors import SetupError
from bridge.health import examine
from bridge.housekeeping import days


def written(text: str) -> None:
    """A settings file."""
    folder = config.load().folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(text, encoding="utf-8")


@pytest.mark.parametrize("zero", ["0", "0.0", '"0"'])
def test_a_zero_in_the_file_counts(zero: str) -> None:
    written(f"explore = {zero}\nkeep_raw = {zero}")
    with open_bridge() as bridge:
        assert bridge.guard.explore == 0.0
        with pytest.raises(SetupError, match="BRIDGE_KEEP_RAW"):
            days(bridge.settings.keep_raw)


@pytest.mark.parametrize("days", ["abc", "-3", "1.5", "999999"])
def test_a_number_that_is_none_is_named(days: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_GARMIN_DAYS", days)
    with pytest.raises(SetupError, match=r"BRIDGE_GARMIN_DAYS .* is a whole number"):
        config.load().of_source(registry.spec("garmin"))


def test_a_variable_outranks_the_file_and_an_empty_one_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    written('explore = 0\nquiet = ""')
    monkeypatch.setenv("BRIDGE_EXPLORE", "0.05")
    assert (config.load().explore, config.load().quiet) == ("0.05", "night")
    monkeypatch.setenv("BRIDGE_EXPLORE", "")
    assert config.load().explore == "0"


def test_where_the_key_is_may_stand_in_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    assert config.load().key is None
    written('key = "keyring"')
    assert config.load().key == "keyring"
    monkeypatch.setenv("BRIDGE_KEY", "another")
    assert config.load().key == "another"


@pytest.mark.parametrize("wrong", ["explore = 0.5", 'quiet = "nights"', 'keep_raw = "x"', "rules"])
def test_the_doctor_tells_of_settings_that_leave_no_advice(wrong: str, tmp_path: Path) -> None:
    assert [one.ok for one in examine() if one.check == "rules"] == [True]
    written("" if wrong == "rules" else wrong)
    if wrong == "rules":
        (tmp_path / "home" / "meters.toml").write_text("vitality.steps = [", encoding="utf-8")
    (found,) = (one for one in examine() if one.check == "rules")
    assert not found.ok
    assert found.next


def test_the_doctor_tells_of_a_settings_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "home" / "config.toml").mkdir(parents=True)
    (found,) = examine()
    assert (found.check, found.ok) == ("settings", False)
    assert "config.toml cannot be read" in found.text


def test_the_doctor_tells_of_a_store_that_is_no_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "notes.txt").write_text("not a database, but long enough to have been one " * 100)
    monkeypatch.setenv("BRIDGE_DATABASE", f"sqlite:///{tmp_path / 'notes.txt'}")
    (found,) = (one for one in examine() if one.check == "store")
    assert not found.ok
    assert "SQLITE_NOTADB" in found.text
    assert (tmp_path / "notes.txt").read_text().startswith("not a database")
