"""The common half of Google's servers, with consent by PKCE, tokens that refresh, long requests, and errors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from bridge.recordings.server import Answer, Request
from lab.vendors import OAuthServer, page_of

CLIENT = {"client_id": "lab-client.apps.example.com", "client_secret": "lab-secret"}
TESTING_CONSENT_LIFE = timedelta(days=7)  # the life of a consent to an app in publishing status Testing


class GoogleServer(OAuthServer):
    """A server of a Google API, which checks tokens and leaves other requests to ``answer_for``."""

    consent_path, token_path = "/o/oauth2/auth", "/token"
    client = CLIENT
    rotates = False
    needs_proof = True
    paths: Mapping[str, str | None] = {}
    scope: str

    def __init__(self, account: dict[str, Any]) -> None:
        super().__init__(account)
        self.granted_scope: str | None = None  # what the person ticks; None: all that is asked for
        self.testing = False

    def answer_for(self, request: Request, query: Mapping[str, str]) -> Answer:
        """Answer a request with a valid token. ``query`` holds the parameters from the address or body."""
        raise NotImplementedError

    def settings(self, url: str) -> dict[str, str]:
        return super().settings(url) | {name: f"{url}/{path}" for name, path in _OAUTH.items()}

    def grant(self, *more: str) -> dict[str, Any]:
        """Return a valid consent to read, and to the scopes ``more``, in the form in which the connector stores it."""
        scopes = [*self.scope.split(), *more]
        body = self.issue(" ".join(scopes))
        expiry = datetime.now(UTC) + timedelta(seconds=self.life)
        return {
            "token": body["access_token"],
            "refresh_token": body["refresh_token"],
            "expiry": expiry.isoformat(),
            "scopes": scopes,
        }

    def granted(self, asked: str) -> str:
        return self.granted_scope or asked or self.scope

    def accepts(self, query: Mapping[str, str]) -> bool:
        return query.get("client_id") == CLIENT["client_id"]

    def lives(self, refresh_token: str) -> bool:
        """Return True if a refresh token is valid. With ``testing`` it ends after TESTING_CONSENT_LIFE."""
        given = self._refresh.get(refresh_token)
        return given is not None and not (self.testing and datetime.now(UTC) - given > TESTING_CONSENT_LIFE)

    def days_pass(self, days: float) -> None:
        """Make every consent ``days`` days older, and end all access tokens."""
        self._access.clear()
        self._refresh = {token: at - timedelta(days=days) for token, at in self._refresh.items()}

    def application(self, request: Request) -> Answer:
        if (request.method, request.path) == ("POST", "/revoke"):
            self.revoke()
            return Answer(body={})
        return super().application(request)

    def unauthorised(self) -> Answer:
        return refusal(401, "authError")

    def api(self, request: Request, scopes: frozenset[str]) -> Answer:  # noqa: ARG002 - those who write ask for them
        return _partial(request, self.answer_for(request, _query(request)))

    def scopes(self, request: Request) -> frozenset[str]:
        """Return the scopes that the token of a request was granted, possibly none."""
        return self.scopes_of(request) or frozenset()


_OAUTH = {"auth_uri": "o/oauth2/auth", "token_uri": "token", "revoke_uri": "revoke"}


def _query(request: Request) -> dict[str, str]:
    """Return the parameters of a request, which a client puts into the body if the address is too long."""
    return dict(request.query) | (request.form if request.body and request.method == "GET" else {})


def _partial(request: Request, answer: Answer) -> Answer:
    mask = _query(request).get("fields")
    if mask is None or answer.status != 200:
        return answer
    try:
        return replace(answer, body=masked(answer.body, tree_of(mask)))
    except (ValueError, IndexError):
        return refusal(400, "invalidParameter")


def refusal(status: int, reason: str, **headers: str) -> Answer:
    """Return an error in the format of Google's APIs. A keyword such as ``retry_after`` becomes a header."""
    error = {"code": status, "message": reason, "errors": [{"domain": "calendar", "reason": reason}]}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status=status, body={"error": error}, headers=named)


def page(items: list[dict[str, Any]], query: Mapping[str, str], size: int, last: Mapping[str, str]) -> Answer:
    """Return a page of at most ``size`` items. The fields in ``last`` are added to the last page only."""
    found, token = page_of(items, query.get("pageToken"), size)
    return Answer(body={"items": found} | ({"nextPageToken": token} if token else dict(last)))


TOKEN = re.compile(r"[^,/()]+|[,/()]")
Tree = dict[str, "Tree"]  # an empty one means all there is


@lru_cache(maxsize=64)
def tree_of(mask: str) -> Tree:
    """Parse ``a,b(c,d/e)`` into {a: {}, b: {c: {}, d: {e: {}}}}. Raises ValueError for an unbalanced mask."""
    tokens = TOKEN.findall(mask)
    tree = _listed(tokens)
    if tokens:
        raise ValueError("a mask closes what it never opened")
    return tree


def _listed(tokens: list[str]) -> Tree:
    found: Tree = {}
    while tokens:
        _path(tokens, found)
        if not tokens or tokens[0] != ",":
            break
        tokens.pop(0)
    return found


def _path(tokens: list[str], tree: Tree) -> None:
    inner = tree.setdefault(tokens.pop(0), {})
    if tokens[:1] == ["/"]:
        tokens.pop(0)
        _path(tokens, inner)
    elif tokens[:1] == ["("]:
        tokens.pop(0)
        inner.update(_listed(tokens))
        if tokens[:1] != [")"]:
            raise ValueError("a mask does not close what it opened")
        tokens.pop(0)


def masked(value: Any, tree: Tree) -> Any:
    """Return the part of a JSON value that a parsed mask names. An empty mask names everything."""
    if not tree:
        return value
    if isinstance(value, list):
        return [masked(one, tree) for one in value]
    if not isinstance(value, dict):
        return value
    return {name: masked(inner, tree[name]) for name, inner in value.items() if name in tree}
