"""A real server on loopback with an open bridge behind it, and people who visit it."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import requests
from fastapi import FastAPI

from bridge import config, installation
from bridge.cli.mcp import over_http
from bridge.store import Store
from bridge.web.server import create
from lab.web_server import running

NOW = "2026-11-20T10:05:00+01:00"
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
CALENDAR = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//tests//EN
BEGIN:VEVENT
UID:{key}@example.org
SUMMARY:{title}
DTSTART:20261120T080000Z
DTEND:20261120T090000Z
END:VEVENT
BEGIN:VEVENT
UID:choir@example.org
SUMMARY:Choir
DTSTART:20261120T180000Z
DTEND:20261120T200000Z
RRULE:FREQ=WEEKLY
END:VEVENT
END:VCALENDAR
"""


def calendar(title: str = "Planning", key: str = "planning") -> bytes:
    return CALENDAR.format(title=title, key=key).replace("\n", "\r\n").encode()


@dataclass(frozen=True, kw_only=True)
class Place:
    """A served bridge."""

    bridge: installation.Bridge
    made: FastAPI
    url: str

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def visitor(self) -> Visitor:
        return Visitor(self.url)


class Visitor(requests.Session):
    """A browser without scripts: it keeps cookies, and sends back the token of the page it saw last."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.url, self.csrf = url, ""
        self.headers["Sec-Fetch-Site"] = "same-origin"

    def request(self, method: str | bytes, url: str | bytes, *args: Any, **options: Any) -> requests.Response:
        options.setdefault("timeout", 60)
        options["allow_redirects"] = False
        answer = super().request(method, f"{self.url}{url!s}" if str(url).startswith("/") else url, *args, **options)
        found = re.search(r'name="csrf" value="([0-9a-f]+)"', answer.text if len(answer.content) < 10**7 else "")
        self.csrf = found[1] if found else self.csrf
        return answer

    def change(self, path: str, form: Mapping[str, str] | None = None, **options: Any) -> requests.Response:
        """Post a form as a page of ours does."""
        return self.post(path, data={"csrf": self.csrf, **(form or {})}, **options)

    def upload(self, name: str, content: bytes) -> requests.Response:
        headers = {"X-CSRF-Token": self.csrf, "HX-Request": "true"}
        return self.post("/connections/import", content, params={"name": name}, headers=headers)

    def finished(self, shown: str, seconds: float = 60) -> str:
        """Ask after a job until it is over; what the page then says."""
        end = time.monotonic() + seconds
        while (found := re.search(r'hx-get="(/jobs/[^"]+)"', shown)) and time.monotonic() < end:
            time.sleep(0.05)
            shown = self.get(found[1]).text
        return shown

    def log_in(self, name: str, password: str = "") -> requests.Response:
        self.get("/login")
        return self.change("/login", {"name": name, "password": password})


def open_at(folder: Path, database: str | None = None) -> installation.Bridge:
    """An installation of its own in a folder, with a fresh database unless another is named."""
    settings = replace(config.load(), folder=folder, database=database or f"sqlite:///{folder / 'bridge.db'}")
    return installation.Bridge(settings=settings, store=Store(settings.database))


@contextmanager
def served(bridge: installation.Bridge, *, local: bool = True, names: Iterable[str] = ()) -> Iterator[Place]:
    made = create(bridge, local=local, names=names, assistants=over_http(bridge))
    try:
        with running(made, lifespan="on") as port:
            yield Place(bridge=bridge, made=made, url=f"http://127.0.0.1:{port}")
    finally:
        bridge.store.close()
