"""Decide which spans of dates a plain question means, and put them into its query."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace
from datetime import date

from dateutil.relativedelta import relativedelta

from bridge.domain.phrases import WEEKDAYS
from bridge.query import plain_kinds as w
from bridge.query.comparisons import COMPARE
from bridge.query.figures import FAR
from bridge.query.lists import TODAY
from bridge.query.model import BEFORE, SUBJECTS, SUMMED, Kind
from bridge.query.parse import Words, subject_of
from bridge.query.plain_kinds import NotUnderstood
from bridge.query.plain_marks import Marked
from bridge.query.plain_settled import LAST_NIGHT
from bridge.query.plain_words import pattern
from bridge.query.settled import WEEKEND
from bridge.query.spans import DAY, Dates, Span

NO_CHANGE = {w.BECOMES, w.CONDITION, w.WEEKEND, w.OTHERS, w.RELATED, w.ON_DAYS, w.AFTER, w.COMPARED}
CONDITIONED = {w.CONDITION, w.COMPARED, w.CLOCK, w.FACTOR, w.ACTION, w.WEEKEND, w.ON_DAYS, w.AFTER, w.WITH}
HAS_BEEN = re.compile(r"(?<!\w)(?:did (?:i|we)|(?:bin|war|habe?) ich|sind wir)(?!\w)")
OTHER_WEEKEND = re.compile(r"(?:this|diese[sm]|next|kommende\w*|nächste\w*) (?:weekend|wochenende)")
DATES = re.compile(r"[\d-]*\.\.[\d-]*")
COMPARES = re.compile(r"(?<!\w)(?:compar\w+|vergleich\w*)(?!\w)")
UNTIL_NOW, SAME_POINT = map(pattern, ("until_now", "same_point"))
EVERY_WEEK = re.compile(
    rf"(?<!\w)(?:on|am|auf|an) (?:a |the )?(?:{'|'.join(WEEKDAYS.values()).replace(' ', '|')})(?!\w)"
)
PRESENT = re.compile(r"(?<!\w)(?:do i|schlafe? ich)(?!\w)")
IN_GENERAL = re.compile(
    r"(?:(?:and|so|und|also)\W+)?(?:is|are|ist|sind|do|does|schlafe?|habe?|gehe?|laufe?|mache?)(?!\w)"
)
WEEKS = 13  # our choice: days of a span from which weekends are those in it
PAST = re.compile(
    r"(?<!\w)(?:was|were|did|had|this|last|yesterday|war|hatte|hab|habe|diese\w*|letzte\w*|gestern)(?!\w)"
)
WHICH_NIGHT = re.compile(r"(?<!\w)(?:which|what|welche\w*) (?:night|nacht|nächte)(?!\w)")
A_NIGHT = re.compile(r"night(?! shift)|nacht(?!schicht|dienst)")
TRENDS = ((w.OF, "trend"), (w.OF, "trend?"))
ALIKE = 0.9  # our choice: of a month, which has 28 to 31 days
MONTHS_DAYS = 62  # of two months
LONG_MONTHS = 3  # within which any day of a month comes again
GERMAN_NOW = re.compile(r"(?<!\w)(?:gerade|grad|derzeit)(?!\w)")  # where nothing else is said, else a filling word
AHEAD_DAYS = 366  # our choice: of a calendar that is asked for what comes next


def _apart(spans: Sequence[Span]) -> bool:
    """Return True for two spans of at most a month that begin nearly a year apart."""
    (first, last), (other, other_last) = spans
    if first is None or other is None or last is None or other_last is None:
        return False
    return 300 * DAY < abs(first - other) < 360 * DAY and max(last - first, other_last - other) < 31 * DAY


def _since_until(spans: Sequence[Span]) -> Span | None:
    """Return the span of "since the end of August until 30 September", or None."""
    firsts, lasts = (
        [one for one, end in spans if one and end is None],
        [end for one, end in spans if end and one is None],
    )
    return (firsts[0], lasts[0]) if firsts and lasts and firsts[0] <= lasts[0] else None


def _adjoin(tokens: list[w.Token], spans: Sequence[Span]) -> list[w.Token] | None:
    """Return the tokens for two spans that adjoin as one, as in "steps in January and February", or None."""
    kinds = "".join(kind for kind, _ in tokens)
    one_figure: set[w.Token] = {(w.OF, "sum"), (w.OF, "max"), (w.OF, "min"), (w.HOW_MANY, None), (w.TOGETHER, None)}
    one_figure &= {*tokens}
    one_figure |= {token for token in tokens if token[0] == w.HOW_OFTEN}
    if kinds.count(w.AND) != 1 or f"{w.SPAN}{w.AND}{w.SPAN}" not in kinds or {*kinds} & {*COMPARE}:
        return None
    (begin, last), (first, end) = sorted(spans, key=lambda one: one[0] or date.max)  # "yesterday and the day before"
    if begin is None or last is None or end is None or first != last + DAY or w.BY in kinds:
        return None
    months = w.METRIC in kinds and begin.day == first.day == (end + DAY).day == 1 and (end - begin).days < MONTHS_DAYS
    both = [token for token in tokens if token[0] != w.AND]
    each = "month" if months else "day" if begin == last and first == end and w.METRIC in kinds else None
    return both if one_figure else [*both, (w.BY, each)] if each else None


def _now(tokens: Sequence[w.Token], marked: Marked) -> Span | None:
    """Return this week, month or year if a question compares with the last one and names no other span."""
    places = [at for at, (kind, _) in enumerate(tokens) if kind == w.SPAN]
    if len(places) != 1 or tokens[places[0] - 1][0] != w.THAN or places[0] == 0:
        return None
    dates, told = Dates(marked.language, marked.today), marked.spans[int(str(tokens[places[0]][1]))]
    return dates.now_of(told)


def compared(tokens: list[w.Token], text: str) -> list[w.Token]:
    """Return tokens with "with" or "and" between two spans read as a comparison, as in "compare May with June"."""
    if not COMPARES.search(text):
        return tokens
    found = tokens[:1]
    for (before, _), one, (behind, _) in zip(tokens, tokens[1:], [*tokens[2:], ("", None)], strict=False):
        parts = (before, behind) == (w.SPAN, w.SPAN) and one[0] in (w.WITH, w.AND)
        found.append((w.THAN, None) if parts else one)
    return found


def until_now(spans: list[Span], kinds: Set[str], text: str, today: date) -> list[Span]:
    """Return the spans, ended today if a question about calendar entries says "so far" or asks in the past tense."""
    if not (kinds & {w.ENTRIES, w.ACTION} and UNTIL_NOW.search(text)):
        return spans
    return [(first, today if last and (first or last) <= today < last else last) for first, last in spans]


def to_same_point(spans: list[Span], text: str, today: date) -> list[Span]:
    """Return this and the last year, month or week, both up to this day, for "than last year at this point"."""
    same = SAME_POINT.search(text)
    if not same:
        return spans
    first, last = spans[0] if spans else (None, None)
    for length in (relativedelta(years=1), relativedelta(months=1), relativedelta(weeks=1)):
        begin, end = spans[1] if len(spans) == 2 else (None, None)
        if (
            begin is None
            or end is None
            or begin + length != end + DAY
            or not begin + length <= today < begin + 2 * length
        ):
            continue
        if begin + length == first or (first is None and last == today):  # "until today, compared with last year"
            return [(begin + length, today), (begin, min(end, today - length))]
    if same["exact"]:
        raise NotUnderstood
    return spans


def to_come(span: Span, today: date) -> Span:
    """Return the next weekday or weekend if a span is the last one, and any other span unchanged."""
    first, last = span
    if first == last == today - 7 * DAY:
        raise NotUnderstood  # of today's weekday: today, or in a week
    short = first and last and last - first <= DAY and today - 7 * DAY <= last < today
    return (first + 7 * DAY, last + 7 * DAY) if first and last and short else span


def of_year_to_come(span: Span, today: date) -> Span:
    """Return a span of the year to come if that is nearer than its last one, as of "24 December" at its beginning."""
    first, last = span
    if last is None or last >= today:
        return span
    if first is None:
        return None, last + relativedelta(years=1)  # "due before Christmas"
    begin, end = (one + relativedelta(years=1) for one in (first, last))
    return (begin, end) if begin - today < today - last else span


def of_month_to_come(span: Span, today: date) -> Span:
    """Return the same day of the next month that has it if a span is a past day, as of "the 24th" on the first."""
    first, last = span
    months = 1
    while first is not None and first == last and first < today and months <= LONG_MONTHS:
        moved = first + relativedelta(months=months)
        if moved.day == first.day and moved >= today:
            return moved, moved
        months += 1
    return span


def of_now(tokens: list[w.Token], marked: Marked, text: str) -> list[w.Token]:
    """Return tokens with "currently" read as of late where a change is asked for: "is my HRV rising at the moment"."""
    kinds = {kind for kind, _ in tokens}
    now = (w.OF, "now")
    asks = kinds & {w.BECOMES, w.RISEN} or {*TRENDS} & {*tokens}
    if w.SPAN in kinds or not asks or not (now in tokens or GERMAN_NOW.search(text)):
        return tokens
    marked.spans.append((marked.today - 29 * DAY, marked.today))
    return [*(token for token in tokens if token != now), (w.SPAN, len(marked.spans) - 1)]


def told_spans(tokens: list[w.Token], marked: Marked) -> tuple[list[w.Token], list[Span]]:
    """Return tokens and their spans. If one span is compared with the time before it, that time is the second span."""
    kinds = {kind for kind, _ in tokens}
    rows = [of for kind, of in tokens if kind == w.ROWS_LAST and isinstance(of, tuple)]
    several = kinds & {w.SHARE, w.SEVERAL, w.COMPARED, w.CLOCK, w.OTHERS, w.RELATED, w.THAN, w.DIFFERENCE, w.AND}
    asked = bool(several) or {w.HOW, w.METRIC} <= kinds
    if rows and rows[0][0] == "last" and kinds & {w.NIGHTS, w.DAYS} and asked:
        tokens = [token for token in tokens if token[0] != w.ROWS_LAST]  # "how many of the last 50 nights": their days
        tokens.append((w.SPAN, len(marked.spans)))
        marked.spans.append((marked.today - (int(rows[0][1]) - 1) * DAY, marked.today))
    spans = list(dict.fromkeys(marked.spans[int(str(number))] for kind, number in tokens if kind == w.SPAN))
    spans = spans or _of_late(tokens, marked.today)
    since, until = spans[0] if len(spans) == 1 else (None, None)
    changed = w.MORE in kinds or (w.THAN, "before") in tokens
    compared = len(spans) == 1 and until and until <= marked.today - 30 * DAY
    if compared and w.THAN in kinds and not kinds & NO_CHANGE and _now(tokens, marked) is None:
        spans.insert(0, (marked.today - 29 * DAY, marked.today))  # "lower than last winter": of late
    if (now := _now(tokens, marked)) is not None:
        spans.insert(0, now)  # "compared with last month" is this month
    elif since and _lasts_until(until, marked.today, since) and changed and not kinds & NO_CHANGE:
        spans.append((None, since - DAY))  # "better since March" than before
    elif since and {w.OTHERS, w.MORE} <= kinds and not kinds & CONDITIONED and marked.is_recent(until):
        spans.append((None, since - DAY))  # "longer last night than usual"
        tokens = [token for token in tokens if token[0] != w.OTHERS]
    if len(spans) == 2 and not kinds & {*COMPARE} and (one := _since_until(spans)) is not None:
        spans = [one]
    if len(spans) == 2 and (joined := _adjoin(tokens, spans)) is not None:
        tokens, spans = joined, [(min(one for one, _ in spans if one), max(one for _, one in spans if one))]
    if len(spans) > 2 or (len(spans) == 2 and not (kinds & {*COMPARE} or marked.parted)):
        raise NotUnderstood
    if len(spans) == 2 and _apart(spans):
        raise NotUnderstood  # "December against November": of the same year, or the latest of both
    return (_without_comparison(tokens) if len(spans) == 2 else tokens), spans


def _lasts_until(until: date | None, today: date, since: date) -> bool:
    """Return True for a span of several days to this one, as in "do I sleep more lately", or "longer this month"."""
    return until is None or since < today <= until


def _of_late(tokens: Sequence[w.Token], today: date) -> list[Span]:
    """Return the last thirty days and all before them for "am I walking less than I used to", and else nothing."""
    asks = (w.THAN, "before") in tokens and not {kind for kind, _ in tokens} & NO_CHANGE
    return [(today - 29 * DAY, today), (None, today - 30 * DAY)] if asks else []


def by_weekday(tokens: list[w.Token], marked: Marked, text: str) -> list[w.Token]:
    """Return tokens with a condition on the weekday for "is my HRV lower on Mondays than otherwise", in the present."""
    kinds = {kind for kind, _ in tokens}
    told = [of for kind, of in tokens if kind == w.SPAN]
    asks = w.METRIC in kinds and kinds & {w.OTHERS, w.MORE} and IN_GENERAL.match(text) and EVERY_WEEK.search(text)
    if len(told) != 1 or not asks or w.BED in kinds or PAST.search(text):
        return tokens
    first, last = marked.spans[int(str(told[0]))]
    if first is None or first != last or not marked.today - 7 * DAY <= first < marked.today:
        return tokens
    weekday = f"weekday = {first.isoweekday()}"
    return [(w.CONDITION, weekday) if kind == w.SPAN else (kind, of) for kind, of in tokens]


def weekly(tokens: list[w.Token], spans: list[Span], text: str, today: date) -> tuple[list[w.Token], list[Span]]:
    """Return tokens with a condition on the weekday instead of the span, as in "average sleep on Sunday"."""
    kinds = {kind for kind, _ in tokens}
    first, last = spans[0] if len(spans) == 1 else (None, None)
    single = first is not None and first == last and today - 7 * DAY <= first < today
    mean = bool({(w.OF, "mean"), (w.OF, "median")} & {*tokens}) or PRESENT.search(text) is not None
    mean = mean and w.METRIC in kinds and (w.METRIC, "heart_rate") not in tokens
    if first is None or not (single and mean) or w.BED in kinds or not EVERY_WEEK.search(text) or PAST.search(text):
        return tokens, spans
    return [*tokens, (w.CONDITION, f"weekday = {first.isoweekday()}")], []


def _untimed(read: Words, spans: list[Span], today: date) -> Words:
    if read.since not in (LAST_NIGHT, TODAY):
        past = read.what.startswith("entries") and read.of == "last"
        absent = read.of == "last" and any(one.endswith(" = 0") for one in read.where)  # today is not over
        return replace(read, until=(today - absent * DAY).isoformat()) if past or absent else read
    if spans:
        raise NotUnderstood  # "my next run this week"
    ahead = 0 if read.since == LAST_NIGHT else AHEAD_DAYS
    return replace(read, since=today.isoformat(), until=(today + ahead * DAY).isoformat())


def within(read: Words, spans: list[Span], today: date, *, says_waking: bool) -> Words:
    """Return a query limited to the span that is named, or compared between two spans."""
    if not spans or read.since in (LAST_NIGHT, TODAY):
        return _untimed(read, spans, today)
    if read.what == "tasks" and "task.state = done" not in read.where:
        spans = [(begin, _to_come(end, today) if begin is None else end) for begin, end in spans]
    if any(first and first > today for first, _ in spans) and not read.what.startswith(("entries", "tasks")):
        raise NotUnderstood  # only of entries is told what is to come
    if len(spans) == 2 and (read.against or read.by or read.of in ("trend", "share", "first", "last")):
        raise NotUnderstood
    first, last = spans[0]
    if first == last and read.against and not DATES.fullmatch(read.against):
        raise NotUnderstood  # "yesterday versus Mondays": a day has no other side
    if first == last and any(one.startswith((BEFORE, "weekday")) for one in read.where):
        raise NotUnderstood  # the day is that of the entry, or the next; or one of "on Monday and Tuesday nights"
    to_bed = read.what == "nights.start" or any(one.startswith("night.start") for one in read.where)
    if to_bed and first and first == last and not says_waking:
        first = last = first + DAY  # to bed on Friday is the night of which Saturday is the day of waking
    since, until = (one.isoformat() if one else None for one in (first, last))
    against = "..".join(one.isoformat() if one else "" for one in spans[1]) if len(spans) == 2 else read.against
    what = "asleep" if read.what == "night" and against else read.what  # of its figures the one that is compared
    if len(spans) == 2 and read.of in ("sum", "count") and not (read.per or _alike(spans, today)):
        read = _by_day(read)
    return replace(read, what=what, since=since, until=until, against=against)


def _by_day(read: Words) -> Words:
    """Return a query of a sum or number as one of its mean a day, as of two months and of a year."""
    noted = read.what.partition(".")[0] not in SUBJECTS
    if read.what in SUMMED or (noted and read.of == "sum"):
        return replace(read, of="mean")
    if noted:
        raise NotUnderstood  # how many days are without a note, nothing says
    subject = subject_of(read.what)
    if subject.kind is Kind.DAYS and not subject.counted:
        raise NotUnderstood  # of what is noted on some days, nothing says how many days have none
    return replace(read, of="mean", per="day")


def _alike(spans: Sequence[Span], today: date) -> bool:
    """Return True for two spans of about the same length, or one to this day and the one that ended before it."""
    (first, last), (other, other_last) = spans
    if first is None or last is None or other is None or other_last is None:
        return False
    one, two = sorted(((last - first).days + 1, (other_last - other).days + 1))
    return one >= ALIKE * two or (last == today and other_last == first - DAY)


def _to_come(day: date | None, today: date) -> date | None:
    """Return the next weekday instead of the last one, for a date by which a task is due."""
    return day + 7 * DAY if day is not None and today - 7 * DAY < day < today else day


def with_weekend(tokens: list[w.Token], marked: Marked, text: str) -> list[w.Token]:
    """Return tokens with "over the weekend" read as last weekend, unless the question is about weekends in general."""
    kinds = {kind for kind, _ in tokens}
    general = {w.OF, w.USUAL, w.SPAN, w.CONDITION, w.ENTRIES, w.ACTION, w.TASKS, w.BED, w.UP, *COMPARE}
    if (w.OF, "sum") in tokens:  # "the sum of the weekend"
        general -= {w.OF}
    past = HAS_BEEN.search(text) is not None  # "when did I get up on the weekend": the last one
    if past and not kinds & {*COMPARE}:
        general -= {w.BED, w.UP}
    if (
        not past
        and kinds & {w.BED, w.UP}
        and not kinds & {w.OF, w.USUAL, w.SPAN, w.CONDITION, *COMPARE}
        and w.WEEKEND in kinds
    ):
        return [(w.CONDITION, "weekday >= 6") if kind == w.WEEKEND else (kind, of) for kind, of in tokens]
    told = [marked.spans[int(str(of))] for kind, of in tokens if kind == w.SPAN]
    if w.WEEKEND in kinds and len(told) == 1 and not kinds & {*COMPARE} and _lasts(told[0]):
        return [(w.CONDITION, WEEKEND) if kind == w.WEEKEND else (kind, of) for kind, of in tokens]
    if (w.WEEKEND, None) not in tokens or kinds & general or (w.DID, "now") in tokens:
        return tokens
    if OTHER_WEEKEND.search(text):
        return tokens
    sunday = marked.today - marked.today.isoweekday() * DAY
    marked.spans.append((sunday - DAY, sunday))
    return [(w.SPAN, len(marked.spans) - 1) if kind == w.WEEKEND else (kind, of) for kind, of in tokens]


def _lasts(span: Span) -> bool:
    first, last = span
    return first is not None and (last is None or (last - first).days >= WEEKS)


def with_night(tokens: list[w.Token], text: str) -> list[w.Token]:
    """Return tokens with the figures of a night where only its date is said, as in "how was last night"."""
    kinds = {kind for kind, _ in tokens}
    if {w.LENGTH, w.WHEN} <= kinds <= {w.LENGTH, w.WHEN, w.SPAN, w.DID, w.CONDITION} and WHICH_NIGHT.search(text):
        return [*tokens, (w.METRIC, "asleep")]  # "which night was my longest"
    alone = {w.HOW, w.SPAN} <= kinds <= {w.HOW, w.SPAN, w.DID, w.NIGHTS}
    return (
        [*(token for token in tokens if token[0] != w.NIGHTS), (w.SEVERAL, "night")]
        if alone and A_NIGHT.search(text)
        else tokens
    )


def _without_comparison(tokens: Sequence[w.Token]) -> list[w.Token]:
    """Remove words such as "compared" or "more", which a question about two spans of time does not need."""
    often = any(kind == w.HOW_OFTEN for kind, _ in tokens)
    asks = [of for kind, of in tokens if kind in (w.SPORT, w.ACTIVITY, w.RAN)]
    asks = asks if {(w.DID, None), (w.DID, "now")} & {*tokens} else []
    figures = {w.METRIC, w.FIGURE, w.UNIT, w.HOW_FAR, w.HOW_LONG} & {kind for kind, _ in tokens}
    if asks and not often and not figures and (w.MORE, "speed") not in tokens:
        more = {(w.MORE, None), (w.MORE, "length")} & {*tokens}
        if not more or ({*asks} & FAR and not {*asks} <= FAR) or (more == {(w.MORE, "length")} and not {*asks} <= FAR):
            raise NotUnderstood
        tokens = [*tokens, *([(w.FIGURE, "distance"), (w.OF, "sum")] if {*asks} <= FAR else [(w.HOW_OFTEN, None)])]
    counted = any(kind in (w.SPORT, w.WORKOUTS, w.ENTRIES, w.ACTION) for kind, _ in tokens)
    figured = any(kind in (w.METRIC, w.FIGURE, w.UNIT) for kind, _ in tokens)
    figured = figured or (w.MORE, "speed") in tokens
    if counted and not figured and any(kind == w.MORE and of is not None for kind, of in tokens):
        raise NotUnderstood  # "were my runs longer": farther, or longer in time
    found: list[w.Token] = []
    better = (w.MORE, "better") in tokens
    for kind, value in tokens:
        if better and (kind, value) == (w.METRIC, "asleep"):
            found.append((w.METRIC, "sleep_score"))
        elif kind == w.MORE and counted and value is None and (w.FIGURE, "time") not in tokens:
            found.append((w.HOW_MANY, None))
        elif (kind, value) == (w.MORE, "speed"):
            found.append((w.FIGURE, "speed"))
        elif (kind, value) == (w.EACH, None) and not any(one == w.OF for one, _ in tokens):
            found.append((w.OF, "mean"))  # "coffees per day in October and in November"
        elif kind not in (*COMPARE, w.AND, w.WHICH, w.RISEN) and (kind, value) not in TRENDS:
            found.append((kind, value))
    return found
