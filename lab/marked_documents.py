"""Tables that a command writes into a document whose other words stay as they are."""

from __future__ import annotations

from pathlib import Path

from bridge.domain.errors import SetupError


def put(path: Path, text: str, *, mark: str = "table", heading: str = "") -> None:
    """Replace the text between ``<!-- mark -->`` and ``<!-- /mark -->``, or begin a document with the heading.

    Raises SetupError for a document that lacks a mark, cannot be read or cannot be written.
    """
    first, last = f"<!-- {mark} -->", f"<!-- /{mark} -->"
    try:
        document = path.read_text(encoding="utf-8") if path.exists() else f"{heading}{first}\n{last}\n"
        path.write_text(_replaced(document, text, first, last, path), encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(f"{path} is no document to write into ({error}); name another: --write FILE") from None


def _replaced(document: str, text: str, first: str, last: str, path: Path) -> str:
    before, begin, rest = document.partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise SetupError(f"{path} has no {first} ... {last} to write between")
    return f"{before}{first}\n{text}\n{last}{after}"
