"""Files in any order come to the same, and a second import of them finds nothing new: made-up and real ones."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bridge import installation
from bridge.config import load
from bridge.domain.errors import SetupError
from bridge.ingest import runs
from bridge.store import Store
from tests.samples import sample
from tests.world import NOW, contents

LARGE = ("calendar", "garmin_fit")  # hundreds of files
SMALL = ("apple", "garmin_connect_json", "garmin_gdpr", "health_auto_export")
SAMPLES = [*SMALL, *(pytest.param(name, marks=pytest.mark.slow) for name in LARGE)]


def laid_out(files: Sequence[Path], folder: Path) -> Path:
    """The files, each in a folder of its own, so that they are read in this order under their own names."""
    for number, file in enumerate(files):
        place = folder / f"{number:05d}"
        place.mkdir(parents=True)
        shutil.copy(file, place / file.name)
    return folder


def imported(store: Store, folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the result of the folder and of its second import, by source."""
    user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
    bridge = installation.Bridge(settings=load(), store=store)
    runs.import_path(bridge, user, folder, at=NOW)
    found = contents(store, user)
    again = runs.import_path(bridge, user, folder, at=NOW).outcomes
    assert contents(store, user) == found
    return found, {one.source: (one.new, one.updated, one.deleted) for one in again}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_second_import_of_real_files_finds_nothing_new(store: Store, name: str) -> None:
    _, again = imported(store, sample(name))
    assert again
    assert set(again.values()) == {(0, 0, 0)}


@pytest.mark.parametrize("name", ["diaries", "wellness", "whoop_api", "withings"])
def test_a_folder_that_no_source_knows_is_refused_each_time(lite: Store, name: str) -> None:
    user = lite.people.add_user("ana", "UTC", now=NOW)
    for _ in range(2):
        with pytest.raises(SetupError, match="not an export this bridge can read"):
            runs.import_path(installation.Bridge(settings=load(), store=lite), user, sample(name), at=NOW)


@pytest.mark.timeout(600)  # four imports of hundreds of calendars
@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("seed", [1, 2])
def test_real_files_in_any_order_come_to_the_same(tmp_path: Path, name: str, seed: int) -> None:
    files = [place for place in sorted(sample(name).rglob("*")) if place.is_file()]
    shuffled = random.Random(seed).sample(files, len(files))
    states = [_state(laid_out(some, tmp_path / str(n))) for n, some in enumerate((files, shuffled))]
    assert states[0] == states[1]


def _state(folder: Path) -> dict[str, Any]:
    store = Store("sqlite://")
    found, again = imported(store, folder)
    store.close()
    assert set(again.values()) == {(0, 0, 0)}
    return found
