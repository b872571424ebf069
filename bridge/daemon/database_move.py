"""Copy an installation's store to another database (``bridge migrate``), complete or not at all."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING

from bridge import installation, leases
from bridge.domain.errors import BridgeError, SetupError

if TYPE_CHECKING:
    from bridge.store import Store
    from bridge.store.moving import MovedTable


Step = Callable[[int, int], None]


class Unequal(BridgeError):
    """The copied rows differ from the original, so that the copy was rolled back."""


def migrate(bridge: installation.Bridge, to: str, *, progress: Callable[[str], Step]) -> list[MovedTable]:
    """Copy every table to the database ``to`` in a single transaction, compare both, and return each table's result.

    Raises SetupError if the target is not empty or a daemon or sync runs, Unequal if the copy differs.
    """
    from bridge.store import Store
    from bridge.store.moving import copy, hold, refuse_unless_empty

    source = bridge.store
    leases.release_dead(source)
    alone = source.scheduling.singleton_lock("daemon", bridge.holder, now=installation.now())
    with closing(alone), closing(Store(to)) as other:
        if str(other.database.engine.url) == str(source.database.engine.url):
            raise SetupError("that is the database in use; give another one: bridge migrate --to URL")
        with source.database.write() as here:
            hold(here)
            _refuse_leased(source)
            with other.database.write() as there:
                refuse_unless_empty(there)
                moved = list(copy(here, there, progress))
                if not all(one.verified for one in moved):
                    names = ", ".join(one.table for one in moved if not one.verified)
                    raise Unequal(f"the copy differs in {names} and was taken back; try again: bridge migrate --to URL")
    return moved


def _refuse_leased(source: Store) -> None:
    if busy := source.scheduling.lease_count(now=installation.now()):
        raise SetupError(
            f"{busy} connections are being synced; stop the daemon and all workers, then: bridge migrate --to URL"
        )
