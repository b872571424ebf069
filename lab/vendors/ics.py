"""A server of an iCalendar file at a secret address. ``text`` holds its lines."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

from bridge.recordings.server import Answer, Request
from lab.vendors import PlainServer


class Vendor(PlainServer):
    speaks_json = False  # at a secret address there are lines of iCalendar
    etags = True

    def __init__(self, account: dict[str, Any]) -> None:
        super().__init__(account)
        self.revoke()

    def settings(self, url: str) -> dict[str, str]:
        self._url = url
        return {"url": url + self._path, "addresses": "ana@example.com"}

    def grant(self) -> dict[str, Any]:
        return {"url": self._url + self._path}

    def put(self, lines: list[str]) -> None:
        self.account["text"] = lines

    def revoke(self) -> None:
        """Move the calendar to a new secret address."""
        self._path = f"/calendar/ical/private-{secrets.token_hex(16)}/basic.ics"

    def application(self, request: Request) -> Answer:
        if request.path != self._path:
            return Answer(status=404, body=b"not found", headers={"Content-Type": "text/plain"})
        content = "\r\n".join([*self.account["text"], ""]).encode()
        mark = f'"{hashlib.blake2b(content, digest_size=8).hexdigest()}"'
        headers = {"Content-Type": "text/calendar; charset=utf-8"} | ({"ETag": mark} if self.etags else {})
        if self.etags and request.headers.get("if-none-match") == mark:
            return Answer(status=304, headers=headers)
        return Answer(body=content, headers=headers)
