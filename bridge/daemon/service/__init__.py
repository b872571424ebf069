"""Files that run the daemon under systemd or in a container, as ``bridge service`` prints them."""

from __future__ import annotations

from importlib.resources import files

FILES = {"systemd": "rhythm-bridge.service", "container": "Containerfile"}


def text(kind: str) -> str:
    """Return the text of the file for ``systemd`` or ``container``. Raises KeyError for another kind."""
    return files(__name__).joinpath(FILES[kind]).read_text(encoding="utf-8")
