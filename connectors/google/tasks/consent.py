"""Obtain consent at Google to read tasks, and nothing else."""

from __future__ import annotations

from bridge.domain.ports import Account, Browser
from connectors.google import auth

TASKS = auth.Service(
    source="google_tasks",
    api="Google Tasks API",
    scope="https://www.googleapis.com/auth/tasks.readonly",
    reads="tasks",
)


def authorise(account: Account, browser: Browser) -> None:
    """Ask for consent at Google to read tasks, and save the token.

    Raises NeedsLogin if the consent is refused, incomplete or not given in time.
    """
    auth.authorise(account, browser, TASKS)


def revoke(account: Account) -> bool:
    """Revoke the consent at Google. Returns True if Google confirmed."""
    return auth.revoke(account)
