"""Take the address of a Home Assistant, an access token and a phone, and try them at once."""

from __future__ import annotations

import re
from contextlib import closing
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlunsplit

from bridge.domain.errors import NeedsLogin, SetupError, TryLater
from bridge.domain.languages import reason, say
from bridge.domain.ports import Account, Browser
from bridge.http import egress
from connectors.addresses import is_open_to_others, typed
from connectors.home_assistant.sensors import is_of_an_app, sensor_of
from connectors.home_assistant.server import AGAIN, Server

ADDRESS_HELP = "The address of Home Assistant, e.g. http://homeassistant.local:8123"
TOKEN_HELP = "The long-lived access token, made in Home Assistant in your profile under Security"  # noqa: S105 - a question


def authorise(account: Account, browser: Browser) -> None:
    """Save address, token and phone after Home Assistant answered to them.

    Raises NeedsLogin without a valid token, SetupError for a wrong address, or if no phone or several fit.
    """
    address = safe(account.settings["url"].strip() or _asked(browser, ADDRESS_HELP), account)
    token = account.settings["password"].strip() or _asked(browser, TOKEN_HELP)
    if not token.isascii() or not token.isprintable():
        raise NeedsLogin(
            say("that is no access token of Home Assistant; make one and try again: {command}", command=AGAIN)
        )
    hosts = sorted({egress.host_of(address)} & {*account.allow_hosts})
    with closing(Server(address, token, hosts)) as server:
        try:
            states = server.states(now=datetime.now(UTC))
        except TryLater as error:
            raise SetupError(
                say(
                    "no Home Assistant answers at this address ({why}); correct it, then: {command}",
                    why=reason(error),
                    command=AGAIN,
                )
            ) from None
    phone = _phone(states, _slug(account.settings["name"]))
    account.save_token({"address": address, "token": token, "phone": phone, "hosts": hosts})


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower().removeprefix("sensor.")).strip("_")


def _asked(browser: Browser, question: str) -> str:
    answer = browser.ask(question)
    if not answer:
        raise NeedsLogin(
            say("home_assistant needs its address, and an access token on standard input: {command}", command=AGAIN)
        )
    return answer.strip()


def _phone(states: list[dict[str, Any]], named: str) -> str:
    """Return the phone whose sensors are read, ``named``, or if that is empty the only phone with health sensors."""
    told = {one.phone for state in states if (one := sensor_of(state.get("entity_id")))}
    apps = {one.phone for state in states if is_of_an_app(state) and (one := sensor_of(state.get("entity_id")))}
    if named:
        if named not in told:
            raise SetupError(
                say(
                    "no sensor of that phone tells about health; switch them on in its app, then: {command}",
                    command=AGAIN,
                )
            )
        return named
    if not apps:
        raise SetupError(
            say(
                "no phone's health sensors are in Home Assistant; switch them on in the companion app "
                "(docs/sources/home_assistant.md), wait until they show a value, then: {command}",
                command=AGAIN,
            )
        )
    if len(apps) > 1:
        raise SetupError(say("several phones tell about health; name yours: {command} --name PHONE", command=AGAIN))
    return apps.pop()


def safe(address: str, account: Account) -> str:
    """Return a server's address without a path, with https where no scheme was typed.

    Raises SetupError for http at a host that was not named, and for text that is no plain address.
    """
    parts = typed(address, "https")
    if parts is None:
        raise SetupError(
            say(
                "the address of Home Assistant looks like http://homeassistant.local:8123; try: {command}",
                command=AGAIN,
            )
        )
    if is_open_to_others(parts, account):
        raise SetupError(
            say(
                "the access token would travel unencrypted; name the host in BRIDGE_ALLOW_HOSTS if it is "
                "in your own network, or use its https:// address, then: {command}",
                command=AGAIN,
            )
        )
    return urlunsplit((parts.scheme, parts.netloc, "", "", ""))
