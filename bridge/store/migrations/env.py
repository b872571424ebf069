"""Run the migrations on the connection that the store opened. Alembic executes this module."""

from __future__ import annotations

from alembic import context

from bridge.store.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
