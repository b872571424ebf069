"""Run consents, syncs and imports in background jobs, because they take longer than a request.

An export is made within its request, and sent as a zip.
"""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, BinaryIO
from urllib.parse import quote
from uuid import uuid4

from starlette.responses import StreamingResponse

from bridge import installation, registry
from bridge.documents.connections import import_outcomes, outcome_document
from bridge.domain.errors import SetupError, TryLater
from bridge.domain.languages import Text, _, say, say_many
from bridge.domain.ports import ConnectorSpec
from bridge.ingest import archive, connecting, runs
from bridge.web import phrases
from bridge.web.arrivals import Stored, stored
from bridge.web.jobs import Job

if TYPE_CHECKING:
    from bridge.domain.types import Outcome
    from bridge.ingest.imports import ImportResult
    from bridge.ingest.sync import OnPage
    from bridge.web.state import Visit

EXPORT_CHUNK_BYTES = 1 << 20
MIN_FREE_DISK_BYTES = 500_000_000  # left free by an upload


def consent(visit: Visit, wanted: connecting.NewConsent, *, elsewhere: bool) -> Job:
    """Start and return a job that obtains the user's consent at a source and then syncs it.

    If such a job is running, it is returned. ``elsewhere`` is True if the browser runs on another machine than the
    bridge. Raises TryLater if the user has too many jobs.
    """
    spec = registry.spec(wanted.source)
    title = phrases.source_name(spec.title)[0]

    def connect_and_sync(job: Job) -> list[dict[str, Any]]:
        job.text, job.elsewhere = say("Waiting for {source}", source=title), elsewhere
        connecting.connect(visit.bridge, visit.user, wanted, job)
        job.url, job.text = None, say("Connected. Fetching the data")
        connected = {one.source for one in visit.bridge.store.connections.of_user(visit.user.id)}
        served = [spec, *(registry.spec(name) for name in wanted.also if name in connected)]
        return [row for one in served for row in _sync(visit, one, job)]

    return _start_once(visit, title, connect_and_sync)


def sync(visit: Visit, spec: ConnectorSpec) -> Job:
    """Start and return a job that syncs a source, or return the user's running job of that source.

    Raises TryLater if the user has too many jobs.
    """
    return _start_once(visit, phrases.source_name(spec.title)[0], partial(_sync, visit, spec))


def _start_once(visit: Visit, title: str, work: Any) -> Job:
    running = (job for job in visit.app.jobs.running(visit.user.id) if job.title == title)
    return next(running, None) or visit.app.jobs.start(visit.user.id, title, work)


def _sync(visit: Visit, spec: ConnectorSpec, job: Job) -> list[dict[str, Any]]:
    def watch(_source: str) -> OnPage:
        def on_page(stream: str, records: int) -> None:
            job.done += records
            job.text = say_many(
                "{count} record, last from {stream}",
                "{count} records, last from {stream}",
                job.done,
                stream=stream.replace("_", " "),
            )

        return on_page

    return _rows(visit, lambda: runs.sync_user(visit.bridge, visit.user, spec.name, at=installation.now(), watch=watch))


def _rows(visit: Visit, work: Callable[[], list[Outcome]]) -> list[dict[str, Any]]:
    """Return the outcomes of ``work`` as JSON documents with their ``title``, ``came`` (new data) and ``refusal``."""
    before = stored(visit.bridge.store, visit.user)
    outcomes = work()
    now = stored(visit.bridge.store, visit.user)
    return [
        {**outcome_document(outcome), "title": _title(outcome.source), "came": _came(before, now, outcome)}
        | {"refusal": outcome.not_permitted and registry.spec(outcome.source).refusal(outcome.not_permitted)}
        for outcome in outcomes
    ]


def _came(before: Stored, now: Stored, outcome: Outcome) -> list[Text]:
    return now.since(before, None if outcome.source == archive.EXPORT else outcome.source)


def _title(source: str) -> str:
    return phrases.source_title(source.removeprefix("-"))


async def receive_upload(visit: Visit, name: str, body: AsyncIterator[bytes]) -> Path:
    """Write an uploaded body to a file ``name`` in a new folder, and return its path.

    Raises SetupError if the disk is nearly full, TryLater if the user has too many uploads or jobs.
    """
    visit.app.jobs.check(visit.user.id)
    with visit.app.uploading.held(visit.user.id):
        return await _written(visit, name, body)


async def _written(visit: Visit, name: str, body: AsyncIterator[bytes]) -> Path:
    from starlette.concurrency import run_in_threadpool

    folder = visit.bridge.settings.uploads / str(visit.user.id) / uuid4().hex
    folder.mkdir(parents=True, mode=0o700)
    place = folder / _safe(name)
    try:
        with place.open("xb") as file:
            async for piece in body:
                if shutil.disk_usage(folder).free < MIN_FREE_DISK_BYTES:
                    raise SetupError(_("the disk is nearly full; make room, then send the file again"))
                await run_in_threadpool(file.write, piece)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return place


def _safe(name: str) -> str:
    """Return a file's name without its folders, because sources recognise some files by their name.

    >>> _safe("../../etc/passwd"), _safe("C:\\\\Users\\\\ana\\\\export.zip"), _safe("..")
    ('passwd', 'export.zip', 'file')
    """
    last = PurePosixPath(name.replace("\\", "/")).name
    kept = "".join(c for c in last if c.isprintable()).lstrip(".").encode("utf-8", "ignore")[-200:]
    return kept.decode("utf-8", "ignore") or "file"


def import_file(visit: Visit, place: Path) -> Job:
    """Start and return a job that imports the uploaded file ``place`` and then deletes the file's folder.

    Raises TryLater, after deleting the folder, if the user has too many jobs.
    """

    def imported(job: Job) -> ImportResult:
        return runs.import_path(
            visit.bridge, visit.user, place, at=installation.now(), on_bytes=lambda _source: job.progress
        )

    def import_and_delete(job: Job) -> list[dict[str, Any]]:
        job.text = say("Reading")
        try:
            return _rows(visit, lambda: import_outcomes(imported(job)))
        finally:
            shutil.rmtree(place.parent, ignore_errors=True)

    try:
        return visit.app.jobs.start(visit.user.id, place.name, import_and_delete)
    except TryLater:
        shutil.rmtree(place.parent, ignore_errors=True)
        raise


def export_zip(visit: Visit) -> StreamingResponse:
    """Return a response that streams a zip of the user's data, no secrets. Raises TryLater while one is streamed."""
    name = f"{visit.user.name}-export"
    with (
        visit.app.exporting.held(visit.user.id),
        tempfile.TemporaryDirectory(prefix="rhythm-bridge-export-") as folder,
    ):
        packed = _pack(visit, Path(folder), name)
        size, file = packed.stat().st_size, packed.open("rb")
    headers = {"Content-Length": str(size), "Content-Disposition": f"attachment; {_named(packed.name)}"}
    return StreamingResponse(_chunks(file), media_type="application/zip", headers=headers)


def _named(file: str) -> str:
    """Return a file's name as it stands in the header Content-Disposition, also beyond ASCII (RFC 6266).

    >>> _named("ana-export.zip"), _named("Зоя.zip")
    ('filename="ana-export.zip"', "filename*=UTF-8''%D0%97%D0%BE%D1%8F.zip")
    """
    return f'filename="{file}"' if file.isascii() else f"filename*=UTF-8''{quote(file)}"


def _pack(visit: Visit, folder: Path, name: str) -> Path:
    archive.write(visit.bridge.store.exports.dump(visit.user.id), folder / "tables", "json")
    with zipfile.ZipFile(folder / f"{name}.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for file in sorted((folder / "tables").iterdir()):
            packed.write(file, f"{name}/{file.name}")
    return folder / f"{name}.zip"


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while chunk := file.read(EXPORT_CHUNK_BYTES):
            yield chunk
