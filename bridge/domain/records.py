"""Define the values that the store takes and returns, such as users, connections, recommendations and provenance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, Any, TypeVar

from bridge.domain.facts import Fact, fact
from bridge.domain.preference import Preference
from bridge.domain.slots import Moment, ZoneSpan
from bridge.domain.types import Episode, Item, Label, Occurrence, Sample, Task
from rhythm_env.interface import ActionType, Answer, Interaction, Meter, Slot

IMPORT_CONNECTION = "import"  # the name of connections that hold imported files
FOLDER_CONNECTION = "folder"  # begins the name of connections that import a folder's new files
PUSH_CONNECTION = f"{FOLDER_CONNECTION}-push"  # the name of a connection whose folder holds received pushes
FILE_STREAMS = ("files", "imports")  # whose cursors say which files of a folder, and which digests, were read
SEND_STATES = ("sending", "sent", "failed")  # of notifications that were begun
UNSENT = ("sending", "failed")  # a killed process leaves "sending": its message may have been sent

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    id: int
    name: str
    zones: tuple[ZoneSpan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """A user's connection to a source. ``name`` tells two connections of a user to the same source apart.

    ``due_at`` is the time before which it need not be synced. A time or reason is None if there was none.
    """

    id: int
    user_id: int
    source: str
    name: str
    created_at: datetime
    paused: str | None = None  # why syncing stopped until the user acts
    due_at: datetime | None = None
    last_success: datetime | None = None
    last_error: str | None = None
    member: str | None = None  # the source's own name for the user
    failures: int = 0  # in a row, since a sync brought something new
    not_permitted: tuple[str, ...] = ()  # streams without permission
    last_change: datetime | None = None  # the last arrival of a new or changed record


def brought(connections: Iterable[Connection]) -> frozenset[str]:
    """Return the sources whose data come only as files that the user imports, by no account, folder or push."""
    found = [*connections]
    live = {one.source for one in found if not one.name.startswith(IMPORT_CONNECTION)}
    return frozenset({one.source for one in found} - live)


@dataclass(frozen=True, slots=True, kw_only=True)
class AfterSync:
    """The state of a connection after a sync that ended ``at``. If ``due_at`` is None, no sync follows by itself."""

    at: datetime
    due_at: datetime | None
    failures: int = 0
    holder: str = ""  # of the lease to release


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """The range of a user's measurements: ``newest`` is the last day, ``known_since`` the earliest time of storing."""

    newest: date
    known_since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordResult:
    """The result of storing a record that a source delivered.

    ``waits`` is True if the record cannot be read before another record, its parent, has come.
    """

    outcome: str  # new, updated, unchanged, deleted
    set_aside: str | None = None  # the reason why the record cannot be read
    aside_before: str | None = None  # the reason why a record that came unchanged was set aside earlier
    outside: tuple[str, ...] = ()  # reasons why single values cannot be true; the other values have landed
    waits: bool = False  # for its parent, which has not come
    items: Mapping[str, int] = field(default_factory=dict)  # sample, episode, event, task -> number derived this time


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """An earlier version of a stored row (``item``), known from ``known_at`` until ``superseded_at``."""

    item: Item
    known_at: datetime
    superseded_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """The origin of a stored row: its raw record and connection. Earlier versions of the row are in ``past``."""

    kind: str  # sample, episode, event, task
    id: int
    item: Item
    known_at: datetime
    user: str
    connection: Connection
    stream: str
    record: str  # the record's key
    parent: str | None
    version: int  # of the normaliser that last read the record
    reason: str | None  # why the record or some of its values are set aside; the row may be an older version then
    arrivals: tuple[datetime, ...]  # ascending
    payload: Mapping[str, Any] | None  # as the record last arrived; None where payloads are not kept
    past: tuple[Revision, ...]
    twins: tuple[tuple[str, int], ...]  # (source, row id) of the same metric and day from other connections


class Deed(StrEnum):
    """The outcome of a recommendation: whether the user did the recommended action.

    It was found in the user's data, or the user entered it.
    """

    DONE = "done"
    PARTLY = "partly"
    NOT_DONE = "not_done"
    UNKNOWN = "unknown"  # the question that remains for the user


SAID = (fact("said"),)  # evidence that is the user's own word, which data never replaces


class Told(str):
    """A field's description in the reference documents.

    Fields without a description are left out of a record's JSON.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """A user's answer to a recommendation, its time, and the slot to which the recommendation was put off.

    The three are stored and withdrawn together.
    """

    answer: Annotated[Answer | None, Told("ACCEPT, IGNORE, RESCHEDULE, or null while there is none")] = None
    answered_at: datetime | None = None
    moved_to: Moment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation(Feedback):
    """A recommendation of an action for a slot, which is a quarter of a day. Times that are None have not happened.

    The store makes a column of each field. JSON documents hold the fields that are annotated with ``Told``.
    """

    id: Annotated[int, Told("the recommendation's number")]
    user_id: int
    moment: Moment
    action: Annotated[ActionType, Told("one of the ten actions")]
    policy: str  # name@version, and + a name where the user's own prior or adapter, or a fallback, decided
    belief: Mapping[str, float]
    belief_sd: tuple[float, float, float] | None = None  # of social, morning, work, where the policy states them
    scores: Mapping[str, float] = field(default_factory=dict)
    levels: Mapping[str, float] = field(default_factory=dict)  # meter -> the level that the policy saw, to four digits
    facts: tuple[Fact, ...] = ()
    created_at: datetime
    expires_at: datetime
    shown_at: datetime | None = None
    kind: Annotated[str | None, Told("suggested or sleep, keep in old history; null for an action without a time")] = (
        None
    )
    what: Annotated[str | None, Told("the task, the entry or the usual activity that is meant")] = None
    start: Annotated[datetime | None, Told("when to begin; null for an action without a time")] = None
    end: Annotated[datetime | None, Told("when to end; null for an action without a time")] = None
    superseded_at: datetime | None = None  # when another took its slot, and this no longer counts
    closed_at: datetime | None = None  # when a further one followed in its slot, while this keeps its answer
    outcome: Annotated[
        Deed | None,
        Told("what became of it: done, partly, not_done or unknown; null before it was looked for"),
    ] = None
    outcome_at: datetime | None = None  # when the outcome became known
    outcome_before: Deed | None = None  # the one that this replaced
    outcome_before_at: datetime | None = None  # when that became known
    evidence: Annotated[tuple[Fact, ...], Told("what the outcome rests on, without titles")] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FullRecommendation(Recommendation):
    """A recommendation with the fields that only a later evaluation needs, such as the ``probabilities`` by action."""

    probabilities: Mapping[str, float]
    observation: Mapping[str, Any]
    withheld: Mapping[str, Fact] = field(default_factory=dict)  # action -> why it could not be advised
    silence: float | None = None  # probability of a slot without advice; None where no lot was drawn

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", levels_of(self.observation))


def levels_of(observation: Mapping[str, Any]) -> dict[str, float]:
    """Return meter -> level, rounded to four digits, from an observation's JSON."""
    return {name: round(state["level"], 4) for name, state in observation.get("meters", {}).items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Lot:
    """The result of drawing at random whether a slot gets advice.

    ``given`` is True if it does. ``silence`` was the probability of no advice.
    """

    moment: Moment
    silence: float
    given: bool


# Kinds of facts of what must be done: no advice, because nobody may take it or leave it.
MUST_DO = frozenset(
    {"leave_by", "leave_now", "leave_late", "leave_by_land", "leave_now_land", "leave_late_land", "get_ready"}
    | {"errand_later", "no_lunch", "lunch_after", "no_meal_gap", "eat_along", "eat_during", "eat_in_pause"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """A slot without a recommendation, or whose recommendation no longer counts, with the reasons as facts.

    ``at`` is the time of that decision. ``by_lot`` is True if the slot was drawn at random to get no advice.
    """

    moment: Moment
    facts: tuple[Fact, ...]
    at: datetime
    by_lot: bool = False

    @property
    def must_do(self) -> bool:
        """Return True if the first reason is something that the person must do now, such as leaving for a train."""
        return bool(self.facts) and self.facts[0].kind in MUST_DO


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """The action that a user gave to an event instead of the classifier's label.

    A correction holds for the event's whole series, and for events with a similar title.
    """

    series: str
    title: str | None
    action: ActionType | None  # None for no activity
    made_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Reset:
    """A user's reset of what policies learnt. Feedback before ``made_at`` does not count.

    A reset has no effect once ``taken_back_at`` is set.
    """

    made_at: datetime
    taken_back_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prior:
    """A policy's guess of a user's later answers, learnt from the earlier ones. ``body`` holds its values.

    ``gain`` is how much better the policy predicts later answers with this prior than without, in nats per answer.
    """

    policy: str  # name@version
    made_at: datetime
    body: Mapping[str, Any]
    learnt_from: int  # number of answers
    tried_on: int  # number of later answers
    gain: float
    kept: bool  # the prior was better than the earlier prior, and was not withdrawn


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A browser's session. ``proved_at`` is the last time its user typed the password, used a passkey or logged in."""

    user_id: int
    used_at: datetime
    proved_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiToken:
    """An API token as it is listed, without its secret text, which is shown only when the token is made."""

    id: int
    name: str
    made_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """An account at an OpenID Connect provider. ``subject`` is the id that the provider ``issuer`` gives it."""

    issuer: str
    subject: str
    made_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Passkey:
    """A passkey with the name that its user gave it, and the ``host`` of the page for which it was made.

    ``signatures`` is the counter that the authenticator sent last. It is 0 in authenticators without a counter.
    """

    id: int = 0
    name: str
    host: str
    credential: bytes
    public_key: bytes
    signatures: int
    made_at: datetime
    used_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """The meters that a user shares with the user ``other``, or receives from that user."""

    other_id: int
    other: str
    meters: tuple[Meter, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """The address for a user's notifications, encrypted in ``sealed``. No messages are sent in ``quiet`` slots."""

    sealed: bytes
    events: bool = False
    quiet: frozenset[Slot] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Notification:
    """The state of sending a recommendation to the user's address. ``reason`` says why sending failed or was missed.

    The state stays ``sending`` if the process died while it was sending.
    """

    recommendation_id: int
    state: str  # sending, sent, failed, missed
    at: datetime
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tidied:
    """Numbers of rows that a clean-up deleted: raw record versions, sync outcomes and handled webhook notices."""

    raw: int
    runs: int
    notices: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """The effect of a signal, such as the sleep debt, on a meter, with direction and weight. A row of the proxy map."""

    meter: Meter
    signal: str
    inputs: tuple[str, ...]  # metrics, and facts of the calendar or the task list
    direction: int  # +1 when more of the signal raises the meter, -1 when it lowers the meter
    weight: float  # of the signal at full trust; the user's normal weighs 1
    half_life_h: float | None = None  # hours in which the trust halves; None when it does not fade
    optional: bool = False  # a missing signal does not lower the coverage
    source: str = ""  # of formula and weight


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyMap:
    """The proxy map, which says which signals move each meter, in which direction and how strongly.

    ``version`` names the shipped map, with a mark if this installation has changed rows.
    """

    version: str
    rows: tuple[Proxy, ...]
    validity: Mapping[Meter, float] = field(
        default_factory=dict
    )  # correlation with users' reports, where it was measured
    _of: dict[Meter, Mapping[str, Proxy]] = field(init=False, repr=False, compare=False, default_factory=dict)

    def of(self, meter: Meter) -> Mapping[str, Proxy]:
        if meter not in self._of:
            self._of[meter] = {row.signal: row for row in self.rows if row.meter is meter}
        return self._of[meter]


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Everything known about a user at ``at``, as the input of the meters and the observation."""

    at: datetime
    zones: tuple[ZoneSpan, ...]
    samples: Sequence[tuple[str, Sample]] = ()  # with their source, because two sources may give equal keys
    episodes: Sequence[tuple[str, Episode]] = ()
    agenda: Sequence[tuple[Occurrence, Label]] = ()  # from 60 days back to 14 days ahead, ascending
    tasks: Sequence[Task] = ()
    interactions: Sequence[Interaction] = ()  # last 30 days, ascending
    proxies: ProxyMap | None = None  # None for the shipped map
    rmssd_errors: Mapping[str, float] = field(default_factory=dict)  # of each source whose SPEC gives it
    preference: Preference = field(default_factory=Preference)
    brought: frozenset[str] = frozenset()  # sources whose data come only as files that the user imports
    event_since: Mapping[str, datetime] = field(default_factory=dict)  # event -> when it came in, where outcomes ask
    _made: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """Return the result of ``make()``, which is called only the first time for each ``name``."""
        if name not in self._made:
            self._made[name] = make()
        made: Made = self._made[name]
        return made
