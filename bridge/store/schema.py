"""Create the tables in an empty database, and migrate those of an older database."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from bridge import origin
from bridge.domain.errors import SetupError
from bridge.store import views
from bridge.store.tables import metadata

MIGRATIONS = Path(__file__).parent / "migrations"
_LOCK = 7_211_482_906  # of an advisory lock of PostgreSQL; the number is arbitrary
_VERSION = sa.Table(  # as Alembic creates it
    "alembic_version",
    sa.MetaData(),
    sa.Column("version_num", sa.String(32), nullable=False),
    sa.PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)


def create_or_migrate(engine: sa.Engine) -> None:
    """Create the tables in an empty database, or migrate older ones. Processes that start at once do not collide.

    Raises SetupError for tables of a newer release, of a release before 0.1.0, or of another program.
    """
    known = sorted(path.name[:4] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))
    first, newest = known[0], known[-1]
    with engine.connect() as connection:
        found = _version(connection)
    if found == newest:
        return
    if found is not None and found > newest:
        raise SetupError(f"a newer release has used this database; install it {origin.renewing()}")
    if found is not None and found < first:
        raise SetupError(
            "this database is of a version before 0.1.0; let that version write each person's export (bridge export), "
            "name an empty database in BRIDGE_DATABASE, and read the exports there (bridge import)"
        )
    with engine.begin() as connection:  # a second process waits here
        if connection.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
        else:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        if _version(connection) is None:
            _make(connection, newest)
        else:
            had_views = views.drop(connection)
            migrate(connection)
            if had_views:
                views.make(connection)


def _version(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table(_VERSION.name):
        return None
    version: str | None = connection.execute(sa.select(_VERSION.c.version_num)).scalar()
    return version


def _make(connection: sa.Connection, newest: str) -> None:
    if foreign := sorted(set(sa.inspect(connection).get_table_names()) & set(metadata.tables)):
        raise SetupError(
            f"this database has tables of another program ({', '.join(foreign)}); name an empty one in BRIDGE_DATABASE"
        )
    for statement in _statements(connection.dialect.name):
        connection.exec_driver_sql(statement)
    connection.execute(sa.insert(_VERSION).values(version_num=newest))


@cache
def _statements(dialect: str) -> tuple[str, ...]:
    # They are cached, because compiling takes longer than executing them.
    # Defining it with the tables would always load PostgreSQL's dialect.
    if dialect == "postgresql":
        for index in (index for table in metadata.tables.values() for index in table.indexes):
            index.dialect_options["postgresql"]["where"] = index.dialect_options["sqlite"]["where"]
    found: list[str] = []
    engine: Any = sa.create_mock_engine(
        f"{dialect}://", lambda statement, *_: found.append(str(statement.compile(dialect=engine.dialect)))
    )
    for tables in (metadata, _VERSION.metadata):
        tables.create_all(engine, checkfirst=False)
    return tuple(found)


def migrate(connection: sa.Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
