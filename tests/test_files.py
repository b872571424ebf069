"""Files are found in folders, zips and zips within zips; what is damaged or junk costs nothing else."""

from __future__ import annotations

import io
import zipfile
from contextlib import ExitStack
from pathlib import Path

import pytest

from bridge.ingest.files import ZIP_DEPTH_MAX, DiskFile, UnreadableFile, ZipMember, find_files


def paths(place: Path) -> list[str]:
    with ExitStack() as stack:
        return [file.path for file in find_files(place, stack)]


def packed(files: dict[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return content.getvalue()


def test_a_file_a_folder_and_a_zip_in_a_stable_order(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "two.csv").write_bytes(b"2")
    (tmp_path / "a.csv").write_bytes(b"1")
    (tmp_path / "c.zip").write_bytes(packed({"z/three.csv": b"3", "y.csv": b"4"}))
    assert paths(tmp_path) == ["a.csv", "b/two.csv", "c.zip/y.csv", "c.zip/z/three.csv"]
    assert paths(tmp_path / "a.csv") == ["a.csv"]


def test_zips_within_zips_can_be_read_to_a_depth(tmp_path: Path) -> None:
    content, path = b"deep", ""
    for level in range(ZIP_DEPTH_MAX + 1):
        content = packed({f"{level}.zip" if level else "file.txt": content})
        path = f"/{level}.zip{path}" if level else "/file.txt"
    (tmp_path / "outer.zip").write_bytes(content)
    with ExitStack() as stack:
        (innermost,) = find_files(tmp_path / "outer.zip", stack)
        assert isinstance(innermost, ZipMember)
        assert innermost.name == "1.zip"  # one level too deep to be opened
        with innermost.open() as stream:
            assert stream.read(2) == b"PK"


def test_junk_and_hidden_files_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / ".secret").write_bytes(b"x")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "a.csv").write_bytes(b"x")
    (tmp_path / "mac.zip").write_bytes(packed({"a.csv": b"1", "__MACOSX/._a.csv": b"\x00", "._b.csv": b"\x00"}))
    assert paths(tmp_path) == ["mac.zip/a.csv"]


def test_a_damaged_zip_is_named_and_the_rest_is_found(tmp_path: Path) -> None:
    (tmp_path / "good.csv").write_bytes(b"1")
    (tmp_path / "bad.zip").write_bytes(packed({"a.csv": b"1" * 5000})[:-30])
    with ExitStack() as stack:
        rescued, bad, good = find_files(tmp_path, stack)
        assert rescued.path == "bad.zip/a.csv"
        assert isinstance(bad, UnreadableFile)
        assert "get it again" in bad.reason
        assert isinstance(good, DiskFile)


def test_the_mark_changes_with_the_file(tmp_path: Path) -> None:
    place = tmp_path / "a.csv"
    place.write_bytes(b"1")
    before = DiskFile(place, "a.csv").mark
    place.write_bytes(b"12")
    assert DiskFile(place, "a.csv").mark != before


@pytest.mark.parametrize("size", [0, 10, 4096, 5000])
def test_the_head_is_what_it_begins_with(tmp_path: Path, size: int) -> None:
    place = tmp_path / "a.bin"
    place.write_bytes(bytes(n % 251 for n in range(size)))
    assert DiskFile(place, "a.bin").head == place.read_bytes()[:4096]
