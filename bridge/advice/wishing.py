"""Understand what a user says in plain words, which is a wish or why a suggestion was refused."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from bridge.advice import feedback
from bridge.domain.errors import SetupError
from bridge.domain.languages import Text, _, say, shown
from bridge.domain.records import Feedback, Recommendation, User
from bridge.domain.slots import local_time, moment_at, slot_bounds, today_at
from bridge.domain.titles import ACTION_WORDS
from bridge.domain.wishes import Hours, Wishes
from bridge.wishes.merging import Conflict, conflicts
from bridge.wishes.said import BACK, Said, applied, clashing, replaced
from bridge.wishes.told import WISHED, sentence
from rhythm_env.interface import ActionType, Answer

if TYPE_CHECKING:
    from bridge.store import Store
    from bridge.wishes.hearing import Heard

TEXT_MAX = 300  # characters of a wish
UNREAD_MAX = 3  # words that are named
OTHER_DAYS = re.compile(  # that one is ill, away or on holiday
    r"\b(?:i['’ ]?a?m|ich bin|bin|we['’ ]a?re|wir sind)\b.*\b(?:ill|sick(?! of)|krank|away|unterwegs|verreist)\b"
    r"|\b(?:holidays?|vacation|urlaub|ferien|krankgeschrieben)\b",
    re.IGNORECASE,
)
MODES = {
    "ill": re.compile(r"\b(?:ill|sick|krank\w*)\b", re.IGNORECASE),
    "holiday": re.compile(r"\b(?:holidays?|vacation|urlaub|ferien)\b", re.IGNORECASE),
    "away": re.compile(r"\b(?:away|unterwegs|verreist)\b", re.IGNORECASE),
}
MORE_OR_LESS = say("say how often or how long, and not only more or less, like {examples}: {command}")
LACKING = {  # by what a text lacks to be a wish
    "shift": say("a wish knows days and hours, and no shifts; name them, like {examples}: {command}"),
    "end": say("say whether work or everything that is suggested ends by this hour, like {examples}: {command}"),
    "period": say(
        "a wish counts times a week and minutes of one time, and no times or hours of a day, week or month; say it "
        "like {examples}: {command}"
    ),
    "condition": say(
        "a wish holds on days and at hours, and not only if something is so; say it like {examples}: {command}"
    ),
    "rank": say(
        "a wish cannot put one thing above another; say how often or when each is wanted, like {examples}: {command}"
    ),
    "meeting": say(
        "meetings, calls and appointments stand in the calendar and are never suggested; a wish is about what is "
        "suggested, like {examples}: {command}"
    ),
    "more": MORE_OR_LESS,
    "less": MORE_OR_LESS,
    "bed": say("say whether you want to be in bed until this hour or from it on, like {examples}: {command}"),
}
ONLY_TIMES = say("this says when, and not what; say it like {examples}: {command}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A wish that was understood. ``wishes`` are all wishes of the user with the new one, without contradicted ones.

    ``aside`` are words that were taken for a reason and are not part of the wish.
    """

    said: tuple[Said, ...]
    wishes: Wishes
    replaced: tuple[Said, ...] = ()
    aside: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()

    def __str__(self) -> str:
        """Return what was understood, what it replaces and what it conflicts with, in the current language."""
        instead = _("instead of: {wish}", wish=sentence(self.replaced)) if self.replaced else ""
        beside = [_against(*conflict, self.said) for conflict in self.conflicts]
        return "; ".join(filter(None, (sentence(self.said, self.aside), instead, *beside)))


def _against(counts: Said, asks: Said, said: tuple[Said, ...]) -> str:
    new = any(one.kind == counts.kind and one.actions & counts.actions for one in said)
    old, first = sentence((asks if new else counts,)), sentence((counts,))
    return _('not fully beside your wish "{old}": where both cannot be, "{first}" counts', old=old, first=first)


def say_wish(store: Store, user: User, text: str, *, confirmed: bool, now: datetime) -> Wish:
    """Return the wish that a text in plain words means, and save it if ``confirmed``.

    Raises SetupError with examples if the text is not understood, or if the wish contradicts an earlier one or is
    without effect.
    """
    from bridge.wishes.hearing import heard
    from bridge.wishes.hours import NotUnderstood

    try:
        found = heard(text[:TEXT_MAX], today_at(now, user.zones))
    except NotUnderstood:
        raise SetupError(_not_understood(text[:TEXT_MAX], user, today_at(now, user.zones))) from None
    return _saved(store, user, found, confirmed=confirmed, now=now)


def _not_understood(text: str, user: User, today: date) -> Text:
    from bridge.wishes.examples import examples, halved, is_task, lacking, two_ways, unread

    if is_task(text, today):
        return say(
            "what is to be done once or by a day is a task, not a wish; write it into a task list or calendar: "
            "{command}",
            command="bridge sources",
        )
    if OTHER_DAYS.search(text):
        return say(
            'that days are different is not a wish: say ill, away or on holiday under "A different day" on Today, or: '
            "{command}",
            command=f"bridge mode {_mode(text, today)} --user {user.name}",
        )
    if two := halved(text, today):
        told = ", ".join(f'"{one}"' for one in two)
        return say(
            "say whether this hour is in the morning or in the evening, like {examples}: {command}",
            examples=told,
            command=f'bridge wish "TEXT" --user {user.name}',
        )
    command = f'bridge wish "TEXT" --user {user.name}'
    if ways := two_ways(text, today):
        one, other = (f'"{way}"' for way in ways)
        return say(
            "this may mean {one} or {other}; say it as you mean it: {command}", one=one, other=other, command=command
        )
    if asked := lacking(text):
        message = LACKING.get(asked[0], ONLY_TIMES).message
        return say(message, examples=", ".join(f'"{one}"' for one in asked[1]), command=command)
    said = {"examples": ", ".join(f'"{example}"' for example in examples(text)), "command": command}
    if words := unread(text):
        told = ", ".join(f'"{word}"' for word in words[:UNREAD_MAX])
        return say(
            "this is not understood as a wish, in English or German: {words} cannot be held or is not known; say it "
            "like {examples}: {command}",
            words=told,
            **said,
        )
    return say("this is not understood as a wish, in English or German; say it like {examples}: {command}", **said)


def _mode(text: str, today: date) -> str:
    """Return the mode that a text tells, with its days: "holiday --from 2026-12-12 --until 2027-01-03"."""
    from bridge.wishes.occasions import days_of

    mode = next((name for name, told in MODES.items() if told.search(text)), "ill")
    since, until = days_of(text, today)
    told = [f"--from {since}" if since is not None and since > today else "", f"--until {until}" if until else ""]
    return " ".join(filter(None, (mode, *told)))


def _saved(store: Store, user: User, said: Heard, *, confirmed: bool, now: datetime) -> Wish:
    before = store.people.wishes(user.id)
    for one, others in ((one, others) for one in said.said if (others := clashing(before, one))):
        raise SetupError(
            say(
                'you wish "{old}": with "{new}" nothing would be left; first take it back: {command}',
                old=sentence(others),
                new=sentence((one,)),
                command=f"bridge wish --user {user.name}",
            )
        )
    after, instead = applied(before, said.said), replaced(before, said.said)
    if after == before and all(one.kind in BACK for one in said.said):
        raise SetupError(
            say(
                'no wish that stands is taken back by "{new}"; see which ones do: {command}',
                new=sentence(said.said),
                command=f"bridge wish --user {user.name}",
            )
        )
    beside = conflicts(before, said.said)
    found = Wish(said=said.said, wishes=after, replaced=instead, aside=said.aside, conflicts=beside)
    if confirmed:
        store.people.save_wishes(user.id, found.wishes, now=now)
    return found


class Because(StrEnum):
    NOT_TODAY = "not-today"
    WRONG_TIME = "wrong-time"
    NEVER = "never"
    SOMETHING_ELSE = "something-else"


BECAUSE_WORDS = {
    Because.NOT_TODAY: say("Not today"),
    Because.WRONG_TIME: say("Wrong time"),
    Because.NEVER: say("Never this"),
    Because.SOMETHING_ELSE: say("Something else"),
}

SAID_WORDS = {  # the reasons as a page repeats them
    "not-today": say("not today"),
    "wrong-time": say("not at this time"),
    "wrong-time-today": say("not at this time, today"),
    "never": say("never"),
    "never-today": say("not today"),
    "something-else": say("something else"),
}


def parse_because(text: str, user: User) -> Because:
    """Return the reason for a refusal that a typed word names. Raises SetupError for another word."""
    word = text.strip().lower().replace("_", "-").replace(" ", "-")
    word = "never" if word == "never-this" else word
    if word not in set(Because):
        raise SetupError(
            say(
                "{word} is not a reason; say {reasons}: {command}",
                word=repr(text),
                reasons=", ".join(Because),
                command=f"bridge feedback ignore --because not-today --user {user.name}",
            )
        )
    return Because(word)


def refuse(store: Store, user: User, number: int, why: Because, *, now: datetime, only_today: bool = False) -> str:
    """Store that a recommendation is refused and why, and return a sentence on what follows.

    ``NOT_TODAY`` pauses the action or task for today, ``WRONG_TIME`` bars the action from this part of the day, and
    ``NEVER`` bars it, the last two only for today if ``only_today``. Raises SetupError if it is too late to change.
    """
    with store.transaction():
        found = feedback.give_feedback(store, user, number, Feedback(answer=Answer.IGNORE), now=now)
        before = store.people.preferences(user.id).answered  # of which an earlier reason is left out
        kept = [one for one in before if one[0] != feedback.REFUSED or one[1].split()[0] != str(number)]
        said = (feedback.REFUSED, f"{number} {why}" + " today" * only_today, today_at(now, user.zones))
        store.people.change_preferences(user.id, answered=(*kept, said), now=now)
        if is_night(found):
            return say('for another bedtime, say a wish such as "lights out by 22:30"')
        if why is Because.NOT_TODAY or (why is Because.NEVER and only_today):
            return _rest(store, user, found, now)
        rule = lasting(found, user, why)
        if rule is None:
            return say("here is the next idea")
        if only_today:
            end, begin = _other_hours(found, user)
            what = found.what or shown(ACTION_WORDS[found.action])
            return say("not today between {begin:%H:%M} and {end:%H:%M}: {what}", begin=begin, end=end, what=what)
        from bridge.wishes.hearing import Heard

        _saved(store, user, Heard(said=(rule.said,)), confirmed=True, now=now)
    return sentence((rule.said,))


def is_night(advice: Recommendation) -> bool:
    return advice.action is ActionType.SLEEP and advice.kind != "suggested"


def refusals(store: Store, user: User) -> dict[int, Text]:
    """Return recommendation number -> reason, for the recommendations that the user refused with a reason."""
    said = [about.split() for kind, about, _ in store.people.preferences(user.id).answered if kind == feedback.REFUSED]
    return {int(number): SAID_WORDS["-".join(words)] for number, *words in said if "-".join(words) in SAID_WORDS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A lasting wish that follows from the reason of a refusal. ``told`` is a sentence on what the wish does."""

    said: Said
    told: Text


def lasting(advice: Recommendation, user: User, why: Because) -> Rule | None:
    """Return the lasting wish that a reason for a refusal means, or None if the reason holds only today."""
    if is_night(advice):
        return None  # nobody can do without, and what holds for sleep is a wish about naps
    action, named = frozenset({advice.action}), shown(WISHED.get(advice.action, ACTION_WORDS[advice.action]))
    if why is Because.NEVER:
        return Rule(said=Said(kind="never", actions=action), told=say("from now on no {what} at all", what=named))
    if why is not Because.WRONG_TIME:
        return None
    end, begin = _other_hours(advice, user)
    hours = {"begin": f"{begin:%H:%M}", "end": f"{end:%H:%M}"}
    return Rule(
        said=Said(kind="hours", actions=action, hours=((end, begin),), narrows=True),
        told=say("from now on no {what} between {begin} and {end}", what=named, **hours),
    )


def undoing(before: Wishes, rule: Rule, user: User) -> str:
    """Return the command that restores the wishes ``before`` the wish ``rule`` changed them."""
    (action,) = rule.said.actions
    if rule.said.kind == "never":
        word = shown(WISHED.get(action, ACTION_WORDS[action]))
        return f'bridge wish "{word} again" --yes --user {user.name}'
    hours = ", ".join(f"{low:%H:%M}-{high:%H:%M}" for low, high in before.hours.get(action, ())) or "none"
    return f'bridge wish --hours "{action} {hours}" --user {user.name}'


def _rest(store: Store, user: User, found: Recommendation, now: datetime) -> Text:
    today = today_at(now, user.zones)
    before = [one for one in store.people.preferences(user.id).resting if one[2] >= today]
    what = found.what or ""
    store.people.change_preferences(user.id, resting=(*before, (str(found.action), what, today)), now=now)
    return say("no more today: {what}", what=what or shown(ACTION_WORDS[found.action]))


def _other_hours(found: Recommendation, user: User) -> Hours:
    moment = found.moment if found.start is None else moment_at(found.start, user.zones)
    begin, end = (local_time(at, user.zones).time() for at in slot_bounds(moment, user.zones))
    return end, begin
