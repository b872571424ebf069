"""A made-up person in this installation, for a first look.

Their vendors run for some seconds in a process of its own, whose settings are not ours; what came of it is put in as an
export would be: without consents, so that nothing ever asks the real vendors about them.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from bridge import app, archive
from bridge.errors import SetupError
from bridge.lab.demo import CLOCK, NAME, ZONE
from bridge.web.jobs import Job
from bridge.web.site import Site

SECONDS = 300


def begin(site: Site) -> Job:
    """Let the person live; one at a time."""
    running = next(iter(site.jobs.running(None)), None)
    return running or site.jobs.start(None, "A made-up person", lambda job: _live(site, job))


def _live(site: Site, job: Job) -> None:
    now, store = app.now(), site.bridge.store
    with tempfile.TemporaryDirectory(prefix="rhythm-bridge-life-") as folder:
        job.text = "Living 75 days, and syncing them over HTTP from vendors on this machine"
        _lived(Path(folder) / "life", last_morning(now))
        job.text = "Keeping what was measured"
        tables = archive.read(Path(folder) / "life")
    with store.transaction():
        user = store.add_user(NAME, ZONE, now=now)
        store.restore(user.id, tables)


def _lived(folder: Path, morning: datetime) -> None:
    command = [sys.executable, "-m", "bridge.lab.life", str(folder), morning.date().isoformat()]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=SECONDS)  # noqa: S603 - our own module
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired, OSError):
        raise SetupError("the made-up person could not be made; see what is wrong with: bridge demo") from None


def last_morning(now: datetime) -> datetime:
    """The last time it was the hour at which the demo person is met."""
    local = now.astimezone(ZoneInfo(ZONE))
    today = datetime.combine(local.date(), CLOCK, ZoneInfo(ZONE))
    return today if today <= local else today - timedelta(days=1)
