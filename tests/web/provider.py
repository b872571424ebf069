"""A real OpenID Connect provider on loopback, whose answers a test may alter on their way."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qs, urlsplit
from wsgiref.types import StartResponse, WSGIEnvironment

import requests
from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey

Claims = dict[str, Any]
CLIENT = "rhythm-bridge"


@cache
def signing_key() -> RSAKey:
    """Return the key of ``Way.resign``."""
    return RSAKey.generate_key(2048, {"kid": "test", "use": "sig", "alg": "RS256"})


@cache
def _own_key() -> Any:
    from authlib.jose import RSAKey

    return RSAKey.generate_key(is_private=True)


@dataclass(kw_only=True)
class Way:
    """The way between provider and page: it notes what is sent, and may put other words into the provider's mouth."""

    app: Any
    asked: list[tuple[str, dict[str, str], str]] = field(default_factory=list)  # path, form, authorization
    altered: dict[str, Callable[[Claims], Claims]] = field(default_factory=dict)  # by path

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Any:
        path = environ["PATH_INFO"]
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        form = {name: values[0] for name, values in parse_qs(body.decode()).items()}
        self.asked.append((path, form, environ.get("HTTP_AUTHORIZATION", "")))
        environ["wsgi.input"] = _Bytes(body)
        if path not in self.altered:
            return self.app(environ, start)
        told: dict[str, Any] = {}
        parts = self.app(environ, lambda status, headers, *_: told.update(status=status, headers=headers))
        answer = json.dumps(self.altered[path](json.loads(b"".join(parts)))).encode()
        start(told["status"], [("Content-Type", "application/json"), ("Content-Length", str(len(answer)))])
        return [answer]

    def resign(self, change: Callable[[Claims], Claims], **header: Any) -> None:
        """Sign every ID token anew, by a key that the provider seems to publish, after changing its claims."""
        keys = KeySet([signing_key()])
        self.altered["/jwks"] = lambda _: keys.as_dict(private=False)
        self.altered["/oauth2/token"] = lambda told: told | {"id_token": self._signed(told["id_token"], change, header)}

    def _signed(self, token: str, change: Callable[[Claims], Claims], header: dict[str, Any]) -> str:
        claims = change(_claims(token))
        return jwt.encode({"alg": "RS256", "kid": "test"} | header, claims, signing_key())


class _Bytes:
    def __init__(self, content: bytes) -> None:
        self._content = content

    def read(self, size: int = -1) -> bytes:
        taken, self._content = (self._content, b"") if size < 0 else (self._content[:size], self._content[size:])
        return taken

    def readline(self, *_: int) -> bytes:
        return self.read()


def _claims(token: str) -> Claims:
    middle = token.split(".")[1]
    found: Claims = json.loads(urlsafe_b64decode(middle + "=" * (-len(middle) % 4)))
    return found


@dataclass(kw_only=True)
class Running:
    """A provider that listens."""

    url: str
    way: Way

    def consent(self, address: str, subject: str) -> str:
        """Log in at the provider as its page would. Returns the address to which it sends the browser back."""
        answer = requests.post(address, data={"sub": subject}, allow_redirects=False, timeout=10)
        assert answer.status_code == 302, answer.text
        back = urlsplit(answer.headers["Location"])
        return f"{back.path}?{back.query}"


@contextmanager
def provider(**options: Any) -> Iterator[Running]:
    from oidc_provider_mock._app import app
    from oidc_provider_mock._server import _threaded_server

    with patch("oidc_provider_mock._storage.jose.RSAKey.generate_key", return_value=_own_key()):  # which takes a while
        made = app(**options)
    made.debug = False
    way = Way(app=made)
    with _threaded_server(app=way, host="127.0.0.1", poll_interval=0.01) as server:
        yield Running(url=f"http://127.0.0.1:{server.server_port}", way=way)
