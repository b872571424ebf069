"""Real exports: what is imported of each agrees with an independent, naive pass over the same file."""

from __future__ import annotations

import io
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET
from zoneinfo import ZoneInfo

import pytest

from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, EpisodeKind, Item, Sample
from bridge.ingest.files import DiskFile
from connectors.apple.export import files
from connectors.apple.export.normalise import normalise
from tests.samples import sample

HOME = "Europe/Amsterdam"
QUANTITY, CATEGORY = "HKQuantityTypeIdentifier", "HKCategoryTypeIdentifier"


def exports() -> Iterator[tuple[str, bytes]]:
    """Every export below the samples' folder, those in zips as well."""
    for place in sorted(sample("apple").rglob("*")):
        if place.suffix == ".xml":
            yield place.name, place.read_bytes()
        elif place.suffix == ".zip":
            with zipfile.ZipFile(place) as archive:
                for name in archive.namelist():
                    if name.endswith(".xml") and "__MACOSX" not in name:
                        yield f"{place.name}/{name}", archive.read(name)


def at(text: str | None) -> datetime:
    return datetime.strptime(text or "", "%Y-%m-%d %H:%M:%S %z")


def naive(content: bytes) -> dict[str, Any]:
    """Counts of what can be counted without knowing anything of sources or zones."""
    seen: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    root = ET.parse(io.BytesIO(content)).getroot()  # noqa: S314 - our own samples
    exported = at(next(element.get("value") for element in root.iter("ExportDate"))).timestamp() + 86_400
    for element in root:
        if element.tag in ("Record", "Workout") and at(element.get("endDate")).timestamp() <= exported:
            kind = element.get("type", element.tag).removeprefix(QUANTITY).removeprefix(CATEGORY)
            values = element.get("startDate", ""), element.get("endDate", ""), element.get("value", "")
            seen[kind].add((*values, element.get("sourceName", "")))
    today = datetime.fromtimestamp(exported - 86_400, ZoneInfo(HOME)).date()
    resting = {at(start).astimezone(ZoneInfo(HOME)).date() for start, *_ in seen["RestingHeartRate"]}
    steps: Counter[Any] = Counter()
    for start, _, value, _ in seen["StepCount"]:
        steps[at(start).astimezone(ZoneInfo(HOME)).date()] += int(value)
    steps.pop(today, None)
    return {
        "heart_rates": len({row[:3] for row in seen["HeartRate"]}),
        "hrv": len(seen["HeartRateVariabilitySDNN"]),
        "workouts": len(seen["Workout"]),
        "resting": len(resting),
        "steps": dict(steps),
        "sleeps": bool(seen["SleepAnalysis"]),
    }


def imported(place: Path) -> dict[str, Any]:
    items: list[Item] = [
        item
        for page in files.read(DiskFile(place, place.name), zone=HOME)
        for record in page.records
        for item in normalise(record, None)
    ]
    samples = [item for item in items if isinstance(item, Sample)]
    kinds = [item.kind for item in items if isinstance(item, Episode)]
    return {
        "heart_rates": sum(s.count or 1 for s in samples if s.metric is Metric.HEART_RATE),
        "hrv": sum(s.metric is Metric.HRV_SDNN for s in samples),
        "workouts": kinds.count(EpisodeKind.WORKOUT),
        "resting": sum(s.metric is Metric.RESTING_HR for s in samples),
        "steps": {s.day: s.value for s in samples if s.metric is Metric.STEPS},
        "sleeps": EpisodeKind.SLEEP in kinds or EpisodeKind.NAP in kinds,
    }


def test_every_sample_agrees_with_a_naive_pass(tmp_path: Path) -> None:
    seen = 0
    for name, content in exports():
        place = tmp_path / "export.xml"
        place.write_bytes(content)
        found, wanted = imported(place), naive(content)
        assert found.pop("steps") == pytest.approx(wanted.pop("steps")), name
        assert found == wanted, name
        seen += 1
    assert seen >= 4
