"""Receive the redirect after a consent, by a listener on loopback or as an address that the user pastes."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

from bridge.domain.errors import NeedsLogin, SetupError, TryLater
from bridge.domain.languages import reason, say
from bridge.domain.ports import Browser

CONSENT_MAX_SECONDS = 180.0  # seconds a person has to agree in the browser
SILENT_CONNECTION_MAX_SECONDS = 2.0  # seconds a connection to our listener may say nothing: browsers open spare ones
LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "::1")
ANY_LOOPBACK_PORT = "http://127.0.0.1:0/"  # where vendors lead back to if any port will do


@contextmanager
def tried_by_hand(source: str) -> Iterator[None]:
    """Add the command that connects ``source`` to the text of a TryLater raised in the block, as nothing retries it."""
    try:
        yield
    except TryLater as error:
        again = f"bridge connect {source} --user NAME"
        text = say("{reason}; try again later: {command}", reason=reason(error), command=again)
        raise TryLater(text, retry_at=error.retry_at, after=error.after, limited=error.limited) from None


@contextmanager
def listening(source: str, redirect: str = ANY_LOOPBACK_PORT) -> Iterator[tuple[str, Listener | None]]:
    """Yield the address to redirect to, and a listener for it, None if ``redirect`` is not on this machine.

    Port 0 is replaced by a free port. Raises SetupError for an unreadable address or a port in use.
    """
    try:
        parts = urlsplit(redirect)
        here, port = parts.scheme == "http" and parts.hostname in LOOPBACK_HOSTS[:2], parts.port
    except ValueError:
        raise SetupError(
            f"{source} cannot redirect a browser to {redirect}; correct its port or redirect_uri in the settings, "
            f"then: bridge connect {source} --user NAME"
        ) from None
    if not here:
        yield redirect, None
        return
    with Listener(source, 80 if port is None else port) as listener:
        yield redirect if port != 0 else f"http://{parts.hostname}:{listener.port}{parts.path}", listener


def redirected_address(browser: Browser, url: str, listener: Listener | None) -> str | None:
    """Show the consent page ``url``, and return the address that it redirected to, or None if none comes in time.

    Without a listener, the user is asked to paste the address.
    """
    browser.open(url)
    pasted = browser.paste()
    if pasted is None and listener is not None:
        return listener.wait(CONSENT_MAX_SECONDS)
    found = browser.ask(say("The address you were redirected to")) if pasted is None else pasted
    return (found or "").strip() or None


def code_of(source: str, answer: str | None, state: str) -> str:
    """Return the authorisation code in the redirected address ``answer``.

    Raises NeedsLogin without an address, after a refusal, or unless the address has the same ``state`` and a code.
    """
    again = f"bridge connect {source} --user NAME"
    if answer is None:
        raise NeedsLogin(say("no consent was given within three minutes; try again: {command}", command=again))
    query = _query(answer)
    if query.get("error"):
        raise NeedsLogin(say("the consent was refused; to try again: {command}", command=again))
    if not secrets.compare_digest(query.get("state", [""])[0].encode(), state.encode()) or "code" not in query:
        raise NeedsLogin(
            say(
                "that address belongs to another consent than the one just asked for; try again: {command}",
                command=again,
            )
        )
    return query["code"][0]


def _query(address: str) -> dict[str, list[str]]:
    try:
        return parse_qs(urlsplit(address).query)
    except ValueError:
        return {}


class Listener:
    """An HTTP server on 127.0.0.1 that waits for the redirect after a consent at ``source``.

    ``port`` 0 means any free port. Raises SetupError if the port is taken.
    """

    def __init__(self, source: str, port: int = 0) -> None:
        self.answer: str | None = None
        try:
            self._server = _server(self, port)
        except (OSError, OverflowError) as error:
            raise SetupError(
                f"port {port}, to which {source} redirects after the consent, is not free ({error}); wait until "
                "another consent is over, or register and set another redirect address"
            ) from None
        self.port: int = self._server.server_address[1]

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.server_close()

    def wait(self, seconds: float) -> str | None:
        """Wait for the redirect, and return its path and query, or None if none came within ``seconds``."""
        end = time.monotonic() + seconds
        while self.answer is None and (left := end - time.monotonic()) > 0:
            self._server.timeout = left
            self._server.handle_request()
        return self.answer


def _server(listener: Listener, port: int) -> Any:
    from http.server import BaseHTTPRequestHandler, HTTPServer

    class Handler(BaseHTTPRequestHandler):
        timeout = SILENT_CONNECTION_MAX_SECONDS  # one connection is served after the other

        def do_GET(self) -> None:
            query = parse_qs(urlsplit(self.path).query)
            expected = "state" in query and ("code" in query or "error" in query)
            if expected:
                listener.answer = self.path
            self.send_response(200 if expected else 404)
            self.send_header("Content-Type", "text/plain; charset=utf-8")
            self.end_headers()
            self.wfile.write(b"Done. You can close this page.\n" if expected else b"")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Log nothing, because the requested address holds the authorisation code."""

    return HTTPServer(("127.0.0.1", port), Handler)
