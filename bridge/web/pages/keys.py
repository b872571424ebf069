"""Serve the page on which a person types the client id and secret of their own application at a vendor."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import HTMLResponse

from bridge import registry
from bridge.domain.errors import BridgeError
from bridge.domain.languages import _, told
from bridge.domain.ports import ConnectorSpec
from bridge.ingest import clients
from bridge.web import phrases
from bridge.web.pages.connections import shown_source
from bridge.web.render import page
from bridge.web.security import LOOPBACK
from bridge.web.state import Visit, Visitor, in_browser

router = APIRouter()
Key = Annotated[str, Form(min_length=1, max_length=500)]
Secret = Annotated[str, Form(max_length=500)]


@router.get("/connections/{source}/keys")
def keys(request: Request, visit: Visitor, source: str) -> HTMLResponse:
    return _page(request, visit, _spec(source))


@router.post("/connections/{source}/keys", dependencies=[Depends(in_browser)])
def save(request: Request, visit: Visitor, source: str, client_id: Key, client_secret: Secret = "") -> HTMLResponse:
    """Test the client id and secret at the vendor, and keep them if they work.

    A refusal is shown beside the form, with status 400.
    """
    spec = _spec(source)
    try:
        clients.save(visit.bridge, visit.user, spec, client_id, client_secret)
    except BridgeError as error:
        return _page(request, visit, spec, wrong=told(error), typed=client_id)
    return _page(request, visit, spec, saved=True)


def _spec(source: str) -> ConnectorSpec:
    if source not in registry.names("connectors") or registry.spec(source).registration is None:
        raise HTTPException(404, _("this source needs no application; see: bridge sources"))
    return registry.spec(source)


def _page(
    request: Request, visit: Visit, spec: ConnectorSpec, *, wrong: str = "", typed: str = "", saved: bool = False
) -> HTMLResponse:
    return page(
        "connections/keys.html",
        visit,
        status=400 if wrong else 200,
        title=phrases.source_name(spec.title)[0],
        registration=spec.registration,
        asked=clients.asked(visit.bridge, visit.user, spec),
        has_secret=clients.has_secret(spec),
        missing=clients.is_missing(visit.bridge, visit.user, spec),
        elsewhere=request.url.hostname not in LOOPBACK,
        source=shown_source(visit, spec),
        wrong=wrong,
        typed=typed,
        saved=saved,
    )
