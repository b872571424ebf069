"""Say what data a sync or an import brought, such as nights, and how old the data of a file will be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bridge import registry
from bridge.domain.languages import Text, date_text, many, say, say_many, shown
from bridge.domain.records import brought
from bridge.domain.slots import DAY, local_time, today_at
from bridge.web import phrases
from bridge.web.beginnings import things
from bridge.web.state import Visit

if TYPE_CHECKING:
    from bridge.domain.records import User
    from bridge.store import Store


# kind of row -> its number in words
THINGS: Mapping[str, Callable[[int], Text]] = {
    "sleep": lambda count: say_many("{count:,} night", "{count:,} nights", count),
    "nap": lambda count: say_many("{count:,} nap", "{count:,} naps", count),
    "workout": lambda count: say_many("{count:,} workout", "{count:,} workouts", count),
    "days": lambda count: say_many("{count:,} day with measurements", "{count:,} days with measurements", count),
    "event": lambda count: say_many("{count:,} calendar entry", "{count:,} calendar entries", count),
    "task": lambda count: say_many("{count:,} task", "{count:,} tasks", count),
}
COSTS = {"account": say("once, a key or login of yours"), "push": say("once, an app on your phone")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """The numbers of a user's stored rows, source -> kind -> number. ``days`` counts days with measurements."""

    counts: Mapping[str, Mapping[str, int]]

    def since(self, before: Stored, source: str | None) -> list[Text]:
        """Return the rows added after ``before`` as texts such as ``61 nights``. None means all sources."""
        more = self._of(source)
        more.subtract(before._of(source))
        return [words(more[kind]) for kind, words in THINGS.items() if more[kind] > 0]

    def _of(self, source: str | None) -> Counter[str]:
        found: Counter[str] = Counter()
        for name, kinds in self.counts.items():
            found.update(kinds if source in (None, name) else {})
        return found


def stored(store: Store, user: User) -> Stored:
    """Return the numbers of a user's rows as they are now."""
    days = store.reading.measured_days(user.id)
    counts = store.reading.counts(user.id)
    return Stored(counts={source: {**kinds, "days": days.get(source, 0)} for source, kinds in counts.items()})


def together(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the outcomes of several files, with those of the same source summed. Failed outcomes stay separate."""
    found: dict[object, dict[str, Any]] = {}
    for number, row in enumerate(rows):
        whole = row["outcome"] in ("ok", "skipped") and not row["skipped_because"]
        one = found.setdefault(row["title"] if whole else number, {**row, "new": 0, "updated": 0, "unchanged": 0})
        if one["came"] is not row["came"]:
            one["came"] = _summed([*one["came"], *row["came"]])
            one["failed_files"] = [*one["failed_files"], *row["failed_files"]]
            one["set_aside_by"] = _aside(one["set_aside_by"], row["set_aside_by"])
        for name in ("new", "updated", "unchanged"):
            one[name] += row[name]
    return list(found.values())


def _summed(texts: Sequence[Text]) -> list[Text]:
    counts: Counter[tuple[str, str | None]] = Counter()
    for text in texts:
        counts[text.message, text.many] += text.values["count"]
    return [Text(message, many, {"count": count}) for (message, many), count in counts.items()]


def _aside(one: Mapping[str, Mapping[str, int]], other: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    return {
        kind: dict(Counter(one.get(kind, {})) + Counter(other.get(kind, {}))) for kind in dict.fromkeys([*one, *other])
    }


def kept_coming(visit: Visit) -> list[dict[str, Any]]:
    """Return for each source that only has files how old its data will be tomorrow, and ways to get data daily."""
    store, user = visit.bridge.store, visit.user
    mine = store.connections.of_user(user.id)
    found = []
    for one in mine:
        newest = store.reading.newest_measurement(one.id, visit.now)
        if one.source not in brought(mine) or newest is None:
            continue
        last = local_time(newest, user.zones)
        tomorrow = (today_at(visit.now, user.zones) + DAY - last.date()).days
        day = date_text(last, "%-d %B %Y")
        aged = many(
            "{source}: the newest is of {day}; {count} day old tomorrow, for a file comes only once.",
            "{source}: the newest is of {day}; {count} days old tomorrow, for a file comes only once.",
            tomorrow,
            source=phrases.source_title(one.source),
            day=day,
        )
        found.append({"aged": aged, "ways": _ways(one.source), "source": one.source})
    return found


def _ways(source: str) -> list[dict[str, str]]:
    names = registry.names("connectors")
    of = [one for one in things(registry.specs()) if any(way.source == source for way in one.ways)]
    return [
        {"thing": one.name, "title": shown(way.title), "cost": shown(COSTS[way.by])}
        for one in of
        for way in one.ways_of(names)
        if way.by != "file"
    ]
