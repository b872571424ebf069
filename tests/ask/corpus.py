"""The plain questions of a language, with the query that each means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from bridge.domain.errors import SetupError
from bridge.query.parse import Words
from bridge.query.plain import read

TODAY = date(2026, 11, 25)
FOLDER = Path(__file__).parent


def questions(name: str) -> Sequence[tuple[str, Words | None]]:
    """Return (question, query that it means, or None for one to be refused), in the order of the file."""
    lines = (FOLDER / f"{name}.txt").read_text().splitlines()
    parted = [line.rsplit(" | ", 1) for line in lines if not line.startswith("#")]
    return [(text, None if meant == "-" else _words(meant)) for text, meant in parted]


def understood(text: str) -> Words | None:
    """Return what is understood of a question, with its conditions in order, or None."""
    try:
        found = read(text, TODAY)
    except SetupError:
        return None
    return replace(found, where=sorted(found.where))


def _words(meant: str) -> Words:
    meant, _, against = meant.partition(" vs ")
    first, *where = re.split(r" \? ", meant)
    what, of, *rest = first.split()
    named = dict(one.split("=") for one in rest if "=" in one)
    span = next((one for one in rest if ".." in one), "..").split("..")
    return Words(
        what=what,
        of=of,
        since=span[0] or None,
        until=span[1] or None,
        by=named.get("by"),
        per=named.get("per"),
        first=int(named["first"]) if "first" in named else None,
        last=int(named["last"]) if "last" in named else None,
        top=int(named["top"]) if "top" in named else None,
        where=where,
        against=against or None,
    )
