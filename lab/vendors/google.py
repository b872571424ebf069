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
    """An account at an API of Google's. It asks for consent and tokens, then hands over to ``answer_for``."""

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
        """Answer a request whose token is good."""
        raise NotImplementedError

    def settings(self, url: str) -> dict[str, str]:
        """Return the connector's settings for this server."""
        return super().settings(url) | {name: f"{url}/{path}" for name, path in _OAUTH.items()}

    def grant(self, *more: str) -> dict[str, Any]:
        """Return a consent that is valid now, as the connector stores it. To ``more`` than reading, if asked for."""
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
        """Return the scopes that the person ticks."""
        return self.granted_scope or asked or self.scope

    def accepts(self, query: Mapping[str, str]) -> bool:
        """Say whether the client is known."""
        return query.get("client_id") == CLIENT["client_id"]

    def lives(self, refresh_token: str) -> bool:
        """Say whether a consent lives. To an app in publishing status Testing it lives for seven days."""
        given = self._refresh.get(refresh_token)
        return given is not None and not (self.testing and datetime.now(UTC) - given > TESTING_CONSENT_LIFE)

    def days_pass(self, days: float) -> None:
        """Make every consent older. Access tokens have ended meanwhile."""
        self._access.clear()
        self._refresh = {token: at - timedelta(days=days) for token, at in self._refresh.items()}

    def application(self, request: Request) -> Answer:
        """Answer any request. A consent is withdrawn at an address of its own."""
        if (request.method, request.path) == ("POST", "/revoke"):
            self.revoke()
            return Answer(body={})
        return super().application(request)

    def unauthorised(self) -> Answer:
        """Return the answer to a request without a good token."""
        return refusal(401, "authError")

    def api(self, request: Request, scopes: frozenset[str]) -> Answer:  # noqa: ARG002 - those who write ask for them
        """Answer with the fields that the request asks for."""
        return _partial(request, self.answer_for(request, _query(request)))

    def scopes(self, request: Request) -> frozenset[str]:
        """Return what the token of a request was granted."""
        return self.scopes_of(request) or frozenset()


_OAUTH = {"auth_uri": "o/oauth2/auth", "token_uri": "token", "revoke_uri": "revoke"}


def _query(request: Request) -> dict[str, str]:
    """The client turns a very long GET into a POST with its parameters in the body."""
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
    """An error in the shape of Google's APIs."""
    error = {"code": status, "message": reason, "errors": [{"domain": "calendar", "reason": reason}]}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status=status, body={"error": error}, headers=named)


def page(items: list[dict[str, Any]], query: Mapping[str, str], size: int, last: Mapping[str, str]) -> Answer:
    """Return a part of a listing. ``last`` stands on the last page only."""
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
    """The part of ``value`` that a mask names."""
    if not tree:
        return value
    if isinstance(value, list):
        return [masked(one, tree) for one in value]
    if not isinstance(value, dict):
        return value
    return {name: masked(inner, tree[name]) for name, inner in value.items() if name in tree}
