"""A process that pulls one connection over and over, with a lease and without; it prints what became of it."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import closing

from bridge import installation, registry
from bridge.domain.errors import BridgeError
from bridge.ingest import runs


def main(user: str, times: int) -> None:
    """Every other time through a sync, which another sync may hold up; in between straight, where nothing does."""
    found: Counter[str] = Counter()
    with installation.open_bridge() as bridge:
        person = bridge.store.people.user(user)
        (connection,) = bridge.store.connections.of_user(person.id)
        spec = registry.spec(connection.source)
        for number in range(times):
            if number % 2:
                found[runs.sync_connection(bridge, person, connection, at=installation.now()).outcome] += 1
                continue
            try:
                with closing(registry.resolve(spec.opens or "")(bridge.account(connection, spec))) as connector:
                    records = sum(len(page.records) for page in connector.pull("cycle", None, now=installation.now()))
                found["pulled" if records else "empty"] += 1
            except BridgeError as error:
                found[type(error).__name__] += 1
    print(*(f"{what}={count}" for what, count in sorted(found.items())))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
