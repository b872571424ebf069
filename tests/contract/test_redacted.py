"""A redacted recording holds nothing of the person, of any source that can be recorded, and replays like the plain one.

Identifiers are planted into every field of every answer, into fields that nobody knows, and into names of fields.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import cycle
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

import lab
from bridge import registry
from bridge.domain import sports
from bridge.domain.shareable import Shareable
from bridge.domain.zones import zone_named
from bridge.recordings import replay
from bridge.recordings.exchanges import Cleaner, Redactor
from bridge.recordings.shift import Shift
from bridge.store import Store
from tests.contract.test_connectors import LIVE
from tests.world import NOW, contents, living, served

BERLIN = ZoneInfo("Europe/Berlin")
BY = timedelta(weeks=-101)
RECORDED = [name for name in LIVE if "base_url" in {setting.name for setting in registry.spec(name).settings}]
PLANTED = (
    "Quetzalia Planted",
    "quetzalia@planted.example.org",
    "+49 30 901820",
    "52.516312, 13.377704",
    "aa:bb:cc:dd:ee:ff",
    "Quetzalia",
    "4917012345678",
)
NUMBER, BORN, PLACE = 49170123456, "1985-03-12", 13.3777049
TEXT = re.compile(r"[^\W\d_]{3}")
DATE = re.compile(r"\d{4}-\d\d-\d\d")
NOBODYS = re.compile(r"RRULE:(?!.*(UNTIL|MONTH)).*|PT[\dHMS]+|UTC|Etc/GMT-1")


def shift(now: datetime = NOW) -> Shift:
    return Shift(by=BY, home=BERLIN, now=now)


def allowed_of(source: str) -> Shareable:
    spec = registry.spec(source)
    assert spec.shareable is not None, f"{source} does not say which of its fields may be given away"
    return spec.shareable


def cases_of(source: str) -> list[str]:
    return [case for other, case in served() if other == source and case != "empty"]


@lru_cache(maxsize=32)
def plain(source: str, case: str) -> dict[str, Any]:
    return recorded(source, case, Cleaner())[0]


def recorded(source: str, case: str, cleaner: Cleaner | Redactor) -> tuple[dict[str, Any], datetime, dict[str, Any]]:
    """Return the recording of a case, its moment, and the account behind it."""
    with closing(Store("sqlite://")) as store, living(store, source, case) as world:
        world.vendor.now = world.now
        _, body = replay.recorded(source, world.account, cleaner, at=world.now)
        return body, world.now, world.vendor.account


def plants(value: Any, texts: Iterator[str]) -> Any:
    """Return a value with the next text in place of each text, a number in place of each, and fields nobody knows."""
    if isinstance(value, dict):
        known = {key: plants(inner, texts) for key, inner in value.items()}
        nested = {"born": BORN, "date": BORN, "start": BORN, "id": NUMBER, "value": PLACE, "nap": True, **known}
        unknown = {"planted": next(texts), "number": NUMBER, "place": PLACE, "born": BORN, "more of it": [nested]}
        return {**known, next(texts): next(texts), **unknown}
    if isinstance(value, list):
        return [plants(inner, texts) for inner in value]
    if isinstance(value, bool | None):
        return value
    return next(texts) if isinstance(value, str) else NUMBER


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize("source", RECORDED)
def test_nothing_that_is_planted_stays(source: str) -> None:
    """In the first answer of each address, and the last, which differ most. Rows are many, so each field gets each."""
    moved = f"{datetime.fromisoformat(BORN) + BY:%Y-%m-%d}"
    for case in cases_of(source):
        exchanges = plain(source, case)["exchanges"]
        ways = (exchanges, exchanges[::-1])
        chosen = [list({e["asked"].partition("?")[0]: e["body"] for e in way}.values()) for way in ways]
        planted = plants(chosen, cycle(PLANTED))
        found = json.dumps(Redactor(allowed_of(source), shift()).body(json.dumps(planted)), ensure_ascii=False)
        assert not [one for one in (*PLANTED, str(NUMBER), str(PLACE), BORN, moved) if one in found], case


@pytest.mark.parametrize("source", RECORDED)
def test_a_recording_holds_no_text_and_no_date_of_the_account(source: str) -> None:
    allowed = allowed_of(source)
    own = {word for kept in (*allowed.words.values(), allowed.path, allowed.asks) for word in kept.split()}
    for case in cases_of(source):
        body, now, account = recorded(source, case, Redactor(allowed, shift()))
        said = {text for text in texts(account) if TEXT.search(text) and not DATE.match(text) and len(text) > 4}
        personal = {text for text in said - own if not (sports.is_known(text) or NOBODYS.fullmatch(text))}
        held = {text for exchange in body["exchanges"] for text in texts(exchange["body"])}
        assert not sorted(personal & held), case
        asked = "/".join(exchange["asked"] for exchange in body["exchanges"])
        assert not [text for text in personal if f"/{text}/" in asked], case
        written = json.dumps(body)
        assert not set(DATE.findall(written)) & set(DATE.findall(json.dumps(account) + now.isoformat())), case


@pytest.mark.parametrize("source", RECORDED)
def test_a_replay_lands_the_same_values_at_the_same_clock(source: str, tmp_path: Path) -> None:
    redacted, now, _ = recorded(source, "week", Redactor(allowed_of(source), shift()))
    before = replayed(plain(source, "week"), source, now, "Europe/Berlin", tmp_path)
    after = replayed(redacted, source, now + BY, str(shift().zone("Europe/Berlin")), tmp_path)
    assert after == before
    assert before


def replayed(body: dict[str, Any], source: str, at: datetime, zone: str, folder: Path) -> list[tuple[Any, ...]]:
    """Return what a recording comes to, by weekday and clock instead of by date."""
    path = folder / f"{source}.json"
    path.write_text(json.dumps(body), encoding="utf-8")
    with closing(Store("sqlite://")) as store:
        user = store.people.add_user("replayed", zone, now=at - timedelta(days=400))
        assert replay._replay_one(store, user, path, at).outcome == "ok"
        rows = [(kind, row) for kind, found in contents(store, user).items() for row in found]
    return sorted((kind, *_clocked(row, ZoneInfo(zone))) for kind, row in rows)


def _clocked(row: dict[str, Any], zone: ZoneInfo) -> tuple[str, ...]:
    kept = {name: row.get(name) for name in ("metric", "kind", "value", "values", "busy", "others", "first", "offset")}
    times = [datetime.fromisoformat(row[name]).astimezone(zone) for name in ("start", "end") if row.get(name)]
    return (json.dumps(kept, sort_keys=True), *(f"{at:%a %H:%M:%S}" for at in times))


SUMMER, WINTER = "2026-08-21", "2026-11-20"


@pytest.mark.parametrize(
    ("told", "wanted"),
    [
        (f"{WINTER}T06:45:00.000Z", "2024-12-13T06:45:00.000Z"),
        (f"{SUMMER}T06:45:00.000Z", "2024-09-13T07:45:00.000Z"),  # 8:45 in both, for there is no summer time
        (f"{SUMMER}T08:45:00+02:00", "2024-09-13T08:45:00+01:00"),
        (f"{SUMMER}T08:45:00-05:00", "2024-09-13T08:45:00-06:00"),  # elsewhere, as far from home as then
        (f"{SUMMER} 06:45:00", "2024-09-13 07:45:00"),
        (f"{SUMMER}T00:00:00Z", "2024-09-13T00:00:00Z"),  # a date
        (SUMMER, "2024-09-13"),
        (1787294700, 1726213500),
        (1787294700123, 1726213500123),
        ("0001-01-01T00:00:00Z", None),
        ("soon", None),
        (17, None),
        (True, None),
    ],
)
def test_an_instant_keeps_the_clock_of_the_person(told: Any, wanted: Any) -> None:
    assert shift().instant(told) == wanted


def test_nothing_tells_the_weeks() -> None:
    moved = shift()
    assert [moved.offset(told) for told in ("+02:00", "+01:00", 120, "7200s", "-05:00")] == [
        *("+01:00", "+01:00", 60, "3600s", "-05:00")
    ]
    assert [moved.zone(told) for told in ("Europe/Berlin", "America/New_York", "UTC", "Atlantis")] == [
        *("Etc/GMT-1", "Etc/GMT+5", "UTC", "Etc/GMT-1")
    ]
    kolkata = Shift(by=BY, home=ZoneInfo("Asia/Kolkata"), now=NOW)
    assert zone_named("<+0530>-05:30") is not None
    assert kolkata.zone("Asia/Kolkata") == "<+0530>-05:30"
    rules = {
        "RRULE:FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=12": "RRULE:FREQ=YEARLY",  # a birthday
        "RRULE:FREQ=WEEKLY;UNTIL=20261126T080000Z;BYDAY=TH": "RRULE:FREQ=WEEKLY;BYDAY=TH;UNTIL=20241219T080000Z",
        "EXDATE;TZID=Europe/Berlin:20261120T090000": "EXDATE;TZID=Etc/GMT-1:20241213T090000",
        "RRULE:X-NAME=Quetzalia": None,
        "Quetzalia": None,
    }
    assert {told: moved.rule(told) for told in rules} == rules
    assert len({Shift.secret(BERLIN, NOW).by for _ in range(40)}) > 20
    assert all(timedelta(weeks=-600) < Shift.secret(BERLIN, NOW).by < timedelta(weeks=-52) for _ in range(40))


def live_recordings() -> list[Path]:
    """Return the recordings that people gave away."""
    return sorted(path.parent for path in lab.fixtures("live").glob("*/recording.json"))


def test_a_given_recording_comes_to_what_is_kept_with_it() -> None:
    for folder in live_recordings():
        assert json.loads((folder / replay.ABOUT_FILE).read_text(encoding="utf-8"))["redacted"] is True, folder
        assert replay.text(replay.replay(folder)) == replay.golden(folder), folder


def test_a_year_of_the_recording_is_none_of_the_persons() -> None:
    assert NOW + max(Shift.secret(BERLIN, NOW).by for _ in range(20)) < datetime(2025, 11, 28, tzinfo=UTC)
