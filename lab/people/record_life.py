"""Write the recorded week that the product's demo replays (``python -m lab.people.record_life``).

The demo person's services run on loopback for one week. On each morning they hold the data of that time, and the bridge
syncs them as the demo does. Each new delivery becomes a line of the recording.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zoneinfo import ZoneInfo

from bridge import installation
from bridge.ingest import connecting, runs
from bridge.recordings.recorded_life import (
    DEMO_TIME,
    DEMO_USER,
    DEMO_ZONE,
    LIFE_FOLDER,
    NUMBER_PREFIX,
    environment,
    moved,
)
from lab.people.calendar_life import calendar_account
from lab.people.demo import Agreeing, serve
from lab.people.other_life import choir_account
from lab.people.person import demo_files, demo_person, hard_days

MONDAY = date(2026, 8, 24)  # no clock change lies in the 81 days before the end of this week
DAYS, SEED = 75, 7  # of the demo person on that Monday
DAY = timedelta(days=1)
PLACE = ZoneInfo(DEMO_ZONE)
EPOCHS = range(1_775_000_000, 1_792_000_000)  # April to October 2026
TIME = re.compile(
    r"(?P<midnight>\d{4}-\d\d-\d\d)(?=T00:00:00(?:\.000)?Z)"  # a date, written as midnight in UTC
    r"|(?P<at>\d{4}-\d\d-\d\d(?P<t>[T ])\d\d:\d\d:\d\d)(?P<fraction>\.\d+)?(?P<offset>Z|[+-]\d\d:\d\d)?"
    r"|(?P<date>\d{4}-\d\d-\d\d)"
    r"|(?P<basic>\b\d{8}T\d{6}|(?<=_)\d{8}T\d{6})(?P<z>Z?)"
    r"|(?<![\d.])(?P<epoch>1[78]\d{8})(?P<milliseconds>\d{3})?(?![\d])"
)


def record(folder: Path = LIFE_FOLDER) -> dict[str, int]:
    """Write ``<source>.json.gz`` into ``folder`` for each source, and return the number of deliveries by source."""
    with ExitStack() as stack:
        home = stack.enter_context(TemporaryDirectory(prefix="rhythm-bridge-life-"))
        variables = {"BRIDGE_HOME": home, "BRIDGE_DATABASE": f"sqlite:///{home}/bridge.db"}
        vendors = {}
        for source, account in account_on(MONDAY).items():
            vendors[source], settings = serve(stack, source, account)
            variables |= settings
        stack.enter_context(environment({**variables, "BRIDGE_NOW": _at(MONDAY).isoformat()}))
        bridge = stack.enter_context(installation.open_bridge())
        user = bridge.store.people.add_user(DEMO_USER, DEMO_ZONE, now=_at(MONDAY))
        for source in vendors:
            connecting.connect(bridge, user, connecting.NewConsent(source=source), Agreeing())
        for number in range(7):
            _live(bridge, user, vendors, MONDAY + number * DAY, Path(home))
        lines = _lines(bridge.store.exports.dump(user.id))
    for source, rows in lines.items():
        content = "".join(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n" for row in rows)
        (folder / f"{source}.json.gz").write_bytes(gzip.compress(content.encode(), mtime=0))
    return {source: len(rows) for source, rows in lines.items()}


def _at(day: date) -> datetime:
    return datetime.combine(day, DEMO_TIME, PLACE)


def _live(bridge: installation.Bridge, user: Any, vendors: Mapping[str, Any], day: date, home: Path) -> None:
    os.environ["BRIDGE_NOW"] = _at(day).isoformat()
    for source, account in account_on(day).items():
        vendors[source].account = account
    for name, content in demo_files(day, zone=DEMO_ZONE, days=DAYS + (day - MONDAY).days, seed=SEED).items():
        path = home / f"{day}-{name}"
        path.write_bytes(content)
        outcomes = runs.import_path(bridge, user, path, at=_at(day)).outcomes
    outcomes += runs.sync_user(bridge, user, None, at=_at(day))
    if any(outcome.outcome != "ok" or outcome.set_aside for outcome in outcomes):
        raise RuntimeError(f"{day}: {outcomes}")


def account_on(day: date) -> dict[str, dict[str, Any]]:
    """Return the account at each source by name, as of a morning of the recorded week."""
    sunday, at = MONDAY + 6 * DAY, _at(day)
    person = demo_person(sunday, zone=DEMO_ZONE, days=DAYS + 6, seed=SEED)
    return {
        "whoop": _whoop(person["whoop"], at),
        "garmin": _garmin(person["garmin"], at),
        "google_tasks": _tasks(person["google_tasks"], at),
        "google_calendar": calendar_account(MONDAY, PLACE, DAYS, hard_days(sunday), random.Random(f"{SEED}/calendar")),
        "ics": choir_account(MONDAY, DAYS),
    }


def _whoop(account: dict[str, Any], at: datetime) -> dict[str, Any]:
    """Return the account without records made after ``at``, and with the last cycle still running."""
    parts = ("cycles", "sleeps", "recoveries", "workouts")
    made = {part: [r for r in account[part] if datetime.fromisoformat(r["created_at"]) <= at] for part in parts}
    *past, running = made["cycles"]
    if running.get("end"):
        score = running["score"]
        score = {**score, "strain": round(0.2 * score["strain"], 5), "kilojoule": round(0.35 * score["kilojoule"], 3)}
        running = {name: value for name, value in running.items() if name != "end"}
        running |= {"updated_at": running["created_at"], "score": score}
    return {**account, **made, "cycles": [*past, running]}


def _garmin(account: dict[str, Any], at: datetime) -> dict[str, Any]:
    """Return the account without days after that of ``at``, and with that day cut at ``at``."""
    today = at.date().isoformat()
    rates = {day: row for day, row in account["heart_rates"].items() if day <= today}
    return {
        **account,
        "summaries": [_summary(row, at) for row in account["summaries"] if row["calendarDate"] <= today],
        "sleeps": {day: row for day, row in account["sleeps"].items() if day <= today},
        "hrv": [row for row in account["hrv"] if row["calendarDate"] <= today],
        "heart_rates": {day: _until(row, "heartRateValues", at) for day, row in rates.items()},
        "body_battery": [
            _until(row, "bodyBatteryValuesArray", at) for row in account["body_battery"] if row["date"] <= today
        ],
        "activities": [row for row in account["activities"] if row["startTimeLocal"] < today],
    }


def _summary(row: dict[str, Any], at: datetime) -> dict[str, Any]:
    if row["calendarDate"] < at.date().isoformat():
        return row
    share = (at - datetime.combine(at.date(), datetime.min.time(), PLACE)) / DAY
    sums = ("totalSteps", "totalDistanceMeters", "activeKilocalories", "totalKilocalories")
    return {**row, **{name: round(share * row[name]) for name in sums}, **_ends("wellnessEndTime", at, "Gmt")}


def _until(row: dict[str, Any], values: str, at: datetime) -> dict[str, Any]:
    kept = [value for value in row[values] if value[0] <= at.timestamp() * 1000]
    return row if len(kept) == len(row[values]) else {**row, values: kept, **_ends("endTimestamp", at, "GMT")}


def _ends(name: str, at: datetime, gmt: str) -> dict[str, str]:
    return {
        f"{name}{gmt}": f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.0",
        f"{name}Local": f"{at.astimezone(PLACE):%Y-%m-%dT%H:%M:%S}.0",
    }


def _tasks(account: dict[str, Any], at: datetime) -> dict[str, Any]:
    """Return the account without tasks written after ``at``. Tasks completed later are open."""
    tasks = {name: [task for row in rows if (task := _task(row, at))] for name, rows in account["tasks"].items()}
    return {**account, "tasks": tasks}


def _task(task: dict[str, Any], at: datetime) -> dict[str, Any] | None:
    written = datetime.fromisoformat(task["due"]).replace(hour=6) - 10 * DAY
    if written > at:
        return None
    if datetime.fromisoformat(task["updated"]) <= at:
        return task
    opened = {name: value for name, value in task.items() if name not in ("completed", "hidden")}
    return opened | {"status": "needsAction", "updated": f"{written:%Y-%m-%dT%H:%M:%S}.000Z"}


def _lines(tables: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return each source's deliveries in their order, with times replaced by ``mark``.

    Raises RuntimeError for a deletion, or if the times cannot be restored.
    """
    sources = {row["id"]: row["source"] for row in tables["connections"]}
    records = {row["id"]: row for row in tables["records"]}
    lines: dict[str, list[dict[str, Any]]] = {source: [] for source in sources.values()}
    for arrival in tables["arrivals"]:
        about = records[arrival["record_id"]]
        payload = arrival["payload"]
        record = {
            "stream": about["stream"],
            "key": about["key"],
            "parent": arrival["parent"],
            "payload": json.loads(payload) if isinstance(payload, str) else payload,
        }
        if arrival["deleted"]:
            raise RuntimeError(f"{about['stream']}/{about['key']} was deleted: the recording cannot say so")
        marked = mark(record)
        if moved(marked, MONDAY) != record:
            raise RuntimeError(f"{about['stream']}/{about['key']}: its times do not come back")
        morning = (datetime.fromisoformat(str(arrival["arrived_at"])).astimezone(PLACE).date() - MONDAY).days
        lines[sources[about["connection_id"]]].append({**marked, "morning": morning})
    return lines


def mark(value: Any, name: str = "", start: datetime | None = None) -> Any:
    """Return JSON in which every time is replaced by a text relative to the first Monday of the recording.

    A time without offset is local if ``name``, its field, ends with ``Local``, else UTC. ``start`` is the start of the
    object that holds it, which gives the value of its offset.
    """
    if isinstance(value, dict):
        begin = _start(value) or start
        return {mark(key): mark(inner, key, begin) for key, inner in value.items()}
    if isinstance(value, list):
        return [mark(inner, name, start) for inner in value]
    if name in ("offset", "timezone_offset") and start is not None:
        form = "offset" if isinstance(value, str) else "offset_minutes"
        return ("" if form == "offset" else NUMBER_PREFIX) + _mark(start, form)
    if isinstance(value, bool | None):
        return value
    if isinstance(value, int | float):
        return _number(value, name)
    return TIME.sub(lambda found: _text(found, name), value) if isinstance(value, str) else value


def _start(record: Mapping[str, Any]) -> datetime | None:
    start = record.get("start")
    if isinstance(start, str) and "timezone_offset" in record:
        return datetime.fromisoformat(start)
    return datetime.fromtimestamp(start, UTC) if isinstance(start, float) and "offset" in record else None


def _number(value: float, name: str) -> Any:
    text = f"{value:.0f}"
    whole = text[:10]
    if len(text) not in (10, 13) or int(whole) not in EPOCHS or value != int(value):
        return value
    return NUMBER_PREFIX + _mark(*_epoch(int(whole), name)) + text[10:]


def _epoch(seconds: int, name: str) -> tuple[datetime, str]:
    at = datetime.fromtimestamp(seconds, UTC)
    return (at.replace(tzinfo=PLACE), "wall_epoch") if name.endswith("Local") else (at, "epoch")


def _text(found: re.Match[str], name: str) -> str:
    kind = str(found.lastgroup if found.lastgroup in _WRITERS else next(k for k in _WRITERS if found[k]))
    return _WRITERS[kind](found, name)


def _day(found: re.Match[str], _: str) -> str:
    return _mark(datetime.combine(date.fromisoformat(found[0]), DEMO_TIME, PLACE), "wall", "%Y-%m-%d")


def _moment(found: re.Match[str], name: str) -> str:
    pattern, fraction, offset = f"%Y-%m-%d{found['t']}%H:%M:%S", found["fraction"] or "", found["offset"] or ""
    at = datetime.fromisoformat(found["at"] + (offset if offset != "Z" else "+00:00"))
    if offset in ("Z", "+00:00") or not (offset or name.endswith("Local")):
        return _mark(at.replace(tzinfo=UTC), "utc", pattern) + fraction + offset
    at = at.replace(tzinfo=PLACE)
    return _mark(at, "wall", pattern) + fraction + (_mark(at, "offset") if offset else "")


def _basic(found: re.Match[str], _: str) -> str:
    at = datetime.strptime(found["basic"], "%Y%m%dT%H%M%S").replace(tzinfo=UTC if found["z"] else PLACE)
    return _mark(at, "utc" if found["z"] else "wall", "%Y%m%dT%H%M%S") + found["z"]


def _digits(found: re.Match[str], name: str) -> str:
    if int(found["epoch"]) not in EPOCHS:
        return found[0]
    return _mark(*_epoch(int(found["epoch"]), name)) + (found["milliseconds"] or "")


_WRITERS: dict[str, Callable[[re.Match[str], str], str]] = {
    "midnight": _day,
    "at": _moment,
    "date": _day,
    "basic": _basic,
    "epoch": _digits,
}


def _mark(at: datetime, form: str, pattern: str = "") -> str:
    local = at.astimezone(PLACE)
    return f"«{(local.date() - MONDAY).days} {local:%H:%M:%S} {form}{' ' * bool(pattern)}{pattern}»"


def _told(counts: Mapping[str, int]) -> Iterator[str]:
    for source, count in sorted(counts.items()):
        yield f"{source}: {count} deliveries, {(LIFE_FOLDER / f'{source}.json.gz').stat().st_size / 1000:.0f} kB"


if __name__ == "__main__":
    print("\n".join(_told(record())))
