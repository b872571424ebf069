"""Record HTTP exchanges with a vendor, remove personal data, and answer from such a recording."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode

from bridge.domain import sports
from bridge.domain.shareable import Shareable
from bridge.recordings.server import Answer, Request
from bridge.recordings.shift import Shift

REDACTED = "redacted"
BASE = "{base_url}"  # stands for the vendor's address
MEASURE = re.compile(r"-?\d{1,8}(\.\d{1,20})?s?|PT?[\dTDHMS.]{2,12}")
LARGEST = 10**8  # of a measurement: milliseconds of a day are less, numbers of telephones and accounts more
PLAIN_NUMBER = re.compile(r"\d{1,5}")
KEPT_TYPES = ("application/json", "text/plain", "text/html")
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
class Redactor:
    """A filter that removes personal data from a source's exchanges. ``replaced`` counts replacements by field."""

    allowed: Shareable
    shift: Shift
    replaced: Counter[str] = field(default_factory=Counter)
    kept: int = 0
    _names: dict[str, int] = field(default_factory=dict)
    _unknown: dict[str, int] = field(default_factory=dict)
    _kinds: dict[str, list[str]] = field(init=False)

    def __post_init__(self) -> None:
        self._kinds = self.allowed.kinds()

    def asked(self, request: Request) -> str:
        """Return a request as text in the form of ``request_key``, redacted."""
        pairs = [(name, value) for name, values in request.repeated.items() for value in values]
        query = "&".join(f"{name}={value}" for name, value in sorted(self._query(pairs)))
        return f"{request.method} {self._path(request.path)}" + (f"?{query}" if query else "")

    def headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """Return only the type of content, and headers that are numbers, as of a rate limit."""
        told = {name: value for name, value in headers.items() if PLAIN_NUMBER.fullmatch(value)}
        kinds = [kind for kind in KEPT_TYPES if headers.get("content-type", "").startswith(kind)]
        return told | ({"content-type": f"{kinds[0]}; charset=utf-8"} if kinds else {})

    def body(self, content: str) -> Any:
        """Return an answer's body, redacted. A body that is not JSON is replaced as a whole."""
        try:
            return self._value(json.loads(content), "", "", hidden=False)
        except ValueError:
            return REDACTED

    def _value(self, value: Any, name: str, path: str, *, hidden: bool) -> Any:
        if isinstance(value, Mapping):
            day = None if hidden or "walls" not in self._kinds.get(name, ()) else self.shift.civil(value)
            if day is not None:
                return day
            hidden = hidden or (name not in self.allowed.parts.split() and name != "")
            return {self._key(key): self._field(key, inner, path, hidden=hidden) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._value(inner, name, f"{path}[]", hidden=hidden) for inner in value]
        return self._leaf(value, name, path, hidden=hidden)

    def _key(self, key: str) -> str:
        """Return a known field's name unchanged. An unknown name becomes a number, because it may be private itself."""
        if key in self._kinds:
            return key
        return f"unknown{self._unknown.setdefault(key, len(self._unknown) + 1)}"

    def _field(self, key: str, value: Any, path: str, *, hidden: bool) -> Any:
        return self._value(value, key, f"{path}.{key}".removeprefix("."), hidden=hidden or key not in self._kinds)

    def _leaf(self, value: Any, name: str, path: str, *, hidden: bool) -> Any:
        if value is None or value == "":
            return value
        for kind in () if hidden else self._kinds.get(name, ()):
            taken = self._taken(kind, name, value)
            if taken is not None:
                self.kept += 1
                return taken
        self.replaced[path] += 1
        return REDACTED if isinstance(value, str) else type(value)()

    def _taken(self, kind: str, name: str, value: Any) -> Any:
        if kind == "words":
            return value if isinstance(value, str) and value in self.allowed.words[name].split() else None
        if kind == "names":
            return None if isinstance(value, bool | float) else self._named(value)
        if kind == "links":
            return self._link(value)
        return (PLAIN | self._shifted)[kind](value)

    @property
    def _shifted(self) -> dict[str, Callable[[Any], Any]]:
        shift = self.shift
        return {
            "instants": shift.instant,
            "walls": shift.wall,
            "offsets": shift.offset,
            "zones": shift.zone,
            "rules": shift.rule,
        }

    def _named(self, value: str | int) -> str | int:
        """Return the replacement of an identifier, of digits for digits and an e-mail address for an address."""
        number = self._names.setdefault(str(value), len(self._names) + 1)
        if isinstance(value, int):
            return number
        if value.isdecimal():
            return str(number)
        ending = next((one for one in self.allowed.endings.split() if value.endswith(one)), "")
        return f"id{number}" + (ending or "@example.com" * ("@" in value))

    def _path(self, path: str) -> str:
        return "/".join(self._segment(unquote(part)) for part in path.split("/"))

    def _segment(self, part: str) -> str:
        if not part or part in self.allowed.path.split():
            return part
        return str(self.shift.wall(part) or self._named(part))

    def _query(self, pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
        constants = self.allowed.asks.split()
        return [
            (
                name,
                self.shift.walls_in(value) if name in constants else str(self.shift.wall(value) or self._named(value)),
            )
            for name, value in pairs
        ]

    def _link(self, value: Any) -> str | None:
        """Return a redacted link to the vendor that works in a replay, or None for any other value."""
        if not isinstance(value, str) or not value.startswith(f"{BASE}/"):
            return None
        path, _, query = value.removeprefix(BASE).partition("?")
        pairs = self._query(parse_qsl(query, keep_blank_values=True))
        return BASE + quote(self._path(path), safe="/:@=") + (f"?{urlencode(pairs)}" if pairs else "")


def _measure(value: Any) -> Any:
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        return value if MEASURE.fullmatch(value) else None
    return value if abs(value) < LARGEST else None


PLAIN: dict[str, Callable[[Any], Any]] = {
    "measures": _measure,
    "flags": lambda value: value if isinstance(value, bool) else None,
    "sports": lambda value: value if isinstance(value, str) and sports.is_known(value) else None,
}


@dataclass(slots=True)
class Cleaner:
    """A filter that replaces secrets, people's names and e-mail addresses in recorded data.

    The same e-mail address always gets the same replacement, such as ``person1@example.com``.
    """

    _stands_for: dict[str, str] = field(default_factory=dict)

    def asked(self, request: Request) -> str:
        return self.text(request_key(request))

    def headers(self, headers: Mapping[str, str]) -> dict[str, str]:
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
        """Return a copy of a JSON value without secrets, e-mail addresses and names in fields of their own."""
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

    Requests about the consent are passed on but not recorded. If the vendor does not answer, it answers 502.
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
    """A server application that answers from recorded ``exchanges``, in order. Other requests go to ``unknown``."""

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
