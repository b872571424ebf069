"""OAuth 2 for connectors, with consent by a redirect or a pasted address, and refresh of rotating tokens.

A new token is saved before it is used, because losing it would cost the user's consent.
"""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from bridge import http
from bridge.auth.redirect_listener import code_of, listening, redirected_address, tried_by_hand
from bridge.auth.token_transport import plain_loopback, plain_loopback_allowed, unwrapped
from bridge.domain.errors import BridgeError, NeedsLogin, Refused, SetupError, TryLater
from bridge.domain.languages import reason, say
from bridge.domain.ports import Account, Browser, ConnectorSpec, Envelope, OAuth

if TYPE_CHECKING:
    import requests
    from requests_oauthlib import OAuth2Session

SWAP_AHEAD_SECONDS = 300  # seconds before its end at which an access token is swapped
ENDS = frozenset({"expires_in", "expires_at"})  # of a token's fields
CLIENT = ("client_id", "client_secret")  # a public client has no secret
SWAPS_MAX = 3  # pairs stored by other processes that are tried before a refused request counts as refused


class TokenSession:
    """An HTTP session that sends an account's access token, and replaces a token that ends or was refused.

    Its requests raise NeedsLogin if the consent is no longer accepted, TryLater if the token server does not answer.
    """

    def __init__(
        self,
        account: Account,
        swap: Callable[[dict[str, Any]], dict[str, Any]],
        *,
        token: dict[str, Any] | None = None,
        envelope: Envelope | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._account, self._swap, self._envelope = account, swap, envelope
        self._token: dict[str, Any] = token or account.token() or {}
        self._session = http.open_session()
        self._session.headers.update(headers or {})

    def close(self) -> None:
        self._session.close()

    def get(self, url: str, **options: Any) -> requests.Response:
        return self.request("GET", url, **options)

    def post(self, url: str, **options: Any) -> requests.Response:
        """Send a POST with the access token, and with ``data`` as its form."""
        return self.request("POST", url, **options)

    def request(self, method: str, url: str, **options: Any) -> requests.Response:
        """Send a request with the access token, and again with newer tokens while the answer is 401."""
        if _ends(self._token):
            self._refresh()
        answer = self._send(method, url, **options)
        for _ in range(SWAPS_MAX):
            if answer.status_code != 401 or http.names_scope(answer):
                break
            ours = self._refresh()
            answer = self._send(method, url, **options)
            if ours:  # straight from the vendor: there is no better token
                break
        return answer

    def _send(
        self, method: str, url: str, *, headers: Mapping[str, str] | None = None, **options: Any
    ) -> requests.Response:
        plain_loopback(url)  # raises where the token would be readable on its way
        signed = {**(headers or {}), "Authorization": f"Bearer {self._token['access_token']}"}
        return unwrapped(self._session.request(method, url, headers=signed, **options), self._envelope)

    def _refresh(self) -> bool:
        """Use a newer token that another process stored, else ask the vendor. Return True if the vendor was asked."""
        with self._account.refresh_lock():
            newer = self._swapped_elsewhere()
            if newer is not None:
                self._token = newer
                if not _ends(newer):
                    return False
            self._token = self._swapped()
            return True

    def _swapped(self) -> dict[str, Any]:
        """Save and return the vendor's next token. If the vendor refuses, return one that another process stored."""
        try:
            beside = {name: value for name, value in (self._account.token() or {}).items() if name not in ENDS}
            token = beside | self._swap(self._token)
        except NeedsLogin:
            newer = self._swapped_elsewhere()
            if newer is None:
                raise
            return newer
        self._account.save_token(token)
        return token

    def _swapped_elsewhere(self) -> dict[str, Any] | None:
        stored = self._account.token() or {}
        return stored if stored.get("access_token") not in (None, self._token.get("access_token")) else None


def open_session(account: Account, spec: ConnectorSpec) -> TokenSession:
    """Return a session with the account's token, refreshed by ``spec.oauth``. Raises NeedsLogin without a token."""
    stored = account.token()
    if not stored:
        raise needs_login(spec.name)
    envelope = oauth_of(spec).envelope
    return TokenSession(account, lambda token: refreshed(account, spec, token), token=stored, envelope=envelope)


def oauth_of(spec: ConnectorSpec) -> OAuth:
    """Return the OAuth settings of a source (``spec.oauth``). Raises SetupError for a connector without them."""
    if spec.oauth is None:
        raise SetupError(f"the connector {spec.name} states no OAuth; add oauth=OAuth(...) to the SPEC in its folder")
    return spec.oauth


def filled(address: str, settings: Mapping[str, str]) -> str:
    """Return an address with each ``{name}`` replaced by the setting of that name. Slashes after it are not doubled.

    >>> filled("{base_url}/token", {"base_url": "https://api.example.com/"})
    'https://api.example.com/token'
    """

    def put(found: re.Match[str]) -> str:
        value = settings[found[1]]
        return value.rstrip("/") + "/" if found[2] else value

    return re.sub(r"\{(\w+)\}(/?)", put, address)


def _ends(token: Mapping[str, Any]) -> bool:
    return (
        "access_token" not in token
        or float(token.get("expires_at", time.time() + SWAP_AHEAD_SECONDS + 1)) - time.time() < SWAP_AHEAD_SECONDS
    )


def refreshed(account: Account, spec: ConnectorSpec, token: Mapping[str, Any]) -> dict[str, Any]:
    """Return the vendor's next token for a refresh token. Only ``TokenSession`` may call this, as it holds the lock.

    Raises NeedsLogin for a refused or missing refresh token, Refused for HTTP 403 and 404, and else TryLater.
    """
    import requests
    from oauthlib.oauth2 import OAuth2Error

    if not token.get("refresh_token"):
        raise needs_login(spec.name)
    oauth = oauth_of(spec)
    token_url = filled(oauth.token_url, account.settings)
    with _client(account, spec, token=token) as client, plain_loopback_allowed(token_url):
        try:
            new: dict[str, Any] = client.refresh_token(
                token_url,
                refresh_token=token["refresh_token"],
                body=urlencode({"scope": oauth.refresh_scope} if oauth.refresh_scope else {}),
                timeout=http.TIMEOUT[1],
                **_application(account, oauth),
            )
        except requests.RequestException as error:
            raise TryLater(f"{spec.name}'s token server does not answer ({type(error).__name__})") from error
        except OAuth2Error as error:
            raise _meaning(error.error, spec.name) from None
        except (ValueError, TypeError, AttributeError, RecursionError):  # oauthlib's, of JSON that is no object
            raise TryLater(f"{spec.name}'s token server answered something that is not a token") from None
    return new


def _meaning(refusal: str | None, source: str) -> BridgeError:
    if refusal in ("temporarily_unavailable", "server_error"):
        return TryLater(f"{source}'s token server is busy")
    if refusal == "missing_token":  # neither a token nor a refusal: not the token server's own words
        return TryLater(f"{source}'s token server answered something that is not a token")
    return needs_login(source)


def not_busy(source: str) -> Callable[[requests.Response], requests.Response]:
    """Return a check of a token server's answer, which raises TryLater if busy, and Refused for 403 and 404."""

    def check(answer: requests.Response) -> requests.Response:
        if answer.status_code == 429 or answer.status_code >= 500:
            raise http.busy_error(f"{source}'s token server", answer)
        if answer.status_code in (403, 404):  # a token server refuses with 400 or 401 (RFC 6749, 5.2)
            raise Refused(reason(needs_login(source)))
        return answer

    return check


def needs_login(source: str) -> NeedsLogin:
    """Return the error that tells the user to log in at a source again, with the command."""
    command = f"bridge connect {source} --user NAME"
    return NeedsLogin(say("{source} needs you to log in again: {command}", source=source, command=command))


def authorise(account: Account, browser: Browser, spec: ConnectorSpec, *, scopes: Sequence[str] | None = None) -> None:
    """Obtain a user's consent at a source and save the token. ``scopes`` replaces those of ``spec.oauth``.

    Raises NeedsLogin if no consent is given, TryLater if the token server does not answer, SetupError for a port in
    use.
    """
    oauth = oauth_of(spec)
    page = filled(oauth.authorise_url, account.settings)
    asked = [oauth.scope_separator.join(scopes or oauth.scopes)]
    with (
        tried_by_hand(spec.name),
        listening(spec.name, filled(oauth.redirect, account.settings)) as (address, listener),
        plain_loopback_allowed(page),
        _client(account, spec, scopes=asked, redirect=address) as client,
    ):
        url, state = client.authorization_url(page, state=secrets.token_urlsafe(32), **oauth.authorise_parameters)
        client.scope = None  # or oauthlib takes a grant of less, or under other names, for an error: RFC 6749 5.1
        code = code_of(spec.name, redirected_address(browser, url, listener), state)
        account.save_token(_exchange(client, account, spec, code))


def _exchange(client: OAuth2Session, account: Account, spec: ConnectorSpec, code: str) -> dict[str, Any]:
    """Exchange a consent's ``code`` for the token. Raises NeedsLogin or Refused if refused, else TryLater."""
    import requests
    from oauthlib.oauth2 import OAuth2Error

    oauth = oauth_of(spec)
    token_url = filled(oauth.token_url, account.settings)
    named = _application(account, oauth)
    named.pop("client_id", None)  # oauthlib adds it itself
    with plain_loopback_allowed(token_url):
        try:
            token: dict[str, Any] = client.fetch_token(
                token_url,
                code=code,
                include_client_id=not oauth.basic,
                timeout=http.TIMEOUT[1],
                **named,
            )
        except requests.RequestException as error:
            raise TryLater(f"{spec.name}'s token server does not answer ({type(error).__name__})") from error
        except (OAuth2Error, ValueError, TypeError, AttributeError):  # the last three: JSON that is no object
            raise NeedsLogin(
                f"{spec.name} gave no token; check the client's id and secret, "
                f"then: bridge connect {spec.name} --user NAME"
            ) from None
    if not token.get("refresh_token"):  # nothing could follow it: it is used until it is refused
        return {name: value for name, value in token.items() if name not in ENDS}
    return dict(token)


UNKNOWN_CLIENT = frozenset(
    {"invalid_client", "unauthorized_client", "deleted_client", "disabled_client"}
)  # RFC 6749 5.2


def check_client(spec: ConnectorSpec, settings: Mapping[str, str]) -> None:
    """Test a client id and secret by asking the vendor's token server to refresh an invalid token.

    Servers check the client first. Raises SetupError if it is refused, TryLater if the server is silent or busy.
    """
    import requests

    if spec.oauth is not None:
        oauth = spec.oauth
    else:
        oauth = OAuth(authorise_url="", token_url=(spec.registration and spec.registration.token_url) or "", scopes=())
    address = filled(oauth.token_url, settings)
    plain_loopback(address)
    client = {name: settings[name] for name in CLIENT if name in settings}
    form = {"grant_type": "refresh_token", "refresh_token": "none", **oauth.token_parameters}
    options: dict[str, Any] = {"auth": tuple(client.values())} if oauth.basic else {}
    try:
        with http.open_session() as session:
            given = session.post(address, data=form if oauth.basic else form | client, timeout=http.TIMEOUT, **options)
    except requests.RequestException as error:
        raise TryLater(f"{spec.name}'s token server does not answer ({type(error).__name__})") from None
    answer = unwrapped(given, oauth.envelope)
    if answer.status_code == 429 or answer.status_code >= 500:
        raise http.busy_error(f"{spec.name}'s token server", answer)
    if answer.status_code == 401 or _refusal(answer) in UNKNOWN_CLIENT:
        raise SetupError(
            f"{spec.name} does not know this client {'id and secret' if len(client) > 1 else 'id'}; compare what you "
            "entered with the vendor's page, and enter it again"
        )


def _refusal(answer: requests.Response) -> str:
    try:
        told = json.loads(answer.content)
    except (ValueError, RecursionError):
        return ""
    return str(told.get("error", "")) if isinstance(told, dict) else ""


def revoke(account: Account, spec: ConnectorSpec) -> bool:
    """Revoke the consent at the vendor, and return True if the vendor confirmed."""
    import requests

    oauth = oauth_of(spec)
    revocation = oauth.revocation
    if revocation is None:
        return False
    token = quote((account.token() or {}).get("access_token", ""))
    address = filled(revocation.address, {**account.settings, "access_token": token})
    try:
        if revocation.form or "{access_token}" in revocation.address:
            plain_loopback(address)  # raises where the token would be readable on its way
            with http.open_session() as session:
                sent = _in_form(account, oauth, revocation.form) if revocation.form else {}
                answer = session.request(revocation.method, address, timeout=http.TIMEOUT, **sent)
                return unwrapped(answer, oauth.envelope).ok
        with closing(open_session(account, spec)) as signed:
            return signed.request(revocation.method, address, timeout=http.TIMEOUT).ok
    except (requests.RequestException, BridgeError):
        return False


def _in_form(account: Account, oauth: OAuth, field: str) -> dict[str, Any]:
    token = account.token() or {}
    client = {name: account.settings[name] for name in CLIENT if name in account.settings}
    form = {field: token.get("refresh_token") or token.get("access_token", "")}
    return {"data": form, "auth": tuple(client.values())} if oauth.basic else {"data": form | client}


def _client(
    account: Account,
    spec: ConnectorSpec,
    *,
    token: Mapping[str, Any] | None = None,
    scopes: Sequence[str] | None = None,
    redirect: str | None = None,
) -> OAuth2Session:
    from requests_oauthlib import OAuth2Session

    oauth = oauth_of(spec)
    session = OAuth2Session(
        account.settings["client_id"],
        token=dict(token) if token else None,
        scope=list(scopes) if scopes else None,
        redirect_uri=redirect,
        pkce="S256" if oauth.pkce else None,
    )
    check = not_busy(spec.name)
    for hook in ("access_token_response", "refresh_token_response"):
        session.register_compliance_hook(hook, lambda answer: check(unwrapped(answer, oauth.envelope)))
    http.prepare(session)
    return session


def _application(account: Account, oauth: OAuth) -> dict[str, Any]:
    from requests.auth import HTTPBasicAuth

    client = {name: account.settings[name] for name in CLIENT if name in account.settings}
    return ({"auth": HTTPBasicAuth(*client.values())} if oauth.basic else client) | dict(oauth.token_parameters)
