"""Turn the text of a plain question into tokens, and change those whose place in it matters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from bridge.domain.phrases import WEEKDAYS
from bridge.query import plain_kinds as w
from bridge.query.plain_kinds import NotUnderstood
from bridge.query.plain_marks import TOLD as MARKS
from bridge.query.plain_marks import Marked
from bridge.query.plain_names import without_free
from bridge.query.plain_slips import parts
from bridge.query.plain_titles import days_apart
from bridge.query.plain_words import Known, months, pattern, texts, tokens_of, vocabulary, with_not
from bridge.query.span_patterns import TOLD as SPANS

SPELLED = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
SHORT_DAYS = {
    "|".join(one[: MARKS[language]["short"]] for one in WEEKDAYS[language].split()): through
    for language, through in (("en", "to"), ("de", "bis"))
}
BURNED = pattern("burned")
BEFORE = (w.THAN, "before")
GERMAN_IT = pattern("german_it")
WHO_ASKS = pattern("who_asks")


def plainly(text: str) -> str:
    """Return a question in lower case, without marks that mean nothing and with words apart."""
    text = re.sub(r"[.…]{2,}|[?!],", " ", text.lower().replace("’", "'")).strip(" ?!.\n\t")
    text = with_not(re.sub(r"(?<!\w)w/o(?!\w)", "without", text))
    text = re.sub(r"(?<=\w)'s(?= |$)", "s", text) if GERMAN_IT.search(text) else text
    text = without_free(text)
    text = WHO_ASKS.sub("", text)
    if BURNED.search(text):
        text = re.sub(r"(?<!\w)(?<!aktive )energie(?!\w)", "kalorien", text)
    month = "|".join(months())
    text = re.sub(rf"(?<!\w)({month})-({month})(?!\w)", r"\1 – \2", text)
    for short, through in SHORT_DAYS.items():
        text = re.sub(rf"(?<!\w)({short})\.?[-–]({short})(?!\w)", rf"\1 {through} \2", text)
    text = re.sub(r"(?<=\d)(?=(?:d|wks?)(?!\w))", " ", text)  # "30d"
    text = re.sub(r"(?<=[^\W\d_])(?:-|/(?!h(?!\w)))(?=[^\W\d_])", " ", text)  # "REM-Schlaf", "steps/stress"
    text = re.sub(r"(?<=\w) (?:/|\+) (?=[^\W\d_])", " vs ", text)  # "progress / deep work"
    text = re.sub(r"(?<=[^\W\d]) [–—] (?=[^\W\d])(?!" + f"(?:{month})(?!\\w))", " ", text)
    text = re.sub(r"([<>]=?) ?(?=\d)", r" \1 ", text)
    text = re.sub(r"[()\[\]\"„“”«»;…]|(?<=s)'(?= )| - ", " ", text)
    text = re.sub(r"(?<=[a-zø])\.(?=\s|$)", " ", text)
    return re.sub(r"[,:?!.](?=\s|$)(?<!\d\.)", " ", re.sub(r"\s+", " ", text)).strip()


@cache
def _umlauts() -> Mapping[str, str]:
    """Return words spelled as "laenger" -> as "länger", for all words of the German tables."""
    tables = f"{' '.join(vocabulary('de'))} {MARKS['de']} {SPANS['de']} {SPANS['words']['de']}"
    spelled = {word.translate(SPELLED): word for word in re.findall(r"\w*[äöüß]\w*", tables)}
    return {one: word for one, word in spelled.items() if one not in vocabulary("de")}


def with_umlauts(text: str) -> str:
    """Return a German text with "länger" for "laenger" and "dreißig" for "dreissig".

    >>> with_umlauts("laenger als fuenf stunden im maerz, auf dem fluss")
    'länger als fünf stunden im märz, auf dem fluss'
    """
    return re.sub(r"\w*(?:[aou]e|ss)\w*", lambda found: _umlauts().get(found[0], found[0]), text)


def tokens_in(text: str, marked: Marked, known: Known) -> list[w.Token]:
    """Return the tokens of a marked text. Raises NotUnderstood for a word of no phrase, unless it may be of a title."""

    def marked_as(word: str) -> w.Token:
        if word not in marked.found and not marked.titles:
            raise NotUnderstood
        return marked.found.get(word, (w.UNKNOWN, word))

    words = [part for word in text.split() for part in parts(word, marked.language, known)]
    if marked.titles:
        words = [
            part for word in words for part in days_apart(word, marked.language, known, texts(marked.language).untitled)
        ]
    light = texts(marked.language).light
    return list(tokens_of(words, known, known.loose, light, marked_as))


def elaborated(tokens: list[w.Token]) -> list[w.Token]:
    """Drop "are my runs getting longer?" if the next sentence says which figure to show by week or month."""
    kinds, figures = {kind for kind, _ in tokens}, {of for kind, of in tokens if kind == w.OF}
    asks = w.BECOMES in kinds or "trend" in figures
    if not (asks and w.BY in kinds and {"mean", "median"} & figures):
        return tokens
    lasted = (w.MORE, "length") in tokens and kinds & {w.SPORT, w.ACTIVITY, w.WORKOUTS}
    tokens = [token for token in tokens if token[0] not in (w.BECOMES, w.MORE) and token != (w.OF, "trend")]
    return [(w.FIGURE, "minutes") if lasted and token == (w.UNIT, "min") else token for token in tokens]


def placed(tokens: Sequence[w.Token], *, first: bool) -> list[w.Token]:
    """Return tokens whose place in the question changes what they mean. ``first`` says if it begins with "when I"."""
    asks = {w.METRIC, w.SPORT, w.ACTIVITY, w.WORKOUTS, w.FIGURE, w.NIGHTS, w.DAYS, w.WHICH_BY, w.BED, w.UP}
    found: list[w.Token] = []
    led = [kind for kind, _ in tokens[:2]]
    tokens = tokens[1:] if led[:1] == [w.AND] or led == [w.WITH, w.HOW_MANY] else tokens
    kinds = {kind for kind, _ in tokens}
    again = tokens.index(BEFORE) if BEFORE in tokens[:-1] else 0
    if (w.AHEAD, None) in tokens[:again]:  # "before a run than before yoga"
        tokens = [*tokens[:again], (w.THAN, None), (w.AHEAD, None), *tokens[again + 1 :]]
    if tokens and tokens[-1] == (w.AHEAD, None) and kinds <= {w.DID, w.AHEAD, w.SPAN, w.CONDITION, w.CLOCK}:
        tokens = [*tokens[:-1], (w.LIST, None)]  # "was habe ich morgen vor"
    many = [at for at, (kind, _) in enumerate(tokens) if kind == w.HOW_MANY]
    if len(many) == 1 and many[0] and tokens[many[0] - 1][0] == w.AND and tokens[0][0] == w.ON_DAYS:
        tokens = [*tokens[: many[0] - 1], *tokens[many[0] :]]  # "are there nights with ..., and how many"
    if kinds & {w.COMPARED, w.LENGTH}:
        tokens = [token for token in tokens if token[0] != w.VAGUE]
    behind = [*tokens[1:], (w.FILL, None)]
    tokens = [
        one
        for one, (after, _) in zip(tokens, behind, strict=False)
        if not (one[0] == w.ALL and after in (w.DAYS, w.NIGHTS) and not kinds & {w.HOW_MANY, w.OF, w.METRIC})
    ]  # "all days with a headache"
    deeper, slept = (w.MORE, "deeper"), (w.METRIC, "asleep")
    if deeper in tokens:  # "schlafe ich nach Sport tiefer", and "tieferer Puls"
        deep = slept in tokens
        tokens = [(w.METRIC, "deep_sleep") if deep and token == slept else token for token in tokens]
        tokens = [(w.MORE, None) if token == deeper else token for token in tokens]
    mornings = (w.CLOCK, ("<", "12:00"))
    if w.UP in kinds and sum(kind == w.CLOCK for kind, _ in tokens) == 2 and mornings in tokens:
        tokens = [
            (w.NIGHTS, None) if token == mornings else token for token in tokens
        ]  # "mornings on which I woke before 6"
    for kind, value in tokens:
        later = (kind, value) == (w.WHEN, "when") and (first or any(one[0] in asks for one in found))
        found.append((w.ON_DAYS, "days") if later else (kind, value))
    return found
