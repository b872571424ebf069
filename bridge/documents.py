"""Tables that a command writes into a document whose other words stay as they are."""

from __future__ import annotations

from pathlib import Path

from bridge.errors import SetupError


def put(path: Path, text: str, *, mark: str = "table", heading: str = "") -> None:
    """Replace what stands between ``<!-- mark -->`` and ``<!-- /mark -->``, or begin a document with the heading.

    Raises SetupError for one that lacks either mark.
    """
    first, last = f"<!-- {mark} -->", f"<!-- /{mark} -->"
    document = path.read_text(encoding="utf-8") if path.exists() else f"{heading}{first}\n{last}\n"
    before, begin, rest = document.partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise SetupError(f"{path} has no {first} ... {last} to write between")
    path.write_text(f"{before}{first}\n{text}\n{last}{after}", encoding="utf-8")
