"""What a person says of themselves, kept as any source's record is: raw, normalised, known from now on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from bridge import registry
from bridge.errors import SetupError
from bridge.metrics import CHECK_INS
from bridge.ports import Store, User
from bridge.sync import Source, finish, land
from bridge.types import Outcome, Page, RawRecord, require_aware
from rhythm_env.interface import Meter, ZoneHistory, zone_at

SOURCE, NAME, STREAM = "check_in", "self", "answer"
MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckIn:
    """A score from 1 to 5, whole or half, of life as a whole (``about`` is None) or of one meter."""

    at: datetime
    score: float
    about: Meter | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", require_aware(self.at).replace(microsecond=0))


def say(store: Store, user: User, said: CheckIn, *, now: datetime) -> str:
    """Keep an answer; returns what became of it: new, updated or unchanged.

    The same thing said twice in a minute is a correction. Raises SetupError for a moment that has not come yet, or an
    answer nobody can give; then nothing is kept, nor is the connection made.
    """
    again = f"bridge checkin SCORE --user {user.name}"
    if said.at > now:
        raise SetupError(f"that moment has not come yet; leave --at away: {again}")
    spec = registry.spec(SOURCE)
    normalise = registry.resolve(spec.normaliser)
    page = Page(stream=STREAM, records=(record(said, user.zones),))
    with store.transaction():
        connection = store.connect(user.id, SOURCE, NAME, now=now)
        source = Source(connection=connection, spec=spec, open=None, normalise=normalise, recurring=False)
        (landing,) = land(source, store, page, frozenset(), now=now)
        if landing.set_aside is not None:
            raise SetupError(f"{landing.set_aside}; nothing was kept: {again}")
        outcome = Outcome(
            source=SOURCE,
            connection=NAME,
            outcome="ok",
            new=int(landing.outcome == "new"),
            updated=int(landing.outcome == "updated"),
            unchanged=int(landing.outcome == "unchanged"),
            streams={STREAM: 1},
            items=landing.items,
        )
        finish(store, connection, outcome, started=now, finished=now, recurring=source.recurring)
    return landing.outcome


def record(said: CheckIn, zones: ZoneHistory) -> RawRecord:
    """The answer as it is kept. One thing has one answer a minute, which is therefore its key."""
    about = None if said.about is None else said.about.lower()
    offset = said.at.astimezone(zone_at(said.at, zones)).utcoffset() or timedelta(0)
    payload = {"at": said.at.isoformat(), "offset": offset // MINUTE, "score": said.score, "about": about}
    return RawRecord(stream=STREAM, key=f"{said.at:%Y-%m-%dT%H:%MZ}/{about or 'all'}", payload=payload)


def recent(store: Store, user: User, *, since: date) -> list[CheckIn]:
    """The answers since a local day, newest first."""
    about = {metric: meter for meter, metric in CHECK_INS.items()}
    found = store.samples(user.id, metrics=about, since=since)
    return [CheckIn(at=s.start, score=s.value, about=about[s.metric]) for _, s in reversed(found)]
