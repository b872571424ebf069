"""A browser in the role of a user who agrees to a consent."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import requests

from tests.world import World


class Visitor:
    """A browser that follows the address it is shown, and remembers its query."""

    def __init__(self) -> None:
        self.shown: dict[str, str] = {}
        self._thread: threading.Thread | None = None

    def open(self, url: str) -> None:
        self.shown = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        self._thread = threading.Thread(target=requests.get, args=(url,), kwargs={"timeout": 10})
        self._thread.start()

    def paste(self) -> str | None:
        return None

    def ask(self, question: str) -> str | None:
        raise AssertionError(question)

    def leave(self) -> None:
        if self._thread is not None:
            self._thread.join(10)


def consent(world: World, authorise: Callable[..., Any]) -> dict[str, str]:
    """Go through the consent, and return the query of the address that was shown."""
    visitor = Visitor()
    try:
        authorise(world.account, visitor)
    finally:
        visitor.leave()
    return visitor.shown
