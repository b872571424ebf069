"""Exports written in a test, row by row."""

from __future__ import annotations

from dataclasses import dataclass

from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, EpisodeKind, Item, RawRecord, Sample
from connectors.apple.export import files
from connectors.apple.export.normalise import normalise
from tests.pushed import Body

EXPORTED = "2026-11-20 10:00:00 +0100"
WATCH = "&lt;&lt;HKDevice: 0x1&gt;, name:Apple Watch, model:Watch, hardware:Watch6,7&gt;"


@dataclass(frozen=True)
class Text(Body):
    """An export that exists in memory only."""

    name: str = "export.xml"
    path: str = "export.xml"


def document(*rows: str, exported: str = EXPORTED) -> Text:
    """A whole export of these rows."""
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<HealthData locale="en_DE">\n'
    return Text("\n".join([head, f'<ExportDate value="{exported}"/>', *rows, "</HealthData>"]).encode())


def quantity(
    kind: str, value: object, unit: str, start: str, end: str | None = None, *, source: str = "x", more: str = ""
) -> str:
    """A quantity's row; ``more`` is further attributes."""
    return (
        f'<Record type="HKQuantityTypeIdentifier{kind}" sourceName="{source}" unit="{unit}" value="{value}" '
        f'startDate="{start}" endDate="{end or start}" {more}/>'
    )


def steps(value: object, start: str, end: str, *, source: str = "x", more: str = "") -> str:
    return quantity("StepCount", value, "count", start, end, source=source, more=more)


def slept(stage: str, start: str, end: str, *, source: str = "Apple Watch", zone: str | None = None) -> str:
    """A sleep record, with the phone's zone if given."""
    place = f'<MetadataEntry key="HKTimeZone" value="{zone}"/>' if zone else ""
    return (
        f'<Record type="HKCategoryTypeIdentifierSleepAnalysis" sourceName="{source}" '
        f'value="HKCategoryValueSleepAnalysis{stage}" startDate="{start}" endDate="{end}">{place}</Record>'
    )


def records(file: Text, zone: str = "Europe/Berlin") -> list[RawRecord]:
    return [record for page in files.read(file, zone=zone) for record in page.records]


def items(file: Text, zone: str = "Europe/Berlin") -> list[Item]:
    return [item for record in records(file, zone) for item in normalise(record, None)]


def values(file: Text, metric: Metric, zone: str = "Europe/Berlin") -> dict[str, float]:
    """Local date -> value of a metric that has one a day."""
    found = [item for item in items(file, zone) if isinstance(item, Sample) and item.metric is metric]
    assert len({sample.day for sample in found}) == len(found)
    return {str(sample.day): sample.value for sample in found}


def episodes(file: Text, kind: EpisodeKind = EpisodeKind.SLEEP, zone: str = "Europe/Berlin") -> list[Episode]:
    return [item for item in items(file, zone) if isinstance(item, Episode) and item.kind is kind]
