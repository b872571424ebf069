"""Serve connections, syncs, imports, the progress of jobs, and daily values as JSON, and the export as a zip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from bridge import registry
from bridge.documents.connections import connection_documents
from bridge.documents.meters import day_document
from bridge.documents.query import AnswerDocument, AskedDocument, answer_document, asked_document
from bridge.ingest import connecting
from bridge.meters.daily import figures
from bridge.query import asking
from bridge.query.parse import Words
from bridge.web import background
from bridge.web.jobs import Job
from bridge.web.state import Visitor

router = APIRouter(tags=["data"])
Document = Mapping[str, Any]
Short = Annotated[str, Field(max_length=200)]


class Question(BaseModel):
    """The parts of a typed question, as `bridge query` takes them. A part left out is no limit."""

    what: Short
    of: Short | None = None
    since: Short | None = None
    until: Short | None = None
    first: int | None = None
    last: int | None = None
    by: Short | None = None
    per: Short | None = None
    top: int | None = None
    where: list[Short] = []
    against: Short | None = None


@router.get("/connections")
def connections(visit: Visitor) -> Sequence[Document]:
    """Return each connection with last success, next due time, age of its data, records set aside and next step."""
    return connection_documents(visit.bridge, visit.user, visit.now)


@router.post("/connections/{source}/sync", status_code=202)
def sync(visit: Visitor, source: str) -> Document:
    """Start fetching new data from a source. The answer names a job, whose progress `/jobs/{name}` returns.

    An unknown source gets 404, and a source without a connection 400. If the source is being fetched already, the
    answer names that job.
    """
    if source not in registry.names("connectors"):
        raise HTTPException(404, "there is no such source; see: bridge sources")
    connecting.connections_of(visit.bridge, visit.user, source)
    return _job(background.sync(visit, registry.spec(source)))


@router.post(
    "/import",
    status_code=202,
    openapi_extra={"requestBody": {"content": {"application/octet-stream": {"schema": {"type": "string"}}}}},
)
async def upload(
    request: Request, visit: Visitor, name: Annotated[str, Query(min_length=1, max_length=255)]
) -> Document:
    """Start importing the request's body as a file called ``name``. `/jobs/{name of the job}` returns the progress.

    The answer has status 202. Too many uploads or jobs at once get 429.
    """
    place = await background.receive_upload(visit, name, request.stream())
    return _job(background.import_file(visit, place))


@router.get("/jobs/{name}")
def job(visit: Visitor, name: str) -> Document:
    """Return the progress of a sync or an import: running, done or failed, with the outcomes once it is done.

    An unknown job, and one that the server has forgotten, gets 404.
    """
    found = visit.app.jobs.find(visit.user.id, name)
    if found is None:
        raise HTTPException(404, "there is no such job, or it is over; start it again")
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
    """Return the metrics of each day and source over the ``last`` days, newest first, with numbers of measurements.

    ``source`` limits them to a source. Without it, all sources are returned.
    """
    since = (visit.local(visit.now) - timedelta(days=last - 1)).date()
    store, user = visit.bridge.store, visit.user
    found = figures(store.reading.samples(user.id, since=since), store.reading.episodes(user.id, since=since))
    return [day_document(of, name, metrics) for (of, name), metrics in found.items() if source in (None, name)]


@router.get("/query")
def query(visit: Visitor, asked: Annotated[Question, Query()]) -> AnswerDocument:
    """Return the answer to a typed question over what is stored, as `bridge query` does.

    What is no query gets 400 with the nearest name.
    """
    found, _ = asking.typed(visit.bridge, visit.user, Words(**asked.model_dump()), now=visit.now)
    return answer_document(found)


@router.get("/ask")
def ask(visit: Visitor, text: Annotated[str, Query(min_length=1, max_length=300)]) -> AskedDocument:
    """Return the answer to a plain question in English or German, as `bridge ask` does.

    What is not understood as a whole gets 400 with an example.
    """
    found, _ = asking.plain(visit.bridge, visit.user, text, now=visit.now)
    return asked_document(found)


@router.get("/export", response_class=StreamingResponse)
def export(visit: Visitor) -> StreamingResponse:
    """Send a zip of the user's data without secrets. `bridge import` reads it for a new user.

    While another export of the user is made, the answer is 429.
    """
    return background.export_zip(visit)
