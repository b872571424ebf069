"""The stage of ``bridge demo``: a made-up person's sources behind real HTTP servers, a download, an empty store."""

from __future__ import annotations

import os
import tempfile
import threading
import webbrowser
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import date, datetime, time
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from bridge import registry
from bridge.lab.person import demo_files, demo_person
from bridge.lab.server import LabServer

NAME, ZONE = "demo", "Europe/Berlin"
CLOCK = time(10, 5)  # the demo person is always met in the morning, after the night's data have come in


@contextmanager
def stage(*, seed: int, today: date | None = None, days: int = 75) -> Iterator[tuple[list[str], list[str]]]:
    """Vendors on loopback, settings that point to them, an empty folder; yields the sources and the downloads."""
    today = today or datetime.now(ZoneInfo(ZONE)).date()
    person = demo_person(today, zone=ZONE, days=days, seed=seed)
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="rhythm-bridge-demo-"))
        variables = {
            "BRIDGE_HOME": folder,
            "BRIDGE_DATABASE": f"sqlite:///{folder}/bridge.db",
            "BRIDGE_NOW": datetime.combine(today, CLOCK, ZoneInfo(ZONE)).isoformat(),
        }
        for source, account in person.items():
            variables |= _serve(stack, source, account)
        stack.enter_context(_environment(variables))
        webbrowser.register("bridge-demo", None, Visitor(), preferred=True)
        yield list(person), _download(demo_files(today, zone=ZONE, days=days, seed=seed), Path(folder) / "downloads")


def _download(files: Mapping[str, bytes], folder: Path) -> list[str]:
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return [str(folder / name) for name in files]


def _serve(stack: ExitStack, source: str, account: Mapping[str, Any]) -> dict[str, str]:
    vendor = registry.resolve(f"bridge.lab.{source}:Vendor")(account)
    server = stack.enter_context(LabServer(vendor.application))
    settings: dict[str, str] = vendor.settings(server.url)
    return {f"BRIDGE_{source}_{name}".upper(): value for name, value in settings.items()}


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


class Visitor(webbrowser.BaseBrowser):
    """A browser whose person agrees to everything: it follows the vendor's redirects back to the waiting command."""

    def open(self, url: str, new: int = 0, autoraise: bool = True) -> bool:  # noqa: ARG002 - the interface's names
        threading.Thread(target=_follow, args=(url,), daemon=True).start()
        return True


def _follow(url: str) -> None:
    import requests

    requests.get(url, timeout=30)
