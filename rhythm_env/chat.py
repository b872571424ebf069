"""The HTTP client of a language-model service, with limits of time and size. Every failure raises a Fault."""

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
    """A failed request. The text names the kind of failure and never quotes the request or the answer.

    ``wait`` is the number of seconds before a retry, None if a retry is useless. ``stops`` is True if a request with
    other content would fail too.
    """

    def __init__(self, kind: str, *, wait: float | None = None, stops: bool = True) -> None:
        super().__init__(kind)
        self.wait = wait
        self.stops = stops


class Unusable(ValueError):
    """The error of a setting with which no service can be asked. The message says what ``name`` must be."""

    def __init__(self, name: str, wanted: str) -> None:
        super().__init__(f"llm needs {wanted} as its {name}")
        self.name = name


def address_in(settings: Mapping[str, str]) -> str:
    """Return ``settings["address"]`` without surrounding blanks.

    Raises Unusable unless it is an http or https address with a host and without query and fragment.
    """
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
    """Return ``settings["key"]`` without surrounding blanks, possibly empty.

    Raises Unusable for other characters than printable ASCII, which no HTTP header can hold.
    """
    text = settings["key"].strip()
    if not text.isascii() or (text and not text.isprintable()):
        raise Unusable("key", "one line of plain letters, digits and signs")
    return text


def number_in(settings: Mapping[str, str], name: str, least: float, most: float) -> float:
    """Return ``settings[name]`` as a number. Raises Unusable if it is none or not from ``least`` to ``most``."""
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
        """Send ``body`` and return the answer's body. Raises Fault for every failure, time-out included.

        The request runs in a thread, because the time-out of ``requests`` starts again with each read.
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
    """Return the seconds to wait before a retry, from 0 to a day, by the value of a ``Retry-After`` header.

    The value is seconds or a date. A missing value gives RETRY_PAUSE, an invalid value an hour.
    """
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
