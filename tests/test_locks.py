"""The locks hold names, versions and hashes alone, and lock the very versions that people install."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bridge.origin import EXTRAS

ROOT = Path(__file__).parents[1]
PINNED = re.compile(r"([a-z0-9-]+)==(\S+)(?: ; [^\\]+)?(?: \\)?")
HASH = re.compile(r"    --hash=sha256:[0-9a-f]{64}(?: \\)?")
LOCKS = ("build", "server", "checks")


def pins(name: str) -> dict[str, str]:
    """The versions in a file; every other line is a hash or a remark, and an address nowhere."""
    found = {}
    for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
        pin = PINNED.fullmatch(line)
        if pin is not None:
            found[pin[1]] = pin[2]
        assert pin or HASH.fullmatch(line) or re.fullmatch(r"#[\w :]*", line), (name, line)
    return found


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_holds_the_tested_versions_and_no_address(lock: str) -> None:
    tested, locked = pins("constraints.txt"), pins(f"locks/{lock}.txt")
    assert locked
    assert locked.items() <= tested.items()
    text = (ROOT / f"locks/{lock}.txt").read_text(encoding="utf-8")
    assert not re.search(r"^[a-z].*[^\\]$", text, re.MULTILINE)  # a hash follows each version


def test_each_place_takes_what_it_should() -> None:
    contents = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "Containerfile", "Makefile")}
    assert "--constraint constraints.txt ." in contents["README.md"]
    for name, lock in (("Containerfile", "server"), ("Makefile", "checks")):
        assert re.search(rf"--require-hashes.* --requirement locks/{lock}\.txt", contents[name])
    (extras,) = re.findall(r"^ARG EXTRAS=(\S+)", contents["Containerfile"], re.MULTILINE)
    assert set(extras.split(",")) < set(EXTRAS)
    assert all(f"--extra {one}" in contents["Makefile"] for one in extras.split(","))
