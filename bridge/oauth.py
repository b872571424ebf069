"""OAuth 2 for connectors: consent over a loopback redirect or a pasted address, and refresh with rotation.

A rotated token is saved before it is used: losing the new pair after the old one died would cost the person's consent.
"""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from bridge import http
from bridge.errors import NeedsLogin, SetupError, TryLater
from bridge.ports import Account, Browser
from bridge.redirect import HERE, LOOPBACK, answered, code_of, hearing

if TYPE_CHECKING:
    import requests
    from requests_oauthlib import OAuth2Session

EARLY = 300  # seconds before its end at which an access token is refreshed
TRIES = 3  # of pairs that others have swapped, before a refused request counts as refused
PLAIN = "OAUTHLIB_INSECURE_TRANSPORT"
_SETTING = threading.Lock()
_before: list[str | None] = []  # what the variable was, once for each who needs it now


class Signed:
    """A session that sends an account's token, refreshes it when it is about to end, and once when it is refused.

    Raises NeedsLogin when there is no token or the grant is gone, TryLater when the token server does not answer.
    """

    def __init__(self, account: Account, *, source: str, token_url: str, refresh_scope: str | None = None) -> None:
        token = account.token()
        if not token:
            raise needs_login(source)
        self._account, self._source, self._url = account, source, token_url
        self._scope = refresh_scope
        self._token: dict[str, Any] = token
        self._session = http.open_session()

    def close(self) -> None:
        self._session.close()

    def get(self, url: str, **options: Any) -> requests.Response:
        return self._ask("GET", url, **options)

    def delete(self, url: str, **options: Any) -> requests.Response:
        return self._ask("DELETE", url, **options)

    def _ask(self, method: str, url: str, **options: Any) -> requests.Response:
        if _ends(self._token):
            self._refresh()
        answer = self._send(method, url, **options)
        for _ in range(TRIES):
            if answer.status_code != 401:
                break
            ours = self._refresh()
            answer = self._send(method, url, **options)
            if ours:  # straight from the vendor: there is no better one
                break
        return answer

    def _send(self, method: str, url: str, **options: Any) -> requests.Response:
        _plain_loopback(url)  # raises where the token would be readable on its way
        signed = {"Authorization": f"Bearer {self._token['access_token']}"}
        return self._session.request(method, url, headers=signed, **options)

    def _refresh(self) -> bool:
        """Take the pair another process has stored meanwhile, or swap ours, alone; tells whether we swapped."""
        with self._account.swapping():
            newer = self._swapped_elsewhere()
            if newer is not None:
                self._token = newer
                if not _ends(newer):
                    return False
            self._token = self._swapped()
            return True

    def _swapped(self) -> dict[str, Any]:
        """The next pair. A refusal may mean that somebody swapped it without our lock: then theirs is the next."""
        try:
            return refreshed(self._account, self._source, self._token, self._url, self._scope)
        except NeedsLogin:
            newer = self._swapped_elsewhere()
            if newer is None:
                raise
            return newer

    def _swapped_elsewhere(self) -> dict[str, Any] | None:
        stored = self._account.token() or {}
        return stored if stored.get("refresh_token") not in (None, self._token.get("refresh_token")) else None


def _ends(token: Mapping[str, Any]) -> bool:
    """Whether the access token ends within minutes; one that does not say when lasts until it is refused."""
    return float(token.get("expires_at", time.time() + EARLY + 1)) - time.time() < EARLY


def refreshed(
    account: Account, source: str, token: Mapping[str, Any], token_url: str, scope: str | None
) -> dict[str, Any]:
    """The next pair, already saved; an unchanged refresh token is kept when the server sends none."""
    import requests
    from oauthlib.oauth2 import OAuth2Error

    if not token.get("refresh_token"):
        raise needs_login(source)
    with (
        _client(account, token=dict(token)) as client,
        loopback_may_be_plain(token_url),
    ):
        client.register_compliance_hook("refresh_token_response", not_busy(source))
        try:
            asked: dict[str, Any] = {
                "client_id": account.settings["client_id"],
                "client_secret": account.settings["client_secret"],
            }
            new: dict[str, Any] = client.refresh_token(
                token_url,
                refresh_token=token["refresh_token"],
                body=urlencode({"scope": scope} if scope else {}),
                timeout=http.TIMEOUT[1],
                **asked,
            )
        except requests.RequestException as error:
            raise TryLater(f"{source}'s token server does not answer ({type(error).__name__})") from error
        except OAuth2Error as error:
            if error.error in ("temporarily_unavailable", "server_error"):
                raise TryLater(f"{source}'s token server is busy") from None
            if error.error == "missing_token":  # neither a token nor a refusal: not the token server's own words
                raise TryLater(f"{source}'s token server answered something that is not a token") from None
            raise needs_login(source) from None
        except (ValueError, TypeError, AttributeError):  # what oauthlib makes of JSON that is no object
            raise TryLater(f"{source}'s token server answered something that is not a token") from None
    account.save_token(new)
    return new


def not_busy(source: str) -> Callable[[requests.Response], requests.Response]:
    """Looks at the status first: of a page that says 503, oauthlib only tells that there is no token in it."""

    def check(answer: requests.Response) -> requests.Response:
        if answer.status_code == 429 or answer.status_code >= 500:
            raise http.busy(f"{source}'s token server", answer)
        return answer

    return check


def needs_login(source: str) -> NeedsLogin:
    return NeedsLogin(f"{source} needs you to log in again: bridge connect {source} --user NAME")


def authorise(
    account: Account,
    browser: Browser,
    *,
    source: str,
    authorise_url: str,
    token_url: str,
    scopes: Sequence[str],
    pkce: bool = False,
    redirect: str = HERE,
) -> None:
    """Obtain consent and save the token: the person agrees in a browser and is redirected to us, or pastes the address.

    ``redirect`` is the address registered with the vendor; one that is not on this machine is always pasted.
    Raises NeedsLogin when they refuse, the answer does not match the question, or nobody answers in three minutes.
    """
    with (
        hearing(source, redirect) as (address, listener),
        loopback_may_be_plain(authorise_url),
        _client(account, scopes=scopes, redirect=address, pkce=pkce) as client,
    ):
        url, state = client.authorization_url(authorise_url, state=secrets.token_urlsafe(32))
        code = code_of(source, answered(browser, url, listener), state)
        account.save_token(_exchange(client, account, source, token_url, code))


def _exchange(client: OAuth2Session, account: Account, source: str, token_url: str, code: str) -> dict[str, Any]:
    import requests
    from oauthlib.oauth2 import OAuth2Error

    client.register_compliance_hook("access_token_response", not_busy(source))
    with loopback_may_be_plain(token_url):
        try:
            token: dict[str, Any] = client.fetch_token(
                token_url,
                code=code,
                client_secret=account.settings["client_secret"],
                include_client_id=True,
                timeout=http.TIMEOUT[1],
            )
        except requests.RequestException as error:
            raise TryLater(f"{source}'s token server does not answer ({type(error).__name__})") from error
        except (OAuth2Error, ValueError, TypeError, AttributeError, Warning):  # the middle ones: JSON that is no object
            raise NeedsLogin(
                f"{source} gave no token; check the client's id and secret, then: bridge connect {source} --user NAME"
            ) from None
    return dict(token)


def _client(
    account: Account,
    *,
    token: Mapping[str, Any] | None = None,
    scopes: Sequence[str] | None = None,
    redirect: str | None = None,
    pkce: bool = False,
) -> OAuth2Session:
    from requests_oauthlib import OAuth2Session

    return OAuth2Session(
        account.settings["client_id"],
        token=dict(token) if token else None,
        scope=list(scopes) if scopes else None,
        redirect_uri=redirect,
        pkce="S256" if pkce else None,
    )


def _plain_loopback(url: str) -> bool:
    """True for http:// on this very machine, False for https:// anywhere. Raises SetupError for any other address."""
    parts = urlsplit(url)
    if parts.scheme != "https" and parts.hostname not in LOOPBACK:
        raise SetupError("tokens are only sent over https; correct the source's address")
    return parts.scheme != "https"


@contextmanager
def loopback_may_be_plain(url: str) -> Iterator[None]:
    """oauthlib refuses http://; on this very machine, as in tests and demos, it is safe. Elsewhere: SetupError.

    The variable is the whole process's: the last of those who need it at once puts it back.
    """
    if not _plain_loopback(url):
        yield
        return
    with _SETTING:
        _before.append(_before[0] if _before else os.environ.get(PLAIN))
        os.environ[PLAIN] = "1"
    try:
        yield
    finally:
        with _SETTING:
            before = _before.pop()
            if not _before:
                os.environ.pop(PLAIN)
                os.environ.update({} if before is None else {PLAIN: before})
