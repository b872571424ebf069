"""Connections, syncs and imports, each day's figures, and the export."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import StreamingResponse

from bridge import app, registry
from bridge.cli.advice import day_row
from bridge.cli.care import connection_rows
from bridge.daily import figures
from bridge.web import chores, day
from bridge.web.jobs import Job
from bridge.web.site import Visitor

router = APIRouter(tags=["data"])
Document = dict[str, Any]


@router.get("/connections")
def connections(visit: Visitor) -> list[Document]:
    """Each connection: last success, next due, how old its newest data is, what was set aside, and what to do."""
    return connection_rows(visit.bridge, visit.user, visit.now)


@router.post("/connections/{source}/sync", status_code=202)
def sync(visit: Visitor, source: str) -> Document:
    """Fetch what is new from a source; the answer names a job to ask after."""
    if source not in registry.names("connectors"):
        raise HTTPException(404, "there is no such source")
    app.chosen(visit.bridge, visit.user, source)
    return _job(chores.refresh(visit, registry.spec(source)))


@router.post(
    "/import",
    status_code=202,
    openapi_extra={"requestBody": {"content": {"application/octet-stream": {"schema": {"type": "string"}}}}},
)
async def upload(
    request: Request, visit: Visitor, name: Annotated[str, Query(min_length=1, max_length=255)]
) -> Document:
    """Import a file, which is the body as it is; ``name`` is the file's own. The answer names a job to ask after."""
    place = await chores.received(visit, name, request.stream())
    return _job(chores.import_file(visit, place))


@router.get("/jobs/{name}")
def job(visit: Visitor, name: str) -> Document:
    """How far a sync or an import is: running, done or failed, and what came of it."""
    found = visit.site.jobs.of(visit.user.id, name)
    if found is None:
        raise HTTPException(404, "there is no such job any longer")
    return _job(found)


def _job(found: Job) -> Document:
    return {
        "job": found.id,
        "state": found.state,
        "percent": found.share,
        "text": found.text,
        "outcomes": found.result,
    }


@router.get("/days")
def days(
    visit: Visitor,
    last: Annotated[int, Query(ge=1, le=3660)] = 14,
    source: Annotated[str | None, Query(max_length=100)] = None,
) -> list[Document]:
    """Each day's figures per source, newest first: metric -> value, and of how many measurements."""
    since = (day.local(visit, visit.now) - timedelta(days=last - 1)).date()
    store, user = visit.bridge.store, visit.user
    found = figures(store.samples(user.id, since=since), store.episodes(user.id, since=since))
    return [day_row(of, name, metrics) for (of, name), metrics in found.items() if source in (None, name)]


@router.get("/export", response_class=StreamingResponse)
def export(visit: Visitor) -> StreamingResponse:
    """A zip of everything a person has but their consents; `bridge import` reads it back in for a new person."""
    return chores.exported(visit)
