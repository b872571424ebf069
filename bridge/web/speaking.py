"""Let each page speak the language that the browser prefers, until the user is known, whose choice outranks it."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from bridge import installation
from bridge.domain.languages import ENGLISH, accepted, speaking
from bridge.web.bounds import PROGRAM_PATHS


class Speaking:
    """ASGI middleware that sets the language of a request, as its browser prefers. Answers to programs are English."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        programs = scope["path"].startswith(PROGRAM_PATHS)
        language = ENGLISH if programs else accepted(Headers(scope=scope).get("accept-language", ""))
        with speaking(language, None if programs else installation.now().year):
            await self._app(scope, receive, send)
