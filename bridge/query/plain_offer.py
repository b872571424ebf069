"""Name the words of a question that are not known, and offer a question near to it that is understood."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from datetime import date
from functools import cache

from bridge.domain import metric_names
from bridge.query import plain_kinds as w
from bridge.query.plain_marks import Marked
from bridge.query.plain_tokens import plainly, tokens_in
from bridge.query.plain_words import known_in, texts, told

LANGUAGES = ("en", "de")
NEAR: Mapping[str, Mapping[str, str]] = told("patterns")["near"]
ASKED = {w.WORKOUTS: "workouts", w.ENTRIES: "entries", w.TASKS: "tasks"}


def example(near: str | None, text: str, today: date, factors: w.Lexicon) -> str:
    """Return the command of a similar question that is understood, or of a general one in the same language."""
    return f'bridge ask "{near or NEAR[likely(text, today, factors)[0]]["any"]}"'


def likely(text: str, today: date, factors: w.Lexicon) -> Sequence[str]:
    """Return the languages in which the fewest words of a text are unknown."""
    unknown = {language: len(_unknown(text, language, today, factors)[0]) for language in LANGUAGES}
    return [language for language in LANGUAGES if unknown[language] == min(unknown.values())]


def _unknown(text: str, language: str, today: date, factors: w.Lexicon) -> tuple[Set[str], Sequence[w.Token]]:
    marked, known = Marked(language, today, titles=True), known_in(language, factors)
    plain = Marked(language, today, corrected=True).corrected_text(plainly(text), known)
    tokens = tokens_in(marked.mark(plain), marked, known)
    return {str(of) for kind, of in tokens if kind == w.UNKNOWN}, tokens


def offer(text: str, today: date, factors: w.Lexicon) -> tuple[Sequence[str], str | None]:
    """Return the words of a question that are not known, in the language of the fewest, and a near question."""
    told: list[tuple[Sequence[str], str]] = []
    if any(texts(language).not_asked.search(text.lower()) for language in LANGUAGES):
        return (), None  # no question near to it is meant
    for language in LANGUAGES:
        unknown, tokens = _unknown(text, language, today, factors)
        words = [word for word in text.split() if _is_of(word, unknown)]
        told.append((words, _near(dict(reversed(tokens)), language)))
    unread, near = min(told, key=lambda one: len(one[0]))
    return (unread if 2 * len(unread) <= len(text.split()) else ()), near  # else of another language


def _near(named: Mapping[str, object], language: str) -> str:
    if w.METRIC in named and (name := _names(language).get(str(named[w.METRIC]))):
        return NEAR[language]["metric"].format(name=name)
    sport = "workouts" if named.keys() & {w.SPORT, w.ACTIVITY} else "any"
    return NEAR[language][next((ASKED[kind] for kind in ASKED if kind in named), sport)]


def _is_of(word: str, unknown: Set[str]) -> bool:
    plain = word.lower().strip(".,;:?!()\"'")
    return plain in unknown or any(len(one) > 3 and one in plain for one in unknown)


@cache
def _names(language: str) -> Mapping[str, str]:
    told = {name: words["de" if language == "de" else "en"] for name, words in metric_names.asked_words().items()}
    return {name: words.split(",")[0] for name, words in told.items()}
