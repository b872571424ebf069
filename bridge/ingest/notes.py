"""Store notes of a user, such as "alcohol 2" or "late coffee". They are private, and part of no advice."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING

from bridge.domain.errors import SetupError
from bridge.domain.languages import say, shown
from bridge.domain.metrics import Metric
from bridge.domain.noted import COMMON, kept_name
from bridge.domain.records import User
from bridge.domain.slots import local_time
from bridge.domain.types import RawRecord
from bridge.ingest.checkins import CHECK_IN_SOURCE, MINUTE, store_said, take_back

if TYPE_CHECKING:
    from bridge.store import Store

STREAM = "note"
NAME_MAX = 60  # characters
_NUMBERS = {  # in words, also those that come with a noun
    word: number
    for words in (
        "one two three four five six seven eight nine ten eleven twelve",
        "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        "un deux trois quatre cinq six sept huit neuf dix onze douze",
    )
    for number, word in enumerate(words.split(), 1)
} | dict.fromkeys(("a", "an", "ein", "eine", "einen", "une"), 1)
_GLASSES = re.compile(
    r"(?:glass|glasses|glas|gläser|verre|verres) (?:of |de |d'|d’)?(?:(?:red|white|rosé) )?"
    r"(?:wine|beer|champagne|prosecco|wein|rotwein|weißwein|bier|sekt|vin(?: rouge| blanc)?|bière)"
)
_AMOUNT = rf"(?:\d+(?:[.,]\d+)?|(?:{'|'.join(_NUMBERS)})(?!\w))"
_NOTE = re.compile(rf"(?:(?P<first>{_AMOUNT})\s+)?(?P<name>[^\d<>=!~/][^<>=!~/]*?)(?:\s+(?P<amount>{_AMOUNT}))?")
_BACK = {  # words for a day -> how many days ago it was
    **dict.fromkeys(("today", "heute", "aujourd'hui", "aujourd’hui"), 0),
    **dict.fromkeys(("yesterday", "last night", "gestern", "gestern abend", "hier", "hier soir"), 1),
    **dict.fromkeys(("vorgestern", "avant-hier", "the day before yesterday"), 2),
}
_WEEKDAYS = (
    *(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]),
    *(["montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag"]),
    *(["lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"]),
)
_ONE_WEEKDAY = "|".join(_WEEKDAYS)
_ONE_DAY = (
    rf"{'|'.join(sorted(_BACK, key=len, reverse=True))}|\d{{4}}-\d\d-\d\d|(?:(?:on|last|am|letzten) )(?:{_ONE_WEEKDAY})"
)
_DAY_FIRST = re.compile(rf"(?P<day>{_ONE_DAY})[ ,:]+(?P<rest>.+)")
_DAY_LAST = re.compile(rf"(?P<rest>.+?)[ ,]+(?P<day>{_ONE_DAY}|{_ONE_WEEKDAY})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Something that a user noted at an instant, with its amount, which is 1 if none was said."""

    at: datetime
    name: str
    amount: float = 1.0


def note_of(text: str, at: datetime, user: str) -> Note:
    """Return the note in a text: a name, and an amount as first or last word. Raises SetupError for other texts."""
    found = _NOTE.fullmatch(" ".join(text.split()).casefold())
    if found is None or len(found["name"]) > NAME_MAX or (found["first"] and found["amount"]):
        raise SetupError(
            say(
                "note a name of at most {count} letters, and an amount and a day if you like, as alcohol 2: {command}",
                count=NAME_MAX,
                command=f'bridge note --user {user} "alcohol 2"',
            )
        )
    said = found["first"] or found["amount"] or "1"
    amount = float(_NUMBERS.get(said) or said.replace(",", "."))
    name = shown(COMMON[0]).casefold() if _GLASSES.fullmatch(found["name"]) else found["name"]
    return Note(at=at.replace(microsecond=0), name=name, amount=amount)


def said_note(text: str, user: User, *, now: datetime, day: date | None = None) -> Note:
    """Return the note in a text, for the day named in it, else for ``day``, else for now. Raises SetupError.

    A note of another day than today is dated at noon of that day.
    """
    words, local = " ".join(text.split()).casefold(), local_time(now, user.zones)
    found = _DAY_FIRST.fullmatch(words) or _DAY_LAST.fullmatch(words)
    if found is not None:
        words, day = found["rest"], _day(found["day"], local.date())
    if day is None or day == local.date():
        return note_of(words, now, user.name)
    if day > local.date():
        raise SetupError(say("{day} is still to come; note it then", day=day.isoformat()))
    return note_of(words, datetime.combine(day, time(12), local.tzinfo), user.name)


def _day(word: str, today: date) -> date:
    if word in _BACK:
        return today - timedelta(days=_BACK[word])
    name = word.split()[-1]
    if name in _WEEKDAYS:
        return today - timedelta(days=(today.weekday() - _WEEKDAYS.index(name)) % 7)
    try:
        return date.fromisoformat(word)
    except ValueError:
        raise SetupError(say("{day} is no date; write it like 2026-11-20, or say yesterday", day=word)) from None


def record_note(store: Store, user: User, note: Note, *, now: datetime) -> str:
    """Store a note, and return ``new``, ``updated`` or ``unchanged``. Raises SetupError for a bad time or amount.

    If the user noted the same thing in another language before, the note gets that earlier name.
    """
    note = replace(note, name=kept_name(note.name, store.daily.noted(user.id)))
    again = f'bridge note --user {user.name} "{note.name}"'
    if note.at > now:
        raise SetupError(f"--at is in the future; leave it out for a note about now: {again}")
    return store_said(store, user, _record(user, note), again=again, now=now)


def forget_last(store: Store, user: User, *, now: datetime) -> Note:
    """Delete the user's newest note, and return it. Raises SetupError without notes."""
    found = recent(store, user)
    if not found:
        raise SetupError(f'nothing is noted; note something: bridge note --user {user.name} "late coffee"')
    forget(store, user, found[0], now=now)
    return found[0]


def forget(store: Store, user: User, note: Note, *, now: datetime) -> None:
    """Delete a note of the user."""
    take_back(store, user, _record(user, note), now=now)


def recent(store: Store, user: User, *, since: date | None = None) -> list[Note]:
    """Return the notes that the user typed, since a local day or all, newest first. Vendors' journals are left out."""
    found = store.reading.samples(user.id, metrics={Metric.NOTED}, since=since or date.min)
    notes = [Note(at=one.start, name=one.key, amount=one.value) for source, one in found if source == CHECK_IN_SOURCE]
    return sorted(notes, key=lambda note: (note.at, note.name), reverse=True)


def _record(user: User, note: Note) -> RawRecord:
    offset = local_time(note.at, user.zones).utcoffset() or timedelta(0)
    payload = {"at": note.at.isoformat(), "offset": offset // MINUTE, "name": note.name, "amount": note.amount}
    key = f"{note.at:%Y-%m-%dT%H:%MZ}/{note.name}"
    return RawRecord(stream=STREAM, key=key, payload=payload)
