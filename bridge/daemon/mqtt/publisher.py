"""Keep the broker's retained messages up to date, and store the answers of Home Assistant's buttons."""

from __future__ import annotations

import json
import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from bridge import config, installation
from bridge.advice import answer_links, feedback, recommend, rescheduling
from bridge.advice.notify import titled_events
from bridge.daemon.mqtt import entities, orders
from bridge.daemon.mqtt.link import OFFLINE, ONLINE, Broker, Link, broker_of, sharing
from bridge.domain.errors import SetupError, Spent
from bridge.domain.records import Recommendation, User
from bridge.domain.slots import moment_at
from bridge.meters import read

log = logging.getLogger(__name__)

METERS_EVERY = timedelta(minutes=5)
PRESSES_MAX = 20  # that wait at once; more are dropped


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """A press of a button on a user's device, about the recommendation ``number`` that was shown there."""

    device: str
    number: int
    word: str


@dataclass(slots=True, kw_only=True)
class Publisher:
    """An installation at its broker, which publishes users' meters and recommendations and queues pressed buttons.

    ``work`` is called in any thread after a press, must return at once, and must cause a call of ``update``.
    """

    bridge: installation.Bridge
    broker: Broker
    work: Callable[[], None]
    link: Link = field(init=False)
    updating: threading.Lock = field(default_factory=threading.Lock)
    presses: deque[Press] = field(default_factory=lambda: deque(maxlen=PRESSES_MAX))
    orders: orders.Orders = field(default_factory=orders.Orders)
    shown: dict[str, int] = field(default_factory=dict)  # device -> the recommendation that is told there
    announced: dict[str, int] = field(default_factory=dict)  # device -> the newest of which an event told
    read_at: dict[str, datetime] = field(default_factory=dict)  # device -> when its meters were last read

    def __post_init__(self) -> None:
        self.link = Link(self.broker, self.work, self._pressed)

    def _pressed(self, topic: str, word: str) -> None:
        """Queue a button's press for the recommendation that the device shows, or another message, up to a limit."""
        parts = topic.split("/")
        if len(parts) == 3 and parts[2] in entities.PARTS:
            if self.orders.take(orders.Order(parts[1], parts[2], word, self.shown.get(parts[1]))):
                self.work()
            return
        number = self.shown.get(parts[1]) if len(parts) == 3 else None
        if number is not None and word in entities.PRESSES and len(self.presses) < PRESSES_MAX:
            self.presses.append(Press(device=parts[1], number=number, word=word))
            self.work()

    def update(self, now: datetime) -> None:
        """Store the answers of pressed buttons, and publish each sharing user's recommendation and meters.

        Nothing happens before the broker's retained messages were read. Raises SetupError for a wrong ``share``.
        """
        with self.updating:
            if self.link.is_ready:
                self._update(now)

    def _update(self, now: datetime) -> None:
        shares = dict(sharing(self.bridge, self.bridge.store.people.users()))
        people = {self.broker.names.device(user): self.bridge.travelled(user, at=now) for user in shares}
        self._store_presses(people, now)
        self.orders.obey(self.bridge, people, now)
        for device, user in people.items():
            self._tell(device, user, now, titles=shares[user] == "titles")
        self._remove_others(people)

    def _store_presses(self, people: dict[str, User], now: datetime) -> None:
        while self.presses:
            press = self.presses.popleft()
            if user := people.get(press.device):
                give(self.bridge, user, press.number, press.word, now)

    def _tell(self, device: str, user: User, now: datetime, *, titles: bool) -> None:
        names, keep = self.broker.names, self._keep
        keep(names.config(device), entities.discovery(names, user, self.bridge.settings.url))
        keep(names.topic(device, "mode"), orders.mode_state(self.bridge, user, now))
        keep(names.topic(device, "wish"), self.orders.wish_state(device))
        keep(names.topic(device, "note"), self.orders.note_state(device))
        advice = current(self.bridge, user, now)
        self._tell_advice(device, user, advice, now, titles=titles)
        if self._meters_are_due(device, now):
            known = recommend.load_snapshot(self.bridge, user, at=now)
            for meter, reading in read(known).items():
                keep(names.topic(device, str(meter).lower()), entities.meter_state(reading))
            for part, state in entities.states(self.bridge, user, now, titles=titles).items():
                keep(names.topic(device, part), state)
            self.read_at[device] = now

    def _meters_are_due(self, device: str, now: datetime) -> bool:
        last = self.read_at.get(device)
        told = self.broker.names.topic(device, "vitality") in self.link.retained()
        return last is None or not told or not last <= now < last + METERS_EVERY

    def _tell_advice(
        self, device: str, user: User, advice: Recommendation | None, now: datetime, *, titles: bool
    ) -> None:
        names = self.broker.names
        topic = names.topic(device, "recommendation")
        told = number_in(self.link.retained().get(topic))
        events = titled_events(self.bridge, user, advice, now) if titles and advice is not None else ()
        state = entities.advice_state(advice, user, events)
        if advice is None:
            self.shown.pop(device, None)
            self.link.keep(names.topic(device, "open"), OFFLINE)
            self._keep(topic, state)
            return
        self._keep(topic, state)
        self.link.keep(names.topic(device, "open"), ONLINE)
        self.shown[device] = advice.id
        if advice.id not in (told, self.announced.get(device)) and is_news(self.bridge, user, advice, now):
            self.link.tell(names.topic(device, "recommended"), json.dumps(entities.event_of(state)))
        self.announced[device] = advice.id

    def _remove_others(self, people: Iterable[str]) -> None:
        kept = tuple(f"/{device}/" for device in people)
        for topic in self.link.retained():
            if not any(device in topic for device in kept):
                self.link.keep(topic, "")

    def _keep(self, topic: str, state: dict[str, Any]) -> None:
        self.link.keep(topic, json.dumps(state, ensure_ascii=False))


def opened(bridge: installation.Bridge, work: Callable[[], None]) -> Publisher | None:
    """Return a publisher for the broker in the settings, or None without one. ``work`` is called after a press.

    Raises SetupError for wrong settings.
    """
    broker = broker_of(bridge.settings.of_plugin("mqtt", config.MQTT))
    return None if broker is None else Publisher(bridge=bridge, broker=broker, work=work)


def current(bridge: installation.Bridge, user: User, now: datetime) -> Recommendation | None:
    """Return the recommendation of the user's current slot, or None if it is missing, expired or superseded."""
    advice = bridge.store.recommendations.of_slot(user.id, moment_at(now, user.zones))
    return None if advice is None or advice.expires_at <= now or advice.superseded_at is not None else advice


def is_news(bridge: installation.Bridge, user: User, advice: Recommendation, now: datetime) -> bool:
    """Return True if a recommendation may be announced, unanswered and outside of quiet slots and sleep."""
    asleep = advice.kind == "sleep" and advice.start is not None and advice.start <= now
    return advice.answer is None and not asleep and moment_at(now, user.zones).slot not in bridge.guard.quiet


def give(bridge: installation.Bridge, user: User, number: int, word: str, now: datetime) -> None:
    """Store the answer of the button ``word`` to the recommendation ``number``. A late press is only logged."""
    try:
        found = feedback.own(bridge.store, user, number)
        answer_links.refuse_late(found, user, now=now)
        rescheduling.answer(bridge, user, number, entities.PRESSES[word], now=now, moved_to=None)
    except (Spent, SetupError):
        log.info("a button was pressed too late for recommendation %d of user %d", number, user.id)


def number_in(text: str | None) -> int | None:
    """Return the recommendation's id in the text of a retained state, or None without one."""
    try:
        told = json.loads(text or "null")
    except ValueError:
        return None
    number = told.get("id") if isinstance(told, dict) else None
    return number if isinstance(number, int) and not isinstance(number, bool) else None
