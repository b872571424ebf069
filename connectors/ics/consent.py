"""Consent by a calendar's secret address. The address is kept like a password, because it is enough to read the
calendar.
"""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from bridge.auth.redirect_listener import LOOPBACK_HOSTS
from bridge.domain.errors import NeedsLogin, SetupError
from bridge.domain.ports import Account, Browser

CONNECT_AGAIN = "bridge connect ics --user NAME"
WHERE = "in Google Calendar: Settings, the calendar, Integrate calendar, Secret address in iCal format"


def authorise(account: Account, browser: Browser) -> None:
    """Take the address from the settings or ask the user.

    Raises NeedsLogin without an address, and SetupError for an unsafe address.
    """
    address = account.settings["url"] or browser.ask(f"The calendar's secret address ({WHERE})")
    if not address:
        raise NeedsLogin(f"ics needs the calendar's secret address ({WHERE}), then: {CONNECT_AGAIN}")
    account.save_token({"url": safe(address.strip())})


def safe(address: str) -> str:
    """Return the address with https. Plain http is accepted on this machine only."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or any(character.isspace() for character in address):
        raise SetupError(
            f"a calendar's address begins with https:// or webcal:// and has no blanks; try again: {CONNECT_AGAIN}"
        )
    if parts.scheme == "webcal":
        return urlunsplit(parts._replace(scheme="https"))
    if parts.scheme != "https" and not (parts.scheme == "http" and host in LOOPBACK_HOSTS):
        raise SetupError(f"a calendar's address begins with https:// or webcal://; try again: {CONNECT_AGAIN}")
    return urlunsplit(parts)
