"""Consent at a CalDAV server by an address, a login name and an app password, which are tried at once."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import Any
from urllib.parse import urlunsplit

from bridge.domain.errors import NeedsLogin, Refused, SetupError, SourceChanged, TryLater
from bridge.domain.languages import reason, say
from bridge.domain.ports import Account, Browser
from bridge.http import certificates, egress
from connectors.addresses import is_open_to_others, typed
from connectors.caldav.discovery import Found, collections, discover
from connectors.caldav.server import CONNECT_AGAIN, Login, Server

ADDRESS_HELP = "The calendar server's address, e.g. https://cloud.example.com or https://caldav.icloud.com"
LOGIN_HELP = "The login name there, for iCloud and Fastmail your e-mail address"
PASSWORD = "The app password, made for this in the security settings there"  # noqa: S105 - a question


def authorise(account: Account, browser: Browser, *, write: bool = False) -> None:  # noqa: ARG001 - allowed anyway
    """Take address, name and password from the settings, or ask the user, and save them after they worked.

    Raises NeedsLogin, Untrusted (certificate), SetupError (address), or TryLater for a busy or silent server.
    """
    address = safe(account.settings["url"].strip() or _asked(browser, ADDRESS_HELP), account)
    name = account.settings["name"].strip() or _asked(browser, LOGIN_HELP)
    password = account.settings["password"] or _asked(browser, PASSWORD)
    hosts = sorted({egress.host_of(address)} & {*account.allow_hosts})
    token: dict[str, Any] = {"address": address, "login": name, "password": password, "hosts": hosts}

    def tried(trust: certificates.Trust | None) -> Found:
        return _tried(replace(_login(token, account), trust=trust), address)

    found, trust = certificates.with_trust(browser, address, account.settings.get("ca", ""), tried)
    kept = {} if trust is None else {certificates.TRUST_FIELD: trust.stored()}
    account.save_token({**token, **kept, "homes": found.homes, "addresses": _own(found.addresses, name)})


def _tried(login: Login, address: str) -> Found:
    """Return the account at an address, once its calendars were listed."""
    with closing(Server(login)) as server:
        try:
            found = discover(server, address)
            collections(server, found.homes)
        except Refused as error:
            raise NeedsLogin(str(error)) from None
        except SourceChanged as error:
            raise SetupError(say("the calendars at this address cannot be read: {why}", why=reason(error))) from None
        except TryLater as error:
            raise TryLater(f"{error}; try again later: {CONNECT_AGAIN}", retry_at=error.retry_at) from None
    return found


def login_of(account: Account) -> Login | None:
    """Return the login that the user typed, or None if the address, the name or the password was not saved."""
    token = account.token() or {}
    if not all(token.get(field) for field in ("address", "login", "password")):
        return None
    return _login(token, account)


def _login(token: dict[str, Any], account: Account) -> Login:
    hosts = {*account.allow_hosts, *token.get("hosts", ())}
    trust = certificates.stored_trust(token)
    return Login(address=token["address"], name=token["login"], password=token["password"], hosts=hosts, trust=trust)


def _own(addresses: list[str], name: str) -> list[str]:
    return sorted({*addresses, *([name.lower()] if "@" in name else [])})


def _asked(browser: Browser, question: str) -> str:
    answer = browser.ask(question)
    if not answer:
        raise NeedsLogin(
            say(
                "caldav needs an address, a login name and an app password on standard input: {command}",
                command=CONNECT_AGAIN,
            )
        )
    return answer.strip()


def safe(address: str, account: Account) -> str:
    """Return a server's address without query and fragment, and with https where no scheme was typed.

    Raises SetupError for http at a host that was not named, and for text that is no plain address.
    """
    parts = typed(address, "https")
    if parts is None:
        raise SetupError(
            say(
                "a calendar server's address looks like https://cloud.example.com; try again: {command}",
                command=CONNECT_AGAIN,
            )
        )
    if is_open_to_others(parts, account):
        raise SetupError(
            say(
                "a calendar server's address begins with https://, unless BRIDGE_ALLOW_HOSTS names its host; "
                "then: {command}",
                command=CONNECT_AGAIN,
            )
        )
    return urlunsplit(parts._replace(query="", fragment=""))
