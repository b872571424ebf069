"""A calendar's secret address: whoever has it reads everything, so it is kept like a password."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from bridge.errors import NeedsLogin, SetupError
from bridge.ports import Account, Browser
from bridge.redirect import LOOPBACK

AGAIN = "bridge connect ics --user NAME"
WHERE = "in Google Calendar: Settings, the calendar, Integrate calendar, Secret address in iCal format"


def authorise(account: Account, browser: Browser) -> None:
    """Take the address from the settings or the person. Raises NeedsLogin without one, SetupError for an unsafe one."""
    address = account.settings["url"] or browser.ask(f"The calendar's secret address ({WHERE})")
    if not address:
        raise NeedsLogin(f"ics needs the calendar's secret address ({WHERE}), then: {AGAIN}")
    account.save_token({"url": safe(address.strip())})


def safe(address: str) -> str:
    """The address over https; plain http is taken on this machine only."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or any(character.isspace() for character in address):
        raise SetupError(
            f"a calendar's address begins with https:// or webcal:// and has no blanks; try again: {AGAIN}"
        )
    if parts.scheme == "webcal":
        return urlunsplit(parts._replace(scheme="https"))
    if parts.scheme != "https" and not (parts.scheme == "http" and host in LOOPBACK):
        raise SetupError(f"a calendar's address begins with https:// or webcal://; try again: {AGAIN}")
    return urlunsplit(parts)
