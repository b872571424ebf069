"""Obtain consent at Google to read calendars and, if wanted, to write into a calendar that the bridge makes."""

from __future__ import annotations

from collections.abc import Sequence

from bridge.domain.ports import Account, Browser
from connectors.google import auth
from connectors.google.answers import Service

CALENDAR = Service(
    source="google_calendar",
    api="Google Calendar API",
    scope="https://www.googleapis.com/auth/calendar.readonly",
    reads="calendars",
    writes="https://www.googleapis.com/auth/calendar.app.created",  # calendars this app made, no others
)


def authorise(account: Account, browser: Browser, *, write: bool = False, also: Sequence[str] = ()) -> None:
    """Ask for consent at Google to read calendars, and with ``write`` also to write into a calendar of the bridge.

    ``also`` are scopes of other services. Raises NeedsLogin when the consent is refused, incomplete or unanswered.
    """
    auth.authorise(account, browser, CALENDAR, write=write, also=also)


def revoke(account: Account) -> bool:
    """Revoke the consent at Google. Returns True if Google confirmed."""
    return auth.revoke(account)
