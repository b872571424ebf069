"""Poll a source less often while its webhooks are proven to come."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from bridge.domain.ports import ConnectorSpec
from bridge.domain.records import Connection

if TYPE_CHECKING:
    from bridge.store import Store

PUSHES_ALIVE = timedelta(days=1)  # after its last notice, a source's webhooks count as proven
BESIDE_PUSHES = timedelta(hours=3)  # between two syncs of a source whose webhooks are proven
MISSED = "push missed"  # a cursor: when a sync found what no notice had told, in a stream that has notices


def cadence(
    connection: Connection, spec: ConnectorSpec, store: Store, untold: Collection[str], *, now: datetime
) -> timedelta:
    """Return the time to the next sync: hours while webhooks are proven, and the source's own otherwise.

    ``untold`` are streams in which the last sync found what no notice had named.
    """
    number = connection.id
    last = store.ingest.last_notice(number) if spec.notices is not None else None
    if last is None or last < now - PUSHES_ALIVE:
        return spec.cadence
    if store.ingest.noticed_streams(number) & set(untold):
        store.ingest.save_cursor(number, MISSED, now.isoformat(), 1)
        return spec.cadence
    missed = store.ingest.cursor(number, MISSED, 1)
    if missed is not None and datetime.fromisoformat(missed) >= last:
        return spec.cadence
    return max(spec.cadence, BESIDE_PUSHES)
