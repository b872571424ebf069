"""Carry out messages from Home Assistant, which are modes, reasons of refusals, notes and wishes."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bridge.advice import answer_links, feedback, modes, rescheduling, wishing
from bridge.advice.wishing import Because
from bridge.daemon.mqtt.entities import BECAUSE, MODE, NOTE, PARTS, STATE_MAX, WISH
from bridge.day.body import Mode
from bridge.domain.errors import BridgeError, SetupError
from bridge.domain.languages import say, shown
from bridge.domain.records import User
from bridge.domain.slots import local_time, today_at
from bridge.ingest import notes
from bridge.installation import Bridge
from bridge.wishes.told import sentence
from rhythm_env.interface import Answer

ORDERS_MAX = 20  # that wait at once; more are dropped
NO_NOTE = "Type what matters, such as alcohol 2."
NOTHING = "No wish waits. Type one, then confirm what was understood."


@dataclass(frozen=True, slots=True)
class Order:
    """A message from a device in Home Assistant. ``number`` is the recommendation that the device then showed."""

    device: str
    part: str
    text: str
    number: int | None = None


@dataclass(slots=True)
class Orders:
    """The queue of messages from devices, and by device the wish to confirm and the last replies."""

    waiting: deque[Order] = field(default_factory=lambda: deque(maxlen=ORDERS_MAX))
    wishes: dict[str, str | tuple[int, Because]] = field(default_factory=dict)
    told: dict[str, str] = field(default_factory=dict)
    noted: dict[str, str] = field(default_factory=dict)

    def take(self, order: Order) -> bool:
        """Queue a message of one of ``PARTS``. Return False for another message, or if too many wait."""
        if order.part not in PARTS or len(self.waiting) >= ORDERS_MAX:
            return False
        self.waiting.append(order)
        return True

    def obey(self, bridge: Bridge, people: dict[str, User], now: datetime) -> None:
        """Carry out the waiting messages. ``people`` maps a device to its user. Errors become the device's reply."""
        while self.waiting:
            order = self.waiting.popleft()
            if user := people.get(order.device):
                try:
                    self._obey(bridge, user, order, now)
                except BridgeError as error:
                    told = self.noted if order.part == NOTE else self.told
                    told[order.device] = str(error).partition(": bridge ")[0]

    def _obey(self, bridge: Bridge, user: User, order: Order, now: datetime) -> None:
        store = bridge.store
        if order.part == MODE:
            modes.say_mode(store, user, Mode(kind=modes.parse_mode(order.text, user)), now=now)
        elif order.part == NOTE:
            notes.record_note(store, user, notes.said_note(order.text, user, now=now), now=now)
            self.noted[order.device] = f"Noted at {local_time(now, user.zones):%H:%M}."
        elif order.part == WISH:
            self.wishes.pop(order.device, None)
            found = wishing.say_wish(store, user, order.text, confirmed=False, now=now)
            self.wishes[order.device] = order.text
            self.told[order.device] = f"Understood: {found}. Confirm it."
        elif order.part == BECAUSE:
            self._refuse(bridge, user, order, now)
        elif (waits := self.wishes.pop(order.device, None)) is not None:
            if isinstance(waits, str):
                told = sentence(wishing.say_wish(store, user, waits, confirmed=True, now=now).said)
            else:
                told = shown(wishing.refuse(store, user, *waits, now=now))
            self.told[order.device] = f"Saved: {told}."

    def _refuse(self, bridge: Bridge, user: User, order: Order, now: datetime) -> None:
        if order.number is None:
            raise SetupError(say("no recommendation is waiting for an answer now; wait until the next one is shown"))
        why = wishing.parse_because(order.text, user)
        found = feedback.own(bridge.store, user, order.number)
        answer_links.refuse_late(found, user, now=now)
        rule = wishing.lasting(found, user, why)
        if rule is None:
            self.told[order.device] = f"Noted: {shown(wishing.refuse(bridge.store, user, found.id, why, now=now))}."
            return
        rescheduling.answer(bridge, user, found.id, Answer.IGNORE, now=now, moved_to=None)
        self.wishes[order.device] = found.id, why
        self.told[order.device] = f"Understood: {shown(rule.told)}. Confirm it."

    def wish_state(self, device: str) -> dict[str, Any]:
        """Return the state of a device's field for wishes, the last reply and if a wish waits for confirmation."""
        return {"text": self.told.get(device, NOTHING)[:STATE_MAX], "waits": device in self.wishes}

    def note_state(self, device: str) -> dict[str, Any]:
        """Return the state of a device's field for notes, which never names what was noted."""
        return {"text": self.noted.get(device, NO_NOTE)[:STATE_MAX]}


def mode_state(bridge: Bridge, user: User, now: datetime) -> dict[str, Any]:
    """Return the state of the select entity for the mode, such as ill."""
    mode = modes.mode_of(bridge.store, user, today_at(now, user.zones))
    state = {"mode": str(mode.kind), "until": mode.until and mode.until.isoformat()}
    planned = sorted(f"{one.since} - {one.until}: {one.kind}" for one in mode.planned)
    return {**state, "planned": planned} if planned else state
