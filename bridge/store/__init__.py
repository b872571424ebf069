"""Everything durable: SQLAlchemy Core tables, statements and migrations, one code path for SQLite and PostgreSQL."""

from __future__ import annotations

from bridge.ports import Store


def open_store(url: str) -> Store:
    """Open a store, made and migrated on first use. ``sqlite:///path``, ``sqlite://`` (memory) or ``postgresql://...``.

    Raises SetupError when the address is wrong or the database cannot be reached.
    """
    from bridge.store.sql import SqlStore

    return SqlStore(url)
