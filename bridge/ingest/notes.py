"""Store notes of a user, such as "alcohol 2" or "late coffee". They are private, and no recommendation uses them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING

from bridge.domain.drinks import AMOUNT, drinks_in, number_in
from bridge.domain.errors import SetupError
from bridge.domain.languages import say, shown
from bridge.domain.metrics import Metric
from bridge.domain.note_times import said_in
from bridge.domain.noted import DRINKS, kept_name
from bridge.domain.records import User
from bridge.domain.slots import MINUTE, local_time
from bridge.domain.types import RawRecord
from bridge.ingest.checkins import CHECK_IN_SOURCE, store_said, take_back

if TYPE_CHECKING:
    from bridge.store import Store

STREAM = "note"
NAME_MAX = 60  # characters
_NOTE = re.compile(rf"(?:(?P<first>{AMOUNT})\s+)?(?P<name>[^\d<>=!~/][^<>=!~/]*?)(?:\s+(?P<amount>{AMOUNT}))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A user's note about an instant, with its amount, which is 1 if none was given.

    ``timed`` is False if only a day or a part of it was given, so that the minute of ``at`` is assumed.
    """

    at: datetime
    name: str
    amount: float = 1.0
    timed: bool = field(default=True, compare=False)


def note_of(text: str, at: datetime, user: str) -> Note:
    """Return the note in a text, which is a name with an amount before or after it, such as "alcohol 2".

    Raises SetupError for any other text.
    """
    text, at = " ".join(text.split()).casefold(), at.replace(microsecond=0)
    if (drinks := drinks_in(text)) is not None:
        return Note(at=at, name=shown(DRINKS[drinks.kind]).casefold(), amount=drinks.many)
    found = _NOTE.fullmatch(text)
    if found is None or len(found["name"]) > NAME_MAX or (found["first"] and found["amount"]):
        raise SetupError(
            say(
                "note a name of at most {count} letters, and an amount and a day if you like, as alcohol 2: {command}",
                count=NAME_MAX,
                command=f'bridge note --user {user} "alcohol 2"',
            )
        )
    said = found["first"] or found["amount"] or "1"
    return Note(at=at, name=found["name"], amount=number_in(said))


def said_note(text: str, user: User, *, now: datetime, day: date | None = None) -> Note:
    """Return the note in a text, at the time that it names, else on ``day``, else now. Raises SetupError if unreadable.

    A note about an earlier day without a time is dated at noon of that day.
    """
    rest, at, timed = said_in(" ".join(text.split()).casefold(), local_time(now, user.zones), day)
    return replace(note_of(rest, at or now, user.name), timed=timed)


def record_note(store: Store, user: User, note: Note, *, now: datetime, seen: datetime | None = None) -> str:
    """Store a note, and return ``new``, ``updated`` or ``unchanged``.

    It gets the name under which the user noted the same thing in another language. A note without a time takes the next
    minute without such a note, as of ``seen`` (default now), when its form was shown, so that a repeated request stores
    it once. Raises SetupError for a future time or an invalid amount.
    """
    note = replace(note, name=kept_name(note.name, store.daily.noted(user.id)))
    if not note.timed:
        earlier = store.reading.samples(user.id, metrics={Metric.NOTED}, at=seen or now)
        taken = {one.start for source, one in earlier if source == CHECK_IN_SOURCE and one.key == note.name}
        note = replace(note, at=next(at for n in count() if (at := note.at + n * MINUTE) not in taken))
    again = f'bridge note --user {user.name} "{note.name}"'
    if note.at > now:
        raise SetupError(f"--at is in the future; leave it out for a note about now: {again}")
    return store_said(store, user, _record(user, note), again=again, now=now)


def forget_last(store: Store, user: User, *, now: datetime) -> Note:
    """Delete the user's newest note, and return it. Raises SetupError if there is none."""
    found = recent(store, user)
    if not found:
        raise SetupError(f'nothing is noted; note something: bridge note --user {user.name} "late coffee"')
    forget(store, user, found[0], now=now)
    return found[0]


def forget(store: Store, user: User, note: Note, *, now: datetime) -> None:
    take_back(store, user, _record(user, note), now=now)


def recent(store: Store, user: User, *, since: date | None = None) -> list[Note]:
    """Return the notes that the user typed, newest first, since a local day if given. Vendors' notes are left out."""
    found = store.reading.samples(user.id, metrics={Metric.NOTED}, since=since or date.min)
    notes = [Note(at=one.start, name=one.key, amount=one.value) for source, one in found if source == CHECK_IN_SOURCE]
    return sorted(notes, key=lambda note: (note.at, note.name), reverse=True)


def _record(user: User, note: Note) -> RawRecord:
    offset = local_time(note.at, user.zones).utcoffset() or timedelta(0)
    payload = {"at": note.at.isoformat(), "offset": offset // MINUTE, "name": note.name, "amount": note.amount}
    key = f"{note.at:%Y-%m-%dT%H:%MZ}/{note.name}"
    return RawRecord(stream=STREAM, key=key, payload=payload)
