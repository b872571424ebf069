"""What can go wrong with a service, named by what happens next."""

from __future__ import annotations


class Fault(Exception):
    """Nothing of use came back. The text names the kind of fault, never what was sent or answered.

    ``wait``: seconds after which it is worth asking once more; None: it is not. ``stops``: the next question would fare
    no better now.
    """

    def __init__(self, kind: str, *, wait: float | None = None, stops: bool = True) -> None:
        super().__init__(kind)
        self.wait = wait
        self.stops = stops
