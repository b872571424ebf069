"""Read and save a user's order of sources.

The order decides between sources that record the same night, day or workout.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from bridge import registry
from bridge.domain.errors import SetupError
from bridge.domain.preference import PREFERRED_MAX, Preference, source_of

if TYPE_CHECKING:
    from bridge.domain.records import User
    from bridge.store import Store

NAME_MAX = 200  # characters of SOURCE/DEVICE


def load_preference(store: Store, user: User) -> Preference:
    """Return a user's order of sources. Sources that the user did not name follow in the usual order."""
    return Preference(chosen=store.people.preferred_sources(user.id), usual=registry.usual_order())


def choose(store: Store, user: User, names: Sequence[str], *, now: datetime) -> None:
    """Save the order of sources that a user prefers, best first. An empty ``names`` deletes the order.

    A name is SOURCE or SOURCE/DEVICE. Raises SetupError for a source without nights and workouts, and too many names.
    """
    wanted = tuple(dict.fromkeys(name.strip() for name in names))
    for name in wanted:
        if len(name) > NAME_MAX or source_of(name) not in registry.usual_order():
            raise SetupError(
                f"{name[:NAME_MAX]!r} is not a source of nights or workouts (there are: "
                f"{', '.join(registry.usual_order())}); see your order: bridge prefer --user {user.name}"
            )
    if len(wanted) > PREFERRED_MAX:
        raise SetupError(f"name at most {PREFERRED_MAX} sources: bridge prefer --user {user.name} SOURCE...")
    store.people.prefer_sources(user.id, wanted, now=now)
