"""Subscribe to vendors' webhooks, and store the notices they send. The next sync fetches the records that notices name.

A notice carries no data and may be lost, so a subscription only makes the next sync come sooner.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime

from bridge import installation, registry
from bridge.domain.errors import BridgeError, SetupError
from bridge.domain.ports import Account, ConnectorSpec
from bridge.domain.types import Notice
from bridge.leases import Lease

log = logging.getLogger(__name__)

HOOKS_PATH = "/hooks/"
SUBSCRIPTIONS_FIELD = "channels"  # of a stored consent: the connector's open subscriptions


def receive_webhook(
    bridge: installation.Bridge, source: str, headers: Mapping[str, str], body: bytes, *, now: datetime
) -> int:
    """Save a webhook's notice for each connection of the vendor's account that it names.

    Returns the number of connections for which the notice is new. ``headers`` have names in lower case. Raises Forged
    if the sender is not proven, and SetupError if the source has no webhooks.
    """
    spec = registry.spec(source)
    if spec.notices is None:
        raise SetupError(f"{source} sends no webhooks; see: bridge sources")
    found = registry.resolve(spec.notices)(headers, body, settings=bridge.settings.of_source(spec), now=now)
    return sum(_save(bridge, source, notice, now) for notice in ([found] if isinstance(found, Notice) else found or ()))


def _save(bridge: installation.Bridge, source: str, notice: Notice, now: datetime) -> int:
    concerned = bridge.store.connections.of_member(source, notice.member)
    new = sum(bridge.store.ingest.add_notice(connection.id, notice, now=now) for connection in concerned)
    log.info("%s: a notice for %d connections, new to %d", source, len(concerned), new)
    return new


def subscribe(account: Account, spec: ConnectorSpec, url: str | None, lease: Lease) -> None:
    """Open an account's missing webhook subscriptions, and renew those that end soon. The lease is released afterwards.

    ``url`` is this installation's public address. If it is None, open subscriptions are ended. Nothing happens while
    another holder has the lease. A failure is only logged, because the sync before it has succeeded.
    """
    if spec.watches is None or not (url or SUBSCRIPTIONS_FIELD in (account.token() or {})) or not lease.taken():
        return
    address = f"{url.rstrip('/')}{HOOKS_PATH}{spec.name}" if url else None
    try:
        member = registry.resolve(spec.watches)(account, address, now=lease.now)
        if member not in (None, lease.connection.member):
            lease.store.connections.save_member(lease.connection.id, member)
    except BridgeError as error:
        log.warning("%s sends no notices, and is only synced on time: %s", spec.name, error)
    finally:
        lease.store.scheduling.release(lease.connection.id, lease.holder)


def unsubscribe(account: Account, spec: ConnectorSpec, *, now: datetime) -> None:
    """End an account's webhook subscriptions. If the source cannot be reached, they expire by themselves within a
    week.
    """
    if spec.watches is not None and SUBSCRIPTIONS_FIELD in (account.token() or {}):
        with suppress(BridgeError):
            registry.resolve(spec.watches)(account, None, now=now)
