"""The prompt of a language model: the published line, within its budget, without any title."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.advice.observation import observe
from bridge.domain.records import Snapshot
from bridge.domain.slots import ZoneSpan
from bridge.domain.types import Event, Label, Occurrence
from policies.llm.prompt import SIGNS_PER_TOKEN, line, messages
from rhythm_env.interface import ActionType, Answer, Interaction, Meter, MeterState, Observation, Slot

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
ZONES = (ZoneSpan(since=datetime(2020, 1, 1, tzinfo=UTC), zone="UTC"),)
LINE = re.compile(
    r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun) (Morning|Afternoon|Evening|Night), Vitality=[01]\.\d\d"
    r" -> recommended [A-Z_]+ -> user: (ACCEPTED|IGNORED|RESCHEDULED)"
)


def answered(count: int, *, until: datetime = NOON) -> tuple[Interaction, ...]:
    """So many answers, one per slot, the last six hours before ``until``."""
    actions, answers = tuple(ActionType), tuple(Answer)
    return tuple(
        Interaction(
            at=until - timedelta(hours=6 * (count - i)),
            day=i // 4 % 7,
            slot=Slot(i % 4),
            levels=dict.fromkeys(Meter, 0.7),
            recommended=actions[i * 7 % 10],
            answer=answers[i % 3],
        )
        for i in range(count)
    )


def seen(**fields: object) -> Observation:
    levels = {meter: MeterState(level=0.7, sd=0.1, coverage=0.5) for meter in Meter}
    return Observation(timestep=1, day=0, slot=Slot.AFTERNOON, meters=levels, **fields)  # type: ignore[arg-type]


def user(observation: Observation, **asked: int) -> str:
    return messages(observation, **asked)[1]["content"]


def test_an_answer_is_written_as_published() -> None:
    one = Interaction(
        at=NOON,
        day=0,
        slot=Slot.MORNING,
        levels={Meter.VITALITY: 0.7},
        recommended=ActionType.DEEP_WORK,
        answer=Answer.IGNORE,
    )
    assert line(one) == "Mon Morning, Vitality=0.70 -> recommended DEEP_WORK -> user: IGNORED"


def test_thirty_days_are_shown_line_by_line_where_there_is_room() -> None:
    shown = user(seen(history=answered(160)), tokens=20_000)
    lines = [one for one in shown.splitlines() if "->" in one]
    assert len(lines) == 120  # four a day; what is older than 30 days is not shown
    assert all(LINE.fullmatch(one) for one in lines)


def test_five_days_are_shown_beside_an_adapter() -> None:
    assert user(seen(history=answered(160)), tokens=20_000, days=5).count("->") == 2 * 20


@pytest.mark.parametrize("tokens", [700, 1000, 2000])
def test_older_answers_are_summed_up_and_the_budget_is_kept(tokens: int) -> None:
    said = messages(seen(history=answered(120)), tokens=tokens)
    assert sum(len(one["content"]) for one in said) <= tokens * SIGNS_PER_TOKEN + 120  # the two headings
    shown = said[1]["content"]
    kept = [one for one in shown.splitlines() if LINE.fullmatch(one)]
    assert kept[-1] == line(answered(120)[-1])  # the newest always
    assert f"Older answers ({120 - len(kept)}), summed up:" in shown


def test_what_is_assumed_is_called_unknown() -> None:
    nothing = dict.fromkeys(Meter, MeterState(level=0.7, sd=0.3, coverage=0.0))
    shown = user(Observation(timestep=0, day=0, slot=Slot.MORNING, meters=nothing))
    assert "Vitality unknown" in shown
    assert "0.7" not in shown


def test_what_is_possible_is_said_where_not_all_is() -> None:
    assert "Possible now: SLEEP, LEARN" in user(seen(feasible=(ActionType.SLEEP, ActionType.LEARN)))
    assert "Possible" not in user(seen())


@settings(deadline=None, max_examples=40)
@given(title=st.text(min_size=1), action=st.sampled_from(ActionType), hour=st.integers(0, 20))
def test_no_word_of_an_event_enters_the_prompt(title: str, action: ActionType, hour: int) -> None:
    """Whatever an event is called, the prompt is the same: so it holds nothing of it."""
    assert prompt_of(title, action, hour) == prompt_of("", action, hour)


def prompt_of(title: str, action: ActionType, hour: int) -> list[dict[str, str]]:
    start = NOON.replace(hour=hour)
    event = Event(key="k" + title, calendar=title, start=start, end=start + timedelta(hours=2), title=title, zone="UTC")
    label = Label(action=action, confidence=1.0, by="somebody@1", why=title)
    occurrence = Occurrence(key=event.key, event=event, start=event.start, end=event.end)
    known = Snapshot(at=NOON, zones=ZONES, agenda=[(occurrence, label)], interactions=answered(20))
    return messages(observe(known)[0])
