"""Google Calendar's consent: to read calendars, nothing else."""

from __future__ import annotations

from bridge import google
from bridge.ports import Account, Browser

CALENDAR = google.Service(
    source="google_calendar",
    api="Google Calendar API",
    scope="https://www.googleapis.com/auth/calendar.readonly",
    reads="calendars",
)


def authorise(account: Account, browser: Browser) -> None:
    """Raises NeedsLogin when refused, incomplete or unanswered."""
    google.authorise(account, browser, CALENDAR)


def revoke(account: Account) -> bool:
    """Withdraw the consent at Google; False when Google did not confirm."""
    return google.revoke(account)
