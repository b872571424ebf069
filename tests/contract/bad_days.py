"""Bad days of vendors, as faults of a ``LabServer``. Token endpoints are left alone unless a fault says so."""

from __future__ import annotations

import gzip
import itertools
import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from bridge.recordings.server import Answer, Application, Fault, Request

PAGE = re.compile(
    r"start|offset|page|cursor|\$skiptoken|(next_?|page_?)(token|cursor|page)", re.IGNORECASE
)  # name of a page asked for
NEXT = re.compile("next|cursor", re.IGNORECASE)  # in the name of a page that follows
LINKS = frozenset({"@odata.nextLink", "@odata.deltaLink"})  # whole addresses, of Microsoft Graph
MAINTENANCE = b"<!doctype html><title>We'll be back soon</title><p>Scheduled maintenance</p>"


def from_the(nth: int, fault: Fault, *, times: int = 10_000) -> Fault:
    """The fault strikes from the ``nth`` request (1 is the first) that it is asked about, so many times."""
    asked = 0

    def strike(request: Request) -> Answer | None:
        nonlocal asked
        if is_token(request):
            return None
        asked += 1
        return fault(request) if nth <= asked < nth + times else None

    return strike


def is_token(request: Request) -> bool:
    """Say whether a request asks for a token, by its path or by what it posts."""
    return "token" in request.path or (request.method == "POST" and "grant_type" in request.form)


def always(answer: Answer) -> Fault:
    return lambda request: None if is_token(request) else answer


def too_many(reset: int) -> Fault:
    """Answer 429, with every header by which a vendor says when to come back. Google's reason is in the body."""
    headers = {"Retry-After": str(reset), "X-RateLimit-Reset": str(reset), "X-RateLimit-Remaining": "0"}
    body = {"error": {"code": 429, "errors": [{"reason": "rateLimitExceeded"}]}}
    return always(Answer(status=429, body=body, headers=headers))


def maintenance(status: int = 200) -> Fault:
    """A page for people where JSON was expected."""
    return always(Answer(status=status, body=MAINTENANCE, headers={"Content-Type": "text/html"}))


def silent(seconds: float) -> Fault:
    """Keep silent for some seconds, then answer when nothing waits for it any more."""

    def wait(request: Request) -> Answer | None:
        if not is_token(request):
            time.sleep(seconds)
        return None

    return wait


def dripping(application: Application, seconds: float) -> Fault:
    """Send the true answer a byte at a time, with some seconds between."""
    return lambda request: None if is_token(request) else replace(application(request), drip=seconds)


def bomb(unpacked: int) -> Fault:
    """A small answer that unpacks to so many bytes."""
    return always(Answer(body=_packed(unpacked), headers={"Content-Encoding": "gzip"}))


@lru_cache(maxsize=1)
def _packed(unpacked: int) -> bytes:
    """Return so many spaces, compressed. Compressing takes a second, so that the last answer is kept."""
    return gzip.compress(b" " * unpacked)


def endless(application: Application, token: Callable[[], str]) -> Fault:
    """Send the true answer with a next page, whatever page was asked for. Counted pages are full.

    Pages may also begin at an ``offset`` in a form, whose answers may have an envelope.
    """
    offsets = itertools.count(100, 100)

    def more(body: Any) -> Any:
        if isinstance(body, list):
            return (body * 100)[:100]
        if isinstance(body.get("body"), dict):
            return body | {"body": more(body["body"])}
        if "offset" in body:
            return body | {"more": True, "offset": next(offsets)}
        following = token()
        told = {name for name in body if NEXT.search(name) and name not in LINKS} | {"next_token", "nextPageToken"}
        return body | dict.fromkeys(told, following)

    def first_page(request: Request) -> Answer:
        known = {name: value for name, value in request.query.items() if not PAGE.fullmatch(name)}
        form = request.form if b"offset=" in request.body else {}
        body = urlencode(form | {"offset": "0"}).encode() if form else request.body
        answer = application(replace(request, query=known, body=body))
        return linked(request, known, answer)

    def linked(request: Request, known: dict[str, str], answer: Answer) -> Answer:
        """Return the answer with a link to a next page, if the vendor names pages by links."""
        if not isinstance(answer.body, dict) or not isinstance(answer.body.get("value"), list):
            return answer
        link = f"http://{request.headers['host']}{request.path}?{urlencode({**known, '$skiptoken': token()})}"
        kept = {name: value for name, value in answer.body.items() if name not in LINKS}
        return replace(answer, body=kept | {"@odata.nextLink": link})

    return rewritten(first_page, more)


def cut_off(application: Application) -> Fault:
    """The true answer, half of it."""
    return lambda request: None if is_token(request) else replace(application(request), cut=True)


def rewritten(application: Application, change: Callable[[Any], Any]) -> Fault:
    """The true answer with its JSON changed, as after a change of format."""

    def answer(request: Request) -> Answer | None:
        if is_token(request):
            return None
        true = application(request)
        content = true.encoded()
        if not content or not content.lstrip().startswith((b"{", b"[")):
            return None
        return replace(true, body=change(json.loads(content)))

    return answer


def renamed(value: Any) -> Any:
    """Return an object with all names spelled differently. Lists and values stay."""
    if isinstance(value, dict):
        return {f"new_{name}": renamed(inner) for name, inner in value.items()}
    return [renamed(inner) for inner in value] if isinstance(value, list) else value
