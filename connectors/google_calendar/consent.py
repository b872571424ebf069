"""Google's consent: the installed-app flow with PKCE over a loopback redirect, and credentials that refresh."""

from __future__ import annotations

import webbrowser
from datetime import UTC, datetime
from typing import Any

from bridge.errors import NeedsLogin, TryLater
from bridge.oauth import loopback_may_be_plain
from bridge.ports import Account, Browser
from connectors.google_calendar.faults import AGAIN, refused

SCOPE = "https://www.googleapis.com/auth/calendar.readonly"
PATIENCE = 180  # seconds a person has to agree in the browser
TIMEOUT = 60  # seconds for any answer


def authorise(account: Account, browser: Browser) -> None:
    """Ask to read calendars, nothing else. Raises NeedsLogin when refused, incomplete or unanswered."""
    from google_auth_oauthlib.flow import InstalledAppFlow, WSGITimeoutError
    from oauthlib.oauth2 import OAuth2Error

    flow = InstalledAppFlow.from_client_config({"installed": _client(account)}, [SCOPE])
    webbrowser.register("rhythm-bridge-consent", None, _Shown(browser))
    with loopback_may_be_plain(account.settings["token_uri"]):
        try:
            credentials = flow.run_local_server(
                host="127.0.0.1",
                port=0,
                browser="rhythm-bridge-consent",
                authorization_prompt_message=None,
                success_message="Done. You can close this page.",
                timeout_seconds=PATIENCE,
                prompt="consent",
            )
        except WSGITimeoutError:
            raise NeedsLogin(f"nobody agreed within three minutes; try again: {AGAIN}") from None
        except (OAuth2Error, Warning) as error:  # a refused scope arrives as a bare Warning
            raise NeedsLogin(f"the consent was refused or incomplete ({type(error).__name__}): {AGAIN}") from None
    granted = list(credentials.granted_scopes or [])
    if SCOPE not in granted:
        raise NeedsLogin(f"the consent does not cover reading calendars; tick that box: {AGAIN}")
    account.save_token(_stored(credentials, granted))


def revoke(account: Account) -> bool:
    """Withdraw the consent at Google; False when Google did not confirm."""
    import requests

    token = account.token() or {}
    data = {"token": token.get("refresh_token") or token.get("token")}
    try:
        return requests.post(account.settings["revoke_uri"], data=data, timeout=TIMEOUT).status_code == 200
    except requests.RequestException:
        return False


def open_http(account: Account) -> Any:
    """An httplib2 client that signs requests. A token that has ended is refreshed, and saved before it is used.

    Raises NeedsLogin when there is no consent or Google no longer honours it, TryLater when Google does not answer.
    """
    import google_auth_httplib2
    import httplib2
    from google.auth.exceptions import RefreshError, TransportError

    credentials, granted = _credentials(account)
    http = httplib2.Http(timeout=TIMEOUT)
    if not credentials.valid:
        try:
            credentials.refresh(google_auth_httplib2.Request(http))
        except RefreshError as error:
            raise refused(error) from None
        except (TransportError, OSError) as error:
            raise TryLater(f"google_calendar's token server does not answer ({type(error).__name__})") from None
        account.save_token(_stored(credentials, granted))
    return google_auth_httplib2.AuthorizedHttp(credentials, http=http)


def _credentials(account: Account) -> tuple[Any, list[str]]:
    from google.oauth2.credentials import Credentials

    token = account.token()
    if not token or not token.get("refresh_token"):
        raise NeedsLogin(f"google_calendar needs you to log in: {AGAIN}")
    expiry = (
        datetime.fromisoformat(token["expiry"]).astimezone(UTC).replace(tzinfo=None) if token.get("expiry") else None
    )
    credentials = Credentials(  # type: ignore[no-untyped-call]
        token=token.get("token"),
        refresh_token=token["refresh_token"],
        token_uri=account.settings["token_uri"],
        client_id=account.settings["client_id"],
        client_secret=account.settings["client_secret"],
        expiry=expiry,  # the library wants naive UTC
    )
    return credentials, list(token.get("scopes", ()))


def _stored(credentials: Any, granted: list[str]) -> dict[str, Any]:
    """What is kept; the library's own ``to_json`` knows the scopes asked for, not those granted."""
    expiry = credentials.expiry.replace(tzinfo=UTC).isoformat() if credentials.expiry else None
    return {
        "token": credentials.token,
        "refresh_token": credentials.refresh_token,
        "expiry": expiry,
        "scopes": granted,
    }


def _client(account: Account) -> dict[str, Any]:
    names = ("client_id", "client_secret", "auth_uri", "token_uri")
    return {name: account.settings[name] for name in names} | {"redirect_uris": ["http://localhost"]}


class _Shown(webbrowser.BaseBrowser):
    """Lets the library's flow show its address through the bridge's browser."""

    def __init__(self, browser: Browser) -> None:
        super().__init__("rhythm-bridge-consent")
        self._browser = browser

    def open(self, url: str, new: int = 0, autoraise: bool = True) -> bool:  # noqa: ARG002 - the interface's names
        self._browser.open(url)
        return True
