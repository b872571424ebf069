"""Print a week at the terminal, a block per day, and for each slot (a quarter of the day) its events and facts."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from bridge.advice.week import is_moved
from bridge.cli import show
from bridge.documents.calendar import describe_facts, week_facts
from bridge.documents.text import printable, slot_name, title_of
from bridge.domain.languages import plural
from bridge.domain.slots import ZoneHistory, local_time, zone_at
from bridge.domain.titles import answer_text
from rhythm_env.interface import Slot

if TYPE_CHECKING:
    from rich.table import Table

    from bridge.advice.week import Week, WeekSlot
    from bridge.domain.types import Occurrence

REASONS_WIDTH_MIN = 100  # columns from which the reasons fit in


def draw(user: str, week: Week) -> None:
    """Print a user's week as a table and a summary. With 100 columns or more, each label has its reason."""
    from rich.console import Console

    width = show.width()
    console = Console(width=width, markup=False, highlight=False, emoji=False)
    year, number, _ = week.monday.isocalendar()
    console.print(f"{user}, week {year}-W{number:02}, {zone_at(week.bounds[0], week.zones).key}")
    console.print(_table(week, wide=width >= REASONS_WIDTH_MIN))
    for line in _summary(user, week):
        show.say(line)


def _table(week: Week, *, wide: bool) -> Table:
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), expand=True, header_style="bold")
    for name in ("slot", "busy", "time"):
        drawn.add_column(name, no_wrap=True, justify="right" if name == "busy" else "left")
    drawn.add_column("event", ratio=1)
    for name in ("is", "sure", "how"):
        drawn.add_column(name, no_wrap=True, overflow="ellipsis", justify="right" if name == "sure" else "left")
    for day in range(7):
        slots = [slot for slot in week.slots if slot.facts.moment.day == day]
        drawn.add_row(Text(f"{slots[0].facts.moment.date:%a %d %b}", style="bold"))
        for slot in slots:
            for cells, style in _rows(slot, week, wide=wide):
                # A long title is cut; the facts of a slot continue in the next line.
                drawn.add_row(
                    *(Text(printable(c), no_wrap=style != "dim", overflow="ellipsis") for c in cells), style=style
                )
        if day < 6:
            drawn.add_row()
    return drawn


def _rows(slot: WeekSlot, week: Week, *, wide: bool) -> list[tuple[list[str], str]]:
    lines = [*_events(slot, week, wide=wide), *_advice(slot)]
    if slot.facts.busy and week.calendar:
        lines.append(([_free(slot, week.zones), describe_facts(slot), "", "", ""], "dim"))
    lines = lines or [([""] * 5, "dim")]
    busy = f"{slot.facts.busy:.0%}" if week.calendar else "-"
    heads = [[f" {slot.facts.moment.slot.name.lower()}", busy], *(["", ""] for _ in lines[1:])]
    return [(head + cells, style) for head, (cells, style) in zip(heads, lines, strict=True)]


def _events(slot: WeekSlot, week: Week, *, wide: bool) -> Iterator[tuple[list[str], str]]:
    for occurrence, label in slot.entries:
        if not occurrence.event.all_day or slot.facts.moment.slot is Slot.MORNING:
            how = f"{label.by}: {label.why}" if wide else label.by
            what = [str(label.action or "-"), f"{label.confidence:.0%}", how]
            yield [_time(occurrence, slot, week.zones), title_of(occurrence.event), *what], ""


def _advice(slot: WeekSlot) -> Iterator[tuple[list[str], str]]:
    for advice in slot.advice:
        state = "no answer yet" if advice.answer is None else answer_text(advice.answer, advice.moved_to)
        if is_moved(advice, slot.facts.moment):
            state = f"put off from {slot_name(advice.moment)}"
        yield ["", f"advised, {state}", str(advice.action), "", advice.policy], "cyan"


def _time(occurrence: Occurrence, slot: WeekSlot, zones: ZoneHistory) -> str:
    if occurrence.event.all_day:
        return "all day"
    begun = _clock(occurrence.start, zones) if occurrence.start >= slot.facts.start else "  ..."
    return f"{begun}-{_clock(occurrence.end, zones) if occurrence.end <= slot.facts.end else '...'}"


def _free(slot: WeekSlot, zones: ZoneHistory) -> str:
    free = slot.facts.free
    return f"free {_clock(free[0], zones)}" if free else "not free"


def _summary(user: str, week: Week) -> Iterator[str]:
    if not week.calendar:
        yield (
            f"No calendar was read yet. Next: bridge connect google_calendar --user {user}, "
            f"then: bridge sync --user {user}"
        )
        return
    facts, (start, end) = week_facts(week), week.bounds
    hours = (end - start) / timedelta(hours=1)
    yield (
        f"{facts['busy'] * hours:.1f} h planned, {facts['meeting_density'] * hours:.1f} h of them in meetings "
        f"({facts['back_to_back']} without a pause before); {plural(facts['short_gaps'], 'pause')} under 10 minutes."
    )
    company = plural(facts["social_events_7d"], "time")
    pressing = "" if week.pressure is None else f" Deadlines press like {week.pressure:.1f} tasks that cannot wait."
    yield f"{facts['focus_minutes'] / 60:.1f} h of focus, {company} in company.{pressing}"
    yield f'Something is wrong? bridge classify --user {user} --fix "EVENT" ACTION'


def _clock(at: datetime, zones: ZoneHistory) -> str:
    return f"{local_time(at, zones):%H:%M}"
