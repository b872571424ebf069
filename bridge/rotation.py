"""Another key for the vault: every consent sealed anew, then the old key dropped."""

from __future__ import annotations

from dataclasses import dataclass

from bridge.account import SEALING
from bridge.keyplace import KeyPlace, new_key
from bridge.ports import Store
from bridge.vault import Vault


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotation:
    """How many consents are sealed with the new key, which connections' no key opens, and whether the old key went."""

    resealed: int
    unreadable: tuple[int, ...]
    dropped: bool


def rotate(store: Store, place: KeyPlace) -> Rotation:
    """Make a key, seal everything with it, drop the others.

    Both keys are kept until everything is sealed anew, in one transaction; nothing is sealed by anybody else
    meanwhile. Killed at any point it has lost nothing, and the next rotation finishes it: several keys are the mark of
    an unfinished one. Raises SetupError where the keys are in the environment and it holds no new one yet.
    """
    with store.lock(SEALING):
        if len(place.keys()) == 1:
            place.keep([new_key(), *place.keys()])
        resealed, unreadable = _reseal(store, Vault(place.keys))
        if place.ours:
            place.keep(place.keys()[:1])
    return Rotation(resealed=resealed, unreadable=unreadable, dropped=place.ours)


def _reseal(store: Store, vault: Vault) -> tuple[int, tuple[int, ...]]:
    with store.transaction():
        anew = [(connection, vault.resealed(sealed)) for connection, sealed in store.secrets()]
        for connection, sealed in anew:
            if sealed is not None:
                store.save_secret(connection, sealed)
        channels = {user: vault.resealed(channel.sealed) for user, channel in store.post.channels().items()}
        for user, sealed in channels.items():
            if sealed is not None:
                store.post.reseal(user, sealed)
    unreadable = tuple(connection for connection, sealed in anew if sealed is None)
    resealed = sum(sealed is not None for sealed in channels.values())
    return len(anew) - len(unreadable) + resealed, unreadable
