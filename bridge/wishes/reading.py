"""Join the parts of a text to clauses, each about one action or the night, and set reasons aside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bridge.wishes.clauses import (
    FIRM,
    add,
    add_length,
    at_times_of,
    beside_length,
    check_neighbours,
    check_nothing,
    go_on_with,
    goes_with,
    inherits,
    is_more,
    is_never,
    is_said,
    otherwise,
    repeats,
    share_nights,
    share_weeks,
    sharpen,
)
from bridge.wishes.events import with_half
from bridge.wishes.hours import NotUnderstood
from bridge.wishes.lexicon import ALL, COMPANY, WEEK, WORK, Kind
from bridge.wishes.merging import alike, of_week, said_on_days
from bridge.wishes.reasons import (
    HUSHED,
    INSTEAD,
    Reading,
    depends,
    hushes,
    is_aside,
    is_days,
    is_entry,
    is_ground,
    is_limit,
    leave,
    names_work,
    set_aside,
    share_times,
    states,
)
from bridge.wishes.remarks import without_else, without_kind, without_less, without_names, without_remarks
from bridge.wishes.said import Said
from bridge.wishes.slots import PERSON, Part, parts_of
from bridge.wishes.wanting import held_for

K = Kind
AFTERWARDS, THAT_DAY = 1, 2  # of "then"
Found = tuple[tuple[Said, ...], tuple[str, ...]]  # wishes, and what is set aside


def by_slots(text: str, language: str) -> Found:
    """Return the wishes of a text, and the reasons set aside. Raises NotUnderstood for a text without a wish."""
    text = with_half(text, language)
    if less := without_names(text) or without_kind(text, language) or without_less(text, language):
        wished, left = by_slots(less[0], language)
        return wished, (*left, less[1])
    if (held := without_else(text)) and (found := _held(*held, language)):
        return found
    plain, of_meters = (_meant(text, language, with_meters=one) for one in (False, True))
    if plain is None and of_meters is None:
        for rest, left in without_remarks(text, language):
            found = _meant(rest, language, with_meters=False) if left else None
            if found is not None:
                return found[0], (*found[1], *left)
    weighs = plain is not None and any(one.meter is not None for one in plain[0])
    better = of_meters is not None and (plain is None or (plain[1] and len(of_meters[0]) > len(plain[0])))
    found = of_meters if better or weighs else plain
    if found is None:
        raise NotUnderstood
    return found


def _held(rest: str, evening: str, language: str) -> Found | None:
    try:
        wished, left = by_slots(rest, language)
        return (*wished, held_for(wished, evening=bool(evening))), left
    except NotUnderstood:
        return None


def _meant(text: str, language: str, *, with_meters: bool) -> Found | None:
    try:
        parts = parts_of(text, language, with_meters=with_meters)
        read = _read(parts, text)
        if len({part.has(K.CLEAR) for part in parts}) > 1:
            return None
        said = of_week([day for clause in read.clauses for day in said_on_days(clause, read.clauses)])
        goals = [one for one in said if one.kind == "goal"]
        if len(goals) > len(set(goals)):
            return None  # "ballet once a week and once something for my back"
        merged = alike(said)
    except NotUnderstood:
        return None
    told = " ".join(name for one in said for name in one.names)
    left = [(one.actions, word) for one in read.clauses for word in one.details if word not in told]
    if any(not actions <= COMPANY for actions, _ in left):
        return None  # "sport only on weekdays with Anna"
    return (merged, (*read.aside, *(word for _, word in left))) if said else None


def _read(parts: Sequence[Part], text: str) -> Reading:
    read = Reading(text=text)
    for at, part in enumerate(parts):
        _take(part, parts[at + 1 :], read)
    if any(one.flags.keys() - {K.BEST} or one.times for one in read.pending) or not read.clauses:
        raise NotUnderstood
    mute = [
        clause.nots and clause.flags.keys() == {K.NOT, K.SUGGESTION} and not clause.times for clause in read.clauses
    ]
    if any(mute) and not all(mute):
        raise NotUnderstood  # "give me a break on Mondays, no suggestions"
    if any(clause.nots and not clause.times and clause.actions & read.wanted for clause in read.clauses):
        raise NotUnderstood  # "more family time but also never family time"
    if read.conditional is not None and (read.conditional.has(K.BUT) or not read.conditional.times):
        raise NotUnderstood
    if read.left and not any(read.left & clause.days for clause in read.clauses):
        raise NotUnderstood  # "on Wednesdays I work at home: a run at noon"
    share_weeks(read.clauses)
    share_nights(read.clauses)
    check_neighbours(read.clauses)
    return read


def _take(part: Part, following: Sequence[Part], read: Reading) -> None:
    _of_days_before(part, read)
    if part.has(K.CLEAR):
        read.clauses.append(part)
    elif part.joint is K.WHY and part.kinds in ([K.SPAN], [K.SPAN, K.BED], [K.BED, K.SPAN], [K.SPAN, K.UP]):
        otherwise(part, read.clauses)
    elif (
        part.joint is K.AND
        and read.in_aside
        and not (read.clauses or part.times or part.counts or part.flags.keys() - {K.THEN})
    ):
        set_aside(part, read)  # "on Sundays I go to church and laze about"
    elif depends(part, following):
        read.aside.append(part.text)  # "no sport on an empty stomach, so not before ten"
        part.words, part.loose = [], []
        _begin(part, read)
    elif is_aside(part, read, following):
        share_times(part, following)
        set_aside(part, read)
    elif part.has_head:
        read.in_aside = False
        _begin(part, read)
    elif part.loose and not part.words and read.clauses and read.clauses[-1].spans:
        sharpen(read.clauses[-1], part)
    elif part.times or part.counts or part.flags or part.loose or part.beside:
        _go_on(part, read)
    if part.times or part.has(K.FREE):
        goes_on = part.kinds == [K.SPAN] and read.clauses and read.clauses[-1].spans == part.spans
        read.before = read.clauses[-1] if goes_on else part


def _of_days_before(part: Part, read: Reading) -> None:
    """Give hours the days said before: "Tuesday is choir night, no tv in the evening then"."""
    last, before = (read.clauses[-1] if read.clauses else None), read.before
    if K.THEN not in part.flags or part.days or part.has(K.BED, K.UP) or not (part.times and before and before.days):
        return
    part.days = before.days
    if part.nots and last is before and is_entry(last, part, read):
        leave(last, read)


def _begin(part: Part, read: Reading) -> None:
    """Add a part that names an action or the night, with the times that were said before it."""
    if part.loose or part.words or part.subject == PERSON:
        raise NotUnderstood  # "she gets up at five"
    last = read.clauses[-1] if read.clauses else None
    if last is not None and goes_with(last, part):
        if not last.flags.keys() & {K.FINISH, K.START}:
            add(last, part)
        return
    if part.joint is K.THUS:
        _draw(last, part, read)
    _on_that_day(part, last, read)
    first, rest = (read.pending[0], read.pending[1:]) if read.pending else (None, [])
    read.pending = []
    unlimited = not (part.times or part.counts)
    if first is not None and unlimited and part.flags.get(K.THEN) == AFTERWARDS:
        raise NotUnderstood  # "choir is from seven to nine, after that I read"
    if first is None and unlimited and read.before is not None:
        _point(part, last, read, read.before)
    elif first is not None:
        for one in rest:
            read.clauses.append(inherits(replace(one, days=one.days or first.days), part))
        if unlimited or not first.times or (is_days(first) and not (part.days or part.counts)):
            add(part, first)  # also "on Sundays, no sport before nine"
            part.kinds = [*first.kinds, *part.kinds]
        else:
            read.clauses.append(inherits(first, part))
    read.clauses.append(part)


def _draw(last: Part | None, part: Part, read: Reading) -> None:
    """Set the last part aside if it is only the reason for this part, or if this part says the same more exactly."""
    before = read.before if read.left and part.times and not part.days else None
    if before is not None and not (before.parts or before.spans):
        part.days = before.days  # "late shift from Tuesday to Friday, so sport before noon"
    if read.at_event and part.nots and not part.times:
        raise NotUnderstood  # "I'm tired after work, so no sport": not of all hours
    if last is None:
        return
    ends = last.has(K.FINISH) and part.has(K.FINISH)
    again = part.times and last.times and (ends or (last.nots and part.nots and last.actions == part.actions))
    if again:
        part.days = part.days or last.days
    if again or is_ground(last, part, read):
        leave(last, read)


def _on_that_day(part: Part, last: Part | None, read: Reading) -> None:
    """Give a part with hours the days before it: "Saturdays I've got concerts, so bedtime is at one that day"."""
    before = read.before
    if part.has(K.FINISH, K.START) and part.by_then and part.spans and not part.days and before is not None:
        part.days = before.days  # "shopping with mum on Thursdays, work starts at eleven then"
    if part.flags.get(K.THEN) != THAT_DAY or part.days:
        return
    if not part.times:
        read.pending = [replace(one, parts=[], spans=[]) if one.days else one for one in read.pending]
        return
    if before is None or not before.days:
        raise NotUnderstood
    part.days = before.days
    read.pending = [one for one in read.pending if one is not before]
    if last is before and not (is_limit(last) or last.has(K.BEST, K.FREE) or part.joint is K.AND):
        leave(last, read)


def _point(part: Part, last: Part | None, read: Reading, before: Part) -> None:
    """Give a part without times those before it if it refers to them with a word such as "then"."""
    if part.nots and part.flags.keys() == {K.NOT, K.SUGGESTION, K.THEN} and not part.actions:
        part.flags = {K.NOT: None, K.THEN: part.flags[K.THEN]}  # "I have choir, so no suggestions then"
        part.actions = ALL
    if part.nots and part.actions:
        _point_back(part, last, read)
    elif part.has(K.FREE) and not part.actions:
        part.days = before.days  # "we are closed on Sundays, so those are free"
    elif part.actions and not part.nots and part.flags.get(K.THEN) == AFTERWARDS:
        _afterwards(part, before)  # "deep work until noon, emails after that"
        part.flags[K.BEST] = None
    elif part.actions and not part.nots and _points(part):
        if last is before and last.flags.get(K.FREE):
            raise NotUnderstood  # "my free evening is Tuesday, so friends then"
        part.days, part.parts, part.spans = before.days, list(before.parts), list(before.spans)
        part.flags.pop(K.THEN, None)
        part.flags |= {} if part.has(K.ONLY) or part.actions == WORK else {K.BEST: None}
        if (
            last is before
            and (part.joint is K.THUS or part.actions == WORK)
            and not (is_limit(last) or last.has(K.BEST))
        ):
            leave(last, read)


def _points(part: Part) -> bool:
    """Return True for a wish that refers to the times before it: "so meditation then", "meditate instead"."""
    told = part.kinds[0] is not K.THEN or part.flags.get(K.THEN) == INSTEAD or part.actions == WORK
    told = told or part.joint is K.THUS
    return (part.by_then or names_work(part)) and told and not part.flags.keys() - {K.THEN, K.BEST, K.ONLY}


def _point_back(part: Part, last: Part | None, read: Reading) -> None:
    """Give a veto without times those before it: "Tuesdays are choir evenings, so no tv then"."""
    before = read.before
    if part.flags.get(K.THEN) == THAT_DAY and before is not None:
        if not before.days:
            raise NotUnderstood
        if last is before and _only_tells(last, part, read):
            leave(last, read)
        before = replace(before, parts=[], spans=[])
    if part.flags.get(K.THEN) == AFTERWARDS:
        _afterwards(part, before)
        return
    drawn = part.joint is K.THUS and before is not None and before.days  # "on Tuesdays I have choir, so no sport"
    if (part.by_then or drawn) and last is not None and last is before and _only_tells(last, part, read):
        leave(last, read)
    points = last is None or part.by_then or _leads(last, part) or last.has(K.FREE) or (drawn and last is before)
    if before is not None and points:
        part.days, part.parts, part.spans = (before.days, list(before.parts), list(before.spans))
    elif (not is_never(part) or part.actions == WORK) and part.joint is not K.CUT:
        raise NotUnderstood


def _only_tells(last: Part, part: Part, read: Reading) -> bool:
    """Return True for "Tuesdays are choir evenings" before "so no tv then", but not for "me time on Tuesday"."""
    return not (is_limit(last) or last.has(K.BEST, K.FREE)) and (part.joint is K.THUS or states(read.text))


def _leads(last: Part, part: Part) -> bool:
    """Return True if times said first hold for both wishes: "on Sundays no work and no tv"."""
    told = last.has(K.BEST) or (last.kinds[:1] == [K.PART] and not is_limit(last))
    first = last.nots and last.kinds[:1] in ([K.DAY], [K.PART], [K.SPAN])
    return bool(told or first) and part.joint is K.AND


def _afterwards(part: Part, before: Part | None) -> None:
    if before is None or len(before.spans) != 1:
        raise NotUnderstood
    relation, begin, end = before.spans[0]
    if end is None and relation not in (K.TO, K.BEFORE, K.AT, K.LATEST):
        raise NotUnderstood
    part.days, part.spans = before.days, [(K.AFTER, end or begin, None)]
    del part.flags[K.THEN]


def _go_on(part: Part, read: Reading) -> None:
    """Add a part that names no action: it belongs to the action before it, or else to the next one."""
    last = read.clauses[-1] if read.clauses else None
    check_nothing(part, last)
    if is_more(part, last, read):
        return
    said = last is not None and (is_said(part, last) or repeats(last, part, read.text))
    if said or (part.flags.get(K.NOT) == "nothing" and _is_quiet(part, last, read)):
        return
    wished = last is not None and not last.nots and part.days  # "a swim on Saturdays, nothing on Sundays"
    several = len({clause.actions for clause in read.clauses}) > 1 or wished or HUSHED.search(read.text.lower())
    if part.flags.get(K.NOT) == "nothing" and part.times and several:
        if last is not None and last.days and not part.days:
            raise NotUnderstood  # "Sundays are for family, leave me alone after eight": on Sundays?
        read.clauses.append(replace(part, actions=ALL))  # "learning at nine, sport at noon, nothing in the evening"
        return
    if (
        part.has(K.LASTS)
        and last is not None
        and not (part.times or part.counts or part.flags.keys() - beside_length(last))
    ):
        add_length(last, part)
        return
    quiet = last is not None and ((last.actions != ALL and hushes(part)) or (part.joint is K.CUT and not last.nots))
    if part.nots and not part.times and (last is None or quiet or not (is_limit(last) or part.has(K.ONLY))):
        raise NotUnderstood  # "I run on Sundays, I hate it", "no sport before nine, leave us alone"
    if last is not None and part.kinds == [K.BEST, K.THEN] and not (part.flags[K.THEN] == INSTEAD or last.nots):
        return  # "yoga on Sundays, I love it then"
    if last is None or (part.by_then and not part.nots):
        of_suggestions = part.counts and part.has(K.MOST, K.ENOUGH) and part.flags.get(K.PER) == len(WEEK)
        alone = of_suggestions or (part.has(K.BACK) and part.counts)
        _with_pending(part, read)
        (read.clauses if alone else read.pending).append(part)
    elif part.nots and not part.times:
        last.flags |= {kind: None for kind in (K.ONLY,) if part.has(kind)}
    else:
        go_on_with(last, part, read)


def _with_pending(part: Part, read: Reading) -> None:
    """Join hours and days that stand side by side in a text: "on Saturdays, after ten", "after ten, on Saturdays"."""
    last = read.pending[-1] if read.pending else part
    if part.joint is K.CUT or (part.spans and part.spans[0][0] in FIRM):
        return  # "on Saturdays, but not before ten"
    if part.kinds in ([K.SPAN], [K.PART]) and is_days(last) and not last.spans:
        part.days = read.pending.pop().days
    elif is_days(part) and last.kinds == [K.SPAN] and not last.days:
        part.spans = list(read.pending.pop().spans)


def _is_quiet(part: Part, last: Part | None, read: Reading) -> bool:
    """Add a time without suggestions, and return True if there is one: "I nap from one to two, so nothing then"."""
    if part.times and (last is None or last.actions == ALL):
        days = read.pending.pop().days if [is_days(one) for one in read.pending] == [True] else frozenset()
        read.clauses.append(replace(part, actions=ALL, days=part.days or days))  # "on Sundays, nothing before ten"
        return True
    if part.times and last is not None and part.joint is K.THUS and not (is_limit(last) or last.counts):
        read.clauses.append(replace(part, actions=ALL, days=part.days or last.days))
        leave(last, read)  # "Saturday night is for poker, so nothing after six"
        return True
    if last is not None and last is read.before and not part.times and is_entry(last, part, read):
        leave(last, read)  # "book club on Thursday evenings, keep that free"
        read.clauses.append(at_times_of(last, part))
        return True
    pending = next((one for one in read.pending if one.times and not one.nots), None)
    before = pending or read.before
    if (
        part.times
        or before is None
        or not (part.by_then or part.joint is K.THUS or pending is not None or (read.in_aside and hushes(part)))
    ):
        return part.kinds == [K.NOT] and last is not None and last.actions == ALL  # "nothing after nine, no pings"
    if last is None:
        read.clauses.append(at_times_of(before, part))
        read.pending = [one for one in read.pending if one is not pending]
    return last is None
