"""The set-up of ``bridge lab demo``, with a made-up person's sources on HTTP servers and an empty installation."""

from __future__ import annotations

import sys
import tempfile
import threading
import webbrowser
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from bridge import registry
from bridge.recordings.recorded_life import DEMO_TIME, DEMO_ZONE, environment
from bridge.recordings.server import LabServer
from lab.people.person import demo_files, demo_person

FRIDAY = 4


@contextmanager
def stage(*, seed: int, today: date | None = None, days: int = 75) -> Iterator[tuple[list[str], list[str]]]:
    """Run the demo person's sources on loopback, with an empty installation as the environment.

    Yields the names of the sources and the paths of files to import. The default ``today`` is the latest workday,
    because the person's Saturday morning is full and gets no recommendation.
    """
    today = today or latest_workday(datetime.now(ZoneInfo(DEMO_ZONE)).date())
    person = demo_person(today, zone=DEMO_ZONE, days=days, seed=seed)
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="rhythm-bridge-demo-"))
        variables = {
            "BRIDGE_HOME": folder,
            "BRIDGE_DATABASE": f"sqlite:///{folder}/bridge.db",
            "BRIDGE_NOW": datetime.combine(today, DEMO_TIME, ZoneInfo(DEMO_ZONE)).isoformat(),
        }
        for source, account in person.items():
            _, settings = serve(stack, source, account)
            variables |= settings
        stack.enter_context(environment(variables))
        webbrowser.register("bridge-demo", None, Visitor(), preferred=True)
        yield (
            list(person),
            _download(demo_files(today, zone=DEMO_ZONE, days=days, seed=seed), Path(folder) / "downloads"),
        )


def latest_workday(day: date) -> date:
    """Return ``day`` if it is from Monday to Friday, else the Friday before it."""
    return day - timedelta(days=max(day.weekday() - FRIDAY, 0))


def _download(files: Mapping[str, bytes], folder: Path) -> list[str]:
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return [str(folder / name) for name in files]


def serve(stack: ExitStack, source: str, account: Mapping[str, Any]) -> tuple[Any, dict[str, str]]:
    """Run the server of a source until ``stack`` closes. Returns it and the environment variables that point to it."""
    vendor = registry.resolve(f"lab.vendors.{source}:Vendor")(account)
    server = stack.enter_context(LabServer(vendor.application))
    settings: dict[str, str] = vendor.settings(server.url)
    return vendor, {f"BRIDGE_{source}_{name}".upper(): value for name, value in settings.items()}


class Visitor(webbrowser.BaseBrowser):
    """A browser whose user agrees to every consent. It follows redirects back to the waiting command."""

    def open(self, url: str, new: int = 0, autoraise: bool = True) -> bool:  # noqa: ARG002 - the interface's names
        threading.Thread(target=_follow, args=(url,), daemon=True).start()
        return True


class Agreeing:
    """A user who agrees to every consent and types the keys that standard input holds."""

    def open(self, url: str, code: str | None = None) -> None:
        Visitor().open(url if code is None else f"{url}?{urlencode({'code': code})}")

    def paste(self) -> str | None:
        return None

    def ask(self, question: str) -> str | None:  # noqa: ARG002 - the port's shape
        return sys.stdin.readline().strip() or None


def _follow(url: str) -> None:
    import requests

    requests.get(url, timeout=30)
