"""Every fixture account, served over HTTP and synced or told record by record, comes to what is written beside it.

``python -m tests.contract.test_fixtures SOURCE...`` writes the files of the named sources, and of no other, and says
what changed. Read the difference before committing it.
"""

from __future__ import annotations

import json
import re
import sys
from contextlib import closing

import pytest

import lab
from bridge import installation, registry
from bridge.domain.records import Connection, RecordResult
from bridge.store import Store
from lab.fixture_maker import written
from tests.world import contents, expected, living, moment_of_case, served, told, told_records

SECRET = re.compile(r"(?i)bearer |refresh_token|client_secret|api[_-]?key")
ADDRESS = re.compile(r"[\w.+-]+@([\w-]+\.)*[\w-]+")


@pytest.mark.parametrize(("source", "case"), served())
def test_a_case_comes_to_what_is_expected_again_and_after_a_rebuild(store: Store, source: str, case: str) -> None:
    with living(store, source, case) as world:
        assert world.sync().outcome == "ok"
        first = world.contents()
        assert {**first, "set_aside": _set_aside(store, world.connection.id)} == expected(source, case)
        second = world.sync()
        assert second.outcome == "ok", second.skipped_because
        assert (second.new, second.updated, second.deleted) == (0, 0, 0)
        assert world.contents() == first
        store.ingest.rebuild(
            world.connection, installation.normaliser(world.spec), version=world.spec.normaliser_version
        )
        assert world.contents() == first


@pytest.mark.parametrize(("source", "case"), told())
def test_what_is_told_comes_to_what_is_expected_again_and_after_a_rebuild(store: Store, source: str, case: str) -> None:
    assert _told(store, source, case) == expected(source, case)
    user = store.people.user("ana")
    (connection,) = store.connections.of_user(user.id)
    again = _land(store, connection, source, case)
    assert {landing.outcome for landing in again} <= {"unchanged"}
    spec = registry.spec(source)
    store.ingest.rebuild(connection, installation.normaliser(spec), version=spec.normaliser_version)
    assert {**contents(store, user), "set_aside": _set_aside(store, connection.id)} == expected(source, case)


def _told(store: Store, source: str, case: str) -> dict[str, list[object]]:
    """Return the items of a case that a person said."""
    now = moment_of_case(source, case)
    user = store.people.add_user("ana", "Europe/Berlin", now=now)
    connection = store.connections.connect(user.id, source, "self", now=now)
    _land(store, connection, source, case)
    return {**contents(store, user), "set_aside": _set_aside(store, connection.id)}


def _land(store: Store, connection: Connection, source: str, case: str) -> list[RecordResult]:
    spec, now = registry.spec(source), moment_of_case(source, case)
    version, normalise = spec.normaliser_version, installation.normaliser(spec)
    return store.ingest.land(connection, told_records(source, case), normalise, version=version, now=now)


def _set_aside(store: Store, connection_id: int) -> list[list[str]]:
    return [list(row) for row in store.ingest.set_aside(connection_id)]


@pytest.mark.parametrize(("source", "case"), [*served(), *told()])
def test_fixtures_are_marked_and_hold_no_secret_or_real_address(source: str, case: str) -> None:
    account = lab.account(source, case)
    assert account["origin"] in {"docs", "recorded"}
    assert account["about"]
    text = json.dumps(account)
    assert not SECRET.search(text)
    for address in ADDRESS.finditer(text):
        domain = address.group().partition("@")[2]
        assert domain.endswith(("example.com", "group.v.calendar.google.com")), domain


def write(source: str) -> list[str]:
    """Write what every case of a source comes to now. Returns a line per file that says what changed."""
    cases = [(other, case) for other, case in [*served(), *told()] if other == source]
    if not cases:
        return [f"{source} has no cases in fixtures/{source}; make them: python -m lab.fixture_maker {source}"]
    return [_written(*case) for case in cases]


def _written(source: str, case: str) -> str:
    with closing(Store("sqlite://")) as store:
        body = _told(store, source, case) if (source, case) in told() else _synced(store, source, case)
    return written(lab.fixtures(source) / f"{case}.expected.json", body)


def _synced(store: Store, source: str, case: str) -> dict[str, list[object]]:
    with living(store, source, case) as world:
        outcome = world.sync()
        assert outcome.outcome == "ok", outcome
        return {**world.contents(), "set_aside": _set_aside(store, world.connection.id)}


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("name the sources whose files are to be written: python -m tests.contract.test_fixtures SOURCE...")
    print(*[line for named in sys.argv[1:] for line in write(named)], sep="\n")
