"""Simulate a person who answers questions about calendar entries, and count the right labels afterwards.

A share of a person's titles is never asked about (the *new titles*). They are the same for every way of asking and
every number of answers, so that all are compared in pairs. A wrong answer is any action.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import fmean

from bridge.calendar import likeness
from bridge.calendar.corrections import Titles
from bridge.calendar.likeness import ACTIONS, Case, Corrected, Question, questions
from bridge.domain.ports import EventClassifier
from bridge.domain.records import Correction
from bridge.domain.types import Label
from lab.classifier.entries import Lived
from lab.cli.figures import ranged
from lab.validation.ranks import interval

ANSWERS = (6, 12, 24)
NEW = 0.4  # share of titles that are never asked about
FEWEST_TITLES = 40
SEEDS = 4
SINCE = datetime(2021, 1, 4, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """The change in the share of right labels (0 to 1) by a person's answers.

    ``new`` is over new titles, each once, ``others`` over new titles by their number of entries, and ``all`` over all
    entries, including those asked about.
    """

    person: str
    before: float
    new: float
    others: float
    all: float


Way = Callable[[Sequence[Question], int, random.Random], list[Question]]


def covering(asked: Sequence[Question], count: int, _: random.Random) -> list[Question]:
    """Return the ``count`` questions that the product would ask."""
    return questions(asked, [], count)


def at_random(asked: Sequence[Question], count: int, rng: random.Random) -> list[Question]:
    return rng.sample(asked, min(count, len(asked)))


def most_frequent(asked: Sequence[Question], count: int, rng: random.Random) -> list[Question]:
    shuffled = rng.sample(asked, len(asked))
    return sorted(shuffled, key=lambda one: -one.times)[:count]


WAYS: dict[str, Way] = {"covering": covering, "at random": at_random, "most frequent": most_frequent}


def replays(
    lived: Sequence[Lived],
    classifier: EventClassifier,
    *,
    wrong: float = 0.0,
    seeds: int = SEEDS,
    answers: Sequence[int] = ANSWERS,
) -> dict[tuple[str, int], list[Gain]]:
    """Return the gains of each person, by way of asking and number of answers.

    ``wrong`` is the share of wrong answers, and gains are means over ``seeds`` random choices of new titles. People
    with fewer than FEWEST_TITLES titles are left out.
    """
    people: dict[str, list[Lived]] = {}
    for one in lived:
        people.setdefault(one.titled.person, []).append(one)
    found: dict[tuple[str, int], list[Gain]] = {(way, count): [] for way in WAYS for count in answers}
    for person, own in people.items():
        if len(own) >= FEWEST_TITLES:
            labels = classifier.classify([one.titled.event for one in own])
            drawn = [_replay(own, labels, random.Random(f"{person} {seed}"), wrong, answers) for seed in range(seeds)]
            for key, gains in found.items():
                gains.append(_mean([one[key] for one in drawn]))
    return found


def _mean(gains: Sequence[Gain]) -> Gain:
    names = ("before", "new", "others", "all")
    return Gain(person=gains[0].person, **{name: fmean(getattr(gain, name) for gain in gains) for name in names})


def _replay(
    own: Sequence[Lived], labels: Sequence[Label], rng: random.Random, wrong: float, answers: Sequence[int]
) -> dict[tuple[str, int], Gain]:
    cases = [likeness.case(one.titled.event, label) for one, label in zip(own, labels, strict=True)]
    order = rng.sample(range(len(own)), len(own))
    new = order[: round(NEW * len(own))]
    pool = [Question(series=str(at), case=cases[at], times=own[at].times) for at in order[len(new) :]]
    truth = [one.titled.action for one in own]
    said = {str(at): rng.choice(ACTIONS) if rng.random() < wrong else truth[at] for at in range(len(own))}
    found = {}
    for way, ask in WAYS.items():
        asked = ask(pool, max(answers), rng)
        for count in answers:
            made = [Corrected(case=one.case, action=said[one.series]) for one in asked[:count]]
            found[way, count] = _gain(own, cases, new, made, [one.case for one in pool])
    return found


def _gain(
    own: Sequence[Lived],
    cases: Sequence[Case],
    new: Sequence[int],
    made: Sequence[Corrected],
    pool: Sequence[Case],
) -> Gain:
    """Return the gain by the answers ``made``, which decide equal and similar titles before the classifier."""
    answers = [Correction(series="", title=one.case.title, action=one.action, made_at=SINCE) for one in reversed(made)]
    titles = Titles(answers)
    taught = likeness.likened(cases, made[::-1], [one.title for one in pool])
    after = [titles.said(one.title) or mine or one.label for one, mine in zip(cases, taught, strict=True)]
    truth = [one.titled.action for one in own]
    was = [one.label.action is action for one, action in zip(cases, truth, strict=True)]
    now = [one.action is action for one, action in zip(after, truth, strict=True)]

    def gain(rows: Sequence[int], times: bool) -> float:
        weights = [own[at].times if times else 1 for at in rows]
        return sum(w * (now[at] - was[at]) for at, w in zip(rows, weights, strict=True)) / max(sum(weights), 1)

    before = fmean(was[at] for at in new)
    person, every = own[0].titled.person, range(len(own))
    return Gain(person=person, before=before, new=gain(new, False), others=gain(new, True), all=gain(every, True))


def markdown(lived: Sequence[Lived], classifier: EventClassifier, answers: Sequence[int] = ANSWERS) -> str:
    """Return a Markdown table of mean gains over people with 95 % intervals, with and without wrong answers."""
    head = (
        "| asked | answers | people | new titles before | new titles | the same against most frequent "
        "| by occurrence | all with those asked | worst |"
    )
    lines = [head, "|---|---:|---:|---:|---|---|---:|---:|---:|"]
    for wrong in (0.0, 0.1):
        found = replays(lived, classifier, wrong=wrong, answers=answers)
        for (way, count), gains in found.items():
            if gains and (wrong == 0 or way == "covering"):
                name = f"{way}, one in ten wrong" if wrong else way
                usual = found["most frequent", count]
                lines.append(f"| {name} | {count} | {len(gains)} | {_cells(gains, usual)} |")
    return "\n".join(lines)


def _cells(gains: Sequence[Gain], usual: Sequence[Gain]) -> str:
    means = [f"{fmean(getattr(gain, name) for gain in gains):+.3f}" for name in ("others", "all")]
    new, more = [gain.new for gain in gains], [one.new - other.new for one, other in zip(gains, usual, strict=True)]
    before = fmean(gain.before for gain in gains)
    against = "" if gains is usual else _ranged(more)
    return " | ".join([f"{before:.3f}", _ranged(new), against, *means, f"{min(new):+.3f}"])


def _ranged(values: Sequence[float]) -> str:
    return ranged({"mean": fmean(values), "ci95": interval(values)}, "+.3f")
