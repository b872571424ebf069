"""Refuse a reading in which a word that narrows its question has no part: a condition, a time, a negation or "only"."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from bridge.domain.errors import SetupError
from bridge.domain.languages import say
from bridge.query import plain_kinds as w
from bridge.query.parse import Words
from bridge.query.plain_kinds import NotUnderstood
from bridge.query.plain_words import pattern
from bridge.query.settled import ENDS

NARROWS = {w.COMPARED, w.CLOCK, w.SPAN, w.CONDITION, w.WEEKEND, w.SPORT, w.ACTIVITY, w.ACTION, w.FACTOR, w.OTHERS}
ALIKE = dict.fromkeys((w.SPORT, w.ACTIVITY), w.SPORT + w.ACTIVITY + w.RAN)  # "minutes of cycling per ride"
MORNING = (w.CLOCK, ("<", "12:00"))  # of a time of waking, which says so itself
ONLY = (w.FILL, "only")
ROWS = ("workouts", "entries", "tasks")
AMOUNTS = {w.WORKOUTS: "workout", w.ENTRIES: "entries"}  # what is done or had, and how a condition names it
AMOUNTS |= dict.fromkeys((w.SPORT, w.ACTIVITY, w.RAN, w.FACTOR, w.ACTION), "")  # by its value
DONE = {w.SPORT, w.ACTIVITY, w.RAN, w.WALK, w.WORKOUTS, w.FACTOR, w.ACTION, w.ENTRIES}
NEGATION, NEGATED, FURTHER, TOLD_TOO = map(pattern, ("negation", "negated", "further", "told_too"))
AMOUNT = pattern("amount")
EITHER = re.compile(r"(?<!\w)(?:or|oder)(?!\w)")
PRESENT = re.compile(r"> 0(?!\S)| = [^\W\d]")  # of a condition that only says that there was something


def check_used(tokens: Sequence[w.Token], found: Words, read: Callable[[Sequence[w.Token]], Words]) -> None:
    """Raise NotUnderstood if ``read`` finds the same query when a word that narrows the question is left out.

    In a comparison a word may name the other side, which the query does not repeat.
    """
    for at, one in enumerate(tokens):
        again = sum(one[1] == of and kind in ALIKE.get(one[0], one[0]) for kind, of in tokens) > 1
        last_night = one[0] == w.SPAN and found.what == "night"  # which is meant where no time is said
        if found.against or one[0] not in NARROWS or one == MORNING or again or last_night:
            continue
        try:
            without = read([*tokens[:at], *tokens[at + 1 :]])
        except NotUnderstood:
            continue
        if without == found:
            raise NotUnderstood


def check_negated(text: str, found: Words) -> None:
    """Raise NotUnderstood, with the word, if a text denies something and its query has no condition for its absence.

    A comparison tells both sides, and days in a row or since are those without it.
    """
    denied = NEGATION.findall(text)
    tells_both = found.against or found.of in ("streak", "ago") or found.what.startswith("tasks")
    if len(denied) > len(NEGATED.findall(" & ".join(found.where))) and not tells_both:
        raise NotUnderstood(denied[-1])


def check_sides(tokens: Sequence[w.Token], found: Words, text: str) -> None:
    """Raise NotUnderstood for two sides that come out as one, as of "worse after beer than after wine"."""
    at = [n for n, (kind, _) in enumerate(tokens) if kind == w.THAN]
    sides = [{of for kind, of in part if kind == w.FACTOR} for part in (tokens[: at[0]], tokens[at[0] :])] if at else []
    same = sides and sides[0] & sides[1] and not any(kind == w.OTHERS for kind, _ in tokens)
    sports = [one for one in found.where if "workout.sport = " in one]
    if same or (len(sports) > 1 and EITHER.search(text)):
        raise NotUnderstood


def check_limited(tokens: Sequence[w.Token]) -> None:
    """Raise NotUnderstood for "days on which I only ran": no condition says that nothing else was done."""
    told = [token for token in tokens if token[0] != w.FILL or token == ONLY]
    kinds = {kind for kind, _ in told}
    if kinds & {w.DAYS, w.NIGHTS, w.ON_DAYS, w.HOW_OFTEN} and any(
        one == ONLY and kind in DONE for one, (kind, _) in pairwise(told)
    ):
        raise NotUnderstood("only")


def check_halves(text: str, found: Words, read: Callable[[str], Words]) -> None:
    """Raise NotUnderstood if a query answers only one of two questions in a sentence.

    The day and the value of a highest, lowest, first or last row answer "and when was that", too, and a number "and
    how many".
    """
    parts = FURTHER.split(text)
    if len(parts) != 2:
        return
    try:
        first = read(parts[0])
    except NotUnderstood:
        return
    second = parts[1].lower()
    tells = found.of in (*ENDS, "first", "last") or (found.of == "count" and second.startswith(("how", "wie")))
    told = tells and TOLD_TOO.match(second)
    if (first == found and not told) or (first.of != found.of and not found.against):
        raise NotUnderstood(parts[1])


def check_amounts(text: str, found: Words, read: Callable[[str], Sequence[w.Token]]) -> None:
    """Raise SetupError for "does more coffee mean less sleep", of which only days with and without it are compared."""
    conditions = (found.against or "", *(() if found.what.startswith(ROWS) else found.where))
    spans = ".." in (found.against or "")  # "more headaches in May than in June": of the days with one
    told = [
        condition
        for condition in conditions
        if PRESENT.search(condition) and not (spans and condition.startswith(f"{found.what} "))
    ]
    if not told:
        return
    twice = sum(kind == w.MORE for kind, _ in read(text)) > 1
    for one in AMOUNT.finditer(text):
        begun, rest = text[: one.start()], text[one.end() :]
        before, behind = _meaning(begun, begun.split()[-1:], read), _meaning(rest, rest.split()[:1], read)
        first = next((kind for kind, _ in behind), None)
        trails = first == w.RELATED or ((twice or one["much"]) and first != w.METRIC)  # "when I run more"
        of_it = [*behind[:1], *(before[-1:] if trails else ())]
        if any(kind in AMOUNTS and any((AMOUNTS[kind] or str(of)) in part for part in told) for kind, of in of_it):
            raise SetupError(
                say(
                    "only days with something and days without it are compared, not how much of it there was; leave "
                    "out the word {word}, or name an amount, such as more than 8000 steps",
                    word=one["word"],
                )
            )


def _meaning(text: str, beside: Sequence[str], read: Callable[[str], Sequence[w.Token]]) -> Sequence[w.Token]:
    """Return the tokens of a part of a question, or of the word ``beside`` the amount if the part is none by itself."""
    for part in (text, *beside):
        try:
            return [one for one in read(part) if one[0] != w.DID and one != (w.FILL, None)]
        except NotUnderstood:
            continue
    return []
