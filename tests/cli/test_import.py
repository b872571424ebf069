"""``bridge import`` and connected folders: what is printed, the exit codes, and what the doctor says of them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import lab
from tests.commands import bridge
from tests.samples import sample


def printed(*arguments: str, code: int = 0) -> Any:
    done = bridge(*arguments, "--json")
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def ana() -> None:
    assert bridge("user", "add", "ana", "--zone", "Europe/Berlin").returncode == 0


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """A downloads folder: three sources' files, a picture, and one that is damaged."""
    folder = tmp_path / "Downloads"
    shutil.copytree(lab.fixtures("garmin") / "watch", folder / "watch")
    shutil.copytree(lab.fixtures("whoop") / "export", folder / "whoop")
    shutil.copytree(lab.fixtures("ics") / "downloads", folder / "calendars")
    (folder / "cat.jpg").write_bytes(b"\xff\xd8\xff")
    return folder


@pytest.mark.usefixtures("ana")
def test_a_mixed_folder_is_sorted_out(mixed: Path) -> None:
    rows = {row["source"]: row for row in printed("import", str(mixed), "--user", "ana")}
    assert set(rows) == {"garmin", "whoop", "ics", "-"}
    assert (rows["garmin"]["files"], rows["garmin"]["episodes"]) == (4, 1)
    assert rows["garmin"]["samples"] > 100
    assert rows["whoop"]["set_aside"] == 1
    assert rows["whoop"]["reasons"] == [
        'whoop/export: the column "Sleep onset" holds no time like 2026-11-20 10:05:00 (1)'
    ]
    assert rows["ics"]["tasks"] == 2
    assert (rows["-"]["outcome"], rows["-"]["files"]) == ("unknown", 1)
    again = {row["source"]: row for row in printed("import", str(mixed), "--user", "ana")}
    assert all((row["new"], row["updated"]) == (0, 0) for row in again.values())


@pytest.mark.usefixtures("ana")
def test_a_damaged_file_fails_alone_and_the_exit_code_says_so(mixed: Path) -> None:
    victim = mixed / "watch" / "1_WELLNESS.fit"
    victim.write_bytes(victim.read_bytes()[:-5])
    rows = {row["source"]: row for row in printed("import", str(mixed), "--user", "ana", code=1)}
    assert rows["garmin"]["outcome"] == "failed"
    assert rows["garmin"]["failed_files"] == [
        {"file": "watch/1_WELLNESS.fit", "reason": "the file is cut off; transfer the file again"}
    ]
    assert rows["garmin"]["samples"] > 0
    assert rows["whoop"]["outcome"] == "ok"


@pytest.mark.usefixtures("ana")
def test_people_see_a_table_and_the_reasons_below(mixed: Path) -> None:
    done = bridge("import", str(mixed), "--user", "ana")
    assert done.returncode == 0
    for words in (
        "garmin",
        "samples",
        'set aside, whoop/export: the column "Sleep onset" holds no time like 2026-11-20 10:05:00 (1)',
        "1 file belongs to no source",
    ):
        assert words in done.stdout


@pytest.mark.usefixtures("ana")
def test_nothing_known_is_a_setup_error_that_names_what_is_read(tmp_path: Path) -> None:
    (tmp_path / "cat.jpg").write_bytes(b"\xff\xd8\xff")
    done = bridge("import", str(tmp_path / "cat.jpg"), "--user", "ana")
    assert done.returncode == 2
    assert "Apple Health" in done.stderr
    assert bridge("import", str(tmp_path / "nowhere"), "--user", "ana").returncode == 2


@pytest.mark.usefixtures("ana")
def test_two_files_of_one_calendar_do_not_delete_each_others_events(tmp_path: Path) -> None:
    event = "BEGIN:VEVENT\r\nUID:{n}\r\nDTSTART:2026111{n}T080000Z\r\nDTEND:2026111{n}T090000Z\r\nEND:VEVENT\r\n"
    head, end = "BEGIN:VCALENDAR\r\nX-WR-CALNAME:Family\r\n", "END:VCALENDAR\r\n"
    folder = tmp_path / "calendars"
    folder.mkdir()
    for n in (1, 2):
        (folder / f"part{n}.ics").write_text(head + event.format(n=n) + end)
    (row,) = printed("import", str(folder), "--user", "ana")
    assert (row["events"], row["deleted"]) == (2, 0)
    (row,) = printed("import", str(folder), "--user", "ana")
    assert (row["new"], row["updated"], row["deleted"], row["unchanged"]) == (0, 0, 0, 2)
    (folder / "part1.ics").unlink()
    (row,) = printed("import", str(folder), "--user", "ana")
    assert row["deleted"] == 1  # what is left is the whole calendar now


@pytest.mark.usefixtures("ana")
def test_a_connected_folder_is_synced_and_missed_when_it_is_gone(mixed: Path) -> None:
    assert bridge("connect", "garmin", "--user", "ana", "--folder", str(mixed)).returncode == 0
    (row,) = printed("sync", "--user", "ana")
    assert (row["source"], row["connection"], row["outcome"], row["files"]) == ("garmin", "folder", "ok", 4)
    (row,) = printed("sync", "--user", "ana")
    assert (row["files"], row["new"]) == (0, 0)
    shutil.rmtree(mixed)
    (row,) = printed("sync", "--user", "ana", code=1)
    assert "bridge connect garmin --folder" in row["skipped_because"]
    findings = printed("doctor", code=1)
    (finding,) = (f for f in findings if f["check"] == "ana/garmin")
    assert (finding["ok"], finding["finding"]) == (False, "its folder is gone")
    assert finding["next"] == "bridge connect garmin --user ana --folder PATH"


@pytest.mark.usefixtures("ana")
def test_a_source_without_files_takes_no_folder(tmp_path: Path) -> None:
    done = bridge("connect", "google_calendar", "--user", "ana", "--folder", str(tmp_path))
    assert done.returncode == 2
    assert "reads no files" in done.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("ana")
@pytest.mark.timeout(300)
def test_every_sample_is_read_or_named() -> None:
    """All of the samples at once: nothing crashes, and every file that failed has one clear line."""
    rows = {row["source"]: row for row in printed("import", str(sample("")), "--user", "ana", code=1)}
    assert set(rows) == {"garmin", "apple_health", "health_auto_export", "ics", "-"}
    assert rows["garmin"]["files"] > 400
    assert rows["garmin"]["samples"] > 1500
    assert rows["apple_health"]["outcome"] == "ok"
    assert rows["ics"]["events"] > 1000
    for row in rows.values():
        for failed in row["failed_files"]:
            assert failed["reason"]
            assert "\n" not in failed["reason"]


@pytest.mark.usefixtures("ana")
def test_a_journal_that_is_left_alone_is_told() -> None:
    place = str(lab.fixtures("whoop") / "export" / "journal_entries.csv")
    (row,) = printed("import", place, "--user", "ana")
    ((what, answers),) = row["left_out"].items()
    assert f"whoop: {answers} {what}" in bridge("import", place, "--user", "ana").stdout
    assert "journal" in what


@pytest.mark.parametrize("source", ["whoop", "oura"])
def test_saved_answers_of_an_account_are_refused_with_the_way_to_them(tmp_path: Path, source: str) -> None:
    rows = {"whoop": {"records": [{"id": 1, "score_state": "SCORED"}]}, "oura": {"data": [{"id": "1", "day": "x"}]}}
    place = tmp_path / "saved.json"
    place.write_text(json.dumps(rows[source] | {"next_token": None}), encoding="utf-8")
    assert bridge("user", "add", "ana").returncode == 0
    refused = bridge("import", str(place), "--user", "ana")
    assert refused.returncode == 2
    assert "bridge connect SOURCE --user ana" in refused.stderr
    assert "bridge sources" in refused.stderr  # which names them
    assert "API v2" not in refused.stderr
