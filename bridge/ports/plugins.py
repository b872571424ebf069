"""What a source and a classifier have to offer, and what they are given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, BinaryIO, Protocol

from bridge.metrics import Metric
from bridge.types import Item, Label, Page, Plan, RawRecord
from rhythm_env.interface import ZoneHistory


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting of a source or a classifier, read from ``BRIDGE_<PLUG-IN>_<NAME>`` or the settings file."""

    name: str
    help: str
    default: str | None = None
    secret: bool = False
    whole: bool = False  # a whole number, not negative, of at most five digits


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorSpec:
    """A source in plain data; importing it loads nothing heavy. Dotted paths are ``module:name``.

    ``normalise(record, parent) -> Sequence[Item]`` is pure. ``opens`` is called as ``opens(account)`` and gives a
    ``Connector``. ``authorise(account, browser)`` obtains consent. ``recognise(file) -> bool`` looks at name and head
    of a file; ``read(file, zone=) -> Iterator[Page]`` reads it; folders and zips were walked before; one with
    ``file_settings`` is given them as ``settings=``, by name, and one that ``reads_zones`` the zones the person has
    lived in as ``zones=``. ``receive(headers, file)`` looks whether a push can be read as such a file and raises
    ``BadRecord`` if not. ``notice(headers, body, settings=, now=) -> Notice | None``
    reads a webhook, raises ``Forged``, and gives None for what is of no use; its connector then has ``fetch(stream,
    key, now=) -> Iterator[Page]``. Header names are in lower case. ``watch(account, address, now=) -> str | None`` asks
    to have changes pushed to an address, or (None) no longer, and gives the member that such notices name; it is called
    after every sync. ``writes`` is a ``Writer``; where there is one, ``authorise(account, browser, write=True)`` asks
    to write as well. None: it cannot.
    """

    name: str
    title: str
    delivers: frozenset[Metric | str]  # metrics, and the words "episodes", "events", "tasks"
    streams: tuple[str, ...]
    normaliser: str
    normaliser_version: int = 1
    cursor_version: int = 1
    overlap: timedelta = timedelta(days=7)  # trailing window every sync reads again
    settings: tuple[Setting, ...] = ()
    opens: str | None = None
    authorises: str | None = None
    revokes: str | None = None
    recognises: str | None = None
    reads: str | None = None
    writes: str | None = None
    file_settings: tuple[Setting, ...] = ()
    remembers_files: bool = False  # a file that was imported whole holds nothing new when it comes again
    reads_zones: bool = False  # a file holds years, and the person may have moved
    receives: str | None = None
    keeps_raw: bool = True
    notices: str | None = None
    watches: str | None = None
    shares_limit: bool = False  # the source counts the requests of all its accounts together
    cadence: timedelta = timedelta(minutes=30)  # between two syncs that went well; what is told shortens it
    at_once: int = 4  # accounts that are synced at the same time
    lasting: frozenset[str] = frozenset()  # streams whose raw records later ones are read with: they are kept


class Account(Protocol):
    """One user's consent at one source, as a connector sees it."""

    @property
    def settings(self) -> Mapping[str, str]:
        """The source's settings by name."""
        ...

    @property
    def zone(self) -> str:
        """The IANA zone the person lives in now, for sources that do not tell theirs."""
        ...

    def token(self) -> dict[str, Any] | None:
        """The stored token, unsealed; None before the first consent."""
        ...

    def save_token(self, token: Mapping[str, Any]) -> None:
        """Seal and keep a token; it is durable when this returns."""
        ...

    def swapping(self) -> AbstractContextManager[None]:
        """Inside, no other process swaps this account's token: the one that is stored is the one that counts."""
        ...


class Connector(Protocol):
    """An open source."""

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        """Pages of one stream after ``cursor``; raises the errors of ``bridge.errors`` and catches none of them.

        A cursor is set on a page only where it is safe to resume after that page has landed.
        """
        ...

    def close(self) -> None:
        """Let go of the network; nothing is pulled afterwards."""
        ...


class Told(Connector, Protocol):
    """An open source that gives notices."""

    def fetch(self, stream: str, key: str, *, now: datetime) -> Iterator[Page]:
        """The record a notice is about and what leads to it, as pages; nothing when it is gone."""
        ...


class Writer(Protocol):
    """What ``ConnectorSpec.writes`` points to."""

    def __call__(self, account: Account, plans: Sequence[Plan], *, now: datetime) -> Sequence[str]:
        """Make the person's calendar of accepted advice hold exactly ``plans``, of those that are not over.

        Doing it again changes nothing. Returns the keys of plans the person has deleted there after agreeing to them.
        Touches nothing it has not written itself; called only where the person has agreed to writing. Raises the errors
        of ``bridge.errors``; what was not done then is done the next time.
        """
        ...


Normaliser = Callable[[RawRecord, RawRecord | None], Sequence[Item]]


class Browser(Protocol):
    """How a consent reaches the person."""

    def open(self, url: str) -> None:
        """Show ``url``."""
        ...

    def paste(self) -> str | None:
        """The redirected URL typed in by the person, or None when only the loopback redirect is wanted."""
        ...

    def ask(self, question: str) -> str | None:
        """A secret the person types in (it is not shown), e.g. an API key; None when nobody is there to answer."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """What a classifier may look at of an event: never more than this."""

    title: str
    start_hour: int | None = None  # local
    minutes: float | None = None
    all_day: bool = False
    others: int = 0
    organised_by_me: bool = True
    conference: bool = False
    recurring: bool = False
    kind: str = "default"
    private: bool = False  # nothing of it may leave the machine


class EventClassifier(Protocol):
    """Event -> action type.

    Its module offers ``open_classifier()``; one that needs settings declares ``SETTINGS: tuple[Setting, ...]`` and
    offers ``open_classifier(settings, folder)`` with them by name and the bridge's folder for what it keeps.
    """

    name: str
    version: int

    def classify(self, events: Sequence[Invitation]) -> list[Label]:
        """One label per event, in order; never raises on a title."""
        ...


class File(Protocol):
    """One file, on disk or in a zip."""

    @property
    def name(self) -> str:
        """The last part, e.g. ``export.xml``."""
        ...

    @property
    def path(self) -> str:
        """Where it was found, below what was asked for, e.g. ``export.zip/apple_health_export/export.xml``."""
        ...

    @property
    def size(self) -> int:
        """Bytes, unpacked."""
        ...

    @property
    def head(self) -> bytes:
        """The first 4096 bytes."""
        ...

    @property
    def digest(self) -> str | None:
        """The same for the same content, whatever the file is called; None for one that is incomplete."""
        ...

    def open(self) -> BinaryIO:
        """The content from its beginning, not necessarily seekable."""
        ...


class FileReader(Protocol):
    """What ``ConnectorSpec.reads`` points to."""

    def __call__(self, file: File, *, zone: str, **more: Mapping[str, str] | ZoneHistory) -> Iterator[Page]: ...
