"""Google's own description of its APIs, as its client library ships it, knows every field the lab's servers answer.

Discovery documents: ``googleapiclient/discovery_cache/documents`` of google-api-python-client.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Any

import googleapiclient
import pytest

from bridge import registry
from bridge.recordings.server import Answer, Request
from bridge.store import Store
from lab.vendors.google import GoogleServer
from lab.vendors.google_calendar import WRITE_SCOPE
from tests.world import living, served

DOCUMENTS = {"google_calendar": "calendar.v3", "google_tasks": "tasks.v1", "google_health": "health.v4"}
CASES = [(source, case) for source, case in served() if source in DOCUMENTS]
PYTHON = {"string": str, "boolean": bool, "integer": int, "number": (int, float), "object": dict, "array": list}


@cache
def document(source: str) -> dict[str, Any]:
    folder = Path(googleapiclient.__file__).parent / "discovery_cache" / "documents"
    body: dict[str, Any] = json.loads((folder / f"{DOCUMENTS[source]}.json").read_text(encoding="utf-8"))
    return body


def methods(resources: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for resource in resources.values():
        yield from resource.get("methods", {}).values()
        yield from methods(resource.get("resources", {}))


def method(source: str, request: Request) -> dict[str, Any]:
    """The described method a request is for."""
    found = document(source)
    path = request.path.removeprefix("/").removeprefix(found["servicePath"])
    for described in methods(found["resources"]):
        flat = re.escape(described.get("flatPath", described["path"]))
        shape = re.sub(r"\{[^}]+\}", "[^/]+", flat.replace(r"\{", "{").replace(r"\}", "}"))
        if described["httpMethod"] == request.method and re.fullmatch(shape, path):
            return described
    raise AssertionError(f"Google describes no {request.method} of such a path")


def faults(value: Any, schema: Mapping[str, Any], schemas: Mapping[str, Any], at: str) -> Iterator[str]:
    """Places at which a value is not as its schema says. A field that the schema does not know is a fault."""
    schema = schemas[schema["$ref"]] if "$ref" in schema else schema
    kind = schema.get("type", "any")
    if kind == "any" or value is None:  # null is on purpose: see docs/vendors.md
        return
    if not isinstance(value, PYTHON[kind]) or (isinstance(value, bool) and kind != "boolean"):
        yield f"{at}: no {kind}"
    elif kind == "array":
        for inner in value:
            yield from faults(inner, schema["items"], schemas, f"{at}[]")
    elif kind == "object":
        known, others = schema.get("properties", {}), schema.get("additionalProperties")
        for name, inner in value.items():
            if name not in known and others is None:
                yield f"{at}.{name}: not described"
            else:
                yield from faults(inner, known.get(name, others), schemas, f"{at}.{name}")
    elif not well_written(value, schema.get("format")):
        yield f"{at}: no {schema['format']}"


def well_written(value: Any, form: str | None) -> bool:
    try:
        match form:
            case "date-time":
                return datetime.fromisoformat(value).tzinfo is not None
            case "date":
                return str(date.fromisoformat(value)) == value
            case "int64":
                return str(int(value)) == value
    except ValueError:
        return False
    return True


def synced(source: str, case: str) -> list[tuple[Request, Answer]]:
    """All a sync asks and is answered, whole: without the mask by which our connector leaves fields out."""
    told: list[tuple[Request, Answer]] = []
    with closing(Store("sqlite://")) as store, living(store, source, case) as world:
        application = world.server.application

        def note(request: Request) -> Answer:
            whole = replace(request, query={n: v for n, v in request.query.items() if n != "fields"})
            told.append((request, application(whole)))
            return application(request)

        world.server.application = note
        assert world.sync().outcome == "ok"
    return told


@pytest.mark.parametrize(("source", "case"), CASES)
def test_every_field_is_one_that_google_describes(source: str, case: str) -> None:
    schemas = document(source)["schemas"]
    for request, answer in synced(source, case):
        response = method(source, request)["response"]
        assert not list(faults(answer.body, response, schemas, response["$ref"]))


@pytest.mark.parametrize(("source", "case"), CASES)
def test_every_request_has_only_parameters_that_google_describes(source: str, case: str) -> None:
    common = document(source)["parameters"]
    for request, _ in synced(source, case):
        described = method(source, request).get("parameters", {})
        assert set(request.query) <= {*described, *common}


@pytest.mark.parametrize(("source", "case"), CASES)
def test_every_body_of_a_request_is_as_google_describes(source: str, case: str) -> None:
    schemas = document(source)["schemas"]
    for request, _ in synced(source, case):
        described = method(source, request).get("request")
        assert (described is None) == (not request.body)
        if described is not None:
            assert not list(faults(json.loads(request.body), described, schemas, described["$ref"]))


def changes() -> list[tuple[str, str, dict[str, Any]]]:
    """(method, path below the API's, body) of what an app can ask to be changed."""
    hour = {"start": {"dateTime": "2026-11-20T10:00:00Z"}, "end": {"dateTime": "2026-11-20T11:00:00Z"}}
    made = "/calendars/made1@group.calendar.google.com"
    channel = {"id": "channel-1", "type": "web_hook", "address": "https://bridge.example.com/hook", "token": "secret"}
    return [
        ("POST", "/calendars", {"summary": "Advice"}),
        ("POST", f"{made}/events", {"id": "advice1", "summary": "Walk", **hour}),
        ("PATCH", f"{made}/events/advice1", {"summary": "Run"}),
        ("PUT", f"{made}/events/advice1", {"summary": "Swim", **hour}),
        ("POST", f"{made}/events/watch", channel),
        ("GET", f"{made}/events/advice1", {}),
        ("GET", "/users/me/settings/timezone", {}),
    ]


def test_every_answer_to_a_change_is_one_that_google_describes() -> None:
    schemas = document("google_calendar")["schemas"]
    with closing(Store("sqlite://")) as store, living(store, "google_calendar", "week") as world:
        token = world.vendor.grant(WRITE_SCOPE)["token"]
        for verb, path, body in changes():
            request = Request(
                method=verb,
                path=f"/calendar/v3{path}",
                query={},
                repeated={},
                headers={"authorization": f"Bearer {token}"},
                body=json.dumps(body).encode() if body else b"",
            )
            answer = world.vendor.application(request)
            assert answer.status == 200, f"{verb} {path}"
            response = method("google_calendar", request)["response"]
            assert not list(faults(answer.body, response, schemas, response["$ref"]))


@pytest.mark.parametrize("source", DOCUMENTS)
def test_every_scope_is_one_that_google_describes(source: str) -> None:
    vendor: type[GoogleServer] = registry.resolve(f"lab.vendors.{source}:Vendor")
    assert set(vendor.scope.split()) <= set(document(source)["auth"]["oauth2"]["scopes"])
    assert WRITE_SCOPE in document("google_calendar")["auth"]["oauth2"]["scopes"]


def test_a_field_of_our_own_is_found() -> None:
    schemas = document("google_calendar")["schemas"]
    event = {"id": "e", "start": {"dateTime": "2026-11-20"}, "sequence": "1", "mood": "good"}
    found = sorted(faults(event, {"$ref": "Event"}, schemas, "Event"))
    assert found == ["Event.mood: not described", "Event.sequence: no integer", "Event.start.dateTime: no date-time"]
