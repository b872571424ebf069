"""Leave out what a text only tells beside its wish, with the days or hours of it kept where the wish points to them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from itertools import combinations

from bridge.wishes.events import BEFORE_BED, timed
from bridge.wishes.hours import NotUnderstood
from bridge.wishes.lexicon import Kind
from bridge.wishes.occasions import occasion
from bridge.wishes.reasons import ASKED, UNDOES, WISHES
from bridge.wishes.slots import POLARITY, Part, parts_of

K = Kind
Left = tuple[str, tuple[str, ...]]  # what is left of a text, and what is left out
CLAUSES_MAX = 6
SOME_DAY = date(2026, 1, 5)  # by which days are recognised, and not counted
JOINT = re.compile(
    r"\s*(?:[,;!?]+|(?<!\d)\.(?![\d.])|:(?!\d)|\s[-–—]+(?=\s))\s*"
    r"|\s+(?=(?:because|cause|cos|coz|cuz|weil|denn|so|as i|as we|since i|since we|since my)\s)"
)
LEAD = re.compile(r"(?:and |und |so |also |therefore |deshalb |darum |deswegen |daher )+")
WHY = re.compile(r"^(?:and |und |but |aber )?(?:because|cause|cos|coz|cuz|weil|denn|as|since) ")
TELLS = re.compile(  # what a statement begins with
    r"^(?:(?:otherwise|else|because|cause|cos|weil|denn|since|as|sonst|mehr|da|dann|dort|there|then|now|jetzt"
    r"|vorher|until"
    r"|at the moment|egal|no matter) )*(?:i|i'm|i've|i'll|im|ive|we|we're|we've|he|she|they|it|it's|its|that's"
    r"|thats|that is"
    r"|this is|there's|there is|my|our|the|his|her|doctor|physio|how|wie|was|ich|wir|er|sie|es|mein\w*|unser\w*"
    r"|der|die|das"
    r"|mir|mich|uns|bin|hab|habe|ist|sind|hat"
    r"|(?!(?:vor|nach|für|mit|von|bei|an|auf|in|zu|um|über|unter|gegen|und|oder|also|bitte|nur|sag|gib|lass|zeig"
    r"|mach|schick"
    r"|kannst|will|möchte|erinner\w*|schreib|ruf|hilf|bring|plan|kein\w*|nie|nicht|ohne)\b)\w+ (?:ich|wir|mich"
    r"|mir|uns|mein|meine|unser|unsere))\b"
)
ONCE = re.compile(  # what happens on one day
    r"\b(?:race|match|travel\w*|flight|fly|flying|wedding|funeral|interview|surgery|operation|dentist|doctor"
    r"|moving|exam|test"
    r"|party|appointment|birthday|marathon|blood|visitors|guests|wettkampf|rennen|reise|verreise|flug|fliege\w*"
    r"|hochzeit"
    r"|beerdigung|operiert|zahnarzt\w*|arzt\w*|umzug|ziehe|prüfung|klausur|feier|geburtstag|blut|besuch|gäste|abgabe)\b"
)
HABIT = re.compile(r"\b(?:every|each|always|usually|jede\w*|immer|stets|\w+days|\w+tags|mittwochs)\b")
A_DAY = {
    "en": re.compile(
        r"\b(?<!this )(?<!next )on (?=(?:mon|tues|wednes|thurs|fri|satur|sun)day\b(?! (?:morn|after|even|night)))"
    ),
    "de": re.compile(
        r"\bam (?=(?:(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch)\b(?! (?:morgen|vorm|nachm|abend|früh)))"
    ),
}
COMING = {"en": "this coming ", "de": "kommenden "}
OVER = re.compile(  # what is over, and not the wish, or too much for somebody
    r"^(?:the|my|our|der|die|das|mein\w*|unser\w*) (?!rule|wish|limit|ban|regel|wunsch)\w+ (?:is|are|ist"
    r"|sind) (?:over|vorbei)$"
    r"|^mir (?:ist|wird) .*zu viel$"
)
GROUND = re.compile(
    r"^(?P<said>(?:wegen|aufgrund|because of|due to) (?:(?:der|des|dem|meine[rs]|the|my) )?\w+),? (?P<rest>.+)$"
)
ELSE = re.compile(r"^(?:otherwise|else|sonst) ")
DENIES = re.compile(
    r"^(?:otherwise|else|sonst|or i|no matter|egal)\b|\b(?:can't|cannot|can not|kann|schaffe?|couldn't)\b"
)
VERBLESS = re.compile(r"^(?:i|we|ich|wir|my|our|the|der|die|das)(?: \w+)?$")
LIMITS = re.compile(  # what may turn a wish round, or be one more
    r"\b(?:if|unless|until|till|except|only|first|whenever|wenn|falls|sofern|sobald|solange|außer|nur|zuerst|erst|bis"
    r"|instead|rather|too|also|either|neither|likewise|statt|stattdessen|auch|ebenso|dafür|trotzdem|still|maybe|perhaps"
    r"|vielleicht|joke|kidding|mistake|true|opposite|stimmt|gegenteil|scherz|fine|okay|ok|allowed|enough|reicht"
    r"|like|love|enjoy|hate|mag|liebe|hasse"
    r"|may|should|must|darf|dürfen|soll|sollen|sollte|muss|müssen"
    r"|nothing|nobody|nichts|nix|niemand\w*|else|anderes|at least|at most|mindestens|höchstens|maximal|max)\b"
)
NONE = re.compile(
    r"\b(?:if|unless|except|only|wenn|falls|außer|nur|no|not|never|nothing|kein\w*|nie|nichts|nix)\b(?! concentrate)"
)
TERM = re.compile(  # for which a statement may hold, and the wish beside it
    r"\b(?:(?:this|next|coming|diese\w*|nächste\w*|kommende\w*) \w+|today|tomorrow|heute|morgen|übermorgen|gerade"
    r"|grad|zurzeit"
    r"|at the moment|right now|\d{1,2}\.|\d{1,2}(?:st|nd|rd|th)|(?:in|im) (?:january|february|march|april|may"
    r"|june|july|august"
    r"|september|october|november|december|januar|februar|märz|mai|juni|juli|oktober|dezember))(?=$|\W)"
    r"|\b\d{1,2} (?:january|february|march|april|may|june|july|august|september|october|november|december)\b"
)
SAYS_WHICH = re.compile(r"^(?:that|this|it|which|das|es)(?:'s| is| are|s| ist| sind| heißt)\b")
POINTS = re.compile(
    r"\b(?:then|there|that|those|these|instead|dann|danach|dort|dabei|vorher|nachher|davor|dahin|damit|da|darin"
    r"|it|es)\b"
)
THEN = re.compile(
    r",? \b(?:then|there|that day|(?:on|during|in) (?:that|those) (?:days?|time|week|hours?))$"
    r"|^(?:da|dann|then|dort|in der zeit|an dem tag|an den tagen|in dieser zeit)\b,? ?|(?<= )(?:also|dann|da) (?!ist\b)"
)
UNTIL = re.compile(r"\b(?:until|till|up to|by) then\b|\bbis (?:dahin|dann)\b")
A_DATE = re.compile(
    r"\b(?:on|in|at|am|im|is|ist) (?P<date>(?:the )?\d{1,2}(?:\.\d{1,2}\.?|\.|st|nd|rd"
    r"|th)?(?: of)?(?: [a-zäöü]{3,9})?(?=$|[ ,.;])"
    r"|(?:january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|märz|mai"
    r"|juni|juli|oktober|dezember)(?: \d{1,2}(?:st|nd|rd|th)?)?"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch)\b"
    r"|\b(?:this coming \w+day|kommenden \w+)\b"
)
FRAME = re.compile(  # days or hours that a statement begins with
    r"^(?:(?P<when>.+?),? (?=(?:i|i'm|i've|we|we're|my|our|it's|the \w+ (?:is|are))\b)"
    r"|(?P<when1>.+?) (?=\w+ (?:ich|wir|mein\w*|unser\w*|es|man)\b)"
    r"|(?P<when2>.+?) (?=(?:ist|sind|wird|kommt|kommen|war) \w+))"
)
I_WANT = re.compile(r"\b(?:brauche?|will|möchte|mag|hätte|habe?) (?:ich|wir)(?: gern| gerne)? ?")
NO = {"en": "no", "de": "kein"}  # beside which hours before bed are a limit
A_TIME = {K.TO_BED, K.DAY, K.PART, K.SPAN, K.AND, K.COMMA, K.EVENT, K.AFTER, K.BEFORE, K.DURING, K.EVERY, K.FROM}


def without_statements(text: str, language: str) -> Iterator[Left]:
    """Yield what is left of a text without some of its statements, first with the fewest of them left out."""
    if (ground := GROUND.match(text.lower())) is not None:
        yield ground["rest"], (ground["said"],)
    clauses = _clauses(text)
    if not 1 < len(clauses) <= CLAUSES_MAX:
        return
    points = THEN.search(clauses[-1].lower()) or LEAD.match(clauses[-1].lower()) or UNTIL.search(text.lower())
    told = [at for at, one in enumerate(clauses) if states(one, language, entry=bool(points) and at < len(clauses) - 1)]
    for size in range(1, min(len(told), len(clauses) - 1) + 1):
        for some in combinations(told, size):
            left = [one for at, one in enumerate(clauses) if at in some]
            kept = [one for at, one in enumerate(clauses) if at not in some]
            yield from _rest(kept, left, language)


def _rest(kept: list[str], left: list[str], language: str) -> Iterator[Left]:
    rest = ", ".join([LEAD.sub("", kept[0], count=1) if LEAD.match(kept[0].lower()) else kept[0], *kept[1:]])
    plain, told = rest.lower(), tuple(left)
    if UNTIL.search(plain):
        dates = [one["date"] for said in left for one in A_DATE.finditer(said.lower()) if one["date"]]
        if len(dates) == 1:
            yield UNTIL.sub(f"{'until' if language == 'en' else 'bis'} {dates[0]}", plain), told
        return
    when = frame(left[0], language) if len(left) == 1 else ""
    if when:
        core = " ".join(I_WANT.sub(" ", THEN.sub("", plain)).replace("nichts anderes", "nichts").split()).strip(" ,")
        core = re.sub(r"\b(?:anything|nothing) else\b", "nothing", core)
        parts, others = _names(when, language), _names(core, language)
        if not parts & others:
            yield f"{when} {core}", told
    dated = any(TERM.search(one.lower()) for one in left)
    if not (POINTS.search(plain) or dated or (when and not _names(plain, language))):
        yield rest, told


def _names(text: str, language: str) -> set[Kind]:
    """Return which of days, parts of the day and hours a text names."""
    try:
        parts = parts_of(text, language, with_meters=False)
    except NotUnderstood:
        return set()
    return {kind for part in parts for kind in part.kinds if kind in (K.DAY, K.PART, K.SPAN)}


def at_once(text: str) -> str:
    """Return "no sport this coming Saturday, I have a race" of a text that tells what happens on one day."""
    clauses, plain = _clauses(text), text.lower()
    told = [clause for clause in clauses if ONCE.search(clause.lower())]
    if not told or len(told) == len(clauses) or HABIT.search(plain) or UNTIL.search(plain):
        return text
    for language, day in A_DAY.items():
        found = [*day.finditer(plain)]
        begins = [text.index(clause) for clause in clauses if clause not in told and day.search(clause.lower())]
        at = next((one for one in found if begins and one.start() >= begins[0]), found[0] if found else None)
        if at is not None:
            return text[: at.start()] + COMING[language] + text[at.end() :]
    return text


def _clauses(text: str) -> list[str]:
    return [one for one in (one.strip() for one in JOINT.split(text.strip(" .!?"))) if one]


def states(clause: str, language: str, *, entry: bool = False) -> bool:
    """Return True for a clause that tells something, and neither wishes nor limits anything.

    An ``entry`` is one to whose days or hours a wish points: "on Wednesdays I teach until nine".
    """
    plain = clause.lower().replace("’", "'")
    bare = WHY.sub("", plain)
    if entry and frame(clause, language) and not (WISHES.search(plain) or ASKED.search(plain) or NONE.search(plain)):
        return True
    if re.fullmatch(r"[a-zäöüß]{5,}", plain) and not _names(plain, language):
        return not _is_known(plain, language)
    framed = frame(clause, language)
    if not (TELLS.match(plain) or TELLS.match(bare) or framed) or VERBLESS.match(bare):
        return False
    if (
        LIMITS.search(plain)
        or ASKED.search(re.sub(r"^otherwise ", "", plain))
        or UNDOES.search(OVER.sub("", plain))
        or WISHES.search(plain)
    ):
        return False
    try:
        parts = parts_of(plain, language, with_meters=False)
    except NotUnderstood:
        return True
    which = SAYS_WHICH.match(plain) and any(
        part.times for part in parts
    )  # "no tv on workdays, that is Wednesday to Sunday"
    return not which and not any(_limits(part, plain) for part in parts)


def _is_known(word: str, language: str) -> bool:
    try:
        return any(set(one.kinds) - {K.WORD} for one in parts_of(word, language, with_meters=False))
    except NotUnderstood:
        return True


def _limits(part: Part, plain: str) -> bool:
    """Return True for a part of a statement that could be a wish of its own, or take one back."""
    denies = part.nots or POLARITY.search(plain)
    if DENIES.search(plain) and not (part.times or part.counts or (part.actions and not ELSE.match(plain))):
        return False  # "otherwise I can't fall asleep"
    heads = part.has(K.BED, K.UP) and (part.times or part.counts or part.nots)
    heads = heads or part.has(K.FINISH, K.START, K.SUGGESTION, K.FREE, K.BACK, K.AGAIN, K.DROP, K.CLEAR, K.BUT)
    counts = part.has(K.ONLY, K.MOST, K.LEAST, K.ENOUGH, K.BEST, K.FINE, K.TIMES, K.PER, K.WEEKLY, K.LASTS, K.APART)
    return bool(heads or counts or (part.actions and (denies or not part.words)))


def frame(clause: str, language: str) -> str:
    """Return the days or hours that a statement begins or ends with, such as "after lunch", or nothing."""
    plain = WHY.sub("", clause.lower())
    told = FRAME.match(plain)
    when = told and (told["when"] or told["when1"] or told["when2"])
    if when and is_time(str(when), language):
        return str(when).rstrip(" ,")
    last = [one for one in A_DATE.finditer(plain) if one.end() == len(plain)]
    return last[0][0] if last and TELLS.match(plain) else ""


def is_time(text: str, language: str) -> bool:
    """Return True for a text that names only days or hours."""
    try:
        rest, when = occasion(text, language, SOME_DAY)
        parts = parts_of(rest, language, with_meters=False) if rest.strip(" ,") else []
        if parts and BEFORE_BED.search(timed(rest, language)):
            return parts_of(f"{NO[language]} {rest}", language, with_meters=False)[0].kinds == [K.NOT, K.TO_BED]
    except NotUnderstood:
        return False
    return (bool(parts) or when is not None) and all(part.kinds and set(part.kinds) <= A_TIME for part in parts)
