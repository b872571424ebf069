"""The file as it comes: broken, hostile, cut off, or a later one of the same phone."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lab
from bridge import installation
from bridge.config import load
from bridge.domain.errors import BadRecord, BridgeError, SourceChanged
from bridge.domain.metrics import METRICS, Metric
from bridge.domain.types import Covers, Episode, Page, RawRecord, Sample
from bridge.ingest import runs
from bridge.store import Store
from connectors.apple.export import files, recognise
from connectors.apple.export.normalise import normalise
from tests.apple_health.documents import EXPORTED, Text, document, items, quantity, records, slept, steps, values
from tests.contract.test_connectors import DAMAGES, _damaged, _paths
from tests.world import NOW

FOLDER = lab.fixtures("apple_health")
DOCUMENTS = [place.read_bytes() for place in sorted(FOLDER.rglob("*.xml")) if "cda" not in place.name]
EXPORTED_AT = datetime.fromisoformat(EXPORTED)
ROW = steps(10, "2026-11-10 08:00:00 +0100", "2026-11-10 08:10:00 +0100")


@pytest.mark.parametrize(
    ("name", "head", "expected"),
    [
        ("export.xml", b'<?xml version="1.0"?>\n<HealthData locale="de">', True),
        ("导出.XML", b"<!DOCTYPE HealthData [" + b"<!-- long -->" * 400, True),
        ("export_cda.xml", b'<?xml version="1.0"?>\n<ClinicalDocument>', False),
        ("export_cda.xml", b"<HealthData>", False),
        ("export", b"<HealthData>", True),
        ("export.json", b'{"data": "<HealthData>"}', False),
        ("route.xml", b"<gpx>", False),
        ("export.xml", b"", False),
    ],
)
def test_the_export_is_known_by_its_beginning(name: str, head: bytes, expected: bool) -> None:
    assert recognise(Text(head, name=name)) is expected


@pytest.mark.parametrize("document_type", [b"", b"<!DOCTYPE HealthData>", b"<!DOCTYPE HealthData [\n>\n<!X\n>\n]>"])
def test_a_document_type_is_dropped_however_broken(document_type: bytes) -> None:
    whole = document(ROW).content
    filler = b"<!-- " + b"x" * 300_000 + b" -->" if b"[" in document_type else b""
    broken = document_type.replace(b"[", b"[" + filler)
    file = Text(whole.replace(b"<HealthData", broken + b"\n<HealthData"))
    assert values(file, Metric.STEPS) == {"2026-11-10": 10}


@pytest.mark.parametrize(
    "hostile",
    [
        b'<!DOCTYPE HealthData [<!ENTITY a "10">]>',
        b'<!DOCTYPE x><!DOCTYPE HealthData [<!ENTITY a "10">]>',
        b'<!DOC\x01TYPE HealthData [<!ENTITY a "10">]>',
        b'<!DOCTYPE HealthData [<!ENTITY b "]>"><!ENTITY a "10">]>',
        b'<!DOCTYPE HealthData [<!ENTITY a SYSTEM "file:///etc/hostname">' + b" " * 1_100_000 + b"]>",
    ],
)
def test_no_way_of_declaring_an_entity_works(hostile: bytes) -> None:
    content = (
        document(ROW).content.replace(b'value="10"', b'value="&a;"').replace(b"<HealthData", hostile + b"<HealthData")
    )
    pages: list[Page] = []
    with pytest.raises(SourceChanged, match="cut off or damaged"):
        pages.extend(files.read(Text(content), zone="UTC"))
    assert pages == []


def test_forbidden_characters_are_dropped() -> None:
    content = document(ROW).content.replace(b'sourceName="x"', b'sourceName="\x0bx\x00\x1f"')
    assert values(Text(content), Metric.STEPS) == {"2026-11-10": 10}


@pytest.mark.parametrize("encoding", [b"utf-7", b"gbk", b"nonsense", b"utf-16"])
def test_an_encoding_that_cannot_be_read_is_said(encoding: bytes) -> None:
    content = document(ROW).content.replace(b"UTF-8", encoding)
    with pytest.raises(SourceChanged):
        records(Text(content))


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_cut_off_anywhere_it_gives_records_or_says_so(data: st.DataObject) -> None:
    whole = data.draw(st.sampled_from(DOCUMENTS))
    cut = data.draw(st.integers(0, len(whole) - len(b"</HealthData>\n") - 1))
    known = {record.path for record in records(Text(whole))}
    pages: list[Page] = []
    with pytest.raises(BridgeError) as said:
        pages.extend(files.read(Text(whole[:cut]), zone="Europe/Berlin"))
    assert "\n" not in str(said.value)
    assert all(page.covers is None and record.adds for page in pages for record in page.records)
    for page in pages:
        for record in page.records:
            assert record.stream == "day" or record.path in known  # without the date of exporting, today is told
            normalise(record, None)


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_damaged_anywhere_it_gives_records_or_says_so(data: st.DataObject) -> None:
    whole = data.draw(st.sampled_from(DOCUMENTS))
    at, junk = data.draw(st.integers(0, len(whole))), data.draw(st.binary(min_size=1, max_size=40))
    try:
        items(Text(whole[:at] + junk + whole[at + len(junk) :]))
    except BridgeError:
        return


@settings(max_examples=400, deadline=None)
@given(data=st.data())
def test_damaged_payloads_give_bad_record_or_a_valid_result(data: st.DataObject) -> None:
    record = data.draw(st.sampled_from(records(Text(data.draw(st.sampled_from(DOCUMENTS))))))
    payload = _damaged(
        record.payload, data.draw(st.sampled_from(list(_paths(record.payload)))), data.draw(st.sampled_from(DAMAGES))
    )
    try:
        found = normalise(RawRecord(stream=record.stream, key=record.key, payload=payload), None)
    except BadRecord:
        return
    for item in found:
        assert isinstance(item, Sample | Episode)
        figures = {item.metric: item.value} if isinstance(item, Sample) else item.values
        assert all(METRICS[metric].low <= value <= METRICS[metric].high for metric, value in figures.items())


@pytest.mark.parametrize("whole", DOCUMENTS)
def test_pages_are_small_and_records_are_json_by_local_day(whole: bytes) -> None:
    pages = list(files.read(Text(whole), zone="Europe/Berlin"))
    paths = [record.path for page in pages for record in page.records]
    assert len(paths) == len(set(paths))
    assert all(0 < len(page.records) <= 31 or page.set_aside or page.covers for page in pages)
    for page in pages:
        for record in page.records:
            assert json.loads(json.dumps(record.payload)) == record.payload
            assert len(record.key) == len("2026-01-05")


def covers(pages: list[Page]) -> dict[str, Covers | None]:
    own = [page for page in pages if page.stream == "day" and page.records]
    return {f"{page.stream} {page.records[0].key[:7]}": page.covers for page in own}


def test_months_inside_the_export_are_covered() -> None:
    """Of the first only the days after the first one; the last as well, in which a day may have been deleted."""
    rows = [
        steps(5, f"2026-{month:02}-15 08:00:00 +0100", f"2026-{month:02}-15 08:10:00 +0100") for month in (8, 9, 10, 11)
    ]
    whole = document(*rows)
    assert covers(list(files.read(whole, zone="Europe/Berlin"))) == {
        "day 2026-08": None,
        "day 2026-09": Covers(prefix="2026-09-", as_of=EXPORTED_AT),
        "day 2026-10": Covers(prefix="2026-10-", as_of=EXPORTED_AT),
        "day 2026-11": Covers(prefix="2026-11-", as_of=EXPORTED_AT),
    }


@pytest.fixture
def store() -> Any:
    opened = Store("sqlite://")
    opened.people.add_user("ana", "Europe/Berlin", now=NOW)
    yield opened
    opened.close()


def taken(store: Store, tmp_path: Path, file: Text) -> dict[str, float]:
    """Import an export; what is known of steps and sleep afterwards, by local date."""
    place = tmp_path / "export.xml"
    place.write_bytes(file.content)
    user = store.people.user("ana")
    runs.import_path(installation.Bridge(settings=load(), store=store), user, place, at=NOW)
    nights = [(f"night {e.day}", e.values[Metric.ASLEEP]) for _, e in store.reading.episodes(user.id)]
    assert len(dict(nights)) == len(nights)
    return {f"{s.metric} {s.day}": s.value for _, s in store.reading.samples(user.id)} | dict(nights)


def walked(day: str, value: int) -> str:
    return steps(value, f"2026-{day} 08:00:00 +0100", f"2026-{day} 08:10:00 +0100")


def asleep(day: str, since: str) -> str:
    return slept("AsleepCore", f"2026-{day} {since}:00 +0100", f"2026-{day} 07:00:00 +0100")


def test_a_later_export_corrects_an_earlier_one(store: Store, tmp_path: Path) -> None:
    """A night's beginning moves, a count grows, a day is deleted on the phone."""
    first = [walked("08-10", 1), walked("09-10", 100), walked("09-11", 50), asleep("09-10", "02:00")]
    assert taken(store, tmp_path, document(*first)) == {
        "steps 2026-08-10": 1,
        "steps 2026-09-10": 100,
        "steps 2026-09-11": 50,
        "night 2026-09-10": 300,
    }
    second = [walked("08-10", 1), walked("09-10", 120), asleep("09-10", "01:00")]
    assert taken(store, tmp_path, document(*second)) == {
        "steps 2026-08-10": 1,
        "steps 2026-09-10": 120,
        "night 2026-09-10": 360,
    }


def test_the_only_night_of_its_month_goes_when_it_is_deleted_on_the_phone(store: Store, tmp_path: Path) -> None:
    walks = [walked(f"{month:02}-10", 10) for month in (7, 8, 9, 10)]
    nights = [asleep(f"{month:02}-10", "01:00") for month in (7, 8, 9)]
    everything = taken(store, tmp_path, document(*walks, *nights))
    del everything["night 2026-08-10"]
    assert taken(store, tmp_path, document(*walks, nights[0], nights[2])) == everything


@pytest.mark.parametrize("gone", [[1], [2], [1, 2], [3], [2, 3, 4], [4]])
def test_what_is_deleted_on_the_phone_goes_in_the_first_month_and_with_its_whole_stream(
    store: Store, tmp_path: Path, gone: list[int]
) -> None:
    rows = [walked("09-10", 10), walked("09-11", 11), asleep("09-20", "01:00"), asleep("10-20", "02:00")]
    names = ["steps 2026-09-10", "steps 2026-09-11", "night 2026-09-20", "night 2026-10-20"]
    rows, names = [*rows, walked("11-10", 5)], [*names, "steps 2026-11-10"]
    everything = taken(store, tmp_path, document(*rows))
    assert set(everything) == set(names)
    left = [n for n in range(5) if n not in gone]
    assert taken(store, tmp_path, document(*(rows[n] for n in left))) == {names[n]: everything[names[n]] for n in left}
    older = document(*rows, exported="2026-11-15 10:00:00 +0100")
    assert set(taken(store, tmp_path, older)) == {names[n] for n in left}


def test_what_an_earlier_phone_measured_on_a_new_phones_first_day_stays(store: Store, tmp_path: Path) -> None:
    everything = taken(store, tmp_path, document(walked("09-10", 10), asleep("09-20", "01:00"), walked("10-05", 1)))
    evening = steps(7, "2026-09-20 20:00:00 +0100", "2026-09-20 20:10:00 +0100")
    new_phone = document(evening, walked("10-05", 1))
    assert taken(store, tmp_path, new_phone) == everything | {"steps 2026-09-20": 7}


def test_an_old_export_a_new_phones_and_one_cut_off_take_nothing_away(store: Store, tmp_path: Path) -> None:
    rows = [walked(day, 10) for day in ("08-10", "09-10", "09-20", "10-05", "10-25")]
    everything = taken(store, tmp_path, document(*rows, asleep("09-20", "01:00")))
    old = document(*rows[:2], exported="2026-09-15 10:00:00 +0200")
    assert taken(store, tmp_path, old) == everything
    new_phone = document(*rows[2:], asleep("09-20", "01:00"))
    assert taken(store, tmp_path, new_phone) == everything
    cut = Text(document(*rows[:1], asleep("09-20", "01:00"), walked("10-05", 1)).content[:-20])
    assert taken(store, tmp_path, cut) == everything


def test_the_day_of_the_export_grows(store: Store, tmp_path: Path) -> None:
    """Its steps are not over; the heart rates of its morning stay when another export has those of its evening."""

    def rate(hour: int) -> str:
        return quantity("HeartRate", 60, "count/min", f"2026-11-20 {hour:02}:00:00 +0100")

    taken(store, tmp_path, document(walked("11-20", 10), rate(8)))
    evening = document(walked("11-20", 10), rate(20), exported="2026-11-20 21:00:00 +0100")
    taken(store, tmp_path, evening)
    found = store.reading.samples(store.people.user("ana").id)
    assert [(s.metric, f"{s.start:%H}") for _, s in found] == [(Metric.HEART_RATE, "07"), (Metric.HEART_RATE, "19")]
