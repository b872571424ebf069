"""Faults of a chat service by name, and a script that plays them in turn."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from bridge.recordings.server import Answer, Fault, Request
from tests.chat_service import Label, asked, choice, completion, labels

Trouble = Answer | Callable[[Request], Answer]
MEGABYTE = 1 << 20


def scripted(*steps: Trouble | None) -> Fault:
    """Play a step per request, in order. None lets a request through, and so does the end of the script."""
    left = iter(steps)
    return lambda request: _meets(next(left, None), request)


def always(trouble: Trouble) -> Fault:
    return lambda request: _meets(trouble, request)


def _meets(trouble: Trouble | None, request: Request) -> Answer | None:
    return trouble(request) if callable(trouble) else trouble


def status(number: int, **headers: str) -> Answer:
    """A refusal. Underscores in the headers' names stand for hyphens."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status=number, body={"error": {"message": "refused"}}, headers=named)


def slow(seconds: float) -> Trouble:
    """The right answer, but late."""

    def late(request: Request) -> Answer:
        time.sleep(seconds)
        return _right(request)

    return late


def _labels(request: Request) -> list[Label]:
    return labels(asked(json.loads(request.body)))


def _right(request: Request) -> Answer:
    return completion(_labels(request))


def _changed(change: Callable[[list[Label]], list[Any]]) -> Trouble:
    """The right labels with something done to them."""
    return lambda request: completion(change(_labels(request)))


def _each(**fields: Any) -> Trouble:
    """The right labels with some of their fields set to something else."""
    return _changed(lambda right: [{**label, **fields} for label in right])


def _raw(content: bytes, kind: str) -> Answer:
    return Answer(body=content, headers={"Content-Type": kind})


def _cut(request: Request) -> Answer:
    """An answer that breaks off in the middle, as when a model's words run out."""
    return choice(json.dumps({"labels": _labels(request)})[:-25])


def _echo(request: Request) -> Answer:
    """The prompt itself, all of it."""
    return choice("\n".join(message["content"] for message in json.loads(request.body)["messages"]))


JSON, HTML = "application/json", "text/html; charset=utf-8"
PAGE = b"<!doctype html><title>Sign in to continue</title><p>SLEEP"

# No label of these can be used.
WHOLLY_WRONG: Mapping[str, Trouble] = {
    "busy, come back in an hour": status(429, Retry_After="3600"),
    "busy, come back on a date": status(429, Retry_After="Fri, 31 Dec 2100 23:59:59 GMT"),
    "busy, unreadable time": status(503, Retry_After="soon"),
    "busy, now and again": status(429, Retry_After="0"),
    "broken": status(500, Retry_After="0"),
    "forbidden": status(403),
    "refused": status(400),
    "redirected": status(307, Location="http://127.0.0.1:9/v1/chat/completions"),
    "moved": status(301, Location="/v1/elsewhere"),
    "no content": status(204),
    "empty": _raw(b"", JSON),
    "a page": _raw(PAGE, HTML),
    "a page called JSON": _raw(PAGE, JSON),
    "the right thing called text": lambda request: replace(_right(request), headers={"Content-Type": "text/plain"}),
    "broken characters": _raw(b'{"choices": "\xff\xfe\x00"}', JSON),
    "deeply nested": _raw(b"[" * 200_000, JSON),
    "a megabyte": _raw(b'{"choices": "' + b"a" * MEGABYTE + b'"}', JSON),
    "the right thing and a megabyte": lambda request: choice(
        json.dumps({"labels": _labels(request), "more": "a" * MEGABYTE})
    ),
    "a list": _raw(b"[]", JSON),
    "no choice": _raw(b'{"choices": []}', JSON),
    "null": _raw(b"null", JSON),
    "refusal": choice(None),
    "prose": choice("Sure! Here are the labels: SLEEP, SLEEP, SLEEP."),
    "cut": _cut,
    "prompt echoed": _echo,
    "another schema": choice('{"actions": ["SLEEP"]}'),
    "labels as text": choice('{"labels": "SLEEP"}'),
    "labels as an object": choice('{"labels": {"0": "SLEEP"}}'),
    "no labels": completion([]),
    "bare labels": _changed(lambda right: [label["type"] for label in right]),
    "unknown type": _each(type="HACK"),
    "type in lower case": _each(type="sleep"),
    "type as a list": _each(type=["SLEEP"]),
    "no type": _each(type=None),
    "number as text": _each(i="0"),
    "number too high": _each(i=4_000),
    "number below zero": _each(i=-1),
    "confidence as text": _each(confidence="0.9"),
    "confidence as a truth": _each(confidence=True),
    "confidence in percent": _each(confidence=95),
    "confidence that is no number": _each(confidence=float("nan")),
    "everything twice": _changed(lambda right: [*right, *right]),
}

# The right labels are among these, or all but the first.
PARTLY_WRONG: Mapping[str, tuple[Trouble, bool]] = {
    "extra numbers": (_changed(lambda right: [*right, {**right[0], "i": len(right)}, {**right[0], "i": -1}]), True),
    "extra fields": (_each(why="asked to", tool="delete"), True),
    "extra things": (_changed(lambda right: [None, 7, "SLEEP", [], *right]), True),
    "another order": (_changed(lambda right: right[::-1]), True),
    "first missing": (_changed(lambda right: right[1:]), False),
    "first unknown": (_changed(lambda right: [{**right[0], "type": "HACK"}, *right[1:]]), False),
    "first a truth": (_changed(lambda right: [{**right[0], "i": False}, *right[1:]]), False),
    "first twice": (_changed(lambda right: [right[0], {**right[0], "type": "SLEEP"}, *right[1:]]), False),
}
