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
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

from bridge import http
from bridge.errors import NeedsLogin, SetupError, TryLater
from bridge.ports import Account, Browser

if TYPE_CHECKING:
    import requests
    from requests_oauthlib import OAuth2Session

EARLY = 300  # seconds before its end at which an access token is refreshed
TRIES = 3  # of pairs that others have swapped, before a refused request counts as refused
PATIENCE = 180.0  # seconds a person has to agree in the browser
SILENCE = 2.0  # seconds a connection to our listener may say nothing: browsers open spare ones
LOOPBACK = ("127.0.0.1", "localhost", "::1")
HERE = "http://127.0.0.1:0/"  # where vendors lead back to if any port will do
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
        client.register_compliance_hook("refresh_token_response", _busy(source))
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


def _busy(source: str) -> Callable[[requests.Response], requests.Response]:
    """Looks at the status first: of a page that says 503, oauthlib only tells that there is no token in it."""

    def check(answer: requests.Response) -> requests.Response:
        if answer.status_code == 429 or answer.status_code >= 500:
            raise TryLater(f"{source}'s token server is busy (HTTP {answer.status_code})")
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


@contextmanager
def hearing(source: str, redirect: str = HERE) -> Iterator[tuple[str, Listener | None]]:
    """The redirect address, with a port where it names none, and who listens there; nobody where it leads elsewhere."""
    try:
        parts = urlsplit(redirect)
        here, port = parts.scheme == "http" and parts.hostname in LOOPBACK[:2], parts.port
    except ValueError:
        raise SetupError(f"{redirect} is no address that a vendor could lead back to; correct the setting") from None
    if not here:
        yield redirect, None
        return
    with Listener(source, 80 if port is None else port) as listener:
        yield redirect if port != 0 else f"http://{parts.hostname}:{listener.port}{parts.path}", listener


def answered(browser: Browser, url: str, listener: Listener | None) -> str | None:
    """Show an address to the person; the one they were led to: pasted, or as it arrives here; None when nobody came."""
    browser.open(url)
    pasted = browser.paste()
    if pasted is None and listener is not None:
        return listener.wait(PATIENCE)
    found = browser.ask("The address you were redirected to") if pasted is None else pasted
    return (found or "").strip() or None


def code_of(source: str, answer: str | None, state: str) -> str:
    """The authorisation code of a redirected address, checked against our question."""
    if answer is None:
        raise NeedsLogin(f"nobody agreed within three minutes; try again: bridge connect {source} --user NAME")
    query = _query(answer)
    if query.get("error"):
        raise NeedsLogin(f"the consent was refused; to try again: bridge connect {source} --user NAME")
    if not secrets.compare_digest(query.get("state", [""])[0].encode(), state.encode()) or "code" not in query:
        raise NeedsLogin(f"that address does not answer this question; try again: bridge connect {source} --user NAME")
    return query["code"][0]


def _query(address: str) -> dict[str, list[str]]:
    """Empty where it is no address: people paste all kinds of things."""
    try:
        return parse_qs(urlsplit(address).query)
    except ValueError:
        return {}


def _exchange(client: OAuth2Session, account: Account, source: str, token_url: str, code: str) -> dict[str, Any]:
    import requests
    from oauthlib.oauth2 import OAuth2Error

    client.register_compliance_hook("access_token_response", _busy(source))
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
        except (OAuth2Error, ValueError, Warning):
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


class Listener:
    """Waits on loopback for the redirect; other requests (a favicon) are answered 404 and do not count.

    ``port``: 0 for any that is free. Raises SetupError where it cannot be had.
    """

    def __init__(self, source: str, port: int = 0) -> None:
        self.answer: str | None = None
        try:
            self._server = HTTPServer(("127.0.0.1", port), _redirect_handler(self))
        except (OSError, OverflowError) as error:
            raise SetupError(
                f"port {port} of this machine, to which {source} leads back, cannot be had ({error}); wait until another "
                "consent is over, or register and set another redirect address"
            ) from None
        self.port: int = self._server.server_address[1]

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.server_close()

    def wait(self, seconds: float) -> str | None:
        """The address the browser was sent to; None when nobody came."""
        end = time.monotonic() + seconds
        while self.answer is None and (left := end - time.monotonic()) > 0:
            self._server.timeout = left
            self._server.handle_request()
        return self.answer


def _redirect_handler(listener: Listener) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = SILENCE  # one connection is served after the other

        def do_GET(self) -> None:
            query = parse_qs(urlsplit(self.path).query)
            expected = "state" in query and ("code" in query or "error" in query)
            if expected:
                listener.answer = self.path
            self.send_response(200 if expected else 404)
            self.send_header("Content-Type", "text/plain; charset=utf-8")
            self.end_headers()
            self.wfile.write(b"Done. You can close this page.\n" if expected else b"")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Silent: the address holds the code."""

    return Handler
