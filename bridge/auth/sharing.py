"""Let another user of the installation see chosen meters, and take that back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bridge.domain.errors import SetupError
from bridge.domain.languages import say
from bridge.domain.records import User
from bridge.store import Store
from bridge.store.people import composed
from rhythm_env.interface import Meter

VIEWERS_MAX = 20  # of a user


def share(store: Store, user: User, viewer_name: str, meters: Sequence[Meter], *, now: datetime) -> None:
    """Let the user called ``viewer_name`` see exactly these meters of ``user`` from now on.

    Raises SetupError for an unknown name, for the user's own name, without meters, and for too many viewers.
    """
    if not meters:
        raise SetupError(say("choose at least one meter, or withdraw the share"))
    viewer = _other(store, user, viewer_name)
    viewers = {one.other_id for one in store.shares.given(user.id)}
    if len(viewers | {viewer.id}) > VIEWERS_MAX:
        raise SetupError(say("you share with {max} people already; withdraw one of them first", max=VIEWERS_MAX))
    store.shares.save(user.id, viewer.id, meters, now=now)


def withdraw(store: Store, user: User, viewer_name: str, *, now: datetime) -> None:
    """Stop showing the user called ``viewer_name`` any meter of ``user``. Raises SetupError if none was shared."""
    found = next((one for one in store.shares.given(user.id) if one.other == composed(viewer_name)), None)
    if found is None:
        raise SetupError(say("you share nothing with anybody of that name; see: bridge share"))
    store.shares.save(user.id, found.other_id, (), now=now)


def hide(store: Store, viewer: User, name: str, *, now: datetime) -> None:
    """Stop showing ``viewer`` the meters of the user ``name``. Raises SetupError if that user shares nothing."""
    found = next((one for one in store.shares.received(viewer.id) if one.other == composed(name)), None)
    if found is None:
        raise SetupError(say("nobody of that name shares anything with you; see: bridge share"))
    store.shares.save(found.other_id, viewer.id, (), now=now)


def _other(store: Store, user: User, name: str) -> User:
    found = store.people.named(name.strip())
    if found is None:
        raise SetupError(say("nobody here has that name; ask for the exact name, and try again"))
    if found.id == user.id:
        raise SetupError(say("that is your own name; give the name of another person here"))
    return found
