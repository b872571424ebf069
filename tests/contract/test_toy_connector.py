"""Adding a connector touches a single folder. A toy source is found, imported from, normalised and rebuilt."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import connectors
from bridge import installation, registry
from bridge.domain.metrics import Metric
from bridge.ingest import runs

INIT = """
from bridge.domain.ports import ConnectorSpec
from bridge.domain.metrics import Metric

SPEC = ConnectorSpec(
    name="pebble", title="Pebble steps", delivers=frozenset({Metric.STEPS}), streams=("steps",),
    normaliser="connectors.pebble.steps:normalise", recognises="connectors.pebble.steps:recognise",
    reads="connectors.pebble.steps:read",
)
"""
STEPS = """
import json
from datetime import UTC, date, datetime
from bridge.domain.errors import BadRecord
from bridge.domain.metrics import Metric
from bridge.domain.types import Page, RawRecord, Sample

def recognise(file):
    return file.name.endswith(".pebble")

def read(file, *, zone):
    with file.open() as content:
        rows = json.load(content)
    yield Page(stream="steps", records=tuple(RawRecord(stream="steps", key=r["day"], payload=r) for r in rows))

def normalise(record, parent):
    try:
        day, steps = date.fromisoformat(record.payload["day"]), float(record.payload["steps"])
    except (KeyError, TypeError, ValueError):
        raise BadRecord("pebble/steps: day or steps unreadable") from None
    start = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return [Sample(key=record.key, metric=Metric.STEPS, start=start, day=day, value=steps)]
"""


@pytest.fixture
def pebble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "plugins" / "pebble"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(INIT)
    (folder / "steps.py").write_text(STEPS)
    monkeypatch.setattr(connectors, "__path__", [*connectors.__path__, str(folder.parent)])
    registry.spec.cache_clear()
    yield tmp_path
    registry.spec.cache_clear()


def test_one_folder_is_enough(pebble: Path) -> None:
    export = pebble / "walks.pebble"
    export.write_text(json.dumps([{"day": "2026-11-19", "steps": 8123}, {"day": "2026-11-20"}]))
    assert "pebble" in registry.names("connectors")
    with installation.open_bridge() as bridge:
        user = bridge.store.people.add_user("ana", "Europe/Berlin", now=installation.now())
        outcome = runs.import_path(bridge, user, export, at=installation.now()).outcomes[0]
        assert (outcome.outcome, outcome.source, outcome.new, outcome.set_aside) == ("ok", "pebble", 2, 1)
        assert outcome.reasons == ("pebble/steps: day or steps unreadable (1)",)
        samples = bridge.store.reading.samples(user.id)
        assert [(s.metric, s.value) for _, s in samples] == [(Metric.STEPS, 8123.0)]
        assert runs.import_path(bridge, user, export, at=installation.now()).outcomes[0].new == 0
        runs.rebuild(bridge, user, None)
        assert bridge.store.reading.samples(user.id) == samples
