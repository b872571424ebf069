"""Read FIT files that a watch wrote. Message and field numbers are those of Garmin's FIT profile.

A watch writes a file per transfer, so a day's record is put together from the pieces of several files.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from bridge.domain.errors import SourceChanged
from bridge.domain.ports import File
from bridge.domain.types import Page, RawRecord
from connectors.garmin.fields import versions, workout_key

FIT_EPOCH = 631_065_600  # FIT's 1989-12-31T00:00:00Z in Unix seconds
FILE_ID, SESSION, ACTIVITY, MONITORING, MONITORING_INFO = 0, 18, 34, 55, 103
RESTING, STRESS, SLEEP_LEVEL, SLEEP_SCORES, HRV_STATUS = 211, 227, 275, 346, 370
INSTANT, INSTANT_16 = 253, 26  # the fields that carry time
KIND, SLEEP_FILE = 0, 49  # the field of a file's kind, and the kind of a night
NO_STAGES = (
    "sleep files without sleep stages, because Garmin Connect computes the nights of this watch; "
    "import the account export of Garmin to get them"
)
FURTHEST = 14 * 3600  # seconds from UTC
DAY_SECONDS = 86_400
QUARTER = 900  # every offset in use is a multiple
INTENSITY = {33: "moderate", 34: "vigorous"}  # monitoring: minutes of the stretch that ends
SESSION_FIELDS = (2, 5, 7, 9, 10, 11, 14, 16, 22, 124)
CUMULATIVE = {3: "cycles", 2: "distance", 19: "calories"}  # monitoring: since local midnight, per activity type

Fields = Mapping[int, Any]


@dataclass(slots=True)
class Contents:
    """The used content of a FIT file, filled message by message."""

    serial: str = "unknown"
    kind: int | None = None
    created: int = 0
    offset: int | None = None  # seconds east of UTC
    last: int = 0  # the last instant of a monitoring message, FIT seconds
    readings: list[tuple[str, int, Any]] = field(default_factory=list)  # (series, Unix seconds, value)
    sessions: list[Fields] = field(default_factory=list)
    stages: list[tuple[int, int]] = field(default_factory=list)
    sleep_score: int | None = None
    hrv: tuple[int, int] | None = None  # (Unix seconds, last night's average in 1/128 ms)


def recognise(file: File) -> bool:
    """Return True if a file is FIT, which has the text ``.FIT`` from byte 8 on."""
    return file.head[8:12] == b".FIT"


def read(file: File, *, zone: str) -> Iterator[Page]:
    """Yield pages of records, which are pieces of days, nights, HRV and workouts. Raises SourceChanged if damaged."""
    contents = decode(file)
    days = _days(contents, zone)
    if days:
        yield Page(stream="fit_day", records=tuple(days))
    place = {"offset": None if contents.offset is None else contents.offset // 60}
    key = f"{contents.serial}/{contents.created}"
    for stream, row in _whole(contents):
        payload = {"zone": zone, "rows": versions({**place, **row})}
        yield Page(stream=stream, records=(RawRecord(stream=stream, key=key, payload=payload, adds=True),))
    if contents.kind == SLEEP_FILE and not _has_night(contents):
        yield Page(stream="fit_sleep", records=(), left_out={NO_STAGES: 1})
    workouts = [_workout({**place, **session}, zone) for session in _sessions(contents)]
    if workouts:
        yield Page(stream="workout", records=tuple(workouts))


def decode(file: File) -> Contents:
    """Return the used content of a file, which may hold several FIT files in a row. Raises SourceChanged if damaged."""
    import fitdecode

    contents = Contents()
    options = {"processor": None, "check_crc": fitdecode.CrcCheck.RAISE}
    try:
        with (
            file.open() as stream,
            fitdecode.FitReader(stream, error_handling=fitdecode.ErrorHandling.RAISE, **options) as reader,
        ):
            for frame in reader:
                if frame.frame_type == fitdecode.FIT_FRAME_DATA:
                    _message(contents, frame)
    except fitdecode.FitCRCError:
        raise SourceChanged("the file's checksum does not match its content; transfer the file again") from None
    except fitdecode.FitEOFError:
        raise SourceChanged("the file is cut off; transfer the file again") from None
    except (
        fitdecode.FitError,
        struct.error,
        AssertionError,
        ValueError,
        TypeError,
        OverflowError,
        LookupError,
    ) as error:
        raise SourceChanged(f"the file is not a valid FIT file ({type(error).__name__}); transfer it again") from None
    return contents


def _message(contents: Contents, frame: Any) -> None:
    fields = {
        f.def_num: f.raw_value
        for f in frame.fields
        if f.raw_value is not None and not (f.field_def is not None and f.field_def.is_dev)
    }
    note = NOTES.get(frame.global_mesg_num)
    if note is not None:
        note(contents, fields)


def _file_id(contents: Contents, fields: Fields) -> None:
    contents.serial = str(fields.get(3, contents.serial))
    contents.kind = fields.get(KIND, contents.kind)
    contents.created = fields.get(4, contents.created)


def _info(contents: Contents, fields: Fields) -> None:
    _clock(contents, fields)
    _compare(contents, fields.get(0), fields.get(INSTANT))


def _activity(contents: Contents, fields: Fields) -> None:
    _compare(contents, fields.get(5), fields.get(INSTANT))


def _compare(contents: Contents, local: Any, at: Any) -> None:
    if isinstance(local, int) and isinstance(at, int) and abs(local - at) <= FURTHEST:
        contents.offset = round((local - at) / QUARTER) * QUARTER


def _clock(contents: Contents, fields: Fields) -> None:
    if isinstance(fields.get(INSTANT), int):
        contents.last = fields[INSTANT]
    elif isinstance(fields.get(INSTANT_16), int) and contents.last:
        contents.last += (fields[INSTANT_16] - (contents.last & 0xFFFF)) & 0xFFFF


def _monitoring(contents: Contents, fields: Fields) -> None:
    _clock(contents, fields)
    at = contents.last + FIT_EPOCH
    if not contents.last:
        return
    if fields.get(27):  # 0: no heart rate
        contents.readings.append(("heart_rate", at, fields[27]))
    for number, series in INTENSITY.items():
        if isinstance(fields.get(number), int):
            contents.readings.append((series, at, fields[number]))
    kind = fields.get(5)
    if kind is None:
        return
    for number, series in CUMULATIVE.items():
        value = fields.get(number)
        if isinstance(value, int):
            contents.readings.append((f"{series}:{kind}", at, value))


def _resting(contents: Contents, fields: Fields) -> None:
    if isinstance(fields.get(INSTANT), int) and fields.get(1):  # today's; 0 or absent early in the day
        contents.readings.append(("resting", fields[INSTANT] + FIT_EPOCH, fields[1]))


def _stress(contents: Contents, fields: Fields) -> None:
    if isinstance(fields.get(1), int) and isinstance(fields.get(0), int):
        contents.readings.append(("stress", fields[1] + FIT_EPOCH, fields[0]))


def _stage(contents: Contents, fields: Fields) -> None:
    if isinstance(fields.get(0), int) and isinstance(fields.get(INSTANT), int):
        contents.stages.append((fields[INSTANT] + FIT_EPOCH, fields[0]))


def _scores(contents: Contents, fields: Fields) -> None:
    contents.sleep_score = fields.get(6)


def _status(contents: Contents, fields: Fields) -> None:
    if isinstance(fields.get(1), int) and isinstance(fields.get(INSTANT), int):
        contents.hrv = (fields[INSTANT] + FIT_EPOCH, fields[1])


def _session(contents: Contents, fields: Fields) -> None:
    contents.sessions.append(fields)


NOTES: Mapping[int, Callable[[Contents, Fields], None]] = {
    FILE_ID: _file_id,
    SESSION: _session,
    ACTIVITY: _activity,
    MONITORING: _monitoring,
    MONITORING_INFO: _info,
    RESTING: _resting,
    STRESS: _stress,
    SLEEP_LEVEL: _stage,
    SLEEP_SCORES: _scores,
    HRV_STATUS: _status,
}


def _days(contents: Contents, zone: str) -> list[RawRecord]:
    place = ZoneInfo(zone)
    pieces: dict[int, dict[str, dict[str, Any]]] = defaultdict(lambda: defaultdict(dict))
    totals: dict[tuple[int, str], Any] = {}
    for series, at, value in contents.readings:
        offset = contents.offset if contents.offset is not None else _offset(at, place)
        day = (at - ends(series) + offset) // DAY_SECONDS
        if ":" in series:
            totals[day, series] = max(value, totals.get((day, series), value))
        else:
            pieces[day][series][f"{at}/{value}"] = value
    for (day, series), value in totals.items():
        pieces[day][series][f"{contents.created}/{value}"] = value
    return [_piece(contents, day, series, zone) for day, series in sorted(pieces.items())]


def ends(series: str) -> int:
    """Return the seconds to subtract from a reading's time to find its day, 1 if the reading ends a span, else 0."""
    return 0 if series == "stress" else 1


def _piece(contents: Contents, number: int, series: Mapping[str, Any], zone: str) -> RawRecord:
    day = f"{datetime.fromtimestamp(number * DAY_SECONDS, UTC):%Y-%m-%d}"
    minutes = None if contents.offset is None else contents.offset // 60
    offsets = {} if minutes is None else {"offsets": {f"{contents.created}/{minutes}": minutes}}
    payload = {"day": day, "zone": zone, **offsets, **series}
    return RawRecord(stream="fit_day", key=f"{contents.serial}/{day}", payload=payload, adds=True)


def _offset(at: int, zone: ZoneInfo) -> int:
    moved = datetime.fromtimestamp(at, zone).utcoffset() or timedelta(0)
    return int(moved.total_seconds())


def _whole(contents: Contents) -> Iterator[tuple[str, dict[str, Any]]]:
    if _has_night(contents):
        yield "fit_sleep", {"stages": [list(stage) for stage in contents.stages], "score": contents.sleep_score}
    if contents.hrv is not None:
        yield "fit_hrv", {"at": contents.hrv[0], "average": contents.hrv[1]}


def _has_night(contents: Contents) -> bool:
    # Older watches write none, because only the server knows them.
    return any(level in (2, 3, 4) for _, level in contents.stages)


def _sessions(contents: Contents) -> list[dict[str, Any]]:
    found = [{str(number): s[number] for number in SESSION_FIELDS if number in s} for s in contents.sessions]
    return [session for session in found if session]


def _workout(session: Mapping[str, Any], zone: str) -> RawRecord:
    # Its key is its start, so that the same workout in other files joins it.
    begun = session.get("2")
    key = workout_key(begun + FIT_EPOCH if isinstance(begun, int) else None, session)
    return RawRecord(stream="workout", key=key, payload={"zone": zone, "fit": versions(session)}, adds=True)
