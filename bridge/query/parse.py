"""Read a query from words, as the command, the address of the API and the assistant's tools write it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from difflib import get_close_matches

from bridge.domain import phrases, sports
from bridge.domain.errors import SetupError
from bridge.domain.metrics import Metric
from bridge.domain.sport_names import SPORTS
from bridge.query.model import (
    ASKED,
    BEFORE,
    CLOCK_FIELDS,
    ENTRY_FIELDS,
    FIELDS,
    MEETINGS,
    OPERATORS,
    PERIOD_VALUE,
    READINGS,
    SEVERAL,
    SPORT_COUNT,
    STATES,
    SUBJECTS,
    TASK_STATE,
    TIMED,
    VERSUS,
    Aggregate,
    By,
    Condition,
    Kind,
    Query,
    Span,
    Subject,
    Versus,
    metric_in,
)
from rhythm_env.interface import ActionType

WEEKDAYS = phrases.WEEKDAYS["en"].split()
TEXT_MAX = 200  # characters of a part of a query
CONDITIONS_MAX = 12
SEVERAL_MAX = 10  # figures of one query
ROWS_MAX = 100_000  # of --first and --last
TEXT_FIELDS = frozenset({"workout.sport", "action", "entry.title", TASK_STATE})
BY_ROW = (Kind.WORKOUTS, Kind.ENTRIES, Kind.TASKS)
PERIODS = (By.DAY, By.WEEK, By.MONTH)
OF_SEVERAL = frozenset({"mean", "median", "sum", "min", "max", "std"})
ENDS = (Aggregate.MIN, Aggregate.MAX)
OF_DAYS = frozenset({Aggregate.STREAK, Aggregate.AGO})
OF_COUNTED = OF_DAYS | {Aggregate.COUNT, Aggregate.SHARE, Aggregate.FIRST, Aggregate.LAST}


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A query as it was written, part by part. None is a part that was left out."""

    what: str
    of: str | None = None
    since: str | None = None
    until: str | None = None
    first: int | None = None
    last: int | None = None
    by: str | None = None
    per: str | None = None
    top: int | None = None
    where: Sequence[str] = ()
    against: str | None = None
    mended: Sequence[str] = field(default=(), compare=False)  # slips of the pen, as "hart → heart"


def query_of(words: Words, *, factors: Callable[[], Iterable[str]] = tuple) -> Query:
    """Return the query that ``words`` ask for. ``factors`` returns the person's factors, and is called only if needed.

    Raises SetupError, which names the nearest known word, for an invalid query.
    """
    subject = subject_of(words.what, factors)
    default = Aggregate.COUNT if subject.counted and words.per is None else Aggregate.MEAN
    told = [] if words.of is None else [one.strip() for one in words.of.split(",")][: len(Aggregate) + 1]
    ofs = [Aggregate(_known(one, tuple(Aggregate), "aggregate")) for one in told] or [default]
    by = None if words.by is None else By(_known(words.by, tuple(By), "grouping"))
    per = None if words.per is None else By(_known(words.per, PERIODS, "period"))
    if len(words.where) > CONDITIONS_MAX:
        raise SetupError(f"a query has at most {CONDITIONS_MAX} conditions; leave some out")
    where = tuple(condition_of(text, factors) for text in words.where)
    query = Query(
        subject=subject,
        of=ofs[0],
        ofs=tuple(ofs) if len(ofs) > 1 else (),
        top=_number(words.top, "--top"),
        since=_date(words.since, "--since"),
        until=_date(words.until, "--until"),
        first=_number(words.first, "--first"),
        last=_number(words.last, "--last"),
        by=by,
        per=per,
        where=where,
        against=None if words.against is None else _against(words.against, factors),
    )
    _check(query)
    return query


def _check(query: Query) -> None:
    subject = query.subject
    if query.first is not None and query.last is not None:
        raise SetupError("--first and --last exclude each other; leave one of them out")
    if query.since and query.until and query.since > query.until:
        raise SetupError(
            f"the span ends before it begins: --since {query.since} --until {query.until}; exchange the two dates"
        )
    if subject.counted and query.of not in OF_COUNTED and query.per is None:
        raise SetupError(
            f"{subject.name} can only be counted; for --of {query.of} ask for a figure of them, such as "
            "workouts.minutes"
        )
    if query.of is Aggregate.SHARE and not query.where:
        raise SetupError('--of share needs a condition; add one, such as --where "steps > 8000"')
    _check_rows(query)
    _check_together(query)


def _check_rows(query: Query) -> None:
    subject, by = query.subject, query.by
    if by is By.SPORT and subject.kind is not Kind.WORKOUTS:
        raise SetupError("--by sport groups workouts only; ask for workouts, or give --by day, week or month")
    if by is By.ACTION and subject.kind is not Kind.ENTRIES:
        raise SetupError("--by action groups entries only; ask for entries, or give --by day, week or month")
    if by is By.ROW and subject.kind not in BY_ROW:
        raise SetupError("--by row lists workouts, entries and tasks only; give --by day, week or month")
    if query.of in OF_DAYS and (given := _given(query, "by", "per", "top", "against")):
        raise SetupError(f"--of {query.of} looks at one day after another; leave out {given}")
    if query.of in OF_DAYS and subject.kind is Kind.TASKS:
        raise SetupError(f"--of {query.of} cannot be asked of tasks; leave it out to count them")
    if subject.kind is not Kind.TASKS and any(condition.name == TASK_STATE for condition in query.conditions):
        raise SetupError("only tasks have the field task.state; ask for tasks, or leave the condition out")
    if subject.kind is not Kind.ENTRIES and any(condition.name in ENTRY_FIELDS for condition in query.conditions):
        raise SetupError(
            "only calendar entries have such a field; ask for entries, or test a day by the sum of its entries with "
            '"entries.minutes > 60"'
        )


def _check_together(query: Query) -> None:
    subject, by, against = query.subject, query.by, query.against
    if query.ofs and (by or against is not None or subject.parts or not {*query.ofs} <= OF_SEVERAL):
        raise SetupError(
            f"--of with several names takes {', '.join(sorted(OF_SEVERAL))} of one subject; leave out the others, "
            "and --by and --against"
        )
    if query.ofs and metric_in(subject.name) in READINGS and {*query.ofs} & {*ENDS}:
        raise SetupError(f"the highest and lowest {subject.name} are single readings; ask for one at a time by --of")
    if query.top and (by or against is not None or subject.parts or query.of not in ENDS or query.ofs):
        raise SetupError(
            "--top lists the highest or lowest rows of one subject; give --of max or --of min, and leave out --by "
            "and --against"
        )
    if query.per is None and any(condition.name == PERIOD_VALUE for condition in query.conditions):
        raise SetupError("a condition on value tests the rows that --per makes; add --per day, week or month")
    of = f"--of {query.of}"
    given = _given(query, "by", "per", "against") or of
    if subject.parts and (given != of or query.of in (Aggregate.COUNT, Aggregate.SHARE)):
        raise SetupError(f"{subject.name} stands for several figures; ask for one of them, or leave out {given}")
    of_spans = against is None or isinstance(against, Span)
    if query.per is not None and (not of_spans or query.of is Aggregate.SHARE):
        raise SetupError(f"--per and {_given(query, 'against') or of} exclude each other; leave out one of them")
    if against is not None and (by is not None or query.of in (Aggregate.SHARE, Aggregate.TREND)):
        raise SetupError(f"--against and {_given(query, 'by') or of} exclude each other; leave out one of them")
    if isinstance(against, Span) and against.since and against.until and against.since > against.until:
        raise SetupError(f"--against {against.since}..{against.until} ends before it begins; exchange the two dates")
    if isinstance(against, Condition | Versus) and subject.counted:
        raise SetupError(
            f"{subject.name} are counted; for --against with a condition ask for a figure of them, such as "
            "workouts.minutes"
        )


def _given(query: Query, *options: str) -> str:
    """Return those of some options that a query has, such as "--by and --per"."""
    return " and ".join(f"--{option}" for option in options if getattr(query, option) is not None)


def subject_of(text: str, factors: Callable[[], Iterable[str]] = tuple) -> Subject:
    """Return the subject that a text names: metrics as ``a``, ``a/b`` or ``a,b``, a meter, a factor, or rows."""
    name = _short(text).lower()
    if "," in name:
        parts = tuple(subject_of(one, factors) for one in name.split(","))
        if len(parts) > SEVERAL_MAX or any(part.parts or part.counted or part.kind is not Kind.DAYS for part in parts):
            raise SetupError(
                f"with commas, at most {SEVERAL_MAX} figures of days can be named, such as steps,asleep; leave the "
                "others out"
            )
        return Subject(name=",".join(part.name for part in parts), kind=Kind.DAYS, parts=parts)
    first, divided, second = name.partition("/")
    if divided:
        metrics = [Metric(_known(one.strip(), ASKED, "metric")) for one in (first, second)]
        return Subject(name=f"{metrics[0]}/{metrics[1]}", kind=Kind.DAYS, field=str(metrics[0]), over=metrics[1])
    if metric_in(name) != name:
        return Subject(name=_in_part(name), kind=Kind.DAYS, field=name)
    if name not in SUBJECTS:
        name = _known(name, (*SUBJECTS, *factors()), "metric")
    if name in SEVERAL:
        return Subject(name=name, kind=Kind.DAYS, parts=tuple(map(subject_of, SEVERAL[name])))
    kind, dotted, field = name.partition(".")
    if kind in (*Kind, MEETINGS):
        rows = Kind.ENTRIES if kind == MEETINGS else Kind(kind)
        return Subject(name=name, kind=rows, field=field if dotted else None)
    return Subject(name=name, kind=Kind.DAYS, field=name)


def _in_part(name: str) -> str:
    """Return the name of readings of a part of the day. Raises SetupError for what is no clock time."""
    timed = TIMED.fullmatch(name)
    for told in timed.group("begin", "end") if timed else ():
        if told is not None:
            _clock(metric_in(name), told)
    return name


def condition_of(text: str, factors: Callable[[], Iterable[str]] = tuple) -> Condition:
    """Return the condition that ``FIELD OP VALUE`` says."""
    written = _short(text)
    places = [(written.find(one), -len(one), one) for one in OPERATORS if one in written]
    if not places:
        raise SetupError(f'{written!r} is not a condition; write FIELD OP VALUE, such as "steps > 8000"')
    at, _, operator = min(places)
    named = written[:at].strip().lower()
    plain = named.removeprefix(BEFORE)
    if "/" in plain:
        name = subject_of(plain).name
    else:
        name = plain if plain in FIELDS or _counts_sport(plain) else _known(plain, (*FIELDS, *factors()), "field")
    value = written[at + len(operator) :].strip().strip("\"'")
    if not value:
        raise SetupError(f'{written!r} has no value; write FIELD OP VALUE, such as "steps > 8000"')
    field = BEFORE + name if named.startswith(BEFORE) else name
    several = value.split("|") if operator in ("=", "!=") else [value]
    if not all(map(str.strip, several)):
        raise SetupError(f"{written!r} has an empty value; write several like workout.sport = running|cycling")
    values = tuple(_value(name, operator, one.strip()) for one in several)
    return Condition(field=field, operator=operator, values=values, text=written)


def _counts_sport(name: str) -> bool:
    asked = name.removeprefix(SPORT_COUNT).split("|")
    known = all(sports.is_known(one) or sports.normalised(one) in SPORTS for one in asked)
    return name.startswith(SPORT_COUNT) and name not in SUBJECTS and known


def _against(text: str, factors: Callable[[], Iterable[str]]) -> Subject | Condition | Versus | Span:
    first, dots, last = text.strip().partition("..")
    if dots and all(re.fullmatch(r"[\d-]*", one) for one in (first, last)) and first + last:
        return Span(_date(first or None, "--against"), _date(last or None, "--against"))
    one, versus, other = text.partition(VERSUS)
    if versus:
        return Versus(condition_of(one, factors), condition_of(other, factors))
    return condition_of(text, factors) if any(operator in text for operator in OPERATORS) else subject_of(text, factors)


def _value(field: str, operator: str, value: str) -> float | str:
    if field in TEXT_FIELDS:
        if operator not in ("=", "!=", "~"):
            raise SetupError(f"{field} is a name; compare it with = or != or ~")
        if field == TASK_STATE:
            return _known(value.lower(), STATES, "state")
        return _known(value.upper(), tuple(ActionType), "action") if field == "action" and operator != "~" else value
    if operator == "~":
        raise SetupError(f"{field} is a number; compare it with =, !=, <, <=, > or >=")
    if field in CLOCK_FIELDS:
        return _clock(field, value)
    if field == "weekday" and not value.replace(".", "").isdigit():
        return float(WEEKDAYS.index(_known(value.lower(), WEEKDAYS, "weekday")) + 1)
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise SetupError(f'{value!r} is not a number; write {field} like "{field} > 8"')
    return number


def _clock(field: str, value: str) -> float:
    hours, colon, minutes = value.partition(":")
    if not (colon and hours.isdigit() and minutes.isdigit() and int(hours) < 24 and int(minutes) < 60):
        raise SetupError(f"{value!r} is not a clock time; write {field} like 23:30")
    return 60.0 * int(hours) + int(minutes)


def _short(text: str) -> str:
    found = text.strip()
    if not found or len(found) > TEXT_MAX:
        raise SetupError(
            f"a metric, field or condition is empty or longer than {TEXT_MAX} characters; write it like steps, or "
            '"steps > 8000"'
        )
    return found


def _known(name: str, names: Sequence[str], what: str) -> str:
    if name in names:
        return str(name)
    near = get_close_matches(name, names, n=3, cutoff=0.5)
    near = near or [one for one in names if name in one.replace(".", "_").split("_")][:3]
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are, for example: {', '.join(names[:6])}"
    raise SetupError(f"{name[:TEXT_MAX]!r} is not a {what}; {hint}")


def _date(text: str | None, option: str) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError:
        raise SetupError(f"{text!r} is not a date; write {option} like 2026-11-20") from None


def _number(count: int | None, option: str) -> int | None:
    if count is not None and not 1 <= count <= ROWS_MAX:
        raise SetupError(f"{option} takes a number from 1 to {ROWS_MAX}, not {count}; write it like {option} 5")
    return count
