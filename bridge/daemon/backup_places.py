"""Places in which an installation keeps its own backups, a folder or a bucket at an S3-compatible address.

The address comes from the operator's settings, and no user can change it. Backups are encrypted before they go there.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bridge import origin
from bridge.domain.errors import SetupError
from bridge.store import parts
from bridge.store.database import as_setup_error

if TYPE_CHECKING:
    from obstore.store import S3Store

    from bridge.config import Settings

FILE_NAME_FORMAT = "bridge-%Y%m%dT%H%M%SZ.age"
CODE = re.compile(r"<Code>(\w{1,60})</Code>")  # of a refusal, such as NoSuchBucket
LISTED_MAX = 10_000  # objects of a bucket that are looked at
FETCHED_MAX_BYTES = 100 * 2**30
CONNECT_SECONDS, SILENT_SECONDS, TRANSFER_SECONDS, RETRY_SECONDS = 10, 300, 3600, 60  # of a request, and to try again
SENT_AT_ONCE = 2  # pieces of five megabytes, so that a slow line sends each before the server counts as silent


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """A backup at a place, with its name, the instant at which it was made, and its size in bytes."""

    name: str
    at: datetime
    bytes: int


@dataclass(frozen=True, slots=True)
class Folder:
    """The folder of ``BRIDGE_BACKUPS``. It is never created, as it may lie on a disk that is not attached."""

    path: Path
    kind = "folder"

    def found(self) -> list[Saved]:
        """Return the bridge's backups in the folder, the oldest first."""
        paths = [(path, made_at(path.name)) for path in self.path.glob("bridge-*.age")]
        return _sorted(Saved(name=p.name, at=at, bytes=p.stat().st_size) for p, at in paths if at is not None)

    def save(self, sealed: Path, name: str) -> None:
        """Copy a file into the folder, where it appears only when complete. Raises SetupError if that fails."""
        if not self.path.is_dir():
            raise SetupError(f"the folder {self.path} of BRIDGE_BACKUPS is not there; make it or attach its disk")
        explained = as_setup_error(f"{self.path / name} cannot be written", "choose another place")
        with explained, parts.part_of(self.path / name) as part:
            shutil.copy(sealed, part)

    def fetch(self, name: str, to: Path) -> None:
        """Copy a backup out of the folder. Raises SetupError if it cannot be read."""
        with as_setup_error(f"{self.path / name} cannot be read", "make room, or attach its disk"):
            shutil.copy(self.path / name, to)

    def delete(self, name: str) -> None:
        (self.path / name).unlink(missing_ok=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """The bucket of ``BRIDGE_BACKUPS_S3`` at the URL ``endpoint``. Backups lie below ``prefix`` in it.

    ``key`` and ``secret`` are an access key that may list, read, write and delete there.
    """

    endpoint: str
    bucket: str
    prefix: str
    region: str
    key: str
    secret: str = field(repr=False)
    kind = "s3"

    def found(self) -> list[Saved]:
        """Return the bridge's backups in the bucket, the oldest first. Raises SetupError if the server fails."""
        import obstore

        with _told():
            pages, met = obstore.list(self._store(), chunk_size=1000), list[Saved]()
            for number, page in enumerate(pages):
                named = [(one["path"], one["size"], made_at(one["path"])) for one in page]
                met += [Saved(name=name, at=at, bytes=size) for name, size, at in named if at is not None]
                if (number + 1) * 1000 >= LISTED_MAX:
                    break
        return _sorted(met)

    def save(self, sealed: Path, name: str) -> None:
        """Send a file to the bucket, where it appears only when complete. Raises SetupError if the server fails."""
        import obstore

        with _told():
            obstore.put(self._store(), name, sealed, max_concurrency=SENT_AT_ONCE)

    def fetch(self, name: str, to: Path) -> None:
        """Fetch the backup ``name`` from the bucket into the file ``to``. Raises SetupError if that fails."""
        import obstore

        with _told(), as_setup_error(f"{to} cannot be written", "make room"), to.open("wb") as file:
            for piece in obstore.get(self._store(), name).stream():
                file.write(piece)
                if file.tell() > FETCHED_MAX_BYTES:
                    raise SetupError(
                        f"{name} in the bucket of BRIDGE_BACKUPS_S3 is too large for a backup; choose another: bridge "
                        "backups"
                    )

    def delete(self, name: str) -> None:
        import obstore

        with _told():
            obstore.delete(self._store(), name)

    def _store(self) -> S3Store:
        from obstore.store import S3Store

        return S3Store(
            self.bucket,
            prefix=self.prefix or None,
            endpoint=self.endpoint,
            region=self.region,
            access_key_id=self.key,
            secret_access_key=self.secret,
            virtual_hosted_style_request=False,
            client_options={
                "allow_http": True,  # for a server in the operator's network; what goes there is encrypted
                "connect_timeout": timedelta(seconds=CONNECT_SECONDS),
                "read_timeout": timedelta(seconds=SILENT_SECONDS),
                "timeout": timedelta(seconds=TRANSFER_SECONDS),
            },
            retry_config={"max_retries": 3, "retry_timeout": timedelta(seconds=RETRY_SECONDS)},
        )


Place = Folder | Bucket


def places_of(settings: Settings) -> list[Place]:
    """Return the places of backups in the settings, the folder first. Raises SetupError if a setting is wrong."""
    found: list[Place] = [Folder(Path(settings.backups))] if settings.backups else []
    return [*found, _bucket(settings)] if settings.backups_s3 else found


def _bucket(settings: Settings) -> Bucket:
    address = urlsplit(settings.backups_s3)
    bucket, _, prefix = address.path.strip("/").partition("/")
    if address.scheme not in ("https", "http") or not address.hostname or "@" in address.netloc or not bucket:
        raise SetupError(
            "BRIDGE_BACKUPS_S3 must be a bucket's address, e.g. https://s3.example.org/BUCKET/FOLDER; "
            "correct it, then: bridge doctor"
        )
    if not settings.backups_s3_key or not settings.backups_s3_secret:
        raise SetupError(
            "the bucket of BRIDGE_BACKUPS_S3 needs its access key: set BRIDGE_BACKUPS_S3_KEY and "
            "BRIDGE_BACKUPS_S3_SECRET, then: bridge doctor"
        )
    return Bucket(
        endpoint=f"{address.scheme}://{address.netloc}",
        bucket=bucket,
        prefix=prefix,
        region=settings.backups_s3_region,
        key=settings.backups_s3_key,
        secret=settings.backups_s3_secret,
    )


@contextmanager
def _told() -> Iterator[None]:
    """Turn an error of a bucket request in the block into a SetupError with the error's short code."""
    try:
        from obstore.exceptions import BaseError
    except ImportError:
        raise origin.lacking("s3") from None
    try:
        yield
    except (BaseError, FileNotFoundError, PermissionError, ValueError) as error:
        code = CODE.search(str(error))
        why = code[1] if code else type(error).__name__
        raise SetupError(
            f"the bucket of BRIDGE_BACKUPS_S3 failed ({why}); check BRIDGE_BACKUPS_S3, BRIDGE_BACKUPS_S3_KEY and "
            "BRIDGE_BACKUPS_S3_SECRET, then: bridge doctor"
        ) from None


def made_at(name: str) -> datetime | None:
    """Return the UTC instant in a backup's name, such as ``bridge-20261120T090000Z.age``, or None for other names."""
    try:
        return datetime.strptime(name, FILE_NAME_FORMAT).replace(tzinfo=UTC)
    except ValueError:
        return None


def _sorted(saved: Iterator[Saved] | list[Saved]) -> list[Saved]:
    return sorted(saved, key=lambda one: one.at)
