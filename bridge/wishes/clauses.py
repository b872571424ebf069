"""Join the parts of a text to clauses, each of which is about one action or about the night."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from bridge.wishes.clocks import of_half
from bridge.wishes.hours import AT_NIGHT, NotUnderstood
from bridge.wishes.lexicon import ALL, WEEK, WORK, Kind
from bridge.wishes.reasons import Reading, is_days, is_free_of, is_limit
from bridge.wishes.slots import DISLIKED, HEADS, LIMITS, Part
from rhythm_env.interface import ActionType

K = Kind
LAST = ([K.DAY], [K.PART], [K.SPAN])  # of a clause whose time may be of the clause before it, too
SATURDAY, SUNDAY = 5, 6
SPECIFIES = re.compile(r"\b(?:i\.e|namely|that is|meaning|i mean|in other words|nämlich|das heißt|d\.h|sprich)\b")
ALSO = re.compile(r"\b(?:also (?:not|never)|not [^,.;]+ either|auch nicht|auch (?!sonst)(?:am |an )?\w+ nicht)\b")
OF_BOTH = re.compile(
    r"[,;] (?:and |but |und )?(?:neither|(?:nothing|none) of (?:either|both|them)|beides nicht|nichts davon)\b"
)
FIRM = (K.EARLIEST, K.LATEST)


def sharpen(last: Part, part: Part) -> None:
    """Apply "not earlier", "nor later" or "never before" to the times of the clause before."""
    (relation, *rest), edge = last.spans[0], part.loose[0]
    if edge not in (K.EARLIEST, K.LATEST):
        last.flags[K.ONLY] = None  # "after lunch, never before"
    elif last.nots or len(last.spans) > 1 or len(part.loose) > 1 or part.times or part.counts:
        raise NotUnderstood
    elif rest[1] is None and not (K.UP in last.flags and edge is K.EARLIEST):
        if relation not in (K.AT, K.AFTER, K.FROM, K.EARLIEST) and edge is K.EARLIEST:
            raise NotUnderstood
        last.spans = [(edge, *rest)]  # type: ignore[list-item]


def share_weeks(clauses: Sequence[Part]) -> None:
    """Apply the "a week" of "twice a week" to a count without a period, such as "three times", in another clause."""
    if any(clause.flags.get(K.PER) == 1 or K.WEEKLY in clause.flags for clause in clauses if clause.actions):
        for one in clauses:
            counted = K.TIMES in one.flags or (K.NUMBER in one.flags and one.has(K.LEAST, K.MOST))
            if one.actions and counted and not one.has(K.PER, K.WEEKLY):
                one.flags[K.PER] = 1


def otherwise(part: Part, clauses: list[Part]) -> None:
    """Add the time of the other days: "in bed by ten on weekdays, otherwise by midnight"."""
    last = clauses[-1] if clauses else part
    if not (last.days and last.has(K.BED, K.UP, K.FINISH, K.START)) or last.nots:
        raise NotUnderstood
    if part.has_head and not part.flags.keys() & last.flags.keys():
        raise NotUnderstood
    clauses.append(replace(last, days=frozenset(WEEK) - last.days, spans=part.spans, joint=K.COMMA))


def share_nights(clauses: Sequence[Part]) -> None:
    """Give "up at three" in "in bed by nine from Sunday to Thursday, up at three" the days of the mornings after."""
    beds = [clause for clause in clauses if clause.has(K.BED)]
    for one in clauses if len(beds) == 1 and beds[0].days else ():
        if one.has(K.UP) and not (one.has(K.BED, K.PER) or one.days or one.joint is K.CUT):
            eves = SUNDAY in beds[0].days and SATURDAY not in beds[0].days
            one.days = frozenset((day + eves) % len(WEEK) for day in beds[0].days)


def goes_with(last: Part, part: Part) -> bool:
    """Return True if a part adds to the wish before it, as in "two gym sessions and one swim a week"."""
    bare = not (part.times or part.counts)
    if last.actions and part.actions == last.actions and bare and (part.by_then or part.has(K.ONLY) or last.nots):
        return bool(part.nots) == bool(last.nots) and not part.flags.keys() - {K.ONLY, K.NOT, K.BEST, K.THEN}
    if last.nots and part.actions < last.actions and bare and (part.nots or part.joint is K.OR):
        return not last.times  # "no work, neither deep work nor paperwork"
    if last.actions and part.actions == last.actions and not part.nots and not last.nots:
        if last.has(K.NUMBER, K.TIMES) and part.has(K.NUMBER, K.TIMES) and K.PER in part.flags:
            return K.PER not in last.flags
        return not (last.times or last.counts or last.flags.keys() & LIMITS)
    return False


def add(last: Part, part: Part) -> None:
    """Add the actions, times and counts of one part to another."""
    if last.counts and part.counts and (part.joint is not K.AND or not last.actions):
        raise NotUnderstood
    if last.has(K.MOST) and part.counts and part.actions and last.has(K.NUMBER, K.TIMES):
        raise NotUnderstood  # "at most three runs and two swims a week"
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


def inherits(part: Part, head: Part) -> Part:
    """Return a part that names no action with the action of another, and as a veto if it only continues one."""
    new = replace(part, actions=head.actions, named=list(head.named), beside=[*head.beside, *part.beside])
    if head.has(K.ONLY) and not part.nots and part.spans and not part.flags.keys() & (LIMITS | {K.BEST, K.FINE}):
        new.flags[K.ONLY] = None  # "only on Fridays, from eight to eleven"
    if head.actions == WORK and head.spans and not (head.days or head.nots or part.nots) and _ends_on_days(part):
        new.nots, new.spans = 1, [(K.AFTER, *part.spans[0][1:])]  # "work from eight to four, on Fridays until noon"
        new.flags = {K.NOT: None}
    if head.flags.keys() & {K.FINISH, K.START} and not part.days:
        raise NotUnderstood
    for kind in HEADS & head.flags.keys():
        new.flags.setdefault(kind, head.flags[kind])
    if head.has(K.SUGGESTION) and head.has(K.MOST) and part.days and part.has(K.NUMBER):
        new.flags.setdefault(K.MOST, None)  # "at most five suggestions, but one on Sundays"
    bare = any(span[0] is K.EARLIEST and not span[1][2] for span in part.spans)
    if part.days and bare and frozenset() < head.actions <= AT_NIGHT:
        raise NotUnderstood  # "friends on Fridays, on Saturdays not before ten": of the morning, and of all
    if not (part.days or head.nots or head.has(K.ONLY) or (is_never(part) and head.parts)) and (
        part.nots or any(span[0] in FIRM for span in part.spans)
    ):
        new.days = head.days  # "on Saturdays, but not before ten"
    if len(head.parts) == 1 and new.spans and not (new.parts or head.nots):
        new.spans = [of_half(span, head.parts[0]) for span in new.spans]  # "in the morning, never after ten"
    if head.nots and not part.nots and not part.flags.keys() & (LIMITS | {K.BEST, K.FINE}) and part.times:
        new.nots, new.flags[K.NOT] = 1, head.flags.get(K.NOT)
    return new


def _ends_on_days(part: Part) -> bool:
    relations = [span[0] for span in part.spans]
    return bool(part.days) and relations == [K.TO] and not part.flags.keys() - {K.ONLY}


def add_length(last: Part, part: Part) -> None:
    if part.nots != sum(beyond for _, _, beyond in part.flags[K.LASTS]):
        raise NotUnderstood
    told = [(side, minutes, False) for side, minutes, _ in part.flags[K.LASTS]]
    last.flags[K.LASTS] = [*last.flags.get(K.LASTS, []), *told]


def at_times_of(before: Part, part: Part) -> Part:
    return replace(
        part, actions=part.actions or ALL, days=before.days, parts=list(before.parts), spans=list(before.spans)
    )


def go_on_with(last: Part, part: Part, read: Reading) -> None:
    bare = not (part.times or part.counts)
    if last.nots and part.times and not (part.nots or last.times or last.counts):
        _turn_round(last, part, read)
    of_days = last.nots and last.days and not (last.parts or last.spans)
    if of_days and part.has(K.ONLY) and part.times and not (part.nots or part.days):
        raise NotUnderstood  # "no sport on Mondays, only between nine and twelve": on Mondays, or on the others?
    if (
        is_days(part)
        and last.spans
        and last.spans[0][2]
        and not last.days
        and (last.has(K.START) or last.actions == WORK)
    ):
        last.days = part.days  # "I work from eight to four, Monday to Thursday"
    elif (
        last.parts
        and not (last.spans or part.joint is K.AND)
        and part.spans
        and not (part.parts or part.days or is_limit(part))
    ):
        last.spans = list(part.spans)  # "in the evening, from eight on"
        last.flags |= {K.BEST: None} if part.has(K.BEST) else {}
    elif (
        last.days
        and not (last.parts or last.spans or part.days or is_limit(last) or is_limit(part))
        and part.spans
        and part.spans[0][0] not in (K.EARLIEST, K.LATEST)
    ):
        last.spans = list(part.spans)  # "on Tuesdays, 7 to 9 pm"
    elif not (last.times or last.counts) or (
        bare and not part.flags.keys() - (LIMITS | {K.BEST, K.FINE, K.ANYTIME, K.APART})
    ):
        if is_limit(part):
            last.flags.pop(K.FINE, None)  # "parties are fine, but not on Mondays"
        add(last, part)
    elif (
        len(last.spans) == 1
        and part.spans
        and not (part.nots or part.days or part.parts)
        and part.joint in (K.COMMA, K.THUS)
    ):
        raise NotUnderstood  # two times of one action
    elif part.joint is K.CUT and last.nots and not (part.nots or part.flags):
        raise NotUnderstood  # "not on Tuesdays but on Thursdays"
    else:
        read.clauses.append(inherits(part, last))


def repeats(last: Part, part: Part, text: str) -> bool:
    """Return True for "also not on Fridays" after "no work after eight", with its days added to those said before."""
    if not (last.nots and part.nots and part.times and last.times and ALSO.search(text.lower())):
        return False
    if part.parts or part.spans or part.flags.keys() - {K.NOT}:
        raise NotUnderstood  # "no sport on Mondays, also not in the evening": on Mondays, or on all days?
    last.days |= part.days if last.days else frozenset()
    return True


def _of_both(part: Part, read: Reading) -> bool:
    """Add "neither on Sundays" as a wish about all that was named before it, and return True if a part is one."""
    if not (part.nots and part.times and OF_BOTH.search(read.text.lower())):
        return False
    heads = [clause for clause in read.clauses if clause.actions]
    actions = frozenset[ActionType]().union(*(head.actions for head in heads))
    named = [actions] if actions == WORK else [name for head in heads for name in head.named]
    read.clauses.append(replace(part, actions=actions, named=named))
    return True


def is_more(part: Part, last: Part | None, read: Reading) -> bool:
    """Return True for "undisturbed" of the action before it, or for "neither on Sundays" of all of them."""
    if last is not None and set(part.kinds) == {K.DETAIL} and last.actions:
        last.beside += part.beside  # "deep work in the morning, undisturbed"
        last.kinds += part.kinds
        return True
    _check_used(part, last)
    return _of_both(part, read)


def _check_used(part: Part, last: Part | None) -> None:
    """Raise NotUnderstood for a part with a word that says nothing of the clause before it."""
    unused = part.words or part.loose or part.has(K.BUT) or (part.details and not (part.times or part.counts))
    unused = unused or (set(part.kinds) == {K.ABOUT} and part.joint is not K.THUS)  # "family on Sundays, and coffee"
    tells = part.subject and K.ABOUT in part.kinds and part.times and not part.nots  # "we watch on Sundays"
    if unused or (last is not None and last.nots and (part.has(K.FINE) or tells)):
        raise NotUnderstood


def is_said(part: Part, last: Part) -> bool:
    """Return True if a part repeats the wish: "clock off at four, every day", "I can't stand meditating, drop it"."""
    daily = part.kinds == [K.PER] and part.flags[K.PER] == len(WEEK) and last.spans and not last.days
    disliked = part.kinds == [K.BACK] and last.flags.get(K.NOT) in DISLIKED and not last.times
    return bool(daily and last.has(K.FINISH, K.BED, K.UP)) or disliked


def beside_length(last: Part) -> set[Kind]:
    """Return the kinds that may occur beside a duration: "sport only on Sundays, then for two hours"."""
    return {K.LASTS, K.NOT} | ({K.THEN, K.BEST} if last.has(K.ONLY) and not last.nots else set())


def _turn_round(last: Part, part: Part, read: Reading) -> None:
    """Read "no sport while the kids are home, so only from nine to twelve" as "sport only from nine to twelve"."""
    if part.has(K.ONLY) and last.flags[K.NOT] not in DISLIKED:
        last.nots = 0
        del last.flags[K.NOT]
    elif part.has(K.ONLY) or (
        read.conditional is last
        and part.joint is K.THUS
        and last.actions != ALL
        and not is_firm(part)
        and not SPECIFIES.search(read.text.lower())
    ):
        raise NotUnderstood  # "no sport while the kids are home, so from nine to twelve": then, or not then?


def is_firm(part: Part) -> bool:
    """Return True for "not before ten" and "not after ten"."""
    return any(span[0] in FIRM for span in part.spans)


def is_never(part: Part) -> bool:
    return part.flags.get(K.NOT) in ("never", "nie")


def check_neighbours(clauses: Sequence[Part]) -> None:
    """Raise NotUnderstood for two clauses of which the second may say what the first one is of."""
    for one, other in pairwise(clauses):
        joined = other.joint is K.AND or (other.joint is K.COMMA and other.kinds[-1:] in LAST and other.actions != ALL)
        if one.nots and other.nots and not one.times and other.times and joined and not is_never(one):
            raise NotUnderstood  # "no sport and no tv on Sundays", "no tv, no work after nine"
        if one.counts and one.actions and other.kinds == [K.DAY, K.FREE] and other.joint is K.COMMA:
            raise NotUnderstood  # "four runs a week, Sundays off": of runs, or of work?
        if any(is_free_of(a, b) for a, b in ((one, other), (other, one))):
            raise NotUnderstood  # "I work mornings, afternoons are free": of work, or of all?


def check_nothing(part: Part, last: Part | None) -> None:
    """Raise NotUnderstood for "no sport, nothing before nine": of sport, or of all?"""
    bare = last is not None and last.nots and last.actions != ALL and not (last.times or last.counts)
    if bare and part.flags.get(K.NOT) == "nothing" and part.times and not part.by_then:
        raise NotUnderstood
