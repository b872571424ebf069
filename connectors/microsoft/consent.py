"""Obtain consent at Microsoft by a code that the user types there, for all sources of Microsoft.

Protocol: learn.microsoft.com/entra/identity-platform/v2-oauth2-device-code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bridge.domain.errors import NeedsLogin
from bridge.domain.languages import say
from bridge.domain.ports import Account, Browser, ConnectorSpec, OAuth, Registration, Setting

GRAPH_PREFIX = "https://graph.microsoft.com/"  # before a scope, in some answers
LASTING = "offline_access"  # the scope of a refresh token
SETTINGS = (
    Setting(name="base_url", help="the address of Microsoft Graph", default="https://graph.microsoft.com/v1.0"),
    Setting(
        name="login_url",
        help="Microsoft's login; an organisation's own has its tenant in place of common",
        default="https://login.microsoftonline.com/common/oauth2/v2.0",
    ),
    Setting(name="client_id", help="the application (client) id of your app registration", shared="microsoft"),
)
REGISTRATION = Registration(  # one application serves every source of Microsoft
    address="https://entra.microsoft.com",
    steps=(
        say("Entra ID, App registrations, New registration: give a name, such as “rhythm”."),
        say("Supported account types: any organizational directory and personal Microsoft accounts. Then Register."),
        say(
            "Authentication, Settings: set Allow public client flows to Enabled, and save. "
            "No redirect address is needed."
        ),
        say("API permissions, Microsoft Graph, Delegated: Calendars.Read, Calendars.ReadWrite and Tasks.Read."),
        say("Overview: copy Application (client) ID into the field below. There is no secret."),
    ),
    token_url="{login_url}/token",  # noqa: S106 - an address
)


def oauth(scope: str) -> OAuth:
    """Return the OAuth settings of a Microsoft source that reads with ``scope``."""
    return OAuth(
        authorise_url="",
        token_url="{login_url}/token",  # noqa: S106 - an address
        device_url="{login_url}/devicecode",
        redirect="",
        scopes=(scope, LASTING),
    )


def obtain(
    account: Account, browser: Browser, spec: ConnectorSpec, *, writes: Sequence[str] = (), also: Sequence[str] = ()
) -> None:
    """Ask for consent to read, to the scopes ``writes``, and to ``also`` of other sources, and save it.

    Raises NeedsLogin if the user declines, or if a needed scope or the refresh token is missing.
    """
    from bridge.auth import device_code
    from bridge.auth.oauth import oauth_of

    wanted = [*oauth_of(spec).scopes, *writes]
    token = device_code.authorise(account, browser, spec, [*wanted, *also])
    scopes = granted(token) or [*wanted, *also]
    missing = [one for one in wanted if one != LASTING and one not in scopes]
    if missing or not token.get("refresh_token"):
        raise NeedsLogin(
            f"the consent does not cover {', '.join(missing) or LASTING}; "
            f"agree to all of it: bridge connect {spec.name} --user NAME"
        )
    account.save_token({**token, "scopes": scopes})


def granted(token: dict[str, Any]) -> list[str]:
    """Return the scopes that a token answer names, without the address of Graph before them."""
    told = token.get("scope")
    return [one.removeprefix(GRAPH_PREFIX) for one in told.split()] if isinstance(told, str) else []
