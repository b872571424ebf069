"""Real exports, where somebody has put some below ``fitbit`` in the samples' folder: one folder for each export."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from tests.fitbit.independent import compared
from tests.samples import sample


def exports() -> Iterator[tuple[Path, str]]:
    """(folder, zone of the account) of every export that says its zone."""
    for folder in sorted(sample("fitbit").iterdir()):
        for profile in folder.rglob("Profile.csv"):
            yield folder, str(pd.read_csv(profile)["timezone"][0])


def test_every_cell_of_a_real_export_is_as_pandas_reads_it() -> None:
    for folder, zone in exports():
        wrong = [line for line in compared(folder, zone) if line.different or line.only_pandas]
        assert wrong == []
