"""Run syncs of a user's accounts and folders, imports of files, and normalise stored raw records anew."""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from bridge import leases, registry
from bridge.auth.account import StoredAccount as StoredAccount
from bridge.domain.errors import BridgeError, SetupError
from bridge.domain.languages import Text, say, say_many
from bridge.domain.ports import Connector, ConnectorSpec
from bridge.domain.records import FOLDER_CONNECTION, IMPORT_CONNECTION, PUSH_CONNECTION, Connection, RecordResult, User
from bridge.domain.slots import zone_at
from bridge.domain.types import Outcome, Page
from bridge.ingest import archive, folder_pages, imports, webhooks
from bridge.ingest.connecting import WRITES_FIELD, connections_of
from bridge.ingest.files import find_files
from bridge.ingest.imports import SETTLE
from bridge.ingest.outcomes import SyncCounts
from bridge.ingest.pacing import Ration
from bridge.ingest.sync import OnPage, Source, ignore_page, store_page, store_records, sync, under_lease
from bridge.installation import Bridge, normaliser, now
from bridge.leases import Lease, held

if TYPE_CHECKING:
    from bridge.store import Store

IMPORT_PATIENCE = timedelta(minutes=10)  # an import waits so long for another import of its source
TRANSACTION_RECORDS = 30  # a commit takes longer than a page of a file


def sync_user(
    bridge: Bridge,
    user: User,
    source: str | None,
    *,
    at: datetime,
    watch: Callable[[str], OnPage] | None = None,
) -> list[Outcome]:
    """Sync the user's accounts, folders and pushes, and return all outcomes. A ``source`` of None means all sources.

    ``watch(source)`` returns a function that is called with each page's (stream, number of records). Raises SetupError
    if there is nothing to sync.
    """
    live = [c for c in connections_of(bridge, user, source) if bridge.store.connections.secret(c.id) is not None]
    if not live:
        command = f"bridge connect {source or 'SOURCE'} --user {user.name}"
        raise SetupError(say("{user} has no connection to sync; make one: {command}", user=user.name, command=command))
    alone = replace(bridge)  # a copy has its own lease holder: two threads with one holder would both get the lease
    return [sync_connection(alone, user, c, at=at, on_page=watch(c.source) if watch else ignore_page) for c in live]


def ration(bridge: Bridge, source: str) -> Ration:
    """Return the permission to send requests for a sync of ``source``, with none reserved yet."""
    block = len(registry.spec(source).streams)
    return Ration(store=bridge.store, source=source, rate=bridge.rate(source), block=block)


def room(bridge: Bridge, sources: Iterable[str]) -> dict[str, int]:
    """Return source -> number of syncs that its rate limit allows now."""
    rates = {source: bridge.rate(source) for source in sources}
    limited = {source: rate for source, rate in rates.items() if rate is not None}
    requests = bridge.store.rates.room(limited, now=datetime.now(UTC))
    return {
        source: requests[source] // ration(bridge, source).block if source in requests else sys.maxsize
        for source in rates
    }


def sync_connection(
    bridge: Bridge,
    user: User,
    connection: Connection,
    *,
    at: datetime,
    on_page: OnPage = ignore_page,
    claimed: Ration | None = None,
) -> Outcome:
    """Sync an account or folder of a user, and return the outcome, also if it cannot be opened.

    After success, accepted recommendations go to the account's calendar, and webhook subscriptions are renewed. A
    caller that already holds the lease (the lock on the connection) passes its permission as ``claimed``.
    """
    spec = registry.spec(connection.source)
    if claimed is None:
        leases.release_if_dead(bridge.store, connection)
    if connection.name.startswith(FOLDER_CONNECTION):
        return _sync_folder(bridge, user, connection, at=at, on_page=on_page)

    consent: dict[str, Any] = {}

    def opened() -> Connector:
        account = bridge.account(connection, spec, user)
        if spec.writes is not None or spec.watches is not None:
            consent.update(account.token() or {})
        connector: Connector = registry.resolve(spec.opens or "")(account)
        return connector

    source = Source(
        connection=connection,
        spec=spec,
        open=opened,
        normalise=normaliser(spec),
        ration=claimed or ration(bridge, spec.name),
        claimed=claimed is not None,
    )
    outcome = sync(source, bridge.store, holder=bridge.holder, now=at, on_page=on_page)
    if outcome.outcome == "ok":
        if consent.get(WRITES_FIELD):
            write_plans(bridge, user, connection, at=at)
        if webhooks.is_watched(spec, bridge.settings.url, consent):
            lease = Lease(store=bridge.store, connection=connection, holder=replace(bridge).holder, now=at)
            webhooks.subscribe(bridge.account(connection, spec), spec, bridge.settings.url, lease)
        webhooks.register(bridge, spec, bridge.settings.url, now=at)
    return outcome


def write_plans(bridge: Bridge, user: User, connection: Connection, *, at: datetime) -> bool:
    """Write the accepted recommendations to a connection's calendar. Return False if that must be tried again."""
    from bridge.advice import calendar_writer

    spec = registry.spec(connection.source)
    if spec.writes is None or bridge.store.connections.secret(connection.id) is None:  # as of the made-up person
        return True
    account = bridge.account(connection, spec)
    if not (account.token() or {}).get(WRITES_FIELD):
        return True
    write = partial(registry.resolve(spec.writes), account)
    lease = Lease(store=bridge.store, connection=connection, holder=replace(bridge).holder, now=at)
    return calendar_writer.keep(bridge, user, write, lease)


def _sync_folder(bridge: Bridge, user: User, connection: Connection, *, at: datetime, on_page: OnPage) -> Outcome:
    spec = registry.spec(connection.source)
    lease = Lease(store=bridge.store, connection=connection, holder=bridge.holder, now=at)
    account = StoredAccount(connection.id, {}, bridge.store, bridge.vault)
    try:
        folder = folder_pages.folder_of(connection, account, bridge.settings.inbox(user.id))
        settings = bridge.settings_of(user, spec.name, spec.file_settings)
    except BridgeError as error:
        source = Source(connection=connection, spec=spec, open=None, normalise=normaliser(spec))
        return record_refusal(source, error, lease)
    cursor = bridge.store.ingest.cursor(connection.id, imports.SEEN_FILES, spec.cursor_version)
    reading = folder_pages.FolderPages(spec, folder, zone_at(at, user.zones).key, cursor, user.zones, settings)
    reading.dated = connection.name != PUSH_CONNECTION
    return _sync_files(lease, spec, reading, on_page=on_page)


def _sync_files(lease: Lease, spec: ConnectorSpec, reading: FileReading, *, on_page: OnPage) -> Outcome:
    recurring = lease.connection.name.startswith(FOLDER_CONNECTION)
    source = Source(connection=lease.connection, spec=spec, open=None, normalise=normaliser(spec), recurring=recurring)
    return sync_files(source, reading, lease, on_page=on_page)


def import_path(
    bridge: Bridge,
    user: User,
    path: Path,
    *,
    at: datetime,
    source: str | None = None,
    settings: Mapping[str, str] = {},
    on_bytes: Callable[[str], imports.OnBytes] = lambda _: imports.ignore_bytes,
) -> imports.ImportResult:
    """Import a file or folder for a user, and return an outcome per source. A file's source is known by its content.

    ``settings`` are typed ones of the source. ``on_bytes(source)`` returns a function for progress. Raises SetupError
    if the path is missing, or if no source recognises any file and all are readable.
    """
    if not path.exists():
        raise SetupError(f"there is no file or folder {path}; check the path")
    with ExitStack() as stack:
        exported = archive.open_export(path, stack)
        if exported is not None:
            outcome = archive.restore(bridge.store, user.id, exported)
            return imports.ImportResult(outcomes=[outcome], unknown=[], unreadable=[])
        specs = registry.specs() if source is None else [registry.spec(source)]
        files = imports.recognise_files(find_files(path, stack), specs)
        if not files.known and not files.unreadable:
            raise SetupError(_nothing_known(path, user))
        outcomes = []
        for name, chosen_files in sorted(files.known.items()):
            spec = registry.spec(name)
            connection = bridge.store.connections.connect(user.id, name, IMPORT_CONNECTION, now=at)
            wanted = bridge.settings_of(user, name, spec.file_settings)
            with _import_turn(bridge, connection, at=at) as lease:
                reading = imports.FilePages(
                    spec,
                    chosen_files,
                    zone_at(at, user.zones).key,
                    {setting: settings.get(setting, value) for setting, value in wanted.items()},
                    bridge.store.ingest.cursor(connection.id, imports.IMPORTED_FILES, spec.cursor_version),
                    on_bytes(name),
                    zones=user.zones,
                    whole=path.is_dir() or len(chosen_files) > 1,
                    remembers=True,
                )
                if spec.remembers_parts:
                    reading.parts = bridge.store.ingest.cursor(connection.id, imports.PARTS_STREAM, spec.cursor_version)
                    reading.stored = partial(bridge.store.ingest.months, connection.id, spec.normaliser_version)
                outcomes.append(_sync_files(lease, spec, reading, on_page=ignore_page))
    return imports.ImportResult(outcomes=outcomes, unknown=files.unknown, unreadable=files.unreadable)


@contextmanager
def _import_turn(bridge: Bridge, connection: Connection, *, at: datetime) -> Iterator[Lease]:
    """Wait for the connection's lease (the lock on it), yield the lease for the import, and release it."""
    leases.release_if_dead(bridge.store, connection)
    holder = replace(bridge).holder
    Lease(store=bridge.store, connection=connection, holder=holder, now=at).wait(IMPORT_PATIENCE)
    try:
        yield Lease(store=bridge.store, connection=connection, holder=holder, now=at)
    finally:
        bridge.store.scheduling.release(connection.id, holder)


def _nothing_known(path: Path, user: User) -> Text:
    files = ", ".join(spec.title.partition(" (")[0] for spec in registry.specs() if spec.reads is not None)
    return say(
        "{file} is not an export this bridge can read. It reads exported files of {files}. Data of an account come by "
        "themselves once it is connected (see: bridge sources): {command}",
        file=path.name,
        files=files,
        command=f"bridge connect SOURCE --user {user.name}",
    )


def rebuild(
    bridge: Bridge, user: User, source: str | None, *, progress: Callable[[int, int], None] | None = None
) -> dict[str, list[RecordResult]]:
    """Normalise the stored raw records of ``source``, or of all sources if it is None, anew. Nothing is requested.

    Returns source -> results of its records. ``progress`` is called with (records done, all). Raises TryLater while a
    sync is running, and SetupError without a connection.
    """
    landings: dict[str, list[RecordResult]] = {}
    for connection in connections_of(bridge, user, source):
        spec = registry.spec(connection.source)
        leases.release_if_dead(bridge.store, connection)
        with held(Lease(store=bridge.store, connection=connection, holder=replace(bridge).holder, now=now())) as lease:
            told, version = lease.renewing(progress), spec.normaliser_version
            done = bridge.store.ingest.rebuild(connection, normaliser(spec), version=version, progress=told)
        landings.setdefault(connection.source, []).extend(done)
    return landings


def sync_files(source: Source, reading: FileReading, lease: Lease, *, on_page: OnPage) -> Outcome:
    """Store the pages that ``reading`` yields, and return the outcome, also after a failure.

    The caller holds ``lease``, the lock on the connection. ``on_page`` is called with each page's stream and number of
    records.
    """
    began, now = time.monotonic(), lease.now

    delivered: dict[str, set[str]] = defaultdict(set)

    def land(group: Group, counts: SyncCounts) -> None:
        for page, file, results in _store_group(source, lease.store, group, delivered, now=now):
            counts.add(page, results)
            reading.landed(file, page, results)
            on_page(page.stream, len(page.records))

    def read(counts: SyncCounts) -> None:
        groups = _grouped(_deletions_last(_dated(page, now) for page in reading), reading)
        while (group := next(groups, None)) is not None:
            lease.renew()
            land(group, counts)
            del group  # large, before the next is read
        if reading.failed:
            raise UnreadableFiles(
                say_many("{count} file was not read whole", "{count} files were not read whole", len(reading.failed))
            )

    outcome = under_lease(source, read, lease)
    return replace(
        outcome,
        files=reading.files,
        failed_files=(*reading.failed, *reading.failed_before),
        truncated=reading.truncated,
        unchanged=outcome.unchanged + reading.known,
        seconds=round(time.monotonic() - began, 3),
    )


def record_refusal(source: Source, error: BridgeError, lease: Lease) -> Outcome:
    """Save and return the failed outcome of a sync whose folder could not be opened."""

    def read(_counts: SyncCounts) -> None:
        raise error

    return under_lease(source, read, lease)


Group = list[tuple[Page, str]]  # pages with their files


def _grouped(pages: Iterable[Page], reading: FileReading) -> Iterator[Group]:
    group: Group = []
    records = 0
    try:
        for page in pages:
            if page.stream != SETTLE:
                group.append((page, reading.at))
                records += len(page.records)
            if page.cursor is not None or records >= TRANSACTION_RECORDS:
                yield group
                group, records = [], 0
    except BridgeError:
        yield group
        raise
    yield group


def _store_group(
    source: Source, store: Store, group: Group, delivered: dict[str, set[str]], *, now: datetime
) -> list[tuple[Page, str, list[RecordResult]]]:
    for page, _ in group:
        delivered[page.stream].update(record.key for record in page.records)
    plain = [(page, file) for page, file in group if _only_holds_records(page)]
    with store.transaction(durable=False):
        results = iter(store_records(source, store, [r for page, _ in plain for r in page.records], now=now))
        landed = [(page, file, [*islice(results, len(page.records))]) for page, file in plain]
        for page, file in group:
            if not _only_holds_records(page):
                spared = frozenset(delivered[page.stream] if page.covers else ())
                landed.append((page, file, store_page(source, store, page, spared, now=now)))
    return [(page, file, [_still_aside(result) for result in results]) for page, file, results in landed]


def _still_aside(result: RecordResult) -> RecordResult:
    return result if result.aside_before is None else replace(result, set_aside=result.aside_before)


def _only_holds_records(page: Page) -> bool:
    return page.cursor is None and page.covers is None and page.still is None


def _dated(page: Page, now: datetime) -> Page:
    """Return a page whose export dates are at most ``now``, because a later export must outrank it."""
    covers, records, still = page.covers, page.records, page.still
    if any(record.as_of is not None and record.as_of > now for record in records):
        records = tuple(replace(r, as_of=min(r.as_of, now)) if r.as_of is not None else r for r in records)
    if covers is not None and covers.as_of is not None:
        covers = replace(covers, as_of=min(covers.as_of, now))
    if still is not None:
        still = replace(still, as_of=min(still.as_of, now))
    return replace(page, records=records, covers=covers, still=still)


def _deletions_last(pages: Iterable[Page]) -> Iterator[Page]:
    """Yield the pages, with their deletions in pages after those with records, but before the next cursor."""
    waiting: list[Page] = []
    for page in pages:
        if page.cursor is not None:
            yield from waiting
            waiting = []
        if page.covers is not None:
            waiting.append(Page(stream=page.stream, records=(), covers=page.covers))
        yield replace(page, covers=None)
    yield from waiting


class FileReading(Protocol):
    files: int
    failed: list[tuple[str, str]]
    failed_before: list[tuple[str, str]]  # failed at an earlier sync and were not read again
    truncated: bool  # a file was cut off
    known: int  # records of files that were imported before and are not read again

    @property
    def at(self) -> str:
        """The path of the file being read."""
        ...

    def __iter__(self) -> Iterator[Page]: ...
    def landed(self, file: str, page: Page, results: Sequence[RecordResult]) -> None: ...


class UnreadableFiles(BridgeError):
    """Some files of an import were not read whole. Their readable parts are stored."""
