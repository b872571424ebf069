"""The data export's CSV files, where they are damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge import lab
from bridge.errors import SourceChanged
from bridge.files import Plain
from bridge.types import Page
from connectors.whoop import export


def test_a_quotation_mark_that_is_never_closed_costs_what_follows_only(tmp_path: Path) -> None:
    good = (lab.fixtures("whoop") / "export" / "workouts.csv").read_text(encoding="utf-8").splitlines()
    place = tmp_path / "workouts.csv"
    place.write_text("\n".join([*good[:2], '"' + "x" * 1_000_001]), encoding="utf-8")
    found: list[Page] = []
    with pytest.raises(SourceChanged, match="it is damaged"):
        found.extend(export.read(Plain(place, place.name), zone="UTC"))
    assert sum(len(page.records) for page in found) == 1
