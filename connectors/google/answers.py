"""Send requests to Google, and turn failures into errors of the bridge, for all connectors of Google."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from bridge.domain.errors import BridgeError, NeedsLogin, Refused, SourceChanged, TryLater
from bridge.http.allowance import TOO_DEEP

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
        """All scopes for reading. A consent must cover at least one of them."""
        return self.scope, *self.more

    @property
    def again(self) -> str:
        return f"bridge connect {self.source} --user NAME"


class Gone(SourceChanged):
    """Google answers 410, because a sync token or an ``updatedMin`` is too old."""


class NotFound(SourceChanged):
    """Google answers 404, because something was removed or is no longer shared."""


class Forbidden(Refused):
    """Google answers 403 for a calendar or list that is no longer shared. Another consent would not help."""


class Uncovered(Refused):
    """Google answers 403, because the consent does not cover the request."""


class Taken(SourceChanged):
    """Google answers 409, because an event with this id exists already."""


class Invalid(SourceChanged):
    """Google answers 400 for a rejected parameter, such as the id of a removed list."""


def answered(request: Any, service: Service, now: datetime) -> Any:
    """Send a request once and return the parsed answer. Waits count from ``now``.

    Raises NeedsLogin if the consent ended, TryLater without a usable answer, and for a refusal SourceChanged or Refused
    or one of their kinds in this module.
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
    """Return the error for a token that could not be refreshed. ``wait`` is the wait that Google asked for.

    It is NeedsLogin if the consent ended, TryLater if Google is busy, and Refused for other refusals.
    """
    answer = error.args[1] if len(error.args) > 1 else None
    if getattr(error, "retryable", False) or not (isinstance(answer, dict) and "error" in answer):
        return TryLater(f"{service.source}'s token server is busy", after=wait)
    if answer["error"] not in DEAD:
        return Refused(f"{service.source}'s token server refused the bridge; if that lasts, connect: {service.again}")
    given = instant_of(token, "granted_at")
    if given is None:
        return NeedsLogin(
            f"{service.source} needs you to log in again: {service.again}. If this happens every 7 days, your OAuth "
            "app is in publishing status Testing: set it to In production, then log in again"
        )
    if died_of_testing(given, instant_of(token, "worked_at") or given, datetime.now(UTC)):
        return NeedsLogin(
            f"{service.source}: the consent of {given:%d %b} ended after 7 days, because your OAuth app is in "
            "publishing status Testing. Set it to In production (Google Auth Platform, Audience: Publish app), then "
            f"log in again: {service.again}"
        )
    ended = f"{service.source}: the consent of {given:%d %b} was withdrawn or has ended"
    return NeedsLogin(f"{ended}. {service.fades}: {service.again}" if service.fades else f"{ended}: {service.again}")


def died_of_testing(given: datetime, worked: datetime, now: datetime) -> bool:
    """Return True if a consent ended because Google limits apps in publishing status Testing to seven days.

    It was given at ``given``, last worked at ``worked``, and was refused at ``now``. After 30 days the cause cannot be
    told, and the result is False.

    >>> given = datetime(2026, 11, 1, tzinfo=UTC)
    >>> days = ((6.99, 7.01), (6.99, 6.995), (7.5, 8), (3, 60))
    >>> [died_of_testing(given, given + timedelta(days=w), given + timedelta(days=n)) for w, n in days]
    [True, False, False, False]
    """
    return worked - given <= TESTING_CONSENT_LIFE + ACCESS_TOKEN_LIFE and TESTING_CONSENT_LIFE <= now - given <= TELLING


def instant_of(token: Mapping[str, Any] | None, name: str) -> datetime | None:
    """Return the instant in the field ``name`` of a stored token, or None without such a text."""
    text = (token or {}).get(name)
    return datetime.fromisoformat(text) if isinstance(text, str) else None


def _wait(request: Any) -> timedelta | None:
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
    return refusal(f"{service.source} refused the request (HTTP {status}); look for a newer release of the bridge")


def _reasons(content: bytes) -> set[str]:
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
