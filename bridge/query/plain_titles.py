"""Read words of a plain question that are in the titles of the person's own entries: "after choir", "an Chortagen"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from bridge.domain.phrases import WEEKDAYS
from bridge.query import plain_kinds as w
from bridge.query.model import TITLED
from bridge.query.plain_kinds import NotUnderstood
from bridge.query.plain_words import told
from bridge.query.spans import Span

DURING = (w.FILL, "in")  # "in", "during": what follows may be the name of a time
ENTRY = date(1, 1, 2)  # stands for the day of the entry from which a span runs
PLACES = {"with": w.WITH, "in": "in"}
CLAUSE = {w.FILL, w.UNKNOWN, w.DID, w.SPORT, w.ACTIVITY, w.ACTION, w.WORKOUTS, w.ENTRIES, w.AND, w.OTHERS, w.SINCE}
CLAUSE |= {w.RAN, w.WALK, w.ENDED, w.BED, w.UP}
VERBS = {w.SPORT, w.ACTIVITY, w.RAN, w.WALK, w.WORKOUTS, w.BED, w.UP}
HOURS = {w.UNIT, w.HOW_MANY, w.DID, w.SPAN, w.OF, w.BY, w.EACH, w.TOGETHER, w.AND, w.CONDITION}
PEOPLE, GENERAL = (frozenset(told("patterns")[name].split()) for name in ("people", "general"))
CLAUSE_MAX = 4  # our choice: of the words of a title
BEHIND = {w.AFTER, w.ON_DAYS, w.WITH, w.OTHERS, w.AHEAD}
ALONE = {w.HOW_OFTEN, w.WHEN, w.OF, w.DID, w.SPAN, w.CONDITION, w.ENTRIES}
WORDS_OFTEN = 3
WORDS_MAX = 2  # our choice: of a title, beside each other
PARTICIPLE = re.compile(r"\w*ge\w{2,}(?:t|en)|\w+iert")  # a German verb, as in "wie oft hab ich geweint"
SPAN_WORD = re.compile(  # part of a span, never of a title
    r"(?:(?:jahr(?:es)?|monats?|wochen?|quartals?|halbjahr(?:es)?)(?:anfang|beginn|start|mitte|ende|wechsel)?s?"
    r"|anfang|beginn|mitte|ende|start|beginning|middle|end|years?|months?|weeks?|quarters?)"
)
MONTH_OF = re.compile(r"\w{3,}(?:monat|woche|tag)s?$")
OF_DAYS = re.compile(r"(?P<name>\w{3,}?)s?(?P<days>tage?n?|nächten?|abende?n?|termine?n?)$")
NO_TITLE = re.compile(r".*(?:lich|isch|ig|st)e[nrms]?$")  # a German adjective or superlative


def days_apart(word: str, language: str, known: w.Lexicon, never: Set[str]) -> Sequence[str]:
    """Return the parts of an unknown German compound like "chortagen", or the word."""
    found = OF_DAYS.match(word) if language == "de" and (word,) not in known and word not in never else None
    weekday = word.startswith(tuple(WEEKDAYS["de"].split()))
    return (word,) if found is None or weekday else (found["name"], found["days"])


@dataclass
class Titles:
    """Reads unknown words of a question as the title of a calendar entry. Words in ``never`` are not read so."""

    never: Set[str]
    language: str
    spans: list[Span]  # that are told, to which one is added
    in_brackets: bool  # True if dates are
    of_calendar: bool  # True if the calendar is named
    name: str | None = None  # of the entry since which a span runs

    def told(self, tokens: Sequence[w.Token]) -> Iterator[w.Token]:
        """Yield tokens with unknown words as conditions on titles, or as the entry since which a span runs.

        Raises NotUnderstood for any other unknown word.
        """
        told = [one for one in tokens if one != (w.FILL, None)]
        often = self._asks_how_often(tokens, told) or _asks_hours(told)
        at, last, known = 0, "", set[str]()
        while at < len(told):
            if told[at][0] == w.SINCE:
                token, at = self._since(told, at + 1)
                yield token
                continue
            end = next((n for n in range(at, len(told)) if told[n][0] != w.UNKNOWN), len(told))
            if end == at:
                last = PLACES.get(str(told[at][1]), w.FILL) if told[at][0] == w.FILL else told[at][0]
                yield told[at]
                at += 1
                continue
            if last == "in":
                while end + 1 < len(told) and told[end] == DURING and told[end + 1][0] == w.UNKNOWN:
                    end += 2  # "on holiday in Crete"
            most, never = (WORDS_OFTEN, self.never - PEOPLE) if often else (WORDS_MAX, self.never)
            if end == at + 1 and MONTH_OF.search(str(told[at][1])) and told[end : end + 1] and told[end][0] == w.SPAN:
                at = end  # "im Urlaubsmonat Juli"
                continue
            name = self._name(told[at:end], most, never=never)
            end += self.of_calendar and [kind for kind, _ in told[end : end + 2]] == [w.FILL, w.ENTRIES]
            follows = told[end][0] if end < len(told) else ""
            if self._is_dated(last, told[end:]):
                last, at = w.FILL, end
                continue
            placed = (
                often
                or last in BEHIND
                or last == "in"
                or name in known
                or follows == w.ENTRIES
                or (follows in (w.DAYS, w.NIGHTS) and last != w.HOW_MANY)
            )
            adverb = last == w.ON_DAYS and follows in VERBS  # "on days I hardly ran"
            if not placed or adverb or last in (w.OF, w.MORE):
                raise NotUnderstood  # "most active"
            known.add(name)
            if last == "in":
                yield w.ON_DAYS, "days"
            yield w.FACTOR, f"{TITLED}{name}"
            # "after choir evenings"
            again = follows == w.ENTRIES or (last in (*BEHIND, "in") and follows in (w.DAYS, w.NIGHTS))
            again = again or (last == "in" and follows == w.PERIODS)  # "in the alps week"
            last, at = w.FACTOR, end + again

    def _is_dated(self, last: str, rest: Sequence[w.Token]) -> bool:
        """Return True for the name of a time whose dates are said, as in "during the flu (3 to 9 May)"."""
        spans = [of for kind, of in rest if kind == w.SPAN]
        named = last == "in" and self.in_brackets and len(spans) == 1
        dates = self.spans[int(str(spans[0]))] if named and spans else (None, None)
        return None not in dates

    def _asks_how_often(self, tokens: Sequence[w.Token], told: Sequence[w.Token]) -> bool:
        """Return True for "how often did I have choir", or "choir since May"."""
        others = {kind for kind, _ in told} - {w.FILL, w.UNKNOWN}
        english = self.language == "en"
        does = english and any(one[0] == w.DID and other[0] == w.UNKNOWN for one, other in pairwise(tokens))
        does = does or any(kind == w.UNKNOWN and PARTICIPLE.fullmatch(str(of)) for kind, of in tokens)
        alone = (
            others == {w.SPAN}
            and tokens[0][0] == w.UNKNOWN
            and len([of for kind, of in told if kind == w.UNKNOWN]) <= WORDS_MAX
        )
        return alone or (bool(others & {w.HOW_OFTEN, w.WHEN}) and others <= ALONE and not does)

    def _name(self, tokens: Sequence[w.Token], most: int, *, never: Set[str] | None = None) -> str:
        words = [str(word) for kind, word in tokens if kind == w.UNKNOWN]
        words = [one for one in words if one not in GENERAL] or words
        never = self.never if never is None else never
        if not 0 < len(words) <= most or not all(_is_name(one) and one not in never for one in words):
            raise NotUnderstood
        return " ".join(words)

    def _since(self, told: Sequence[w.Token], at: int) -> tuple[w.Token, int]:
        end = next((n for n in range(at, len(told)) if told[n][0] not in CLAUSE), len(told))
        if end < len(told) and told[end][0] == w.SPAN:
            first = self.spans[int(str(told[end][1]))][0]
            if first is None:
                raise NotUnderstood
            end += 1
        else:
            first = ENTRY
            self.name = self._name(told[at:end], CLAUSE_MAX, never=frozenset())
        self.spans.append((first, None))
        return (w.SPAN, len(self.spans) - 1), end


def _asks_hours(told: Sequence[w.Token]) -> bool:
    """Return True for "how many hours of choir did I have", without any other subject."""
    others = {kind for kind, _ in told} - {w.FILL, w.UNKNOWN}
    return (w.UNIT, "min") in told and others <= HOURS and bool(others & {w.DID, w.SPAN, w.OF, w.BY})


def _is_name(word: str) -> bool:
    return len(word) > 2 and word.isalpha() and not NO_TITLE.match(word) and not SPAN_WORD.fullmatch(word)
