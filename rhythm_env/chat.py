"""The HTTP client of a language-model service, bounded in time and size. Every failure is a Fault."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import Future
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite, nan
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import requests
ANSWER_MAX_BYTES = 256 * 1024  # limit of an answer in bytes, while a normal answer takes some thousand
PIECE = 256  # bytes per read, so that a slow sender is noticed
RETRY_PAUSE = 0.5  # seconds before a retry if the service names no time
HOUR, DAY = 3600.0, 86400.0
ABOUT_WHAT_WAS_ASKED = (400, 413, 422)  # statuses that concern only this request


class Fault(Exception):
    """A failed request. The text names the kind of failure, and never holds the request or the answer.

    ``wait`` is seconds before a retry, None if useless. ``stops``: other content would fail too.
    """

    def __init__(self, kind: str, *, wait: float | None = None, stops: bool = True) -> None:
        super().__init__(kind)
        self.wait = wait
        self.stops = stops


class Unusable(ValueError):
    """A setting with which a service cannot be asked. ``name`` is the setting's, and the text says what it must be."""

    def __init__(self, name: str, wanted: str) -> None:
        super().__init__(f"llm needs {wanted} as its {name}")
        self.name = name


def address_in(settings: Mapping[str, str]) -> str:
    """Return the http or https address of a service, without a query and a fragment. Raises Unusable otherwise."""
    text = settings["address"].strip()
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and parts.hostname and not parts.query and not parts.fragment
    except ValueError:
        usable = False
    if not usable:
        raise Unusable("address", "an address like http://localhost:11434/v1")
    return text


def key_in(settings: Mapping[str, str]) -> str:
    """Return a key that a header can hold, or an empty text. Raises Unusable otherwise."""
    text = settings["key"].strip()
    if not text.isascii() or (text and not text.isprintable()):
        raise Unusable("key", "one line of plain letters, digits and signs")
    return text


def number_in(settings: Mapping[str, str], name: str, least: float, most: float) -> float:
    """Return the number of a setting. Raises Unusable unless it lies from ``least`` to ``most``."""
    try:
        value = float(settings[name])
    except ValueError:
        value = nan
    if not least <= value <= most:
        raise Unusable(name, f"a number from {least} to {most}")
    return value


class Service:
    """A client of ``POST {address}/chat/completions``. It follows no redirects and ignores ``~/.netrc``.

    ``timeout`` is the limit in seconds of a whole request. With an empty ``key`` no key is sent.
    """

    def __init__(self, address: str, key: str, *, timeout: float) -> None:
        self._url = f"{address.rstrip('/')}/chat/completions"
        self._key = key
        self._timeout = timeout

    def post(self, body: bytes) -> bytes:
        """Send ``body`` and return the answer's body, within the time limit. Raises Fault and no other error.

        It runs in a thread, because the time-out of ``requests`` starts again with each read.
        """
        answered: Future[bytes] = Future()
        threading.Thread(target=self._settle, args=(body, answered), daemon=True).start()
        try:
            return answered.result(self._timeout)
        except TimeoutError:
            raise Fault("the language model did not answer in time") from None

    def _settle(self, body: bytes, answered: Future[bytes]) -> None:
        try:
            answered.set_result(self._ask(body))
        except Fault as fault:
            answered.set_exception(fault)
        except Exception as error:  # noqa: BLE001 - any error while reading an untrusted answer is a Fault
            answered.set_exception(_unreachable(error))

    def _ask(self, body: bytes) -> bytes:
        import requests

        until = monotonic() + self._timeout
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
        with requests.post(
            self._url,
            data=body,
            headers=headers,
            auth=self._signed,
            timeout=self._timeout,
            allow_redirects=False,
            stream=True,
        ) as answer:
            _check(answer)
            return _read(answer, until)

    def _signed(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._key:
            request.headers["Authorization"] = f"Bearer {self._key}"
        return request


def _check(answer: requests.Response) -> None:
    status = answer.status_code
    if status == 429 or status >= 500:
        raise Fault(f"HTTP {status}", wait=wait(answer.headers.get("Retry-After"), now=datetime.now(UTC)))
    if status != 200:
        raise Fault(f"HTTP {status}", stops=status not in ABOUT_WHAT_WAS_ASKED)
    if answer.headers.get("Content-Type", "").partition(";")[0].strip().lower() != "application/json":
        raise Fault("the language model's answer is no JSON", wait=0)


def _read(answer: requests.Response, until: float) -> bytes:
    read = bytearray()
    for piece in answer.iter_content(PIECE):
        read += piece
        if len(read) > ANSWER_MAX_BYTES:
            raise Fault("the language model's answer is too long", wait=0, stops=False)
        if monotonic() > until:
            raise Fault("the language model did not answer in time")
    return bytes(read)


def _unreachable(error: Exception) -> Fault:
    from requests.exceptions import ChunkedEncodingError, ContentDecodingError, Timeout

    if isinstance(error, Timeout):
        return Fault("no answer from the language model in time")
    if isinstance(error, ChunkedEncodingError | ContentDecodingError):
        return Fault("an answer that breaks off", wait=0)
    return Fault(f"no answer ({type(error).__name__})")


def wait(said: str | None, *, now: datetime) -> float:
    """Return the seconds to wait by a ``Retry-After`` header (seconds, a date or None), limited to a day."""
    if said is None:
        return RETRY_PAUSE
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(said).astimezone(UTC) - now).total_seconds()
        except (ValueError, OverflowError):
            return HOUR
    return min(max(seconds, 0.0), DAY) if isfinite(seconds) else HOUR
