"""Obtain consent at Microsoft to read calendars and, if wanted, to write into a calendar that the bridge makes."""

from __future__ import annotations

from collections.abc import Sequence

from bridge.domain.ports import Account, Browser
from connectors.microsoft.calendar import SPEC
from connectors.microsoft.consent import obtain

WRITE_SCOPE = "Calendars.ReadWrite"


def authorise(account: Account, browser: Browser, *, write: bool = False, also: Sequence[str] = ()) -> None:
    """Ask for consent to read calendars, and with ``write`` also to write.

    ``also`` are scopes of other sources. Raises NeedsLogin when the consent is declined, incomplete or unanswered.
    """
    obtain(account, browser, SPEC, writes=(WRITE_SCOPE,) if write else (), also=also)
