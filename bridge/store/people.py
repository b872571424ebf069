"""Store users with their zones, wishes, preferences, corrections and permitted tools."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from difflib import get_close_matches
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import sqlalchemy as sa

from bridge.domain.errors import SetupError
from bridge.domain.languages import say
from bridge.domain.records import Correction, User
from bridge.domain.slots import ZoneSpan
from bridge.domain.wish_records import plain, wishes_of
from bridge.domain.wishes import Wishes, dated
from bridge.store import tables
from bridge.store.database import Part, as_setup_error, reads, writes
from bridge.store.inserts import insert_into, insert_new
from bridge.store.preferences import Preferences, preferences_of
from bridge.store.tables import LAST_INSTANT
from rhythm_env.interface import ActionType

SLIP = timedelta(hours=3)  # the longest stay in a zone that was a mistake when choosing it; our choice
NAME_MAX = 64  # characters
NAME_RULE = say(
    "a name has 1 to 64 letters, digits, dots, dashes or underscores, begins with a letter or digit, "
    "and mixes no Latin, Greek and Cyrillic letters"
)
ALPHABETS = ("LATIN ", "GREEK ", "CYRILLIC ")  # how Unicode's names of letters that look alike begin
INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
# Letters of other alphabets that look like the Latin letters below them.
ALIKE = str.maketrans(
    "АВЕЗКМНОРСТХІЈЅУаеорсухіјѕһԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυχι",
    "ABE3KMHOPCTXIJSYaeopcyxijshdqwABEZHIKMNOPTYXavopuxi",
)
NAME_SIGNS = "._-"


def composed(name: str) -> str:
    """Return a name in composed Unicode (NFC), the form in which names are stored."""
    return unicodedata.normalize("NFC", name)


def is_name(name: str) -> bool:
    """Return True for a name of 1 to 64 letters, marks and digits of any script, dots, dashes and underscores.

    >>> is_name("ana"), is_name("Зоя"), is_name("हिन्दी"), is_name("two words"), is_name("a/b"), is_name("")
    (True, True, True, False, False, False)
    """
    kinds = (sign in NAME_SIGNS or unicodedata.category(sign)[0] in "LMN" for sign in name)
    return 1 <= len(name) <= NAME_MAX and all(kinds)


def is_new_name(name: str) -> bool:
    """Return True for a name that ``NAME_RULE`` permits for a new user.

    >>> is_new_name("ana"), is_new_name(".."), is_new_name("-x"), is_new_name("аna")
    (True, False, False, False)
    """
    names = [unicodedata.name(sign, "") for sign in unicodedata.normalize("NFKC", name)]
    mixed = sum(any(one.startswith(alphabet) for one in names) for alphabet in ALPHABETS) > 1
    begins = unicodedata.category(name[:1] or ".")[0] in "LN"
    return is_name(name) and begins and not mixed and not INVISIBLE.search(name)


@lru_cache(maxsize=100_000)
def look_of(name: str) -> str:
    """Return a text that is equal for names that look alike, whatever their case and alphabet.

    >>> look_of("ANA") == look_of("аｎа") == "ana"
    True
    """
    return unicodedata.normalize("NFKC", name).translate(ALIKE).casefold()


class People(Part):
    """The part of the store for users, their zones, wishes, preferences, corrections and permitted tools."""

    @writes()
    def add_user(self, db: sa.Connection, name: str, zone: str, *, now: datetime) -> User:
        """Add and return a user who lives in the IANA zone ``zone``.

        Raises SetupError if the name is taken, looks like another, or is not valid, or if the zone is unknown.
        """
        name = composed(name)
        if not is_new_name(name):
            raise SetupError(say("{rule}: {command}", rule=NAME_RULE, command="bridge user add NAME"))
        check_zone(zone)
        names = db.execute(sa.select(tables.users.c.name)).scalars()
        alike = next((one for one in names if look_of(one) == look_of(name)), name)
        if alike != name:
            raise SetupError(
                say("{name} looks like the name of the user {other}; choose another name", name=name, other=alike)
            )
        if not insert_new(db, tables.users, {"name": name, "created_at": now}):
            raise SetupError(say("there is already a user {name}; see: bridge user list", name=name))
        user_id = sa.select(tables.users.c.id).where(tables.users.c.name == name).scalar_subquery()
        db.execute(sa.insert(tables.zones).values(user_id=user_id, since=now, zone=zone))
        return self.user(name)

    @reads
    def user(self, db: sa.Connection, name: str) -> User:
        if not is_name(composed(name)):
            raise SetupError(f"there is no user of that name: {NAME_RULE}; see: bridge user list")
        found = self.named(name)
        if found is None:
            near = get_close_matches(name, db.execute(sa.select(tables.users.c.name)).scalars().all(), n=1)
            asked = f"did you mean {near[0]}? Otherwise " if near else ""
            raise SetupError(f"there is no user {name}; {asked}add one: bridge user add {name}")
        return found

    def user_by_id(self, user_id: int) -> User:
        """Return the user with an id. Raises SetupError if there is none, for example because the user was deleted."""
        found = self.present(user_id)
        if found is None:
            raise SetupError("that user was deleted; see: bridge user list")
        return found

    @reads
    def present(self, db: sa.Connection, user_id: int | None) -> User | None:
        return next(iter(_users(db, tables.users.c.id == user_id)), None)

    @reads
    def named(self, db: sa.Connection, name: str) -> User | None:
        name = composed(name)
        return next(iter(_users(db, tables.users.c.name == name)), None) if is_name(name) else None

    @reads
    def alone(self, db: sa.Connection) -> User | None:
        """Return the only user, or None if there is none or several."""
        two = sa.select(tables.users.c.id).limit(2).subquery()
        is_one = sa.select(sa.func.count()).select_from(two).scalar_subquery() == 1
        return next(iter(_users(db, is_one)), None)

    @reads
    def users(self, db: sa.Connection) -> list[User]:
        return _users(db, sa.true())

    @reads
    def has_others(self, db: sa.Connection, user_id: int) -> bool:
        return db.execute(sa.select(tables.users.c.id).where(tables.users.c.id != user_id).limit(1)).first() is not None

    @reads
    def mark(self, db: sa.Connection) -> tuple[Any, ...]:
        """Return a value that changes whenever users or their zones are added or removed, for caches."""
        u, z = tables.users.c, tables.zones.c
        parts = sa.func.max(u.id), sa.func.count(u.id), sa.func.count(z.since), sa.func.max(z.since)
        return tuple(db.execute(sa.select(*(sa.select(part).scalar_subquery() for part in parts))).one())

    @writes()
    def set_zone(self, db: sa.Connection, user_id: int, zone: str, *, since: datetime) -> None:
        """Save the user's zone from ``since`` on, up to the next saved change. Raises SetupError for an unknown zone.

        A change only hours earlier is deleted as a mistake. Unanswered recommendations for later times are superseded.
        """
        check_zone(zone)
        r = tables.recommendations.c
        ahead = sa.or_(r.start_at >= since, sa.and_(r.kind == "sleep", r.end_at > since))
        stale = sa.and_(r.user_id == user_id, r.answer.is_(None), r.superseded_at.is_(None), ahead)
        db.execute(sa.update(tables.recommendations).where(stale).values(superseded_at=since))
        z = tables.zones.c
        first = db.execute(sa.select(sa.func.min(z.since)).where(z.user_id == user_id)).scalar()
        slips = sa.or_(z.since == since, sa.and_(z.since > max(first or since, since - SLIP), z.since < since))
        db.execute(sa.delete(tables.zones).where(z.user_id == user_id, slips))
        db.execute(sa.insert(tables.zones).values(user_id=user_id, since=since, zone=zone))

    def forget(self, user_id: int) -> None:
        """Delete a user with all data, and overwrite the deleted bytes. The name is deleted last.

        Raises SetupError for an unknown user, or if the database cannot be rewritten now.
        """
        with self.database.write() as db:
            name = self.user_by_id(user_id).name
            _delete_rows(db, user_id)
        then = f"make room, or stop other processes of the bridge, then: bridge forget --user {name}"
        with as_setup_error("the deleted data is still in the database's file", then):
            self.database.scrub()
        with self.database.write() as db:
            if db.dialect.name == "sqlite":  # https://www.sqlite.org/pragma.html#pragma_secure_delete
                db.exec_driver_sql("PRAGMA secure_delete=ON")
            db.execute(sa.delete(tables.users).where(tables.users.c.id == user_id))
        self.database.scrub_tables(tables.users, tables.zones)

    @writes()
    def allow_tool(self, db: sa.Connection, user_id: int, tool: str, *, now: datetime) -> None:
        """Permit assistants to use a tool for the user. A tool that is already permitted keeps its date."""
        values = {"user_id": user_id, "tool": tool, "given_at": now}
        db.execute(insert_into(db, tables.consents).values(**values).on_conflict_do_nothing())

    @writes()
    def refuse_tool(self, db: sa.Connection, user_id: int, tool: str) -> bool:
        """Withdraw the permission of a tool. Return False if it was not permitted."""
        c = tables.consents.c
        return db.execute(sa.delete(tables.consents).where(c.user_id == user_id, c.tool == tool)).rowcount > 0

    @reads
    def allowed_tools(self, db: sa.Connection, user_id: int) -> dict[str, datetime]:
        """Return tool -> time since when assistants may use it for the user."""
        c = tables.consents.c
        query = sa.select(tables.consents).where(c.user_id == user_id).order_by(c.tool)
        return {row.tool: row.given_at for row in db.execute(query)}

    @writes()
    def add_correction(self, db: sa.Connection, user_id: int, correction: Correction) -> None:
        """Save that an event is another action than the classifier said. Earlier corrections are kept."""
        db.execute(
            sa.insert(tables.corrections).values(
                user_id=user_id,
                series=correction.series,
                title=None if correction.title is None else _without_half_characters(correction.title),
                action=None if correction.action is None else str(correction.action),
                made_at=correction.made_at,
            )
        )

    @reads
    def corrections(self, db: sa.Connection, user_id: int, *, at: datetime | None = None) -> list[Correction]:
        """Return the user's last correction of each event series made by ``at`` (None is now), newest first."""
        found: dict[str, Correction] = {}
        for row in db.execute(_CORRECTIONS, {"user": user_id, "at": at or LAST_INSTANT}):
            action = None if row.action is None else ActionType(row.action)
            correction = Correction(series=row.series, title=row.title, action=action, made_at=row.made_at)
            found.setdefault(row.series, correction)
        return list(found.values())

    @writes()
    def take_back_correction(self, db: sa.Connection, user_id: int, series: str) -> None:
        """Delete the user's corrections of a series of events, so that the classifier's action counts again."""
        c = tables.corrections.c
        db.execute(sa.delete(tables.corrections).where(c.user_id == user_id, c.series == series))

    @reads
    def wishes(self, db: sa.Connection, user_id: int) -> Wishes:
        return _wishes(db, user_id)

    @writes()
    def save_wishes(self, db: sa.Connection, user_id: int, wishes: Wishes, *, now: datetime) -> None:
        """Save the wishes of a user in place of earlier ones. Goals that are new get the date ``now``."""
        changed = {"body": json.dumps(plain(dated(wishes, _wishes(db, user_id), now))), "set_at": now}
        query = insert_into(db, tables.wishes).values(user_id=user_id, **changed)
        db.execute(query.on_conflict_do_update(index_elements=[tables.wishes.c.user_id], set_=changed))

    @reads
    def preferences(self, db: sa.Connection, user_id: int) -> Preferences:
        return _preferences(db, user_id)

    @writes()
    def change_preferences(self, db: sa.Connection, /, user_id: int, *, now: datetime, **changes: Any) -> None:
        """Save new values (``changes``) of some fields of the user's ``Preferences``. The other fields stay."""
        changed = {"body": replace(_preferences(db, user_id), **changes).body, "set_at": now}
        query = insert_into(db, tables.preferences).values(user_id=user_id, **changed)
        db.execute(query.on_conflict_do_update(index_elements=[tables.preferences.c.user_id], set_=changed))

    def preferred_sources(self, user_id: int) -> tuple[str, ...]:
        """Return the names of sources in the order that the user chose, or () without a choice."""
        return self.preferences(user_id).sources

    def prefer_sources(self, user_id: int, names: Sequence[str], *, now: datetime) -> None:
        """Save the user's order of sources, best first. Empty ``names`` delete it."""
        self.change_preferences(user_id, sources=tuple(names), now=now)

    def language(self, user_id: int) -> str | None:
        """Return the language in which the user reads the page and messages, or None without a choice."""
        return self.preferences(user_id).language

    def set_language(self, user_id: int, language: str | None, *, now: datetime) -> None:
        """Save the language in which the user reads the page and messages. None deletes the choice."""
        self.change_preferences(user_id, language=language, now=now)


def _wishes(db: sa.Connection, user_id: int) -> Wishes:
    body = db.execute(sa.select(tables.wishes.c.body).where(tables.wishes.c.user_id == user_id)).scalar()
    return Wishes() if body is None else wishes_of(json.loads(body))


def _preferences(db: sa.Connection, user_id: int) -> Preferences:
    body = db.execute(_PREFERENCE, {"user": user_id}).scalar()
    return Preferences() if body is None else preferences_of(body)


_PREFERENCE = sa.select(tables.preferences.c.body).where(tables.preferences.c.user_id == sa.bindparam("user"))


def check_zone(zone: str) -> None:
    """Raise SetupError unless ``zone`` is the name of an IANA time zone."""
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise SetupError(
            say("there is no time zone {zone}; write it like Europe/Berlin or UTC", zone=repr(zone))
        ) from None


_CORRECTIONS = (
    sa.select(tables.corrections)
    .where(
        tables.corrections.c.user_id == sa.bindparam("user", type_=tables.ID),
        tables.corrections.c.made_at <= sa.bindparam("at", type_=tables.Instant),
    )
    .order_by(tables.corrections.c.made_at.desc(), tables.corrections.c.id.desc())
)


def _users(db: sa.Connection, condition: sa.ColumnElement[bool]) -> list[User]:
    u, z = tables.users.c, tables.zones.c
    joined = tables.users.join(tables.zones)
    query = sa.select(u.id, u.name, z.since, z.zone).select_from(joined).where(condition).order_by(u.name, z.since)
    spans: dict[tuple[int, str], list[ZoneSpan]] = {}
    for row in db.execute(query):
        spans.setdefault((row.id, row.name), []).append(ZoneSpan(since=row.since, zone=row.zone))
    return [User(id=number, name=name, zones=tuple(zones)) for (number, name), zones in spans.items()]


def _delete_rows(db: sa.Connection, user_id: int) -> None:
    for table in tables.metadata.sorted_tables:
        if "user_id" in table.c and table is not tables.zones:
            db.execute(sa.delete(table).where(table.c.user_id == user_id))
    db.execute(sa.delete(tables.shares).where(tables.shares.c.viewer_id == user_id))
    used = sa.select(tables.samples.c.device_id).where(tables.samples.c.device_id.is_not(None))
    db.execute(sa.delete(tables.devices).where(tables.devices.c.id.not_in(used)))


def _without_half_characters(title: str) -> str:
    return title.encode("utf-8", "replace").decode().replace("\x00", " ")
