"""No file of the project names a repository that is kept back to check it from outside.

``held_back.txt`` holds the SHA-256 of each ``owner/name`` in lower case, and of ``owner/*`` for all of an owner.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[1]
HELD = frozenset((Path(__file__).parent / "held_back.txt").read_text(encoding="ascii").split())
PATH = re.compile(rb"[a-z0-9][\w.-]*(?:/[a-z0-9][\w.-]*)+")


def names(content: bytes) -> Iterator[bytes]:
    """Yield each two neighbouring parts of a path, and the first of them with a star."""
    for path in PATH.findall(content.lower()):
        parts = [part.rstrip(b".").removesuffix(b".git") for part in path.split(b"/")]
        for owner, name in pairwise(parts):
            yield owner + b"/" + name
            yield owner + b"/*"


def held(content: bytes, digests: frozenset[str]) -> list[str]:
    found = {name for name in names(content) if sha256(name).hexdigest() in digests}
    return sorted(name.decode() for name in found)


def test_no_file_names_what_is_held_back() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    paths = [ROOT / name.decode() for name in listed.split(b"\0") if name]
    assert len(paths) > 1000
    found = {str(path.relative_to(ROOT)): held(path.read_bytes(), HELD) for path in paths if path.is_file()}
    assert {path: names for path, names in found.items() if names} == {}
    assert held(listed.replace(b"\0", b"\n"), HELD) == []


def test_a_planted_name_is_found() -> None:
    digests = frozenset(sha256(name).hexdigest() for name in (b"some-one/their.data", b"all-of-one/*"))
    assert held(b"see https://github.com/Some-One/Their.Data/blob/main/x.ics", digests) == ["some-one/their.data"]
    assert held(b"git@github.com:Some-One/Their.Data.git", digests) == ["some-one/their.data"]
    assert held(b"| learnt | All-Of-One/Anything, 1234 |", digests) == ["all-of-one/*"]
    assert held(b"some-one/else and one/their.data", digests) == []
