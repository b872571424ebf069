"""The failure of a request to a language-model service."""

from __future__ import annotations


class Fault(Exception):
    """A failed request. The text names the kind of failure, and never holds the request or the answer.

    ``wait`` is seconds before a retry, None if useless. ``stops``: other content would fail too.
    """

    def __init__(self, kind: str, *, wait: float | None = None, stops: bool = True) -> None:
        super().__init__(kind)
        self.wait = wait
        self.stops = stops
