"""Allow token requests over https or to this machine alone, and unpack answers that state a status of their own."""

from __future__ import annotations

import io
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from bridge.auth.redirect_listener import LOOPBACK_HOSTS
from bridge.domain.errors import SetupError
from bridge.domain.ports import Envelope

if TYPE_CHECKING:
    import requests

PLAIN_TRANSPORT_VARIABLE = "OAUTHLIB_INSECURE_TRANSPORT"
_SETTING = threading.Lock()
_before: list[str | None] = []  # the variable's former value, once for each thread that needs it now


def unwrapped(answer: requests.Response, envelope: Envelope | None) -> requests.Response:
    """Return an answer whose body states a status as an answer with that HTTP status and the enclosed body.

    ``envelope`` names the fields. Without an envelope or a stated status, or if the HTTP status is not 200, the answer
    is unchanged.
    """
    if envelope is None or answer.status_code != 200:
        return answer
    try:
        told = json.loads(answer.content)
        status = told.get(envelope.status) if isinstance(told, dict) else None
        if not isinstance(status, int) or isinstance(status, bool):
            return answer
        if status == 0:
            return _rebuilt(answer, 200, told.get(envelope.body))
        refusal = {"error": str(told.get("error") or status)}
    except (ValueError, RecursionError):  # no JSON, or too deep: the reader of the answer says so
        return answer
    return _rebuilt(answer, envelope.meanings.get(status, 400), refusal)


def _rebuilt(answer: requests.Response, status: int, body: Any) -> requests.Response:
    import requests

    found = requests.Response()
    found.status_code, found.headers, found.url, found.request = status, answer.headers, answer.url, answer.request
    found.encoding, found.raw = "utf-8", io.BytesIO(json.dumps(body).encode())
    return found


def plain_loopback(url: str) -> bool:
    """Return True for an http:// address of this machine, and False for https:// anywhere.

    Raises SetupError for any other address, where a token could be read on its way.
    """
    parts = urlsplit(url)
    if parts.scheme != "https" and parts.hostname not in LOOPBACK_HOSTS:
        raise SetupError(
            "tokens are sent only to https:// addresses; correct the address that is set for the source or login "
            "provider, then: bridge doctor"
        )
    return parts.scheme != "https"


@contextmanager
def plain_loopback_allowed(url: str) -> Iterator[None]:
    """Let oauthlib send tokens to ``url`` as long as the block runs, even if it is http:// on this machine.

    Only tests and demos need this. Raises SetupError for http:// elsewhere.
    """
    if not plain_loopback(url):
        yield
        return
    with _SETTING:
        _before.append(_before[0] if _before else os.environ.get(PLAIN_TRANSPORT_VARIABLE))
        os.environ[PLAIN_TRANSPORT_VARIABLE] = "1"
    try:
        yield
    finally:
        with _SETTING:
            before = _before.pop()
            if not _before:
                os.environ.pop(PLAIN_TRANSPORT_VARIABLE)
                os.environ.update({} if before is None else {PLAIN_TRANSPORT_VARIABLE: before})
