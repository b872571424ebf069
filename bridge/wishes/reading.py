"""Bring the parts of a text together to clauses, each about one thing, and set reasons aside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bridge.wishes.hours import NotUnderstood
from bridge.wishes.lexicon import ALL, WEEK, WORK, Kind
from bridge.wishes.meaning import said_of
from bridge.wishes.reasons import (
    INSTEAD,
    Reading,
    is_aside,
    is_days,
    is_ground,
    is_limit,
    leave,
    names_work,
    set_aside,
    share_times,
)
from bridge.wishes.said import Said, common
from bridge.wishes.slots import HEADS, LIMITS, PERSON, Part, parts_of
from bridge.wishes.times import Span

K = Kind
AFTERWARDS, THAT_DAY = 1, 2  # of "then"
SATURDAY, SUNDAY = 5, 6
FIRM = (K.EARLIEST, K.LATEST)


def by_slots(text: str, language: str) -> tuple[tuple[Said, ...], tuple[str, ...]]:
    """Return the wishes of a text, and what was set aside. Raises NotUnderstood for a text without any."""
    plain, of_meters = (_by_words(text, language, with_meters=one) for one in (False, True))
    better = of_meters is not None and (plain is None or (plain[1] and len(of_meters[0]) > len(plain[0])))
    found = of_meters if better else plain
    if found is None:
        raise NotUnderstood
    return found


def _by_words(text: str, language: str, *, with_meters: bool) -> tuple[tuple[Said, ...], tuple[str, ...]] | None:
    try:
        parts = parts_of(text, language, with_meters=with_meters)
        read = _read(parts, text)
        if len({part.has(K.CLEAR) for part in parts}) > 1:
            return None
        said = tuple(one for clause in read.clauses for one in said_of(clause))
    except NotUnderstood:
        return None
    return (_alike(said), tuple(read.aside)) if said else None


def _alike(said: tuple[Said, ...]) -> tuple[Said, ...]:
    """Return wishes with the counts of one action added, and a time of day before the part of it."""
    found: list[Said] = []
    for one in said:
        alike = ((i, o) for i, o in enumerate(found) if o.kind == one.kind and o.actions == one.actions)
        same = next(
            (i for i, o in alike if one.kind == "best" or (one.kind == "days" and o.narrows and one.narrows)), None
        )
        if same is None:
            found.append(one)
        elif one.kind == "days":
            found[same] = replace(one, days=one.days & found[same].days)
        elif not (found[same].days and one.days) and not (found[same].hours and one.hours):
            found[same] = replace(one, days=one.days | found[same].days, hours=one.hours or found[same].hours)
        elif found[same].hours and one.hours and common(found[same].hours, one.hours):
            found[same] = replace(one, days=found[same].days or one.days)
        elif bool(found[same].days) == bool(one.days) and found[same].hours == one.hours:
            found[same] = replace(one, days=one.days | found[same].days)
        else:
            found.append(one)
    return tuple(dict.fromkeys(found))


# Parts to clauses -----------------------------------------------------------------------------------------------------


def _read(parts: Sequence[Part], text: str) -> Reading:
    read = Reading(text=text)
    for at, part in enumerate(parts):
        _take(part, parts[at + 1 :], read)
    if any(one.flags.keys() - {K.BEST} or one.times for one in read.pending) or not read.clauses:
        raise NotUnderstood
    if any(one.nots and not one.times and one.actions & read.wanted for one in read.clauses):
        raise NotUnderstood  # "more family time but also never family time"
    if read.conditional is not None and (read.conditional.has(K.BUT) or not read.conditional.times):
        raise NotUnderstood
    if read.left and not any(read.left & one.days for one in read.clauses):
        raise NotUnderstood  # "on Wednesdays I work at home: a run at noon"
    _share_weeks(read.clauses)
    _share_nights(read.clauses)
    for one, other in zip(read.clauses, read.clauses[1:], strict=False):
        if one.nots and other.nots and not one.times and other.times and other.joint is K.AND and not _is_never(one):
            raise NotUnderstood  # "no sport and no tv on Sundays"
    return read


def _take(part: Part, following: Sequence[Part], read: Reading) -> None:
    if part.has(K.CLEAR):
        read.clauses.append(part)
    elif part.joint is K.WHY and part.kinds == [K.SPAN]:
        _otherwise(part, read.clauses)
    elif (
        part.joint is K.AND
        and read.in_aside
        and not (read.clauses or part.times or part.counts or part.flags.keys() - {K.THEN})
    ):
        set_aside(part, read)  # "on Sundays I go to church and laze about"
    elif is_aside(part, read, following):
        share_times(part, following)
        set_aside(part, read)
    elif part.kinds == [K.FREE] and read.clauses and read.clauses[-1].days:
        set_aside(part, read)  # "no sport on Sundays, it's my day off"
    elif part.has_head:
        read.in_aside = False
        _begin(part, read)
    elif part.loose and not part.words and read.clauses and read.clauses[-1].spans:
        _sharpen(read.clauses[-1], part)
    elif part.times or part.counts or part.flags or part.loose:
        _go_on(part, read)
    if part.times or part.has(K.FREE):
        goes_on = part.kinds == [K.SPAN] and read.clauses and read.clauses[-1].spans == part.spans
        read.before = read.clauses[-1] if goes_on else part


def _sharpen(last: Part, part: Part) -> None:
    """Take "not earlier", "nor later" and "never before" for the times of what was said before."""
    (relation, *rest), edge = last.spans[0], part.loose[0]
    if edge not in (K.EARLIEST, K.LATEST):
        last.flags[K.ONLY] = None  # "after lunch, never before"
    elif last.nots or len(last.spans) > 1 or len(part.loose) > 1 or part.times or part.counts:
        raise NotUnderstood
    elif rest[1] is None and not (K.UP in last.flags and edge is K.EARLIEST):
        if relation not in (K.AT, K.AFTER, K.FROM, K.EARLIEST) and edge is K.EARLIEST:
            raise NotUnderstood
        last.spans = [(edge, *rest)]  # type: ignore[list-item]


def _share_weeks(clauses: Sequence[Part]) -> None:
    """Let "twice a week" say what "three times" beside it is of."""
    if any(one.flags.get(K.PER) == 1 or K.WEEKLY in one.flags for one in clauses if one.actions):
        for one in clauses:
            counted = K.TIMES in one.flags or (K.NUMBER in one.flags and one.has(K.LEAST, K.MOST))
            if one.actions and counted and not one.has(K.PER, K.WEEKLY):
                one.flags[K.PER] = 1


def _otherwise(part: Part, clauses: list[Part]) -> None:
    """Take the time of other days: "in bed by ten on weekdays, otherwise by midnight"."""
    last = clauses[-1] if clauses else part
    if not (last.days and last.has(K.BED, K.UP, K.FINISH, K.START)) or last.nots:
        raise NotUnderstood
    clauses.append(replace(last, days=frozenset(WEEK) - last.days, spans=part.spans, joint=K.COMMA))


def _share_nights(clauses: Sequence[Part]) -> None:
    """Let "in bed by nine from Sunday to Thursday, up at three" name the mornings after, and workdays themselves."""
    beds = [one for one in clauses if one.has(K.BED)]
    for one in clauses if len(beds) == 1 and beds[0].days else ():
        if one.has(K.UP) and not (one.has(K.BED, K.PER) or one.days or one.joint is K.CUT):
            eves = SUNDAY in beds[0].days and SATURDAY not in beds[0].days
            one.days = frozenset((day + eves) % len(WEEK) for day in beds[0].days)


def _is_never(part: Part) -> bool:
    return part.flags.get(K.NOT) in ("never", "nie")


def _begin(part: Part, read: Reading) -> None:
    """Take a part that names what is wished, with times that were said before it."""
    if part.loose or part.words or part.subject == PERSON:
        raise NotUnderstood  # "she gets up at five"
    last = read.clauses[-1] if read.clauses else None
    if last is not None and _goes_with(last, part):
        if not last.flags.keys() & {K.FINISH, K.START}:
            _add(last, part)
        return
    if last is not None and part.joint is K.THUS and is_ground(last, part):
        leave(last, read)
    _on_that_day(part, last, read)
    first, rest = (read.pending[0], read.pending[1:]) if read.pending else (None, [])
    read.pending = []
    _work_then(part, last, read)
    unlimited = not (part.times or part.counts)
    if first is not None and unlimited and part.flags.get(K.THEN) == AFTERWARDS:
        raise NotUnderstood  # "choir is from seven to nine, after that I read"
    if first is None and unlimited and read.before is not None:
        _point(part, last, read, read.before)
    elif first is not None:
        for one in rest:
            read.clauses.append(_inherits(replace(one, days=one.days or first.days), part))
        if unlimited or not first.times or (is_days(first) and not (part.days or part.counts)):
            _add(part, first)  # also "on Sundays, no sport before nine"
            part.kinds = [*first.kinds, *part.kinds]
        else:
            read.clauses.append(_inherits(first, part))
    read.clauses.append(part)


def _on_that_day(part: Part, last: Part | None, read: Reading) -> None:
    """Give what has hours the days said before it: "Saturdays I've got concerts, so bedtime is at one that day"."""
    before = read.before
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
    """Give a part without times those that were said before it, if it points to them."""
    if part.nots and part.flags.keys() == {K.NOT, K.SUGGESTION, K.THEN} and not part.actions:
        part.flags = {K.NOT: None, K.THEN: part.flags[K.THEN]}  # "I have choir, so no suggestions then"
        part.actions = ALL
    if part.nots and part.actions:
        _point_back(part, last, read)
    elif part.has(K.FREE) and not part.actions:
        part.days = before.days  # "we are closed on Sundays, so those are free"
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
    """Return True for a wish at the times said before it: "so meditation then", "meditate instead"."""
    told = part.kinds[0] is not K.THEN or part.flags.get(K.THEN) == INSTEAD or part.actions == WORK
    told = told or part.joint is K.THUS
    return (part.by_then or names_work(part)) and told and not part.flags.keys() - {K.THEN, K.BEST, K.ONLY}


def _work_then(part: Part, last: Part | None, read: Reading) -> None:
    """Read "patients from 7:30, that is when I start" and "work until four, and that is it"."""
    if not part.has(K.FINISH, K.START) or part.times or part.nots or not part.by_then or read.before is None:
        return
    part.days, part.spans = read.before.days, list(read.before.spans)
    if last is not None and last is read.before and last.actions == WORK:
        leave(last, read)


def _point_back(part: Part, last: Part | None, read: Reading) -> None:
    """Give a veto without times those that were said before it: "Tuesdays are choir evenings, so no tv then"."""
    before = read.before
    if part.flags.get(K.THEN) == THAT_DAY and before is not None:
        if not before.days:
            raise NotUnderstood
        if last is before and not (is_limit(last) or last.has(K.BEST, K.FREE)):
            leave(last, read)
        before = replace(before, parts=[], spans=[])
    if part.flags.get(K.THEN) == AFTERWARDS:
        if before is None or len(before.spans) != 1:
            raise NotUnderstood
        relation, begin, end = before.spans[0]
        if end is None and relation not in (K.TO, K.BEFORE, K.AT, K.LATEST):
            raise NotUnderstood
        part.days, part.spans = before.days, [(K.AFTER, end or begin, None)]
        del part.flags[K.THEN]
        return
    if part.by_then and last is not None and last is before and not is_limit(last) and not last.has(K.FREE):
        leave(last, read)
    rather = last is not None and last.has(K.BEST) and part.joint is K.AND  # "in the evening I like reading and no tv"
    if before is not None and (last is None or part.by_then or rather or last.has(K.FREE)):
        part.days, part.parts, part.spans = (before.days, list(before.parts), list(before.spans))
    elif not _is_never(part) and part.joint is not K.CUT:
        raise NotUnderstood


def _goes_with(last: Part, part: Part) -> bool:
    """Return True if a part says more of the same, such as "two gym sessions and one swim a week"."""
    bare = not (part.times or part.counts)
    if last.flags.keys() & {K.FINISH, K.START} and part.actions == WORK and part.nots and bare:
        return True  # "I finish at five, no work then"
    if last.actions and part.actions == last.actions and bare and (part.by_then or part.has(K.ONLY) or last.nots):
        return bool(part.nots) == bool(last.nots) and not part.flags.keys() - {K.ONLY, K.NOT, K.BEST, K.THEN}
    if last.nots and part.actions < last.actions and bare and (part.nots or part.joint is K.OR):
        return not last.times  # "no work, neither deep work nor paperwork"
    if last.actions and part.actions == last.actions and not part.nots and not last.nots:
        if part.joint is K.OR and part.kinds == [K.ACTION]:
            return True  # "twice a week the violin for fun, or reading"
        if last.has(K.NUMBER, K.TIMES) and part.has(K.NUMBER, K.TIMES) and K.PER in part.flags:
            return K.PER not in last.flags
        return not (last.times or last.counts or last.flags.keys() & LIMITS)
    return False


def _add(last: Part, part: Part) -> None:
    """Add to a part what another says of it."""
    if last.counts and part.counts and (part.joint is not K.AND or not last.actions):
        raise NotUnderstood
    if K.NUMBER in last.flags and K.NUMBER in part.flags and part.actions:
        last.flags[K.NUMBER] += part.flags[K.NUMBER]
    last.actions = last.actions or part.actions
    last.named += part.named if len(last.actions) == 1 else []
    last.days |= part.days
    last.parts += part.parts
    last.spans += part.spans
    last.nots = max(last.nots, part.nots)
    last.beside += part.beside
    lasts = [*last.flags.get(K.LASTS, []), *part.flags.get(K.LASTS, [])]
    last.flags = {**part.flags, **last.flags, **({K.LASTS: lasts} if lasts else {})}


def _inherits(part: Part, head: Part) -> Part:
    """Return a part that names nothing as one about the same as another, and refused if it only goes on."""
    new = replace(part, actions=head.actions, named=list(head.named), beside=list(head.beside))
    if head.has(K.ONLY) and not part.nots and part.spans and not part.flags.keys() & (LIMITS | {K.BEST, K.FINE}):
        new.flags[K.ONLY] = None  # "only on Fridays, from eight to eleven"
    if head.flags.keys() & {K.FINISH, K.START} and not part.days:
        raise NotUnderstood
    for kind in HEADS & head.flags.keys():
        new.flags.setdefault(kind, head.flags[kind])
    if not (part.days or head.nots or head.has(K.ONLY)) and (part.nots or any(one[0] in FIRM for one in part.spans)):
        new.days = head.days  # "on Saturdays, but not before ten"
    if head.nots and not part.nots and not part.flags.keys() & (LIMITS | {K.BEST, K.FINE}) and part.times:
        new.nots, new.flags[K.NOT] = 1, head.flags.get(K.NOT)
    return new


def _go_on(part: Part, read: Reading) -> None:
    """Take a part that names nothing: it is about what was named before it, or else after it."""
    last = read.clauses[-1] if read.clauses else None
    if part.words or part.loose or (last is not None and part.has(K.FINE) and last.nots):
        raise NotUnderstood
    if part.flags.get(K.NOT) == "nothing" and _is_quiet(part, last, read):
        return
    if (
        part.has(K.LASTS)
        and not (part.times or part.counts or part.flags.keys() - {K.LASTS, K.NOT})
        and last is not None
    ):
        _add_length(last, part)
        return
    asked = last is not None and last.kinds == [K.ACTION] and part.kinds == [K.NOT]
    if last is not None and asked and part.flags[K.NOT] in (None, "never", "nie"):
        _add(last, part)  # "meditation? never"
        return
    if part.nots and not part.times and (last is None or not (is_limit(last) or part.has(K.ONLY))):
        raise NotUnderstood  # "I run on Sundays, I hate it"
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
        _go_on_with(last, part, read)


def _with_pending(part: Part, read: Reading) -> None:
    """Give hours the days that were said just before them, and days the hours."""
    last = read.pending[-1] if read.pending else part
    if part.joint is K.CUT or (part.spans and part.spans[0][0] in FIRM):
        return  # "on Saturdays, but not before ten"
    if part.kinds in ([K.SPAN], [K.PART]) and is_days(last) and not last.spans:
        part.days = read.pending.pop().days
    elif is_days(part) and last.kinds == [K.SPAN] and not last.days:
        part.spans = list(read.pending.pop().spans)


def _is_quiet(part: Part, last: Part | None, read: Reading) -> bool:
    """Take a quiet time, of a part or of what was said before it: "I nap from one to two, so nothing then"."""
    if part.times and (last is None or last.actions == ALL):
        read.clauses.append(replace(part, actions=ALL))
        return True
    pending = next((one for one in read.pending if one.times and not one.nots), None)
    before = pending or read.before
    if part.times or before is None or not (part.by_then or part.joint is K.THUS or pending is not None):
        return part.kinds == [K.NOT] and last is not None and last.actions == ALL  # "nothing after nine, no pings"
    if last is None:
        read.clauses.append(_at_times_of(before, part))
        read.pending = [one for one in read.pending if one is not pending]
    return last is None


def _between(first: Span, second: Span) -> list[Span] | None:
    """Return the time of "after eleven, before one", or None for other times."""
    ends = (K.BEFORE, K.LATEST, K.TO)
    if first[0] not in (K.AFTER, K.EARLIEST) or second[0] not in ends or first[2] or second[2]:
        return None
    return [(K.BETWEEN, first[1], second[1])]


def _add_length(last: Part, part: Part) -> None:
    if part.nots != sum(beyond for _, _, beyond in part.flags[K.LASTS]):
        raise NotUnderstood
    told = [(side, minutes, False) for side, minutes, _ in part.flags[K.LASTS]]
    last.flags[K.LASTS] = [*last.flags.get(K.LASTS, []), *told]


def _at_times_of(before: Part, part: Part) -> Part:
    return replace(
        part, actions=part.actions or ALL, days=before.days, parts=list(before.parts), spans=list(before.spans)
    )


def _go_on_with(last: Part, part: Part, read: Reading) -> None:
    bare = not (part.times or part.counts)
    if (
        is_days(part)
        and last.spans
        and last.spans[0][2]
        and not last.days
        and (last.has(K.START) or last.actions == WORK)
    ):
        last.days = part.days  # "I work from eight to four, Monday to Thursday"
    elif last.parts and not last.spans and part.spans and not (part.parts or part.days or is_limit(part)):
        last.spans = list(part.spans)  # "in the evening, from eight on"
        last.flags |= {K.BEST: None} if part.has(K.BEST) else {}
    elif (
        last.days
        and not (last.parts or last.spans or part.days or is_limit(last) or is_limit(part))
        and part.spans
        and part.spans[0][0] not in (K.EARLIEST, K.LATEST)
    ):
        last.spans = list(part.spans)  # "on Tuesdays, 7 to 9 pm"
    elif not (last.times or last.counts) or (bare and not part.flags.keys() - (LIMITS | {K.BEST, K.FINE, K.ANYTIME})):
        if is_limit(part):
            last.flags.pop(K.FINE, None)  # "parties are fine, but not on Mondays"
        _add(last, part)
    elif len(last.spans) == 1 and part.spans and not (part.nots or part.days) and part.joint in (K.COMMA, K.THUS):
        last.spans = (
            _between(last.spans[0], part.spans[0]) or part.spans
            if part.spans[0][0] is not K.AT
            else [(last.spans[0][0], *part.spans[0][1:])]
        )
    else:
        read.clauses.append(_inherits(part, last))
