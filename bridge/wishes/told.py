"""Write wishes as sentences in the current language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import time

from bridge.domain.languages import MONTHS, Text, _, date_text, joined, number, say, say_many, shown
from bridge.domain.occasions import Occasion
from bridge.domain.titles import ACTION_WORDS, METER_WORDS
from bridge.domain.wishes import Hours
from bridge.wishes.lexicon import ALL, WORK
from bridge.wishes.said import Said
from rhythm_env.interface import ActionType

WORKDAYS, DAYS = 5, 7
DATE = "%-d %B %Y"
EACH = (  # day of every week, and not one of them only
    say("Mondays"),
    say("Tuesdays"),
    say("Wednesdays"),
    say("Thursdays"),
    say("Fridays"),
    say("Saturdays"),
    say("Sundays"),
)
WISHED = {  # as they are wished, where the words of suggestions are a person's own
    ActionType.LEARN: say("learning"),
    ActionType.SLEEP: say("naps"),
    ActionType.MEDITATE: say("meditation"),
    ActionType.ADMIN_WORK: say("office work and errands"),
}


def sentence(said: Sequence[Said], aside: Sequence[str] = ()) -> str:
    """Return wishes as a sentence in the current language, such as "exercise not before 09:00".

    ``aside`` are the reasons that were set aside. The sentence names them, too.
    """
    told = [_told(one) for one in _as_one(said)]
    if aside:
        told.append(_('left aside: "{texts}"', texts='", "'.join(aside)))
    return "; ".join(told)


def _as_one(said: Sequence[Said]) -> list[Said]:
    """Return wishes with equal shortest and longest times of an action merged into one exact time."""
    exact = {(one.actions, one.number) for one in said if one.kind == "longest"}
    exact &= {(one.actions, one.number) for one in said if one.kind == "shortest"}
    found = [one for one in said if one.kind != "shortest" or (one.actions, one.number) not in exact]
    return [replace(one, kind="exactly") if (one.actions, one.number) in exact else one for one in found]


def _told(one: Said) -> str:
    told = shown(_of_few(one) if one.kind in ("fewer", "spare", "without") else _phrase(one))
    return told if one.when is None else _("{wish}, {days}", wish=told, days=on_occasion(one.when))


def _phrase(one: Said) -> Text:
    named = joined([shown(word) for word in _named(one)])
    match one.kind:
        case "shortest" | "longest" | "exactly" | "asleep" | "apart":
            return _lasts(one, named)
        case "minutes_daily" | "times_daily" | "before_bed" | "more":
            return _of_a_day(one, named)
        case "goal" | "most":
            return _often(one, named)
        case "days":
            return _on_days(one.days, named)
        case "hours":
            return _hours(one, named)
        case "best":
            return _best(one, named)
        case "barred" | "open":
            return _some_days(one, named)
        case "bed" | "earliest" | "up" | "rest" | "weight":
            return _of_one(one)
        case "suggestions" | "few":
            return _so_many(one)
    return _on_the_whole(one.kind, named)


def _so_many(one: Said) -> Text:
    count = int(one.number)
    if one.kind == "few":
        return say_many(
            "at most one suggestion from {hours}",
            "at most {count} suggestions from {hours}",
            count,
            hours=_spans(one.hours),
        )
    return say_many("at most one suggestion a day", "at most {count} suggestions a day", count)


def _often(one: Said, named: str) -> Text:
    count = int(one.number)
    if one.kind == "most":
        return say_many("{actions} at most once a week", "{actions} at most {count} times a week", count, actions=named)
    if one.bound:
        return say_many(
            "{actions} at least once a week", "{actions} at least {count} times a week", count, actions=named
        )
    return say_many("{actions} once a week", "{actions} {count} times a week", count, actions=named)


def _hours(one: Said, named: str) -> Text:
    (begin, end), *more = one.hours
    if not more and begin > end > time(0) and one.actions != WORK:  # "not from 12:00 to 13:00" is shorter
        return say("{actions} not from {hours}", actions=named, hours=_spans([(end, begin)]))
    if not more and begin == time(0):
        return say("{actions} not after {time}", actions=named, time=f"{end:%H:%M}")
    if not more and end == time(0):
        return say("{actions} not before {time}", actions=named, time=f"{begin:%H:%M}")
    return say("{actions} only from {hours}", actions=named, hours=_spans(one.hours))


def _lasts(one: Said, named: str) -> Text:
    minutes = int(one.number)
    if one.kind == "apart":
        return say_many(
            "{actions} with a free day between two times",
            "{actions} with {count} free days between two times",
            int(one.number),
            actions=named,
        )
    if one.kind == "asleep" and one.bound:
        return say("at least {hours} hours in bed, of which a little less is sleep", hours=number(one.number / 60, "g"))
    if one.kind == "asleep":
        return say("at least {hours} hours in bed", hours=number(one.number / 60, "g"))
    if one.kind == "shortest":
        return say("{actions} at least {minutes} minutes at a time", actions=named, minutes=minutes)
    if one.kind == "longest":
        return say("{actions} at most {minutes} minutes at a time", actions=named, minutes=minutes)
    return say("{actions} {minutes} minutes at a time", actions=named, minutes=minutes)


def _of_a_day(one: Said, named: str) -> Text:
    count = int(one.number)
    match one.kind:
        case "minutes_daily":
            return say("{actions} at most {minutes} minutes a day", actions=named, minutes=count)
        case "times_daily":
            return say_many(
                "{actions} at most once a day", "{actions} at most {count} times a day", count, actions=named
            )
        case "before_bed":
            return say("{actions} not in the last {minutes} minutes before bedtime", actions=named, minutes=count)
    return say("more of this: {actions}", actions=named) if count > 0 else say("less of this: {actions}", actions=named)


def _of_one(one: Said) -> Text:
    if one.meter is not None:
        return say("{meter} counts {times} times as usual", meter=METER_WORDS[one.meter], times=number(one.number, "g"))
    at = "" if one.at is None else f"{one.at:%H:%M}"
    days = _days(one.days)
    match one.kind:
        case "bed" | "up" if not at:
            return (
                say("forget what you wished for bedtime")
                if one.kind == "bed"
                else say("forget what you wished for getting up")
            )
        case "bed":
            return say("in bed by {time} on {days}", time=at, days=days) if days else say("in bed by {time}", time=at)
        case "earliest" if days:
            return say("not to bed before {time} on {days}", time=at, days=days)
        case "earliest":
            return say("not to bed before {time}", time=at)
        case "rest" if days:
            return say("not up before {time} on {days}", time=at, days=days)
        case "rest":
            return say("not up before {time}", time=at)
        case "up" if one.bound:
            return say("up by {time} on {days}", time=at, days=days) if days else say("up by {time}", time=at)
    return say("up at {time} on {days}", time=at, days=days) if days else say("up at {time}", time=at)


def _of_few(one: Said) -> Text:
    if one.kind == "without":
        named = joined([shown(word) for word in _named(one)])
        return say("{actions} without {names}", actions=named, names=joined(sorted(one.names)))
    if one.kind == "fewer":
        return say("one suggestion a day fewer") if one.number < 0 else say("one suggestion a day more")
    if one.hours:
        return say_many(
            "no suggestions from {hours} on one day of a week",
            "no suggestions from {hours} on {count} days of a week",
            int(one.number),
            hours=_spans(one.hours),
        )
    return say_many("no suggestions on one day of a week", "no suggestions on {count} days of a week", int(one.number))


def _on_the_whole(kind: str, named: str) -> Text:
    match kind:
        case "never":
            return say("never suggest {actions}", actions=named)
        case "allow":
            return say("allow {actions} again", actions=named)
        case "any":
            return say("{actions} on any day, at any time", actions=named)
        case "drop":
            return say("no goal for {actions}", actions=named)
        case "forget":
            return say("forget what you wished for {actions}", actions=named)
        case "night":
            return say("forget what you wished for bedtime and getting up")
        case "usual":
            return say("forget what you wished for the number of suggestions")
    return say("forget all wishes")


def _on_days(days: frozenset[int], named: str) -> Text:
    if WORKDAYS < len(days) < DAYS:  # "not on Fridays" is shorter
        return say("{actions} not on {days}", actions=named, days=_days(frozenset(range(DAYS)) - days))
    return say("{actions} only on {days}", actions=named, days=_days(days))


def _days(days: frozenset[int]) -> str:
    return joined([shown(name) for day, name in enumerate(EACH) if day in days])


def _some_days(one: Said, named: str) -> Text:
    days, hours = _days(one.days), _spans(one.hours)
    if one.kind == "barred":
        return say("{actions} not on {days} from {hours}", actions=named, days=days, hours=hours)
    if one.hours:
        return say("{actions} from {hours} again", actions=named, hours=hours)
    return say("{actions} on {days} again", actions=named, days=days)


def _best(one: Said, named: str) -> Text:
    days = _days(one.days)
    if one.at is not None:
        given = {"actions": named, "days": days, "time": f"{one.at:%H:%M}", "end": _until(one.hours[0][1])}
        if days:
            return say("{actions} best on {days} at {time}, over by {end}", **given)
        return say("{actions} best at {time}, over by {end}", **given)
    if len(one.hours) == 1 and one.hours[0][0] == time(0) != one.hours[0][1]:
        end = f"{one.hours[0][1]:%H:%M}"
        if days:
            return say("{actions} best on {days} before {time}", actions=named, days=days, time=end)
        return say("{actions} best before {time}", actions=named, time=end)
    if not one.hours:
        return say("{actions} best on {days}", actions=named, days=days)
    hours = _spans(one.hours)
    if not one.days:
        return say("{actions} best from {hours}", actions=named, hours=hours)
    return say("{actions} best on {days} from {hours}", actions=named, days=days, hours=hours)


def _spans(hours: Sequence[Hours]) -> str:
    return joined([_("{begin} to {end}", begin=f"{low:%H:%M}", end=_until(high)) for low, high in hours])


def _named(one: Said) -> Sequence[Text]:
    everything = {ALL: say("everything that is suggested"), WORK: say("work")}.get(one.actions)
    if everything is not None:
        return [everything]
    if one.kind in ("barred", "days", "hours", "before_bed") and len(left := ALL - one.actions) == 1:
        return [say("everything but {action}", action=shown({**ACTION_WORDS, **WISHED}[min(left)]))]
    words: Mapping[ActionType, Text] = {**ACTION_WORDS, **WISHED}
    if one.of:
        whole = joined([shown(words[action]) for action in ActionType if action in one.actions])
        return [say("all {action}, not only {name},", action=whole, name=joined(one.of.split(", ")))]
    if one.names and one.kind != "without":
        (action,) = one.actions
        return [say("{action} ({name})", action=shown(words[action]), name=joined(sorted(one.names)))]
    return [words[action] for action in ActionType if action in one.actions]


def _until(end: time) -> str:
    return "24:00" if end == time(0) else f"{end:%H:%M}"


NTHS = (
    say("the last of the month only"),
    say("the first of the month only"),
    say("the second of the month only"),
    say("the third of the month only"),
    say("the fourth of the month only"),
    say("the fifth of the month only"),
)


def on_occasion(when: Occasion) -> str:
    """Return the days of an occasion, such as "until 3 May 2027" and "every 2 weeks, counted from 30 November"."""
    since, until, first = (None if at is None else date_text(at, DATE) for at in (when.since, when.until, when.first))
    found = [_("on {days}", days=_days(when.days))] if when.days else []
    found += [shown(NTHS[max(n, 0)]) for n in sorted(when.nth)]
    if first is not None:
        found.append(_("every {count} weeks, counted from {day}", count=when.every, day=first))
    if when.months:
        months = joined([shown(MONTHS[month - 1]) for month in sorted(when.months)])
        found.append(_("every year in {months}", months=months))
    if since is not None and until is not None:
        found.append(_("on {day}", day=since) if since == until else _("from {day} to {end}", day=since, end=until))
    elif since is not None:
        found.append(_("from {day} on", day=since))
    elif until is not None:
        found.append(_("until {day}", day=until))
    return ", ".join(found)
