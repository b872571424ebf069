"""Write the sentences that explain a decision: the action's purpose, earlier answers, and the belief about the user."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from policies.planner.rollout import stepped
from rhythm_env.constants import METERS
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import ActionType, Answer, Interaction, Meter, Observation, Slot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from policies.planner.rollout import Bodies

    Array = NDArray[np.float64]

TIMES = {Slot.MORNING: "mornings", Slot.AFTERNOON: "afternoons", Slot.EVENING: "evenings", Slot.NIGHT: "nights"}
SAID = {Answer.ACCEPT: "accepted", Answer.IGNORE: "ignored", Answer.RESCHEDULE: "put off"}
SIDES = {  # dimension of the belief -> sentences for its low and its high end
    "social": ("company seems to cost you more than it gives", "company seems to do you good"),
    "morning": ("your head seems clearer late in the day", "your head seems clearer in the morning"),
    "work": ("work seems to take more out of you than it gives", "work seems to do you good"),
}
LEANING = 0.15  # least distance of a belief from the middle for a sentence
LOW = 0.5  # a level below this is mentioned, as everybody's own normal is 0.7
OFTEN = 2  # refusals of an action at a time of day that are worth a sentence
NOUNS = {
    ActionType.LEARN: "learning",
    ActionType.MEDITATE: "meditation",
    ActionType.SOCIALIZE: "company",
    ActionType.ME_TIME: "time for yourself",
    ActionType.BINGE_WATCH: "watching something",
}


def reasons(
    action: ActionType, observation: Observation, person: Array, supposed: Bodies, belief: tuple[Array, Array]
) -> tuple[str, ...]:
    """Return the sentences for a decision, at least one: its purpose, then earlier answers, then the belief.

    ``person`` (18,) is the mean person, ``supposed`` its tables. ``belief`` is mean and deviation, each (3,).
    """
    found = [purpose(action, observation, person, supposed)]
    found += answers(observation.history, observation.slot, action)
    found += leanings(*belief)
    return tuple(found)


def purpose(action: ActionType, observation: Observation, person: Array, supposed: Bodies) -> str:
    """Return a sentence about the meter that the action serves best, with the expected change of its level."""
    import numpy as np

    levels = [0.7 if (state := observation.meters.get(meter)) is None else state.level for meter in Meter]
    now = np.repeat(np.array(levels)[:, None], len(ACTIONS), axis=1)
    changes = stepped(now, np.arange(len(ACTIONS)), int(observation.slot), supposed) - now
    number = ACTIONS.index(action)
    ahead = person[:METERS] * (changes[:, number] - changes.mean(axis=1))
    best = int(ahead.argmax())
    change = float(changes[best, number])
    if change <= 0:
        return f"{plain(action)} fits the rest of the week best; what it costs now comes back later"
    return _opening(observation, tuple(Meter)[best], action) + f" (about {change:+.2f})"


def _opening(observation: Observation, meter: Meter, action: ActionType) -> str:
    state, name = observation.meters.get(meter), meter.lower()
    if not observation.history and all(other.coverage <= 0 for other in observation.meters.values()):
        return f"nothing is known of you yet; for most people {plain(action)} does most for {name} now"
    if state is not None and state.coverage > 0 and state.level < LOW:
        return f"your {name} is low ({state.level:.2f}), and {plain(action)} would do most for it now"
    return f"{plain(action)} would do most for your {name} now"


def answers(history: Sequence[Interaction], slot: Slot, action: ActionType) -> Iterator[str]:
    """Yield a sentence on the earlier answers to ``action`` in this slot, and on an action often refused there."""
    here = [one for one in history if one.slot is slot]
    mine = [one for one in here if one.recommended is action]
    if mine:
        yield _counted(slot, action, mine)
    others = {one.recommended for one in here} - {action}
    refused = {a: [one for one in here if one.recommended is a] for a in sorted(others)}
    refused = {a: some for a, some in refused.items() if len(some) >= OFTEN and not _accepted(some)}
    if refused:
        most = max(refused, key=lambda a: len(refused[a]))
        yield _counted(slot, most, refused[most])


def _accepted(some: Sequence[Interaction]) -> bool:
    return any(one.answer is Answer.ACCEPT for one in some)


def _counted(slot: Slot, action: ActionType, some: Sequence[Interaction]) -> str:
    counts = {answer: sum(one.answer is answer for one in some) for answer in Answer}
    said = ", ".join(f"{SAID[answer]} {count} of {len(some)}" for answer, count in counts.items() if count)
    return f"{TIMES[slot]}: {plain(action)} {said}"


def leanings(mean: Array, sd: Array) -> Iterator[str]:
    """Yield a sentence for each dimension of the belief that is clearly away from the middle 0.5.

    Its distance must exceed both 0.15 and its standard deviation. ``mean`` and ``sd`` have the shape (3,).
    """
    for (low, high), centre, spread in zip(SIDES.values(), mean, sd, strict=True):
        lean = float(centre) - 0.5
        if abs(lean) > max(LEANING, float(spread)):
            yield f"{high if lean > 0 else low} ({float(centre):.2f} ± {float(spread):.2f} of 1)"


def plain(action: ActionType) -> str:
    """Return the name of an action as it stands within a sentence, such as "time for yourself"."""
    return NOUNS.get(action, action.lower().replace("_", " "))
