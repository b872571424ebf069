"""Files that mean harm, or were harmed: one line says so, what was complete is kept, memory stays small."""

from __future__ import annotations

import io
import json
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from bridge.domain.errors import CutShort
from bridge.domain.types import RawRecord
from connectors.apple.export import files
from tests.apple_health.documents import Text, document, quantity
from tests.commands import bridge

RATES = [
    quantity("HeartRate", 60 + n % 30, "count/min", f"2026-11-10 {n // 60:02}:{n % 60:02}:00 +0100") for n in range(900)
]
WHOLE = document(*RATES).content
MEMORY = 24_000_000  # bytes, whatever the size of the file


class Endless:
    """A file of a gigabyte that is made while it is read."""

    name = path = "export.xml"
    digest = None

    def __init__(self, head: bytes, body: bytes) -> None:
        self.head, self._body = head, body
        self.size = 10**9

    def open(self) -> BinaryIO:
        return _Stream(self.head, self._body, self.size)  # type: ignore[return-value]


class _Stream(io.RawIOBase):
    def __init__(self, head: bytes, body: bytes, size: int) -> None:
        self._head, self._body, self._left = head, body * (1 + (1 << 18) // len(body)), size

    def read(self, size: int = -1) -> bytes:
        some, self._head = self._head or self._body[:size], b""
        self._left -= len(some)
        return some if self._left > 0 else b""


def read(file: Any) -> tuple[list[RawRecord], str]:
    """The records, and why it was not read to its end."""
    found: list[RawRecord] = []
    tracemalloc.start()
    try:
        for page in files.read(file, zone="Europe/Berlin"):
            found += page.records
    except CutShort as error:
        return found, str(error)
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < MEMORY
    return found, ""


@pytest.mark.parametrize(
    "body",
    [b"x", b"<a>", b'<Record type="', b"<Record ", b"\x00", b"&amp;", b"<Me/>" * 50 + b"<", b"<!-- "],
    ids=["text", "depth", "attribute", "rows", "zeros", "entities", "tags", "comment"],
)
def test_a_gigabyte_on_one_line_is_given_up_or_read_in_little_memory(body: bytes) -> None:
    file = Endless(WHOLE.replace(b"</HealthData>", b""), body)
    if body == b"\x00":
        file.size = 10**8
    found, reason = read(file)
    assert "cut off or damaged" in reason
    assert "\n" not in reason
    assert sum(one[0] for one in found[0].payload["quarters"].values()) >= 800  # type: ignore[attr-defined]


def test_laughs_and_outside_entities_mean_nothing() -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    for bomb in (
        f'<!DOCTYPE HealthData [<!ENTITY l0 "ha">{laughs}]>',
        '<!DOCTYPE HealthData SYSTEM "file:///etc/passwd">',
    ):
        content = WHOLE.replace(b"<HealthData", bomb.encode() + b"<HealthData").replace(
            b'value="60"', b'value="&l9;"', 1
        )
        found, reason = read(Text(content))
        assert "cut off or damaged" in reason
        assert found == []


def test_what_came_before_the_cut_is_kept() -> None:
    found, reason = read(Text(WHOLE[: len(WHOLE) // 2]))
    counted = sum(one[0] for one in found[0].payload["quarters"].values())  # type: ignore[attr-defined]
    assert reason
    assert 400 < counted < 500


def imported(place: Path, *, code: int) -> list[dict[str, Any]]:
    done = bridge("import", str(place), "--user", "ana", "--json")
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


@pytest.fixture
def ana() -> Iterator[None]:
    assert bridge("user", "add", "ana", "--zone", "Europe/Berlin").returncode == 0
    return


def packed(place: Path, name: str, content: bytes) -> Path:
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return place


def cut(place: Path, share: float) -> Path:
    content = place.read_bytes()
    place.write_bytes(content[: int(len(content) * share)])
    return place


@pytest.mark.usefixtures("ana")
@pytest.mark.parametrize("harm", [lambda place: cut(place, 0.6), lambda place: cut(place, 0.99)])
def test_a_torn_zip_is_read_as_far_as_it_goes(tmp_path: Path, harm: Callable[[Path], Path]) -> None:
    rows = imported(harm(packed(tmp_path / "export.zip", "apple_health_export/export.xml", WHOLE)), code=1)
    apple = next(row for row in rows if row["source"] == "apple_health")
    assert apple["samples"] > 10
    assert any("cut off" in file["reason"] for row in rows for file in row["failed_files"])


@pytest.mark.usefixtures("ana")
def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    place = packed(tmp_path / "bomb.zip", "export.xml", b"<HealthData>" + b" " * 150_000_000)
    (row,) = imported(place, code=1)
    assert "hundreds of times its size" in row["failed_files"][0]["reason"]


@pytest.mark.usefixtures("ana")
def test_names_that_lead_elsewhere_lead_nowhere(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    place = packed(inside / "export.zip", "../../../outside/export.xml", WHOLE)
    (row,) = imported(place, code=0)
    assert row["samples"] > 10
    assert sorted(path.name for path in tmp_path.rglob("*.xml")) == []


@pytest.mark.usefixtures("ana")
def test_another_root_is_no_export(tmp_path: Path) -> None:
    place = tmp_path / "export.xml"
    place.write_bytes(WHOLE.replace(b"HealthData", b"SomethingElse"))
    done = bridge("import", str(place), "--user", "ana", "--json")
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
