"""A server that plays CalDAV for one login. ``account`` holds calendars as lines, which give an entry per UID.

It answers reading requests only. Writing is tested with a real server (``tests/caldav``).
"""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from html import unescape
from typing import Any
from urllib.parse import quote, unquote
from xml.sax.saxutils import escape

from bridge.recordings.server import Answer, Request
from lab.vendors import PlainServer

LOGIN = "ana"
HOME = f"/dav/{LOGIN}/"
TYPE = {"Content-Type": "application/xml; charset=utf-8"}
NAMESPACES = 'xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav" xmlns:s="http://calendarserver.org/ns/"'
HREF = re.compile(r"<d:href>([^<]*)</d:href>")
TOKEN = re.compile(r"<d:sync-token>([^<]*)</d:sync-token>")
FOUND, MISSING, MORE = "HTTP/1.1 200 OK", "HTTP/1.1 404 Not Found", "HTTP/1.1 507 Insufficient Storage"
Entries = dict[str, str]  # path -> text


class Vendor(PlainServer):
    """A server of ``account``, whose ``calendars`` map a path to a name and lines."""

    speaks_json = False

    def __init__(self, account: dict[str, Any]) -> None:
        super().__init__(account)
        self.tokens = self.ctags = True  # what the server offers
        self.part: int | None = None  # responses of a listing after which it is cut; None: never
        self._password = secrets.token_hex(8)
        self._snapshots: dict[str, Entries] = {}  # sync token -> what it stands for

    def settings(self, url: str) -> dict[str, str]:
        self._url = url
        return {"url": url + HOME, "name": LOGIN, "password": self._password}

    def grant(self) -> dict[str, Any]:
        return {"address": self._url + HOME, "login": LOGIN, "password": self._password}

    def revoke(self) -> None:
        self._password = secrets.token_hex(8)

    def forget_tokens(self) -> None:
        """Forget all sync tokens, so that the next request with one is refused."""
        self._snapshots.clear()

    def application(self, request: Request) -> Answer:
        told = base64.b64encode(f"{LOGIN}:{self._password}".encode()).decode()
        if request.headers.get("authorization") != f"Basic {told}":
            return Answer(status=401, headers={"WWW-Authenticate": 'Basic realm="lab"'})
        path, body = unquote(request.path), request.body.decode()
        if request.method == "PROPFIND" and path == HOME:
            return self._home(whole=request.headers.get("depth") == "1")
        calendar = path.removeprefix(HOME).rstrip("/")
        if calendar not in self.account["calendars"]:
            return Answer(status=404)
        if request.method == "PROPFIND":
            return self._etags(calendar)
        if request.method == "REPORT" and "calendar-multiget" in body:
            return self._multiget(calendar, [unescape(href) for href in HREF.findall(body)])
        if request.method == "REPORT" and self.tokens and request.headers.get("depth") == "0":
            return self._changes(calendar, TOKEN.findall(body)[0] if TOKEN.search(body) else "")
        return Answer(status=400)

    def _home(self, *, whole: bool) -> Answer:
        me = (
            f"<c:calendar-home-set><d:href>{HOME}</d:href></c:calendar-home-set><d:resourcetype><d:collection/>"
            "</d:resourcetype><c:calendar-user-address-set><d:href>mailto:ana@example.com</d:href>"
            "</c:calendar-user-address-set>"
        )
        found = [_response(HOME, me)]
        for name, calendar in self.account["calendars"].items() if whole else ():
            mark = _digest(str(self._entries(name)))
            token = f"<d:sync-token>{self._token(name)}</d:sync-token>" if self.tokens else ""
            ctag = f"<s:getctag>{mark}</s:getctag>" if self.ctags else ""
            kind = "<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>"
            title = f"<d:displayname>{escape(calendar['name'])}</d:displayname>"
            found.append(_response(f"{HOME}{name}/", kind + title + token + ctag))
        return _multistatus(found)

    def _entries(self, name: str) -> Entries:
        lines: list[str] = self.account["calendars"][name]["text"]
        head, components = _split(lines)
        texts: dict[str, list[str]] = {}
        for component in components:
            uid = next((line.partition(":")[2] for line in component if line.startswith("UID:")), None)
            texts.setdefault(_digest(uid or "\n".join(component)), []).extend(component)
        return {
            f"{HOME}{name}/{entry}.ics": "\r\n".join([*head, *found, "END:VCALENDAR", ""])
            for entry, found in texts.items()
        }

    def _token(self, name: str) -> str:
        entries = self._entries(name)
        token = f"urn:lab:{_digest(name + str(entries))}"
        self._snapshots[token] = entries
        return token

    def _changes(self, name: str, token: str) -> Answer:
        """Answer with the changes since a sync token (RFC 6578), at most ``part`` of them, and a token for the rest."""
        if token and token not in self._snapshots:
            return Answer(status=403, body=b'<d:error xmlns:d="DAV:"><d:valid-sync-token/></d:error>', headers=TYPE)
        before, now = self._snapshots.get(token, {}), self._entries(name)
        changed = [path for path in sorted({*before, *now}) if before.get(path) != now.get(path)]
        told, after = changed[: self.part], self._token(name)
        found = [_entry(path, now) for path in told]
        if len(told) < len(changed):
            reached = {**before, **{path: now[path] for path in told if path in now}}
            held = {path: text for path, text in reached.items() if path in now or path not in told}
            after = f"urn:lab:part-{_digest(name + str(held))}"
            self._snapshots[after] = held
            found.append(
                f"<d:response><d:href>{HOME}{name}/</d:href><d:status>HTTP/1.1 507 more</d:status></d:response>"
            )
        return _multistatus(found, f"<d:sync-token>{after}</d:sync-token>")

    def _etags(self, name: str) -> Answer:
        entries = self._entries(name)
        kind = "<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>"
        return _multistatus([_response(f"{HOME}{name}/", kind), *(_entry(path, entries) for path in entries)])

    def _multiget(self, name: str, hrefs: list[str]) -> Answer:
        entries = self._entries(name)
        return _multistatus([_entry(unquote(href), entries, content=True) for href in hrefs])


def _split(lines: list[str]) -> tuple[list[str], list[list[str]]]:
    """Return the lines before and between the components of a calendar, and those of each component."""
    head: list[str] = []
    components: list[list[str]] = []
    inside = False
    for line in lines:
        if line in ("BEGIN:VEVENT", "BEGIN:VTODO"):
            inside = True
            components.append([])
        if inside:
            components[-1].append(line)
        elif line != "END:VCALENDAR" and not line.startswith("X-WR-"):
            head.append(line)
        inside = inside and line not in ("END:VEVENT", "END:VTODO")
    return head, components


def _entry(path: str, entries: Entries, *, content: bool = False) -> str:
    if path not in entries:
        return f"<d:response><d:href>{quote(path)}</d:href><d:status>{MISSING}</d:status></d:response>"
    text = entries[path]
    data = f"<c:calendar-data>{escape(text)}</c:calendar-data>" if content else ""
    return _response(quote(path), f'<d:getetag>"{_digest(text)}"</d:getetag>{data}')


def _response(href: str, properties: str) -> str:
    stat = f"<d:propstat><d:prop>{properties}</d:prop><d:status>{FOUND}</d:status></d:propstat>"
    return f"<d:response><d:href>{href}</d:href>{stat}</d:response>"


def _multistatus(found: list[str], more: str = "") -> Answer:
    body = f'<?xml version="1.0"?><d:multistatus {NAMESPACES}>{"".join(found)}{more}</d:multistatus>'
    return Answer(status=207, body=body.encode(), headers=TYPE)


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
