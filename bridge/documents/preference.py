"""JSON documents of the order of sources, of the source that counts, and of a row's origin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from typing_extensions import TypedDict

from bridge import registry
from bridge.advice.preference import load_preference
from bridge.calendar.expansion import midnight
from bridge.domain.languages import say
from bridge.domain.metrics import METRICS, Metric
from bridge.domain.preference import Preference, source_of
from bridge.domain.records import Provenance, Snapshot, User
from bridge.domain.slots import DAY, today_at
from bridge.domain.types import Episode, EpisodeKind, Sample
from bridge.meters import Past
from bridge.meters.baseline import WINDOW
from bridge.meters.nights import Nights
from bridge.meters.overlaps import HISTORY, once, series_of

if TYPE_CHECKING:
    from bridge.domain.records import Provenance
    from bridge.domain.types import Item
    from bridge.store import Store


CHOSEN = say("you chose it")


class PlaceDocument(TypedDict):
    """A source in the user's order of sources.

    ``name`` is SOURCE, or SOURCE/DEVICE if a source has several devices. ``chosen`` is true if the user chose its
    place, and ``because`` is the reason for it.
    """

    name: str
    source: str
    chosen: bool
    because: str


class PreferenceDocument(TypedDict):
    """A user's order of sources, the first preferred. ``chosen`` are the names that the user put in order."""

    user: str
    chosen: list[str]
    order: list[PlaceDocument]


class CountedDocument(TypedDict):
    """The source or device (SOURCE or SOURCE/DEVICE) that counts if several measured the same day or time.

    ``this_row`` is true if the row that was asked about comes from it.
    """

    series: str
    this_row: bool
    because: str


def preference_document(store: Store, user: User, now: datetime) -> PreferenceDocument:
    """Return a user's order of sources, of those with nights or workouts that are connected or were chosen."""
    preference = load_preference(store, user)
    since = today_at(now, user.zones) - HISTORY
    connected = {one.source for one in store.connections.of_user(user.id)} & set(preference.usual)
    series = {series_of(source, one.device) for source, one in store.reading.episodes(user.id, since=since)}
    names = {name for source in connected for name in _names(source, series)}
    places = sorted({*names, *preference.chosen}, key=lambda name: (preference.rank(name), name))
    return {
        "user": user.name,
        "chosen": list(preference.chosen),
        "order": [_place(place, preference) for place in places],
    }


def _names(source: str, series: Iterable[str]) -> list[str]:
    devices = [one for one in series if source_of(one) == source]
    return devices if len(devices) > 1 else [source]


def _place(name: str, preference: Preference) -> PlaceDocument:
    chosen = preference.place(name) is not None
    because = CHOSEN if chosen else _merit(source_of(name))
    return {"name": name, "source": source_of(name), "chosen": chosen, "because": because}


def _merit(source: str) -> str:
    spec = registry.spec(source)
    if Metric.HRV_RMSSD in spec.delivers:
        if spec.rmssd_error is None:
            return say("measures the night's RMSSD")
        return say("measures the night's RMSSD, {error:.0%} off an electrocardiogram", error=spec.rmssd_error)
    staged = Metric.DEEP_SLEEP in spec.delivers
    return say("tells the stages of sleep") if staged else say("tells no stages of sleep")


def counted_document(store: Store, user: User, found: Provenance) -> CountedDocument | None:
    """Return the source or device that counts if several measured the same as a row, or else None."""
    item = found.item
    if not found.twins or not isinstance(item, Sample | Episode):
        return None
    preference, own = load_preference(store, user), series_of(found.connection.source, item.device)
    episodes = store.reading.episodes(user.id, since=item.day - WINDOW * DAY, until=item.day + DAY)
    series: str | None
    if isinstance(item, Episode):
        series = _of_episode(item, own, episodes, preference, user)
    else:
        series = _of_sample(store, user, item, episodes, preference)
    if series is None:
        return None
    because = CHOSEN if preference.place(series) is not None else "by the usual order and completeness"
    return {"series": series, "this_row": series == own, "because": because}


def _of_episode(
    item: Episode, own: str, episodes: list[tuple[str, Episode]], preference: Preference, user: User
) -> str:
    if item.kind is EpisodeKind.SLEEP:
        told = Nights(episodes, user.zones, preference).told.get(item.day)
        if told is not None:
            return told
    kept = [
        (source, one) for source, one in once(episodes, preference) if one.start < item.end and item.start < one.end
    ]
    same = {series_of(source, one.device): min(one.end, item.end) - max(one.start, item.start) for source, one in kept}
    return own if own in same else max(same, key=lambda series: same[series], default=own)


def _of_sample(
    store: Store, user: User, item: Sample, episodes: list[tuple[str, Episode]], preference: Preference
) -> str | None:
    at = midnight(item.day + DAY, user.zones)
    samples = store.reading.samples(user.id, metrics=[item.metric], since=item.day - WINDOW * DAY, until=item.day)
    past = Past(Snapshot(at=at, zones=user.zones, samples=samples, episodes=episodes, preference=preference))
    latest = past.latest(item.metric, at)
    return None if latest is None or latest.day != item.day else latest.series


def sample_document(number: int, source: str, sample: Sample) -> dict[str, Any]:
    """Return a measured value as a JSON document. ``number`` is the id of its row, for ``bridge trace --sample``."""
    return {
        "sample": number,
        "metric": str(sample.metric),
        "value": sample.value,
        "unit": METRICS[sample.metric].unit,
        "start": sample.start.isoformat(timespec="minutes"),
        "source": source,
        "device": sample.device,
    }


def provenance_document(found: Provenance, counted: CountedDocument | None) -> dict[str, Any]:
    """Return a stored row (sample, episode, event or task) and its origin as a JSON document.

    ``payload`` is null if it was deleted. ``counted`` is None if only one source measured the row.
    """
    connection, spec = found.connection, registry.spec(found.connection.source)
    return {
        "kind": found.kind,
        "id": found.id,
        **_row(found.item),
        "known_at": found.known_at.isoformat(),
        "source": connection.source,
        "device": getattr(found.item, "device", None),
        "stream": found.stream,
        "record": {
            "key": found.record,
            "parent": found.parent,
            "arrivals": [at.isoformat() for at in found.arrivals],
            "set_aside": found.reason and found.reason.replace("\n", "; "),
            "payload": found.payload,
        },
        "normaliser": {"name": spec.normaliser, "version": found.version, "newest": spec.normaliser_version},
        "connection": {"id": connection.id, "name": connection.name, "created_at": connection.created_at.isoformat()},
        "user": found.user,
        "before": [
            {
                "row": _row(one.item),
                "known_at": one.known_at.isoformat(),
                "superseded_at": one.superseded_at.isoformat(),
            }
            for one in found.past
        ],
        "also_from": [{"source": source, found.kind: number} for source, number in found.twins],
        "counted": counted,
    }


def _row(item: Item) -> dict[str, Any]:
    unit = {"unit": METRICS[item.metric].unit} if isinstance(item, Sample) else {}
    kind = {"of": str(item.kind)} if hasattr(item, "kind") else {}
    body = {name: _plain(value) for name, value in asdict(item).items() if name not in ("kind", "device")}
    return body | unit | kind


def _plain(value: Any) -> Any:
    if isinstance(value, datetime | date):
        return value.isoformat()
    return {str(key): inner for key, inner in value.items()} if isinstance(value, Mapping) else value
