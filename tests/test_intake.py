"""Connected folders: what is new, what failed and is named again, and files whose names tell nothing."""

from __future__ import annotations

import io
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pytest

import lab
from bridge import installation, registry
from bridge.config import load
from bridge.domain.records import Connection, User
from bridge.domain.types import Outcome
from bridge.ingest import archive, connecting, folder_pages, imports, runs
from bridge.ingest.files import UnreadableFile, find_files
from bridge.store import Store
from tests.apple_health.documents import document, steps
from tests.world import NOW

UNREADABLE = Path("/proc/self/mem")
WHOOP = lab.fixtures("whoop") / "export"


@pytest.fixture
def ana() -> Iterator[tuple[installation.Bridge, User]]:
    store = Store("sqlite://")
    yield installation.Bridge(settings=load(), store=store), store.people.add_user("ana", "Europe/Berlin", now=NOW)
    store.close()


@pytest.fixture
def folder(ana: tuple[installation.Bridge, User], tmp_path: Path) -> Connection:
    (tmp_path / "inbox").mkdir()
    return connecting.connect_folder(*ana, "whoop", tmp_path / "inbox")


def synced(ana: tuple[installation.Bridge, User], folder: Connection) -> Outcome:
    return runs.sync_connection(*ana, folder, at=NOW)


def packed(*places: Path) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for place in places:
            archive.write(place, place.name)
    return content.getvalue()


def test_a_cut_off_zip_is_named_and_again_and_read_when_it_is_whole(
    ana: tuple[installation.Bridge, User], folder: Connection, tmp_path: Path
) -> None:
    whole = packed(*sorted(WHOOP.iterdir()))
    (tmp_path / "inbox" / "whoop.zip").write_bytes(whole[:-40])
    first, again = synced(ana, folder), synced(ana, folder)
    assert (first.outcome, first.failed_files[0][0]) == ("failed", "whoop.zip")
    assert (again.outcome, again.files, again.failed_files) == ("ok", 0, first.failed_files)
    (tmp_path / "inbox" / "whoop.zip").write_bytes(whole)
    mended = synced(ana, folder)
    assert (mended.outcome, mended.failed_files, mended.files > 0) == ("ok", (), True)


def test_a_folder_whose_consent_no_key_opens_is_an_outcome(
    ana: tuple[installation.Bridge, User], folder: Connection
) -> None:
    """Its sync stops with a reason, which the connection keeps."""
    bridge, user = ana
    bridge.store.connections.save_secret(folder.id, b"sealed with another key")
    outcome = runs.sync_connection(bridge, user, folder, at=NOW)
    assert outcome.outcome == "stopped"
    assert "a key that is gone" in str(outcome.skipped_because)
    assert bridge.store.connections.of_user(user.id)[0].last_error == outcome.skipped_because


def test_a_folder_whose_consent_is_gone_is_connected_again_as_it_was(
    ana: tuple[installation.Bridge, User], folder: Connection, tmp_path: Path
) -> None:
    """Its key is lost, or it came from an export: a second connection would have all of it twice."""
    bridge, user = ana
    shutil.copy(WHOOP / "workouts.csv", tmp_path / "inbox")
    had = synced(ana, folder).new
    bridge.store.connections.save_secret(folder.id, b"sealed with another key")
    assert connecting.connect_folder(bridge, user, "whoop", tmp_path / "inbox").id == folder.id
    archive.write(bridge.store.exports.dump(user.id), tmp_path / "export", "json")
    ben = bridge.store.people.add_user("ben", "UTC", now=NOW)
    runs.import_path(bridge, ben, tmp_path / "export", at=NOW)
    again = connecting.connect_folder(bridge, ben, "whoop", tmp_path / "inbox")
    (tmp_path / "other").mkdir()
    assert connecting.connect_folder(bridge, ben, "whoop", tmp_path / "other").name == "folder-2"
    assert (again.name, had > 0, runs.sync_connection(bridge, ben, again, at=NOW).new) == ("folder", True, 0)


def test_a_newer_release_tries_again(
    ana: tuple[installation.Bridge, User], folder: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = (WHOOP / "workouts.csv").read_text(encoding="utf-8").splitlines()
    odd = [row.replace("2026-", "in the year 2026-") for row in rows[1:] * 12]
    (tmp_path / "inbox" / "workouts.csv").write_text("\n".join([rows[0], *odd]), encoding="utf-8")
    refused = synced(ana, folder)  # only when it was to be kept
    assert "look for a newer release" in refused.failed_files[0][1]
    assert synced(ana, folder).failed_files == refused.failed_files
    monkeypatch.setattr(folder_pages, "__version__", "99")
    assert (synced(ana, folder).outcome, synced(ana, folder).files) == ("failed", 0)


@pytest.mark.skipif(not UNREADABLE.exists(), reason="a file that opens and cannot be read is Linux's")
def test_what_the_disk_did_not_give_is_asked_for_again(
    ana: tuple[installation.Bridge, User], folder: Connection, tmp_path: Path
) -> None:
    (tmp_path / "inbox" / "workouts.csv").symlink_to(UNREADABLE)
    assert [synced(ana, folder).outcome for _ in range(2)] == ["failed", "failed"]


def test_other_peoples_damaged_zips_are_nobodys_business(
    ana: tuple[installation.Bridge, User], folder: Connection, tmp_path: Path
) -> None:
    (tmp_path / "song.mp3").write_bytes(b"ID3" * 5000)
    (tmp_path / "inbox" / "album.zip").write_bytes(packed(tmp_path / "song.mp3")[:-10])
    assert synced(ana, folder).outcome == "ok"


@pytest.mark.parametrize(
    ("source", "file", "name"),
    [
        ("whoop", "export/workouts.csv", "my_whoop_data"),
        ("apple_health", "week/apple_health_export/export.xml", "export"),
        ("apple_health", "week/apple_health_export/export.xml", "export.xml.txt"),
        ("health_auto_export", "week/HealthAutoExport-2026-11-16-2026-11-18.json", "export.json.1"),
        ("ics", "downloads/Laufverein.ics", "calendar.txt"),
        ("garmin", "watch/1_WELLNESS.fit", "wellness"),
        ("messages", "weeks/counts.csv", "counts.csv.1"),
    ],
)
@pytest.mark.parametrize("zipped", [False, True])
def test_a_file_is_known_by_its_content(tmp_path: Path, source: str, file: str, name: str, *, zipped: bool) -> None:
    place = tmp_path / ("export.zip.1" if zipped else name)
    content = lab.fixtures(source) / file
    shutil.copy(content, tmp_path / name)
    if zipped:
        place.write_bytes(packed(tmp_path / name))
    with ExitStack() as stack:
        sorted_out = imports.recognise_files(find_files(place, stack), registry.specs())
    assert {name: len(known) for name, known in sorted_out.known.items()} == {source: 1}


def test_years_in_a_file_are_of_where_the_person_lived(ana: tuple[installation.Bridge, User], tmp_path: Path) -> None:
    bridge, user = ana
    bridge.store.people.set_zone(user.id, "America/New_York", since=NOW - timedelta(days=400))
    bridge.store.people.set_zone(user.id, "Europe/Berlin", since=NOW - timedelta(days=100))
    night = [steps(80, f"2026-{month}-10 03:30:00 +0000", f"2026-{month}-10 03:40:00 +0000") for month in ("03", "10")]
    (tmp_path / "export.xml").write_bytes(document(*night).content)
    moved = bridge.store.people.user("ana")
    runs.import_path(bridge, moved, tmp_path / "export.xml", at=NOW)
    days = {str(sample.day) for _, sample in bridge.store.reading.samples(user.id) if sample.metric == "steps"}
    assert days == {"2026-03-09", "2026-10-10"}
    (again,) = runs.import_path(bridge, moved, tmp_path / "export.xml", at=NOW).outcomes
    assert (again.new, again.updated) == (0, 0)


def test_a_document_that_is_a_zip_inside_is_one_file(tmp_path: Path) -> None:
    (tmp_path / "letter.docx").write_bytes(packed(WHOOP / "workouts.csv")[:-40])
    with ExitStack() as stack:
        (letter,) = find_files(tmp_path / "letter.docx", stack)
    assert not isinstance(letter, UnreadableFile)


def test_a_file_that_goes_while_another_is_read_costs_that_one_nothing(
    ana: tuple[installation.Bridge, User], tmp_path: Path
) -> None:
    """As somebody tidies up their downloads: imported it is named, in a connected folder it is simply not there."""
    for name, day in (("first.xml", 10), ("second.xml", 11)):
        row = steps(day, f"2026-11-{day} 08:00:00 +0100", f"2026-11-{day} 08:10:00 +0100")
        (tmp_path / name).write_bytes(document(row).content)
    second = tmp_path / "second.xml"
    folder = connecting.connect_folder(*ana, "apple_health", tmp_path)
    connected = runs.sync_connection(*ana, folder, at=NOW, on_page=lambda *_: second.unlink(missing_ok=True))
    assert (connected.outcome, connected.files, connected.failed_files) == ("ok", 1, ())
    shutil.copy(tmp_path / "first.xml", second)
    (done,) = runs.import_path(
        *ana, tmp_path, at=NOW, on_bytes=lambda _: lambda *_: second.unlink(missing_ok=True)
    ).outcomes
    assert (done.new, [file for file, _ in done.failed_files]) == (2, ["second.xml"])
