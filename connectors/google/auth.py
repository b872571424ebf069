"""Obtain and revoke consents at Google for its connectors, and open clients that sign requests with a token."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from bridge import http as web
from bridge.auth.oauth import not_busy
from bridge.auth.redirect_listener import code_of, listening
from bridge.auth.redirect_listener import redirected_address as led_back
from bridge.auth.token_transport import plain_loopback_allowed
from bridge.domain.errors import NeedsLogin, TryLater
from bridge.domain.languages import say
from bridge.domain.ports import Account, Browser, Registration, Setting
from connectors.google.answers import Service, instant_of, refused

ANSWER_MAX_SECONDS = 60  # seconds for any answer


GOOGLE_SETTINGS = (
    Setting(
        name="auth_uri",
        help="the address of Google's consent page",
        default="https://accounts.google.com/o/oauth2/auth",
    ),
    Setting(
        name="token_uri", help="the address of Google's token server", default="https://oauth2.googleapis.com/token"
    ),
    Setting(
        name="revoke_uri",
        help="the address at which a consent is withdrawn",
        default="https://oauth2.googleapis.com/revoke",
    ),
    Setting(name="client_id", help="the client id of your OAuth client (type Desktop app)", shared="google"),
    Setting(name="client_secret", help="the client secret of your OAuth client", secret=True, shared="google"),
)
REGISTRATION = Registration(  # one client serves every source of Google
    address="https://console.cloud.google.com",
    steps=(
        say("Make a project, such as “rhythm”."),
        say("APIs & Services, Library: enable the APIs of Google Calendar, Tasks and Health, as you need them."),
        say("Google Auth Platform, Branding: give a name and your e-mail address."),
        say("Audience: choose External, then Publish app. In status Testing every consent ends after 7 days."),
        say("Clients, Create client, type Desktop app. Copy Client ID and Client secret into the fields below."),
    ),
    token_url="{token_uri}",  # noqa: S106 - an address
)


def authorise(
    account: Account, browser: Browser, service: Service, *, write: bool = False, also: Sequence[str] = ()
) -> None:
    """Ask the user for consent to read, and with ``write`` also to write, and save the token.

    The user may refuse the scopes ``also``. Raises NeedsLogin if another is refused or the user is too late, and
    TryLater if Google does not answer.
    """
    writes = [service.writes] if write and service.writes else []
    asked = [*service.readable, *writes, *also]
    credentials = _agreed(account, browser, service, asked)
    granted = list(asked if credentials.granted_scopes is None else credentials.granted_scopes)  # RFC 6749 5.1
    if not (set(service.readable) & set(granted) and set(writes) <= set(granted)):
        what = "writing" if set(service.readable) & set(granted) else "reading"
        raise NeedsLogin(
            f"the consent does not cover {what} {service.reads}; "
            f"tick that box on Google's page and connect again: {service.again}"
        )
    agreed = {"scopes": granted, "granted_at": datetime.now(UTC).isoformat()}
    account.save_token(_stored(credentials, agreed))


def _agreed(account: Account, browser: Browser, service: Service, asked: Sequence[str]) -> Any:
    import requests
    from google_auth_oauthlib.flow import Flow
    from oauthlib.oauth2 import OAuth2Error

    flow = Flow.from_client_config({"installed": _client(account)}, asked)
    with listening(service.source) as (here, listener), plain_loopback_allowed(account.settings["token_uri"]):
        flow.redirect_uri = here
        web.prepare(flow.oauth2session)
        flow.oauth2session.register_compliance_hook("access_token_response", not_busy(service.source))
        url, state = flow.authorization_url(prompt="consent")
        flow.oauth2session.scope = None  # what was granted is looked at below; oauthlib takes less for an error
        code = code_of(service.source, led_back(browser, url, listener), state)
        try:
            flow.fetch_token(code=code, timeout=ANSWER_MAX_SECONDS)
            return flow.credentials
        except requests.RequestException as error:
            told = f"{service.source}'s token server does not answer ({type(error).__name__})"
            raise TryLater(f"{told}; try again later: {service.again}") from None
        except OAuth2Error as error:
            told = f"the consent was refused or incomplete ({type(error).__name__}): {service.again}"
            raise NeedsLogin(told) from None
        except TryLater as error:  # of a server that is busy
            told = f"{error}; try again later: {service.again}"
            raise TryLater(told, retry_at=error.retry_at, after=error.after) from None
        except (ValueError, TypeError, AttributeError, KeyError):  # what the library makes of JSON that is no token
            told = f"{service.source}'s token server answered something that is not a token"
            raise TryLater(f"{told}; try again later: {service.again}") from None


def revoke(account: Account) -> bool:
    """Revoke the consent at Google, without deleting the stored token. Return True if Google confirmed."""
    import requests

    token = account.token() or {}
    data = {"token": token.get("refresh_token") or token.get("token")}
    with web.open_session() as session:
        try:
            return (
                session.post(account.settings["revoke_uri"], data=data, timeout=ANSWER_MAX_SECONDS).status_code == 200
            )
        except requests.RequestException:
            return False


def open_http(account: Account, service: Service) -> Any:
    """Return an HTTP client that signs requests with the account's token. An expired token is refreshed and saved.

    Raises NeedsLogin if the consent is missing or has ended, and TryLater if Google does not answer.
    """
    import google_auth_httplib2
    from google.auth.exceptions import RefreshError, TransportError

    credentials = _credentials(account, _consent(account, service))
    http = _Http()
    if not credentials.valid:
        with account.refresh_lock():  # a consent that was given meanwhile stays
            token = _consent(account, service)
            credentials = _credentials(account, token)
            try:
                credentials.refresh(google_auth_httplib2.Request(http))
            except RefreshError as error:
                http.close()
                raise refused(error, service, token, http.wait) from None
            except (TransportError, OSError) as error:
                http.close()
                raise TryLater(f"{service.source}'s token server does not answer ({type(error).__name__})") from None
            account.save_token(_stored(credentials, token))
    return google_auth_httplib2.AuthorizedHttp(credentials, http=http)


def _consent(account: Account, service: Service) -> dict[str, Any]:
    token = account.token()
    if not token or not token.get("refresh_token"):
        raise NeedsLogin(f"{service.source} needs you to log in: {service.again}")
    return token


def _credentials(account: Account, token: Mapping[str, Any]) -> Any:
    from google.oauth2.credentials import Credentials

    ends = instant_of(token, "expiry")
    return Credentials(  # type: ignore[no-untyped-call]
        token=token.get("token"),
        refresh_token=token["refresh_token"],
        token_uri=account.settings["token_uri"],
        client_id=account.settings["client_id"],
        client_secret=account.settings["client_secret"],
        expiry=ends and ends.astimezone(UTC).replace(tzinfo=None),  # the library wants naive UTC
    )


def _stored(credentials: Any, consent: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``consent`` with the current tokens and expiry of the credentials, to be saved."""
    # The library's ``to_json`` would lose the granted scopes and the time of the grant.
    expiry = credentials.expiry.replace(tzinfo=UTC).isoformat() if credentials.expiry else None
    return {
        **consent,
        "token": credentials.token,
        "refresh_token": credentials.refresh_token,
        "expiry": expiry,
        "worked_at": datetime.now(UTC).isoformat(),
    }


def _client(account: Account) -> dict[str, Any]:
    names = ("client_id", "client_secret", "auth_uri", "token_uri")
    return {name: account.settings[name] for name in names} | {"redirect_uris": ["http://localhost"]}


class _Http:
    """A replacement for ``httplib2.Http`` by a session of the bridge. ``wait`` is the last answer's Retry-After."""

    def __init__(self) -> None:
        self._session = web.open_session()
        self.wait: timedelta | None = None  # that the last answer asked for

    def request(self, uri: str, method: str = "GET", body: Any = None, headers: Any = None, **_: Any) -> Any:
        import httplib2

        answer = self._session.request(method, uri, data=body, headers=headers, timeout=ANSWER_MAX_SECONDS)
        self.wait = web.retry_after(answer, now=datetime.now(UTC))
        named = {name.lower(): value for name, value in answer.headers.items()}
        response = httplib2.Response({**named, "status": str(answer.status_code)})
        response.reason = answer.reason
        return response, answer.content

    def close(self) -> None:
        self._session.close()


def open_service(account: Account, service: Service, name: str, version: str, path: str) -> Any:
    """Return Google's client for an API at ``path`` of the account's base address, whose requests the account signs."""
    address = account.settings["base_url"].rstrip("/") + path
    return _Api(lambda collection: _collection(name, version, address, collection), open_http(account, service))


@cache
def _built(name: str, version: str, address: str) -> Any:
    import httplib2
    from googleapiclient.discovery import build

    return build(
        name,
        version,
        http=httplib2.Http(),
        client_options={"api_endpoint": address},
        static_discovery=True,
        cache_discovery=False,
    )


@cache
def _collection(name: str, version: str, address: str, collection: str) -> Any:
    return getattr(_built(name, version, address), collection)()


class _Api:
    """Google's client for an API, with its collections as methods, such as ``api.events()``."""

    def __init__(self, collection: Callable[[str], Any], http: Any) -> None:
        self._collection = collection
        self._http = http

    def __getattr__(self, name: str) -> Callable[[], _Requests]:
        return lambda: _Requests(self._collection(name), self._http)

    def close(self) -> None:
        self._http.close()


class _Requests:
    """A collection of Google's client. Its methods, such as ``list(...)``, return requests that the account signs."""

    def __init__(self, collection: Any, http: Any) -> None:
        self._collection = collection
        self._http = http

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def made(*arguments: Any, **options: Any) -> Any:
            request = getattr(self._collection, name)(*arguments, **options)
            if request is not None:  # after the last page there is none
                request.http = self._http
            return request

        return made
