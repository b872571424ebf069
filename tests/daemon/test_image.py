"""The image runs as its own user on a read-only root, stops in time, and keeps its data through what befalls it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from bridge.store import Store
from lab.people.apple import Plan, write_zip
from lab.people.other_life import choir_account
from tests.daemon.root_tree import ROOT, Running, built, instruction, needs_namespaces, running
from tests.web.served import Visitor

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900), needs_namespaces]
EARLIER = "32c061eb4cb2b27e0ba2bf5fa16f35c29536b482"  # a commit before 0.1.0, with the tables of 0.1.0
DAYS, ZONE, PASSWORD = 40, "Europe/Berlin", "a long password of hers"
BEGIN = f"""
inside rhythm-bridge user add ana --zone {ZONE}
echo '{PASSWORD}' | inside rhythm-bridge user password ana
"""
KINDS = ("samples", "episodes", "events", "tasks")


def folders(at: Path, *names: str) -> list[Path]:
    """Make folders and return them."""
    made = [at / name for name in names]
    for folder in made:
        folder.mkdir()
    return made


def test_its_root_file_system_starts_healthy_read_only_and_stops(tmp_path: Path) -> None:
    wheels, data = folders(tmp_path, "wheels", "data")
    only_data = "inside sh -c 'if touch /opt/written 2>/dev/null; then exit 9; fi; touch /data/written'\n"
    assert instruction("USER") == "bridge"
    with running(built(ROOT, wheels), data, [only_data, BEGIN]) as image:
        status = Path(f"/proc/{image.first}/status").read_text()
        assert re.search(r"^Uid:\t10001\t10001\t10001\t10001$", status, re.MULTILINE)
        begun = time.monotonic()
        os.kill(image.first, signal.SIGTERM)
        assert image.process.wait(timeout=30) == 0
        assert time.monotonic() - begun < 10


@pytest.mark.postgres
def test_its_data_survive_kills_an_upgrade_and_the_loss_of_the_machine(tmp_path: Path, postgres_url: str) -> None:
    """Each start makes the root file system anew, as after a reboot. The clock stands a week ago until the loss."""
    old_wheel, wheel = earlier_wheel(tmp_path), built(ROOT, *folders(tmp_path, "wheels"))
    data, fresh = folders(tmp_path, "data", "fresh")
    then = datetime.now(UTC) - timedelta(days=7)
    write_files(data, then.date())
    importing = "".join(
        f"inside rhythm-bridge import /data/{path.name} --user ana\n" for path in sorted(data.iterdir())
    )

    with running(old_wheel, data, [BEGIN, f"( {importing} ) &\n"], now=then.isoformat()):
        wait_until(lambda: old_rows(data, "samples") > 0)  # leaving kills, here in the middle of an import
    with running(old_wheel, data, [importing], now=then.isoformat()) as image:
        look(image)
    held, advised = sum(old_rows(data, name) for name in KINDS), old_rows(data, "recommendations")
    assert held > 1000
    assert advised == 1

    (data / "backups").mkdir()
    upgraded = {"now": (then + timedelta(days=1)).isoformat(), "backups": "/data/backups"}
    with running(wheel, data, **upgraded) as image:
        look(image)
        wait_until(lambda: any((data / "backups").glob("*.age")))
    (backup,) = (data / "backups").glob("*.age")
    kept = rows(f"sqlite:///{data}/bridge.db")
    assert kept == (held, advised + 1)
    for path in (data / "key", data / "backup.key", backup):
        shutil.copy(path, fresh)
    shutil.rmtree(data)

    restoring = f"inside rhythm-bridge restore /data/{backup.name} --identity /data/backup.key\n"
    with running(wheel, fresh, [restoring], database=postgres_url) as image:
        look(image)
    with running(wheel, fresh, database=postgres_url) as image:
        look(image)
    assert not (fresh / "bridge.db").exists()
    assert rows(postgres_url)[0] == held
    assert rows(postgres_url)[1] > kept[1]


def look(image: Running) -> None:
    """Log in by the password of the first day, and see the day and a recommendation, or why there is none."""
    visitor = Visitor(image.url)
    assert visitor.log_in("ana", PASSWORD).status_code == 303
    assert visitor.get("/").status_code == 200
    assert 'id="advice"' in visitor.get("/advice", headers={"HX-Request": "true"}).text


def old_rows(data: Path, table: str) -> int:
    """The rows of a table of the earlier store, 0 before it is there."""
    try:
        with closing(sqlite3.connect(f"file:{data}/bridge.db?mode=ro", uri=True)) as db:
            (count,) = db.execute(f"SELECT count(*) FROM {table}").fetchone()  # noqa: S608 - a name of ours
    except sqlite3.OperationalError:
        return 0
    return int(count)


def rows(database: str) -> tuple[int, int]:
    """The measurements and entries of the user, and her recommendations."""
    with closing(Store(database)) as store:
        user = store.people.user("ana")
        counts = store.reading.counts(user.id)
        advice = store.recommendations.newest(user.id, before=None, limit=100)
    return sum(sum(kinds.values()) for kinds in counts.values()), len(advice)


def wait_until(is_so: Callable[[], bool], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.2)


def earlier_wheel(tmp_path: Path) -> Path:
    """Build the wheel of an earlier commit. Skips where the history is not at hand."""
    if subprocess.run(["git", "cat-file", "-e", EARLIER], cwd=ROOT, capture_output=True).returncode:
        pytest.skip("the history of the repository is not here")
    source, wheels = folders(tmp_path, "earlier", "earlier-wheels")
    archive = subprocess.run(["git", "archive", EARLIER], cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "x", "-C", str(source)], input=archive, check=True)
    return built(source, wheels)


def write_files(folder: Path, last: date) -> None:
    """Write the export of a phone with a watch, and a calendar."""
    write_zip(Plan(seed=7, home=ZONE, last=last, days=DAYS, hour=0, sparse=True), folder / "export.zip")
    lines = choir_account(last, DAYS)["text"]
    (folder / "choir.ics").write_text("\r\n".join(lines) + "\r\n", encoding="utf-8")
