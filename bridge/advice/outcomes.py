"""Find out from the data whether users did what was recommended, and ask users where the data do not tell."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from bridge.advice.labels import labelled
from bridge.day.outcomes import AWAITED, BEFORE, SETTLES, observed, over_at
from bridge.domain.facts import Fact, fact
from bridge.domain.records import SAID, Deed, Recommendation, Snapshot, User
from bridge.domain.slots import DAY, INSTANT, ZoneHistory
from rhythm_env.interface import Answer

if TYPE_CHECKING:
    from bridge.installation import Bridge
    from bridge.store import Store

OUTCOME_WINDOW = timedelta(days=8)  # from the recommendation to the end of the slot that it is put off to
ASKED = DAY  # after its end; later nobody is asked any more
QUESTIONS_MAX = 3  # at a time
RECHECKED_MAX = 100  # outcomes of an earlier release in one look
WITHDRAWN, UNTOLD = "withdrawn", date.max  # in what was answered: a count, and the day on which it is told


def confirm(
    bridge: Bridge, user: User, *, now: datetime, since: datetime | None = None, until: datetime | None = None
) -> int:
    """Save the outcomes of recommendations that were seen and are over. Return the number of changed outcomes.

    ``since`` and ``until`` limit when the recommendations were made, by default to the last days.
    """
    store = bridge.store
    found = advised(store, user, since=since or now - SETTLES - OUTCOME_WINDOW, until=until or now + INSTANT)
    due = [one for one in found if _is_due(one, user.zones, now)]
    earlier = store.recommendations.to_recheck(user.id, limit=RECHECKED_MAX)
    due = earlier + [one for one in due if one.id not in {other.id for other in earlier}]
    if not due:
        return 0
    known = _known(bridge, user, since=due[0].created_at, now=now)
    seen = [(one, *observed(one, known)) for one in due]
    changed = [one for one in seen if one[1:] != (one[0].outcome, one[0].evidence) or one[0] in earlier]
    withdrawn = sum(one in earlier and deed not in (Deed.DONE, Deed.PARTLY) for one, deed, _ in changed)
    if changed:
        with store.transaction():
            for one, deed, evidence in changed:
                at = one.outcome_at if deed is one.outcome and one.outcome_at else now
                store.recommendations.save_outcome(one.id, deed, evidence, at=at)
            if withdrawn:
                _note(store, user, withdrawn, now=now)
    return len(changed)


def told_withdrawn(store: Store, user: User, *, seen: bool, now: datetime) -> tuple[Fact, ...]:
    """Return a fact with the number of outcomes withdrawn since an earlier release found them wrongly, or ().

    If ``seen``, the fact is not returned again.
    """
    waiting = sum(int(count) for _, count, _ in _noted(store, user))
    if seen and waiting:
        with store.transaction():
            _note(store, user, None, now=now)
    return (fact("withdrawn", count=waiting),) if waiting else ()


def _noted(store: Store, user: User) -> list[tuple[str, str, date]]:
    return [one for one in store.people.preferences(user.id).answered if (one[0], one[2]) == (WITHDRAWN, UNTOLD)]


def _note(store: Store, user: User, more: int | None, *, now: datetime) -> None:
    before = _noted(store, user)
    kept = [one for one in store.people.preferences(user.id).answered if one not in before]
    if more is not None:
        kept.append((WITHDRAWN, str(more + sum(int(count) for _, count, _ in before)), UNTOLD))
    store.people.change_preferences(user.id, answered=tuple(kept), now=now)


def advised(store: Store, user: User, *, since: datetime, until: datetime) -> list[Recommendation]:
    found = store.recommendations.between(user.id, since=since, until=until)
    return [one for one in found if one.superseded_at is None]


def _is_due(one: Recommendation, zones: ZoneHistory, now: datetime) -> bool:
    over, seen = over_at(one, zones), one.shown_at is not None or one.answer is not None
    settled = one.outcome not in (None, Deed.UNKNOWN) and over <= now - SETTLES
    return seen and over <= now and not settled and one.evidence != SAID and one.answer is not Answer.IGNORE


def _known(bridge: Bridge, user: User, *, since: datetime, now: datetime) -> Snapshot:
    first, store = (since - BEFORE - DAY).date(), bridge.store
    return Snapshot(
        at=now,
        zones=user.zones,
        samples=store.reading.samples(user.id, since=first, at=now),
        episodes=store.reading.episodes(user.id, since=first, at=now),
        agenda=labelled(bridge, user, since - DAY, now, at=now),
        tasks=[task for _, task in store.reading.tasks(user.id, since=first, at=now)],
        event_since=store.reading.events_since(user.id),
    )


def questions(store: Store, user: User, *, now: datetime) -> list[Recommendation]:
    """Return a few recommendations whose outcome the user should be asked for, newest first."""
    over = now - ASKED
    found = store.recommendations.of_unknown_outcome(
        user.id, since=over - OUTCOME_WINDOW, until=now + INSTANT, over_since=over
    )
    return [one for one in reversed(found) if _is_asked(one, user.zones, now)][:QUESTIONS_MAX]


def _is_asked(one: Recommendation, zones: ZoneHistory, now: datetime) -> bool:
    seen = one.shown_at is not None or one.answer is not None
    awaited = any(fact.kind == AWAITED for fact in one.evidence)
    open_ = one.outcome is Deed.UNKNOWN and one.evidence != SAID and one.answer is not Answer.IGNORE
    return seen and open_ and not awaited and over_at(one, zones) <= now < over_at(one, zones) + ASKED


def last_unsaid(store: Store, user: User, *, now: datetime) -> Recommendation | None:
    """Return the recommendation that the user means when stating an outcome without a number, or None."""
    found: Sequence[Recommendation] = advised(store, user, since=now - 2 * DAY, until=now + INSTANT)
    asked = questions(store, user, now=now)
    seen = [one for one in reversed(found) if (one.shown_at or one.answer) and one.evidence != SAID]
    return next(iter([*asked, *seen]), None)
