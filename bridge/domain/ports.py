"""The protocols of plug-ins (connectors, classifiers and policies) and the values that are passed to plug-ins."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, BinaryIO, NamedTuple, Protocol

from bridge.domain.languages import say
from bridge.domain.metrics import Metric
from bridge.domain.shareable import Shareable
from bridge.domain.slots import ZoneHistory
from bridge.domain.types import Item, Label, Page, Plan, RawRecord
from rhythm_env.interface import ActionType, Observation, Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A setting of a plug-in, read from ``BRIDGE_<PLUG-IN>_<NAME>`` or ``config.toml``.

    It is required if it has no ``default``. A ``secret`` is never shown. A ``personal`` setting is never used for
    another user.
    """

    name: str
    help: str
    default: str | None = None
    secret: bool = False
    personal: bool = False
    whole: bool = False  # a whole number of at most five digits
    asked: str | None = None  # the label under which the page asks for it with the consent; None is not asked
    shared: str | None = None  # a name for several sources, whose setting counts where the source's own is missing


CA = Setting(
    name="ca",
    help="a file with the certificate of your own server, or of the authority that signed it (PEM)",
    default="",
    personal=True,
)


def client_settings(application: str) -> tuple[Setting, Setting]:
    """Return the settings for client id and secret of an OAuth application, called ``application`` in the help."""
    return (
        Setting(name="client_id", help=f"the client id of {application}"),
        Setting(name="client_secret", help=f"the client secret of {application}", secret=True),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """The steps by which a person registers an own application at a vendor, to get a client id and secret.

    ``token_url`` is the server that checks the id and secret. It is None if the source's ``oauth`` names the server.
    """

    address: str
    steps: tuple[str, ...]
    token_url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """The field names of JSON answers that state a status of their own, such as ``{"status": 0, "body": {...}}``.

    Status 0 is success. ``meanings`` maps any other status to an HTTP status, which is 400 for a status not in the map.
    """

    status: str = "status"
    body: str = "body"
    meanings: Mapping[int, int] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Revocation:
    """The request that withdraws a user's consent at a source.

    The token is sent in the form field ``form``, or in ``address`` in place of ``{access_token}``. If neither is given,
    the token is sent in the header ``Authorization``.
    """

    address: str
    method: str = "POST"
    form: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuth:
    """The addresses and options of a source's OAuth 2. Addresses may name settings, as in ``{base_url}/oauth/token``.

    Port 0 in ``redirect`` is any free port. With ``basic`` the client id and secret are sent by HTTP Basic, otherwise
    in the form.
    """

    authorise_url: str
    token_url: str
    scopes: tuple[str, ...]
    redirect: str = "http://127.0.0.1:0/"
    device_url: str | None = None  # where a short code is given that the user types at the vendor (RFC 8628)
    pkce: bool = False
    basic: bool = False
    scope_separator: str = " "
    authorise_parameters: Mapping[str, str] = field(default_factory=dict, hash=False)
    token_parameters: Mapping[str, str] = field(default_factory=dict, hash=False)  # of every request for a token
    refresh_scope: str | None = None
    envelope: Envelope | None = None  # of token answers and of data
    revocation: Revocation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorSpec:
    """A source in plain data, so that importing a connector loads nothing heavy.

    Functions are named by dotted paths ``module:name``; None says that the source does not offer the function.

    - ``normaliser``: ``normalise(record, parent) -> Sequence[Item]`` is pure. It raises BadRecord, which names the
      unreadable field, never its value.
    - ``opens``: ``opens(account) -> Connector``.
    - ``authorises``: ``authorise(account, browser)`` obtains consent. A source with ``writes`` also takes
      ``write=True``, which asks for permission to write. A source with ``consent_scopes`` also takes ``also=``, scopes
      of other sources that are asked for as well, and saves the granted scopes as ``scopes``.
    - ``recognises``: ``recognise(file) -> Recognised | bool | None`` tells by name and content whether a file is of
      this source. True stands for a mark that only this source's files have.
    - ``reads``: a ``FileReader``, called with single files, also those in folders and zips. A reader with
      ``file_settings`` gets them by name as ``settings=``; a reader with ``reads_zones`` gets the user's zones as
      ``zones=``. A reader that ``remembers_parts`` may get a ``FileMemory`` as ``memory=``.
    - ``receives``: ``receive(headers, file)`` raises BadRecord for a push that cannot be read as a file of this source.
    - ``notices``: ``notice(headers, body, settings=, now=)`` reads a webhook. It returns a Notice or a list of notices,
      or None for a webhook without use, and raises Forged. The source's connector must then be a ``WebhookConnector``.
    - ``watches``: ``watch(account, address, now=) -> str | None`` asks the source to push changes to ``address``. An
      address of None asks it to stop. It returns the member named in such notices. It is called after every sync.
    - ``registers``: ``register(settings, address, kept, now=)`` is for a source that has one webhook for all accounts
      of an application. It has webhooks sent to ``address``, or ends that if ``address`` is None. It returns texts that
      are kept sealed, such as a key for signatures. They are the next call's ``kept``, and ``notice`` gets them as
      ``kept=``. It is called after every sync.
    - ``writes``: a ``Writer``.

    With ``secret_hooks``, webhooks come to an address that ends with a token, which ``notice`` gets as ``token=``. It
    is for sources that sign nothing.

    Names of headers are in lower case.
    """

    name: str
    title: str
    delivers: frozenset[Metric | str]  # metrics, and the words "episodes", "events", "tasks"
    streams: tuple[str, ...]
    normaliser: str
    normaliser_version: int = 1
    cursor_version: int = 1
    overlap: timedelta = timedelta(days=7)  # trailing window that every sync reads again
    settings: tuple[Setting, ...] = ()
    opens: str | None = None
    oauth: OAuth | None = None
    registration: Registration | None = None
    consent_scopes: tuple[str, ...] = ()  # a consent to a source of the same registration serves if it covers any
    authorises: str | None = None
    revokes: str | None = None
    recognises: str | None = None
    reads: str | None = None
    writes: str | None = None
    shareable: Shareable | None = None  # the fields of answers that a redacted recording may hold
    file_settings: tuple[Setting, ...] = ()
    remembers_files: bool = False  # a file that was imported whole is not read again
    # Files of an export without use: pattern of the path -> name of such files.
    leaves_out: Mapping[str, str] = field(default_factory=dict)
    dated_by_content: bool = False  # the newest date in a file dates its export; otherwise the file states a date
    several: bool = False  # a user may connect several accounts, each by an address of its own
    differs_by_file: bool = False  # files of an import may hold different versions of the same record
    reads_zones: bool = False  # a file holds years, and the user may have moved
    remembers_parts: bool = False  # a file's unchanged parts are not read again
    receives: str | None = None
    keeps_raw: bool = True
    notices: str | None = None
    watches: str | None = None
    registers: str | None = None
    secret_hooks: bool = False
    shares_limit: bool = False  # all accounts of the source share a rate limit
    cadence: timedelta = timedelta(minutes=30)  # between two successful syncs; a notice shortens it
    at_once: int = 4  # maximum of accounts that are synced at the same time
    rate: float | None = None  # requests a second that the vendor allows all accounts together; None: it names none
    lasting: frozenset[str] = frozenset()  # streams whose raw records are kept, because later records need them
    called: Mapping[str, str] = field(default_factory=dict, hash=False)  # stream -> name for users, where it differs
    # Error of the device's RMSSD against the electrocardiogram's, as a spread of its logarithm. None is not known.
    rmssd_error: float | None = None
    # Stream -> the reason why the source does not tell deletions.
    deletions_unknown: Mapping[str, str] = field(default_factory=dict, hash=False)

    def refusal(self, streams: Sequence[str]) -> str:
        """Return a message that ``streams`` lack permission until the user connects again, or "" for no streams."""
        names = ", ".join(self.called.get(stream, stream.replace("_", " ")) for stream in streams)
        return say("no permission for {data}; connect again to grant it", data=names) if names else ""


class Account(Protocol):
    """A user's consent at a source, as a connector sees it."""

    @property
    def settings(self) -> Mapping[str, str]: ...

    @property
    def zone(self) -> str:
        """The IANA zone in which the user lives now, for sources that state no zone."""
        ...

    @property
    def allow_hosts(self) -> Collection[str]:
        """Hosts in a private network that an address typed by a user may name, besides all public hosts."""
        ...

    def token(self) -> dict[str, Any] | None:
        """Return the stored token, decrypted, or None before the first consent."""
        ...

    def save_token(self, token: Mapping[str, Any]) -> None:
        """Encrypt and save a token. The token is durable when this returns."""
        ...

    def refresh_lock(self) -> AbstractContextManager[None]:
        """Return a lock to hold while refreshing this account's token.

        Read the stored token again once the lock is held.
        """
        ...


class Connector(Protocol):
    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        """Yield the records of a stream in pages, after ``cursor``, or from the beginning if ``cursor`` is None.

        Only a page after which a later pull may resume has a cursor. Raises a BridgeError, such as TryLater or
        NeedsLogin.
        """
        ...

    def close(self) -> None:
        """Close the network connections. Nothing is pulled afterwards."""
        ...


class WebhookConnector(Connector, Protocol):
    def fetch(self, stream: str, key: str, *, now: datetime) -> Iterator[Page]:
        """Yield pages with the record ``key`` and the records needed to read it, or no pages if it was deleted."""
        ...


class Writer(Protocol):
    """A function that writes accepted recommendations into a user's calendar. ``ConnectorSpec.writes`` names it."""

    def __call__(self, account: Account, plans: Sequence[Plan], *, now: datetime) -> Sequence[str]:
        """Make the user's calendar hold exactly those recommendations of ``plans`` that have not ended.

        Returns the keys of plans whose entries the user deleted. Raises a BridgeError, such as TryLater or NeedsLogin.
        """
        ...


Normaliser = Callable[[RawRecord, RawRecord | None], Sequence[Item]]


class Browser(Protocol):
    """The means to show a page of consent to the user, and to ask the user for text."""

    def open(self, url: str, code: str | None = None) -> None:
        """Show the web page at ``url`` to the user, with a ``code`` to type there, or None if none is needed."""
        ...

    def paste(self) -> str | None:
        """Return the redirected URL that the user pasted, or None if a local listener is to receive the redirect."""
        ...

    def ask(self, question: str) -> str | None:
        """Return a secret that the user typed, unseen, in answer to ``question``, or None for no answer."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """The fields of a calendar event that a classifier may see.

    A field is None if it is unknown or the event is all-day.
    """

    title: str
    start_hour: int | None = None  # local
    weekday: int | None = None  # local, 0 is Monday
    minutes: float | None = None
    all_day: bool = False
    others: int = 0
    organised_by_me: bool = True
    conference: bool = False
    located: bool = False  # the entry names a place
    recurring: bool = False
    kind: str = "default"
    private: bool = False  # no field may leave the machine


class EventClassifier(Protocol):
    """A classifier of events by action type, made by its module's ``open_classifier()``.

    A module that declares ``SETTINGS`` takes ``open_classifier(settings, folder)``, with a folder for its cache.
    """

    name: str
    version: int

    def classify(self, events: Sequence[Invitation]) -> list[Label]:
        """Return a label for each event, in the order of ``events``. No title may make this raise an error."""
        ...


class File(Protocol):
    @property
    def name(self) -> str:
        """The last part of the path, for example ``export.xml``."""
        ...

    @property
    def path(self) -> str:
        """The path relative to the imported path, for example ``export.zip/apple_health_export/export.xml``."""
        ...

    @property
    def size(self) -> int: ...

    @property
    def head(self) -> bytes:
        """The first 4096 bytes."""
        ...

    @property
    def digest(self) -> str | None:
        """A digest of the content, or None for an incomplete file."""
        ...

    def open(self) -> BinaryIO:
        """Open the content for reading, from its beginning. The stream need not be seekable."""
        ...


class Recognised(NamedTuple):
    """A recogniser's answer that a file is of its source. ``sure`` is above 0 and at most 1, ``why`` a few words."""

    sure: float
    why: str


StoredExport = Mapping[tuple[str, str], tuple[int, datetime | None]]


@dataclass(frozen=True, slots=True)
class FileMemory:
    """A file reader's knowledge of earlier imports. ``text`` is what it noted about the last file of a stream, or None.

    ``stored()`` returns (stream, month) -> (number of records, date of their export). The date is None if the records
    come from several exports.
    """

    stream: str
    text: str | None
    stored: Callable[[], StoredExport]


class FileReader(Protocol):
    """A function that reads a file and yields its records in pages. ``zone`` is the user's time zone, an IANA name."""

    def __call__(
        self, file: File, *, zone: str, **more: Mapping[str, str] | ZoneHistory | FileMemory
    ) -> Iterator[Page]: ...


class Personal(Policy, Protocol):
    """A policy that can begin with a prior learnt from a single user, in place of the prior learnt from all users.

    A prior is the policy's guess of how a user answers, before any later answer.
    """

    def learn(self, observation: Observation) -> Mapping[str, Any]:
        """Return a prior (a guess of later answers) as JSON values, learnt from all answers in the observation.

        Raises ValueError without answers.
        """
        ...

    def personal(self, prior: Mapping[str, Any]) -> Personal:
        """Return a policy that begins with ``prior``, which ``learn`` returned, and learns only from later answers."""
        ...

    def chance(self, observation: Observation, action: ActionType) -> float:
        """Return the probability (0 to 1), in the policy's estimate, that the user accepts an action."""
        ...
