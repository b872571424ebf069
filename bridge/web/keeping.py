"""Tell how old the data of a file will be tomorrow, and in which ways that source's data come by themselves."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from bridge import registry
from bridge.domain.languages import date_text, many, say, shown
from bridge.domain.records import IMPORT_CONNECTION
from bridge.ingest import connecting
from bridge.web import phrases
from bridge.web.beginnings import things
from bridge.web.day import local
from bridge.web.state import Visit

COSTS = {"account": say("once, a key or login of yours"), "push": say("once, an app on your phone")}
A_DAY = timedelta(days=1)


def kept_coming(visit: Visit) -> list[dict[str, Any]]:
    """Return, for each source that came by a file alone, the age of its data tomorrow and its ways of each day."""
    store, user = visit.bridge.store, visit.user
    mine = store.connections.of_user(user.id)
    live = {one.source for one in mine if one.name.startswith(connecting.ACCOUNT)}
    found = []
    for one in mine:
        newest = store.reading.newest_measurement(one.id, visit.now)
        if not one.name.startswith(IMPORT_CONNECTION) or one.source in live or newest is None:
            continue
        tomorrow = (local(visit, visit.now).date() + A_DAY - local(visit, newest).date()).days
        day = date_text(local(visit, newest), "%-d %B %Y")
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
    """Return the ways without a file of the thing that a source's file comes from."""
    names = registry.names("connectors")
    of = [one for one in things(registry.specs()) if any(way.source == source for way in one.ways)]
    return [
        {"thing": one.name, "title": shown(way.title), "cost": shown(COSTS[way.by])}
        for one in of
        for way in one.ways_of(names)
        if way.by != "file"
    ]
