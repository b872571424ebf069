"""Read the lists in which APIs answer, of one page or several, and make raw records of their rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from bridge.domain.errors import SAME_PAGE, SourceChanged
from bridge.domain.types import RawRecord
from connectors.payload import Fields, mapping, words


def listing(body: Any, path: str, source: str, stream: str) -> list[Mapping[str, Any]]:
    """Return the rows in an answer, the list at ``path`` in ``body``, or ``body`` itself for an empty path.

    Raises SourceChanged, which names ``source`` and ``stream``, if that is no list of objects.

    >>> listing([{"id": 1}], "", "pebble", "sleep")
    [{'id': 1}]
    """
    found = Fields(mapping(body), source).get(path) if path else body
    if not isinstance(found, list) or not all(isinstance(row, Mapping) for row in found):
        raise SourceChanged(f"{source} answered {stream} in an unknown shape; look for a newer release of the bridge")
    return found


def token_pages(ask: Callable[[dict[str, str]], Any], *, parameter: str, field: str) -> Iterator[Any]:
    """Yield the answers of a list in pages, each of which holds the token of the next page, until one holds none.

    ``ask`` gets the request's parameters, {} for the first page, then {``parameter``: token}. ``field`` is the field of
    an answer that holds the token. Raises SourceChanged for a repeated token, because the list would never end.

    >>> answers = {"": {"data": [1], "next": "b"}, "b": {"data": [2], "next": None}}
    >>> pages = token_pages(lambda more: answers[more.get("page", "")], parameter="page", field="next")
    >>> [page["data"] for page in pages]
    [[1], [2]]
    """
    more: dict[str, str] = {}
    told: set[str] = set()
    while True:
        body = ask(more)
        yield body
        following = words(Fields(mapping(body), "").get(field))
        if following is None:
            return
        if following in told:
            raise SourceChanged(SAME_PAGE)
        told.add(following)
        more = {parameter: following}


def raw_records(
    stream: str,
    found: Iterable[Mapping[str, Any]],
    *,
    key: str = "id",
    without: Collection[str] = (),
    deleted: str | None = None,
) -> tuple[RawRecord, ...]:
    """Return rows as raw records of a stream. A record's key is the row's field ``key``, or "?" if that is absent.

    Payloads lack the fields in ``without``. ``deleted`` names the field that is true in a row that reports a deletion,
    whose payload is empty. None means that the list has no such rows.

    >>> gone, kept = raw_records("walk", [{"id": 1, "gone": True}, {"id": 2}], deleted="gone")
    >>> (gone.key, gone.deleted, gone.payload), (kept.key, kept.deleted)
    (('1', True, {}), ('2', False))
    """
    records = []
    for row in found:
        gone = deleted is not None and row.get(deleted) is True
        payload = {} if gone else {name: value for name, value in row.items() if name not in without}
        records.append(RawRecord(stream=stream, key=str(row.get(key, "?")), payload=payload, deleted=gone))
    return tuple(records)
