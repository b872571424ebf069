"""Name actions, meters, metrics and sources, and put ages and contributions in words, for the pages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache

from bridge import registry
from bridge.domain.facts import Fact
from bridge.domain.languages import _, capital, many, number, say, shown
from bridge.domain.metric_names import METRIC_NAMES, UNIT_NAMES
from bridge.domain.rendering import for_person
from bridge.domain.titles import ACTION_TITLES, METER_TITLES, METER_WORDS
from bridge.query.written import A_WEEK
from rhythm_env.interface import ActionType, Meter

# the reason of a label that a rule of the keywords, or the model of titles, gave
UNKNOWN_SOURCE_CHARACTERS = 40
OF_STREAM = re.compile(r"^[\w-]+/[\w-]+: ")
NO_SLEEP = say("a recovery has no sleep, so its night is not known")  # a connector says it, and a page translates it
GUESS = re.compile(r"(?:learnt|(?:(?:learnt|unsure); )?rule \S+?)(?P<all_day>, all day)?")


def action_name(name: str | None) -> str:
    """Return the display name of an action, or "No activity" for None.

    >>> action_name("DEEP_WORK"), action_name(None)
    ('Focused work', 'No activity')
    """
    return _("No activity") if name is None else shown(ACTION_TITLES[ActionType(name)])


def unread(why: str, count: int) -> str:
    """Return in words that ``count`` records were set aside, with the reason ``why``, which loses its "source/stream:".

    >>> unread("whoop/export: a recovery has no sleep, so its night is not known", 2)
    '2 records are kept, but not read: a recovery has no sleep, so its night is not known'
    """
    plain = _(OF_STREAM.sub("", why))
    return many(
        "{count} record is kept, but not read: {why}", "{count} records are kept, but not read: {why}", count, why=plain
    )


def label_words(why: str) -> str:
    guess = GUESS.fullmatch(why)
    if guess is None:
        return shown(why)
    return _("guessed from its title, all day") if guess["all_day"] else _("guessed from its title")


def meter_name(name: str) -> str:
    """Return the display name of a meter.

    >>> meter_name("VITALITY")
    'Vitality'
    """
    return shown(METER_TITLES[Meter(name)])


def meter_word(name: str) -> str:
    """Return the name of a meter within a sentence.

    >>> meter_word("VITALITY")
    'vitality'
    """
    return shown(METER_WORDS[Meter(name)])


def sentence(text: str) -> str:
    """Return a text with a capital letter at its beginning, and a full stop at its end unless it has a mark there.

    >>> sentence("it is due today"), sentence("due: tax, …"), sentence("")
    ('It is due today.', 'Due: tax, …', '')
    """
    return text and f"{capital(text)}{'' if text.endswith(('.', '?', '!', '…')) else '.'}"


FACES = (
    ("1", say("bad")),
    ("2", say("not so good")),
    ("3", say("all right")),
    ("4", say("good")),
    ("5", say("very good")),
)


def age(hours: float, now: datetime | None = None) -> str:
    """Return an age, given in hours, in words.

    Below an hour it is "just now", below 36 hours in rounded hours, then in days. These are calendar days if ``now`` is
    given, and else whole days, rounded down.

    >>> age(0.2), age(5.4), age(60), age(60, datetime(2026, 11, 29, 9))
    ('just now', '5 hours ago', '2 days ago', '3 days ago')
    """
    if hours < 1:
        return _("just now")
    if hours < 36:
        return many("{count} hour ago", "{count} hours ago", round(hours))
    days = int(hours // 24) if now is None else (now.date() - (now - timedelta(hours=hours)).date()).days
    return many("{count} day ago", "{count} days ago", days)


def signed(share: float) -> str:
    """Return a contribution with its sign and two digits.

    >>> signed(0.034), signed(-0.2)
    ('+0.03', '−0.20')
    """
    return number(share, "+.2f").replace("-", "−")


def source_name(title: str) -> tuple[str, str]:
    """Split a source's title into (name with a capital, remark in brackets). The remark may be empty.

    >>> source_name("WHOOP (API v2)"), source_name("message counts"), source_name("iCalendar")
    (('WHOOP', 'API v2'), ('Message counts', ''), ('iCalendar', ''))
    """
    name, _sep, more = shown(title).partition(" (")
    return name if name[1:2].isupper() else capital(name), more.removesuffix(")")


def source_title(name: str) -> str:
    """Return the display name of a source, or of SOURCE/DEVICE. A name that is not installed here stays.

    >>> source_title("whoop"), source_title("health_connect/pixel_8"), source_title("a watch")
    ('WHOOP', 'Health Connect (pixel_8)', 'a watch')
    """
    source, _sep, device = name.partition("/")
    if source not in registry.names("connectors"):
        return name[:UNKNOWN_SOURCE_CHARACTERS]
    title = source_name(registry.spec(source).title)[0]
    return f"{title} ({device})" if device else title


def evidence_text(facts: Sequence[Fact]) -> str:
    """Return the evidence of an outcome in words, with the display names of sources."""
    named = [
        replace(fact, values={**fact.values, "source": source_title(str(fact.values["source"]))})
        if "source" in fact.values
        else fact
        for fact in facts
    ]
    return with_source_titles(", ".join(map(shown, for_person(named))))


def with_source_titles(text: str) -> str:
    """Return a text of evidence with the display names of sources.

    Only a source that follows a comma and a blank, and ends at a comma or the end, is replaced.

    >>> with_source_titles("no nap, whoop"), with_source_titles("asleep 22:56-07:16, garmin, 8 h")
    ('no nap, WHOOP', 'asleep 22:56-07:16, Garmin, 8 h')
    """
    return _named_source().sub(lambda found: source_title(found[0]), text)


@cache
def _named_source() -> re.Pattern[str]:
    return re.compile(rf"(?<=, )(?:{'|'.join(registry.names('connectors'))})(?=,|$)")


def kind_name(name: str) -> str:
    """Return the display name of a metric, or of another kind of data, as used within a sentence.

    >>> kind_name("resting_hr"), kind_name("hrv_rmssd"), kind_name("events")
    ('resting heart rate', 'HRV (RMSSD)', 'events')
    """
    return shown(METRIC_NAMES[name]) if name in METRIC_NAMES else name.replace("_", " ")


def heading(name: str) -> str:
    """Return the display name of a metric with a capital.

    >>> heading("resting_hr"), heading("planned")
    ('Resting heart rate', 'Planned')
    """
    return capital(kind_name(name))


def unit_name(unit: str) -> str:
    """Return a unit in the current language."""
    if unit.endswith(A_WEEK):
        return _("{value} a week", value=unit_name(unit.removesuffix(A_WEEK)))
    return shown(UNIT_NAMES[unit]) if unit in UNIT_NAMES else unit
