"""Recommendations sent to a user's phone or mailbox through Apprise (https://github.com/caronc/apprise)."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from bridge.advice import message_sender, review_words
from bridge.advice.review_words import Review
from bridge.auth.vault import SEALING_LOCK, Vault
from bridge.domain.errors import SetupError
from bridge.domain.records import Channel, Recommendation, User
from bridge.domain.slots import ZoneHistory, zone_at
from bridge.http import egress
from rhythm_env.interface import Slot

if TYPE_CHECKING:
    from bridge.store import Store

STATES = ("sending", "sent", "failed")
UNSENT = ("sending", "failed")  # a killed process leaves "sending": its message may have been sent
REPORTED = timedelta(days=14)  # for which an unsent message is shown as an error
SEND_SECONDS = 60.0  # time limit of a message
NAMES_A_TASK = "for: "  # begins a reason that holds a title
SLOT_NAMES = {Slot.NIGHT: "tonight"}


def compose(
    advice: Recommendation, links: Mapping[str, str], events: Sequence[str] = (), *, zones: ZoneHistory
) -> tuple[str, str]:
    """Return title and text of a message with the action, its time, the reasons and a line per link.

    ``links`` maps a button's word to its address. ``events`` are lines about the calendar, if the user wants them.
    Reasons that name a task are left out.
    """
    name = str(advice.action).replace("_", " ").capitalize()
    title = f"{'Keep: ' * (advice.kind == 'keep')}{name}, {_time(advice, zones)}"
    reasons = (reason for reason in advice.reasons if not reason.startswith(NAMES_A_TASK))
    lines = [*reasons, *events, *(f"{word}: {address}" for word, address in links.items())]
    return title, "\n".join(lines) or title


def _time(advice: Recommendation, zones: ZoneHistory) -> str:
    """Return the local begin and end of a recommendation as text.

    Without them, returns the part of the day, such as "this morning".
    """
    if advice.start is None or advice.end is None:
        return SLOT_NAMES.get(advice.moment.slot, f"this {advice.moment.slot.name.lower()}")
    start, end = (at.astimezone(zone_at(at, zones)) for at in (advice.start, advice.end))
    return f"{start:%H:%M} to {end:%H:%M}"


def compose_review(review: Review, address: str | None) -> tuple[str, str]:
    """Return title and text of the message about a week.

    ``address`` is that of the week's page. It is None if the page cannot be reached from outside.
    """
    lines = [*review_words.lines(review), *([] if address is None else [f"the week: {address}"])]
    return "Your week", "\n".join(lines)


def ended(title: str, source: str, user: User) -> tuple[str, str]:
    """Return title and text of the message that the consent to a source has ended.

    ``title`` is the source's name for people, and ``source`` its name in commands.
    """
    again = f"bridge connect {source} --user {user.name}, or on the page, under Connections"
    text = f"The consent has ended or was withdrawn, and nothing new comes in. Log in again: {again}."
    return f"{title.partition(' (')[0]}: please log in again", text


def send(address: str, title: str, text: str, allowed: Collection[str]) -> str | None:
    """Send a message through Apprise, in a process of its own that gets at most a minute.

    Returns None if it was sent, else a reason that does not hold the address. Public hosts are always reached.
    ``allowed`` names the hosts inside the operator's network that may be reached too. Refused, closed and silent
    addresses give the same reason, so that the network cannot be probed.
    """
    body = json.dumps({"address": address, "title": title, "text": text, "allowed": sorted(allowed)})
    command = [sys.executable, "-m", message_sender.__name__]
    try:
        done = subprocess.run(  # noqa: S603 - our own module
            command, input=body.encode(), env=_environment(), capture_output=True, timeout=SEND_SECONDS, check=False
        ).returncode
    except (subprocess.TimeoutExpired, OSError):
        done = message_sender.NOT_TAKEN
    told = {message_sender.SENT: None, message_sender.UNKNOWN: "no address that Apprise knows"}
    return told.get(done, f"it was not taken ({egress.REFUSAL_TEXT})")


def _environment() -> dict[str, str]:
    """Return the process's environment without the bridge's own variables (``BRIDGE_*``) and without proxies.

    A proxy would bypass the limit to permitted addresses.
    """
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("BRIDGE_") and not name.lower().endswith("_proxy")
    }


def keep(
    store: Store,
    vault: Vault,
    user: User,
    address: str,
    *,
    events: bool,
    quiet: Collection[Slot] = (),
    now: datetime,
) -> None:
    """Seal a user's address for notifications and store it, in place of an earlier address.

    ``events`` says that messages may name calendar events, and ``quiet`` are slots without messages. Raises SetupError
    if Apprise does not know the address.
    """
    import apprise

    logging.getLogger("apprise").setLevel(logging.CRITICAL)
    if not apprise.Apprise().add(address):
        raise SetupError(
            "that is no address Apprise knows (they look like ntfys://HOST/TOPIC or mailtos://...); try another: "
            f"bridge notify --user {user.name} --to URL --test"
        )
    with store.lock(SEALING_LOCK):
        sealed = vault.seal({"address": address})
        store.notifications.save_channel(
            user.id, Channel(sealed=sealed, events=events, quiet=frozenset(quiet)), now=now
        )


def choose(store: Store, user: User, *, events: bool, quiet: Collection[Slot], now: datetime) -> None:
    """Store what a user's messages may name and when none come, and keep the address.

    Raises SetupError if no address is stored.
    """
    with store.lock(SEALING_LOCK):
        channel = _channel_of(store, user.id)
        store.notifications.save_channel(user.id, replace(channel, events=events, quiet=frozenset(quiet)), now=now)


def address_of(store: Store, vault: Vault, user_id: int) -> str:
    """Return the address for a user's messages. Raises SetupError if none is stored."""
    return str(vault.unseal(_channel_of(store, user_id).sealed)["address"])


def _channel_of(store: Store, user_id: int) -> Channel:
    channel = store.notifications.channel(user_id)
    if channel is None:
        raise SetupError("no address for messages is stored; store one: bridge notify --user NAME --to URL")
    return channel


def once(
    store: Store,
    vault: Vault,
    advice: Recommendation,
    message: tuple[str, str],
    *,
    allowed: Collection[str],
    now: datetime,
) -> str | None:
    """Send the message of a recommendation if none was sent for it before, and store the result.

    ``message`` is title and text. Returns None if it was sent, else the reason why not. The state "sending" is stored
    before the first byte leaves. So a message that a crash interrupted counts as not sent, and is never sent again.
    """
    if not store.notifications.begin(advice.user_id, advice.id, now=now):
        return "it was sent before"
    try:
        reason = send(address_of(store, vault, advice.user_id), *message, allowed)
    except SetupError as error:
        reason = str(error)
    store.notifications.finish(advice.id, reason, now=now)
    return reason
