"""Share Google's OAuth consent, credentials and errors between the connectors of Google."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from bridge import http as web
from bridge.auth.oauth import not_busy
from bridge.auth.redirect_listener import code_of, listening
from bridge.auth.redirect_listener import redirected_address as led_back
from bridge.auth.token_transport import plain_loopback_allowed
from bridge.domain.errors import BridgeError, NeedsLogin, Refused, SourceChanged, TryLater
from bridge.domain.languages import say
from bridge.domain.ports import Account, Browser, Registration, Setting
from bridge.http.allowance import TOO_DEEP

ANSWER_MAX_SECONDS = 60  # seconds for any answer
BUSY = {"rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED", "RESOURCE_EXHAUSTED"}
QUOTA_PAUSE = timedelta(hours=6)  # "usage limits exceeded": back off for hours
DISABLED = {"accessNotConfigured", "SERVICE_DISABLED"}
# A token server's last words: RFC 6749, 5.2; developers.google.com/identity/protocols/oauth2/web-server (errors)
DEAD = ("invalid_grant", "invalid_client", "unauthorized_client", "deleted_client", "disabled_client", "invalid_scope")
SHUT, UNCOVERED = {"forbidden"}, {"insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"}
# Consents to an app in publishing status Testing end after 7 days: developers.google.com/identity/protocols/oauth2
# ("Refresh token expiration"). An access token outlives its consent by up to an hour.
TESTING_CONSENT_LIFE, ACCESS_TOKEN_LIFE = timedelta(days=7), timedelta(hours=1)
TELLING = timedelta(days=30)  # after that a consent that died unseen may have died of anything


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A Google API as a source, with its names and the scopes that a consent must cover."""

    source: str
    api: str  # its name in Google's console
    scope: str
    reads: str  # what the consent lets us read
    writes: str | None = None  # the scope for writing, asked for only where it is switched on
    more: tuple[str, ...] = ()  # further scopes for reading, of which the person may leave out any
    fades: str = ""  # a sentence, where Google ends consents although the app is in production

    @property
    def readable(self) -> tuple[str, ...]:
        """All scopes for reading, of which a consent must cover some scope."""
        return self.scope, *self.more

    @property
    def again(self) -> str:
        return f"bridge connect {self.source} --user NAME"


GOOGLE_SETTINGS = (
    Setting(name="auth_uri", help="Google's consent page", default="https://accounts.google.com/o/oauth2/auth"),
    Setting(name="token_uri", help="Google's token server", default="https://oauth2.googleapis.com/token"),
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


class Gone(SourceChanged):
    """The error of a 410 of Google, for a sync token or an ``updatedMin`` that is too old."""


class NotFound(SourceChanged):
    """The error of a 404 of Google, for something that was removed or is no longer shared."""


class Forbidden(Refused):
    """The error of a 403 of Google for a calendar or list that is no longer shared. Another consent would not help."""


class Uncovered(Refused):
    """The error of a 403 of Google for something that the consent does not cover."""


class Taken(SourceChanged):
    """The error of a 409 of Google, for an event whose id exists already."""


class Invalid(SourceChanged):
    """The error of a 400 of Google, for a rejected parameter such as the id of a removed list."""


def answered(request: Any, service: Service, now: datetime) -> Any:
    """Send a request once and return the parsed answer. The scheduler retries failed requests later.

    Raises NeedsLogin, TryLater, and SourceChanged. Of their subclasses here, callers may catch Gone, NotFound,
    Forbidden, Taken and Invalid, which otherwise end the sync. ``now`` is the time from which waits are counted.
    """
    from http.client import HTTPException

    import httplib2
    from google.auth.exceptions import RefreshError, TransportError
    from googleapiclient.errors import HttpError

    reads = request.method == "GET"  # what only writes may be answered without content
    try:
        answer = request.execute(num_retries=0)
    except HttpError as error:
        raise _meaning(error, service, now, _wait(request)) from None
    except RefreshError as error:
        raise refused(error, service, wait=_wait(request)) from None
    except (httplib2.HttpLib2Error, HTTPException, TransportError, OSError) as error:
        raise TryLater(f"{service.source} does not answer ({type(error).__name__})") from None
    except (ValueError, TypeError):  # the latter from the library's own reading of an odd error
        raise TryLater(f"{service.source} answered something that is not JSON") from None
    except RecursionError:
        raise SourceChanged(TOO_DEEP) from None
    if isinstance(answer, str | bytes) and (reads or answer):  # the library gives what is no JSON as it came
        raise TryLater(f"{service.source} answered something that is not JSON")
    return answer


def refused(
    error: Any, service: Service, token: Mapping[str, Any] | None = None, wait: timedelta | None = None
) -> BridgeError:
    """Return the error to raise after Google's library failed to refresh a token with ``error``.

    It is NeedsLogin if the consent has ended, TryLater if the token server is busy, and else Refused. ``token`` is the
    stored token, whose dates tell why the consent ended. ``wait`` is the wait that the server asked for.
    """
    answer = error.args[1] if len(error.args) > 1 else None
    if getattr(error, "retryable", False) or not (isinstance(answer, dict) and "error" in answer):
        return TryLater(f"{service.source}'s token server is busy", after=wait)
    if answer["error"] not in DEAD:
        return Refused(f"{service.source}'s token server refused the bridge; if that lasts, connect: {service.again}")
    given = _instant(token, "granted_at")
    if given is None:
        return NeedsLogin(
            f"{service.source} needs you to log in again: {service.again}. If this happens every 7 days, your OAuth "
            "app is in publishing status Testing: set it to In production, then log in again"
        )
    if died_of_testing(given, _instant(token, "worked_at") or given, datetime.now(UTC)):
        return NeedsLogin(
            f"{service.source}: the consent of {given:%d %b} ended after 7 days, because your OAuth app is in "
            "publishing status Testing. Set it to In production (Google Auth Platform, Audience: Publish app), then "
            f"log in again: {service.again}"
        )
    ended = f"{service.source}: the consent of {given:%d %b} was withdrawn or has ended"
    return NeedsLogin(f"{ended}. {service.fades}: {service.again}" if service.fades else f"{ended}: {service.again}")


def died_of_testing(given: datetime, worked: datetime, now: datetime) -> bool:
    """Return True if a consent ended because Google limits apps in publishing status Testing to seven days.

    The consent was given at ``given``, last worked at ``worked``, and had ended by ``now``. After 30 days the result is
    False, because the cause can no longer be told.

    >>> given = datetime(2026, 11, 1, tzinfo=UTC)
    >>> days = ((6.99, 7.01), (6.99, 6.995), (7.5, 8), (3, 60))
    >>> [died_of_testing(given, given + timedelta(days=w), given + timedelta(days=n)) for w, n in days]
    [True, False, False, False]
    """
    return worked - given <= TESTING_CONSENT_LIFE + ACCESS_TOKEN_LIFE and TESTING_CONSENT_LIFE <= now - given <= TELLING


def _instant(token: Mapping[str, Any] | None, name: str) -> datetime | None:
    text = (token or {}).get(name)
    return datetime.fromisoformat(text) if isinstance(text, str) else None


def _wait(request: Any) -> timedelta | None:
    """Return the wait that the last answer on a request's connection asked for, or None if it asked for none."""
    wait: timedelta | None = getattr(request.http.http, "wait", None)
    return wait


def _meaning(error: Any, service: Service, now: datetime, wait: timedelta | None) -> BridgeError:
    status, reasons = int(error.resp.status), _reasons(error.content)
    if status == 401:
        return NeedsLogin(f"{service.source} refused the stored consent; connect again: {service.again}")
    if status == 403 and "quotaExceeded" in reasons:
        return TryLater(f"{service.source}'s daily quota is used up", retry_at=now + QUOTA_PAUSE, limited=True)
    if status == 429 or status >= 500 or reasons & BUSY:
        limited = status < 500
        at = None if wait is None else now + wait
        return TryLater(f"{service.source} is busy (HTTP {status})", retry_at=at, limited=limited)
    if status == 403 and reasons & DISABLED:
        return SourceChanged(
            f"the {service.api} is not enabled in your Google project: enable it, then: bridge sync --user NAME"
        )
    if status == 403 and reasons & SHUT and not reasons & UNCOVERED:
        told = f"{service.source} forbids reading {service.reads}; check at Google that you may still read them, then: "
        return Forbidden(told + service.again)
    if status == 403:
        kind = Uncovered if reasons & UNCOVERED else Refused
        return kind(f"{service.source}'s consent does not cover reading {service.reads}: {service.again}")
    if status == 400 and "ACCOUNT_NOT_LINKED" in reasons:
        return NeedsLogin(
            f"this Google account has no account at Google Health; open that app once with it, then: {service.again}"
        )
    refusal = {400: Invalid, 404: NotFound, 409: Taken, 410: Gone}.get(status, SourceChanged)
    return refusal(f"{service.source} refused the request (HTTP {status})")


def _reasons(content: bytes) -> set[str]:
    """Return every reason that an error answer states, such as ``rateLimitExceeded``, or an empty set.

    Reasons are in the field ``errors``, or in the newer fields ``details`` and ``status``.
    """
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        return set()
    error = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, dict):
        return set()
    lists = [error[name] for name in ("errors", "details") if isinstance(error.get(name), list)]
    return {str(one.get("reason")) for some in lists for one in some if isinstance(one, dict)} | {
        str(error.get("status"))
    }


def authorise(
    account: Account, browser: Browser, service: Service, *, write: bool = False, also: Sequence[str] = ()
) -> None:
    """Ask the user for consent to read, and with ``write`` also to write, and save the token.

    ``also`` are scopes of other services that are asked for in the same consent. The user may refuse them. Raises
    NeedsLogin if the consent is refused, incomplete or not given in time, and TryLater if Google does not answer.
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
    """Obtain the user's consent to the scopes ``asked``, and return Google's credentials.

    Raises NeedsLogin if the consent is refused, and TryLater if Google does not answer. Google redirects the user's
    browser to this machine, or the user pastes the redirect's address. Google's library could open the browser itself,
    but several users may be asked at the same time.
    """
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
    """Revoke the consent at Google. Returns True if Google confirmed. The stored token stays."""
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
    """Return an HTTP client that signs requests with the account's token.

    An expired token is refreshed, and the new token is saved before it is used. Raises NeedsLogin without a consent
    that Google accepts, and TryLater if Google does not answer.
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

    ends = _instant(token, "expiry")
    return Credentials(  # type: ignore[no-untyped-call]
        token=token.get("token"),
        refresh_token=token["refresh_token"],
        token_uri=account.settings["token_uri"],
        client_id=account.settings["client_id"],
        client_secret=account.settings["client_secret"],
        expiry=ends and ends.astimezone(UTC).replace(tzinfo=None),  # the library wants naive UTC
    )


def _stored(credentials: Any, consent: Mapping[str, Any]) -> dict[str, Any]:
    """Return the token to save, which is ``consent`` with the tokens and the expiry of the credentials.

    The library's ``to_json`` would lose the granted scopes and the time of the grant.
    """
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
    """A stand-in for ``httplib2.Http``, with the methods that Google's libraries use.

    It sends requests through a session of ``bridge.http``, which limits time and size. ``wait`` is the wait that the
    last answer asked for, or None if it asked for none.
    """

    def __init__(self) -> None:
        self._session = web.open_session()
        self.wait: timedelta | None = None  # that the last answer asked for

    def request(self, uri: str, method: str = "GET", body: Any = None, headers: Any = None, **_: Any) -> Any:
        """Send a request, and return (response, content) as Google's libraries expect."""
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
    """Return Google's client for an API, whose requests are signed for the account.

    ``name`` and ``version`` are Google's. ``path`` is appended to the setting ``base_url``. The API's description is
    built once per process, because that takes longer than the requests of most accounts.
    """
    address = account.settings["base_url"].rstrip("/") + path
    return _Api(lambda collection: _collection(name, version, address, collection), open_http(account, service))


@cache
def _built(name: str, version: str, address: str) -> Any:
    """Return Google's client for an API, built once per process. It builds requests and never sends any itself."""
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
    """Google's client for an API, with its collections as methods, such as ``api.events()``.

    The collections' requests are sent through the account's ``http``.
    """

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
