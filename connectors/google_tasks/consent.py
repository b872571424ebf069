"""Google Tasks' consent: to read tasks, nothing else."""

from __future__ import annotations

from bridge import google
from bridge.ports import Account, Browser

TASKS = google.Service(
    source="google_tasks",
    api="Google Tasks API",
    scope="https://www.googleapis.com/auth/tasks.readonly",
    reads="tasks",
)


def authorise(account: Account, browser: Browser) -> None:
    """Raises NeedsLogin when refused, incomplete or unanswered."""
    google.authorise(account, browser, TASKS)


def revoke(account: Account) -> bool:
    """Withdraw the consent at Google; False when Google did not confirm."""
    return google.revoke(account)
