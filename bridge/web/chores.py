"""What takes longer than a page may: consents, syncs, imports and exports."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, BinaryIO
from uuid import uuid4

from starlette.responses import StreamingResponse

from bridge import app, archive
from bridge.cli.data import no_source, row
from bridge.errors import SetupError
from bridge.ports import ConnectorSpec
from bridge.web import words
from bridge.web.jobs import Job

if TYPE_CHECKING:
    from bridge.sync import OnPage
    from bridge.types import Outcome
    from bridge.web.site import Visit

PIECE = 1 << 20  # bytes
SPARE = 500_000_000  # bytes of disk that an upload leaves free


def consent(visit: Visit, spec: ConnectorSpec, *, write: bool, elsewhere: bool) -> Job:
    """Obtain consent, of somebody at this machine or ``elsewhere``, then sync for the first time."""
    title = words.named(spec.title)[0]

    def work(job: Job) -> list[dict[str, Any]]:
        job.text, job.elsewhere = f"Waiting for {title}", elsewhere
        app.connect(visit.bridge, visit.user, spec.name, job, write=write)
        job.url, job.text = None, "Connected. Fetching what is there"
        return _synced(visit, spec, job)

    return _once(visit, title, work)


def refresh(visit: Visit, spec: ConnectorSpec) -> Job:
    """Sync a source now."""
    return _once(visit, words.named(spec.title)[0], partial(_synced, visit, spec))


def _once(visit: Visit, title: str, work: Any) -> Job:
    """The person's job of that title that is running, or a new one."""
    running = (job for job in visit.site.jobs.running(visit.user.id) if job.title == title)
    return next(running, None) or visit.site.jobs.start(visit.user.id, title, work)


def _synced(visit: Visit, spec: ConnectorSpec, job: Job) -> list[dict[str, Any]]:
    def watch(_source: str) -> OnPage:
        def landed(stream: str, records: int) -> None:
            job.done += records
            job.text = f"{job.done} records, last from {stream.replace('_', ' ')}"

        return landed

    return _told(app.sync_user(visit.bridge, visit.user, spec.name, at=app.now(), watch=watch))


def _told(outcomes: list[Outcome]) -> list[dict[str, Any]]:
    """Outcomes as ``--json`` prints them."""
    return [row(outcome) for outcome in outcomes]


async def received(visit: Visit, name: str, body: AsyncIterator[bytes]) -> Path:
    """Write an upload to disk; what has come of one that breaks off is deleted. Raises SetupError on a full disk."""
    from starlette.concurrency import run_in_threadpool

    folder = visit.bridge.settings.uploads / str(visit.user.id) / uuid4().hex
    folder.mkdir(parents=True, mode=0o700)
    place = folder / _safe(name)
    try:
        with place.open("xb") as file:
            async for piece in body:
                if shutil.disk_usage(folder).free < SPARE:
                    raise SetupError("the disk is nearly full; make room, then send the file again")
                await run_in_threadpool(file.write, piece)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return place


def _safe(name: str) -> str:
    """A file's own name without where it was; sources look at it to recognise a file.

    >>> _safe("../../etc/passwd"), _safe("C:\\\\Users\\\\ana\\\\export.zip"), _safe("..")
    ('passwd', 'export.zip', 'file')
    """
    last = PurePosixPath(name.replace("\\", "/")).name
    kept = "".join(c for c in last if c.isprintable()).lstrip(".").encode("utf-8", "ignore")[-200:]
    return kept.decode("utf-8", "ignore") or "file"


def import_file(visit: Visit, place: Path) -> Job:
    """Import an upload, and delete it."""

    def work(job: Job) -> list[dict[str, Any]]:
        job.text = "Reading"
        try:
            done = app.import_path(visit.bridge, visit.user, place, at=app.now(), on_bytes=lambda _source: job.progress)
            return _told([*done.outcomes, *no_source(done)])
        finally:
            shutil.rmtree(place.parent, ignore_errors=True)

    return visit.site.jobs.start(visit.user.id, place.name, work)


def exported(visit: Visit) -> StreamingResponse:
    """A zip of everything a person has but their consents. Once it is open nothing of it is left on the disk,
    whatever comes of the answer.
    """
    name = f"{visit.user.name}-export"
    with tempfile.TemporaryDirectory(prefix="rhythm-bridge-export-") as folder:
        made = _packed(visit, Path(folder), name)
        size, file = made.stat().st_size, made.open("rb")
    headers = {"Content-Length": str(size), "Content-Disposition": f'attachment; filename="{made.name}"'}
    return StreamingResponse(_pieces(file), media_type="application/zip", headers=headers)


def _packed(visit: Visit, folder: Path, name: str) -> Path:
    archive.write(visit.bridge.store.dump(visit.user.id), folder / "tables", "json")
    with zipfile.ZipFile(folder / f"{name}.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for file in sorted((folder / "tables").iterdir()):
            packed.write(file, f"{name}/{file.name}")
    return folder / f"{name}.zip"


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while piece := file.read(PIECE):
            yield piece
