"""Apple's export read into numbers that were worked out by hand; the file is ``fixtures/apple_health/awkward``."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

import lab
from bridge import installation
from bridge.config import load
from bridge.domain.errors import SourceChanged
from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, EpisodeKind, Page
from bridge.ingest import runs
from bridge.ingest.files import DiskFile
from bridge.store import Store
from connectors.apple.export import files
from connectors.apple.export.days import quarters
from connectors.apple.export.units import offset_of_beats
from tests.apple_health.documents import Text
from tests.samples import sample
from tests.world import NOW

AWKWARD = lab.fixtures("apple_health") / "awkward"


@pytest.fixture(scope="module")
def imported() -> Iterator[Store]:
    store = Store("sqlite://")
    user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
    runs.import_path(installation.Bridge(settings=load(), store=store), user, AWKWARD, at=NOW)
    yield store
    store.close()


def value(store: Store, metric: Metric, day: str) -> float:
    found = [
        s.value for _, s in store.reading.samples(store.people.user("ana").id, metrics=[metric]) if str(s.day) == day
    ]
    assert len(found) == 1
    return found[0]


def night(store: Store, day: str, kind: EpisodeKind = EpisodeKind.SLEEP) -> Episode:
    found = [e for _, e in store.reading.episodes(store.people.user("ana").id) if str(e.day) == day and e.kind is kind]
    assert len(found) == 1
    return found[0]


def test_steps_are_merged_by_source_and_cut_at_local_midnight(imported: Store) -> None:
    """Watch 700 + half of 200 around midnight; half of the phone's 1200 is uncovered, nothing of the third app's."""
    assert value(imported, Metric.STEPS, "2026-01-15") == pytest.approx(700 + 100 + 600)
    assert value(imported, Metric.STEPS, "2026-01-16") == pytest.approx(100)


def test_units_are_those_of_the_file(imported: Store) -> None:
    assert value(imported, Metric.DISTANCE, "2026-01-15") == pytest.approx(1609.344)  # one mile
    assert value(imported, Metric.ACTIVE_ENERGY, "2026-01-15") == pytest.approx(100)  # 418.4 kJ
    assert value(imported, Metric.SKIN_TEMPERATURE, "2026-02-11") == pytest.approx(35.5)  # 95.9 °F
    assert value(imported, Metric.SPO2, "2026-02-11") == pytest.approx(96)  # 0.95 and 97 "%"


def test_the_printed_offset_is_not_the_persons(imported: Store) -> None:
    """Printed 00:30 on the 16th at +0200 (the summer of exporting), it was 23:30 on the 15th at +0100."""
    sample = next(s for _, s in imported.reading.samples(imported.people.user("ana").id, metrics=[Metric.HRV_SDNN]))
    assert (str(sample.day), sample.offset) == ("2026-01-15", 60)


def test_sdnn_is_never_rmssd(imported: Store) -> None:
    assert not imported.reading.samples(imported.people.user("ana").id, metrics=[Metric.HRV_RMSSD])


def test_the_last_resting_rate_of_the_day_counts_and_a_correlations_child_does_not(imported: Store) -> None:
    assert value(imported, Metric.RESTING_HR, "2026-01-15") == 55


def test_one_source_is_chosen_for_a_night(imported: Store) -> None:
    """The watch's stages, not the other band's sleep beside them, nor the phone's time in bed."""
    found = night(imported, "2026-03-29")  # the clocks went forward in it
    assert found.values[Metric.ASLEEP] == 330
    assert found.values[Metric.AWAKE] == 10
    assert found.values[Metric.REM_SLEEP] == 60
    assert found.offset == 120


def test_time_in_bed_is_not_sleep(imported: Store) -> None:
    found = night(imported, "2026-02-02")
    assert found.values == {Metric.IN_BED: 420.0}


def test_the_phones_zone_decides_the_day_and_short_daytime_sleep_is_a_nap(imported: Store) -> None:
    assert night(imported, "2026-02-11").offset == -300
    assert night(imported, "2026-02-03", EpisodeKind.NAP).values[Metric.ASLEEP] == 45


def test_a_forgotten_mindful_session_is_capped(imported: Store) -> None:
    assert value(imported, Metric.MINDFUL, "2026-02-12") == 120


def test_a_record_of_the_future_is_dropped(imported: Store) -> None:
    assert max(s.day for _, s in imported.reading.samples(imported.people.user("ana").id)).year == 2026


def test_the_day_of_the_export_is_not_over() -> None:
    text = (
        b'<HealthData><ExportDate value="2026-11-20 10:00:00 +0100"/>'
        b'<Record type="HKQuantityTypeIdentifierStepCount" sourceName="x" unit="count" value="10" '
        b'startDate="2026-11-20 08:00:00 +0100" endDate="2026-11-20 08:10:00 +0100"/></HealthData>'
    )
    assert list(files.read(Text(text), zone="Europe/Berlin")) == []


def test_entities_are_never_expanded() -> None:
    """The document type is dropped unread, so that nothing in it means anything."""
    bomb = b'<!DOCTYPE HealthData [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><HealthData><Me x="&b;"/></HealthData>'
    with pytest.raises(SourceChanged, match="cut off or damaged"):
        list(files.read(Text(bomb), zone="UTC"))


def test_what_was_being_listed_when_the_file_broke_off_is_left_out() -> None:
    """Half a day's steps would be a wrong number; the distance before them was whole."""
    row = (
        '<Record type="HKQuantityTypeIdentifier{kind}" sourceName="x" unit="{unit}" value="10" '
        'startDate="2026-11-1{day} 08:00:00 +0100" endDate="2026-11-1{day} 08:10:00 +0100"/>'
    )
    rows = [row.format(kind="DistanceWalkingRunning", unit="km", day=day) for day in (1, 2)]
    rows += [row.format(kind="StepCount", unit="count", day=day) for day in (1, 2)]
    cut = ("<HealthData>" + "".join(rows))[:-20].encode()
    pages: list[Page] = []
    with pytest.raises(SourceChanged):
        pages.extend(files.read(Text(cut), zone="Europe/Berlin"))
    payloads = [record.payload for page in pages for record in page.records if record.stream == "day"]
    assert [payload.get("distance") for payload in payloads] == [10_000.0, 10_000.0]
    assert not any("steps" in payload for payload in payloads)


@pytest.mark.parametrize(
    ("beat", "usual", "expected"),
    [
        ("23:30:00,80", 60, 60),
        ("11:30:00.42\u202fPM", 60, 60),
        ("11:30:00 p.\u00a0m.", 60, 60),
        ("23.30.00,80", 120, 60),
        ("5:30:00.1 PM", 60, -300),
        ("4:00:00.0 AM", 60, 330),
        ("11:30:00.0 AM", 780, 780),  # Auckland's summer: half a day from -11:00
        ("11:30:00.0 AM", -600, -660),
        ("noon", 60, None),
        ("11:30:00 odp.", 60, None),  # half of a clock that is not understood would be wrong by 12 hours
        ("25:00:00", 60, None),
    ],
)
def test_the_wall_clock_of_a_beat_reveals_the_offset(beat: str, usual: int, expected: int | None) -> None:
    """At 22:30 UTC."""
    assert offset_of_beats(beat, 22.5 * 3600, usual) == expected


def test_merging_by_hand() -> None:
    """A watch from 0 to 10 and from 20 to 30; a phone from 5 to 25 with 20 steps, half of it covered."""
    phone = np.array([[5.0, 25, 20], [12, 12, 3]])
    watch = np.array([[0.0, 10, 5], [20, 30, 5], [0, 10, 5]])
    together, own = quarters({(1, "p"): phone, (0, "w"): watch})
    assert together.values.tolist() == pytest.approx([5 + 5 + 10 + 3])
    assert own["p"].values.tolist() == pytest.approx([23])


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """More than thirty megabytes of heart rates are read in less than twenty."""
    place = tmp_path / "export.xml"
    row = (
        ' <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" unit="count/min" '
        'creationDate="2026-11-19 08:00:00 +0100" startDate="{at} +0100" endDate="{at} +0100" value="{value}"/>\n'
    )
    began = datetime(2026, 1, 1, tzinfo=UTC)
    with place.open("w") as out:
        out.write("<HealthData>\n")
        for n in range(160_000):
            out.write(row.format(at=f"{began + timedelta(seconds=30 * n):%Y-%m-%d %H:%M:%S}", value=60 + n % 40))
        out.write("</HealthData>\n")
    assert place.stat().st_size > 30_000_000
    tracemalloc.start()
    counted = sum(
        sample[0]
        for page in files.read(DiskFile(place, "export.xml"), zone="Europe/Berlin")
        for record in page.records
        for sample in record.payload["quarters"].values()  # type: ignore[attr-defined]
    )
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert counted == 160_000
    assert peak < 20_000_000


def test_real_exports_are_read() -> None:
    store = Store("sqlite://")
    user = store.people.add_user("ana", "Europe/Amsterdam", now=NOW)
    found = runs.import_path(installation.Bridge(settings=load(), store=store), user, sample("apple"), at=NOW)
    assert [(o.source, o.outcome, o.failed_files) for o in found.outcomes] == [("apple_health", "ok", ())]
    assert found.outcomes[0].files >= 4
    assert sum(found.outcomes[0].items.values()) > 10
    store.close()
