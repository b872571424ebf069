"""Subscribe to vendors' webhooks, and store their notices. The next sync fetches the records that notices name.

A notice carries no data and may be lost, so it only makes the next sync come sooner.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from bridge import installation, registry
from bridge.auth.redirect_listener import LOOPBACK_HOSTS
from bridge.auth.vault import SEALING_LOCK
from bridge.domain.errors import BadRecord, BridgeError, SetupError
from bridge.domain.ports import Account, ConnectorSpec
from bridge.domain.types import Notice
from bridge.leases import Lease

log = logging.getLogger(__name__)

HOOKS_PATH = "/hooks/"
SUBSCRIPTIONS_FIELD = "channels"  # of a stored consent: the connector's open subscriptions


def receive_webhook(
    bridge: installation.Bridge,
    source: str,
    headers: Mapping[str, str],
    body: bytes,
    *,
    now: datetime,
    token: str = "",
) -> int:
    """Save the notices in a webhook's request for all connections of the vendor's account. Return how many were new.

    ``token`` is the end of the address that was called. Raises Forged if the sender is not proven, BadRecord for an
    unreadable body, SetupError if the source has no webhooks.
    """
    spec = registry.spec(source)
    if spec.notices is None:
        raise SetupError(f"{source} sends no webhooks; see: bridge sources")
    more: dict[str, Any] = {"token": token} if spec.secret_hooks else {}
    if spec.registers is not None:
        more["kept"] = _kept(bridge, spec)
    settings = bridge.settings_of_source(spec)
    try:
        found = registry.resolve(spec.notices)(headers, body, settings=settings, now=now, **more)
    except RecursionError:
        raise BadRecord("the body is nested too deep") from None
    return sum(_save(bridge, source, notice, now) for notice in ([found] if isinstance(found, Notice) else found or ()))


def _save(bridge: installation.Bridge, source: str, notice: Notice, now: datetime) -> int:
    concerned = bridge.store.connections.of_member(source, notice.member)
    new = sum(bridge.store.ingest.add_notice(connection.id, notice, now=now) for connection in concerned)
    log.info("%s: a notice for %d connections, new to %d", source, len(concerned), new)
    return new


def is_watched(spec: ConnectorSpec, url: str | None, consent: Mapping[str, Any]) -> bool:
    """Return True if an account with this consent has, or should have, webhook subscriptions at its source."""
    return spec.watches is not None and (_address(spec, url) is not None or SUBSCRIPTIONS_FIELD in consent)


def subscribe(account: Account, spec: ConnectorSpec, url: str | None, lease: Lease) -> None:
    """Open an account's missing webhook subscriptions, and renew those that end soon, unless a sync holds the lock.

    If ``url``, the bridge's public address, is None, open subscriptions are ended. A failure is only logged.
    """
    address = _address(spec, url)
    if spec.watches is None or not is_watched(spec, url, account.token() or {}) or not lease.taken():
        return
    try:
        member = registry.resolve(spec.watches)(account, address, now=lease.now)
        if member not in (None, lease.connection.member):
            lease.store.connections.save_member(lease.connection.id, member)
    except BridgeError as error:
        log.warning("%s sends no notices, and is only synced on time: %s", spec.name, error)
    finally:
        lease.store.scheduling.release(lease.connection.id, lease.holder)


def unsubscribe(account: Account, spec: ConnectorSpec, *, now: datetime) -> None:
    """End an account's webhook subscriptions, if it has any. Errors of the source are ignored."""
    if spec.watches is not None and SUBSCRIPTIONS_FIELD in (account.token() or {}):
        with suppress(BridgeError):
            registry.resolve(spec.watches)(account, None, now=now)


def _address(spec: ConnectorSpec, url: str | None) -> str | None:
    """Return the source's webhook address below ``url``, None unless that is https:// or on this machine."""
    parts = urlsplit(url or "")
    reached = parts.scheme == "https" or parts.hostname in LOOPBACK_HOSTS
    return f"{url.rstrip('/')}{HOOKS_PATH}{spec.name}" if url and reached else None


def register(bridge: installation.Bridge, spec: ConnectorSpec, url: str | None, *, now: datetime) -> None:
    """Open or renew the single webhook that a vendor has per application. If ``url`` is None, end it.

    ``url`` is the bridge's public address. A lock keeps two processes from opening two webhooks. A failure is only
    logged.
    """
    if spec.registers is None:
        return
    try:
        address = _address(spec, url)
        if address is None and not _kept(bridge, spec):
            return
        with bridge.store.lock(f"webhook-{spec.name}"):
            kept = _kept(bridge, spec)
            settings = bridge.settings_of_source(spec)
            state = registry.resolve(spec.registers)(settings, address, kept, now=now)
            if state != kept:
                _keep(bridge, spec, state, now)
    except BridgeError as error:
        log.warning("%s sends no notices, and is only synced on time: %s", spec.name, error)


def _kept(bridge: installation.Bridge, spec: ConnectorSpec) -> dict[str, str]:
    sealed = bridge.store.connections.client(_name(spec))
    return {} if sealed is None else dict(bridge.vault.unseal(sealed))


def _keep(bridge: installation.Bridge, spec: ConnectorSpec, state: Mapping[str, str], now: datetime) -> None:
    with bridge.store.lock(SEALING_LOCK):
        bridge.store.connections.save_client(_name(spec), bridge.vault.seal(state) if state else None, now=now)


def _name(spec: ConnectorSpec) -> str:
    return f"{spec.name} webhook"
