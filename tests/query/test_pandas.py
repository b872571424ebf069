"""Random questions over a made-up life, answered by us and by pandas over the same tables."""

from __future__ import annotations

import itertools
import math
import operator
import random
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pandas as pd
import pytest

from bridge.domain.metrics import Metric
from bridge.domain.sports import normalised
from bridge.domain.types import Episode, EpisodeKind, Item, Sample
from bridge.installation import Bridge, open_bridge
from bridge.query.answer import answer
from bridge.query.model import WORKOUT_UNITS
from bridge.query.parse import Words, query_of
from bridge.query.rows import load_tables
from tests.query.wearer import DAILY, FIRST, MOVES, NIGHTLY, NOW, SPORTS, Wearer, land, offset

OPERATORS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "!=": operator.ne,
}
METRICS = [*map(str, DAILY), *map(str, NIGHTLY)]
COUNTS = {"workouts": SPORTS, "workouts.running": SPORTS[:1], "workouts.running|yoga": SPORTS[0:3:2]}
OF = ("mean", "median", "sum", "min", "max", "std", "count", "first", "last", "trend")
PANDAS_BY = {
    "weekday": lambda days: days.dt.isocalendar().day.astype(str),
    "month": lambda days: days.dt.strftime("%Y-%m"),
    "week": lambda days: days.dt.strftime("%G-W%V"),
    "day": lambda days: days.dt.strftime("%Y-%m-%d"),
}


@pytest.fixture
def lived(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Bridge, Wearer]]:
    """An installation that holds a made-up life of 400 days in three zones."""
    monkeypatch.setenv("BRIDGE_DATABASE", database_url)
    wearer = Wearer(seed=7, count=400)
    for name, counted in COUNTS.items():
        done = wearer.workouts[wearer.workouts["sport"].isin(counted)].groupby("day").size()
        wearer.days[name] = wearer.days["day"].map(done).fillna(0.0)
    with ExitStack() as stack:
        bridge = stack.enter_context(open_bridge())
        user = bridge.store.people.add_user("ana", MOVES[0][0], now=NOW - timedelta(days=900))
        for zone, since in MOVES[1:]:
            moved = datetime.combine(since, time(12), tzinfo=UTC) - timedelta(days=1)
            bridge.store.people.set_zone(user.id, zone, since=moved)
        land(bridge.store, user, wearer.items)
        yield bridge, wearer


@pytest.mark.parametrize("questions", [100, pytest.param(2_000, marks=pytest.mark.slow)])
def test_every_answer_equals_that_of_pandas(lived: tuple[Bridge, Wearer], questions: int) -> None:
    bridge, wearer = lived
    rng = random.Random(20_261_128)
    user = bridge.person("ana", at=NOW)
    for _ in range(questions):
        words = _asked(rng, wearer)
        query = query_of(words)
        found = answer(query, load_tables(bridge, user, query, now=NOW))
        value, n, at, groups = _by_pandas(words, wearer)
        assert found.n == n, words
        assert _same(found.value, value), (words, found.value, value)
        assert found.at == at, words
        assert {one.key: one.n for one in found.groups} == {key: n for key, (_, n) in groups.items()}, words
        for one in found.groups:
            assert _same(one.value, groups[one.key][0]), (words, one)


def test_readings_of_a_part_of_the_day_are_as_by_pandas(lived: tuple[Bridge, Wearer]) -> None:
    bridge, wearer = lived
    user, rng = bridge.person("ana", at=NOW), random.Random(20_261_202)
    items: list[Item] = []
    told: list[dict[str, Any]] = []
    for n in range(40 * 24):
        start = datetime(2025, 3, 20, tzinfo=UTC) + timedelta(hours=n, minutes=rng.randint(0, 59))
        rate, count, east = float(rng.randint(45, 150)), rng.randint(1, 5), offset(start, start.date())
        local = (start + timedelta(minutes=east)).replace(tzinfo=None)
        key, of = f"rate/{n}", Metric.HEART_RATE
        items.append(Sample(key=key, metric=of, start=start, offset=east, day=local.date(), value=rate, count=count))
        told.append({"start": start, "local": local, "rate": rate, "count": count})
    land(bridge.store, user, items)
    readings = pd.DataFrame(told)
    clock, days = readings["local"].dt.strftime("%H:%M"), readings["local"].dt.date
    late = days.where(clock < "06:00", days + timedelta(days=1))
    nights = [one for one in wearer.items if isinstance(one, Episode) and one.kind is EpisodeKind.SLEEP]
    of_night = [next((one.day for one in nights if one.start <= at < one.end), None) for at in readings["start"]]
    parts = {
        "from 12:00 before 18:00": days.where((clock >= "12:00") & (clock < "18:00")),
        "before 07:30": days.where(clock < "07:30"),
        "from 22:00 before 06:00": late.where((clock >= "22:00") | (clock < "06:00")),
        "in nights": pd.Series(of_night),
    }
    span = {"since": "2025-03-25", "until": "2025-04-20"}
    for part, day in parts.items():
        asked = readings.assign(day=day, weighted=readings["rate"] * readings["count"]).dropna(subset=["day"])
        asked = asked[(asked["day"] >= date(2025, 3, 25)) & (asked["day"] <= date(2025, 4, 20))]
        sums = asked.groupby("day")[["weighted", "count"]].sum()
        by_day = sums["weighted"] / sums["count"]
        figures = {"mean": by_day.mean(), "median": by_day.median()}
        for of, value in {**figures, "max": asked["rate"].max(), "min": asked["rate"].min()}.items():
            query = query_of(Words(what=f"heart_rate {part}", of=of, **span))
            found = answer(query, load_tables(bridge, user, query, now=NOW))
            assert (found.value, found.n, found.unit) == (pytest.approx(value), len(by_day), "bpm"), (part, of)


def test_two_spans_are_compared_as_by_pandas(lived: tuple[Bridge, Wearer]) -> None:
    bridge, wearer = lived
    user = bridge.person("ana", at=NOW)
    spans = (date(2025, 3, 1), date(2025, 3, 31)), (date(2025, 2, 1), date(2025, 2, 28))
    for what, of in (("steps", "mean"), ("steps", "sum"), ("deep_sleep", "median"), ("workouts", "count")):
        table = wearer.workouts.assign(workouts=1.0) if what == "workouts" else wearer.days
        sides = [table[(table["day"] >= first) & (table["day"] <= last)][what].dropna() for first, last in spans]
        figures = [getattr(side, of)() for side in sides]
        query = query_of(
            Words(what=what, of=of, since="2025-03-01", until="2025-03-31", against="2025-02-01..2025-02-28")
        )
        found = answer(query, load_tables(bridge, user, query, now=NOW))
        assert found.value == pytest.approx(figures[0] - figures[1]), what
        assert found.n == sum(map(len, sides))
        assert [one.value for one in found.groups] == pytest.approx(figures)


def test_two_conditions_several_figures_and_the_highest_rows_are_as_by_pandas(lived: tuple[Bridge, Wearer]) -> None:
    bridge, wearer = lived
    user = bridge.person("ana", at=NOW)
    rng = random.Random(20_261_129)

    def asked(**words: Any) -> Any:
        query = query_of(Words(**words))
        return answer(query, load_tables(bridge, user, query, now=NOW))

    for _ in range(40):
        what, one, other = rng.choice(METRICS), _condition(rng, wearer), _condition(rng, wearer)
        sides = [_rows_by_pandas(Words(what=what, where=[side]), wearer)["value"] for side in (one, other)]
        found = asked(what=what, against=f"{one} vs {other}")
        means = [None if side.empty else side.mean() for side in sides]
        assert _same(found.value, None if None in means else means[0] - means[1]), (what, one, other)
        assert [group.n for group in found.groups] == [len(side) for side in sides]
        rows = _rows_by_pandas(Words(what=what, where=[one]), wearer)
        several = asked(what=what, of="min,max,median", where=[one]).groups
        told = [None] * 3 if rows.empty else [getattr(rows["value"], of)() for of in ("min", "max", "median")]
        assert all(_same(group.value, value) for group, value in zip(several, told, strict=True)), (what, one)
        top = asked(what=what, of="max", top=3, where=[one]).groups
        assert [group.value for group in top] == [*rows["value"].nlargest(3)]


def test_days_in_a_row_days_since_and_single_rows_are_as_by_pandas(lived: tuple[Bridge, Wearer]) -> None:
    bridge, wearer = lived
    user = bridge.person("ana", at=NOW)
    rng, today = random.Random(20_261_130), NOW.date()
    for _ in range(40):
        what, where = rng.choice([*METRICS, "workouts"]), [_condition(rng, wearer)]
        days = _rows_by_pandas(Words(what=what, where=where), wearer)["day"].drop_duplicates().sort_values()
        runs = days.groupby((pd.to_datetime(days).diff() != pd.Timedelta(days=1)).cumsum()).agg(["size", "max"])
        query = query_of(Words(what=what, of="streak", where=where))
        found = answer(query, load_tables(bridge, user, query, now=NOW))
        assert found.value == (0 if runs.empty else runs["size"].max()), (what, where)
        if not runs.empty:
            assert found.at == runs["max"][runs["size"].idxmax()]
        now = runs["size"][runs["max"] >= today - timedelta(days=1)]
        assert [one.value for one in found.groups] == [0 if now.empty else now.iloc[-1]]
        query = query_of(Words(what=what, of="ago", where=where))
        found = answer(query, load_tables(bridge, user, query, now=NOW))
        assert found.value == (None if days.empty else (today - days.iloc[-1]).days), (what, where)
    query = query_of(Words(what="workouts", by="row"))
    listed = answer(query, load_tables(bridge, user, query, now=NOW)).groups
    assert [one.key[:10] for one in listed] == [day.isoformat() for day in sorted(wearer.workouts["day"])]
    assert sum(one.value or 0 for one in listed) == pytest.approx(wearer.workouts["minutes"].sum())


def test_shares_differences_and_correlations_are_as_by_pandas(lived: tuple[Bridge, Wearer]) -> None:
    bridge, wearer = lived
    user = bridge.person("ana", at=NOW)
    rng = random.Random(20_261_201)

    def asked(**words: Any) -> Any:
        query = query_of(Words(**words))
        return answer(query, load_tables(bridge, user, query, now=NOW))

    figures = [*METRICS, "deep_sleep/asleep", "workouts.distance", "workouts.speed"]
    for _ in range(60):
        what, where, by = rng.choice(figures), _condition(rng, wearer), rng.choice([*PANDAS_BY])
        rows, held = (_rows_by_pandas(Words(what=what, where=one), wearer) for one in ([], [where]))
        holds = rows.index.isin(held.index)
        found = asked(what=what, of="share", where=[where], by=by)
        assert (found.value, found.n) == (pytest.approx(holds.mean()), len(rows)), (what, where)
        shares = pd.Series(holds).groupby(PANDAS_BY[by](pd.to_datetime(rows["day"])).values).agg(["mean", "size"])
        assert {one.key: one.n for one in found.groups} == shares["size"].to_dict(), (what, where, by)
        assert [one.value for one in found.groups] == pytest.approx([*shares["mean"]]), (what, where, by)
        of = rng.choice(("mean", "median", "sum", "std", "min", "max"))
        known = _known(rows, where, wearer)
        sides = [rows[known & side]["value"] for side in (holds, ~holds)]
        found = asked(what=what, of=of, against=where)
        told = [None if side.empty else getattr(side, of)() for side in sides]
        assert [one.n for one in found.groups] == [len(side) for side in sides], (what, where)
        missing = any(one is None or pd.isna(one) for one in told)
        assert _same(found.value, None if missing else told[0] - told[1]), (what, where, of)
        one, other = rng.sample([*METRICS, "deep_sleep/asleep"], 2)
        day_values = [_rows_by_pandas(Words(what=name), wearer).set_index("day")["value"] for name in (one, other)]
        pairs = pd.concat(day_values, axis=1, keys=["one", "other"]).dropna()
        found = asked(what=one, against=other)
        assert (found.value, found.n) == (pytest.approx(pairs.corr("spearman").iloc[0, 1]), len(pairs)), (one, other)


def _known(rows: pd.DataFrame, condition: str, wearer: Wearer) -> pd.Series:
    """Tell the rows of which it is known on which side of a condition they are."""
    field = condition.split(" ")[0]
    if not field.startswith("workout."):
        days = wearer.days.set_index("day")[field].reindex(rows["day"])
        return pd.Series(days.notna().values, index=rows.index)
    name = field.removeprefix("workout.")
    own = "sport" in rows and name in WORKOUT_UNITS
    return rows[name].notna() if own else pd.Series(True, index=rows.index)


def test_sports_are_grouped_as_by_pandas(lived: tuple[Bridge, Wearer]) -> None:
    bridge, wearer = lived
    user = bridge.person("ana", at=NOW)
    for field, of in itertools.product(WORKOUT_UNITS, ("mean", "median", "sum", "std", "count", "max", "last")):
        query = query_of(Words(what=f"workouts.{field}", of=of, by="sport"))
        found = answer(query, load_tables(bridge, user, query, now=NOW))
        told = wearer.workouts.sort_values("day", kind="stable").dropna(subset=[field])
        groups = told.groupby(told["sport"].map(normalised))[field].agg(of)
        assert [one.key for one in found.groups] == [*groups.index]
        assert [one.value for one in found.groups] == pytest.approx([*groups]), (field, of)


def test_the_pieces_of_a_night_are_one(lived: tuple[Bridge, Wearer]) -> None:
    bridge, _ = lived
    user = bridge.person("ana", at=NOW)
    begun = datetime(2026, 6, 1, 14, tzinfo=UTC)  # 23:00 in Tokyo
    spans = ((0, 240, 200.0), (300, 480, 150.0))
    pieces = [
        Episode(
            key=f"piece/{first}",
            kind=EpisodeKind.SLEEP,
            start=begun + timedelta(minutes=first),
            end=begun + timedelta(minutes=last),
            offset=540,
            day=date(2026, 6, 2),
            values={Metric.ASLEEP: asleep},
        )
        for first, last, asleep in spans
    ]
    land(bridge.store, user, pieces)
    query = query_of(Words(what="asleep", since="2026-06-02", until="2026-06-02"))
    found = answer(query, load_tables(bridge, user, query, now=NOW))
    assert (found.value, found.n) == (350.0, 1)


def _asked(rng: random.Random, wearer: Wearer) -> Words:
    """Return a random question."""
    of_workouts = rng.random() < 0.4
    whole = [*METRICS, "nights", "deep_sleep/asleep", "nights.start", "nights.end"]
    name = rng.choice([*WORKOUT_UNITS, "", "start"]) if of_workouts else rng.choice(whole)
    what = (f"workouts.{name}" if name else "workouts") if of_workouts else name
    counted = what in ("workouts", "nights")
    where = [_any_condition(rng, wearer) for _ in range(rng.choice((0, 0, 1, 1, 2)))]
    span = sorted(FIRST + timedelta(days=rng.randint(0, 399)) for _ in range(2))
    some = rng.randint(1, 40) if rng.random() < 0.3 else None
    per = rng.choice(("day", "week", "month")) if rng.random() < 0.2 and what != "nights" else None
    if per and rng.random() < 0.3:
        where.append(f"value {rng.choice(list(OPERATORS)[:4])} {rng.randint(0, 3000) / 10}")
    return Words(
        what=what,
        of=rng.choice(OF if per else ("count", None) if counted else OF),
        since=span[0].isoformat() if rng.random() < 0.6 else None,
        until=span[1].isoformat() if rng.random() < 0.6 else None,
        first=some if (end := rng.random()) < 0.5 else None,
        last=some if end >= 0.5 else None,
        by=rng.choice((None, None, *PANDAS_BY)),
        per=per,
        where=where,
    )


def _condition(rng: random.Random, wearer: Wearer) -> str:
    kind = rng.random()
    if kind < 0.15:
        return f"weekday {rng.choice(list(OPERATORS))} {rng.randint(1, 7)}"
    if kind < 0.2:
        return f"weekday {rng.choice(('=', '!='))} {rng.randint(1, 3)}|{rng.randint(4, 7)}"
    if kind < 0.4:
        return f"workout.sport {rng.choice(('=', '=', '!='))} {'|'.join(rng.sample(SPORTS, rng.choice((1, 1, 2))))}"
    sign = rng.choice(list(OPERATORS)[:4])
    if kind < 0.6:
        name = rng.choice(list(WORKOUT_UNITS))
        return f"workout.{name} {sign} {_drawn(rng, wearer.workouts[name])}"
    if kind < 0.7:
        return f"workout.start {sign} {rng.randint(6, 20):02}:30"
    if kind < 0.75:
        return f"night.start {sign} {rng.choice(('22:00', '23:30', '00:30'))}"
    if kind < 0.8:
        return f"night.end {sign} {rng.choice(('05:45', '07:00', '09:10'))}"
    if kind < 0.85:
        return f"{rng.choice([*COUNTS])} {rng.choice(('=', '>', '<='))} {rng.randint(0, 1)}"
    name = rng.choice(METRICS)
    return f"{name} {sign} {_drawn(rng, wearer.days[name])}"


def _any_condition(rng: random.Random, wearer: Wearer) -> str:
    """Return a random condition, a fourth of them on the day before."""
    return f"{'before.' if rng.random() < 0.25 else ''}{_condition(rng, wearer)}"


def _drawn(rng: random.Random, column: pd.Series) -> float:
    return float(rng.choice(list(column.dropna())))


def _by_pandas(
    words: Words, wearer: Wearer
) -> tuple[float | None, int, date | None, dict[str, tuple[float | None, int]]]:
    """Return value, number, date and groups of a question, read from the tables alone."""
    rows = _rows_by_pandas(words, wearer)
    counted = words.what in ("workouts", "nights")
    of = words.of or ("count" if counted and not words.per else "mean")
    if words.per:
        rows = _per(rows, words, [*wearer.days["day"]])
        rows = rows[_all(rows, [_mask(rows, one) for one in words.where if one.startswith("value")])]
    shift = 720 if words.what == "nights.start" and of not in ("count", "std", "trend") else 0

    def figure(some: pd.DataFrame) -> tuple[float | None, date | None]:
        value, at = _reduced(some, of)
        return (value + shift) % 1440 if shift and value is not None and not pd.isna(value) else value, at

    value, at = figure(rows)
    groups: dict[str, tuple[float | None, int]] = {}
    if words.by and len(rows):
        keys = PANDAS_BY[words.by](pd.to_datetime(rows["day"]))
        groups = {key: (figure(some)[0], len(some)) for key, some in rows.groupby(keys.values)}
    return value, len(rows), at, groups


def _rows_by_pandas(words: Words, wearer: Wearer) -> pd.DataFrame:
    """Return the rows that a question is about, each with its value."""
    days = wearer.days.assign(value=math.nan).set_index("day", drop=False)
    workouts = wearer.workouts
    of_workouts = words.what.startswith("workouts")
    where = [one for one in words.where if not one.startswith("before.")]
    of_workout = [one for one in where if one.startswith("workout.")]
    kept_workouts = workouts[_all(workouts, [_mask(workouts, one.removeprefix("workout.")) for one in of_workout])]
    day_mask = _all(days, [_mask(days, one) for one in where if not one.startswith(("workout.", "value"))])
    day_mask &= days["day"].isin(_days_after(words, wearer))
    good_days = set(days[day_mask]["day"])
    if of_workouts:
        rows = kept_workouts[kept_workouts["day"].isin(good_days)]
        _, _, name = words.what.partition(".")
        rows = rows.assign(value=rows[name] if name else 1.0)
    else:
        rows = days[day_mask]
        if of_workout:
            rows = rows[rows["day"].isin(set(kept_workouts["day"]))]
        if words.what.startswith("nights."):
            clock = rows[words.what.replace("nights", "night")]
            rows = rows.assign(value=(clock - 720) % 1440 if words.what == "nights.start" else clock)
        elif words.what == "nights":
            rows = rows.assign(value=rows["asleep"].where(rows["asleep"].isna(), 1.0))
        elif "/" in words.what:
            rows = rows.assign(value=rows["deep_sleep"] / rows["asleep"])
        else:
            rows = rows.assign(value=rows[words.what])
    rows = rows[rows["value"].notna()]
    if words.since:
        rows = rows[rows["day"] >= date.fromisoformat(words.since)]
    if words.until:
        rows = rows[rows["day"] <= date.fromisoformat(words.until)]
    if words.first:
        rows = rows.head(words.first)
    if words.last:
        rows = rows.tail(words.last)
    return rows


def _days_after(words: Words, wearer: Wearer) -> set[date]:
    """Return the days that follow one for which the conditions on the day before hold."""
    where = [one.removeprefix("before.") for one in words.where if one.startswith("before.")]
    if not where:
        return {*wearer.days["day"]}
    before = _rows_by_pandas(Words(what="weekday", where=where), wearer)["day"]
    if all(one.startswith("weekday") for one in where):  # the day before the first one is none of the table
        first = pd.DataFrame({"day": [FIRST - timedelta(days=1)], "weekday": [(FIRST.isoweekday() - 2) % 7 + 1]})
        before = pd.concat([before, first[_all(first, [_mask(first, one) for one in where])]["day"]])
    return {day + timedelta(days=1) for day in before}


def _per(rows: pd.DataFrame, words: Words, days: list[date]) -> pd.DataFrame:
    """Return a row for each period: the sum of what adds up, else the mean; and 0 for workouts where there are none.

    A day without one has 0 only if it is of the weekdays that are asked for.
    """
    begin = {"day": "D", "week": "W-SUN", "month": "M"}[str(words.per)]

    def begins(some: pd.Series) -> pd.Series:
        return pd.to_datetime(some).dt.to_period(begin).dt.start_time.dt.date

    by_begin = rows["value"].groupby(begins(rows["day"]).values) if len(rows) else None
    _, _, field = words.what.partition(".")
    adds = words.what in ("steps", "distance", "zone_minutes", "cardio_minutes") or (
        words.what.startswith("workouts") and field not in ("speed", "average_hr", "start")
    )
    found = pd.Series(dtype=float) if by_begin is None else by_begin.sum() if adds else by_begin.mean()
    if adds and words.what.startswith("workouts"):
        first = max(min(days), date.fromisoformat(words.since) if words.since else date.min)
        last = min(NOW.date(), date.fromisoformat(words.until) if words.until else date.max)
        span = pd.Series(pd.date_range(first, last).date)
        if words.per == "day" and len(span):  # those of the weekdays that are asked for
            dates = pd.DataFrame({"day": span, "weekday": pd.to_datetime(span).dt.isocalendar().day})
            span = span[_all(dates, [_mask(dates, one) for one in words.where if one.startswith("weekday")])]
        periods = sorted({*begins(span)}) if len(span) else []
        found = found.reindex(sorted({*periods, *found.index}), fill_value=0.0)
    return pd.DataFrame({"day": list(found.index), "value": list(found.values)})


def _all(table: pd.DataFrame, masks: list[pd.Series]) -> pd.Series:
    found = pd.Series(True, index=table.index)
    for mask in masks:
        found &= mask
    return found


def _mask(table: pd.DataFrame, condition: str) -> pd.Series:
    field, sign, value = condition.split(" ", 2)
    if field == "sport":
        return table["sport"].isin(value.split("|")) == (sign == "=")
    if "|" in value:
        return table[field].isin(map(float, value.split("|"))) == (sign == "=")
    column = table[field]
    if ":" in value:
        minutes = int(value[:2]) * 60 + int(value[3:])
        if field == "night.start":
            return OPERATORS[sign]((column - 720) % 1440, (minutes - 720) % 1440) & column.notna()
        return OPERATORS[sign](column, minutes)
    return OPERATORS[sign](column, float(value)) & column.notna()


def _reduced(rows: pd.DataFrame, of: str) -> tuple[float | None, date | None]:
    values = rows["value"]
    if of == "count":
        return len(values), None
    if values.empty:
        return None, None
    if of in ("min", "max"):
        best = getattr(values, of)()
        return best, rows[values == best]["day"].iloc[0]
    if of in ("first", "last"):
        place = 0 if of == "first" else -1
        return values.iloc[place], rows["day"].iloc[place]
    if of == "trend":
        ordinals = rows["day"].map(date.toordinal)
        if ordinals.nunique() < 2:
            return None, None
        return 7 * ordinals.cov(values) / ordinals.var(), None
    return getattr(values, of)(), None


def _same(one: float | None, other: Any) -> bool:
    if one is None or other is None or pd.isna(other):
        return one is None and (other is None or bool(pd.isna(other)))
    return math.isclose(one, float(other), rel_tol=1e-9, abs_tol=1e-9)
