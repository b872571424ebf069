"""Record HTTP exchanges with a vendor through a proxy, without secrets, and answer requests from such a recording."""

from __future__ import annotations

import json
import re
import threading
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlencode

from bridge.recordings.redact import BASE, Redactor
from bridge.recordings.server import Answer, Request

SECRET_NAMES = re.compile(r"(?i)token|secret|authori[sz]|cookie|api.?key|password|signature")
CURSOR_NAMES = {
    "nextPageToken",
    "nextSyncToken",
    "next_token",
    "nextToken",
}  # not secret, and nothing works without them
PERSON_NAMES = re.compile(r"(?i)^(first|last|full|display|owner|user|given|family).?(full.?|display.?)?name$")
EMAIL_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
PUBLIC_ADDRESSES = (".calendar.google.com", "example.com")  # addresses that are nobody's
CONSENT_PATHS = re.compile(r"(?i)oauth|token")  # paths whose exchanges are never written down
KEPT_HEADERS = ("content-type", "etag", "retry-after", "x-ratelimit-reset")
HOP_HEADERS = {"host", "connection", "content-length", "accept-encoding", "transfer-encoding"}
STRIPPED_TEXT = "stripped"
VENDOR_TIMEOUT_SECONDS = 60  # seconds


@dataclass(slots=True)
class Cleaner:
    """A filter that replaces secrets, people's names and e-mail addresses in recorded data.

    The same e-mail address always gets the same replacement, such as ``person1@example.com``.
    """

    _stands_for: dict[str, str] = field(default_factory=dict)

    def asked(self, request: Request) -> str:
        """Return a request as text by ``request_key``, with names and addresses replaced."""
        return self.text(request_key(request))

    def headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """Return the headers unchanged, because the recorder keeps no personal headers."""
        return dict(headers)

    def body(self, content: str) -> Any:
        """Return an answer's body with private values replaced. A JSON body is parsed."""
        try:
            return self.value(json.loads(content))
        except ValueError:
            return self.text(content)

    def text(self, text: str) -> str:
        """Return a text with each e-mail address replaced, except public addresses such as those at ``example.com``."""
        return EMAIL_ADDRESS.sub(self._address, text)

    def value(self, value: Any) -> Any:
        """Return a cleaned copy of a JSON value, without secrets, e-mail addresses, and names in own fields."""
        if isinstance(value, Mapping):
            return {self.text(str(name)): self._field(str(name), inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.value(inner) for inner in value]
        return self.text(value) if isinstance(value, str) else value

    def _field(self, name: str, value: Any) -> Any:
        hidden = PERSON_NAMES.match(name) or (SECRET_NAMES.search(name) and name not in CURSOR_NAMES)
        return STRIPPED_TEXT if hidden and isinstance(value, str) else self.value(value)

    def _address(self, found: re.Match[str]) -> str:
        address = found.group()
        if address.endswith(PUBLIC_ADDRESSES):
            return address
        return self._stands_for.setdefault(address, f"person{len(self._stands_for) + 1}@example.com")


@dataclass(slots=True)
class Recorder:
    """A proxy between a connector and its vendor, which adds each request and its cleaned answer to ``exchanges``.

    Requests about the consent are passed on and not recorded. A silent vendor gives a 502.
    """

    vendor: str  # the base address
    cleaner: Cleaner | Redactor
    exchanges: list[dict[str, Any]] = field(default_factory=list)
    _writing: threading.Lock = field(default_factory=threading.Lock)

    def application(self, request: Request) -> Answer:
        import requests

        pairs = [(name, value) for name, values in request.repeated.items() for value in values]
        address = self.vendor.rstrip("/") + request.path + (f"?{urlencode(pairs)}" if pairs else "")
        headers = {name: value for name, value in request.headers.items() if name not in HOP_HEADERS}
        try:
            answer = requests.request(
                request.method, address, headers=headers, data=request.body, timeout=VENDOR_TIMEOUT_SECONDS
            )
        except requests.RequestException:
            return Answer(status=502, body={"error": "the vendor does not answer"})
        kept = {name: answer.headers[name] for name in KEPT_HEADERS if name in answer.headers}
        base = self.vendor.rstrip("/").encode()
        if not CONSENT_PATHS.search(request.path):
            self._write(request, answer.status_code, kept, answer.content.replace(base, BASE.encode()))
        content = answer.content.replace(base, _address(request).encode())  # links lead here as well
        return Answer(status=answer.status_code, body=content, headers=kept)

    def _write(self, request: Request, status: int, headers: Mapping[str, str], content: bytes) -> None:
        body = self.cleaner.body(content.decode("utf-8", errors="replace")) if content else None
        exchange = {"asked": self.cleaner.asked(request), "status": status, "body": body}
        with self._writing:
            self.exchanges.append(exchange | {"headers": self.cleaner.headers(headers)})


class Player:
    """A server application that answers from recorded ``exchanges``, in order. ``unknown`` lists other requests."""

    def __init__(self, exchanges: list[dict[str, Any]]) -> None:
        self._answers: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self.unknown: list[str] = []
        for exchange in exchanges:
            self._answers[exchange["asked"]].append(exchange)

    def application(self, request: Request) -> Answer:
        asked = request_key(request)
        answers = self._answers.get(asked)
        if not answers:
            self.unknown.append(asked.partition("?")[0])
            return Answer(status=404, body={"error": "not in the recording"})
        exchange = answers.pop(0) if len(answers) > 1 else answers[0]
        body = exchange["body"]
        text = "" if body is None else body if isinstance(body, str) else json.dumps(body)
        content = text.replace(BASE, _address(request)).encode()
        return Answer(status=exchange["status"], body=content, headers=exchange["headers"])


def _address(request: Request) -> str:
    return f"http://{request.headers.get('host', '')}"


def request_key(request: Request) -> str:
    """Return a request's method, path and query as one text, with escapes decoded and the query's fields sorted."""
    pairs = sorted((name, value) for name, values in request.repeated.items() for value in values)
    query = "&".join(f"{name}={value}" for name, value in pairs)
    return f"{request.method} {unquote(request.path)}" + (f"?{query}" if query else "")
