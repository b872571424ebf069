"""What apps and vendors send, at the same addresses as with ``bridge serve-push``, by the same code."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from anyio import from_thread
from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from bridge import registry
from bridge.channels import HOOKS
from bridge.errors import BadRecord
from bridge.push.inbox import granted, take_in
from bridge.push.server import LONGEST_NOTICE, PATH, Answer, noticed, token_of, too_often, unknown
from bridge.web.gate import TooLarge
from bridge.web.site import Site, site_of

router = APIRouter()


def _said(answer: Answer) -> JSONResponse:
    status, body = answer
    return JSONResponse(body, status, {"WWW-Authenticate": "Bearer"} if status == 401 else None)


@router.post(PATH + "{source}")
async def push(request: Request, source: str) -> JSONResponse:
    """A body for the person whose token came with it; it is whole on disk before it is answered."""
    if wait := _too_often(request):
        return wait
    if source not in registry.names("connectors"):
        return _said((404, {"error": f"push to {PATH}SOURCE"}))
    return _said(await run_in_threadpool(_taken, site_of(request), request, source))


def _taken(site: Site, request: Request, source: str) -> Answer:
    headers = dict(request.headers)
    into = granted(site.bridge, source, token_of(headers))
    if into is None:
        return unknown(source)
    if headers.get("content-encoding", "identity") != "identity":
        return 415, {"error": "send it as it is, not packed"}
    try:
        size, known = take_in(into, headers, _pieces(request.stream()))
    except BadRecord as error:
        return 400, {"error": str(error)}
    except ClientDisconnect:
        return 400, {"error": "it is cut off"}
    except TooLarge:
        return 413, {"error": "that is too large; switch on the automation's batches"}
    site.arrived.set()
    return 200, {"bytes": size, "known": known}


def _pieces(stream: AsyncIterator[bytes]) -> Iterator[bytes]:
    """A body that arrives in the event loop, for a thread."""

    async def following() -> bytes | None:
        return await anext(stream, None)

    while (piece := from_thread.run(following)) is not None:
        yield piece


@router.post(HOOKS + "{source}")
async def hook(request: Request, source: str) -> JSONResponse:
    """A vendor's webhook: checked by its signature, written down, followed by the next sync."""
    if wait := _too_often(request):
        return wait
    if source not in registry.names("connectors") or registry.spec(source).notices is None:
        return _said((404, {"error": f"webhooks go to {HOOKS}SOURCE, of a source that has them"}))
    length = request.headers.get("content-length", "")
    if not length.isdecimal() or int(length) > LONGEST_NOTICE:
        return _said((413, {"error": f"a notice has at most {LONGEST_NOTICE} bytes, and says how many"}))
    body = await request.body()
    return _said(await run_in_threadpool(noticed, site_of(request).bridge, source, dict(request.headers), body))


def _too_often(request: Request) -> JSONResponse | None:
    """Before anything is looked up: who asks too often waits."""
    wait = site_of(request).pushes.wait(request.client.host if request.client else "")
    if not wait:
        return None
    status, told = too_often(wait)
    return JSONResponse(told, status, {"Retry-After": str(int(wait) + 1)})
