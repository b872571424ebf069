"""Write the prompt for a language model from the rules, recent answers, and the person's present state.

It consists of numbers and words of the model interface, so no event, title or name can be sent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta

from rhythm_env.interface import (
    DAY_NAMES,
    HISTORY_DAYS,
    STEPS_PER_WEEK,
    ActionType,
    Answer,
    Interaction,
    Meter,
    MeterState,
    Observation,
    Slot,
    StepRecord,
)

TOKENS = 2000  # the most tokens of a prompt, by default
SIGNS_PER_TOKEN = 3  # the fewest: about 3 for numbers and upper case, 3.5 to 4 for English text
ANSWER_WORDS = {Answer.ACCEPT: "ACCEPTED", Answer.IGNORE: "IGNORED", Answer.RESCHEDULE: "RESCHEDULED"}
SUMMED = 0.25  # share of the room for answers that the counts of older answers may take
ANOMALY_MIN = 0.005  # smaller anomalies are rounding noise and left out

# Direction and size of each effect, as the published dynamics state them in words.
ACTIONS = {
    ActionType.DEEP_WORK: "P++ V- C- S-",
    ActionType.ADMIN_WORK: "P+ V- C- S-",
    ActionType.LEARN: "P+ V- C- S+",
    ActionType.SLEEP: "V++ C+ S+",
    ActionType.EXERCISE: "V+ S+ C+",
    ActionType.MEDITATE: "S++ C+ V+",
    ActionType.FAMILY_TIME: "N++ S+ V- C-",
    ActionType.SOCIALIZE: "N+ S+ V- C-",
    ActionType.ME_TIME: "S+ V+ C+ N-",
    ActionType.BINGE_WATCH: "S+ V+ C- N-",
}
SYSTEM = f"""You choose what one person does next, four times a day, {STEPS_PER_WEEK} slots a week. Five meters from 0 \
to 1 say how they are: V vitality, C cognition, P progress, S serenity, N connection. None may fall below 0.10.
Actions and what they do to most people: {"; ".join(f"{action} {does}" for action, does in ACTIONS.items())}.
Who the person is is hidden, in three digits from 0 to 9: S how much they like company, M how much they are a morning \
person, W how much they live for work. Their answers, rewards and what is unusual for them tell it. First judge who \
they are, then choose for them.
Answer with <reasoning>why, in a sentence or two</reasoning> and then a last line of the digits S M W and the action, \
for example:
3 8 7 DEEP_WORK"""

Message = dict[str, str]


def messages(observation: Observation, *, tokens: int = TOKENS, days: int = HISTORY_DAYS) -> list[Message]:
    """Return the system's and the user's message for an observation, with the answers of the last ``days`` days.

    The oldest answers are replaced by counts as far as is needed to stay within ``tokens``.
    """
    now = _now(observation)
    room = tokens * SIGNS_PER_TOKEN - len(SYSTEM) - len(now)
    said = "\n".join([*_answers(_recent(observation.history, days), room), now])
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": said}]


def _recent(history: Sequence[Interaction], days: int) -> Sequence[Interaction]:
    if not history:
        return ()
    since = max(one.at for one in history) - timedelta(days=days)
    return [one for one in history if one.at > since]


def _answers(history: Sequence[Interaction], room: int) -> Iterator[str]:
    if not history:
        return
    lines = [line(one) for one in history]
    kept = len(lines) if sum(map(_length, lines)) <= room else _fitting(lines[::-1], room * (1 - SUMMED))
    older = history[: len(lines) - kept]
    if older:
        yield f"Older answers ({len(older)}), summed up: {_sum(older, room * SUMMED)}"
    if kept:
        yield "Answers, the oldest first:"
        yield from lines[len(lines) - kept :]


def _length(one: str) -> int:
    return len(one) + 1


def _fitting(lines: Iterable[str], room: float) -> int:
    fits = 0
    for one in lines:
        room -= _length(one)
        if room < 0:
            break
        fits += 1
    return fits


def line(one: Interaction) -> str:
    """Return an answer as a line, such as ``Mon Morning, Vitality=0.70 -> recommended DEEP_WORK -> user: IGNORED``."""
    vitality = one.levels.get(Meter.VITALITY)
    level = "?" if vitality is None else f"{vitality:.2f}"
    answer = ANSWER_WORDS[one.answer]
    return f"{when(one.day, one.slot)}, Vitality={level} -> recommended {one.recommended} -> user: {answer}"


def when(day: int, slot: Slot) -> str:
    """Return a slot in words, such as ``Mon Morning``."""
    return f"{DAY_NAMES[day]} {slot.name.capitalize()}"


def _sum(older: Sequence[Interaction], room: float) -> str:
    asked = Counter((one.slot, one.recommended) for one in older)
    answered = Counter((one.slot, one.recommended, one.answer) for one in older)
    groups = []
    for slot, action in sorted(asked, key=lambda pair: (-asked[pair], pair)):
        counts = {ANSWER_WORDS[answer]: answered[slot, action, answer] for answer in Answer}
        said = " ".join(f"{name} {count}" for name, count in counts.items() if count)
        groups.append(f"{slot.name.capitalize()} {action} {said};")
    return " ".join(groups[: _fitting(groups, room)])


def _now(observation: Observation) -> str:
    past = [told for one in observation.step_history if (told := _step(one))]
    lines = ["Lately:", *past] if past else []
    lines.append(f"Now: {when(observation.day, observation.slot)}, {observation.remaining_steps} slots left this week.")
    lines.append(", ".join(_level(meter, observation.meters.get(meter)) for meter in Meter))
    if observation.active_event is not None:
        lines.append(f"Happening: {observation.active_event}")
    if observation.planned:
        lines.append("In the calendar: " + ", ".join(f"{a} {part:.0%}" for a, part in observation.planned.items()))
    if len(observation.feasible) < len(ActionType):
        lines.append(f"Possible now: {', '.join(observation.feasible)}")
    return "\n".join(lines)


def _level(meter: Meter, state: MeterState | None) -> str:
    name = meter.capitalize()
    if state is None or state.coverage <= 0:
        return f"{name} unknown"
    return f"{name} {state.level:.2f}" + (f" ± {state.sd:.2f}" if state.sd > 0 else "")


def _step(record: StepRecord) -> str | None:
    """Return a past slot as a line with its action, reward and changes of meters, or None if the action is unknown."""
    if record.action is None:
        return None
    told = f"{when(record.day, record.slot)} {record.action}"
    if record.deltas is None or record.reward is None:
        return told
    changed = _named(record.deltas)
    odd = {meter: by for meter, by in (record.anomalies or {}).items() if abs(by) >= ANOMALY_MIN}
    unusual = f" unusual {_named(odd)}" if odd else ""
    return f"{told} {record.reward:+.1f} {changed}{unusual}"


def _named(changes: Mapping[Meter, float]) -> str:
    return " ".join(f"{LETTERS[meter]}{by:+.2f}" for meter, by in changes.items())


LETTERS = {meter: "N" if meter is Meter.CONNECTION else meter[0] for meter in Meter}
