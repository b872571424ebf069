"""The store: each method opens the transaction it needs and calls the module that knows the tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import date, datetime, timedelta
from typing import Any

from bridge.metrics import Metric
from bridge.ports import Connection, Correction, Landing, Normaliser, Origin, Prior, Recommendation, Stated, User
from bridge.store import advice, backup, corrections, landing, leases, notices, origins, people, priors, reading, replay
from bridge.store.access import SqlAccess
from bridge.store.choices import SqlChoices
from bridge.store.database import Database
from bridge.store.keeping import SqlKeeping
from bridge.store.leases import Ids
from bridge.store.locks import Locks
from bridge.store.post import SqlPost
from bridge.store.work import SqlWork
from bridge.types import Covers, Episode, Event, Notice, Outcome, RawRecord, Sample, Task
from rhythm_env.interface import Answer, Moment


class SqlStore:
    """``bridge.ports.Store`` on SQLite or PostgreSQL; safe to use from several threads."""

    def __init__(self, url: str) -> None:
        self.database = Database(url)
        self._read, self._write = self.database.read, self.database.write
        self._locks = Locks(self.database.engine)
        self.access = SqlAccess(self.database)
        self.choices = SqlChoices(self.database)
        self.post, self.work = SqlPost(self.database), SqlWork(self.database)
        self.keeping = SqlKeeping(self.database)

    @contextmanager
    def transaction(self, *, durable: bool = True) -> Iterator[None]:
        with self._write(durable=durable):
            yield

    def close(self) -> None:
        self.database.close()

    def lock(self, name: str) -> AbstractContextManager[None]:
        return self._locks.hold(name)

    def add_user(self, name: str, zone: str, *, now: datetime) -> User:
        with self._write() as db:
            return people.add_user(db, name, zone, now=now)

    def user(self, name: str) -> User:
        with self._read() as db:
            return people.user(db, name)

    def person(self, user_id: int) -> User:
        with self._read() as db:
            return people.person(db, user_id)

    def users(self) -> list[User]:
        with self._read() as db:
            return people.users(db)

    def dump(self, user_id: int) -> dict[str, list[dict[str, Any]]]:
        with self._read() as db:
            return dict(backup.dump(db, user_id))

    def restore(self, user_id: int, saved: Mapping[str, Sequence[dict[str, Any]]]) -> None:
        with self._write() as db:
            backup.restore(db, user_id, saved)

    def forget(self, user_id: int) -> None:
        backup.forget(self.database, user_id)

    def set_zone(self, user_id: int, zone: str, *, since: datetime) -> None:
        with self._write() as db:
            people.set_zone(db, user_id, zone, since=since)

    def connect(self, user_id: int, source: str, name: str, *, now: datetime) -> Connection:
        with self._write() as db:
            return people.connect(db, user_id, source, name, now=now)

    def connections(self, user_id: int) -> list[Connection]:
        with self._read() as db:
            return people.connections(db, user_id)

    def connection(self, connection_id: int) -> Connection | None:
        with self._read() as db:
            return next(iter(people.found(db, people.of_number(connection_id))), None)

    def disconnect(self, connection_id: int) -> None:
        with self._write() as db:
            people.disconnect(db, connection_id)

    def secret(self, connection_id: int) -> bytes | None:
        with self._read() as db:
            return people.secret(db, connection_id)

    def secrets(self) -> list[tuple[int, bytes]]:
        with self._read() as db:
            return people.secrets(db)

    def save_secret(self, connection_id: int, sealed: bytes) -> None:
        with self._write() as db:
            people.save_secret(db, connection_id, sealed)

    def claim(self, connection_id: int, holder: str, *, now: datetime, lease: timedelta) -> bool:
        with self._write(durable=False) as db:
            return leases.claim(db, connection_id, holder, now=now, lease=lease)

    def claim_due(
        self, holder: str, *, now: datetime, lease: timedelta, limit: int, source: str | None = None, but: Ids = ()
    ) -> list[Connection]:
        with self._write(durable=False) as db:
            return leases.claim_due(db, holder, now=now, lease=lease, limit=limit, source=source, but=but)

    def due(self, *, now: datetime, limit: int) -> list[Connection]:
        with self._read() as db:
            return leases.due(db, now=now, limit=limit)

    def busy(self, source: str | None = None, *, now: datetime) -> int:
        with self._read() as db:
            return leases.busy(db, source, now=now)

    def holder(self, connection_id: int) -> str | None:
        with self._read() as db:
            return leases.holder(db, connection_id)

    def release(self, connection_id: int, holder: str) -> None:
        with self._write(durable=False) as db:
            leases.release(db, connection_id, holder)

    def rest(self, source: str, until: datetime) -> None:
        with self._write() as db:
            people.rest(db, source, until)

    def resting(self, source: str) -> datetime | None:
        with self._read() as db:
            return people.resting(db, source)

    def meet(self, connection_id: int, member: str) -> None:
        with self._write() as db:
            notices.meet(db, connection_id, member)

    def met(self, source: str, member: str) -> list[Connection]:
        with self._read() as db:
            return notices.met(db, source, member)

    def note(self, connection_id: int, notice: Notice, *, now: datetime) -> bool:
        with self._write() as db:
            return notices.note(db, connection_id, notice, now=now)

    def notices(self, connection_id: int) -> list[Notice]:
        with self._read() as db:
            return notices.notices(db, connection_id)

    def followed(self, connection_id: int, trace: str, *, now: datetime) -> None:
        with self._write() as db:
            notices.followed(db, connection_id, trace, now=now)

    def cursor(self, connection_id: int, stream: str, version: int) -> str | None:
        with self._read() as db:
            return people.cursor(db, connection_id, stream, version)

    def cursors(self, connection_id: int, version: int) -> dict[str, str]:
        with self._read() as db:
            return people.cursors(db, connection_id, version)

    def save_cursor(self, connection_id: int, stream: str, cursor: str, version: int) -> None:
        with self._write(durable=False) as db:
            people.save_cursor(db, connection_id, stream, cursor, version)

    def drop_cursors(self, connection_id: int) -> None:
        with self._write() as db:
            people.drop_cursors(db, connection_id)

    def land(
        self,
        connection: Connection,
        records: Sequence[RawRecord],
        normalise: Normaliser,
        *,
        version: int,
        now: datetime,
        keep_raw: bool = True,
    ) -> list[Landing]:
        with self._write(durable=False) as db:
            return landing.land(db, connection, records, normalise, version=version, now=now, keep_raw=keep_raw)

    def missing(self, connection_id: int, stream: str, covers: Covers, delivered: frozenset[str]) -> list[RawRecord]:
        with self._read() as db:
            return reading.missing(db, connection_id, stream, covers, delivered)

    def rebuild(
        self,
        connection: Connection,
        normalise: Normaliser,
        *,
        version: int,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Landing]:
        with self._write() as db:
            return replay.rebuild(db, connection, normalise, version=version, progress=progress)

    def set_aside(self, connection_id: int) -> list[tuple[str, str]]:
        with self._read() as db:
            return people.set_aside(db, connection_id)

    def samples(
        self,
        user_id: int,
        *,
        metrics: Iterable[Metric] | None = None,
        since: date | None = None,
        until: date | None = None,
        at: datetime | None = None,
    ) -> list[tuple[str, Sample]]:
        with self._read() as db:
            return reading.samples(db, user_id, metrics=metrics, since=since, until=until, at=at)

    def episodes(
        self, user_id: int, *, since: date | None = None, until: date | None = None, at: datetime | None = None
    ) -> list[tuple[str, Episode]]:
        with self._read() as db:
            return reading.episodes(db, user_id, since=since, until=until, at=at)

    def events(
        self, user_id: int, *, since: datetime, until: datetime, at: datetime | None = None
    ) -> list[tuple[str, Event]]:
        with self._read() as db:
            return reading.events(db, user_id, since=since, until=until, at=at)

    def tasks(self, user_id: int, *, at: datetime | None = None) -> list[tuple[str, Task]]:
        with self._read() as db:
            return reading.tasks(db, user_id, at=at)

    def counts(self, user_id: int) -> dict[str, dict[str, int]]:
        with self._read() as db:
            return reading.counts(db, user_id)

    def add_prior(self, user_id: int, prior: Prior) -> None:
        with self._write() as db:
            priors.add(db, user_id, prior)

    def priors(self, user_id: int, policy: str = "", *, kept: bool = False, most: int | None = None) -> list[Prior]:
        with self._read() as db:
            return priors.of(db, user_id, policy, kept=kept, most=most)

    def take_back_prior(self, user_id: int, policy: str) -> datetime | None:
        with self._write() as db:
            return priors.take_back(db, user_id, policy)

    def correct(self, user_id: int, correction: Correction) -> None:
        with self._write() as db:
            corrections.add(db, user_id, correction)

    def corrections(self, user_id: int, *, at: datetime | None = None) -> list[Correction]:
        with self._read() as db:
            return corrections.newest(db, user_id, at=at)

    def rows_named(self, kind: str, name: str) -> list[int]:
        with self._read() as db:
            return origins.rows_named(db, kind, name)

    def samples_of_day(self, user_id: int, day: date) -> list[tuple[int, str, Sample]]:
        with self._read() as db:
            return origins.samples_of_day(db, user_id, day)

    def origin(self, kind: str, number: int) -> Origin:
        with self._read() as db:
            return origins.origin(db, kind, number)

    def newest(self, connection_id: int, at: datetime) -> datetime | None:
        with self._read() as db:
            return origins.newest(db, connection_id, at)

    def changed(self, connection_id: int) -> datetime | None:
        with self._read() as db:
            return origins.changed(db, connection_id)

    def finish_sync(
        self,
        connection_id: int,
        outcome: Outcome,
        *,
        started: datetime,
        finished: datetime,
        error: str | None,
        paused: str | None,
        due_at: datetime | None,
        failures: int = 0,
    ) -> None:
        with self._write(durable=False) as db:
            people.finish_sync(
                db,
                connection_id,
                outcome,
                started=started,
                finished=finished,
                error=error,
                paused=paused,
                due_at=due_at,
                failures=failures,
            )

    def last_outcome(self, connection_id: int) -> tuple[datetime, Outcome] | None:
        with self._read() as db:
            return people.last_outcome(db, connection_id)

    def open_recommendation(self, user_id: int, moment: Moment) -> Recommendation | None:
        with self._read() as db:
            return advice.of_slot(db, user_id, moment)

    def recommendation(self, recommendation_id: int) -> Recommendation | None:
        with self._read() as db:
            return advice.by_id(db, recommendation_id)

    def add_recommendation(self, recommendation: Recommendation) -> Recommendation:
        with self._write() as db:
            return advice.add(db, recommendation)

    def mark_shown(self, recommendation_id: int, *, now: datetime) -> None:
        with self._write() as db:
            advice.mark_shown(db, recommendation_id, now=now)

    def answer(
        self, recommendation_id: int, answer: Answer, *, now: datetime, moved_to: Moment | None = None
    ) -> Recommendation:
        with self._write() as db:
            return advice.answer(db, recommendation_id, answer, now=now, moved_to=moved_to)

    def answer_once(
        self, recommendation_id: int, answer: Answer, *, now: datetime, moved_to: Moment | None = None
    ) -> bool:
        with self._write() as db:
            return advice.answer_once(db, recommendation_id, answer, now=now, moved_to=moved_to)

    def recommendations(self, user_id: int, *, since: datetime, until: datetime) -> list[Recommendation]:
        with self._read() as db:
            return advice.between(db, user_id, since=since, until=until)

    def answered(self, user_id: int, *, since: datetime, until: datetime) -> list[datetime]:
        with self._read() as db:
            return advice.answered(db, user_id, since=since, until=until)

    def stated(self, user_id: int, *, since: datetime, until: datetime) -> list[Stated]:
        with self._read() as db:
            return advice.stated(db, user_id, since=since, until=until)
