"""Turn errors into answers, which are JSON for programs, text for a part of a page, and else a page."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ExceptionHandler

from bridge.documents.text import writable
from bridge.domain.errors import BridgeError, Fault, StoreFault, TryLater
from bridge.domain.languages import _, told
from bridge.installation import now
from bridge.store import database, faults
from bridge.web import next_steps
from bridge.web.bounds import PROGRAM_PATHS

if TYPE_CHECKING:
    from bridge.installation import Bridge

log = logging.getLogger(__name__)
HEALTHY = ("ok", "starting")  # a server that starts is well


def refuse(request: Request, status: int, text: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return a response with the reason ``text``, as JSON on paths for programs, text for htmx, and else a page.

    Programs get the next command. People get a link to the page that does the same.
    """
    if request.url.path.startswith(PROGRAM_PATHS):
        return JSONResponse({"error": writable(text)}, status, headers)
    if "hx-request" in request.headers:
        return PlainTextResponse(next_steps.as_lines(text), status, headers)
    from bridge.web.render import page

    answer = page("error.html", None, status=status, text=text)
    answer.headers.update(headers or {})
    return answer


def _refuse_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for this class only
    unnamed = error.detail == "Not Found" and not request.url.path.startswith(PROGRAM_PATHS)
    text = _("there is no such page") if unnamed else str(error.detail)
    return refuse(request, error.status_code, text, error.headers)


def _refuse_bridge(request: Request, error: Exception) -> Response:
    if not isinstance(error, TryLater):
        return refuse(request, 400, told(error))
    if isinstance(error, StoreFault):
        return _refuse_fault(request, error)
    asked_at = now()
    seconds = ((error.due(asked_at) or asked_at) - asked_at).total_seconds() or database.OUTAGE_RETRY_SECONDS
    return refuse(request, 429 if error.limited else 503, told(error), {"Retry-After": str(max(1, round(seconds)))})


def _refuse_fault(request: Request, error: StoreFault) -> Response:
    """Answer 507 for a full disk, else 503, after which senders repeat the request."""
    log.error("%s", error)
    status = 507 if error.kind is Fault.FULL else 503
    return refuse(request, status, told(error), {"Retry-After": str(database.OUTAGE_RETRY_SECONDS)})


def _refuse_file(request: Request, error: Exception) -> Response:
    kind = faults.kind_of(error)
    if kind is None:
        raise error
    return _refuse_fault(request, faults.fault(kind))


def health(bridge: Bridge, status: str) -> JSONResponse:
    """Answer a monitor with the server's status, or with a fault of the disk or database.

    The status code is 200 for ``ok`` and ``starting``, otherwise 503.
    """
    fault = bridge.fault()
    if fault is not None:
        return JSONResponse({"status": str(fault.kind), "reason": str(fault)}, 503)
    return JSONResponse({"status": status}, 200 if status in HEALTHY else 503)


def _refuse_outage(request: Request, error: Exception) -> Response:
    if not database.is_outage(error):
        raise error
    log.error("the database does not answer (%s)", type(error).__name__)
    return refuse(
        request, 503, told(TryLater(database.OUTAGE_TEXT)), {"Retry-After": str(database.OUTAGE_RETRY_SECONDS)}
    )


HANDLERS: Mapping[type[Exception], ExceptionHandler] = {
    BridgeError: _refuse_bridge,
    HTTPException: _refuse_http,
    SQLAlchemyError: _refuse_outage,
    OSError: _refuse_file,
}
