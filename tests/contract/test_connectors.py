"""Checks that every connector passes without a test of its own."""

from __future__ import annotations

import contextlib
import copy
import logging
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bridge import installation, registry
from bridge.domain.errors import BadRecord, Forged
from bridge.domain.metrics import METRICS
from bridge.domain.samples import set_apart
from bridge.domain.types import Episode, Event, Item, Page, RawRecord, Sample, Task
from bridge.ingest.outcomes import backoff
from bridge.ingest.sync import sync
from bridge.recordings.server import Answer, Request
from bridge.store import Store
from tests.world import NOW, delivered_records, expected, filed, living, served, told

SOURCES = registry.names("connectors")
LIVE = sorted({source for source, _ in served()})
CASES = [*served(), *told()]
HEAVY = ("requests", "googleapiclient", "pandas", "sklearn", "sqlalchemy", "httplib2", "pydantic")
BUSY = {"X-RateLimit-Reset": "77", "Retry-After": "77"}


def test_there_is_something_to_check() -> None:
    assert {"whoop", "google_calendar"} <= set(LIVE)


@pytest.mark.parametrize("source", SOURCES)
def test_the_name_is_the_folder_and_every_path_resolves(source: str) -> None:
    spec = registry.spec(source)
    assert spec.name == source
    files = (spec.recognises, spec.reads, spec.receives)
    pushed = (spec.notices, spec.watches, spec.registers)
    for path in (spec.normaliser, spec.opens, spec.authorises, spec.revokes, spec.writes, *files, *pushed):
        assert path is None or callable(registry.resolve(path))


@pytest.mark.parametrize("source", [source for source in SOURCES if registry.spec(source).notices])
@pytest.mark.parametrize("body", [b"", b"{}", b"\xff", b"[" * 5000])
def test_a_webhook_without_proof_is_refused_and_what_a_proven_one_names_can_be_fetched(
    source: str, body: bytes
) -> None:
    spec = registry.spec(source)
    more = ({"token": "1-x"} if spec.secret_hooks else {}) | ({"kept": {}} if spec.registers else {})
    for secret in ("", "a-long-secret"):
        settings = {one.name: secret if one.secret else one.default or "x" for one in spec.settings}
        with pytest.raises(Forged):
            registry.resolve(spec.notices or "")({}, body, settings=settings, now=NOW, **more)
    assert hasattr(registry.resolve(spec.opens or ""), "fetch")


def test_importing_the_specs_loads_nothing_heavy() -> None:
    """None may, so one process imports all of them, and tells what each brought."""
    modules = registry._modules("connectors")
    found = "".join(f"import {modules[source]}; tell({source!r})\n" for source in SOURCES)
    told = f"import sys\ndef tell(source): print(source, [m for m in {HEAVY!r} if m in sys.modules])\n"
    done = subprocess.run([sys.executable, "-c", told + found], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"{source} []" for source in SOURCES]


class Crash(Exception):
    """The process dies here."""


class Crashing:
    """A connector whose process dies after so many pages in all."""

    def __init__(self, connector: Any, pages: int) -> None:
        self._connector, self._left = connector, pages

    def close(self) -> None:
        self._connector.close()

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        for page in self._connector.pull(stream, cursor, now=now):
            if self._left == 0:
                raise Crash
            self._left -= 1
            yield page


@cache
def undisturbed(source: str) -> dict[str, list[Any]]:
    with closing(Store("sqlite://")) as store, living(store, source, "awkward") as world:
        world.sync()
        return world.contents()


@pytest.mark.parametrize("source", LIVE)
@pytest.mark.parametrize("pages", range(6))
def test_a_crash_after_any_page_loses_and_doubles_nothing(lite: Store, source: str, pages: int) -> None:
    with living(lite, source, "awkward") as world:
        broken = world.source()
        crashing = type(broken)(
            connection=broken.connection,
            spec=broken.spec,
            open=lambda: Crashing(world.connector(), pages),
            normalise=broken.normalise,
        )
        with contextlib.suppress(Crash):
            sync(crashing, lite, holder="test/1", now=world.now)
        assert world.sync().outcome == "ok"
        assert world.contents() == undisturbed(source)


FAULTS: dict[int, tuple[Answer, str]] = {
    401: (Answer(status=401, body={"error": {"code": 401, "errors": [{"reason": "authError"}]}}), "needs_login"),
    429: (
        Answer(status=429, body={"error": {"code": 429, "errors": [{"reason": "rateLimitExceeded"}]}}, headers=BUSY),
        "failed",
    ),
    500: (Answer(status=500, body=b"<html>oops</html>", headers={"Content-Type": "text/html"}), "failed"),
    503: (Answer(status=503, body=b""), "failed"),
}


@pytest.mark.parametrize("source", LIVE)
@pytest.mark.parametrize("status", FAULTS)
def test_a_refusal_is_never_a_success_and_heals(
    lite: Store, source: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)  # the clients' own quick retries
    answer, outcome = FAULTS[status]
    with living(lite, source, "week") as world:

        def refuse(request: Request) -> Answer | None:
            return None if "token" in request.path else answer

        world.server.faults.append(refuse)
        failed = world.sync()
        assert failed.outcome == outcome
        assert failed.skipped_because
        assert failed.new == 0
        due = lite.connections.of_user(world.user.id)[0].due_at
        if status == 429:
            assert failed.retry_at is not None
            assert timedelta(0) <= failed.retry_at - (world.now + timedelta(seconds=77)) < timedelta(seconds=30)
            assert due == failed.retry_at
            again = replace(world, connection=lite.connections.of_user(world.user.id)[0])
            asked = len(world.server.asked)
            early = again.sync(at=failed.retry_at - timedelta(seconds=60))  # a person, or a push, is earlier
            assert (early.outcome, early.retry_at, len(world.server.asked)) == ("failed", failed.retry_at, asked)
        elif outcome == "failed":
            assert due == world.now + backoff(world.connection, world.now)
        world.server.faults.clear()
        assert world.sync(at=failed.retry_at or world.now).outcome == "ok"


@pytest.mark.parametrize("source", LIVE)
def test_an_unreachable_source_is_try_later(lite: Store, source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    with living(lite, source, "week") as world:
        world.server.close()
        assert world.sync().outcome == "failed"
        world.server.close = lambda: None  # type: ignore[method-assign]


@pytest.mark.parametrize(("source", "case"), CASES)
def test_items_are_in_range_declared_and_aware(source: str, case: str) -> None:
    spec = registry.spec(source)
    normalise = installation.normaliser(spec)
    records = delivered_records(source, case)
    items = [item for record in records.values() for item in _items(normalise, record, records)]
    for item in items:
        assert _declared(item) <= spec.delivers
        _check_values(item)
    again = [item for record in records.values() for item in _items(normalise, record, records)]
    assert items == again


@pytest.mark.parametrize("source", SOURCES)
def test_everything_declared_occurs_in_the_fixtures(source: str) -> None:
    seen: set[Any] = set()
    for other, case in CASES:
        if other == source:
            normalise = installation.normaliser(registry.spec(source))
            records = delivered_records(source, case)
            for record in records.values():
                for item in _items(normalise, record, records):
                    seen |= _declared(item)
    for other, case in filed():
        if other == source:
            found = expected(source, case)
            seen |= {sample["metric"] for sample in found["samples"]}
            seen |= {kind for kind in ("episodes", "events", "tasks") if found[kind]}
            seen |= {metric for episode in found["episodes"] for metric in episode["values"]}
    assert seen == registry.spec(source).delivers


def _items(normalise: Any, record: RawRecord, records: dict[str, RawRecord]) -> list[Item]:
    if record.deleted:
        return []
    try:
        return set_apart(normalise(record, records.get(record.parent or "")))[0]
    except BadRecord:
        return []


def _declared(item: Item) -> frozenset[Any]:
    match item:
        case Sample():
            return frozenset({item.metric})
        case Episode():
            return frozenset({"episodes", *item.values})
        case Event():
            return frozenset({"events"})
        case Task():
            return frozenset({"tasks"})


def _check_values(item: Item) -> None:
    values = {item.metric: item.value} if isinstance(item, Sample) else getattr(item, "values", {})
    for metric, value in values.items():
        assert METRICS[metric].low <= value <= METRICS[metric].high, metric
    if isinstance(item, Sample | Episode):
        assert item.start.utcoffset() == timedelta(0)


def _paths(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*at, key)
            yield from _paths(inner, (*at, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _paths(inner, (*at, index))


def _damaged(payload: Any, path: tuple[Any, ...], damage: Any) -> Any:
    """Return a payload of which only what lies on the way to the damage is copied."""
    body = copy.copy(payload)
    inner = body
    for key in path[:-1]:
        inner[key] = copy.copy(inner[key])
        inner = inner[key]
    if damage is DROP:
        del inner[path[-1]]
    else:
        inner[path[-1]] = damage
    return body


DROP = object()
DAMAGES = (DROP, None, "", "?", -1, 0, 1e308, 10**400, True, [], {}, [None], {"x": 1}, "9999-12-31T23:59:59Z", "\x00")


@cache
def delivered(source: str) -> list[tuple[RawRecord, RawRecord | None]]:
    """Return a source's records of all cases, each with its parent."""
    found: list[tuple[RawRecord, RawRecord | None]] = []
    for case in (case for other, case in CASES if other == source):
        records = delivered_records(source, case)
        found += [(r, records.get(r.parent or "")) for r in records.values() if not r.deleted]
    return found


@pytest.mark.parametrize("source", sorted({source for source, _ in CASES}))
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_payloads_give_bad_record_or_a_valid_result(source: str, data: st.DataObject) -> None:
    record, parent = data.draw(st.sampled_from(delivered(source)))
    paths = list(_paths(record.payload))
    if not paths:
        return
    payload = _damaged(record.payload, data.draw(st.sampled_from(paths)), data.draw(st.sampled_from(DAMAGES)))
    broken = RawRecord(stream=record.stream, key=record.key, payload=payload, parent=record.parent)
    try:
        items = installation.normaliser(registry.spec(source))(broken, parent)
    except BadRecord:
        return
    for item in set_apart(items)[0]:  # as it lands
        _check_values(item)


@pytest.mark.parametrize("source", sorted({source for source, _ in CASES}))
def test_dropping_every_single_key_once(source: str) -> None:
    normalise = installation.normaliser(registry.spec(source))
    for record, parent in delivered(source):
        for path in _paths(record.payload):
            payload = _damaged(record.payload, path, DROP)
            with contextlib.suppress(BadRecord):
                normalise(
                    RawRecord(stream=record.stream, key=record.key, payload=payload, parent=record.parent), parent
                )


@pytest.mark.parametrize(("source", "case"), served())
def test_logs_and_errors_hold_nothing_personal(
    lite: Store, source: str, case: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with living(lite, source, case) as world:
        token = world.vendor.grant()
        outcome = world.sync()
        titles = {e["title"] for e in world.contents()["events"] if len(e.get("title", "")) > 6}
        text = caplog.text + str(outcome) + str(lite.ingest.set_aside(world.connection.id))
    secrets = {
        str(v) for k, v in token.items() if "token" in k and isinstance(v, str) and "://" not in v and len(v) > 8
    }
    for secret in secrets | titles:
        assert secret not in text
