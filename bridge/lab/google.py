"""What Google's servers have in common: consent with PKCE, tokens that end and refresh, long requests, errors."""

from __future__ import annotations

import base64
import hashlib
import secrets
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from bridge.lab.server import Answer, Request

CLIENT = {"client_id": "lab-client.apps.example.com", "client_secret": "lab-secret"}
LIFE = 3600


class GoogleServer:
    """One account at one of Google's APIs: asks for consent and tokens, then hands over to ``api``."""

    scope: str

    def __init__(self, account: dict[str, Any]) -> None:
        self.account = account
        self.granted_scope = self.scope
        self._access: dict[str, float] = {}
        self._refresh: set[str] = set()
        self._codes: dict[str, str] = {}

    def api(self, request: Request, query: Mapping[str, str]) -> Answer:
        """Answer a request whose token is good."""
        raise NotImplementedError

    def settings(self, url: str) -> dict[str, str]:
        """The connector's settings for this server."""
        oauth = {name: f"{url}/{path}" for name, path in _OAUTH.items()}
        return {"base_url": url, **oauth, **CLIENT}

    def grant(self) -> dict[str, Any]:
        """A consent that is valid now, as the connector stores it."""
        body = self._issue()
        expiry = datetime.now(UTC) + timedelta(seconds=LIFE)
        return {
            "token": body["access_token"],
            "refresh_token": body["refresh_token"],
            "expiry": expiry.isoformat(),
            "scopes": [self.scope],
        }

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
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if self._access.get(token, 0.0) < time.time():
            return refusal(401, "authError")
        return self.api(request, _query(request))

    def _issue(self, *, refresh: bool = True) -> dict[str, Any]:
        body = {
            "access_token": secrets.token_urlsafe(24),
            "expires_in": LIFE,
            "token_type": "Bearer",
            "scope": self.granted_scope,
        }
        self._access[str(body["access_token"])] = time.time() + LIFE
        if refresh:
            body["refresh_token"] = secrets.token_urlsafe(24)
            self._refresh.add(str(body["refresh_token"]))
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
            given |= {"code": secrets.token_urlsafe(16), "scope": self.granted_scope}
            self._codes[given["code"]] = query.get("code_challenge", "")
        return Answer(status=302, headers={"Location": query["redirect_uri"] + "?" + urlencode(given)})

    def _token(self, form: Mapping[str, str]) -> Answer:
        if form.get("grant_type") == "refresh_token":
            known = form.get("refresh_token") in self._refresh
            return Answer(body=self._issue(refresh=False)) if known else _invalid_grant()
        challenge = self._codes.pop(form.get("code", ""), None)
        proof = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if challenge is None or base64.urlsafe_b64encode(proof).rstrip(b"=").decode() != challenge:
            return _invalid_grant()
        return Answer(body=self._issue())


_OAUTH = {"auth_uri": "o/oauth2/auth", "token_uri": "token", "revoke_uri": "revoke"}


def _query(request: Request) -> dict[str, str]:
    """The client turns a very long GET into a POST with its parameters in the body."""
    return dict(request.query) | (request.form if request.body else {})


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
