"""Note the SQL statements of a piece of work, and execute the same again with SQLAlchemy alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

Executed = tuple[str, Any]  # statement, parameters


@contextmanager
def executing(engine: Any, executed: list[Executed]) -> Iterator[None]:
    """Add each SQL statement of an engine, with its parameters, to ``executed``.

    SQLAlchemy calls listeners from then on with every statement, so that the engine stays slower.
    """
    import sqlalchemy as sa

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        executed.append((statement, parameters))

    sa.event.listen(engine, "before_cursor_execute", note)
    try:
        yield
    finally:
        sa.event.remove(engine, "before_cursor_execute", note)


class Repeated:
    """Statements that are executed again in the same transactions, by SQLAlchemy without building any."""

    def __init__(self, url: str, executed: Sequence[Executed]) -> None:
        import sqlalchemy as sa

        self._engine = sa.create_engine(url)
        self._transactions: list[list[Executed]] = []
        for statement, parameters in executed:
            if statement.startswith("BEGIN"):
                self._transactions.append([])
            else:
                self._transactions[-1].append((statement, parameters))

    def again(self) -> None:
        for transaction in self._transactions:
            with self._engine.begin() as db:
                for statement, parameters in transaction:
                    found = db.exec_driver_sql(statement, parameters)
                    if found.returns_rows:
                        found.all()

    def close(self) -> None:
        self._engine.dispose()
