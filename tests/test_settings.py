"""Settings of an installation: the file, the variables, and the doctor's report on each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge import config, registry
from bridge.daemon.housekeeping import days
from bridge.doctor import examine
from bridge.domain.errors import SetupError
from bridge.ingest.connecting import NewConsent, connect
from bridge.installation import now, open_bridge
from bridge.recordings.server import Answer, LabServer

NOW = now()


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
    with pytest.raises(SetupError, match=r"BRIDGE_GARMIN_DAYS .* must be a whole number"):
        config.load().of_plugin("garmin", registry.spec("garmin").settings)


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


@pytest.mark.parametrize("wrong", ["whoop", "whoop=0", "whoop=many", "=3", "whoop=99999"])
def test_a_limit_of_a_source_is_a_number(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_AT_ONCE", "whoop=32, garmin=8")
    with open_bridge() as bridge:
        assert [bridge.at_once(source) for source in ("whoop", "garmin", "oura")] == [32, 8, 4]
    monkeypatch.setenv("BRIDGE_AT_ONCE", wrong)
    with pytest.raises(SetupError, match="BRIDGE_AT_ONCE"):
        config.load()


@pytest.mark.parametrize("wrong", ["whoop", "whoop=0", "whoop=fast", "=3", "whoop=99999", "whoop=-1"])
def test_a_rate_of_a_source_is_a_number_of_requests_a_second(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_RATE", "whoop=10, garmin=2.5")
    with open_bridge() as bridge:
        assert [bridge.rate(source) for source in ("whoop", "garmin", "withings", "oura")] == [10, 2.5, 2, None]
    monkeypatch.setenv("BRIDGE_RATE", wrong)
    with pytest.raises(SetupError, match="BRIDGE_RATE"):
        config.load()


class Answering:
    """A person who gives a secret of their own when asked, and counts how often that was."""

    def __init__(self, server: str) -> None:
        self.asked, self.server = 0, server

    def open(self, url: str) -> None:
        """They look at the page."""

    def paste(self) -> str | None:
        return None

    def ask(self, question: str) -> str | None:  # noqa: ARG002 - the port's shape
        self.asked += 1
        return f"{self.server}/of-the-person.ics"


@pytest.fixture
def calendars() -> Iterator[str]:
    """The address of a server with an empty calendar at every path."""
    with LabServer(lambda _: Answer(body=b"BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n")) as server:
        yield server.url


@pytest.mark.parametrize("by", ["variable", "file"])
def test_one_persons_credentials_are_never_anothers(by: str, calendars: str, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"{calendars}/of-the-operator.ics"
    monkeypatch.setenv("BRIDGE_ALLOW_HOSTS", "127.0.0.1")
    if by == "variable":
        monkeypatch.setenv("BRIDGE_ICS_URL", url)
    else:
        written(f'[ics]\nurl = "{url}"')
    with open_bridge() as bridge:
        ana = bridge.store.people.add_user("ana", "UTC", now=NOW)
        alone = Answering(calendars)
        first = connect(bridge, ana, NewConsent(source="ics"), alone)
        assert (alone.asked, bridge.account(first, registry.spec("ics")).token_field("url")) == (0, url)
        ben = bridge.store.people.add_user("ben", "UTC", now=NOW)
        for user in (ben, ana):
            person = Answering(calendars)
            connection = connect(bridge, user, NewConsent(source="ics"), person)
            kept = bridge.account(connection, registry.spec("ics")).token_field("url")
            assert (person.asked, kept.endswith("of-the-person.ics")) == (1, True)


def test_each_of_several_people_has_settings_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    written('[people.ana.ics]\naddresses = "ana@example.com"\n[people.ben]\nics = 3\n[garmin]\ndays = 7')
    monkeypatch.setenv("BRIDGE_ICS_ADDRESSES", "operator@example.com")
    monkeypatch.setenv("BRIDGE_GARMIN_API_KEY", "the operator's")
    ics, garmin = registry.spec("ics"), registry.spec("garmin")
    with open_bridge() as bridge:
        ana, ben = (bridge.store.people.add_user(name, "UTC", now=NOW) for name in ("ana", "ben"))
        assert bridge.settings_of(ana, "ics", ics.settings)["addresses"] == "ana@example.com"
        assert bridge.settings_of(ana, "ics", ics.file_settings)["addresses"] == "ana@example.com"
        assert bridge.settings_of(ben, "ics", ics.settings)["addresses"] == ""
        assert bridge.settings_of(ben, "garmin", garmin.settings)["api_key"] == ""
        assert bridge.settings_of(ben, "garmin", garmin.settings)["days"] == "7"  # the application's is everybody's
    told = [one for one in examine() if one.check == "settings" and not one.ok]
    assert [one.text.split()[0] for one in told] == ["BRIDGE_GARMIN_API_KEY", "BRIDGE_ICS_ADDRESSES"]
    assert "[people.NAME.ics]" in told[1].next


def test_every_secret_of_an_account_is_marked_as_one() -> None:
    """A secret that an application has by itself is named for it; any other belongs to a person."""
    applications = {"client_secret", "webhook_secret"}
    secrets = {(spec.name, one.name, one.personal) for spec in registry.specs() for one in spec.settings if one.secret}
    assert {(source, name) for source, name, personal in secrets if not personal and name not in applications} == set()
    assert ("ics", "url", True) in secrets


@pytest.mark.parametrize("name", registry.names("policies"))
def test_the_settings_of_every_policy_can_be_read(name: str) -> None:
    wanted = registry.declared("policies", name)
    assert registry.policy_settings(name) == {setting.name: setting.default for setting in wanted}
