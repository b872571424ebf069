"""Store everything durable, in SQLite or PostgreSQL."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING

from bridge.store.access import Access, Credentials, Shares
from bridge.store.connections import Connections
from bridge.store.daily import Daily
from bridge.store.database import Database
from bridge.store.ingest import Ingest
from bridge.store.locks import Locks, Rates
from bridge.store.maintenance import Maintenance
from bridge.store.notifications import Notifications
from bridge.store.people import People
from bridge.store.reading import Reading
from bridge.store.recommendations import Lessons, Recommendations
from bridge.store.scheduling import Scheduling
from bridge.store.task_notes import TaskNotes
from bridge.store.tracing import Tracing
from bridge.store.waiting import Waiting

if TYPE_CHECKING:
    from bridge.store.exports import Exports


class Store:
    """The database, in SQLite or PostgreSQL, with one attribute per part. Several threads may use it at once.

    Methods with a parameter ``at`` read what was known at that time. Raises SetupError if the database cannot be opened
    or migrated.
    """

    def __init__(self, url: str) -> None:
        self.database = Database(url)
        self._locks = Locks(self.database.engine)
        self.people = People(self.database)
        self.access = Access(self.database)
        self.credentials = Credentials(self.database)
        self.shares = Shares(self.database)
        self.connections = Connections(self.database)
        self.ingest = Ingest(self.database)
        self.reading = Reading(self.database)
        self.daily = Daily(self.database)
        self.task_notes = TaskNotes(self.database)
        self.tracing = Tracing(self.database)
        self.recommendations = Recommendations(self.database)
        self.lessons = Lessons(self.database)
        self.notifications = Notifications(self.database)
        self.scheduling = Scheduling(self.database)
        self.waiting = Waiting(self.database)
        self.rates = Rates(self.database)
        self.maintenance = Maintenance(self.database)

    @cached_property
    def exports(self) -> Exports:
        from bridge.store.exports import Exports

        return Exports(self.database)

    def transaction(self, *, durable: bool = True) -> AbstractContextManager[object]:
        """Make all calls in a ``with`` block take effect together or not at all. Inner blocks join the outer one.

        If not ``durable``, a power cut may undo the block. Raises TryLater on a full disk or a database that stays
        locked.
        """
        return self.database.write(durable=durable)

    def view(self) -> AbstractContextManager[object]:
        """Return a context manager within which all reads see the same state of the database."""
        return self.database.read()

    def lock(self, name: str) -> AbstractContextManager[None]:
        """Hold a named lock, against other threads and processes, during a ``with`` block or until the process ends.

        Take locks before transactions, or two processes could wait for each other. Raises TryLater if it is not free in
        time.
        """
        return self._locks.hold(name)

    def close(self) -> None:
        self.database.close()
