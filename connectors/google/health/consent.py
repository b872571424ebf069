"""Obtain consent at Google to read health data. The person may leave out any of the three scopes."""

from __future__ import annotations

from collections.abc import Sequence

from bridge.domain.ports import Account, Browser
from connectors.google import auth
from connectors.google.answers import Service

SCOPE_PREFIX = "https://www.googleapis.com/auth/googlehealth."
SLEEP_SCOPE = f"{SCOPE_PREFIX}sleep.readonly"
ACTIVITY_SCOPE = f"{SCOPE_PREFIX}activity_and_fitness.readonly"
MEASUREMENTS = f"{SCOPE_PREFIX}health_metrics_and_measurements.readonly"

HEALTH = Service(
    source="google_health",
    api="Google Health API",
    scope=SLEEP_SCOPE,
    more=(ACTIVITY_SCOPE, MEASUREMENTS),
    reads="health data",
    fades="Google ends consents to health data after some days or weeks, even for apps in production",
)


def authorise(account: Account, browser: Browser, *, also: Sequence[str] = ()) -> None:
    """Ask for consent at Google to read health data, and to the scopes ``also`` of other services.

    Raises NeedsLogin when the consent is refused, unanswered, or without any scope of health data.
    """
    auth.authorise(account, browser, HEALTH, also=also)


def revoke(account: Account) -> bool:
    """Revoke the consent at Google. Returns True if Google confirmed."""
    return auth.revoke(account)
