"""A week in the terminal: a block per day, a line per event, and below it what the slot's facts say."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from bridge.cli import show
from bridge.cli.calendar import title_of, totals
from bridge.meters.words import plural
from bridge.week import is_moved
from rhythm_env.interface import Answer, Slot, ZoneHistory, zone_at

if TYPE_CHECKING:
    from rich.table import Table

    from bridge.types import Occurrence
    from bridge.week import Week, WeekSlot

PIPED = 110  # columns where nobody tells how wide the paper is
WIDE = 100  # columns from which the reasons fit in
ANSWERED = {Answer.ACCEPT: "accepted", Answer.IGNORE: "ignored", Answer.RESCHEDULE: "moved away"}


def draw(user: str, week: Week) -> None:
    """Print the week; it reads from 80 columns on."""
    from rich.console import Console

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else PIPED
    console = Console(width=width, markup=False, highlight=False, emoji=False)
    year, number, _ = week.monday.isocalendar()
    console.print(f"{user}, week {year}-W{number:02}, {zone_at(week.bounds[0], week.zones).key}")
    console.print(_table(week, wide=width >= WIDE))
    for line in _summary(user, week):
        console.print(line)


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
                # A long title is cut, what is said of a slot goes on in the next line.
                drawn.add_row(
                    *(Text(show.printable(c), no_wrap=style != "dim", overflow="ellipsis") for c in cells), style=style
                )
        if day < 6:
            drawn.add_row()
    return drawn


def _rows(slot: WeekSlot, week: Week, *, wide: bool) -> list[tuple[list[str], str]]:
    """The cells and style of every line of a slot; the first one names it."""
    lines = [*_entries(slot, week, wide=wide), *_advice(slot)]
    if slot.facts.busy and week.calendar:
        lines.append(([_free(slot, week.zones), facts_in_words(slot), "", "", ""], "dim"))
    lines = lines or [([""] * 5, "dim")]
    busy = f"{slot.facts.busy:.0%}" if week.calendar else "-"
    heads = [[f" {slot.facts.moment.slot.name.lower()}", busy], *(["", ""] for _ in lines[1:])]
    return [(head + cells, style) for head, (cells, style) in zip(heads, lines, strict=True)]


def _entries(slot: WeekSlot, week: Week, *, wide: bool) -> Iterator[tuple[list[str], str]]:
    """A line per entry; an all-day one stands in the morning only."""
    for occurrence, label in slot.entries:
        if not occurrence.event.all_day or slot.facts.moment.slot is Slot.MORNING:
            how = f"{label.by}: {label.why}" if wide else label.by
            what = [str(label.action or "-"), f"{label.confidence:.0%}", how]
            yield [_time(occurrence, slot, week.zones), title_of(occurrence.event), *what], ""


def _advice(slot: WeekSlot) -> Iterator[tuple[list[str], str]]:
    for one in slot.advice:
        told = "moved here" if is_moved(one, slot.facts.moment) else "no answer yet"
        if one.answer is not None and one.moved_to != slot.facts.moment:
            told = ANSWERED[one.answer]
        yield ["", f"advised, {told}", str(one.action), "", one.policy], "cyan"


def _time(occurrence: Occurrence, slot: WeekSlot, zones: ZoneHistory) -> str:
    """From and to on the person's clock; what began in an earlier slot, or ends in a later one, says so."""
    if occurrence.event.all_day:
        return "all day"
    begun = _clock(occurrence.start, zones) if occurrence.start >= slot.facts.start else "  ..."
    return f"{begun}-{_clock(occurrence.end, zones) if occurrence.end <= slot.facts.end else '...'}"


def _free(slot: WeekSlot, zones: ZoneHistory) -> str:
    free = slot.facts.free
    return f"free {_clock(free[0], zones)}" if free else "not free"


def facts_in_words(slot: WeekSlot) -> str:
    """What is worth saying of a slot: focus, meetings in a row, short pauses."""
    facts = slot.facts
    said = (
        f"{facts.focus_minutes:.0f} min focus" if facts.focus else "",
        f"{facts.back_to_back} in a row" if facts.back_to_back else "",
        plural(facts.short_gaps, "short gap") if facts.short_gaps else "",
    )
    return ", ".join(one for one in said if one)


def _summary(user: str, week: Week) -> Iterator[str]:
    if not week.calendar:
        yield (
            f"No calendar was read yet. Next: bridge connect google_calendar --user {user}, "
            f"then: bridge sync --user {user}"
        )
        return
    facts, (start, end) = totals(week), week.bounds
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
    return f"{at.astimezone(zone_at(at, zones)):%H:%M}"
