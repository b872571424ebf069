"""Connections: what is connected and how fresh, consents, files, and what is stored, to take along or to delete."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, HTTPException, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from bridge import app, registry
from bridge.cli.care import connection_rows
from bridge.errors import SetupError
from bridge.ports import ConnectorSpec
from bridge.push.inbox import grant
from bridge.push.server import PATH
from bridge.web import chores, words
from bridge.web.gate import LOOPBACK
from bridge.web.jobs import DONE, Job
from bridge.web.render import page
from bridge.web.site import COOKIE, Visit, Visitor

router = APIRouter()
Text = Annotated[str, Form(max_length=4000)]


@router.get("/connections")
def connections(visit: Visitor) -> HTMLResponse:
    rows = connection_rows(visit.bridge, visit.user, visit.now)
    found = [_source(visit, spec, [row for row in rows if row["source"] == spec.name]) for spec in registry.specs()]
    found.sort(key=lambda one: one["title"].casefold())
    return page(
        "connections.html",
        visit,
        path="/connections",
        connected=[one for one in found if one["connections"]],
        others=[one for one in found if not one["connections"] and one["how"]],
        stored=sum(one["rows"] for one in found),
    )


def _source(visit: Visit, spec: ConnectorSpec, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """A source with its connections; ``live``: one of them is an account."""
    jobs = {job.title: job for job in visit.site.jobs.running(visit.user.id)}
    store = visit.bridge.store
    mine = [c for c in store.connections(visit.user.id) if c.source == spec.name and c.name == "account"]
    title, more = words.named(spec.title)
    ways = {"account": spec.authorises, "files": spec.reads, "pushes": spec.receives}
    kinds = rows[0]["counts"] if rows else {}
    return {
        "name": spec.name,
        "title": title,
        "more": more,
        "how": [way for way, there in ways.items() if there is not None],
        "writes": spec.writes is not None,
        "reads": sorted(words.kind(str(what)) for what in spec.delivers),
        "connections": [_connection(row) for row in rows],
        "live": any(store.secret(one.id) is not None for one in mine),
        "paused": any(row["paused"] for row in rows),
        "kinds": sorted((words.kind(kind), count) for kind, count in kinds.items()),
        "rows": sum(kinds.values()),
        "job": jobs.get(title),
    }


def _connection(row: dict[str, Any]) -> dict[str, Any]:
    """How a connection is, in a word, and how old what it knows is."""
    state = "stopped" if row["paused"] else "failed" if row["error"] else "well"
    lag = row["lag_hours"]
    aside = [f"{count} set aside: {why}" for why, count in row["set_aside_reasons"].items()]
    return {**row, "state": state, "newest_age": None if lag is None else words.age(lag), "aside": aside}


def _spec(source: str) -> ConnectorSpec:
    if source not in registry.names("connectors"):
        raise HTTPException(404, "there is no such source")
    return registry.spec(source)


def _shown(visit: Visit, job: Job) -> HTMLResponse:
    return page("connections/job.html", visit, job=job)


@router.post("/connections/{source}/connect")
def connect(request: Request, visit: Visitor, source: str, write: Text = "") -> Response:
    """Ask for consent; the page shows what the person has to do, and then how far the first sync is."""
    elsewhere = request.url.hostname not in LOOPBACK
    return _shown(visit, chores.consent(visit, _spec(source), write=write == "yes", elsewhere=elsewhere))


@router.post("/connections/{source}/sync")
def sync(visit: Visitor, source: str) -> Response:
    return _shown(visit, chores.refresh(visit, _spec(source)))


@router.post("/connections/{source}/push")
def push(visit: Visitor, source: str) -> Response:
    """A token for what an app on the phone sends; shown once."""
    token = grant(visit.bridge, visit.user, _spec(source).name)
    return page("connections/token.html", visit, token=token, place=PATH + source)


@router.post("/connections/{source}/disconnect")
def disconnect(visit: Visitor, source: str) -> Response:
    spec = _spec(source)
    if not app.disconnect(visit.bridge, visit.user, spec.name) and spec.revokes is not None:
        name = words.named(spec.title)[0]
        text = f"{name} is disconnected and its data deleted. It did not confirm: revoke the consent there as well."
        return page("note.html", visit, path="/connections", text=text)
    return RedirectResponse("/connections", 303)


@router.get("/jobs/{name}")
def job(request: Request, visit: Visitor, name: str) -> Response:
    """How far a piece of work is."""
    found = visit.site.jobs.of(visit.user.id, name)
    if found is None:
        return _gone(request)
    answer = _shown(visit, found)
    if found.state == DONE:
        answer.headers["HX-Trigger"] = "landed"
    return answer


@router.post("/jobs/{name}")
def reply(request: Request, visit: Visitor, name: str, answer: Text) -> Response:
    """What the person typed in answer to a question, e.g. a key."""
    found = visit.site.jobs.of(visit.user.id, name)
    if found is None:
        return _gone(request)
    found.reply(answer)
    return _shown(visit, found)


def _gone(request: Request) -> Response:
    """A server that was started anew knows of no work: a page that still asks after it is loaded again."""
    if "hx-request" not in request.headers:
        raise HTTPException(404, "that is over; see what is connected")
    return Response(status_code=204, headers={"HX-Redirect": "/connections"})


@router.post("/connections/import")
async def upload(request: Request, visit: Visitor, name: Annotated[str, Query(max_length=255)]) -> Response:
    """A file as the request's body, piece by piece onto disk; then it is imported while the page watches."""
    place = await chores.received(visit, name, request.stream())
    return _shown(visit, chores.import_file(visit, place))


@router.get("/connections/export.zip")
def export(visit: Visitor) -> Response:
    """Everything a person has but their consents."""
    return chores.exported(visit)


@router.post("/connections/forget")
def forget(visit: Visitor, name: Text = "") -> Response:
    """Delete everything about the person, who has typed their name."""
    if name.strip() != visit.user.name:
        raise SetupError(f"nothing was deleted: type {visit.user.name} to delete everything about {visit.user.name}")
    unconfirmed = app.forget(visit.bridge, visit.user)
    left = f" Revoke the consent there as well: {', '.join(unconfirmed)}." if unconfirmed else ""
    answer = page("note.html", None, text=f"Everything about {visit.user.name} is deleted.{left}")
    answer.delete_cookie(COOKIE)
    return answer
