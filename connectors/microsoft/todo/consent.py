"""Obtain consent at Microsoft to read tasks, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from bridge.domain.ports import Account, Browser
from connectors.microsoft.consent import obtain
from connectors.microsoft.todo import SPEC


def authorise(account: Account, browser: Browser, *, also: Sequence[str] = ()) -> None:
    """Ask for consent to read tasks, and to the scopes ``also`` of other sources.

    Raises NeedsLogin when the consent is declined, incomplete or unanswered.
    """
    obtain(account, browser, SPEC, also=also)
