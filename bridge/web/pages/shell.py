"""Serve the files with which the page is installed as an app. No page with personal data is kept offline."""

from __future__ import annotations

import hashlib
import json

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from bridge.domain.languages import _, current
from bridge.web.render import page, static_file, static_url

router = APIRouter()
SHELL = ("style.css", "icon.svg", "htmx.min.js", "page.js")
PAPER, INK = "#f6f5f1", "#2a6957"  # as in style.css


@router.get("/manifest.webmanifest")
def manifest() -> Response:
    """Return the manifest of the installed page, with its name, icon and colours, in the current language."""
    icon = {"src": static_url("icon.svg"), "sizes": "any", "type": "image/svg+xml"}
    body = {
        "id": "/",
        "name": "rhythm-bridge",
        "short_name": "rhythm",
        "lang": current(),
        "description": _("One recommendation at a time, from your watch and your calendar."),
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": PAPER,
        "theme_color": INK,
        "icons": [icon, icon | {"purpose": "maskable"}],
    }
    return JSONResponse(body, media_type="application/manifest+json")


@router.get("/sw.js")
def worker() -> Response:
    """Send the service worker, with the addresses of the app's files, which change with their content."""
    shell = [*map(static_url, SHELL), "/offline"]
    script = static_file("worker.js").decode()
    name = hashlib.sha256(json.dumps(shell).encode()).hexdigest()[:12]
    filled = script.replace('"SHELL"', json.dumps(shell)).replace('"NAME"', json.dumps(f"shell-{name}"))
    return Response(filled, media_type="text/javascript")


@router.get("/offline")
def offline() -> Response:
    """Show a page that says that the bridge does not answer. The service worker stores it in advance."""
    return page("offline.html", None)
