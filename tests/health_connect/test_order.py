"""Documents that arrive in any order, at once or one after the other, come to the same."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import lab
from bridge import installation
from bridge.config import load
from bridge.ingest import runs
from bridge.store import Store
from tests.test_any_order import laid_out
from tests.world import NOW, contents

FILES = [place for case in ("week", "awkward") for place in sorted((lab.fixtures("health_connect") / case).iterdir())]


def comes_to(places: list[Path], folder: Path, *, at_once: bool) -> dict[str, Any]:
    store = Store("sqlite://")
    user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
    bridge = installation.Bridge(settings=load(), store=store)
    laid_out(places, folder)
    for place in [folder] if at_once else sorted(folder.iterdir()):
        runs.import_path(bridge, user, place, at=NOW)
    found = contents(store, user)
    store.close()
    return found


@pytest.mark.parametrize("seed", range(3))
def test_documents_in_any_order_come_to_the_same(tmp_path: Path, seed: int) -> None:
    wanted = comes_to(FILES, tmp_path / "wanted", at_once=True)
    shuffled = random.Random(seed).sample(FILES, len(FILES))
    assert comes_to(shuffled, tmp_path / "once", at_once=True) == wanted
    assert comes_to(shuffled, tmp_path / "singly", at_once=False) == wanted
