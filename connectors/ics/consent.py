"""Take a calendar's secret address as the consent. The address alone permits reading, so it is stored like a
password.
"""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from bridge.auth.redirect_listener import LOOPBACK_HOSTS
from bridge.domain.errors import NeedsLogin, SetupError
from bridge.domain.languages import say
from bridge.domain.ports import Account, Browser

CONNECT_AGAIN = "bridge connect ics --user NAME"
WHERE = say("in Google Calendar: Settings, the calendar, Integrate calendar, Secret address in iCal format")


def authorise(account: Account, browser: Browser) -> None:
    """Take the calendar's address from the settings, or ask the user for it, and save it.

    Raises NeedsLogin without an address, and SetupError for an unsafe address.
    """
    address = account.settings["url"] or browser.ask(say("The calendar's secret address ({where})", where=WHERE))
    if not address:
        raise NeedsLogin(
            say(
                "ics needs the calendar's secret address ({where}), then: {command}", where=WHERE, command=CONNECT_AGAIN
            )
        )
    account.save_token({"url": safe(address.strip())})


def safe(address: str) -> str:
    """Return a calendar's address with https in place of webcal. Plain http is accepted for this machine only.

    Raises SetupError for other addresses.
    """
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or any(character.isspace() for character in address):
        raise SetupError(
            say(
                "a calendar's address begins with https:// or webcal:// and has no blanks; try again: {command}",
                command=CONNECT_AGAIN,
            )
        )
    if parts.scheme == "webcal":
        return urlunsplit(parts._replace(scheme="https"))
    if parts.scheme != "https" and not (parts.scheme == "http" and host in LOOPBACK_HOSTS):
        raise SetupError(
            say("a calendar's address begins with https:// or webcal://; try again: {command}", command=CONNECT_AGAIN)
        )
    return urlunsplit(parts)
