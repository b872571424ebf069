"""Understand plain questions, in English and German, as typed queries: "how much deep sleep did I get in October?".

Every word must be known and every part must be used, else nothing is understood: a question that is refused costs a
second try, a question that is misunderstood is answered wrongly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import date
from itertools import pairwise

from bridge.domain import metric_names
from bridge.domain.errors import SetupError
from bridge.domain.languages import say
from bridge.query import plain_kinds as w
from bridge.query.bag import Bag
from bridge.query.day_parts import of_time_named
from bridge.query.figures import NIGHT_CLOCKS
from bridge.query.model import METER_NAMES, TITLED
from bridge.query.parse import Words
from bridge.query.plain_kinds import NotUnderstood
from bridge.query.plain_law import check_amounts, check_halves, check_limited, check_negated, check_sides, check_used
from bridge.query.plain_marks import Marked
from bridge.query.plain_names import noted, without_names
from bridge.query.plain_offer import LANGUAGES, example, likely, offer
from bridge.query.plain_settled import of_change, of_whole, settled
from bridge.query.plain_spans import (
    GERMAN_NOW,
    by_weekday,
    compared,
    of_month_to_come,
    of_now,
    of_year_to_come,
    to_come,
    to_same_point,
    told_spans,
    until_now,
    weekly,
    with_night,
    with_weekend,
    within,
)
from bridge.query.plain_titles import ENTRY, Titles
from bridge.query.plain_tokens import elaborated, placed, plainly, tokens_in, with_umlauts
from bridge.query.plain_words import (
    Known,
    known_in,
    notes,
    pattern,
    texts,
)
from bridge.query.readings import words_of
from bridge.query.settled import ENDS, has_present
from bridge.query.spans import DAY

TEXT_MAX = 300  # characters


def _named(name: str) -> list[str]:
    told = metric_names.asked_words()[name]
    return [re.escape(one.strip()) for language in LANGUAGES for one in told[language].split(",")]


EXAMPLE = say("how much deep sleep did I get on weekdays in October?")  # for the page
# "do I ... no, how often do I golf": what is broken off counts no more.
BOTH = pattern("both")
REFERS = pattern("refers")
SUBJECTS = frozenset(
    {w.METRIC, w.SPORT, w.ACTIVITY, w.WORKOUTS, w.ENTRIES, w.ACTION, w.FACTOR, w.TASKS, w.SEVERAL, w.BED, w.UP}
)
BROKEN_OFF = pattern("broken_off")


INFLECTED = pattern("inflected")
PARTICIPLE = pattern("participle")
OF_WAKING = pattern("of_waking")
NOTES = pattern("notes")
ALL_NOTES = {"all notes": pattern("all_notes_en"), "alle notizen": pattern("all_notes_de")}
TONIGHT = pattern("tonight")
WEIGHT = pattern("weight")
WHY = pattern("why")
_METERS = re.compile("|".join(word for name in METER_NAMES for word in _named(name)))
HEALTH, JUDGED = pattern("health"), pattern("judged")
AWAKENINGS, HOUR_OF = pattern("awakenings"), pattern("hour_of")
MONEY = pattern("money")
WHEN_I = pattern("when_i")
TO_COME = pattern("to_come")
HOW_IS = re.compile("how(?: is|'s|s) (?:my|the) |(?:und )?wie (?:ist|steht(?:'s|s| es) um) (?:mein|die |der |das )")
OF_WEEKDAY, OF_YEAR, OF_DATE = (
    {language: pattern(f"{name}_{language}") for language in LANGUAGES} for name in ("weekday", "year", "date")
)
I_AM = pattern("i_am")
MORE_OF = re.compile(r"(?<!\w)(?:more|less|fewer|mehr|weniger)(?!\w)(?! (?:than|als|or|oder) )")
I_AM_SO = re.compile("(?:am i|are we|bin ich|sind wir)(?!\\w)")


# "How many tasks were due, and how many of them did I do" are two questions.
TWICE = re.compile(f"[{w.HOW_MANY}{w.HOW_LONG}].*{w.AND}[{w.HOW_MANY}][^{w.METRIC}{w.NIGHTS}{w.DAYS}{w.WORKOUTS}]*$")

NARROWS, NARROWS_IN_SENTENCE, AT_START = map(pattern, ("narrows", "narrows_in_sentence", "at_start"))
SENTENCE = re.compile(r"(?<=[^\d.][.?!])(?<!esp\.)(?<!e\.g\.)(?<!i\.e\.)(?<!z\.b\.)(?<!bzw\.)\s+(?=\S)")
CLAUSE = re.compile(r"(?:,|;|\s[–—-])\s+")
WORDS_MIN = 3  # our choice: of a remark behind a comma, where fewer may narrow


class NotRead(SetupError):
    """A plain question is not understood. ``unread`` are its unknown words, ``near`` is a similar valid question."""

    def __init__(self, message: str, unread: Sequence[str] = (), near: str | None = None) -> None:
        super().__init__(message)
        self.unread, self.near = unread, near


def read(text: str, today: date, factors: Iterable[str] = ()) -> Words:
    """Return the query that a question means, where ``factors`` are the names of what the person notes.

    Raises NotRead with an example, also where two languages disagree.
    """
    text = _of_all_notes(text.strip())
    text, said = noted(text) if NOTES.search(text.lower()) else (text, [])
    named = notes(said, factors)
    _check_asked(text, today, named)
    found: list[Words] = []
    unused: list[str] = []
    for corrected, titles in ((False, False), (True, False), (True, True)):
        for language in likely(text, today, named) if titles else LANGUAGES:
            marked = Marked(language, today, corrected=corrected, titles=titles)
            try:
                found.append(replace(_read(text[: TEXT_MAX + 1], marked, named), mended=tuple(marked.mended)))
            except NotUnderstood as refused:
                unused += map(str, refused.args)
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
        unread, near = ((), None) if found or len(text) > TEXT_MAX else offer(text, today, named)
        if unread := unread or list(dict.fromkeys(unused)):
            raise NotRead(
                say(
                    "not understood in this question: {words}; ask, for example: {example}",
                    words=", ".join(unread),
                    example=example(near, text, today, named),
                ),
                unread,
                near,
            )
        raise NotRead(
            say(
                "this question is not understood as a whole; ask a plainer one in English or German, "
                "such as: {example}",
                example=example(near, text, today, named),
            ),
            unread,
            near,
        )
    return found[0]


def _of_all_notes(text: str) -> str:
    """Return "what did I note on Sunday" as "all notes on Sunday", where no word is the name of a note."""
    plain = plainly(text)
    for all_of, asks in ALL_NOTES.items():
        if found := asks.fullmatch(plain):
            return f"{all_of}{next((one for one in found.groupdict().values() if one), '')}"
    return text


def _check_asked(text: str, today: date, named: w.Lexicon) -> None:
    """Raise SetupError for what no query answers: the coming night, an illness, and a judgement."""
    lower = text.lower()
    if TONIGHT.search(lower):
        raise SetupError(
            say("the coming night is not recorded yet; its times stand on Today and in the plan of the day")
        )
    if WHY.search(lower) and _METERS.search(lower):
        raise SetupError(
            say("the reasons for each meter stand beside it on its page, and are printed by: bridge meters")
        )
    if AWAKENINGS.match(lower):
        raise SetupError(
            say("how often you woke in a night is not stored; ask how long you were awake, or at what time you got up")
        )
    if HOUR_OF.match(lower):
        raise SetupError(
            say("the day of a highest or lowest value is told, and not its time of day; ask on which day it was")
        )
    if HEALTH.match(lower):
        raise SetupError(say("whether you are ill is not measured; what you said and what was noticed stands on Today"))
    if JUDGED.search(lower):
        told = example(None, text, today, named)
        raise SetupError(say("figures are told here, no diagnosis and no judgement; ask: {example}", example=told))


def read_both(text: str, today: date, factors: Iterable[str] = ()) -> tuple[Words, Words] | None:
    """Return the queries of two questions in one sentence, or None unless both are understood.

    The second one takes over what it does not say from the first: "how often did I row in May, and how far".
    """
    parts = [one for one in BOTH.split(text.strip()) if one.strip()]
    if len(parts) != 2 or len(text) > TEXT_MAX:
        return None
    named = notes([], factors)
    for language in likely(text, today, named):
        one, other = (Marked(language, today, corrected=True, titles=True) for _ in parts)
        try:
            first = _read(parts[0], one, named)
            second = _read(parts[1], other, named, asked=_told(parts[0], Marked(language, today, titles=True), named))
        except NotUnderstood:
            continue
        alone = not _told(parts[1], Marked(language, today, titles=True), named)
        timed = bool(second.since or second.until)
        if alone and not timed and first.of in (*ENDS, "first", "last"):
            continue  # "when did I last run, and how far": of that run
        if (timed and not (first.since or first.until)) or REFERS.search(parts[1].lower()):
            continue  # of which of them the time is, or of what of the first
        if second.what.partition(".")[0] == first.what.partition(".")[0] and {*first.where} - {*second.where}:
            continue  # "how many runs over 10 km, and how far in all"
        if alone and first.what.startswith(f"{second.what}."):
            second = replace(second, what=first.what)  # "hours of meetings, and on which day were there most"
        return first, second if timed else replace(second, since=first.since, until=first.until)
    return None


def _told(text: str, marked: Marked, factors: w.Lexicon) -> Sequence[w.Token]:
    known = known_in(marked.language, factors)
    return [one for one in tokens_in(marked.mark(plainly(text)), marked, known) if one[0] in SUBJECTS]


def _with_subject(tokens: Sequence[w.Token], asked: Sequence[w.Token]) -> Sequence[w.Token]:
    kinds = {kind for kind, _ in tokens}
    if not asked or kinds & {*SUBJECTS, w.UNKNOWN}:
        return tokens
    if kinds <= {w.HOW_MANY, w.HOW, w.DID, w.FILL, w.SPAN}:
        raise NotUnderstood  # "and how many were there"
    return [*tokens, *asked]


def _read(text: str, marked: Marked, factors: w.Lexicon, *, asked: Sequence[w.Token] = ()) -> Words:
    text = BROKEN_OFF.sub("", text)
    whole = text.lower()
    if texts(marked.language).not_asked.search(text.lower()):
        raise NotUnderstood
    if marked.titles and (SENTENCE.search(text) or I_AM.match(text.lower())):
        raise NotUnderstood  # of which of them a title is, or of which time
    known = known_in(marked.language, factors)
    never = _no_titles(text) if marked.language == "de" else ()
    if marked.corrected:
        text = without_names(
            _without_remarks(text.lower(), lambda part: _says_nothing(part, marked, known)), marked.language
        )
    said = with_umlauts(plainly(text)) if marked.language == "de" else plainly(text)
    said = marked.with_shifts(marked.corrected_text(said, known), factors)
    plain = marked.mark(said)
    if texts(marked.language).unread.search(plain):
        raise NotUnderstood
    tokens = tokens_in(plain, marked, known)
    tokens = [*_with_subject(tokens, asked)]
    check_limited(tokens)
    titles = Titles(
        texts(marked.language).untitled | {*never},
        marked.language,
        marked.spans,
        in_brackets=re.search(r"\([^()]*\d[^()]*\)", text) is not None,
        of_calendar=re.search("calendar|diary|kalender", text.lower()) is not None,
    )
    told = [one for one in titles.told(tokens) if one[0] != w.FILL]
    read = _meant(told, marked, text)
    check_negated(plain, read)
    check_sides(told, read, text.lower())
    apart = replace(marked, found={**marked.found}, spans=[])
    check_amounts(said, read, lambda part: tokens_in(apart.mark(part), apart, known))
    check_halves(text, read, lambda half: _read(half, replace(marked, found={}, spans=[], mended=[]), factors))
    check_used(told, read, lambda some: _meant(some, replace(marked, spans=[*marked.spans]), text))
    read = of_change(of_whole(read, whole), whole)
    return read if titles.name is None else _since_entry(read, titles.name)


def _no_titles(text: str) -> Sequence[str]:
    """Return the words of a German text that are forms of adjectives or verbs, and no title."""
    capitals = re.search(r"(?<=\w )[A-ZÄÖÜ]\w{3,}", text)
    return [*INFLECTED.findall(text.lower()), *(PARTICIPLE.findall(text) if capitals else ())]


def _meant(told: Sequence[w.Token], marked: Marked, text: str) -> Words:
    """Return the query that the tokens of a question mean, together with words that are no part of them."""
    tokens = with_weekend(placed(told, first=WHEN_I.match(text.lower()) is not None), marked, text.lower())
    tokens = with_night(tokens, text.lower())
    figures = [str(of) for kind, of in tokens if kind == w.METRIC]
    if figures and {kind for kind, _ in tokens} <= {w.METRIC, w.HOW}:
        present = HOW_IS.match(text.lower()) is not None and all(map(has_present, figures))
        if present or GERMAN_NOW.search(text.lower()):
            tokens = [(w.OF, "now"), *(token for token in tokens if token[0] == w.METRIC)]
    kinds = {kind for kind, _ in tokens}
    in_doubt = [
        TWICE.search("".join(kind for kind, _ in tokens)),
        MONEY.search(text.lower()) and w.FACTOR in kinds,  # what it cost is stored nowhere
    ]
    if any(in_doubt):
        raise NotUnderstood
    tokens = of_now(tokens, marked, text.lower())
    if re.search(r"\? +\w", text):
        tokens = elaborated(tokens)
    if any(kind == w.FACTOR and str(of).startswith(TITLED) for kind, of in tokens):
        tokens = [token for token in tokens if token[0] != w.ENTRIES]  # which those of a title are
    coming = kinds & {w.ENTRIES, w.ACTION, w.LIST, w.FREE} and TO_COME.search(text.lower())
    planned = kinds & {w.ENTRIES, w.TASKS, w.TASKED, w.LIST, w.ACTION, w.FREE} and not kinds & {w.METRIC, w.NIGHTS}
    if coming or (planned and OF_WEEKDAY[marked.language].search(text.lower())):
        marked.spans[:] = [to_come(span, marked.today) for span in marked.spans]
    elif planned and OF_YEAR[marked.language].search(text.lower()):
        marked.spans[:] = [of_year_to_come(span, marked.today) for span in marked.spans]
    elif planned and OF_DATE[marked.language].search(text.lower()):
        marked.spans[:] = [of_month_to_come(span, marked.today) for span in marked.spans]
    tokens = by_weekday(compared(tokens, text.lower()), marked, text.lower())
    tokens, spans = weekly(*told_spans(tokens, marked), text.lower(), marked.today)
    spans = to_same_point(until_now(spans, kinds, text.lower(), marked.today), text.lower(), marked.today)
    one_day = len(spans) == 1 and spans[0][0] == spans[0][1]
    untimed = [token for token in tokens if token[0] != w.SPAN]
    found = of_time_named(words_of(Bag.of(untimed, timed=len(spans) == 1, single=one_day)), text.lower(), len(spans))
    read = settled(found, text.lower(), kinds, timed=bool(spans))
    read = within(read, spans, marked.today, says_waking=OF_WAKING.search(text.lower()) is not None)
    _check_answers(read, tokens, text.lower())
    return read


def _check_answers(read: Words, tokens: Sequence[w.Token], text: str) -> None:
    one_side = (w.OTHERS, "both") in tokens and read.against is None
    than = f"{w.THAN}{w.SPAN}" in "".join(kind for kind, _ in tokens)  # "better than in summer on weekends"
    amount = MORE_OF.search(text) is not None and read.of != "std"  # "do I wake up less": no time of day
    one_side = one_side or (read.what in NIGHT_CLOCKS and read.against is not None and amount)
    one_side = one_side or (than and ".." not in (read.against or ".."))
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


def _says_nothing(text: str, marked: Marked, known: Known) -> bool:
    """Return True if no word of a text has a meaning in a question, so that the text is only a remark."""
    for language in LANGUAGES:  # in both, as all words of another language are unknown
        part = Marked(language, marked.today, titles=True)
        words = known if language == marked.language else known_in(language, {})
        kinds = {kind for kind, _ in tokens_in(part.mark(plainly(text)), part, words)}
        if kinds - {w.FILL, w.UNKNOWN, w.DID, w.HOW, w.USUAL, w.AND}:
            return False
    return True


def _without_remarks(text: str, says_nothing: Callable[[str], bool]) -> str:
    """Return a question without the sentences, brackets and last clauses that add nothing to it."""
    text = re.sub(r"^([^,]{3,40}) aside, ", lambda m: "" if says_nothing(m[1]) else m[0], text)
    text = re.sub(r"\(([^()]*)\)", lambda m: " " if _is_remark(m[1], says_nothing) else m[0], text)
    sentences = SENTENCE.split(text)
    narrows = NARROWS_IN_SENTENCE
    kept = [
        sentence for sentence in sentences if len(sentences) == 1 or not _is_remark(sentence, says_nothing, narrows)
    ]
    text = " ".join(kept) if kept else text
    clauses = list(CLAUSE.finditer(text))
    for at in reversed(clauses):
        last = text[at.end() :]
        if len(last.split()) < WORDS_MIN or AT_START.match(last) or not _is_remark(last, says_nothing):
            break
        text = text[: at.start()]
    return text


def _is_remark(text: str, says_nothing: Callable[[str], bool], narrows: re.Pattern[str] = NARROWS) -> bool:
    return not narrows.search(text) and not re.search(r"\d", text) and says_nothing(text)
