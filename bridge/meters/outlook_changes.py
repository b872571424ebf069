"""Say how tomorrow's calendar entries change the expected meters, with the fact of the calendar behind each change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean
from types import MappingProxyType

from bridge.domain.languages import Text, say, say_many
from bridge.meters import words
from bridge.meters.connection import times_in_company
from bridge.meters.past import Past
from rhythm_env.interface import Meter, Slot

QUARTERS = 4  # of an hour, to which usual lengths are rounded
FEELINGS: Mapping[Meter, tuple[Text, Text]] = MappingProxyType(  # for a higher and for a lower level
    {
        Meter.VITALITY: (say("more energetic"), say("less energetic")),
        Meter.COGNITION: (say("clearer"), say("less clear")),
        Meter.PROGRESS: (say("more productive"), say("less productive")),
        Meter.SERENITY: (say("calmer"), say("less calm")),
        Meter.CONNECTION: (say("more in touch with people"), say("less in touch with people")),
    }
)
WHEN: Mapping[tuple[Slot, ...], Text] = MappingProxyType(  # the slots at whose ends the level is changed
    {
        (Slot.MORNING,): say("by noon"),
        (Slot.AFTERNOON,): say("by 18:00"),
        (Slot.EVENING,): say("by midnight"),
        (Slot.MORNING, Slot.AFTERNOON): say("until 18:00"),
        (Slot.AFTERNOON, Slot.EVENING): say("from the afternoon on"),
        (Slot.MORNING, Slot.EVENING): say("by noon and by midnight"),
        (Slot.MORNING, Slot.AFTERNOON, Slot.EVENING): say("all day"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """The end ``at`` of a slot whose morning begins at ``begin``, in a past that holds the calendar up to ``at``."""

    past: Past
    begin: datetime
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change of a meter's expected level at the end of ``slot``, by the day's entries. ``why`` may be None."""

    meter: Meter
    slot: Slot
    difference: float
    why: Text | None

    @property
    def feeling(self) -> Text:
        return FEELINGS[self.meter][0 if self.difference > 0 else 1]


def change_of(meter: Meter, slot: Slot, difference: float, planned: When, usual: Sequence[When]) -> Change:
    """Return a change of a meter's level. ``usual`` holds the same hour of the days with which ``planned`` compares."""
    found = (fact.text(planned, usual, is_up=difference > 0) for fact in FACTS.get(meter, ()))
    why = next((text for text in found if text is not None), None)
    return Change(meter=meter, slot=slot, difference=difference, why=why)


def told(changes: Iterable[Change]) -> list[Text]:
    """Return a sentence per meter, or for several meters that change at the same times for the same reason."""
    groups: dict[tuple[Text, Text | None], list[Text]] = {}
    for of_meter in _by_meter(changes):
        largest = max(of_meter, key=lambda one: abs(one.difference))
        same = [one for one in of_meter if one.feeling == largest.feeling]
        when = WHEN[tuple(one.slot for one in same)]
        why = next((one.why for one in reversed(same) if one.why is not None), None)
        groups.setdefault((when, why), []).append(largest.feeling)
    return [_sentence(feelings, when, why) for (when, why), feelings in groups.items()]


def _by_meter(changes: Iterable[Change]) -> Iterator[list[Change]]:
    found: dict[Meter, list[Change]] = {}
    for one in sorted(changes, key=lambda one: one.slot):
        found.setdefault(one.meter, []).append(one)
    yield from found.values()


def _sentence(feelings: Sequence[Text], when: Text, why: Text | None) -> Text:
    feeling = feelings[0]
    for one in feelings[1:]:
        feeling = say("{first} and {last}", first=feeling, last=one)
    if why is None:
        return say("{feeling} than usual {when}, by your calendar", feeling=feeling, when=when)
    return say("{feeling} than usual {when}: {why}", feeling=feeling, when=when, why=why)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fact:
    """A count of the calendar. ``raises`` says if more of it raises the meter.

    ``words`` returns the text for the count and the usual count. ``rounded`` returns the count as the text tells it.
    """

    count: Callable[[When], float]
    raises: bool
    rounded: Callable[[float], float]
    words: Callable[[float, float], Text]

    def text(self, planned: When, usual: Sequence[When], *, is_up: bool) -> Text | None:
        value = self.rounded(self.count(planned))
        mean = self.rounded(fmean(self.count(one) for one in usual))
        return self.words(value, mean) if value != mean and (value > mean) is (is_up is self.raises) else None


def _quarters(hours: float) -> float:
    return round(hours * QUARTERS) / QUARTERS


def _of_entries(value: float, usual: float) -> Text:
    if not value:
        return say("no entries, {usual} is usual", usual=words.hours(usual))
    if not usual:
        return say("{length} of entries, none is usual", length=words.hours(value))
    return say("{length} of entries, {usual} is usual", length=words.hours(value), usual=words.hours(usual))


def _of_focus(value: float, usual: float) -> Text:
    if not value:
        return say("no focus, {usual} is usual", usual=words.hours(usual))
    if not usual:
        return say("{length} of focus, none is usual", length=words.hours(value))
    return say("{length} of focus, {usual} is usual", length=words.hours(value), usual=words.hours(usual))


def _of_company(value: float, usual: float) -> Text:
    if not value:
        return say("no company in the seven days before, {usual:.0f} times is usual", usual=usual)
    return say_many(
        "with friends or family {count:.0f} time in the seven days before, {usual:.0f} is usual",
        "with friends or family {count:.0f} times in the seven days before, {usual:.0f} is usual",
        value,
        usual=usual,
    )


def _entries(when: When) -> float:
    return when.past.calendar.busy(when.begin, when.at)


def _focus(when: When) -> float:
    return when.past.calendar.focus(when.begin, when.at) / 60


def _company(when: When) -> float:
    return times_in_company(when.past, when.at)


_BUSY = _Fact(count=_entries, raises=False, rounded=_quarters, words=_of_entries)
FACTS: Mapping[Meter, tuple[_Fact, ...]] = MappingProxyType(
    {
        Meter.COGNITION: (_BUSY,),
        Meter.SERENITY: (_BUSY,),
        Meter.PROGRESS: (_Fact(count=_focus, raises=True, rounded=_quarters, words=_of_focus),),
        Meter.CONNECTION: (_Fact(count=_company, raises=True, rounded=round, words=_of_company),),
    }
)
