"""Advice out to a person's phone or mailbox, through whatever Apprise can reach: https://github.com/caronc/apprise."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from bridge.account import SEALING
from bridge.errors import SetupError
from bridge.ports import Channel, Recommendation, Store, User
from bridge.vault import Vault
from rhythm_env.interface import Slot

STATES = ("sending", "sent", "failed")
UNSENT = ("sending", "failed")  # "sending" is what a process that was killed leaves: it may have gone out or not
REPORTED = timedelta(days=14)  # so long is what did not go out shown as an error
PARTS = {Slot.NIGHT: "tonight"}


def compose(advice: Recommendation, links: Mapping[str, str], events: Sequence[str] = ()) -> tuple[str, str]:
    """(title, text) of a message: the action, its slot, the reasons, what is in the calendar then if the person wants
    that, and one line per link. Reasons come from policies, which see no event's title.
    """
    part = PARTS.get(advice.moment.slot, f"this {advice.moment.slot.name.lower()}")
    title = f"{str(advice.action).replace('_', ' ').capitalize()}, {part}"
    lines = [*advice.reasons, *events, *(f"{name}: {address}" for name, address in links.items())]
    return title, "\n".join(lines) or title


def ended(title: str, source: str, user: User) -> tuple[str, str]:
    """(title, text) of the message that a consent to a source, by its title and name, is over."""
    again = f"bridge connect {source} --user {user.name}, or on the page, under Connections"
    text = f"The consent has ended or was withdrawn, and nothing new comes in. Log in again: {again}."
    return f"{title.partition(' (')[0]}: please log in again", text


def send(address: str, title: str, text: str) -> str | None:
    """Hand a message to Apprise; None when it went, else why not, in words that name no address.

    It is plain text: what goes out as HTML shows titles as they are written. Markdown's escapes would break links.
    """
    import apprise

    logging.getLogger("apprise").setLevel(logging.CRITICAL)  # its lines hold addresses
    post = apprise.Apprise()
    if not post.add(address):
        return "no address that Apprise knows"
    how = None if post[0].notify_format == "markdown" else "text"
    try:
        return None if post.notify(title=title, body=text, body_format=how) else "it was not taken"
    except Exception as error:  # noqa: BLE001 - a plug-in of Apprise for every service there is
        return f"an unexpected {type(error).__name__}"


def keep(store: Store, vault: Vault, user: User, address: str, *, events: bool, now: datetime) -> None:
    """Seal an address and send there from now on. Raises SetupError for one that Apprise does not know."""
    import apprise

    logging.getLogger("apprise").setLevel(logging.CRITICAL)
    if not apprise.Apprise().add(address):
        raise SetupError(
            "that is no address Apprise knows (they look like ntfys://HOST/TOPIC or mailtos://...); try another: "
            f"bridge notify --user {user.name} --to URL --test"
        )
    with store.lock(SEALING):
        store.post.keep(user.id, Channel(sealed=vault.seal({"address": address}), events=events), now=now)


def address_of(store: Store, vault: Vault, user_id: int) -> str:
    """Where a person's advice goes. Raises SetupError where it goes nowhere."""
    channel = store.post.channel(user_id)
    if channel is None:
        raise SetupError("nothing is sent to them; have it sent: bridge notify --user NAME --to URL")
    return str(vault.unseal(channel.sealed)["address"])


def once(store: Store, vault: Vault, advice: Recommendation, message: tuple[str, str], *, now: datetime) -> str | None:
    """Send a piece of advice unless that was ever begun before; what became of it is written down. Gives why not.

    That it is being sent is durable before the first byte goes out: after a crash it counts as not sent, and is not
    sent again.
    """
    if not store.post.begin(advice.user_id, advice.id, now=now):
        return "it was sent before"
    try:
        reason = send(address_of(store, vault, advice.user_id), *message)
    except SetupError as error:
        reason = str(error)
    store.post.end(advice.id, reason, now=now)
    return reason
