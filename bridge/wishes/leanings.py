"""Understand what is wanted more or less, without a number: "more sport, less tv", "lieber lesen als fernsehen"."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

from bridge.wishes.hours import NotUnderstood
from bridge.wishes.lexicon import ALL, WORK
from bridge.wishes.occasions import occasion
from bridge.wishes.phrasings import bare, named_in
from bridge.wishes.said import Said
from bridge.wishes.slots import POLARITY
from rhythm_env.interface import ActionType

JOINT = re.compile(
    r"(?:[,;.]| [-–])? ?\b(?:and|but|und|aber|dafür|instead|stattdessen|rather)\b "
    r"(?:(?:lieber|rather|instead|dafür|also|auch) )?|[,;.] "
)
WISHES = (
    r"(?:(?:please|bitte|just|really|again|wieder|gern\w*|mal|etwas|ein bisschen|ein wenig|a bit|a little|much|viel"
    r"|deutlich|noch) )*"
)
LEADS = (
    r"(?:(?:i(?:'d| would)? (?:really )?(?:like|love|want|wish|need|prefer)(?: to (?:have|do|get|make|find|spend))?"
    r"|i (?:should|must|need to|have to|want to|would like to)(?: do| get| have| make)?|let me (?:have|do|get)|give me"
    r"|suggest(?: me)?|plan(?: in)?|make|spend|try to"
    r"|ich (?:will|möchte|mag|würde|hätte|brauche|bräuchte|wünsche mir|soll|sollte|muss|müsste)|gib mir|schlag mir"
    r"|schlag|plane?|mach) )?"
)
MORE = r"(?:more(?: of| often)?|mehr|öfter(?: mal)?|häufiger)"
LESS = (
    r"(?:less(?: of| often)?|fewer|not (?:so|that|as|quite so) (?:much|many|often)|weniger"
    r"|nicht (?:so|ganz so) (?:viel\w*|oft|häufig)|seltener)"
)
ENDS = (
    r"(?: (?:again|please|bitte|wieder|vor(?:schlagen)?|machen|treiben|haben|verbringen|in my life|than now|als jetzt"
    r"|als bisher|too|auch))*"
)
ONE = re.compile(rf"^{WISHES}{LEADS}{WISHES}(?:(?P<more>{MORE})|(?P<less>{LESS})) (?P<what>[^,;.:]+?){ENDS}$")
LAST = re.compile(
    rf"^{WISHES}{LEADS}{WISHES}(?P<what>[^,;.:]+?) (?:(?:a bit|much|etwas|wieder|viel) )?"
    rf"(?P<of>more(?: often)?|less(?: often)?|öfter|häufiger|seltener|mehr|weniger){ENDS}$"
)
MIXED = re.compile(rf"^{WISHES}{LEADS}mich {WISHES}(?P<of>mehr|weniger) (?P<what>bewegen)$")
RATHER = re.compile(
    r"^(?:i(?:'d| would)? (?:rather |prefer (?:to )?)|rather |prefer |ich (?:will |würde |möchte |mag )?lieber "
    r"|lieber )(?P<what>[^,;.:]+?) (?:than|over|instead of|als|statt|anstatt) (?P<than>[^,;.:]+)$"
)
OTHERS = re.compile(r"\b(?:more|mehr) than\b|\bmehr als\b|\b(?:no|any) ?more\b|\b(?:nicht|kein\w*) mehr\b")
TIME_OF = re.compile(
    r"^(?:time|zeit) (?:for|with|on|to|mit|für|zum) (?:my |the |meinen? |meinem |der |den |dem |die )?"
)


def leanings(text: str, language: str, today: date | None) -> tuple[Said, ...]:
    """Return the wishes for more or less of actions, or none if any part of the text is another wish."""
    try:
        rest, when = (text, None) if today is None else occasion(text, language, today)
        said = _leanings(bare(rest), language)
    except NotUnderstood:
        return ()
    actions = [one.actions for one in said]
    if sum(map(len, actions)) > len(frozenset[ActionType]().union(*actions)):
        return ()  # "more sport and less sport"
    return tuple(replace(one, when=when) for one in said)


def _leanings(plain: str, language: str) -> tuple[Said, ...]:
    if OTHERS.search(plain):
        raise NotUnderstood
    if (rather := RATHER.match(plain)) is not None:
        return _said(rather["what"], 1, language), _said(rather["than"], -1, language)
    return tuple(_one(part, language) for part in JOINT.split(plain))


def _one(part: str, language: str) -> Said:
    told = ONE.match(part.strip()) or MIXED.match(part.strip()) or LAST.match(part.strip())
    if told is None:
        raise NotUnderstood
    groups = told.groupdict()
    less = bool(groups.get("less")) or re.search(r"less|seltener|weniger", groups.get("of") or "") is not None
    return _said(told["what"], -1 if less else 1, language)


def _said(what: str, number: int, language: str) -> Said:
    """Return the wish for more or less of what a text names as a whole, and not of one kind of it."""
    what = what.strip()
    texts = () if POLARITY.search(what) else (what, TIME_OF.sub("", what))
    actions = next(
        (found for text in texts if (found := named_in(text, language, kinds=True))), frozenset[ActionType]()
    )
    if not actions or actions & {ActionType.SLEEP} or actions in (WORK, ALL) or len(actions) > 2:
        raise NotUnderstood
    of = "" if any(named_in(text, language) for text in texts) else what
    return Said(kind="more", actions=actions, number=number, of=of)
