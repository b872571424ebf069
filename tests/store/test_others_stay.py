"""A law over every write of the store: the rows of another person stay as they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from bridge.domain.records import Channel, Connection, Correction, Deed, Passkey, Prior
from bridge.domain.types import Covers, Notice, Outcome, Still, Task
from bridge.domain.wishes import Wishes
from bridge.store import Store, tables
from bridge.store.database import Part
from bridge.store.task_notes import TaskNotes
from rhythm_env.interface import ActionType, Answer, Meter
from tests.store.test_advice import MOMENT, advised
from tests.store.toy import HOUR, T0, connected, day, normalise, part

LATER = T0 + 2 * HOUR
SYNC = {"started": T0, "finished": LATER, "error": None, "paused": None, "due_at": LATER}


@dataclass(frozen=True)
class One:
    """A person with the same keys, titles and records as everybody else here."""

    connection: Connection
    advice: int
    name: str

    @property
    def user(self) -> int:
        return self.connection.user_id


Call = Callable[[Store, One], object]
BOTH = [day("a", 3), part("b", 1, "a")]
TASK = Task(key="task", list="l", title="write")
CALLS: dict[str, Call] = {
    "people.set_zone": lambda s, p: s.people.set_zone(p.user, "Asia/Tokyo", since=LATER),
    "people.allow_tool": lambda s, p: s.people.allow_tool(p.user, "plan", now=LATER),
    "people.refuse_tool": lambda s, p: s.people.refuse_tool(p.user, "plan"),
    "people.add_correction": lambda s, p: s.people.add_correction(
        p.user, Correction(series="s", title="yoga", action=ActionType.EXERCISE, made_at=LATER)
    ),
    "access.set_password": lambda s, p: s.access.set_password(p.user, "hash", now=LATER),
    "access.begin_session": lambda s, p: s.access.begin_session(p.user, p.name, now=LATER, until=LATER + HOUR),
    "access.end_session": lambda s, p: s.access.end_session(p.name),
    "access.add_token": lambda s, p: s.access.add_token(p.user, "phone", p.name, now=LATER),
    "access.revoke_token": lambda s, p: s.access.revoke_token(p.user, s.access.tokens(p.user)[0].id),
    "credentials.link": lambda s, p: s.credentials.link(p.user, "https://id.example", p.name, now=LATER),
    "credentials.unlink": lambda s, p: s.credentials.unlink(p.user, "https://id.example", p.name),
    "credentials.add_passkey": lambda s, p: s.credentials.add_passkey(p.user, _passkey(p)),
    "credentials.note_use": lambda s, p: s.credentials.note_use(s.credentials.passkeys(p.user)[0], 7, now=LATER),
    "credentials.remove_passkey": lambda s, p: s.credentials.remove_passkey(
        p.user, s.credentials.passkeys(p.user)[0].id
    ),
    "connections.connect": lambda s, p: s.connections.connect(p.user, "toy", "second", now=LATER),
    "connections.save_secret": lambda s, p: s.connections.save_secret(p.connection.id, b"sealed"),
    "connections.save_member": lambda s, p: s.connections.save_member(p.connection.id, "member"),
    "connections.drop_consent": lambda s, p: s.connections.drop_consent(p.connection.id),
    "recommendations.retime": lambda s, p: s.recommendations.retime(p.advice, T0, LATER),
    "recommendations.mark_shown": lambda s, p: s.recommendations.mark_shown(p.advice, now=LATER),
    "recommendations.save_feedback": lambda s, p: s.recommendations.save_feedback(p.advice, Answer.ACCEPT, now=LATER),
    "recommendations.save_outcome": lambda s, p: s.recommendations.save_outcome(p.advice, Deed.DONE, (), at=LATER),
    "recommendations.close": lambda s, p: s.recommendations.close(p.advice, now=LATER),
    "recommendations.supersede": lambda s, p: s.recommendations.supersede(p.advice, now=LATER),
    "recommendations.add": lambda s, p: s.recommendations.add(replace(_advice(s), user_id=p.user, created_at=LATER)),
    "recommendations.add_silence": lambda s, p: s.recommendations.add_silence(
        p.user, MOMENT.shifted(2), probability=0.5, now=LATER
    ),
    "ingest.land": lambda s, p: s.ingest.land(p.connection, BOTH, normalise, version=1, now=LATER),
    "ingest.rebuild": lambda s, p: s.ingest.rebuild(p.connection, normalise, version=2),
    "ingest.save_cursor": lambda s, p: s.ingest.save_cursor(p.connection.id, "day", "c", 1),
    "ingest.drop_cursors": lambda s, p: s.ingest.drop_cursors(p.connection.id),
    "ingest.add_notice": lambda s, p: s.ingest.add_notice(p.connection.id, _notice(), now=LATER),
    "ingest.mark_handled": lambda s, p: s.ingest.mark_handled(p.connection.id, "trace", now=LATER),
    "ingest.keep_still": lambda s, p: s.ingest.keep_still(
        p.connection.id, "day", Still(records={"a": 1}, as_of=datetime(2026, 3, 2, tzinfo=UTC))
    ),
    "ingest.save_coverage": lambda s, p: s.ingest.save_coverage(
        p.connection.id, "day", Covers(as_of=datetime(2026, 3, 2, tzinfo=UTC))
    ),
    "lessons.add_prior": lambda s, p: s.lessons.add_prior(
        p.user, Prior(policy="toy@1", made_at=LATER, body={}, learnt_from=9, tried_on=3, gain=0.1, kept=True)
    ),
    "lessons.withdraw_prior": lambda s, p: s.lessons.withdraw_prior(p.user, "toy"),
    "lessons.add_reset": lambda s, p: s.lessons.add_reset(p.user, now=LATER),
    "lessons.withdraw_reset": lambda s, p: s.lessons.withdraw_reset(p.user, now=LATER),
    "notifications.save_channel": lambda s, p: s.notifications.save_channel(
        p.user, Channel(sealed=b"address"), now=LATER
    ),
    "notifications.reseal_channel": lambda s, p: s.notifications.reseal_channel(p.user, b"again"),
    "notifications.begin": lambda s, p: s.notifications.begin(p.user, p.advice, now=LATER),
    "notifications.finish": lambda s, p: s.notifications.finish(p.advice, None, now=LATER),
    "notifications.mark_pause_told": lambda s, p: s.notifications.mark_pause_told(p.connection),
    "task_notes.save_places": lambda s, p: s.task_notes.save_places(
        p.user, {"old": (T0 - timedelta(days=9), T0 - timedelta(days=8)), "task": (T0, LATER)}, now=LATER
    ),
    "task_notes.tick": lambda s, p: s.task_notes.tick(p.user, TASK, now=LATER),
    "task_notes.untick": lambda s, p: s.task_notes.untick(p.user, "task", now=LATER),
    "scheduling.claim": lambda s, p: s.scheduling.claim(p.connection.id, p.name, now=LATER, lease=HOUR),
    "scheduling.release": lambda s, p: s.scheduling.release(p.connection.id, p.name),
    "scheduling.release_all": lambda s, p: s.scheduling.release_all(p.name),
    "scheduling.finish_sync": lambda s, p: s.scheduling.finish_sync(
        p.connection.id, Outcome(source="toy", connection="toy", outcome="ok"), **SYNC
    ),
    "shares.save": lambda s, p: s.shares.save(p.user, s.people.user("viewer").id, [Meter.VITALITY], now=LATER),
    "people.save_wishes": lambda s, p: s.people.save_wishes(p.user, Wishes(suggestions=2), now=LATER),
    "people.change_preferences": lambda s, p: s.people.change_preferences(p.user, now=LATER, language="de"),
    "connections.disconnect": lambda s, p: s.connections.disconnect(p.connection.id),
}
APART = {  # writes that belong to nobody, or to everybody at once; ``exports.restore`` refuses a user with rows
    *("connections.save_client", "connections.reseal_client", "people.add_user", "exports.restore"),
    *("maintenance.mark_done", "maintenance.make_views", "maintenance.drop_views"),
    *("scheduling.claim_due", "scheduling.limit_source", "scheduling.stagger"),
}


def _advice(store: Store) -> Any:
    return replace(advised(store), moment=MOMENT.shifted(4))


def _passkey(one: One) -> Passkey:
    return Passkey(name="key", host="h", credential=one.name.encode(), public_key=b"p", signatures=0, made_at=LATER)


def _notice() -> Notice:
    return Notice(member="member", stream="day", key="a", deleted=False, trace="trace")


def person(store: Store, name: str) -> One:
    connection = connected(store)
    given = store.recommendations.add(replace(advised(store), user_id=connection.user_id))
    return One(connection, given.id, name)


def writes_of(store: Store) -> set[str]:
    parts = {name: part for name, part in vars(store).items() if isinstance(part, Part)}
    return {
        f"{name}.{method}"
        for name, part in parts.items()
        for method, function in vars(type(part)).items()
        if getattr(function, "writes", False)
    }


def rows_of(store: Store, user_id: int) -> dict[str, list[str]]:
    """All rows that lead to the user by foreign keys, by table."""
    mine: dict[str, set[Any]] = {"users": {user_id}}
    found: dict[str, list[str]] = {}
    with store.database.read() as db:
        for table in tables.metadata.sorted_tables:
            leads = [c for c in table.c for key in c.foreign_keys if key.column.table.name in mine]
            if table.name == "users":
                query = sa.select(table).where(table.c.id == user_id)
            elif leads:
                targets = [(c, mine[next(iter(c.foreign_keys)).column.table.name]) for c in leads]
                query = sa.select(table).where(sa.or_(*(c.in_(ids) for c, ids in targets)))
            else:
                continue
            rows = list(db.execute(query))
            if "id" in table.c and table.name != "users":
                mine[table.name] = {row.id for row in rows}
            found[table.name] = sorted(map(repr, rows))
    return found


def test_every_write_leaves_the_rows_of_others(store: Store) -> None:
    assert writes_of(store) == CALLS.keys() | APART
    store.people.add_user("viewer", "UTC", now=T0)
    ana, ben = person(store, "ana"), person(store, "ben")
    for name, call in CALLS.items():
        if name in {"connections.disconnect", "recommendations.supersede", "task_notes.untick", "access.end_session"}:
            continue
        if not name.startswith(("credentials.remove", "credentials.unlink", "access.revoke", "lessons.withdraw")):
            call(store, ben)
    before = rows_of(store, ben.user)
    assert sum(map(bool, before.values())) >= 20
    for name, call in CALLS.items():
        call(store, ana)
        after = rows_of(store, ben.user)
        assert after == before, name


def test_a_write_without_its_owner_is_found(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(self: TaskNotes, user_id: int, key: str, *, now: datetime) -> None:
        with self.database.write() as db:
            notes = tables.task_notes
            db.execute(sa.update(notes).where(notes.c.key == key).values(done_at=None, said_at=now))

    careless.writes = True  # type: ignore[attr-defined]
    monkeypatch.setattr(TaskNotes, "untick", careless)
    with pytest.raises(AssertionError, match=r"task_notes\.untick"):
        test_every_write_leaves_the_rows_of_others(store)
