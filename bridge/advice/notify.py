"""Write messages to a user and send them by Apprise (https://github.com/caronc/apprise) and to the user's browsers.

Address, browsers and choices about messages are stored here as well, the first two encrypted.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from bridge.advice import message_sender, review_words, web_push
from bridge.advice.labels import labelled
from bridge.advice.review_summary import summary
from bridge.advice.review_words import Review
from bridge.advice.web_push import Device, Notice
from bridge.auth.vault import SEALING_LOCK, Vault
from bridge.domain.errors import SetupError
from bridge.domain.languages import _, say, shown
from bridge.domain.records import Channel, Recommendation, User
from bridge.domain.rendering import Audience, reasons
from bridge.domain.slots import ZoneHistory, local_time, zone_at
from bridge.domain.titles import advice_title
from bridge.domain.trials import Trial
from bridge.http import egress
from rhythm_env.interface import Slot

if TYPE_CHECKING:
    from bridge.installation import Bridge
    from bridge.store import Store


SEND_SECONDS = 60.0  # time limit of a message
NO_ADDRESS = say("no address for messages is stored; store one: bridge notify --user NAME --to URL")
DEVICES_MAX = 10  # browsers of a user
PARTS_OF_DAY = {
    Slot.MORNING: say("this morning"),
    Slot.AFTERNOON: say("this afternoon"),
    Slot.EVENING: say("this evening"),
    Slot.NIGHT: say("tonight"),
}
SOON = timedelta(minutes=30)  # within which an answer counts
HOURS = 3  # of the day that share a term
MANY = 24 // HOURS
EVERYBODY = 1.31  # logit of an answer within half an hour
PERSON_SD, HOURS_SD = 1.1, 0.5  # of the person's own terms, in logits
WORTH_WAITING = 0.03  # the least gain of probability for which a message waits, because the day goes on


def titled_events(bridge: Bridge, user: User, advice: Recommendation, now: datetime) -> list[str]:
    """Return the events that begin before the recommendation expires, as ``14:00 Title``, or "busy" if private."""
    known = labelled(bridge, user, now, advice.expires_at, at=now)
    zone = zone_at(now, user.zones)
    ahead = [occurrence for occurrence, _label in known if occurrence.event.title and occurrence.start >= now]
    return [f"{o.start.astimezone(zone):%H:%M} {_('busy') if o.event.private else o.event.title}" for o in ahead]


def compose(
    advice: Recommendation, links: Mapping[str, str], events: Sequence[str] = (), *, zones: ZoneHistory
) -> tuple[str, str]:
    """Return (title, text) of a message about a recommendation, in the current language.

    ``links`` maps the word on a button to its address. ``events`` are lines to add. If the text would be empty, it is
    the title.
    """
    values = {"action": advice_title(advice.action, advice.kind), "time": _time(advice, zones)}
    title = _("Keep: {action}, {time}", **values) if advice.kind == "keep" else _("{action}, {time}", **values)
    lines = [
        *map(shown, reasons(advice.facts, Audience.LOCK_SCREEN)),
        *events,
        *(f"{word}: {address}" for word, address in links.items()),
    ]
    return title, "\n".join(lines) or title


def _time(advice: Recommendation, zones: ZoneHistory) -> str:
    if advice.start is None or advice.end is None:
        return shown(PARTS_OF_DAY[advice.moment.slot])
    start, end = (local_time(at, zones) for at in (advice.start, advice.end))
    return _("{start:%H:%M} to {end:%H:%M}", start=start, end=end)


def compose_review(review: Review, address: str | None) -> tuple[str, str]:
    """Return (title, text) of the message about a week. ``address`` is the address of its page, or None."""
    lines = [*map(shown, summary(review)), *map(shown, review_words.lines(review))]
    if address is not None:
        lines.append(_("the week: {address}", address=address))
    return _("Your week"), "\n".join(lines)


def trial_reminder(found: Sequence[tuple[Trial, bool]], *, titles: bool) -> tuple[str, str]:
    """Return (title, text) of a message about what to do today in the user's trials.

    ``found`` holds each trial with True if today is drawn for what it tests. This is named only if ``titles``.
    """

    def line(one: Trial, *, arm: bool) -> str:
        name = one.text if titles else _("trial {number}", number=one.id)
        return _("With it today: {trial}", trial=name) if arm else _("Without it today: {trial}", trial=name)

    return _("Your trial today"), "\n".join(line(one, arm=arm) for one, arm in found)


def ended(title: str, source: str, user: User) -> tuple[str, str]:
    """Return (title, text) of the message that the consent for a source, displayed as ``title``, has ended."""
    text = _(
        "The consent has ended or was withdrawn, and nothing new comes in. Log in again: {command}, or on the page, "
        "under Connections.",
        command=f"bridge connect {source} --user {user.name}",
    )
    return _("{source}: please log in again", source=title.partition(" (")[0]), text


def send(address: str, title: str, text: str, allowed: Collection[str]) -> str | None:
    """Send a message by Apprise in another process. Return None if it was sent, else the reason.

    The reason is always the same, so that nobody can probe the network by it. ``allowed`` names permitted inner hosts.
    """
    body = json.dumps({"address": address, "title": title, "text": text, "allowed": sorted(allowed)})
    command = [sys.executable, "-m", message_sender.__name__]
    try:
        done = subprocess.run(  # noqa: S603 - our own module
            command, input=body.encode(), env=_environment(), capture_output=True, timeout=SEND_SECONDS, check=False
        ).returncode
    except (subprocess.TimeoutExpired, OSError):
        done = message_sender.NOT_TAKEN
    told = {message_sender.SENT: None, message_sender.UNKNOWN: say("no address that Apprise knows")}
    return told.get(done, say("it was not taken ({why})", why=egress.REFUSAL_TEXT))


def _environment() -> dict[str, str]:
    """Return the environment without ``BRIDGE_*`` and proxy settings, which would bypass the permitted addresses."""
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
    """Store a user's address for notifications, encrypted, with the ``quiet`` slots in which none are sent.

    Messages list calendar ``events`` if True. Raises SetupError if Apprise does not know the kind of address.
    """
    import apprise

    logging.getLogger("apprise").setLevel(logging.CRITICAL)
    if not apprise.Apprise().add(address):
        raise SetupError(
            say(
                "that is not an address Apprise knows (they look like ntfys://HOST/TOPIC or mailtos://...); "
                "try another: {command}",
                command=f"bridge notify --user {user.name} --to URL --test",
            )
        )
    with store.lock(SEALING_LOCK):
        sealed = vault.seal({**_secret(store, vault, user.id), "address": address})
        channel = Channel(sealed=sealed, events=events, quiet=frozenset(quiet))
        store.notifications.save_channel(user.id, channel, now=now)


def choose(store: Store, user: User, *, events: bool, quiet: Collection[Slot], now: datetime) -> None:
    """Change whether a user's messages list calendar ``events``, and the ``quiet`` slots without messages.

    Raises SetupError for a user with neither an address nor a browser.
    """
    with store.lock(SEALING_LOCK):
        channel = store.notifications.channel(user.id)
        if channel is None:
            raise SetupError(NO_ADDRESS)
        store.notifications.save_channel(user.id, replace(channel, events=events, quiet=frozenset(quiet)), now=now)


def save_devices(
    store: Store, vault: Vault, user_id: int, change: Callable[[list[Device]], list[Device]], *, now: datetime
) -> None:
    """Replace the user's browsers by ``change(browsers)``. Without address and browsers, messages are switched off."""
    with store.lock(SEALING_LOCK):
        secret, channel = _secret(store, vault, user_id), store.notifications.channel(user_id)
        devices = change(_devices(secret))[-DEVICES_MAX:]
        sealed = vault.seal({**secret, "devices": [asdict(device) for device in devices]})
        if not devices and not secret.get("address"):
            store.notifications.save_channel(user_id, None, now=now)
        elif channel is not None:
            store.notifications.reseal_channel(user_id, sealed)
        else:
            store.notifications.save_channel(user_id, Channel(sealed=sealed), now=now)


def devices_of(store: Store, vault: Vault, user_id: int) -> list[Device]:
    return _devices(_secret(store, vault, user_id))


def _devices(secret: Mapping[str, Any]) -> list[Device]:
    return [Device(**device) for device in secret.get("devices", ())]


def _secret(store: Store, vault: Vault, user_id: int) -> dict[str, Any]:
    channel = store.notifications.channel(user_id)
    return {} if channel is None else vault.unseal(channel.sealed)


def deliver(bridge: Bridge, user_id: int, message: tuple[str, str], notice: Notice, *, now: datetime) -> str | None:
    """Send ``message`` (title, text) to the user's address and ``notice`` to the user's browsers.

    Returns None if any of them took it, else the reasons. Raises SetupError if there is neither address nor browser.
    """
    store, vault, settings = bridge.store, bridge.vault, bridge.settings
    secret = _secret(store, vault, user_id)
    failures: list[str | None] = []
    if address := secret.get("address"):
        failures.append(send(address, *message, settings.allow_hosts))
    if devices := _devices(secret):
        reason, gone = web_push.send(bridge, devices, notice)
        failures.append(reason)
        if gone:
            save_devices(store, vault, user_id, lambda kept: [one for one in kept if one not in gone], now=now)
    if not failures:
        raise SetupError(NO_ADDRESS)
    return None if None in failures else "; ".join(filter(None, failures))


def deliver_test(bridge: Bridge, user: User, *, now: datetime) -> str | None:
    """Send a test message, and return None or why it failed. Raises SetupError without address and browser."""
    message = ("rhythm-bridge", _("Advice for {name} will come here.", name=user.name))
    return deliver(bridge, user.id, message, Notice(title=message[0], text=message[1], tag="test"), now=now)


def deliver_begun(
    bridge: Bridge, advice: Recommendation, message: tuple[str, str], notice: Notice, *, now: datetime
) -> str | None:
    """Send the message of a recommendation whose state is "sending". Return None if it was sent, else the reason."""
    try:
        reason = deliver(bridge, advice.user_id, message, notice, now=now)
    except SetupError as error:
        reason = str(error)
    bridge.store.notifications.finish(advice.id, reason, now=now)
    return reason


def best_moment(store: Store, user: User, advice: Recommendation, *, now: datetime) -> tuple[datetime, float]:
    """Return (when to send a recommendation's message, probability of an answer within half an hour of it).

    It is ``now`` or, if clearly more promising, later, before the action begins and the recommendation expires.
    """
    heard = store.notifications.answers(user.id, until=now - SOON)
    rates = chances([(_part(at, user.zones), answered(at, then)) for at, then in heard])
    until = min(advice.expires_at, advice.start or advice.expires_at) - SOON
    found = now, rates[_part(now, user.zones)]
    for at in _beginnings(now, until, user.zones):
        if rates[_part(at, user.zones)] > found[1] + WORTH_WAITING:
            found = at, rates[_part(at, user.zones)]
    return found


def answered(sent: datetime, then: datetime | None) -> bool:
    """Return True if an answer (at ``then``, or None) came within half an hour of the message."""
    return then is not None and then - sent <= SOON


def chances(heard: Sequence[tuple[int, bool]]) -> list[float]:
    """Return eight probabilities of an answer within half an hour, one for every three hours of the day.

    ``heard`` holds (part of the day from 0 to 7, was answered soon) for each message, oldest first. By logistic
    regression with an extended Kalman filter.
    """
    import numpy as np

    rows = np.hstack([np.ones((MANY, 1)), np.eye(MANY)])
    mean, cov = np.zeros(1 + MANY), np.diag([PERSON_SD**2] + [HOURS_SD**2] * MANY)
    for part, soon in heard:
        row = rows[part]
        rate = 1 / (1 + np.exp(-(EVERYBODY + row @ mean)))
        shared, curved = cov @ row, rate * (1 - rate)
        step = shared / (1 + curved * (row @ shared))
        mean, cov = mean + step * (soon - rate), cov - curved * np.outer(step, shared)
    spread = np.einsum("pi,ij,pj->p", rows, cov, rows)
    logits = (EVERYBODY + rows @ mean) / np.sqrt(1 + np.pi / 8 * spread)
    return [float(one) for one in 1 / (1 + np.exp(-logits))]


def _part(at: datetime, zones: ZoneHistory) -> int:
    return local_time(at, zones).hour // HOURS


def _beginnings(now: datetime, until: datetime, zones: ZoneHistory) -> Iterable[datetime]:
    zone = zone_at(now, zones)
    here = now.astimezone(zone)
    day = datetime.combine(here.date(), time(), zone)
    for hour in range(here.hour // HOURS * HOURS + HOURS, 24, HOURS):
        at = day.replace(hour=hour)
        if at <= until:
            yield at
