"""Servers that play the vendors, with the members that tests use and the OAuth half that most share.

A source NAME is served by the class ``Vendor`` in ``lab/vendors/NAME.py``, which is opened with the JSON of a fixture.
Changes of the attribute ``account`` show in the next answer.
"""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
import time
from collections.abc import Container, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any, Literal, Protocol
from urllib.parse import parse_qs, urlencode, urlsplit

from bridge.domain.ports import Envelope, Revocation
from bridge.recordings.server import Answer, Request
from connectors.instants import calendar_date, utc_of_unix

CLIENT = {"client_id": "lab-client", "client_secret": "lab-secret"}
TOKEN_LIFE_SECONDS = 3600
LASTING_SECONDS = 365 * 86_400  # told of a token that lasts until it is withdrawn
LOOPBACK_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/")


class Vendor(Protocol):
    """A server that plays a vendor for an account. Its members are what tests use of every source.

    There may be three more members. ``tokens_expire()`` ends every access token, ``days`` is the number of days that a
    first sync requests singly, and ``account_changed(before, at)`` is called after ``account`` was changed.
    """

    # Stream -> how the addresses of its requests end, or with a "/" at the end, what they hold. None: those of other
    # streams. Empty for a vendor whose single consent covers all streams.
    paths: Mapping[str, str | None]
    pages: Literal["token", "number", None]  # how the next page of a list is named; None for lists sent whole
    no_data: Container[int]  # statuses that mean that there is nothing; 200 stands for an empty body
    tokens_end: bool  # access tokens end, and are refreshed
    speaks_json: bool
    account: dict[str, Any]  # the fixture: a list of rows per collection, in the vendor's own shape
    now: datetime  # the moment at which requests are answered, which tests set at every sync

    def settings(self, url: str) -> dict[str, str]:
        """Return the connector's settings (name -> value) for this server at ``url``."""
        ...

    def grant(self) -> dict[str, Any]:
        """Return a valid consent, in the form in which the connector stores it."""
        ...

    def revoke(self) -> None:
        """Withdraw every consent, as the user would at the vendor."""
        ...

    def application(self, request: Request) -> Answer:
        """Answer any request, be it for consent, tokens or data."""
        ...


class PlainServer:
    """A server of ``account`` that gives no tokens. ``settings`` must be called before ``grant``."""

    paths: Mapping[str, str | None] = {}
    pages: Literal["token", "number", None] = None
    no_data: Container[int] = ()
    tokens_end = False
    speaks_json = True

    def __init__(self, account: dict[str, Any]) -> None:
        self.account = account
        self.now = datetime.fromisoformat(account["now"]) if "now" in account else datetime.now(UTC)
        self._url = ""


class OAuthServer:
    """The OAuth half of a vendor, with consent page, codes, access and refresh tokens, and withdrawal.

    A vendor is a subclass that answers requests for data in ``api`` and sets the class attributes. ``envelope`` is the
    form of all answers, and ``revocation`` the request that withdraws a consent, with a path as its address. Scopes are
    kept separated by blanks.
    """

    consent_path = "/oauth/authorize"
    token_path = "/oauth/token"
    client: Mapping[str, str] = CLIENT
    default_scope = ""
    scope_separator: Literal[" ", ","] = " "  # a consent that divides its scopes otherwise is refused
    revocation: Revocation | None = None
    tokens_end = True  # False: a token lasts until it is withdrawn, and none refreshes it
    rotates = True  # a refresh token is good for one use
    needs_proof = False  # PKCE, RFC 7636
    basic = False  # a client names itself by HTTP Basic alone; False: in the form, or by HTTP Basic
    envelope: Envelope | None = None
    paths: Mapping[str, str | None]  # these four: see ``Vendor``
    pages: Literal["token", "number", None] = "token"
    no_data: Container[int] = ()
    speaks_json = True

    def __init__(self, account: dict[str, Any]) -> None:
        self.account = account
        self.now = datetime.fromisoformat(account["now"]) if "now" in account else datetime.now(UTC)
        self.life: float = TOKEN_LIFE_SECONDS if self.tokens_end else LASTING_SECONDS
        self.redirect: str | None = None  # the registered address; None: any port of this machine
        self._access: dict[str, float] = {}  # token -> its end in Unix seconds
        self._refresh: dict[str, datetime] = {}  # token -> when it was given
        self._codes: dict[str, str] = {}  # code -> challenge
        self._scopes: dict[str, str] = {}  # token or code -> what was granted

    def api(self, request: Request, scopes: frozenset[str]) -> Answer:
        """Answer a request for data with a valid token that was granted ``scopes``."""
        raise NotImplementedError

    def settings(self, url: str) -> dict[str, str]:
        return {"base_url": url, **self.client}

    def grant(self, *more: str) -> dict[str, Any]:
        """Return a pair of valid tokens, granted the usual scope and ``more``."""
        return self.issue(" ".join([self.usual_scope(), *more])) | {"expires_at": time.time() + self.life}

    def usual_scope(self) -> str:
        """Return the scope of a user who agrees to everything."""
        return self.default_scope

    def granted(self, asked: str) -> str:
        """Return the scope that the user grants when ``asked`` is requested."""
        return asked

    def told_scope(self, scope: str) -> str:
        """Return a granted scope with the separator that the token server uses in its answers."""
        return scope.replace(" ", self.scope_separator)

    def tokens_expire(self) -> None:
        """End every access token. Refresh tokens stay valid."""
        self._access.clear()

    def revoke(self) -> None:
        self._access.clear()
        self._refresh.clear()

    def knows(self, token: Mapping[str, Any]) -> bool:
        """Return True if ``token`` can still be refreshed."""
        return token.get("refresh_token") in self._refresh

    def lives(self, refresh_token: str) -> bool:
        return refresh_token in self._refresh

    def application(self, request: Request) -> Answer:
        if (request.method, request.path) == ("GET", self.consent_path):
            return self._agree(request.query)
        withdrawal = self.revocation is not None and self._withdrawn(request, self.revocation)
        return wrapped(withdrawal or self._answer(request), self.envelope)

    def scopes_of(self, request: Request) -> frozenset[str] | None:
        """Return the scopes that a request's access token was granted, or None if the token is unknown or has ended."""
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        return frozenset(self._scopes.get(token, self.default_scope).split()) if self._is_good(token) else None

    def unauthorised(self) -> Answer:
        """Return the answer to a request without a valid token."""
        return Answer(status=401, body={"error": "invalid_token"})

    def accepts(self, query: Mapping[str, str]) -> bool:
        """Return True if the consent page accepts a request, with a known client, a state and a registered address."""
        address = query.get("redirect_uri", "")
        registered = LOOPBACK_ADDRESS.fullmatch(address) if self.redirect is None else address == self.redirect
        return query.get("client_id") == self.client["client_id"] and bool(query.get("state")) and bool(registered)

    def issue(self, scope: str, *, refresh: bool = True) -> dict[str, Any]:
        """Return the token server's answer with a new access token and, if ``refresh``, a new refresh token."""
        body: dict[str, Any] = {"access_token": secrets.token_urlsafe(24), "expires_in": int(self.life)}
        self._access[body["access_token"]] = time.time() + self.life
        if refresh and self.tokens_end:
            body["refresh_token"] = secrets.token_urlsafe(24)
            self._refresh[body["refresh_token"]] = datetime.now(UTC)
        self._scopes |= {token: scope for name, token in body.items() if name.endswith("_token")}
        return body | {"token_type": "bearer", "scope": self.told_scope(scope)}

    def _is_good(self, access_token: str) -> bool:
        return self._access.get(access_token, 0.0) >= time.time()

    def _withdrawn(self, request: Request, revocation: Revocation) -> Answer | None:
        """Withdraw all consents if the request asks for this. Returns None for any other request."""
        address = urlsplit(revocation.address)
        if (request.method, request.path) != (revocation.method, address.path):
            return None
        if revocation.form is not None:
            return self._withdrawn_by_form(request, revocation.form)
        named = [name for name, (value,) in parse_qs(address.query).items() if value == "{access_token}"]
        good = self._is_good(request.query.get(named[0], "")) if named else self.scopes_of(request) is not None
        if not good:
            return self.unauthorised()
        self.revoke()
        return Answer(body={})

    def _withdrawn_by_form(self, request: Request, field: str) -> Answer:
        token = request.form.get(field)
        if not self._names_itself(request):
            return Answer(status=401, body={"error": "invalid_client"})
        if token is None:
            return Answer(status=400, body={"error": "invalid_request"})
        if self._is_good(token) or self.lives(token):
            self.revoke()
        return Answer(body={})

    def _answer(self, request: Request) -> Answer:
        if (request.method, request.path) == ("POST", self.token_path):
            return self._token(request)
        scopes = self.scopes_of(request)
        return self.unauthorised() if scopes is None else self.api(request, scopes)

    def _agree(self, query: Mapping[str, str]) -> Answer:
        """Redirect back with a code, or with an error if ``account["refuses"]`` is set."""
        if not self.accepts(query):
            return Answer(status=400, body={"error": "invalid_request"})
        back = {"state": query.get("state", "")}
        if not set(" ,") & set(query.get("scope", "")) <= {self.scope_separator}:
            back["error"] = "invalid_scope"
        elif self.account.get("refuses"):
            back["error"] = "access_denied"
        else:
            back["code"] = secrets.token_urlsafe(16)
            self._codes[back["code"]] = query.get("code_challenge", "")
            self._scopes[back["code"]] = self.granted(query.get("scope", "").replace(self.scope_separator, " "))
        return Answer(status=302, headers={"Location": f"{query['redirect_uri']}?{urlencode(back)}"})

    def _token(self, request: Request) -> Answer:
        """Exchange a code or refresh token for tokens. The client names itself in the form or by HTTP Basic."""
        form = request.form
        if not self._names_itself(request):
            return Answer(status=401, body={"error": "invalid_client"})
        if form.get("grant_type") == "refresh_token":
            return self._refreshed(form.get("refresh_token", ""))
        code = form.get("code", "")
        challenge = self._codes.pop(code, None)
        if challenge is None or (self.needs_proof and challenge != proof_of(form.get("code_verifier", ""))):
            return invalid_grant()
        return Answer(body=self.issue(self._scopes[code]))

    def _names_itself(self, request: Request) -> bool:
        form = request.form
        basic = "Basic " + base64.b64encode(":".join(self.client.values()).encode()).decode()
        named = all(form.get(name) == value for name, value in self.client.items())
        by_header = request.headers.get("authorization") == basic
        return by_header and "client_secret" not in form if self.basic else named or by_header

    def _refreshed(self, token: str) -> Answer:
        if not self.lives(token):
            return invalid_grant()
        if self.rotates:
            del self._refresh[token]
        return Answer(body=self.issue(self._scopes[token], refresh=self.rotates))


def proof_of(verifier: str) -> str:
    """Return the PKCE challenge of a verifier (RFC 7636, 4.2)."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def invalid_grant() -> Answer:
    return Answer(status=400, body={"error": "invalid_grant"})


def wrapped(answer: Answer, envelope: Envelope | None) -> Answer:
    """Return an answer in the form of a vendor with an envelope, with HTTP status 200 and its own status inside."""
    if envelope is None:
        return answer
    meanings = {status: own for own, status in envelope.meanings.items()}
    if answer.status == 200:
        body = {envelope.status: 0, envelope.body: answer.body}
    else:
        body = {envelope.status: meanings.get(answer.status, 1), "error": "refused"}
    return replace(answer, status=200, body=body)


def rows_between(rows: list[dict[str, Any]], field: str, first: str, last: str) -> list[dict[str, Any]]:
    """Return the rows whose date in ``field`` is from ``first`` to ``last``, and those whose date cannot be read.

    ``field`` holds a text that begins with a date, or seconds or milliseconds since 1970, dated in UTC.

    >>> rows = [{"at": "2026-11-20T23:10:00+01:00"}, {"at": 1795130100}, {"at": "soon"}, {"at": None}]
    >>> [row["at"] for row in rows_between(rows, "at", "2026-11-20", "2026-11-20")]
    ['2026-11-20T23:10:00+01:00', 'soon', None]
    """
    dated = [(row, _date(row.get(field))) for row in rows]
    return [row for row, day in dated if day is None or first <= str(day) <= last]


def _date(value: Any) -> date | None:
    if isinstance(value, str):
        return calendar_date(value[:10])
    at = utc_of_unix(value) or utc_of_unix(value, per_second=1000)
    return None if at is None else at.date()


def page_of(rows: list[Any], token: str | None, size: int) -> tuple[list[Any], str | None]:
    """Return the page of ``size`` rows with a token (None for the first page), and the next page's token, or None."""
    begin = int((token or "page-0").removeprefix("page-"))
    return rows[begin : begin + size], f"page-{begin + size}" if begin + size < len(rows) else None
