"""Tell what a sync or an import brought, in the things that people count: nights, workouts, entries, days."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bridge.domain.languages import Text, say_many

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """Numbers of a user's rows as source -> kind -> number. The kind ``days`` counts days with measurements."""

    counts: Mapping[str, Mapping[str, int]]

    def since(self, before: Stored, source: str | None) -> list[Text]:
        """Return what there is more of a source than ``before``, such as ``61 nights``. None stands for all sources.

        Without more, the list is empty.
        """
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
    """Return the outcomes of several files as one per source; those that brought nothing by a failure stay alone."""
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
