"""Record the SQL statements of an operation, and execute them again with SQLAlchemy alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

Executed = tuple[str, Any]  # statement, parameters


@contextmanager
def executing(engine: Any, executed: list[Executed]) -> Iterator[None]:
    """Return a context manager that adds each SQL statement of an engine, with its parameters, to ``executed``.

    The engine stays slower afterwards, because SQLAlchemy then calls listeners for every statement.
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
    """Recorded SQL statements, which ``again`` executes as text in the same transactions."""

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
