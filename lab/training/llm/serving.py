"""A small server of a model and its adapters by OpenAI's chat completions API, on loopback.

It is meant for trials and for a household. For more people vLLM or llama.cpp can serve the same folders. It answers a
request at a time, and stores and logs none.
"""

from __future__ import annotations

import json
import re
import threading
from contextlib import nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import torch

from lab.training.llm import evaluate, model
from lab.training.llm.evaluate import Text

LARGEST = 1 << 20  # bytes of a question
MOST = 4096  # tokens of an answer
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}")


class Refused(Exception):
    """The error of a request that is refused with an HTTP status and a reason."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class Asked(NamedTuple):
    """The settings of a request. ``room`` is the largest length of its answer in tokens."""

    name: str
    messages: list[dict[str, str]]
    room: int
    temperature: float


class Served:
    """A model with its adapters. An adapter is loaded at its first request, and unloaded when its folder is deleted."""

    def __init__(self, folder: Path, name: str, adapters: Path | None) -> None:
        self.name, self._adapters, self._lock = name, adapters, threading.Lock()
        self._room = model.facts_of(folder).room
        self._model, self._tokenizer = model.opened(folder)
        self._known: dict[str, tuple[int, int]] = {}

    def models(self) -> list[str]:
        return [self.name, *sorted(self._there())]

    def _there(self) -> dict[str, tuple[int, int]]:
        """Return adapters on disk (name -> inode and time of change), because a new file may have an old name."""
        paths = self._adapters.glob("*/adapter_config.json") if self._adapters else ()
        found = ((path.parent.name, path.stat()) for path in paths)
        return {name: (file.st_ino, file.st_mtime_ns) for name, file in found}

    def answer(self, body: Any) -> dict[str, Any]:
        """Return a chat completion for the JSON body of a request. Raises Refused for one that is not valid."""
        asked = self._asked(body)
        with self._lock:
            with self._chosen(asked.name):
                (text,) = evaluate.write(
                    self._model, self._tokenizer, [asked.messages], asked.room, temperature=asked.temperature
                )
            prompt = self._tokenizer.apply_chat_template(asked.messages, add_generation_prompt=True, return_dict=True)
        return completion(asked.name, text, len(prompt["input_ids"]))

    def _asked(self, body: Any) -> Asked:
        try:
            messages = [{"role": str(one["role"]), "content": str(one["content"])} for one in body["messages"]]
            room = int(body.get("max_tokens") or body.get("max_completion_tokens") or self._room)
            temperature = float(body.get("temperature") or 0.0)
            name = str(body["model"])
        except (KeyError, TypeError, ValueError, AttributeError):
            raise Refused(400, "a question needs a model and messages") from None
        if not messages or not 0 < room <= MOST or not 0 <= temperature <= 2:
            raise Refused(400, f"it takes a message, 1 to {MOST} tokens and a temperature from 0 to 2")
        if not NAME.fullmatch(name) or name not in self.models():
            raise Refused(404, "there is no such model")
        return Asked(name, messages, room, temperature)

    def _chosen(self, name: str) -> Any:
        """Return a context manager in which the adapter called ``name`` is active, or none for the model's own name."""
        self._let_go()
        if name == self.name:
            return self._model.disable_adapter() if self._known else nullcontext()
        if name not in self._known:
            self._load(name)
        self._model.set_adapter(name)
        return nullcontext()

    def _let_go(self) -> None:
        there = self._there()
        if any(there.get(name) != file for name, file in self._known.items()):
            self._model, self._known = self._model.unload(), {}

    def _load(self, name: str) -> None:
        from peft import PeftModel

        file = self._there()[name]
        place = str(Path(self._adapters or "") / name)
        if self._known:
            self._model.load_adapter(place, adapter_name=name)
        else:
            self._model = PeftModel.from_pretrained(self._model, place, adapter_name=name)
        self._known[name] = file


def completion(name: str, text: Text, prompt: int) -> dict[str, Any]:
    message = {"role": "assistant", "content": text.text}
    return {
        "id": "chatcmpl-local",
        "object": "chat.completion",
        "created": 0,
        "model": name,
        "choices": [{"index": 0, "message": message, "finish_reason": "length" if text.cut else "stop"}],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": text.tokens,
            "total_tokens": prompt + text.tokens,
        },
    }


def server(served: Served, port: int, threads: int) -> ThreadingHTTPServer:
    """Return the server, which does not answer yet. It listens on loopback only, and port 0 takes any free port."""
    torch.set_num_threads(threads)
    made = ThreadingHTTPServer(("127.0.0.1", port), type("Own", (Handler,), {"served": served}))
    made.daemon_threads = True
    return made


class Handler(BaseHTTPRequestHandler):
    """A handler of requests to the two paths of the API. All others are refused."""

    served: Served
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    timeout = 60

    def do_GET(self) -> None:
        if self.path != "/v1/models":
            self._send(404, _wrong("no such path"))
            return
        models = [{"id": one, "object": "model"} for one in self.served.models()]
        self._send(200, {"object": "list", "data": models})

    def do_POST(self) -> None:
        try:
            self._send(200, self.served.answer(self._body()))
        except Refused as refused:
            self.close_connection = True
            self._send(refused.status, _wrong(str(refused)))

    def _body(self) -> Any:
        if self.path != "/v1/chat/completions":
            raise Refused(404, "no such path")
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > LARGEST:
            raise Refused(413, "the question is too long")
        try:
            return json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise Refused(400, "the question is not JSON") from None

    def _send(self, status: int, body: dict[str, Any]) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the standard library's name
        """Log nothing, because requests are about a person."""


def _wrong(why: str) -> dict[str, Any]:
    return {"error": {"message": why, "type": "invalid_request_error", "code": None}}
