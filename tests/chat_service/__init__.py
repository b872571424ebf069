"""A service that speaks OpenAI's chat completions, with a model behind it that labels titles by a simple rule.

It answers ``POST /v1/chat/completions`` with structured output, asks for its key, and refuses what such services
refuse. What the model says of a title is ``says(title)``, so a test knows what has to come back. ``faults`` holds
what such a service does on bad days.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bridge.recordings.server import Answer, Request
from rhythm_env.interface import ActionType

MODEL = "lab-1"
KEY = "lab-key-7f3a"
NEEDED = {"model", "messages", "response_format"}
KNOWN = {*NEEDED, "temperature"}
FENCE = ("<titles>\n", "\n</titles>")
Label = dict[str, Any]


class Vendor:
    """A server of a single model. ``bodies`` are the requests as they came, ``titles`` the titles in them."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.titles: list[list[str]] = []

    def settings(self, url: str) -> dict[str, str]:
        """The classifier's settings for this server."""
        return {"address": f"{url}/v1", "model": MODEL, "key": KEY}

    def application(self, request: Request) -> Answer:
        if (request.method, request.path) != ("POST", "/v1/chat/completions"):
            return _refusal(404, "no such path")
        if request.headers.get("authorization") != f"Bearer {KEY}":
            return _refusal(401, "Incorrect API key provided")
        try:
            body = json.loads(request.body)
            wrong = _wrong(body)
        except ValueError:
            wrong = "the body is no JSON"
        if wrong:
            return _refusal(400, wrong)
        rows = asked(body)
        self.bodies.append(request.body)
        self.titles.append([row["t"] for row in rows])
        return completion(labels(rows))


def _wrong(body: Mapping[str, Any]) -> str | None:
    """Return the fault for which such a service would refuse a request, or None."""
    if not NEEDED <= set(body) <= KNOWN:
        return f"unknown or missing parameters: {', '.join(sorted(set(body) ^ NEEDED))}"
    if body["model"] != MODEL:
        return "the model does not exist"
    if [message.get("role") for message in body["messages"]] != ["system", "user"]:
        return "messages must be a system's and a user's"
    wanted = body["response_format"]
    strict = wanted.get("type") == "json_schema" and wanted["json_schema"].get("strict") is True
    label = wanted["json_schema"]["schema"]["properties"]["labels"]["items"] if strict else {}
    types = label.get("properties", {}).get("type", {}).get("enum")
    return None if types == [str(action) for action in ActionType] else "the schema does not name the ten types"


def _refusal(status: int, message: str) -> Answer:
    return Answer(status=status, body={"error": {"message": message, "type": "invalid_request_error", "code": None}})


def asked(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the numbered titles of a request, read as JSON from between the fences, as a model would see them."""
    text = body["messages"][1]["content"]
    start, end = text.index(FENCE[0]) + len(FENCE[0]), text.index(FENCE[1])
    rows: list[dict[str, Any]] = json.loads(text[start:end])
    return rows


def says(title: str) -> tuple[ActionType, float]:
    """Return the model's opinion of a title, an action by the sum of its bytes with a confidence from 0.5 to 1."""
    number = sum(title.casefold().encode())
    return tuple(ActionType)[number % 10], 0.5 + number % 6 / 10


def labels(rows: Sequence[Mapping[str, Any]]) -> list[Label]:
    """A label for each numbered title, in the form that was asked for."""
    found = ((row["i"], *says(row["t"])) for row in rows)
    return [{"i": i, "type": str(action), "confidence": confidence} for i, action, confidence in found]


def completion(said: Sequence[Any]) -> Answer:
    """An answer whose only choice holds labels."""
    return choice(json.dumps({"labels": said}))


def choice(content: str | None) -> Answer:
    """An answer whose only choice holds this text."""
    message = {"role": "assistant", "content": content, "refusal": None}
    return Answer(
        body={
            "id": "chatcmpl-lab",
            "object": "chat.completion",
            "created": 1_795_000_000,
            "model": MODEL,
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 900, "completion_tokens": 400, "total_tokens": 1300},
        }
    )
