"""Read words of a plain question that are in the titles of the person's own entries: "after choir", "an Chortagen"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from itertools import pairwise

from bridge.query import plain_kinds as w
from bridge.query.model import TITLED
from bridge.query.plain_kinds import NotUnderstood

BEHIND = {w.AFTER, w.ON_DAYS, w.WITH, w.OTHERS, w.AHEAD}
ALONE = {w.HOW_OFTEN, w.WHEN, w.OF, w.DID, w.SPAN, w.CONDITION, w.ENTRIES}
WORDS_MAX = 2  # our choice: of a title, beside each other
PARTICIPLE = re.compile(r"\w*ge\w{2,}(?:t|en)|\w+iert")  # a German verb, as in "wie oft hab ich geweint"
OF_DAYS = re.compile(r"(?P<name>\w{3,}?)s?(?P<days>tage?n?|nächten?|abende?n?)$")
NO_TITLE = re.compile(r".*(?:lich|isch|ig|st)e[nrms]?$")  # a German adjective or superlative


def days_apart(word: str, language: str, known: w.Lexicon, never: Set[str]) -> Sequence[str]:
    """Return the parts of an unknown German compound like "chortagen", or the word."""
    found = OF_DAYS.match(word) if language == "de" and (word,) not in known and word not in never else None
    return (word,) if found is None else (found["name"], found["days"])


def with_titles(tokens: Sequence[w.Token], never: Set[str], language: str) -> Iterator[w.Token]:
    """Yield tokens with unknown words as factors where a condition takes one.

    Raises NotUnderstood for any other unknown word, and for those that are ``never`` of a title.
    """
    told = [one for one in tokens if one != (w.FILL, None)]
    others = {kind for kind, _ in told} - {w.FILL, w.UNKNOWN}
    does = language == "en" and any(one[0] == w.DID and other[0] == w.UNKNOWN for one, other in pairwise(tokens))
    does = does or any(kind == w.UNKNOWN and PARTICIPLE.fullmatch(str(of)) for kind, of in tokens)
    often = others & {w.HOW_OFTEN, w.WHEN} and others <= ALONE and not does  # "how often did I have choir"
    at, last, known = 0, "", set[str]()
    while at < len(told):
        end = next((n for n in range(at, len(told)) if told[n][0] != w.UNKNOWN), len(told))
        if end == at:
            last = w.WITH if told[at] == (w.FILL, "with") else told[at][0]
            yield told[at]
            at += 1
            continue
        words = [str(word) for _, word in told[at:end]]
        name, follows = " ".join(words), told[end][0] if end < len(told) else ""
        placed = (
            often
            or last in BEHIND
            or name in known
            or follows == w.ENTRIES
            or (follows in (w.DAYS, w.NIGHTS) and last != w.HOW_MANY)
        )
        if not placed or len(words) > WORDS_MAX or not all(_is_name(one) and one not in never for one in words):
            raise NotUnderstood
        known.add(name)
        yield w.FACTOR, f"{TITLED}{name}"
        again = follows == w.ENTRIES or (last in BEHIND and follows in (w.DAYS, w.NIGHTS))  # "after choir evenings"
        last, at = w.FACTOR, end + again


def _is_name(word: str) -> bool:
    return len(word) > 2 and word.isalpha() and not NO_TITLE.match(word)
