"""The service that runs a model: one question over HTTP, answered in time and in measure, or a Fault."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from time import monotonic
from typing import TYPE_CHECKING

from rhythm_env.chat.fault import Fault

if TYPE_CHECKING:
    import requests

LARGEST = 256 * 1024  # bytes of an answer that are read; the longest that is wanted takes some thousand
PIECE = 256  # bytes read at a time, so that one who sends byte by byte is noticed
PAUSE = 0.5  # seconds before a busy service that names no time is asked again
HOUR, DAY = 3600.0, 86400.0
ABOUT_WHAT_WAS_ASKED = (400, 413, 422)  # refusals that another question need not meet


class Service:
    """Speaks ``POST {address}/chat/completions``. Redirects are not followed, and proxies' passwords not looked up."""

    def __init__(self, address: str, key: str, *, timeout: float) -> None:
        self._url = f"{address.rstrip('/')}/chat/completions"
        self._key = key
        self._timeout = timeout

    def post(self, body: bytes) -> bytes:
        """The answer to ``body``, within the time-out in all. Raises Fault and nothing else.

        A time-out of ``requests`` holds for each read alone: who sends a byte now and then would keep us for ever.
        So the wait happens in a thread, which is left to itself when the time is up.
        """
        answered: Future[bytes] = Future()
        threading.Thread(target=self._settle, args=(body, answered), daemon=True).start()
        try:
            return answered.result(self._timeout)
        except TimeoutError:
            raise Fault("no answer in time") from None

    def _settle(self, body: bytes, answered: Future[bytes]) -> None:
        try:
            answered.set_result(self._ask(body))
        except Fault as fault:
            answered.set_exception(fault)
        except Exception as error:  # noqa: BLE001 - whatever a stranger's answer sets off, one can do without it
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
        """Our key or none: without this ``requests`` would send what ``~/.netrc`` holds for the host."""
        if self._key:
            request.headers["Authorization"] = f"Bearer {self._key}"
        return request


def _check(answer: requests.Response) -> None:
    """Raises Fault for everything but a JSON document."""
    status = answer.status_code
    if status == 429 or status >= 500:
        raise Fault(f"HTTP {status}", wait=wait(answer.headers.get("Retry-After"), now=datetime.now(UTC)))
    if status != 200:
        raise Fault(f"HTTP {status}", stops=status not in ABOUT_WHAT_WAS_ASKED)
    if answer.headers.get("Content-Type", "").partition(";")[0].strip().lower() != "application/json":
        raise Fault("an answer that is no JSON", wait=0)


def _read(answer: requests.Response, until: float) -> bytes:
    read = bytearray()
    for piece in answer.iter_content(PIECE):
        read += piece
        if len(read) > LARGEST:
            raise Fault("an answer that is too long", wait=0, stops=False)
        if monotonic() > until:
            raise Fault("no answer in time")
    return bytes(read)


def _unreachable(error: Exception) -> Fault:
    """A connection that fails is not tried again, one that breaks while it answers is."""
    from requests.exceptions import ChunkedEncodingError, ContentDecodingError, Timeout

    if isinstance(error, Timeout):
        return Fault("no answer in time")
    if isinstance(error, ChunkedEncodingError | ContentDecodingError):
        return Fault("an answer that breaks off", wait=0)
    return Fault(f"no answer ({type(error).__name__})")


def wait(said: str | None, *, now: datetime) -> float:
    """Seconds a ``Retry-After`` asks us to wait (a number or a date), at most a day; an hour if it cannot be read."""
    if said is None:
        return PAUSE
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(said).astimezone(UTC) - now).total_seconds()
        except (ValueError, OverflowError):
            return HOUR
    return min(max(seconds, 0.0), DAY) if isfinite(seconds) else HOUR
