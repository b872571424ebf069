"""Having a source push what changes: asked for after a sync, where the bridge has an address to be reached at.

A push carries no data and may be lost, so it only makes the next sync come sooner.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from datetime import datetime

from bridge import registry
from bridge.errors import BridgeError
from bridge.ports import Account, ConnectorSpec
from bridge.sync import Lease

log = logging.getLogger(__name__)

HOOKS = "/hooks/"
CHANNELS = "channels"  # beside a consent: what the connector keeps of those that are open


def keep(account: Account, spec: ConnectorSpec, url: str | None, lease: Lease) -> None:
    """Open what is missing, renew what ends soon; without an address, end what is open. Nothing here fails a sync."""
    if spec.watches is None or not (url or CHANNELS in (account.token() or {})) or not lease.taken():
        return
    address = f"{url.rstrip('/')}{HOOKS}{spec.name}" if url else None
    try:
        member = registry.resolve(spec.watches)(account, address, now=lease.now)
        if member not in (None, lease.connection.member):
            lease.store.meet(lease.connection.id, member)
    except BridgeError as error:
        log.warning("%s: its changes are not pushed, only looked for: %s", spec.name, error)
    finally:
        lease.store.release(lease.connection.id, lease.holder)


def end(account: Account, spec: ConnectorSpec, *, now: datetime) -> None:
    """Have nothing pushed any longer, as far as the source can be reached; channels end by themselves after a week."""
    if spec.watches is not None and CHANNELS in (account.token() or {}):
        with suppress(BridgeError):
            registry.resolve(spec.watches)(account, None, now=now)
