"""Debian's mosquitto on a free port of this machine, and a listener that keeps what passes there."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

MOSQUITTO = shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin:/opt/homebrew/sbin")
PATIENCE_SECONDS = 30.0  # a busy machine, and waits between connections that double


def until(what: Callable[[], Any], *, seconds: float = PATIENCE_SECONDS) -> Any:
    """Return the first true result of ``what``. Fails after some seconds."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := what():
            return found
        time.sleep(0.02)
    raise AssertionError("it did not come true in time")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def mosquitto(folder: Path, port: int, *lines: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a broker on a port until the end of the block. ``lines`` are added to its configuration."""
    if MOSQUITTO is None:
        pytest.skip("mosquitto is not installed; Debian's package of that name has it")
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    written = folder / f"mosquitto-{port}.conf"
    usual = () if any(line.startswith("allow_anonymous") for line in lines) else ("allow_anonymous true",)
    written.write_text(
        "\n".join([f"listener {port} 127.0.0.1", "user root", "persistence false", *usual, *lines]) + "\n"
    )
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen([MOSQUITTO, "-c", str(written)], stdout=log, stderr=log)
    try:
        until(lambda: process.poll() is not None or _answers(port))
        assert process.poll() is None, (folder / "log").read_text()
        yield process
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)


def _answers(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


@dataclass
class Listener:
    """A client that keeps every message."""

    port: int
    told: list[tuple[str, str]] = field(default_factory=list)  # topic and text of every message
    heard: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        from paho.mqtt.client import Client
        from paho.mqtt.enums import CallbackAPIVersion

        self.client = Client(CallbackAPIVersion.VERSION2)
        self.client.on_message = self._received
        self.client.on_connect = lambda client, *_: client.subscribe("#", qos=1)
        self.client.on_subscribe = lambda *_: self.heard.set()
        self.client.connect("127.0.0.1", self.port)
        self.client.loop_start()
        assert self.heard.wait(PATIENCE_SECONDS)

    def _received(self, _client: Any, _data: Any, message: Any) -> None:
        text = message.payload.decode()
        self.told.append((message.topic, text))

    def say(self, topic: str, text: str, *, retain: bool = False) -> None:
        self.client.publish(topic, text, qos=1, retain=retain).wait_for_publish(PATIENCE_SECONDS)

    def last(self, topic: str) -> str | None:
        """The last message of a topic, which tests ask of topics whose messages are retained."""
        return next((text for name, text in reversed(self.told) if name == topic), None)

    def all_of(self, end: str) -> list[str]:
        return [text for name, text in self.told if name.endswith(end)]

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


@contextmanager
def listening(port: int) -> Iterator[Listener]:
    found = Listener(port)
    try:
        yield found
    finally:
        found.close()


def retained(port: int) -> dict[str, str]:
    """Return what the broker retains, as somebody who comes now is told."""
    with listening(port) as ear:
        ear.say("marker/now", "x")
        until(lambda: ear.last("marker/now"))
        return {topic: text for topic, text in ear.told if not topic.startswith("marker")}
