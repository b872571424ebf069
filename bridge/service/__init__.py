"""How the daemon is run as a service: files for systemd and containers, as ``bridge service`` prints them."""

from __future__ import annotations

from importlib.resources import files

FILES = {"systemd": "rhythm-bridge.service", "container": "Containerfile"}


def text(kind: str) -> str:
    """The file of a kind of service; KeyError for an unknown one."""
    return files(__name__).joinpath(FILES[kind]).read_text(encoding="utf-8")
