"""What Google's servers have in common: consent with PKCE, tokens that end and refresh, long requests, errors."""

from __future__ import annotations

import base64
import hashlib
import secrets
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from bridge.lab.google_fields import masked, tree_of
from bridge.lab.server import Answer, Request

CLIENT = {"client_id": "lab-client.apps.example.com", "client_secret": "lab-secret"}
LIFE = 3600
TESTING = timedelta(days=7)  # the life of a consent to an app in publishing status Testing


class GoogleServer:
    """One account at one of Google's APIs: asks for consent and tokens, then hands over to ``api``."""

    scope: str

    def __init__(self, account: dict[str, Any]) -> None:
        self.account = account
        self.granted_scope: str | None = None  # what the person ticks; None: all that is asked for
        self.testing = False
        self._access: dict[str, tuple[float, str]] = {}  # token -> its end, its scopes
        self._refresh: dict[str, tuple[datetime, str]] = {}  # token -> when it was given, its scopes
        self._codes: dict[str, tuple[str, str]] = {}  # code -> challenge, scopes

    def api(self, request: Request, query: Mapping[str, str]) -> Answer:
        """Answer a request whose token is good."""
        raise NotImplementedError

    def settings(self, url: str) -> dict[str, str]:
        """The connector's settings for this server."""
        oauth = {name: f"{url}/{path}" for name, path in _OAUTH.items()}
        return {"base_url": url, **oauth, **CLIENT}

    def grant(self, *more: str) -> dict[str, Any]:
        """A consent that is valid now, as the connector stores it; to ``more`` than reading, if asked for."""
        scopes = [self.scope, *more]
        body = self._issue(" ".join(scopes))
        expiry = datetime.now(UTC) + timedelta(seconds=LIFE)
        return {
            "token": body["access_token"],
            "refresh_token": body["refresh_token"],
            "expiry": expiry.isoformat(),
            "scopes": scopes,
        }

    def days_pass(self, days: float) -> None:
        """Every consent is older by so much; access tokens have ended meanwhile."""
        self._access.clear()
        self._refresh = {t: (at - timedelta(days=days), scope) for t, (at, scope) in self._refresh.items()}

    def tokens_expire(self) -> None:
        self._access.clear()

    def revoke(self) -> None:
        """The person withdraws every consent."""
        self._access.clear()
        self._refresh.clear()

    def application(self, request: Request) -> Answer:
        match request.method, request.path:
            case "GET", "/o/oauth2/auth":
                return self._agree(request)
            case "POST", "/token":
                return self._token(request.form)
            case "POST", "/revoke":
                self.revoke()
                return Answer(body={})
        if self._bearer(request)[0] < time.time():
            return refusal(401, "authError")
        return _partial(request, self.api(request, _query(request)))

    def scopes(self, request: Request) -> set[str]:
        """What the token of a request was granted."""
        return set(self._bearer(request)[1].split())

    def _bearer(self, request: Request) -> tuple[float, str]:
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        return self._access.get(token, (0.0, ""))

    def _issue(self, scope: str, *, refresh: bool = True) -> dict[str, Any]:
        body = {
            "access_token": secrets.token_urlsafe(24),
            "expires_in": LIFE,
            "token_type": "Bearer",
            "scope": scope,
        }
        self._access[str(body["access_token"])] = time.time() + LIFE, scope
        if refresh:
            body["refresh_token"] = secrets.token_urlsafe(24)
            self._refresh[str(body["refresh_token"])] = datetime.now(UTC), scope
        return body

    def _agree(self, request: Request) -> Answer:
        """The person agrees at once, or refuses when the account says so."""
        query = request.query
        if query.get("client_id") != CLIENT["client_id"]:
            return refusal(401, "invalid_client")
        given = {"state": query.get("state", "")}
        if self.account.get("refuses"):
            given["error"] = "access_denied"
        else:
            scope = self.granted_scope or query.get("scope", self.scope)
            given |= {"code": secrets.token_urlsafe(16), "scope": scope}
            self._codes[given["code"]] = query.get("code_challenge", ""), scope
        return Answer(status=302, headers={"Location": query["redirect_uri"] + "?" + urlencode(given)})

    def _token(self, form: Mapping[str, str]) -> Answer:
        if form.get("grant_type") == "refresh_token":
            return self._refreshed(form.get("refresh_token", ""))
        challenge, scope = self._codes.pop(form.get("code", ""), (None, ""))
        proof = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if challenge is None or base64.urlsafe_b64encode(proof).rstrip(b"=").decode() != challenge:
            return _invalid_grant()
        return Answer(body=self._issue(scope))

    def _refreshed(self, token: str) -> Answer:
        given, scope = self._refresh.get(token, (None, ""))
        if given is None or (self.testing and datetime.now(UTC) - given > TESTING):
            return _invalid_grant()
        return Answer(body=self._issue(scope, refresh=False))


_OAUTH = {"auth_uri": "o/oauth2/auth", "token_uri": "token", "revoke_uri": "revoke"}


def _query(request: Request) -> dict[str, str]:
    """The client turns a very long GET into a POST with its parameters in the body."""
    return dict(request.query) | (request.form if request.body and request.method == "GET" else {})


def _partial(request: Request, answer: Answer) -> Answer:
    """What the request's ``fields`` ask for; errors are sent whole."""
    mask = _query(request).get("fields")
    if mask is None or answer.status != 200:
        return answer
    try:
        return replace(answer, body=masked(answer.body, tree_of(mask)))
    except (ValueError, IndexError):
        return refusal(400, "invalidParameter")


def _invalid_grant() -> Answer:
    return Answer(
        status=400, body={"error": "invalid_grant", "error_description": "Token has been expired or revoked."}
    )


def refusal(status: int, reason: str, **headers: str) -> Answer:
    """An error in the shape of Google's APIs."""
    error = {"code": status, "message": reason, "errors": [{"domain": "calendar", "reason": reason}]}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status=status, body={"error": error}, headers=named)


def page(items: list[dict[str, Any]], query: Mapping[str, str], size: int, last: Mapping[str, str]) -> Answer:
    """Part of a listing; ``last`` stands on the last page only."""
    begin = int(query.get("pageToken", "page-0").removeprefix("page-"))
    body: dict[str, Any] = {"items": items[begin : begin + size]}
    more = begin + size < len(items)
    return Answer(body=body | ({"nextPageToken": f"page-{begin + size}"} if more else dict(last)))
