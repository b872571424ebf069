"""Google Calendar's consent: to read calendars and, where it is switched on, to keep one calendar of our own."""

from __future__ import annotations

from bridge import google
from bridge.ports import Account, Browser

CALENDAR = google.Service(
    source="google_calendar",
    api="Google Calendar API",
    scope="https://www.googleapis.com/auth/calendar.readonly",
    reads="calendars",
    writes="https://www.googleapis.com/auth/calendar.app.created",  # calendars this app made, no others
)


def authorise(account: Account, browser: Browser, *, write: bool = False) -> None:
    """Raises NeedsLogin when refused, incomplete or unanswered."""
    google.authorise(account, browser, CALENDAR, write=write)


def revoke(account: Account) -> bool:
    """Withdraw the consent at Google; False when Google did not confirm."""
    return google.revoke(account)
