"""Feedback on recommendations, which is the user's answer and whether the user did what was advised."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from bridge.day.outcomes import as_answer, day_end
from bridge.domain import languages
from bridge.domain.errors import SetupError
from bridge.domain.records import SAID, Deed, Feedback, FullRecommendation, Recommendation, User
from bridge.domain.slots import INSTANT
from bridge.domain.titles import answer_text
from rhythm_env.interface import HISTORY_DAYS, Answer, Interaction, Meter

if TYPE_CHECKING:
    from bridge.store import Store

REFUSED = "refused"  # the kind of answers that keep why a recommendation was refused


def give_feedback(
    store: Store, user: User, recommendation_id: int, given: Feedback, *, now: datetime
) -> FullRecommendation:
    """Store the user's answer to a recommendation, with the slot that it was moved to if the answer is Reschedule.

    Raises SetupError for a recommendation of another user, a slot that does not belong to the answer or a night, and a
    change after the recommendation's day.
    """
    before = own(store, user, recommendation_id)
    answer, moved_to = given.answer, given.moved_to
    if moved_to is not None and answer is not Answer.RESCHEDULE:
        raise no_slot(user)
    if moved_to is not None and not may_move(before):
        raise SetupError(
            languages.say(
                "only a suggestion can be moved; a bedtime follows your wishes: {command}",
                command=f'bridge wish "in bed by 23:30" --user {user.name}',
            )
        )
    if (before.answer, before.moved_to) == (answer, moved_to) and not may_change(before, user, now):
        return before
    _check_open(before, user, now)
    if before.answer is Answer.IGNORE and answer is not Answer.IGNORE:
        _wake(store, user, before, now=now)
    return store.recommendations.save_feedback(recommendation_id, replace(given, answered_at=now))


def no_slot(user: User) -> SetupError:
    """Return the error for a slot that was given with an answer other than Reschedule."""
    return SetupError(f"only `reschedule` takes --to: bridge feedback reschedule --user {user.name} --to SLOT")


def may_move(advice: Recommendation) -> bool:
    """Return True if a recommendation can be rescheduled, which excludes the night and kept calendar entries."""
    return advice.kind in (None, "suggested")


def may_change(advice: Recommendation, user: User, now: datetime) -> bool:
    """Return True until the day of the recommendation is over, in the user's time zone."""
    return day_end(advice, user.zones) > now


def _check_open(advice: Recommendation, user: User, now: datetime) -> None:
    if advice.answer is None or may_change(advice, user, now):
        return
    stands = answer_text(advice.answer, advice.moved_to)
    raise SetupError(
        f"the day of this recommendation is over, and its answer stands ({stands}); "
        f"see: bridge history --user {user.name}"
    )


def take_back(store: Store, user: User, recommendation_id: int, *, now: datetime) -> None:
    """Delete the answer to a recommendation and the reason given with it. Raises SetupError after its day."""
    before = own(store, user, recommendation_id)
    _check_open(before, user, now)
    if before.answer is not None:
        with store.transaction():
            _wake(store, user, before, now=now)
            store.recommendations.put_back(before.id, now=now, asks=True)


def withdraw(store: Store, advice: Recommendation, *, now: datetime) -> None:
    """Withdraw a recommendation and the answer to it, without a word of it on the page."""
    with store.transaction():
        if advice.answer is not None:
            store.recommendations.save_feedback(advice.id, Feedback())
        store.recommendations.supersede(advice.id, now=now)
        store.recommendations.close(advice.id, now=now)


def _wake(store: Store, user: User, advice: Recommendation, *, now: datetime) -> None:
    """Delete the reason of a refusal, so that the action or task may be suggested again today."""
    before, about = store.people.preferences(user.id), (str(advice.action), advice.what or "")
    resting = tuple(one for one in before.resting if one[:2] != about)
    answered = tuple(one for one in before.answered if one[0] != REFUSED or one[1].split()[0] != str(advice.id))
    if (resting, answered) != (before.resting, before.answered):
        store.people.change_preferences(user.id, resting=resting, answered=answered, now=now)


def say(store: Store, user: User, recommendation_id: int, deed: Deed, *, now: datetime) -> FullRecommendation:
    """Store whether the user did the action, as stated by the user. Later data never replace this outcome.

    A named task is closed or reopened accordingly. Raises SetupError for a recommendation of another user, and for a
    change after its day.
    """
    before = own(store, user, recommendation_id)
    if before.evidence == SAID and before.outcome is not deed and day_end(before, user.zones) <= now:
        raise SetupError(
            languages.say(
                "the day of this recommendation is over, and what you said stands; see: {command}",
                command=f"bridge history --user {user.name}",
            )
        )
    with store.transaction():
        store.recommendations.mark_shown(before.id, now=now)
        store.recommendations.save_outcome(before.id, deed, SAID, at=now)
        _close_task(store, user, before, deed, now=now)
    return own(store, user, recommendation_id)


def _close_task(store: Store, user: User, advice: Recommendation, deed: Deed, *, now: datetime) -> None:
    named = [t for _, t in store.reading.tasks(user.id, at=now) if advice.what is not None and t.title == advice.what]
    for task in named[:1]:
        if deed is Deed.DONE and task.completed is None:
            store.task_notes.tick(user.id, task, now=now)
        elif deed is Deed.NOT_DONE:
            store.task_notes.untick(user.id, task.key, now=now)


def own(store: Store, user: User, recommendation_id: int) -> FullRecommendation:
    advice = store.recommendations.by_id(recommendation_id)
    if advice is None or advice.user_id != user.id:
        raise SetupError(
            f"{user.name} has no recommendation {recommendation_id}; see: bridge history --user {user.name}"
        )
    return advice


def interactions(store: Store, user: User, *, at: datetime) -> list[Interaction]:
    """Return recent recommendations with their answers, since the user's last reset, oldest first.

    Where the user gave no answer, an outcome found in the data counts as an answer.
    """
    recent = at - timedelta(days=HISTORY_DAYS)
    since = max(recent, reset_time(store, user, at=at) or recent)
    found = (interaction(one, at) for one in store.recommendations.between(user.id, since=since, until=at + INSTANT))
    return [one for one in found if one is not None]


def reset_time(store: Store, user: User, *, at: datetime) -> datetime | None:
    """Return when the user last reset what policies learnt, as known at ``at``, or None without a reset in effect."""
    made = (r.made_at for r in store.lessons.resets(user.id) if r.taken_back_at is None or r.taken_back_at > at)
    return max((moment for moment in made if moment <= at), default=None)


def interaction(advice: Recommendation, at: datetime) -> Interaction | None:
    """Return a recommendation with its answer as known at ``at``, as policies read it, or None without an answer."""
    answer = as_answer(advice, at)
    if answer is None:
        return None
    moved = advice.moved_to if answer is Answer.RESCHEDULE else None
    return Interaction(
        at=advice.created_at,
        day=advice.moment.day,
        slot=advice.moment.slot,
        levels={Meter(name): level for name, level in advice.levels.items()},
        recommended=advice.action,
        answer=answer,
        moved_to=None if moved is None else (moved.day, moved.slot),
    )
