"""Store which meters of a user another user of the installation may see."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from bridge.domain.records import Share
from bridge.store.database import Part, reads, writes
from bridge.store.tables import shares, users
from rhythm_env.interface import Meter


class Shares(Part):
    """The part of the store for meters that are shared with other users."""

    @writes()
    def save(self, db: sa.Connection, user_id: int, viewer_id: int, meters: Sequence[Meter], *, now: datetime) -> None:
        """Let a viewer see exactly these meters of a user from now on. No meters withdraw the share."""
        pair = sa.and_(shares.c.user_id == user_id, shares.c.viewer_id == viewer_id)
        db.execute(sa.delete(shares).where(pair))
        rows = [
            {"user_id": user_id, "viewer_id": viewer_id, "meter": str(meter), "made_at": now} for meter in set(meters)
        ]
        if rows:
            db.execute(sa.insert(shares), rows)

    @reads
    def given(self, db: sa.Connection, user_id: int) -> list[Share]:
        """Return what a user shares, a Share per viewer, sorted by the viewer's name."""
        return _shares(db, shares.c.viewer_id, shares.c.user_id == user_id)

    @reads
    def received(self, db: sa.Connection, viewer_id: int) -> list[Share]:
        """Return what is shared with a viewer, a Share per sharing user, sorted by that user's name."""
        return _shares(db, shares.c.user_id, shares.c.viewer_id == viewer_id)


def _shares(db: sa.Connection, other: sa.Column[int], condition: sa.ColumnElement[bool]) -> list[Share]:
    query = sa.select(users.c.id, users.c.name, shares.c.meter).join_from(shares, users, users.c.id == other)
    found: dict[tuple[int, str], set[str]] = {}
    for row in db.execute(query.where(condition).order_by(users.c.name)):
        found.setdefault((row.id, row.name), set()).add(row.meter)
    return [
        Share(other_id=number, other=name, meters=tuple(meter for meter in Meter if str(meter) in meters))
        for (number, name), meters in found.items()
    ]
