"""Text that a command writes into a document between two marks, with all other text unchanged."""

from __future__ import annotations

from pathlib import Path

from bridge.domain.errors import SetupError


def put(path: Path, text: str, *, mark: str = "table", heading: str = "") -> None:
    """Replace the text between ``<!-- mark -->`` and ``<!-- /mark -->`` in a document.

    A missing document is made and begins with ``heading``. Raises SetupError for a document that lacks a mark, cannot
    be read or cannot be written.
    """
    first, last = f"<!-- {mark} -->", f"<!-- /{mark} -->"
    try:
        document = path.read_text(encoding="utf-8") if path.exists() else f"{heading}{first}\n{last}\n"
        before, _, after = _parts(document, first, last, f"{path} has no place for tables")
        path.write_text(f"{before}{first}\n{text}\n{last}{after}", encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(f"{path} is not a document to write into ({error}); name another: --write FILE") from None


def within(path: Path, mark: str, what: str) -> str:
    """Return the text between the marks of a document.

    Raises SetupError, which calls the text ``what``, for a document that lacks a mark or is missing.
    """
    document = path.read_text(encoding="utf-8") if path.exists() else ""
    return _parts(document, f"<!-- {mark} -->", f"<!-- /{mark} -->", f"{path} has no place for {what}")[1]


def _parts(document: str, first: str, last: str, lacking: str) -> tuple[str, str, str]:
    before, begin, rest = document.partition(first)
    inside, end, after = rest.partition(last)
    if not begin or not end:
        raise SetupError(f"{lacking}; add the lines {first} and {last} to it")
    return before, inside, after
