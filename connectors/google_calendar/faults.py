"""What Google's answers mean for the bridge: every failure as one of ``bridge.errors``."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from bridge.errors import BridgeError, NeedsLogin, SetupError, SourceChanged, TryLater

AGAIN = "bridge connect google_calendar"
BUSY = {"rateLimitExceeded", "userRateLimitExceeded"}
QUOTA_PAUSE = timedelta(hours=6)  # "Calendar usage limits exceeded": back off for hours


class Gone(Exception):
    """410: the sync token (or an updatedMin) is too old."""


class NotFound(Exception):
    """404: the calendar was removed or is no longer shared."""


def answered(request: Any, now: datetime) -> Any:
    """Execute a request once; minutes are the scheduler's to wait. Raises the bridge's errors, Gone and NotFound."""
    import httplib2
    from google.auth.exceptions import RefreshError, TransportError
    from googleapiclient.errors import HttpError

    try:
        return request.execute(num_retries=0)
    except HttpError as error:
        raise _meaning(error, now) from None
    except RefreshError as error:
        raise refused(error) from None
    except (httplib2.HttpLib2Error, TransportError, OSError) as error:
        raise TryLater(f"google_calendar does not answer ({type(error).__name__})") from None
    except ValueError:
        raise TryLater("google_calendar answered something that is not JSON") from None


def refused(error: Any) -> BridgeError:
    """A refresh that failed: dead consent, or a token server that is busy."""
    if getattr(error, "retryable", False):
        return TryLater("google_calendar's token server is busy")
    return NeedsLogin(
        f"google_calendar needs you to log in again: {AGAIN}. If this happens every 7 days, your OAuth app is in "
        "publishing status Testing: set it to In production, then log in again"
    )


def _meaning(error: Any, now: datetime) -> Exception:
    status, reason = int(error.resp.status), _reason(error)
    if status == 401:
        return NeedsLogin(f"google_calendar refused the stored consent: {AGAIN}")
    if status == 403 and reason == "quotaExceeded":
        return TryLater("google_calendar's daily quota is used up", retry_at=now + QUOTA_PAUSE)
    if status == 429 or status >= 500 or reason in BUSY:
        return TryLater(f"google_calendar is busy (HTTP {status})", retry_at=_retry_at(error, now))
    if status == 403 and reason == "accessNotConfigured":
        return SetupError("the Google Calendar API is not enabled in your Google project: enable it, then: bridge sync")
    if status == 403:
        return NeedsLogin(f"google_calendar's consent does not cover calendars: {AGAIN}")
    if status == 410:
        return Gone()
    if status == 404:
        return NotFound()
    return SourceChanged(f"google_calendar refused the request (HTTP {status})")


def _reason(error: Any) -> str:
    details = error.error_details
    first = details[0] if isinstance(details, list) and details else {}
    return str(first.get("reason", "")) if isinstance(first, dict) else ""


def _retry_at(error: Any, now: datetime) -> datetime | None:
    text = error.resp.get("retry-after", "")
    return now + timedelta(seconds=int(text)) if text.isdigit() else None
