"""Stretches of focus and minutes by category, held against a count of single seconds; apps; and what is never kept."""

from __future__ import annotations

import doctest
import json
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lab
from bridge.auth.account import Consent
from bridge.domain.errors import NeedsLogin, SetupError
from bridge.ingest import runs
from bridge.recordings.server import Answer, LabServer
from bridge.store import Store
from connectors.activitywatch import stretches
from connectors.activitywatch.client import authorise, note, safe
from connectors.activitywatch.files import recognise
from connectors.activitywatch.stretches import (
    BROWSING,
    CODE,
    GAP_SECONDS,
    LEAST_SECONDS,
    OTHER,
    OWN,
    PRESENCE,
    WINDOW,
    WORK_KINDS,
    Host,
    category,
    day_records,
    own_apps,
)
from lab.vendors.activitywatch import Vendor
from tests.contract.test_files import person
from tests.world import NOW, contents, living

BEGIN = int(datetime(2026, 11, 18, 21, tzinfo=UTC).timestamp())
BERLIN = ZoneInfo("Europe/Berlin")  # its midnight lies two hours after BEGIN
spans = st.tuples(st.integers(0, 20_000), st.integers(1, 4_000))
windows = st.lists(st.tuples(spans, st.sampled_from([CODE, BROWSING, OWN])), max_size=12)


def seconds_by_hand(host: Host) -> dict[int, str]:
    """Return second -> category while somebody was there. Of overlapping windows the earliest counts."""
    found: dict[int, str] = {}
    for start, end, kind in sorted(host.windows):
        for second in range(int(start), int(end)):
            found.setdefault(second, kind)
    there = {second for start, end in host.present for second in range(int(start), int(end))}
    return {second: kind for second, kind in found.items() if second in there}


@settings(max_examples=150, deadline=None)
@given(windows=windows, present=st.lists(spans, max_size=6))
def test_minutes_and_stretches_are_those_of_single_seconds(windows: list, present: list) -> None:  # type: ignore[type-arg]
    host = Host(
        windows=[(float(BEGIN + at), float(BEGIN + at + long), kind) for (at, long), kind in windows],
        present=[(float(BEGIN + at), float(BEGIN + at + long)) for at, long in present],
    )
    truth = seconds_by_hand(host)
    records = {record.key: record.payload for record in day_records([host], BERLIN)}
    counted: Counter[tuple[str, str]] = Counter()
    for second, kind in truth.items():
        counted[datetime.fromtimestamp(second, BERLIN).date().isoformat(), kind] += 1
    told = {(day, kind): minutes for day, one in records.items() for kind, minutes in one["minutes"].items()}
    assert told.keys() == counted.keys()
    assert all(abs(told[key] * 60 - counted[key]) <= 3.1 for key in told)
    for day, one in records.items():
        worked = (second for second, kind in truth.items() if kind in WORK_KINDS)
        mine = sorted(second for second in worked if str(datetime.fromtimestamp(second, BERLIN).date()) == day)
        assert [_bounds(stretch) for stretch in one["stretches"]] == _stretches_by_hand(mine)


def _bounds(stretch: dict[str, str]) -> tuple[int, int]:
    start, end = (int(datetime.fromisoformat(stretch[name]).timestamp()) for name in ("start", "end"))
    return start, end


def _stretches_by_hand(seconds: list[int]) -> list[tuple[int, int]]:
    groups: list[list[int]] = []
    for second in seconds:
        if groups and second - groups[-1][-1] - 1 <= GAP_SECONDS:
            groups[-1].append(second)
        else:
            groups.append([second])
    return [(group[0], group[-1] + 1) for group in groups if len(group) >= LEAST_SECONDS]


def test_two_computers_at_once_count_once_in_a_stretch() -> None:
    at = float(BEGIN)
    hosts = [Host(windows=[(at, at + 1800, CODE)], present=[(at, at + 1800)]) for _ in range(2)]
    (record,) = day_records(hosts, BERLIN)
    assert [stretch["minutes"] for stretch in record.payload["stretches"]] == [30.0]  # type: ignore[attr-defined]


def test_the_names_of_apps() -> None:
    assert doctest.testmod(stretches).failed == 0
    assert len(stretches.CATEGORIES) > 200
    assert "" not in stretches.CATEGORIES
    own = own_apps("Ableton Live, Mein-Werkzeug.exe , ,")
    assert own == {"ableton live", "mein werkzeug"}
    assert [category(name, own) for name in ("Mein Werkzeug", "Code.exe", "Google Chrome", "Tetris", None, 3)] == [
        OWN,
        CODE,
        BROWSING,
        OTHER,
        OTHER,
        OTHER,
    ]


@pytest.mark.parametrize(
    "event",
    [
        None,
        {},
        {"timestamp": "x", "duration": 5, "data": {"app": "Code"}},
        {"timestamp": "2026-11-19T09:00:00+00:00", "duration": "5", "data": {"app": "Code"}},
        {"timestamp": "2026-11-19T09:00:00+00:00", "duration": 90_000, "data": {"app": "Code"}},
        {"timestamp": "2026-11-19T09:00:00+00:00", "duration": 0, "data": {"app": "Code"}},
        {"timestamp": "2026-11-19T09:00:00+00:00", "duration": float("nan"), "data": {"app": "Code"}},
    ],
)
def test_unreadable_events_are_left_out(event: object) -> None:
    host = Host()
    note(host, WINDOW, event, frozenset())
    note(host, PRESENCE, event, frozenset())
    assert (host.windows, host.present) == ([], [])


def test_no_title_app_address_or_computer_is_stored(tmp_path: Path) -> None:
    database = tmp_path / "bridge.db"
    with closing(Store(f"sqlite:///{database}")) as store, living(store, "activitywatch", "week") as world:
        assert world.sync().outcome == "ok"
        kept = [record.payload for record in world.records()]
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir()) + json.dumps(kept).encode()
    for secret in ("secret project", "Contract.docx", "WINWORD", "Ableton", "private page", "Slack", "desk"):
        assert secret.encode() not in written


def test_a_file_comes_to_the_same_as_the_server(lite: Store) -> None:
    with living(lite, "activitywatch", "week") as world:
        assert world.sync().outcome == "ok"
        live = [one["value"] for one in world.contents()["samples"]]
    with closing(Store("sqlite://")) as store:
        bridge, user = person(store)
        runs.import_path(bridge, user, lab.fixtures("activitywatch") / "export", at=NOW)
        assert [one["value"] for one in contents(store, user)["samples"]] == live
    assert sum(live) > 600


def test_an_older_export_replaces_no_newer_one(tmp_path: Path) -> None:
    whole = json.loads((lab.fixtures("activitywatch") / "export" / "aw-buckets-export.json").read_text())
    early = json.loads(json.dumps(whole))
    for bucket in early["buckets"].values():
        bucket["events"] = [one for one in bucket["events"] if one["timestamp"] < "2026-11-19T09"]
    found = []
    for order in ((early, whole), (whole, early)):
        with closing(Store("sqlite://")) as store:
            bridge, user = person(store)
            for number, export in enumerate(order):
                place = tmp_path / f"{number}"
                place.mkdir(exist_ok=True)
                (place / "export.json").write_text(json.dumps(export))
                runs.import_path(bridge, user, place, at=NOW + timedelta(hours=number))
            found.append(contents(store, user)["samples"])
    assert found[0] == found[1]


def test_a_file_that_ends_early_is_read_as_far_as_it_goes(tmp_path: Path, lite: Store) -> None:
    whole = (lab.fixtures("activitywatch") / "export" / "aw-buckets-export.json").read_bytes()
    (tmp_path / "export.json").write_bytes(whole[: len(whole) - 2000])
    bridge, user = person(lite)
    (outcome,) = runs.import_path(bridge, user, tmp_path, at=NOW).outcomes
    assert outcome.truncated
    assert outcome.source == "activitywatch"


def test_other_json_is_none_of_its_files() -> None:
    class Some:
        name, head = "some.json", b'{"buckets": {"toys": 3}}'

    assert not recognise(Some())  # type: ignore[arg-type]


class Silent:
    """Somebody who types nothing."""

    def open(self, url: str, code: str | None = None) -> None:  # noqa: ARG002 - nothing is opened
        raise AssertionError(url)

    def paste(self) -> None:
        return None

    def ask(self, question: str) -> str | None:  # noqa: ARG002 - nothing is typed
        return None


def test_an_address_is_tried_and_kept() -> None:
    made = Vendor(lab.account("activitywatch", "empty"))
    with LabServer(made.application) as server:
        account = Consent(made.settings(server.url), "UTC", {"127.0.0.1"})
        authorise(account, Silent())
        assert account.saved_token == {"url": server.url, "hosts": ["127.0.0.1"]}
        outside = Consent(made.settings(server.url), "UTC", set())
        with pytest.raises(SetupError, match="no ActivityWatch answers at this address"):
            authorise(outside, Silent())
        server.faults.append(lambda _: Answer(body={"hello": "world"}))
        with pytest.raises(SetupError, match="unknown shape"):
            authorise(account, Silent())


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("localhost:5600", "http://localhost:5600"),
        ("http://localhost:5600/#/activity", "http://localhost:5600"),
        ("https://watch.example.com/", "https://watch.example.com"),
    ],
)
def test_addresses(typed: str, kept: str) -> None:
    assert safe(typed) == kept


@pytest.mark.parametrize(
    "typed", ["ftp://x", "http://", "http://a b", "http://me:word@host", "http://[", "http://x:99999"]
)
def test_what_is_no_address(typed: str) -> None:
    with pytest.raises(SetupError, match="looks like"):
        safe(typed)


def test_a_login_in_front_of_it_is_told(lite: Store) -> None:
    with living(lite, "activitywatch", "week") as world:
        world.vendor.revoke()
        outcome = world.sync()
        assert outcome.outcome == "needs_login"
        assert "asks for a login" in str(outcome.skipped_because)
        with pytest.raises(NeedsLogin), closing(world.connector()) as connector:
            list(connector.pull("day", None, now=world.now))
