"""Labelled titles. Our own titles contain near-duplicates, and real titles are stored as digests only."""

from __future__ import annotations

import csv
import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bridge.domain.errors import SetupError
from bridge.domain.ports import Invitation
from classifiers.linear.model import plain_words
from rhythm_env.interface import ActionType

if TYPE_CHECKING:
    from scipy.sparse import csr_array


CORPUS = Path(__file__).with_name("titles")
ALIKE = 0.75  # cosine of the counts of three-letter runs from which two titles are near-duplicates
CHUNK = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Titled:
    """An event with its label, further acceptable labels, language, and difficulty if a person judged it."""

    event: Invitation
    action: ActionType
    also: frozenset[ActionType]
    language: str
    difficulty: str = ""
    readers: tuple[str, ...] = ()  # what each of two readers said first
    person: str = ""  # the owner of the calendar that the event stands in


def corpus(folder: Path = CORPUS) -> list[Titled]:
    """Return all of our own titles, each once with its most frequent label. Raises SetupError for a bad line."""
    found: dict[Invitation, list[Titled]] = {}
    for path in sorted(folder.glob("*.tsv")):
        if not path.stem.startswith(("real_", "entries_")):
            for line, row in enumerate(rows(path), 2):
                one = _titled(row, f"{path.name}, line {line}", path.stem[:2])
                found.setdefault(replace(one.event, title=one.event.title.casefold()), []).append(one)
    return [_voted(lines) for lines in found.values()]


def _voted(lines: Sequence[Titled]) -> Titled:
    votes = Counter(line.action for line in lines)
    chosen = next(line for line in lines if votes[line.action] == max(votes.values()))
    others = frozenset(votes).union(*(line.also for line in lines)) - {chosen.action}
    return replace(chosen, also=others)


def real(labels: Path, titles: Path) -> list[Titled]:
    """Return the titles of the file ``titles`` whose digests the file ``labels`` lists, with their labels."""
    known = {row["digest"]: row for row in rows(labels)}
    found: dict[str, Titled] = {}
    for row in rows(titles):
        mark = digest(row["title"])
        if mark in known:
            found.setdefault(mark, _titled({**known[mark], "title": row["title"]}, labels.name, ""))
    return list(found.values())


def digest(title: str) -> str:
    """Return the first characters of the SHA-256 of a title in lower case, by which a real title is recognised."""
    return hashlib.sha256(" ".join(title.split()).casefold().encode()).hexdigest()[:16]


def rows(path: Path) -> Iterable[dict[str, str]]:
    """Yield the lines of a tab-separated file with a header and without quoting."""
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)


def _titled(row: Mapping[str, str], place: str, language: str) -> Titled:
    try:
        seen = event(row["title"], facts(row.get("features") or ""))
    except ValueError as error:
        raise SetupError(f"{place}: {error}; lab/classifier/titles/README.md says what a line is") from None
    return labelled(seen, row, place, language=language)


def labelled(seen: Invitation, row: Mapping[str, str], place: str, *, language: str = "", person: str = "") -> Titled:
    """Return the event ``seen`` with the label in a table line. Raises SetupError, naming ``place``, for a bad line."""
    try:
        return Titled(
            event=seen,
            person=person,
            action=ActionType(row["action"]),
            also=frozenset(ActionType(name) for name in (row.get("also") or "").split(",") if name),
            language=row.get("language") or language,
            difficulty=row.get("difficulty") or "",
            readers=tuple(row[name] for name in ("first", "second") if row.get(name)),
        )
    except (KeyError, ValueError) as error:
        raise SetupError(f"{place}: {error}; lab/classifier/titles/README.md says what a line is") from None


def facts(text: str) -> dict[str, str]:
    """Split ``others=2;conference=yes`` into values by name."""
    return dict(pair.strip().split("=", 1) for pair in text.split(";") if pair.strip())


def event(title: str, given: Mapping[str, str]) -> Invitation:
    """Return an event with a title and the facts of ``facts``. Raises ValueError for a number that is not valid."""
    read: dict[str, Any] = {}
    for name, text in given.items():
        value = text.strip().lower()
        if not value:
            continue
        if name in ("others", "hour", "weekday"):
            read["start_hour" if name == "hour" else name] = int(float(value))
        elif name == "minutes":
            read["minutes"] = float(value)
        elif name in ("conference", "all_day", "located", "recurring", "organised_by_me"):
            read[name] = value in ("yes", "true", "1")
        elif name == "kind":
            read["kind"] = text.strip()
    return Invitation(title=title, **read)


def groups(titles: Sequence[Titled]) -> NDArray[np.int64]:
    """Return a group number for each title, equal for near-duplicates and for chains of near-duplicates."""
    from scipy.sparse import csr_array, vstack
    from scipy.sparse.csgraph import connected_components

    runs = _runs([plain_words(title.event.title) for title in titles])
    near = []
    for at in range(0, len(titles), CHUNK):
        alike = csr_array(runs[at : at + CHUNK] @ runs.T)
        alike.data = (alike.data >= ALIKE).astype(np.int8)
        alike.eliminate_zeros()
        near.append(alike)
    found: NDArray[np.int64] = connected_components(vstack(near), directed=False)[1].astype(np.int64)
    return found


def _runs(texts: Sequence[str]) -> csr_array:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3), use_idf=False).fit_transform(texts)
