"""The estimator's numbers are those that R's MRTAnalysis prints for the same decisions."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from bridge.advice.excursion import effect
from tests.r.points import CASES, points

PRINTED = list(csv.DictReader((Path(__file__).parent / "printed.csv").read_text(encoding="utf-8").splitlines()))


@pytest.mark.parametrize("case", CASES)
def test_effects_and_their_errors_are_those_that_r_prints(case: str) -> None:
    found = effect(points(case), binary=CASES[case][2])
    assert found is not None
    printed = [row for row in PRINTED if row["case"] == case]
    assert [f"{one:.6g}" for one in found.estimates] == [row["estimate"] for row in printed]
    assert [f"{one:.6g}" for one in found.errors] == [row["error"] for row in printed]
    for (low, high), row in zip(found.ci95, printed, strict=True):  # wider where Bell and McCaffrey have it so
        half, theirs = (high - low) / 2, (float(row["high"]) - float(row["low"])) / 2
        assert 0.9999 < half / theirs < 1.02
