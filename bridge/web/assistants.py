"""Serve the tools of AI assistants at ``/mcp``, by the streamable HTTP transport of the Model Context Protocol.

No OAuth server is named, or some clients no longer send their token (anthropics/claude-code, issue 59467).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from bridge.web.state import NotLoggedIn, bearer, current_visit
from bridge.web.throttle import ConcurrencyLimit

ToolServers = Callable[[str], ASGIApp]  # by the user's name; it may take a while, and raises SetupError
MESSAGES_AT_ONCE = 8  # of a user


@dataclass(frozen=True, kw_only=True)
class Assistants:
    """The ASGI application at ``/mcp``. It answers POSTs by the tools of the user whose token they bring."""

    servers: ToolServers
    running: ConcurrencyLimit = field(default_factory=lambda: ConcurrencyLimit(MESSAGES_AT_ONCE))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        if bearer(request) is None:
            raise NotLoggedIn
        user = (await run_in_threadpool(current_visit, request)).user
        with self.running.held(user.id):
            answer = await run_in_threadpool(self.servers, user.name)
            await answer(scope, receive, send)
