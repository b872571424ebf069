"""Save the client ids and secrets of vendors' applications, which a user types, after testing them."""

from __future__ import annotations

from dataclasses import dataclass

from bridge import config, registry
from bridge.auth import oauth
from bridge.auth.redirect_listener import tried_by_hand
from bridge.auth.vault import SEALING_LOCK
from bridge.domain.errors import SetupError
from bridge.domain.ports import ConnectorSpec, Setting
from bridge.domain.records import User
from bridge.installation import Bridge, now

CLIENT = ("client_id", "client_secret")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The values to enter on a vendor's page where applications are registered.

    ``redirect`` is the redirect address, or None if none is used. ``outranked_by`` names settings that take precedence.
    """

    redirect: str | None
    scopes: str
    variables: tuple[str, ...]
    outranked_by: tuple[str, ...]
    shared_with: tuple[str, ...]  # titles of the other sources that the same client serves


def is_missing(bridge: Bridge, user: User, spec: ConnectorSpec) -> bool:
    """Return True if a source needs an application that the user registers at the vendor, and none is known."""
    if spec.registration is None:
        return False
    try:
        found = bridge.settings_of(user, spec.name, _wanted(spec))
    except SetupError:
        return True
    return not all(found.values())


def _wanted(spec: ConnectorSpec) -> list[Setting]:
    return [setting for setting in spec.settings if setting.name in CLIENT]


def _name(spec: ConnectorSpec) -> str:
    return next((setting.shared for setting in _wanted(spec) if setting.shared), spec.name)


def asked(bridge: Bridge, user: User, spec: ConnectorSpec) -> Asked:
    """Return what to enter on the vendor's page of applications. Raises SetupError if a setting for it is wrong."""
    others = [setting for setting in spec.settings if setting.name not in CLIENT]
    settings = bridge.settings_of(user, spec.name, others)
    found = spec.oauth
    outranking = [one for one in _wanted(spec) if bridge.settings.installed(spec.name, one)]
    return Asked(
        redirect=oauth.filled(found.redirect, settings) if found else None,
        scopes=found.scope_separator.join(found.scopes) if found else "",
        variables=tuple(config.variable_of(one.shared or spec.name, one) for one in _wanted(spec)),
        outranked_by=tuple(config.variable_of(one.shared or spec.name, one) for one in outranking),
        shared_with=tuple(
            one.title
            for one in registry.specs()
            if one.name != spec.name and _wanted(one) and _name(one) == _name(spec)
        ),
    )


def has_secret(spec: ConnectorSpec) -> bool:
    """Return True if a source's client consists of an id and a secret, False for an id alone."""
    return any(setting.secret for setting in _wanted(spec))


def save(bridge: Bridge, user: User, spec: ConnectorSpec, client_id: str, client_secret: str) -> None:
    """Test an application's client id and secret at the vendor's token server, and save them encrypted.

    Raises SetupError if the vendor refuses them or they may not be shared, TryLater if the vendor does not answer.
    """
    if spec.registration is None:
        raise SetupError(
            f"{spec.name} needs no application of yours; connect it: bridge connect {spec.name} --user {user.name}"
        )
    name = _name(spec)
    if bridge.store.connections.client(name) is not None and len(bridge.store.people.users()) > 1:
        raise SetupError(
            "the client id that is set serves everybody here; to use another one, set "
            f"{config.variable_of(name, _wanted(spec)[0])}"
        )
    typed = {"client_id": client_id.strip()}
    if has_secret(spec):
        typed["client_secret"] = client_secret.strip()
    if not all(typed.values()):
        raise SetupError(f"{spec.name} needs a client id and a secret; copy both from the vendor's page")
    others = [setting for setting in spec.settings if setting.name not in CLIENT]
    with tried_by_hand(spec.name):
        oauth.check_client(spec, bridge.settings_of(user, spec.name, others) | typed)
    with bridge.store.lock(SEALING_LOCK):
        bridge.store.connections.save_client(name, bridge.vault.seal(typed), now=now())


def drop_all(bridge: Bridge) -> None:
    """Delete everything stored with clients. These are typed clients, the state of webhooks, and the key for pushes."""
    for name in bridge.store.connections.clients():
        bridge.store.connections.save_client(name, None, now=now())
