"""Understand plain questions, in English and German, as typed queries: "how much deep sleep did I get in October?".

Every word must be known and every part must be used, else nothing is understood: a question that is refused costs a
second try, a question that is misunderstood is answered wrongly.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from datetime import date
from functools import cache
from itertools import pairwise

from bridge.domain import metric_names
from bridge.domain.errors import SetupError
from bridge.domain.languages import say
from bridge.query import plain_kinds as w
from bridge.query.bag import Bag
from bridge.query.model import TITLED
from bridge.query.parse import Words
from bridge.query.plain_kinds import NotUnderstood
from bridge.query.plain_marks import Marked
from bridge.query.plain_names import noted, without_free, without_names
from bridge.query.plain_remarks import SENTENCE, without_remarks
from bridge.query.plain_settled import of_change, settled
from bridge.query.plain_slips import parts
from bridge.query.plain_spans import (
    by_weekday,
    compared,
    to_come,
    told_spans,
    until_now,
    weekly,
    with_night,
    with_weekend,
    within,
)
from bridge.query.plain_titles import ENTRY, Titles, days_apart
from bridge.query.plain_words import lexicon, loose, loose_notes, months, notes, pattern, texts, tokens_of, told
from bridge.query.readings import words_of
from bridge.query.spans import DAY

TEXT_MAX = 300  # characters
EXAMPLES = (  # for the page, in the language of the person
    say("how much deep sleep did I get on weekdays in October?"),
    say("what time do I usually go to bed?"),
    say("steps this week compared to last week"),
)
NEAR: Mapping[str, Mapping[str, str]] = told("patterns")["near"]
ASKED = {w.WORKOUTS: "workouts", w.ENTRIES: "entries", w.TASKS: "tasks"}
LANGUAGES = ("en", "de")
# "do I ... no, how often do I golf": what is broken off counts no more.
BOTH = pattern("both")
REFERS = pattern("refers")
SUBJECTS = frozenset(
    {w.METRIC, w.SPORT, w.ACTIVITY, w.WORKOUTS, w.ENTRIES, w.ACTION, w.FACTOR, w.TASKS, w.SEVERAL, w.BED, w.UP}
)
BROKEN_OFF = pattern("broken_off")


INFLECTED = pattern("inflected")
OF_WAKING = pattern("of_waking")
NOTES = pattern("notes")
TONIGHT = pattern("tonight")
WEIGHT = pattern("weight")
HEALTH, JUDGED = pattern("health"), pattern("judged")
MONEY = pattern("money")
BURNED = pattern("burned")
GERMAN_IT = pattern("german_it")
WHEN_I = pattern("when_i")
WHO_ASKS = pattern("who_asks")
TO_COME = pattern("to_come")
GERMAN_NOW = re.compile(r"(?<!\w)(?:gerade|grad|derzeit)(?!\w)")  # where nothing else is said, else a filling word
OF_WEEKDAY = {language: pattern(f"weekday_{language}") for language in LANGUAGES}
I_AM = pattern("i_am")
I_AM_SO = re.compile("(?:am i|are we|bin ich|sind wir)(?!\\w)")


# "How many tasks were due, and how many of them did I do" are two questions.
TWICE = re.compile(f"[{w.HOW_MANY}{w.HOW_LONG}].*{w.AND}[{w.HOW_MANY}][^{w.METRIC}{w.NIGHTS}{w.DAYS}{w.WORKOUTS}]*$")


class NotRead(SetupError):
    """A plain question is not understood. ``unread`` are its unknown words, ``near`` is a similar valid question."""

    def __init__(self, message: str, unread: Sequence[str] = (), near: str | None = None) -> None:
        super().__init__(message)
        self.unread, self.near = unread, near


def read(text: str, today: date, factors: Iterable[str] = ()) -> Words:
    """Return the query that a question means, where ``factors`` are the names of what the person notes.

    Raises NotRead with an example, also where two languages disagree.
    """
    text = text.strip()
    text, said = noted(text) if NOTES.search(text.lower()) else (text, [])
    named = notes(said, factors)
    _check_asked(text, today, named)
    found: list[Words] = []
    for corrected, titles in ((False, False), (True, False), (True, True)):
        for language in _likely(text, today, named) if titles else LANGUAGES:
            marked = Marked(language, today, corrected=corrected, titles=titles)
            try:
                found.append(replace(_read(text[: TEXT_MAX + 1], marked, named), mended=tuple(marked.mended)))
            except NotUnderstood:
                continue
        if found:
            break
    if not found and WEIGHT.search(text.lower()):
        raise SetupError(
            say(
                "the bridge reads your weight from no source, so it cannot answer this; ask about what it reads, such "
                "as your steps"
            )
        )
    if not found or len(text) > TEXT_MAX or any(one != other for one, other in pairwise(found)):
        unread, near = ((), None) if found or len(text) > TEXT_MAX else _offer(text, today, named)
        if unread:
            raise NotRead(
                say(
                    "not understood in this question: {words}; ask, for example: {example}",
                    words=", ".join(unread),
                    example=_example(near, text, today, named),
                ),
                unread,
                near,
            )
        raise NotRead(
            say(
                "this question is not understood as a whole; ask a plainer one in English or German, "
                "such as: {example}",
                example=_example(near, text, today, named),
            ),
            unread,
            near,
        )
    return found[0]


def _check_asked(text: str, today: date, named: w.Lexicon) -> None:
    """Raise SetupError for what no query answers: the coming night, an illness, and a judgement."""
    lower = text.lower()
    if TONIGHT.search(lower):
        raise SetupError(
            say("the coming night is not recorded yet; its times stand on Today and in the plan of the day")
        )
    if HEALTH.match(lower):
        raise SetupError(say("whether you are ill is not measured; what you said and what was noticed stands on Today"))
    if JUDGED.search(lower):
        example = _example(None, text, today, named)
        raise SetupError(say("figures are told here, no diagnosis and no judgement; ask: {example}", example=example))


def _example(near: str | None, text: str, today: date, factors: w.Lexicon) -> str:
    """Return the command of a similar question that is understood, or of a general one in the same language."""
    return f'bridge ask "{near or NEAR[_likely(text, today, factors)[0]]["any"]}"'


def _likely(text: str, today: date, factors: w.Lexicon) -> Sequence[str]:
    unknown = {language: len(_unknown(text, language, today, factors)[0]) for language in LANGUAGES}
    return [language for language in LANGUAGES if unknown[language] == min(unknown.values())]


def _unknown(text: str, language: str, today: date, factors: w.Lexicon) -> tuple[Set[str], Sequence[w.Token]]:
    marked, known = Marked(language, today, titles=True), {**lexicon(language), **factors}
    plain = Marked(language, today, corrected=True).corrected_text(_plain(text), known)
    tokens = _tokens(marked.mark(plain), marked, known)
    return {str(of) for kind, of in tokens if kind == w.UNKNOWN}, tokens


def _offer(text: str, today: date, factors: w.Lexicon) -> tuple[Sequence[str], str | None]:
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


def read_both(text: str, today: date, factors: Iterable[str] = ()) -> tuple[Words, Words] | None:
    """Return the queries of two questions in one sentence, or None unless both are understood.

    The second one takes over what it does not say from the first: "how often did I row in May, and how far".
    """
    parts = [one for one in BOTH.split(text.strip()) if one.strip()]
    if len(parts) != 2 or len(text) > TEXT_MAX:
        return None
    named = notes([], factors)
    for language in _likely(text, today, named):
        one, other = (Marked(language, today, corrected=True, titles=True) for _ in parts)
        try:
            first = _read(parts[0], one, named)
            second = _read(parts[1], other, named, asked=_told(parts[0], Marked(language, today, titles=True), named))
        except NotUnderstood:
            continue
        timed = bool(second.since or second.until)
        if (timed and not (first.since or first.until)) or REFERS.search(parts[1].lower()):
            continue  # of which of them the time is, or of what of the first
        if second.what.partition(".")[0] == first.what.partition(".")[0] and {*first.where} - {*second.where}:
            continue  # "how many runs over 10 km, and how far in all"
        return first, second if timed else replace(second, since=first.since, until=first.until)
    return None


def _told(text: str, marked: Marked, factors: w.Lexicon) -> Sequence[w.Token]:
    known = {**lexicon(marked.language), **factors}
    return [one for one in _tokens(marked.mark(_plain(text)), marked, known) if one[0] in SUBJECTS]


def _with_subject(tokens: Sequence[w.Token], asked: Sequence[w.Token]) -> Sequence[w.Token]:
    kinds = {kind for kind, _ in tokens}
    if not asked or kinds & {*SUBJECTS, w.UNKNOWN}:
        return tokens
    if kinds <= {w.HOW_MANY, w.HOW, w.DID, w.FILL, w.SPAN}:
        raise NotUnderstood  # "and how many were there"
    return [*tokens, *asked]


def _read(text: str, marked: Marked, factors: w.Lexicon, *, asked: Sequence[w.Token] = ()) -> Words:
    text = BROKEN_OFF.sub("", text)
    if texts(marked.language).not_asked.search(text.lower()):
        raise NotUnderstood
    if marked.titles and (SENTENCE.search(text) or I_AM.match(text.lower())):
        raise NotUnderstood  # of which of them a title is, or of which time
    known = {**lexicon(marked.language), **factors}
    if marked.corrected:
        text = without_names(
            without_remarks(text.lower(), lambda part: _says_nothing(part, marked, known)), marked.language
        )
    plain = marked.mark(marked.with_shifts(marked.corrected_text(_plain(text), known), factors))
    if texts(marked.language).unread.search(plain):
        raise NotUnderstood
    tokens = _tokens(plain, marked, known)
    tokens = [*_with_subject(tokens, asked)]
    titles = Titles(
        texts(marked.language).untitled | {*(INFLECTED.findall(text.lower()) if marked.language == "de" else ())},
        marked.language,
        marked.spans,
        in_brackets=re.search(r"\([^()]*\d[^()]*\)", text) is not None,
        of_calendar=re.search("calendar|diary|kalender", text.lower()) is not None,
    )
    told = [one for one in titles.told(tokens) if one[0] != w.FILL]
    tokens = with_weekend(_placed(told, first=WHEN_I.match(text.lower()) is not None), marked, text.lower())
    tokens = with_night(tokens, text.lower())
    if [kind for kind, _ in tokens] == [w.METRIC] and GERMAN_NOW.search(text.lower()):
        tokens = [*tokens, (w.OF, "now")]
    kinds = {kind for kind, _ in tokens}
    in_doubt = [
        TWICE.search("".join(kind for kind, _ in tokens)),
        MONEY.search(text.lower()) and w.FACTOR in kinds,  # what it cost is stored nowhere
    ]
    if any(in_doubt):
        raise NotUnderstood
    if re.search(r"\? +\w", text):
        tokens = _elaborated(tokens)
    if any(kind == w.FACTOR and str(of).startswith(TITLED) for kind, of in tokens):
        tokens = [one for one in tokens if one[0] != w.ENTRIES]  # which those of a title are
    coming = kinds & {w.ENTRIES, w.ACTION, w.LIST, w.FREE} and TO_COME.search(text.lower())
    planned = kinds & {w.ENTRIES, w.TASKS, w.TASKED} and not kinds & {w.METRIC, w.NIGHTS}
    if coming or (planned and OF_WEEKDAY[marked.language].search(text.lower())):
        marked.spans[:] = [to_come(one, marked.today) for one in marked.spans]
    tokens = by_weekday(compared(tokens, text.lower()), marked, text.lower())
    tokens, spans = weekly(*told_spans(tokens, marked), text.lower(), marked.today)
    spans = until_now(spans, kinds, text.lower(), marked.today)
    found = words_of(Bag.of([one for one in tokens if one[0] != w.SPAN], timed=len(spans) == 1))
    read = settled(found, text.lower(), kinds, timed=bool(spans))
    read = within(read, spans, marked.today, says_waking=OF_WAKING.search(text.lower()) is not None)
    read = of_change(read, text.lower())
    _check_answers(read, tokens, text.lower())
    return read if titles.name is None else _since_entry(read, titles.name)


def _check_answers(read: Words, tokens: Sequence[w.Token], text: str) -> None:
    one_side = (w.OTHERS, "both") in tokens and read.against is None
    if one_side or (read.what.startswith(TITLED) and I_AM_SO.match(text)):
        raise NotUnderstood


def _since_entry(read: Words, name: str) -> Words:
    """Return a query with the placeholder date ``ENTRY`` replaced by the name of an entry."""
    before = f"..{(ENTRY - DAY).isoformat()}"
    return replace(
        read,
        since=f"{TITLED}{name}" if read.since == ENTRY.isoformat() else read.since,
        against=f"..{TITLED}{name}" if read.against == before else read.against,
    )


def _says_nothing(text: str, marked: Marked, known: w.Lexicon) -> bool:
    """Return True if no word of a text has a meaning in a question, so that the text is only a remark."""
    for language in LANGUAGES:  # in both, as all words of another language are unknown
        part = Marked(language, marked.today, titles=True)
        words = known if language == marked.language else lexicon(language)
        kinds = {kind for kind, _ in _tokens(part.mark(_plain(text)), part, words)}
        if kinds - {w.FILL, w.UNKNOWN, w.DID, w.HOW, w.USUAL, w.AND}:
            return False
    return True


def _elaborated(tokens: list[w.Token]) -> list[w.Token]:
    """Drop "are my runs getting longer?" if the next sentence says which figure to show by week or month."""
    kinds, figures = {kind for kind, _ in tokens}, {of for kind, of in tokens if kind == w.OF}
    asks = w.BECOMES in kinds or "trend" in figures
    if not (asks and w.BY in kinds and {"mean", "median"} & figures):
        return tokens
    lasted = (w.MORE, "length") in tokens and kinds & {w.SPORT, w.ACTIVITY, w.WORKOUTS}
    tokens = [one for one in tokens if one[0] not in (w.BECOMES, w.MORE) and one != (w.OF, "trend")]
    return [(w.FIGURE, "minutes") if lasted and one == (w.UNIT, "min") else one for one in tokens]


def _placed(tokens: Sequence[w.Token], *, first: bool) -> list[w.Token]:
    asks = {w.METRIC, w.SPORT, w.ACTIVITY, w.WORKOUTS, w.FIGURE, w.NIGHTS, w.DAYS, w.WHICH_BY, w.BED, w.UP}
    found: list[w.Token] = []
    led = [kind for kind, _ in tokens[:2]]
    tokens = tokens[1:] if led[:1] == [w.AND] or led == [w.WITH, w.HOW_MANY] else tokens
    kinds = {kind for kind, _ in tokens}
    if tokens and tokens[-1] == (w.AHEAD, None) and kinds <= {w.DID, w.AHEAD, w.SPAN, w.CONDITION, w.CLOCK}:
        tokens = [*tokens[:-1], (w.LIST, None)]  # "was habe ich morgen vor"
    many = [at for at, (kind, _) in enumerate(tokens) if kind == w.HOW_MANY]
    if len(many) == 1 and many[0] and tokens[many[0] - 1][0] == w.AND and tokens[0][0] == w.ON_DAYS:
        tokens = [*tokens[: many[0] - 1], *tokens[many[0] :]]  # "are there nights with ..., and how many"
    if kinds & {w.COMPARED, w.LENGTH}:
        tokens = [one for one in tokens if one[0] != w.VAGUE]
    behind = [*tokens[1:], (w.FILL, None)]
    tokens = [
        one
        for one, (after, _) in zip(tokens, behind, strict=False)
        if not (one[0] == w.ALL and after in (w.DAYS, w.NIGHTS) and not kinds & {w.HOW_MANY, w.OF, w.METRIC})
    ]  # "all days with a headache"
    mornings = (w.CLOCK, ("<", "12:00"))
    if w.UP in kinds and sum(kind == w.CLOCK for kind, _ in tokens) == 2 and mornings in tokens:
        tokens = [(w.NIGHTS, None) if one == mornings else one for one in tokens]  # "mornings on which I woke before 6"
    for kind, value in tokens:
        later = (kind, value) == (w.WHEN, "when") and (first or any(one[0] in asks for one in found))
        found.append((w.ON_DAYS, "days") if later else (kind, value))
    return found


def _plain(text: str) -> str:
    text = re.sub(r"[.…]{2,}|[?!],", " ", text.lower().replace("’", "'")).strip(" ?!.\n\t")
    text = re.sub(r"(?<=\w)'s(?= |$)", "s", text) if GERMAN_IT.search(text) else text
    text = without_free(text)
    text = WHO_ASKS.sub("", text)
    if BURNED.search(text):
        text = re.sub(r"(?<!\w)(?<!aktive )energie(?!\w)", "kalorien", text)
    month = "|".join(months())
    text = re.sub(rf"(?<!\w)({month})-({month})(?!\w)", r"\1 – \2", text)
    text = re.sub(r"(?<=\d)(?=(?:d|wks?)(?!\w))", " ", text)  # "30d"
    text = re.sub(r"(?<=[^\W\d_])(?:-|/(?!h(?!\w)))(?=[^\W\d_])", " ", text)  # "REM-Schlaf", "steps/stress"
    text = re.sub(r"(?<=\w) (?:/|\+) (?=[^\W\d_])", " vs ", text)  # "progress / deep work"
    text = re.sub(r"(?<=[^\W\d]) [–—] (?=[^\W\d])(?!" + f"(?:{month})(?!\\w))", " ", text)
    text = re.sub(r"([<>]=?) ?(?=\d)", r" \1 ", text)
    text = re.sub(r"[()\[\]\"„“”«»;…]|(?<=s)'(?= )| - ", " ", text)
    text = re.sub(r"(?<=[a-zø])\.(?=\s|$)", " ", text)
    return re.sub(r"[,:?!.](?=\s|$)(?<!\d\.)", " ", re.sub(r"\s+", " ", text)).strip()


# Words to tokens ------------------------------------------------------------------------------------------------------


def _tokens(text: str, marked: Marked, lexicon: w.Lexicon) -> list[w.Token]:
    def marked_as(word: str) -> w.Token:
        if word not in marked.found and not marked.titles:
            raise NotUnderstood
        return marked.found.get(word, (w.UNKNOWN, word))

    words = [part for word in text.split() for part in parts(word, marked.language, lexicon)]
    if marked.titles:
        words = [
            part
            for word in words
            for part in days_apart(word, marked.language, lexicon, texts(marked.language).untitled)
        ]
    light = texts(marked.language).light
    said = ChainMap({**loose_notes(lexicon, light)}, {**loose(marked.language)})
    return list(tokens_of(words, lexicon, said, light, marked_as))
