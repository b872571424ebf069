"""A stream that may not be read ends alone, at every source that asks for its streams one by one.

The paths of the streams stand in the vendor's class. Google's sources have none, because one scope covers all that
they read (``tests/google_calendar/test_refusals.py``).
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from bridge import registry
from bridge.ingest.outcomes import record_defect
from bridge.recordings.server import Answer, Fault, Request
from bridge.store import Store
from tests.contract.laws import access
from tests.contract.test_connectors import LIVE
from tests.world import World, later, living, vendor_of

PATHS: dict[str, dict[str, str]] = {  # source -> stream -> how its addresses end or what they hold
    source: {stream: path for stream, path in vendor_of(source).paths.items() if path is not None}
    for source in LIVE
    if getattr(vendor_of(source), "paths", {})
}
NAMED = Answer(status=401, body={"detail": "Token is not authorized access some scope."})
CHALLENGED = Answer(status=401, headers={"WWW-Authenticate": 'Bearer error="insufficient_scope", scope="some"'})
REFUSALS = {
    "401 that names a scope": NAMED,
    "401 by its header": CHALLENGED,
    "403": Answer(status=403, body={"detail": "forbidden"}),
    "404": Answer(status=404, body={"detail": "not found"}),
}
CASES = [
    (source, stream, refusal)
    for source, streams in PATHS.items()
    for stream in streams
    for refusal, answer in REFUSALS.items()
    if answer.status not in vendor_of(source).no_data
]


def refusing(source: str, *streams: str, answer: Answer = NAMED) -> Fault:
    parts = [PATHS[source][stream] for stream in streams]

    def refuse(request: Request) -> Answer | None:
        path = request.path
        return answer if any(path.endswith(part) or (part.endswith("/") and part in path) for part in parts) else None

    return refuse


def kept(world: World) -> tuple[str, ...]:
    return world.store.connections.of_user(world.user.id)[0].not_permitted


def tokens_asked(world: World) -> int:
    return sum("token" in line.partition("?")[0] for line in world.server.asked if line.startswith("POST"))


def read_again(world: World) -> World:
    return replace(world, connection=world.store.connections.of_user(world.user.id)[0])


@pytest.mark.parametrize("source", LIVE)
def test_every_stream_has_its_path_or_one_consent_covers_all(source: str) -> None:
    stated = getattr(vendor_of(source), "paths", None)
    assert stated is not None, f"the Vendor of lab/vendors/{source}.py states no paths; see lab/vendors/__init__.py"
    streams = set(registry.spec(source).streams)
    assert set(stated) in (set(), streams), f"paths of lab/vendors/{source}.py name other streams than SPEC"


@pytest.mark.parametrize(("source", "stream", "refusal"), CASES)
def test_a_refused_stream_costs_no_other_and_no_token(lite: Store, source: str, stream: str, refusal: str) -> None:
    with living(lite, source, "week") as world:
        world.server.faults.append(refusing(source, stream, answer=REFUSALS[refusal]))
        outcome = world.sync()
        assert (outcome.outcome, outcome.skipped_because, outcome.not_permitted) == ("ok", None, (stream,))
        assert set(outcome.streams) & set(PATHS[source]) == set(PATHS[source]) - {stream}
        assert tokens_asked(world) == 0
        connection = lite.connections.of_user(world.user.id)[0]
        assert (connection.not_permitted, connection.paused, connection.failures) == ((stream,), None, 0)
        world.server.faults.clear()
        healed = later(read_again(world), minutes=30).sync()
        assert (healed.outcome, healed.not_permitted, kept(world)) == ("ok", (), ())
        assert world.contents() == undisturbed(source)


@cache
def undisturbed(source: str) -> dict[str, list[Any]]:
    with closing(Store("sqlite://")) as store, living(store, source, "week") as world:
        world.sync()
        return world.contents()


@pytest.mark.parametrize("source", PATHS)
def test_it_is_remembered_until_it_is_permitted_in_either_database(store: Store, source: str) -> None:
    """A sync that ends before it asks, or by a defect, does not forget it."""
    last = list(PATHS[source])[-1]
    first = next(iter(PATHS[source]))
    with living(store, source, "week") as world:
        world.server.faults.append(refusing(source, last))
        assert world.sync().not_permitted == (last,)
        busy = Answer(status=429, body={}, headers={"Retry-After": "1"})
        world.server.faults.insert(0, refusing(source, first, answer=busy))
        world = later(read_again(world), minutes=30)
        stopped = world.sync()
        assert (stopped.outcome, stopped.not_permitted, kept(world)) == ("failed", (last,), (last,))
        connection = read_again(world).connection
        store.scheduling.claim(connection.id, "test/2", now=world.now, lease=world.spec.cadence)
        assert record_defect(store, connection, ValueError(), holder="test/2", now=world.now).not_permitted == (last,)
        assert kept(world) == (last,)
        world.server.faults.clear()
        assert later(read_again(world), minutes=90).sync().not_permitted == ()
        assert kept(world) == ()


@pytest.mark.parametrize("source", PATHS)
def test_where_every_stream_lacks_its_scope_the_person_has_to_connect_again(lite: Store, source: str) -> None:
    with living(lite, source, "week") as world:
        world.server.faults.append(refusing(source, *PATHS[source]))
        outcome = world.sync()
        assert outcome.outcome == "needs_login"
        assert outcome.not_permitted == tuple(sorted(PATHS[source]))
        assert f"connect again: bridge connect {source}" in str(outcome.skipped_because)
        assert tokens_asked(world) == 0


@pytest.mark.parametrize("source", PATHS)
@pytest.mark.parametrize("body", [b"<html>log in to this hotel</html>", b'{"error": "forbidden"}'])
def test_a_refusal_of_everything_that_names_no_scope_is_not_about_a_stream(
    lite: Store, source: str, body: bytes
) -> None:
    kind = "text/html; charset=utf-8" if body.startswith(b"<") else "application/json"
    everywhere = Answer(status=403, body=body, headers={"Content-Type": kind})
    with living(lite, source, "week") as world:
        world.server.faults.append(refusing(source, *PATHS[source], answer=everywhere))
        outcome = world.sync()
        assert outcome.outcome != "ok"
        assert (outcome.not_permitted, kept(world)) == ((), ())


ENDED = {
    "body": Answer(status=401, body={"detail": "The token has expired; it was for the scopes daily and spo2."}),
    "header": Answer(status=401, headers={"WWW-Authenticate": 'Bearer scope="daily", error="invalid_token"'}),
}


@pytest.mark.parametrize("told", ENDED)
@pytest.mark.parametrize("source", [source for source in PATHS if access.tokens_end(source)])
def test_a_token_that_has_ended_is_refreshed_whatever_scopes_are_named(lite: Store, source: str, told: str) -> None:
    with living(lite, source, "week") as world:
        refuse = refusing(source, *PATHS[source], answer=ENDED[told])
        world.server.faults.append(lambda request: None if tokens_asked(world) else refuse(request))
        outcome = world.sync()
        assert (outcome.outcome, outcome.not_permitted, tokens_asked(world)) == ("ok", (), 1)


def test_a_page_for_people_is_not_a_stream_that_may_not_be_read(lite: Store) -> None:
    page = Answer(status=403, body=b"<html>scope</html>", headers={"Content-Type": "text/html"})
    with living(lite, "whoop", "week") as world:
        world.server.faults.append(refusing("whoop", "workout", answer=page))
        outcome = world.sync()
        assert outcome.outcome != "ok"
        assert outcome.not_permitted == ()
