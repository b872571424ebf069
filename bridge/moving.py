"""``bridge migrate``: everything from this installation's database into another one, all or nothing."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING

from bridge import app, leases
from bridge.errors import BridgeError, SetupError

if TYPE_CHECKING:
    from bridge.store.moving import Moved
    from bridge.store.sql import SqlStore


Step = Callable[[int, int], None]


class Unequal(BridgeError):
    """The copy does not say what the original says; it was taken back."""


def migrate(bridge: app.Bridge, to: str, *, progress: Callable[[str], Step]) -> list[Moved]:
    """Copy every table in one transaction and compare. What is sealed stays sealed, with the same key.

    The original stays as it is; nobody writes to it meanwhile. Raises SetupError where the other database is not empty
    or is this one, and while something is at work here; Unequal where the copy differs, and then nothing is kept.
    """
    from bridge.store.moving import copy, hold, refuse_unless_empty
    from bridge.store.sql import SqlStore

    source: SqlStore = _concrete(bridge)
    leases.free_all_dead(source)
    alone = source.work.presence("daemon", bridge.holder, now=app.now())
    with closing(alone), closing(SqlStore(to)) as other:
        if str(other.database.engine.url) == str(source.database.engine.url):
            raise SetupError("that is the database in use; give another one: bridge migrate --to URL")
        with source.database.write() as here:
            hold(here)
            _refuse_leased(source)
            with other.database.engine.begin() as there:
                refuse_unless_empty(there)
                moved = list(copy(here, there, progress))
                if not all(one.verified for one in moved):
                    names = ", ".join(one.table for one in moved if not one.verified)
                    raise Unequal(f"the copy differs in {names} and was taken back; try again: bridge migrate --to URL")
    return moved


def _concrete(bridge: app.Bridge) -> SqlStore:
    from bridge.store.sql import SqlStore

    if not isinstance(bridge.store, SqlStore):
        raise SetupError("only a database of the bridge's own can be moved; check BRIDGE_DATABASE")
    return bridge.store


def _refuse_leased(source: SqlStore) -> None:
    if busy := source.busy(now=app.now()):
        raise SetupError(
            f"{busy} connections are being synced; stop the daemon and all workers, then: bridge migrate --to URL"
        )
