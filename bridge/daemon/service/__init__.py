"""Files that run the daemon under systemd or in a container, as ``bridge service`` prints them."""

from __future__ import annotations

from importlib.resources import files

FILES = {"systemd": "rhythm-bridge.service", "container": "Containerfile"}


def text(kind: str) -> str:
    """Return the service file for a kind of service, systemd or container. Raises KeyError for an unknown kind."""
    return files(__name__).joinpath(FILES[kind]).read_text(encoding="utf-8")
