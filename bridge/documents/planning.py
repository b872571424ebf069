"""JSON documents of a user's routine and wishes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, NotRequired

from typing_extensions import TypedDict

from bridge.documents.text import slot_name, writable
from bridge.domain.languages import _, date_text
from bridge.domain.rendering import for_person
from bridge.domain.slots import ZoneHistory, hours_minutes, local_time, moment_at, today_at
from bridge.domain.wish_records import plain

if TYPE_CHECKING:
    from bridge.advice.modes import Stand
    from bridge.advice.wishing import Wish
    from bridge.day.body import Mode
    from bridge.day.choice import Option
    from bridge.day.routine import Habit, Routine
    from bridge.day.sleep import UsualNight
    from bridge.domain.wishes import Wishes
    from rhythm_env.interface import ActionType


class NightDocument(TypedDict):
    """The usual main sleep that ends on a weekday, where 0 is Monday.

    Times are ``HH:MM``. ``nights`` is the number of the user's own nights behind it, over all weekdays, with less
    weight for older nights.
    """

    weekday: int
    bedtime: str
    wake: str
    bedtime_sd_minutes: int
    wake_sd_minutes: int
    nights: float


class WorkDocument(TypedDict):
    """The usual working hours that begin on a weekday, where 0 is Monday, as pairs of ``HH:MM``."""

    weekday: int
    spans: list[list[str]]


class UsualDocument(TypedDict):
    """The usual start of an action on a weekday (0 is Monday).

    ``name`` is the word that the user's data have for the action, such as "run", or null.
    """

    weekday: int
    start: str
    name: str | None


class HabitDocument(TypedDict):
    """A habit: an action, how often a week the user does it, its median length, and its usual starts by weekday."""

    action: str
    per_week: float
    minutes: int
    usual: list[UsualDocument]


class RoutineDocument(TypedDict):
    """A user's learnt hours and habits. ``work_known`` is false if the working hours are only published averages."""

    user: str
    sleep: list[NightDocument]
    work: list[WorkDocument]
    work_known: bool
    habits: list[HabitDocument]


class BestDocument(TypedDict):
    """The weekdays (0 is Monday) and hours (pairs of begin and end as ``HH:MM``) at which the user wants an action."""

    days: list[int]
    hours: list[list[str]]


class WishedNightDocument(TypedDict):
    """The wished times of a night as ``HH:MM``, bedtime (``bed``), ``earliest`` bedtime, and getting up (``up``).

    ``bed_days`` are the weekdays (0 is Monday) before these nights, ``up_days`` those after them, by default all.
    ``late`` is the bedtime on ``late_days``, ``other`` the getting up on ``other_days``, ``rest`` the earliest getting
    up on ``rest_days``. ``minutes`` is the least length of sleep.
    """

    bed: NotRequired[str]
    earliest: NotRequired[str]
    up: NotRequired[str]
    bed_days: NotRequired[list[int]]
    up_days: NotRequired[list[int]]
    late: NotRequired[str]
    other: NotRequired[str]
    other_days: NotRequired[list[int]]
    rest: NotRequired[str]
    rest_days: NotRequired[list[int]]
    minutes: NotRequired[int]
    late_days: NotRequired[list[int]]


class LastsDocument(TypedDict):
    """The least and the largest number of minutes that the user wants an action to last."""

    least: NotRequired[int]
    most: NotRequired[int]


class OccasionDocument(TypedDict):
    """The days on which a wish holds, weekdays (``days``, 0 is Monday) from ``since`` to ``until``.

    ``months`` limits them to months, and ``every`` to one of so many weeks, counted from the date ``first``. ``nth``
    counts the weekday within its month, such as 1 for the first Monday.
    """

    since: NotRequired[str]
    until: NotRequired[str]
    months: NotRequired[list[int]]
    every: NotRequired[int]
    first: NotRequired[str]
    nth: NotRequired[list[int]]
    days: NotRequired[list[int]]


class SpareDocument(TypedDict):
    """The number of days a week (``times``) to stay without suggestions, wholly or in the given hours."""

    times: int
    hours: list[list[str]]


class TermDocument(TypedDict):
    """Wishes that hold only on some days (``when``). ``wishes`` has the keys of ``WishesDocument``."""

    when: OccasionDocument
    wishes: dict[str, Any]


class FewDocument(TypedDict):
    """The most suggestions in some hours, with begin and end as ``HH:MM``."""

    hours: list[str]
    most: int


class WishesDocument(TypedDict):
    """A user's wishes for the plan. Keys without a wish are missing, from ``days`` on.

    ``never`` lists actions. ``hours`` (pairs of begin and end as ``HH:MM``) and ``goals`` (times a week) are by action,
    ``weights`` by meter. ``suggestions`` is the largest number a day. By action, ``days`` are its only weekdays (0 is
    Monday), ``best`` the days and hours when it is wanted, ``barred`` those when it is not, ``most`` the largest number
    of times a week, ``lengths`` its minutes, ``apart`` the free days between two times, ``minutes_daily`` and
    ``times_daily`` the most of a day, ``before_bed`` the minutes before bedtime without it, ``more`` 1 for more of it
    and -1 for less, ``named`` the kind of its goal and ``unnamed`` unwanted kinds. ``spare`` are days a week without
    suggestions, ``few`` the most suggestions of some hours, ``kinds`` wishes by the name of a kind, and ``terms``
    wishes for some days alone.
    """

    user: str
    never: list[str]
    hours: dict[str, list[list[str]]]
    days: NotRequired[dict[str, list[int]]]
    best: NotRequired[dict[str, BestDocument]]
    barred: NotRequired[dict[str, list[BestDocument]]]
    night: NotRequired[WishedNightDocument]
    most: NotRequired[dict[str, int]]
    lengths: NotRequired[dict[str, LastsDocument]]
    apart: NotRequired[dict[str, int]]
    minutes_daily: NotRequired[dict[str, int]]
    times_daily: NotRequired[dict[str, int]]
    before_bed: NotRequired[dict[str, int]]
    more: NotRequired[dict[str, int]]
    named: NotRequired[dict[str, str]]
    unnamed: NotRequired[dict[str, list[str]]]
    spare: NotRequired[SpareDocument]
    few: NotRequired[list[FewDocument]]
    kinds: NotRequired[dict[str, WishesDocument]]
    terms: NotRequired[list[TermDocument]]
    goals: dict[str, int]
    weights: dict[str, float]
    suggestions: int


def routine_document(user: str, routine: Routine) -> RoutineDocument:
    return {
        "user": user,
        "sleep": [_night(weekday, night) for weekday, night in enumerate(routine.nights)],
        "work": [
            {"weekday": weekday, "spans": [[clock(start), clock(end)] for start, end in spans]}
            for weekday, spans in enumerate(routine.work)
        ],
        "work_known": routine.work_known,
        "habits": [_habit(action, habit) for action, habit in routine.told_habits.items()],
    }


def wishes_document(user: str, wishes: Wishes) -> WishesDocument:
    body = plain(wishes)
    body.pop("since", None)
    found: WishesDocument = {"user": user, **body}  # type: ignore[typeddict-item]
    return found


class SaidDocument(TypedDict):
    """A wish in plain words, with a sentence of what was ``understood``, and all of the user's wishes with it."""

    understood: str
    wishes: WishesDocument


def said_document(user: str, found: Wish) -> SaidDocument:
    return {"understood": str(found), "wishes": wishes_document(user, found.wishes)}


class NoticedDocument(TypedDict):
    """A mode, such as ill, that the data suggest, with the reasons."""

    mode: str
    because: list[str]


class PlannedDocument(TypedDict):
    """A mode, such as on holiday, that the user stated for later days, with its first and last date."""

    mode: str
    since: date | None
    until: date | None


class ModeDocument(TypedDict):
    """The user's mode, such as ill, with its first and last date, and the modes about which the user is asked.

    All are null while the mode is normal. ``planned`` are modes of later days in order, a key that may be missing.
    """

    mode: str
    since: date | None
    until: date | None
    noticed: list[NoticedDocument]
    planned: NotRequired[list[PlannedDocument]]


def mode_document(found: Stand) -> ModeDocument:
    asked: list[NoticedDocument] = [{"mode": str(k), "because": list(for_person(facts))} for k, facts in found.asked]
    mode = found.mode
    body: ModeDocument = {"mode": str(mode.kind), "since": mode.since, "until": mode.until, "noticed": asked}
    if mode.planned:
        body["planned"] = planned_documents(mode)
    return body


def planned_documents(mode: Mode) -> list[PlannedDocument]:
    found = sorted(mode.planned, key=lambda one: str(one.since))
    return [{"mode": str(one.kind), "since": one.since, "until": one.until} for one in found]


def clock(minutes: float) -> str:
    """Return minutes after midnight as a time of day ``HH:MM``. They may be negative or more than a day.

    >>> clock(-60), clock(1800), clock(-0.4)
    ('23:00', '06:00', '00:00')
    """
    return hours_minutes(round(minutes) % (24 * 60), pad=2)


def _night(weekday: int, night: UsualNight) -> NightDocument:
    return {
        "weekday": weekday,
        "bedtime": clock(night.bed),
        "wake": clock(night.wake),
        "bedtime_sd_minutes": round(night.bed_sd),
        "wake_sd_minutes": round(night.wake_sd),
        "nights": round(night.nights, 1),
    }


def _habit(action: ActionType, habit: Habit) -> HabitDocument:
    return {
        "action": str(action),
        "per_week": round(habit.per_week, 2),
        "minutes": round(habit.minutes),
        "usual": [
            {"weekday": weekday, "start": clock(start), "name": _name(habit, weekday)}
            for weekday, start in habit.starts.items()
        ],
    }


def _name(habit: Habit, weekday: int) -> str | None:
    name = habit.names.get(weekday)
    return None if name is None else writable(name)


class OfferDocument(TypedDict):
    """A good time to which a recommendation can be moved.

    ``when`` is the time in words. ``slot``, such as ``Thu evening``, is what to pass to ``bridge feedback reschedule
    --to``.
    """

    start: str
    end: str
    slot: str
    when: str


def offer_documents(gaps: Iterable[Option], zones: ZoneHistory, *, now: datetime) -> list[OfferDocument]:
    """Return free times as JSON documents, with instants in the user's zone."""
    return [
        {
            "start": local_time(gap.start, zones).isoformat(),
            "end": local_time(gap.end, zones).isoformat(),
            "slot": slot_name(moment_at(gap.start, zones)),
            "when": when(gap.start, zones, now=now),
        }
        for gap in gaps
    ]


def named(gaps: Sequence[Option], zones: ZoneHistory, *, now: datetime) -> list[tuple[str, str]]:
    """Return (slot as ``week/timestep``, time in words) for each free time."""
    moments = (moment_at(gap.start, zones) for gap in gaps)
    return [(f"{m.week}/{m.timestep}", when(gap.start, zones, now=now)) for m, gap in zip(moments, gaps, strict=True)]


def when(at: datetime, zones: ZoneHistory, *, now: datetime) -> str:
    """Return a time in words of the current language, such as ``today 18:30``, ``tomorrow 07:10``, ``Thu 18:30``."""
    there, today = local_time(at, zones), today_at(now, zones)
    days = (there.date() - today).days
    if days == 0:
        return _("today {at:%H:%M}", at=there)
    return _("tomorrow {at:%H:%M}", at=there) if days == 1 else date_text(there, "%a %H:%M")
