"""The common half of Microsoft's servers, with consent by device code, and lists of changes (delta query)."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any
from urllib.parse import urlencode

from bridge.recordings.server import Answer, Request
from lab.vendors import OAuthServer, invalid_grant

API = "/v1.0"
CLIENT = {"client_id": "11111111-2222-3333-4444-555555555555"}
GRANT = "urn:ietf:params:oauth:grant-type:device_code"
Thing = dict[str, Any]
Matches = Callable[[Thing], bool]


class MicrosoftServer(OAuthServer):
    """A server of Microsoft Graph, which gives consent by device code and leaves other requests to ``answer_for``."""

    client = CLIENT
    consent_path, token_path = "/unused", "/login/token"
    paths: Mapping[str, str | None] = {}

    def __init__(self, account: dict[str, Any]) -> None:
        super().__init__(account)
        self.page_size = 200
        self.unasked: int = 0  # questions for a token that are answered as pending before the person agrees
        self._devices: dict[str, str] = {}  # device code -> what was asked for
        self._typed: set[str] = set()  # user codes
        self._codes_of: dict[str, str] = {}  # user code -> device code
        self._windows: list[Matches] = []  # a link of changes is of a window
        self._lists: dict[str, tuple[list[Thing], str]] = {}  # under way: rest and what ends it
        self._names = count(1)

    def answer_for(self, request: Request, url: str) -> Answer:
        """Answer a request with a valid token. ``url`` is this server's address, for links in the answer."""
        raise NotImplementedError

    def settings(self, url: str) -> dict[str, str]:
        return {"base_url": f"{url}{API}", "login_url": f"{url}/login", **self.client}

    def grant(self, *more: str) -> dict[str, Any]:
        token = super().grant(*more)
        return token | {"scopes": token["scope"].split()}

    def application(self, request: Request) -> Answer:
        if (request.method, request.path) == ("POST", "/login/devicecode"):
            return self._offer(request)
        if (request.method, request.path) == ("GET", "/devicelogin"):
            self._typed.add(request.query.get("code", ""))
            return Answer(body={})
        if (request.method, request.path, request.form.get("grant_type")) == ("POST", self.token_path, GRANT):
            return self._agreed(request.form)
        return super().application(request)

    def api(self, request: Request, scopes: frozenset[str]) -> Answer:  # noqa: ARG002 - those who write ask for them
        if not request.path.startswith(f"{API}/"):
            return refusal(404, "ResourceNotFound")
        return self.answer_for(request, f"http://{request.headers['host']}")

    def unauthorised(self) -> Answer:
        return refusal(401, "InvalidAuthenticationToken")

    def scopes(self, request: Request) -> frozenset[str]:
        """Return the scopes that the token of a request was granted, possibly none."""
        return self.scopes_of(request) or frozenset()

    def _token(self, request: Request) -> Answer:
        """Refresh a token. A client that sends a secret is refused with status 401."""
        if "client_secret" in request.form or request.form.get("client_id") != self.client["client_id"]:
            return Answer(status=401, body={"error": "invalid_client"})
        token = request.form.get("refresh_token", "")
        return Answer(body=self.issue(self._scopes[token])) if self.lives(token) else invalid_grant()

    def _offer(self, request: Request) -> Answer:
        if request.form.get("client_id") != self.client["client_id"]:
            return Answer(status=400, body={"error": "unauthorized_client"})
        device, code = secrets.token_urlsafe(24), secrets.token_hex(4).upper()
        self._devices[device] = request.form.get("scope", "")
        self._codes_of[code] = device
        page = f"http://{request.headers['host']}/devicelogin"
        body = {"device_code": device, "user_code": code, "verification_uri": page, "expires_in": 900, "interval": 1}
        return Answer(body=body | {"message": f"To sign in, open {page} and enter the code {code} to authenticate."})

    def _agreed(self, form: Mapping[str, str]) -> Answer:
        device = form.get("device_code", "")
        if device not in self._devices:
            return Answer(status=400, body={"error": "bad_verification_code"})
        if self.account.get("refuses"):
            return Answer(status=400, body={"error": "authorization_declined"})
        typed = any(self._codes_of.get(code) == device for code in self._typed)
        if not typed or self.unasked:
            self.unasked = max(self.unasked - 1, 0)
            return Answer(status=400, body={"error": "authorization_pending"})
        scopes = [one for one in self.granted(self._devices.pop(device)).split() if one != "offline_access"]
        return Answer(body=self.issue(" ".join(scopes)))

    def told_scope(self, scope: str) -> str:
        """Return granted scopes in the form of the token server's answers, each with the address of Graph in front."""
        return " ".join(f"https://graph.microsoft.com/{one}" for one in scope.split())

    def listed(self, things: list[Thing], url: str, end: Mapping[str, str] | None = None) -> Answer:
        """Answer with the first page of a list. The fields in ``end`` are on the last page only."""
        name = str(next(self._names))
        self._lists[name] = things, json.dumps(dict(end or {}))
        return self.page(f"{name}-0", url)

    def page(self, token: str, url: str) -> Answer:
        """Answer with the page of a list that ``token`` names."""
        name, _, begin = token.partition("-")
        things, end = self._lists[name]
        stop = int(begin) + self.page_size
        link = f"{url}{API}/pages?{urlencode({'$skiptoken': f'{name}-{stop}'})}"
        last = {"@odata.nextLink": link} if stop < len(things) else json.loads(end)
        return Answer(body={"value": things[int(begin) : stop], **last})


class Changes:
    """Numbered changes of a list. A client's link holds the number of the last change that the client has seen."""

    def __init__(self, things: list[Thing]) -> None:
        self._number = 1
        self._oldest = 0
        self._changed: dict[str, int] = dict.fromkeys((thing["id"] for thing in things), 1)

    def touch(self, key: str) -> None:
        """Record that the entry with the id ``key`` was added, changed or deleted."""
        self._number += 1
        self._changed[key] = self._number

    def expire(self) -> None:
        """Make ``since`` return None for all numbers given out so far."""
        self._number += 1
        self._oldest = self._number

    @property
    def now(self) -> int:
        return self._number

    def since(self, number: int, things: list[Thing], shows: Matches) -> list[Thing] | None:
        """Return the entries changed since a number, with deleted ones marked, or None if the number is not valid now.

        ``shows`` returns True for entries that the client's link covers.
        """
        if number < self._oldest:
            return None
        alive = {thing["id"]: thing for thing in things if shows(thing)}
        changed = [key for key, at in self._changed.items() if at > number]
        return [alive.get(key) or {"id": key, "@removed": {"reason": "deleted"}} for key in changed]

    def differ(self, before: list[Thing], after: list[Thing]) -> None:
        """Record every difference between two states of the list as a change."""
        old, new = ({thing["id"]: thing for thing in things} for things in (before, after))
        for key in (key for key in {**old, **new} if old.get(key) != new.get(key)):
            self.touch(key)


def refusal(status: int, code: str, **headers: str) -> Answer:
    """Return an error in the format of Graph. A keyword such as ``retry_after`` becomes a header."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status=status, body={"error": {"code": code, "message": code}}, headers=named)
