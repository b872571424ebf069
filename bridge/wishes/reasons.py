"""Tell wishes from reasons and remarks beside them, and set the reasons aside."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import time

from bridge.domain.wish_terms import common
from bridge.wishes.hours import MEAL, Clock, NotUnderstood
from bridge.wishes.lexicon import ALL, COMPANY, WORK, Kind
from bridge.wishes.slots import CHANGES, DENIES, HEADS, LIMITS, ME, OTHERS, Part
from rhythm_env.interface import ActionType

K = Kind
AFTERWARDS, INSTEAD = 1, 3  # of "then"
FREE = 1  # of "free": neither oneself, nor kept so
EARLIEST_UP = 4  # the hour before which one gets up for work, and wishes it not
EVENTS = {K.EVENT, K.DURING}
WORK_EDGES = {8: (6, 8), 17: (17, 20)}  # hours of the day before and after work
EDGES = {K.BEFORE, K.AFTER, K.FROM, K.TO, K.LATEST, K.EARLIEST}
FIRST = re.compile(r"[,;]|[.:](?!\d)| (?:so|also|therefore|deshalb) ")  # what follows the first clause
ENDED = re.compile(r"[,;]|[.:](?!\d)| (?:and|und) ")

ASKED = re.compile(  # of something, which is no reason
    r"(?i)^ *(?:and |und )?(?:please |pls |just |then |bitte |dann |also )*(?:leave|keep|make|let(?! me decide)"
    r"|put|give|plan|book|block|hold|skip|move|treat|cap|cut|push|save|show|send|tell|remind|don't|do not|stop"
    r"|lass|halte?|mach|gib|plane?|blocke?|leg|setz|schieb|nimm|streich|zeig|schick|erinnere?)\b"
    r"|\b(?:please|bitte|ansonsten|otherwise(?!$)|everything else(?! can wait)|anything else|alles andere|the rest"
    r"|der rest|instead|stattdessen)\b"
)

ILL = re.compile(  # which passes
    r"\b(?:ill|sick|injured|unwell|flu|fever|holidays?|vacation"
    r"|krank\w*|erkältet|verletzt|grippe|fieber|corona|urlaub)\b"
)
LEFT_LIMITS = re.compile(
    r"\b(?:erst (?:ab|nach|um)|nicht (?:vor|nach)|not (?:before|after)|only (?:after|from|before)"
    r"|(?:nothing|nichts|nix)(?= (?:before|after|on|vor|nach|ab|am)\b|$))\b"
)
DATED_EVENT = re.compile(  # the reason of a wish for the days before it
    r"[,;:.-] ?(?:(?:my|the|our|die|meine?|der|das|i have|ich habe?|an?|eine?) )*(?:exams?|finals?|tests?|race|marathon"
    r"|deadline|thesis|klausur\w*|prüfung\w*|wettkampf|abgabe|examen)\b"
    r"[^,;]*\b(?:on|am|is|ist) (?:the |den )?(?:\d|\w+ \d)"
)
PASSES = re.compile(  # which says nothing of other days
    r"\b(?:i'm|i am|i feel|ich bin|bin|ich fühle? mich|mir ist)(?! (?:an?|no|not|the|in|at|on|from|ein\w*|kein\w*|nicht"
    r"|im|aus)\b) \w"
    r"|\b(?:tired|exhausted|wiped out|worn out|knackered|sore|hung ?over|headaches?|migraine|sleepy|dizzy"
    r"|müde|platt|erschöpft|schlapp|verkatert|kopfschmerzen|kopfweh|migräne|muskelkater)\b|" + ILL.pattern
)
UNDOES = re.compile(  # what is said, or a part of it
    r"\b(?:(?:is|are) over|joke|lie|exception|optional|excluded|excepted|disagrees?|too (?:many|often)"
    r"|vorbei|scherz|gelogen|ausnahme|ausgenommen|anders|zu (?:viel|viele|oft))\b"
)
HUSHED = re.compile(  # words that bar more than the action before them
    r"\b(?:alone|peace|disturb\w*|bother\w*|quiet|silen\w*|ping\w*|nudg\w*|suggest\w*|at all"
    r"|gar|überhaupt|ruhe|frieden|stör\w*|vorschl\w*)\b"
)
ELSE = re.compile(r"\b(?:else|other than|sonst|ander\w+|weiter\w*)\b")
STATES = re.compile(  # what takes place, and asks for nothing
    r"\b(?:is|are|we|i have|i'm|we're|there's|have|keep|visit|visits|comes|ist|sind|haben|hab|habe|gehen|gehe|geh|bin"
    r"|gibt|kommt|kommen|besucht)\b|'s\b"
)
POINTS_BACK = re.compile(r" *(?:das|davon|that|it)\b")
WISHES = re.compile(
    r"\b(?:i'd|we'd|would|want|wish|prefer|rather|hope|möcht\w*|will|woll\w*|hätt\w*|wünsch\w*|lieber|gern\w*|liebsten)\b"
)


@dataclass(slots=True)
class Reading:
    """The parts of a text read so far: its clauses, reasons set aside, and the times that were said last."""

    clauses: list[Part] = field(default_factory=list)
    pending: list[Part] = field(default_factory=list)
    aside: list[str] = field(default_factory=list)
    before: Part | None = None
    in_aside: bool = False
    at_event: bool = False  # what is set aside tells an event: "I'm tired after work"
    conditional: Part | None = None  # which must have times, since it holds "when" something is
    wanted: frozenset[ActionType] = frozenset()  # of what is set aside more is wished
    text: str = ""
    left: frozenset[int] = frozenset()  # the days named by what is set aside, and is no reason


def wishes(clause: str) -> bool:
    """Return True for a clause that asks for something, but not for "that I'd like to lose", of what was said."""
    return bool(WISHES.search(clause.lower())) and not POINTS_BACK.match(clause.lower())


def is_aside(part: Part, read: Reading, following: Sequence[Part]) -> bool:
    if part.joint in (K.WHY, K.WHEN):
        return _is_reason(part, read, following)
    _at_events(part, following)
    if _is_state(part, following) or (read.clauses and _is_remark(part, read.clauses[-1])):
        return True
    if not (part.words or part.loose):
        return False
    follows = following and (following[0].joint is K.THUS or following[0].by_then or hushes(following[0]))
    if part.has(K.TIMES) and read.clauses and read.clauses[-1].has(K.TIMES) and not part.of_others:
        raise NotUnderstood  # "ballet once a week and once something for my stamina"
    if part.is_fragment and not follows:
        raise NotUnderstood  # a "not" or a limit that is not used
    if part.loose and not (part.words or part.has_head) and read.clauses and read.clauses[-1].spans:
        return False
    if part.has_head or part.times or part.counts or part.flags or part.beside:
        _check_background(part)
        if part.days and part.spans and read.clauses and not part.of_others:
            raise NotUnderstood  # "weekends I'll risk half past eleven"
        if (part.actions or part.is_short) and part.times and not follows and not part.meters:
            raise NotUnderstood  # it may be a wish too
    return True


def depends(part: Part, following: Sequence[Part]) -> bool:
    """Return True for a veto with unknown words before the limit that they come to: "so not before ten"."""
    if not (part.nots and part.actions and part.words and part.text and following) or part.times or part.counts:
        return False
    limit = following[0]
    firm = limit.nots or limit.has(K.ONLY) or any(span[0] in (K.LATEST, K.EARLIEST) for span in limit.spans)
    return bool(firm and limit.times) and limit.joint is K.THUS and not (limit.has_head or limit.words)


def _is_remark(part: Part, last: Part) -> bool:
    """Return True for a remark on the wish before it. "That is all I can" turns a count into a maximum."""
    if part.kinds == [K.ACTION, K.FINE] and part.actions == last.actions and last.nots and not last.times:
        return True  # "no running, cycling is fine"
    hushed = last.nots and last.actions == ALL and last.times
    if hushed and part.kinds == [K.THEN, K.ACTION] and part.joint is not K.THUS:
        return True  # "don't disturb me from one to two, I nap then"
    if part.kinds == [K.ACTION, K.THEN] and part.subject and last.nots and last.times:
        return True  # "no sport from seven to eight, we cook then"
    if (
        part.kinds == [K.ACTION]
        and part.joint in (K.COMMA, K.CUT)
        and (part.subject or hushed)
        and not names_work(part)
    ):
        return True  # "not on Mondays, I have class"
    if part.subject == OTHERS and part.days and last.days and not (part.words or last.has(K.FREE)):
        raise NotUnderstood  # "no tv on workdays, that is Wednesday to Sunday"
    if (
        part.of_others
        and part.words
        and not DENIES.intersection(part.words)
        and not (part.times and not (last.times or last.counts))
    ):
        return True
    wished = is_limit(part) or part.has(K.FINISH, K.START, K.LASTS) or (part.actions == WORK and part.subject != ME)
    wished |= bool(part.actions) and (part.flags.get(K.THEN) == INSTEAD or part.has(K.BEST))  # "then gladly yoga"
    follows = part.actions and part.flags.get(K.THEN, INSTEAD) != INSTEAD and not (part.words or part.subject == ME)
    if last.has(K.FINISH) and last.spans and follows and not wished:
        part.flags[K.THEN], part.beside = AFTERWARDS, []
        return False  # "work ends at five, then it's time for the kids"
    told = part.joint is not K.THUS and not part.has(K.FREE)
    if part.kinds == [K.THEN, K.ACTION] and told and not (wished or part.subject or part.words):
        raise NotUnderstood  # "deep work, then a walk"
    return part.kinds[:1] == [K.THEN] and told and not wished  # "then I have lectures"


def _is_state(part: Part, following: Sequence[Part]) -> bool:
    """Return True for "I am up at two", if it is only the reason for what follows."""
    if part.kinds != [K.UP, K.SPAN] or not following:
        return False
    return (following[0].joint is K.THUS and following[0].has_head) or part.spans[0][1][0] < EARLIEST_UP


def _is_reason(part: Part, read: Reading, following: Sequence[Part]) -> bool:
    """Return True for a reason. Raises NotUnderstood if the part is a condition or a limit."""
    timed = any(one.times and not one.has_head for one in following)
    if part.joint is K.WHEN and not (read.clauses and (read.clauses[-1].times or timed)):
        raise NotUnderstood
    if part.is_else and (part.nots or part.times or part.counts) and not part.words:
        raise NotUnderstood  # "else at five" says when, and gives no reason
    if (part.nots and part.has_head and not part.words) or part.has(K.BUT):
        raise NotUnderstood
    last = read.clauses[-1] if read.clauses else part
    of_somebody = part.kinds == [K.ACTION] and part.actions <= COMPANY and part.is_for
    if of_somebody and last.actions not in (ALL, WORK) and last.actions and not last.actions <= COMPANY:
        raise NotUnderstood  # "sport on Mondays for my son"
    if part.joint is K.WHEN:
        read.conditional = read.clauses[-1]
    return True


def _check_background(part: Part) -> None:
    says = part.has_head or part.times or part.counts
    limits = (LIMITS | {K.EVERY, K.FINISH, K.START} if says else set()) | {K.LASTS, K.AGAIN, K.BACK, K.MOST, K.LEAST}
    limits |= set() if part.meters else {K.WEIGHT}
    if (
        (part.times and CHANGES.intersection(part.words))
        or ((part.has_head or part.is_short) and any(kind is K.DETAIL for kind, _ in part.beside))
        or part.flags.keys() & limits
        or (part.nots and (part.has_head or DENIES.intersection(part.words)))
        or (part.counts and part.has_head)
    ):
        raise NotUnderstood


def _at_events(part: Part, following: Sequence[Part]) -> None:
    """Read "after dinner, say at eight" and "after dinner at eight" as after eight."""
    if not EVENTS.intersection(part.loose):
        return
    relation = next((one for one in reversed(part.loose) if one not in EVENTS), None)
    if part.edge and part.loose == [K.DURING] and not any(one.spans for one in (part, *following)):
        _beside_work(part)
        return
    timed = (
        part if part.spans else following[0] if following and following[0].spans and not following[0].has_head else None
    )
    if timed is not None and relation is None and timed.spans[0][2] is not None:
        relation = K.BETWEEN  # "in daylight, nine to four"
    relation = relation or (timed.spans[0][0] if timed is not None and timed.spans[0][0] is not K.AT else None)
    if timed is None or relation is None or part.words or timed.words:
        return
    timed.spans = [
        (_relation(relation), _of_meal(begin, relation), end)
        if kind is K.AT or relation is K.EARLIEST
        else (kind, begin, end)
        for kind, begin, end in timed.spans
    ]
    part.loose = []


def _beside_work(part: Part) -> None:
    """Read "a walk after work" as one in the hours after it, where no hour is told. A limit needs one."""
    begin, end = WORK_EDGES[part.edge]
    if common(part.parts, [(time(begin), time(end))]):
        part.parts = []  # "in the morning before work"
    if part.actions and not (part.words or part.parts or part.nots or part.has(K.ONLY, K.FINISH, K.START, K.BED, K.UP)):
        part.spans, part.loose = [(K.BETWEEN, (begin, 0, 1), (end, 0, 1))], []


def _of_meal(clock: Clock, relation: Kind) -> Clock:
    """Return the clock time after which something is wished, widened by a meal if a meal is at that time."""
    return (*clock[:2], MEAL) if clock[2] and relation is K.AFTER else clock


def _relation(kind: Kind) -> Kind:
    if kind not in (K.BETWEEN, K.BEFORE, K.AFTER, K.TO, K.LATEST, K.EARLIEST):
        raise NotUnderstood
    return kind


def hushes(part: Part) -> bool:
    """Return True for "don't disturb me", at the times said before it."""
    return not set(part.kinds) - {K.NOT, K.THEN} and part.flags.get(K.NOT) == "nothing"


def is_limit(part: Part) -> bool:
    return bool(part.nots or part.flags.keys() & LIMITS)


def set_aside(part: Part, read: Reading) -> None:
    if (
        ASKED.search(part.clause)
        or (read.clauses and UNDOES.search(part.clause.lower()))
        or _begins_unread(part)
        or part.kinds == [K.DAY, K.FREE]
        or _is_unsaid(part)
        or (part.joint in (K.CUT, K.AND, K.OR) and read.clauses and "" in part.words and not part.subject)
        or (part.joint not in (K.WHY, K.WHEN) and read.clauses and wishes(part.clause))
    ):
        raise NotUnderstood  # "weights in the morning and cardio after work", "a ride but be back for lunch"
    read.in_aside = True
    read.at_event |= bool(EVENTS.intersection(part.loose))
    part.text = _of_night(part, read) if part.has(K.UP, K.BED) and part.times else part.text
    read.wanted |= part.actions if CHANGES.intersection(part.words) and not part.nots else frozenset()
    if part.text and part.text not in read.aside:
        read.aside.append(part.text)
    if part.joint not in (K.WHY, K.WHEN):
        read.left |= part.days
    if part.times:
        read.before = part


def _begins_unread(part: Part) -> bool:
    """Return True for a part of the day with an unknown hour: "after eightish in the evening"."""
    three = zip(part.kinds, part.kinds[1:], part.kinds[2:], strict=False)
    return any(one in EDGES and beside == [K.WORD, K.PART] for one, *beside in three)


def _of_night(part: Part, read: Reading) -> str:
    """Return the whole clause that says when somebody gets up, not only its unknown words."""
    if part.text:
        at = read.text.index(part.text)
        return (FIRST.split(read.text[:at])[-1] + FIRST.split(read.text[at:])[0]).strip()
    if read.clauses or read.pending:
        raise NotUnderstood
    told = ENDED.split(read.text.partition(read.aside[-1])[2], maxsplit=1)[-1] if read.aside else read.text
    if not (clause := FIRST.split(told, maxsplit=1)[0].strip()):
        raise NotUnderstood
    return clause


def _is_unsaid(part: Part) -> bool:
    """Return True for a clause that may be a wish and that would be dropped without a word."""
    could = (
        (part.loose and (part.actions or part.words))
        or EVENTS.intersection(part.loose)
        or part.flags.keys() & (HEADS - {K.FREE})
    )
    return bool(could) and not any(part.words) and not part.times and part.joint not in (K.WHY, K.WHEN)


def leave(last: Part, read: Reading) -> None:
    """Set a clause aside that is only the reason for a wish. If it came first, its words are kept to be shown."""
    told = FIRST.split(read.text, maxsplit=1)
    read.aside += told[:1] if len(told) > 1 and read.clauses == [last] else []
    read.clauses = [clause for clause in read.clauses if clause is not last]


def is_ground(last: Part, part: Part, read: Reading) -> bool:
    """Return True for a reason such as "I work best at night, so" or "in the evening I switch off, so"."""
    if last.actions == WORK and last.has(K.BEST):
        return True
    if last.has(K.START, K.FINISH) and read.clauses == [last] and re.match(r"(?i)(?:i|ich|we|wir)\b", read.text):
        return not (is_limit(last) or part.actions == WORK)  # "I start at six, so in bed by nine"
    told = bool(last.actions) and not (is_limit(last) or last.counts or last.flags.keys() - {K.THEN})
    return told and bool(part.nots and part.times) and not part.actions & last.actions


def share_times(part: Part, following: Sequence[Part]) -> None:
    """Give the days of "the shop is open Tuesday to Friday, ten to six" to its hours, or its hours to the days."""
    beside = following[0] if following else part
    if beside.kinds == [K.SPAN] and part.days and not part.spans:
        beside.days = part.days
    elif is_days(beside) and part.spans and not part.days:
        beside.spans = list(part.spans)


def names_work(part: Part) -> bool:
    """Return True for "that is my working time"."""
    return part.kinds == [K.ACTION] and part.actions == WORK and part.subject == OTHERS


def is_free_of(part: Part, work: Part) -> bool:
    """Return True for hours that "are free" beside those of work, which may be free of work alone."""
    told = part.flags.get(K.FREE) == FREE and not part.actions and bool(part.parts or part.spans)
    return told and work.actions == WORK and not (work.nots or work.has(K.FREE))


def is_days(part: Part) -> bool:
    return K.DAY in part.kinds and not set(part.kinds) - {K.DAY, K.AND, K.COMMA}


def is_entry(last: Part, part: Part, read: Reading) -> bool:
    """Return True for an event: "book club on Thursday evenings", "Sunday is our family day"."""
    if part.by_then and last.actions and (last.parts or last.spans) and not last.flags:
        return True
    if ELSE.search(read.text.lower()) or not last.actions or not last.times or last.flags.keys() - {K.BEST}:
        return False
    return states(read.text)


def states(text: str) -> bool:
    """Return True for a text whose first clause says what takes place."""
    return STATES.search(FIRST.split(text, maxsplit=1)[0].lower()) is not None
