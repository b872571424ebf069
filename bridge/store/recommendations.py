"""Store recommendations with feedback and all that later evaluations need, and the priors learnt by policies."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from bridge.domain.errors import SetupError
from bridge.domain.facts import Fact
from bridge.domain.records import SAID, Deed, Feedback, FullRecommendation, Lot, Prior, Recommendation, Reset
from bridge.domain.slots import Moment, moment_of
from bridge.store import codec, tables
from bridge.store.columns import facts_json, reading, values_of
from bridge.store.database import Part, reads, writes
from bridge.store.inserts import insert_into, insert_new
from rhythm_env.interface import SLOTS_PER_DAY, Slot

table = tables.recommendations
_RECORD, _record = reading(Recommendation, table)
_FULL, _full = reading(FullRecommendation, table)


class Recommendations(Part):
    @writes()
    def add(self, db: sa.Connection, recommendation: FullRecommendation) -> FullRecommendation:
        """Save a recommendation, unless its slot has one already that is neither superseded nor closed.

        Returns the slot's stored recommendation.
        """
        values = values_of(recommendation)
        del values["id"]
        insert_new(db, table, values)
        return _full(db.execute(_FULL.where(_slot(recommendation.user_id, recommendation.moment))).one())

    @reads
    def of_slot(self, db: sa.Connection, user_id: int, moment: Moment) -> FullRecommendation | None:
        """Return the recommendation of a slot that is neither superseded nor closed, or None."""
        return _first(db, _slot(user_id, moment))

    @writes()
    def retime(
        self,
        db: sa.Connection,
        recommendation_id: int,
        start: datetime,
        end: datetime,
        facts: tuple[Fact, ...] | None = None,
    ) -> None:
        """Save another start and end of a recommendation, and its new ``facts`` unless None."""
        row = sa.update(table).where(table.c.id == recommendation_id)
        told = {} if facts is None else {"reasons": facts_json(facts)}
        db.execute(row.values(start_at=start, end_at=end, **told))

    @writes()
    def close(self, db: sa.Connection, recommendation_id: int, *, now: datetime) -> None:
        """Mark a recommendation as closed, so that its slot can get another. Its answer still counts."""
        db.execute(sa.update(table).where(table.c.id == recommendation_id).values(closed_at=now))

    @writes()
    def put_back(self, db: sa.Connection, recommendation_id: int, *, now: datetime, asks: bool) -> None:
        """Reopen a closed recommendation, and close or supersede the others of its slot.

        With ``asks``, its answer is deleted.
        """
        t, found = table.c, _first(db, table.c.id == recommendation_id)
        if found is None:
            return
        others = sa.and_(_slot(found.user_id, found.moment), t.id != found.id)
        db.execute(sa.update(table).where(others, t.answer.is_(None)).values(superseded_at=now))
        db.execute(sa.update(table).where(others).values(closed_at=now))
        cleared = values_of(Feedback()) if asks else {}
        db.execute(sa.update(table).where(t.id == found.id).values(closed_at=None, **cleared))

    @writes()
    def supersede(self, db: sa.Connection, recommendation_id: int, *, now: datetime) -> None:
        """Mark a recommendation without an answer as superseded, so that its slot can get another."""
        open_ = sa.and_(table.c.id == recommendation_id, table.c.answer.is_(None))
        db.execute(sa.update(table).where(open_).values(superseded_at=now))

    @reads
    def superseded(self, db: sa.Connection, user_id: int, moment: Moment) -> int:
        mine = sa.and_(table.c.user_id == user_id, table.c.week == moment.week, table.c.timestep == moment.timestep)
        query = sa.select(sa.func.count()).select_from(table).where(mine, table.c.superseded_at.is_not(None))
        return int(db.execute(query).scalar_one())

    @reads
    def taken_back(
        self, db: sa.Connection, user_id: int, *, since: datetime, until: datetime
    ) -> list[FullRecommendation]:
        """Return superseded recommendations that start in [since, until) and are not closed, oldest first."""
        t = table.c
        mine = sa.and_(t.user_id == user_id, t.superseded_at.is_not(None), t.start_at >= since, t.start_at < until)
        mine = sa.and_(mine, t.closed_at.is_(None))
        return [_full(row) for row in db.execute(_FULL.where(mine).order_by(t.created_at, t.id))]

    @reads
    def silence(self, db: sa.Connection, user_id: int, moment: Moment) -> float | None:
        """Return the probability with which a slot was left without advice, or None if it was not."""
        s = tables.silences.c
        mine = sa.and_(s.user_id == user_id, s.week == moment.week, s.timestep == moment.timestep)
        return db.execute(sa.select(s.probability).where(mine)).scalar_one_or_none()

    @writes()
    def add_silence(
        self, db: sa.Connection, user_id: int, moment: Moment, *, probability: float, now: datetime
    ) -> None:
        """Save that a slot is left without advice, with the probability of this decision."""
        values = {"user_id": user_id, "week": moment.week, "timestep": moment.timestep}
        row = insert_into(db, tables.silences).values(**values, probability=probability, made_at=now)
        fresh, t = {"made_at": now, "probability": probability}, tables.silences.c
        changed = sa.or_(t.made_at != now, t.probability != probability)
        db.execute(row.on_conflict_do_update(index_elements=list(values), set_=fresh, where=changed))

    @reads
    def lots(self, db: sa.Connection, user_id: int, *, until: datetime) -> list[Lot]:
        """Return, for each slot decided before ``until``, its first random draw between advice and none, by time."""
        t, s = table.c, tables.silences.c
        given = sa.select(t.week, t.timestep, t.created_at.label("at"), t.silence, sa.true().label("given"))
        given = given.where(t.user_id == user_id, t.created_at < until, sa.or_(t.kind.is_(None), t.kind != "keep"))
        silent = sa.select(s.week, s.timestep, s.made_at.label("at"), s.probability.label("silence"), sa.false())
        silent = silent.where(s.user_id == user_id, s.made_at < until, s.probability < 1)
        drawn = sa.union_all(given, silent).subquery()
        columns = (drawn.c.week, drawn.c.timestep, drawn.c.silence, drawn.c.given)
        first: dict[tuple[date, int], tuple[float | None, bool]] = {}
        for week, timestep, chance, was_given in db.execute(sa.select(*columns).order_by(drawn.c.at)):
            first.setdefault((week, timestep), (chance, was_given))
        return [
            Lot(moment=moment_of(*slot), silence=chance, given=bool(was_given))
            for slot, (chance, was_given) in first.items()
            if chance is not None and 0 < chance < 1
        ]

    @reads
    def any_of(self, db: sa.Connection, user_id: int, day: date) -> bool:
        """Return True if a slot of the day has a recommendation, or was left without advice."""
        moment = Moment(week=day - timedelta(days=day.weekday()), day=day.weekday(), slot=Slot.MORNING)
        steps = range(moment.timestep, moment.timestep + SLOTS_PER_DAY)
        found = (
            sa.select(t.c.week).where(t.c.user_id == user_id, t.c.week == moment.week, t.c.timestep.in_(steps)).limit(1)
            for t in (table, tables.silences)
        )
        return any(db.execute(query).first() for query in found)

    @reads
    def by_id(self, db: sa.Connection, recommendation_id: int) -> FullRecommendation | None:
        return _first(db, table.c.id == recommendation_id)

    @reads
    def full_between(
        self, db: sa.Connection, user_id: int, *, since: datetime, until: datetime
    ) -> list[FullRecommendation]:
        """Return recommendations made in [since, until) that were not superseded, oldest first."""
        bound = {"user": user_id, "since": since, "until": until}
        return [_full(row) for row in db.execute(_FULL_BETWEEN, bound)]

    @reads
    def marks(self, db: sa.Connection, user_id: int) -> tuple[tuple[object, ...], ...]:
        """Return a value that changes with any of the user's recommendations, for caches."""
        t = table.c
        times = (t.shown_at, t.answered_at, t.outcome_at, t.superseded_at)
        counted = (sa.func.count(), sa.func.max(t.id), *(f(at) for at in times for f in (sa.func.count, sa.func.max)))
        query = sa.select(t.answer, t.outcome, *counted).where(t.user_id == user_id).group_by(t.answer, t.outcome)
        return tuple(sorted((tuple(row) for row in db.execute(query)), key=repr))

    @reads
    def settled_times(self, db: sa.Connection, user_id: int, *, since: datetime, until: datetime) -> list[datetime]:
        """Return when recommendations in [since, until) were made that by ``until`` had an answer or a sure outcome."""
        t = table.c
        done = t.outcome == str(Deed.DONE)
        not_done = sa.and_(t.outcome == str(Deed.NOT_DONE), t.expires_at <= until)
        counted = sa.or_(t.kind.is_(None), t.kind.not_in(("keep", "sleep")))
        seen = sa.and_(t.shown_at <= until, t.outcome_at <= until, counted, sa.or_(done, not_done))
        query = sa.select(t.created_at).where(_MADE_BETWEEN, sa.or_(t.answered_at <= until, seen))
        return list(db.scalars(query.order_by(t.created_at), {"user": user_id, "since": since, "until": until}))

    @reads
    def between(self, db: sa.Connection, user_id: int, *, since: datetime, until: datetime) -> list[Recommendation]:
        """Return recommendations made in [since, until) and not superseded, oldest first, without observations."""
        bound = {"user": user_id, "since": since, "until": until}
        return [_record(row) for row in db.execute(_BETWEEN, bound)]

    @reads
    def states(
        self, db: sa.Connection, user_id: int, *, since: datetime, until: datetime
    ) -> tuple[tuple[object, ...], ...]:
        """Return (id, answer, week, timestep, start, outcome) of recommendations made in [since, until), for caches.

        Week and timestep are those of the slot to which a recommendation was put off, or None.
        """
        return tuple(map(tuple, db.execute(_STATES, {"user": user_id, "since": since, "until": until})))

    @reads
    def of_unknown_outcome(
        self, db: sa.Connection, user_id: int, *, since: datetime, until: datetime, over_since: datetime
    ) -> list[Recommendation]:
        """Return recommendations made in [since, until) whose outcome is UNKNOWN.

        They were put off, or they expire at ``over_since`` or later.
        """
        bound = {"user": user_id, "since": since, "until": until, "over_since": over_since}
        return [_record(row) for row in db.execute(_OF_UNKNOWN_OUTCOME, bound)]

    @reads
    def newest(self, db: sa.Connection, user_id: int, *, before: int | None, limit: int) -> list[Recommendation]:
        """Return at most ``limit`` recommendations with ids below ``before`` (None is no limit), newest first.

        Superseded ones are left out unless they were shown to the user.
        """
        t = table.c
        mine = _RECORD.where(t.user_id == user_id, sa.or_(t.superseded_at.is_(None), t.shown_at.is_not(None)))
        if before is not None:
            mine = mine.where(t.id < before)
        return [_record(row) for row in db.execute(mine.order_by(t.id.desc()).limit(limit))]

    @reads
    def changed(self, db: sa.Connection, user_id: int, *, since: datetime) -> list[FullRecommendation]:
        """Return recommendations, also superseded ones, that were made or got an outcome after ``since``, by id."""
        t = table.c
        mine = sa.and_(t.user_id == user_id, sa.or_(t.created_at > since, t.outcome_at > since))
        return [_full(row) for row in db.execute(_FULL.where(mine).order_by(t.id))]

    @writes()
    def mark_shown(self, db: sa.Connection, recommendation_id: int, *, now: datetime) -> None:
        """Save that a recommendation was shown to the user at ``now``, unless it was shown before."""
        not_shown = sa.and_(table.c.id == recommendation_id, table.c.shown_at.is_(None))
        db.execute(sa.update(table).where(not_shown).values(shown_at=now))

    @writes()
    def save_feedback(self, db: sa.Connection, recommendation_id: int, feedback: Feedback) -> FullRecommendation:
        """Save the user's feedback in place of earlier feedback, and return the recommendation with it.

        Raises SetupError for an unknown recommendation.
        """
        db.execute(sa.update(table).where(table.c.id == recommendation_id).values(values_of(feedback)))
        saved = _first(db, table.c.id == recommendation_id)
        if saved is None:
            raise SetupError(f"there is no recommendation {recommendation_id}; see: bridge recommend --user NAME")
        return saved

    @writes()
    def save_outcome(
        self,
        db: sa.Connection,
        recommendation_id: int,
        deed: Deed,
        evidence: tuple[Fact, ...],
        *,
        at: datetime,
    ) -> None:
        """Save the outcome ``deed`` of a recommendation, known from ``at`` on, with its ``evidence``.

        An outcome that the user stated (evidence ``SAID``) is replaced only by another statement of the user.
        """
        t, said = table.c, facts_json(SAID)
        wanted = t.id == recommendation_id
        if evidence != SAID:
            wanted = sa.and_(wanted, sa.or_(t.evidence.is_(None), t.evidence != said))
        changed = t.outcome.is_not(None) & (t.outcome != str(deed))  # then the earlier one stays readable as of then
        values = {
            "outcome": str(deed),
            "outcome_at": at,
            "evidence": facts_json(evidence),
            "outcome_before": sa.case((changed, t.outcome), else_=t.outcome_before),
            "outcome_before_at": sa.case((changed, t.outcome_at), else_=t.outcome_before_at),
            "recheck": None,
        }
        db.execute(sa.update(table).where(wanted).values(values))

    @reads
    def to_recheck(self, db: sa.Connection, user_id: int, *, limit: int) -> list[Recommendation]:
        """Return at most ``limit`` recommendations, oldest first, whose outcome was found by an earlier release."""
        t = table.c
        query = _RECORD.where(t.user_id == user_id, t.recheck.is_(True))
        return [_record(row) for row in db.execute(query.order_by(t.created_at).limit(limit))]


def _slot(user_id: int, moment: Moment) -> sa.ColumnElement[bool]:
    t = table.c
    mine = sa.and_(t.user_id == user_id, t.week == moment.week, t.timestep == moment.timestep)
    return sa.and_(mine, t.superseded_at.is_(None), t.closed_at.is_(None))


_MADE_BETWEEN = sa.and_(
    table.c.user_id == sa.bindparam("user", type_=tables.ID),
    table.c.created_at >= sa.bindparam("since", type_=tables.Instant),
    table.c.created_at < sa.bindparam("until", type_=tables.Instant),
    table.c.superseded_at.is_(None),
)
_FULL_BETWEEN = _FULL.where(_MADE_BETWEEN).order_by(table.c.created_at, table.c.id)
_BETWEEN = _RECORD.where(_MADE_BETWEEN).order_by(table.c.created_at, table.c.id)
_STATES = (
    sa.select(table.c.id, table.c.answer, table.c.moved_week, table.c.moved_timestep, table.c.start_at, table.c.outcome)
    .where(_MADE_BETWEEN)
    .order_by(table.c.id)
)
_OF_UNKNOWN_OUTCOME = _BETWEEN.where(
    table.c.outcome == str(Deed.UNKNOWN),
    sa.or_(table.c.moved_week.is_not(None), table.c.expires_at >= sa.bindparam("over_since")),
)


def _first(db: sa.Connection, condition: sa.ColumnElement[bool]) -> FullRecommendation | None:
    row = db.execute(_FULL.where(condition)).first()
    return None if row is None else _full(row)


class Lessons(Part):
    """The part of the store for priors, which policies learnt from users' answers, and for resets of them."""

    @writes()
    def add_prior(self, db: sa.Connection, user_id: int, prior: Prior) -> None:
        """Save a prior, a policy's guess of the user's answers that it learnt from earlier ones.

        It is used if ``kept``.
        """
        values = codec.columns_of(prior, body=json.dumps(dict(prior.body)))
        db.execute(sa.insert(tables.priors).values(user_id=user_id, **values))

    @reads
    def priors(
        self,
        db: sa.Connection,
        user_id: int,
        policy: str = "",
        *,
        kept: bool = False,
        limit: int | None = None,
    ) -> list[Prior]:
        """Return what policies learnt from the user (priors), newest first, at most ``limit`` (None is all).

        Only those of ``policy`` (name@version, "" for all) are returned, and if ``kept`` only those in use.
        """
        t = tables.priors.c
        query = sa.select(tables.priors).where(t.user_id == user_id)
        if policy:
            query = query.where(t.policy == policy)
        if kept:
            query = query.where(t.kept.is_(True))
        found = db.execute(query.order_by(t.made_at.desc(), t.id.desc()).limit(limit))
        return [codec.record_of(Prior, row, body=json.loads(row.body)) for row in found]

    @writes()
    def withdraw_prior(self, db: sa.Connection, user_id: int, policy: str) -> datetime | None:
        """Stop using what a policy last learnt from the user, so that the prior before counts.

        Return when it was made, or None.
        """
        t = tables.priors.c
        mine = sa.and_(t.user_id == user_id, t.policy == policy, t.kept.is_(True))
        newest = sa.select(t.id, t.made_at).where(mine).order_by(t.made_at.desc(), t.id.desc())
        row = db.execute(newest.limit(1)).first()
        if row is None:
            return None
        db.execute(sa.update(tables.priors).where(t.id == row.id).values(kept=False))
        made: datetime = row.made_at
        return made

    @writes()
    def add_reset(self, db: sa.Connection, user_id: int, *, now: datetime) -> None:
        """Save that feedback of the user before ``now``, and priors learnt from it, no longer count."""
        db.execute(sa.insert(tables.resets).values(user_id=user_id, made_at=now))

    @writes()
    def withdraw_reset(self, db: sa.Connection, user_id: int, *, now: datetime) -> datetime | None:
        """Withdraw the user's newest reset, so that earlier feedback counts. Return when it was made, or None."""
        active = (row for row in _resets(db, user_id) if row.taken_back_at is None)
        newest = next(active, None)
        if newest is None:
            return None
        db.execute(sa.update(tables.resets).where(tables.resets.c.id == newest.id).values(taken_back_at=now))
        made: datetime = newest.made_at
        return made

    @reads
    def resets(self, db: sa.Connection, user_id: int) -> list[Reset]:
        return [codec.record_of(Reset, row) for row in _resets(db, user_id)]


def _resets(db: sa.Connection, user_id: int) -> list[Any]:
    mine = sa.select(tables.resets).where(tables.resets.c.user_id == user_id)
    return list(db.execute(mine.order_by(tables.resets.c.made_at.desc(), tables.resets.c.id.desc())))
