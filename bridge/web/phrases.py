"""Hold the names and short texts that the pages show."""

from __future__ import annotations

import re

from rhythm_env.interface import ActionType

ACTION_NAMES = {
    ActionType.DEEP_WORK: "Deep work",
    ActionType.ADMIN_WORK: "Admin work",
    ActionType.LEARN: "Learn",
    ActionType.SLEEP: "Sleep",
    ActionType.EXERCISE: "Exercise",
    ActionType.MEDITATE: "Meditate",
    ActionType.FAMILY_TIME: "Family time",
    ActionType.SOCIALIZE: "Socialize",
    ActionType.ME_TIME: "Me time",
    ActionType.BINGE_WATCH: "Binge-watch",
}


ACTION_WORDS = re.compile(rf"\b({'|'.join(ACTION_NAMES)})\b")


def action_name(name: str | None) -> str:
    """Return the display name of an action, or "No activity" for None.

    >>> action_name("DEEP_WORK"), action_name(None)
    ('Deep work', 'No activity')
    """
    return "No activity" if name is None else ACTION_NAMES[ActionType(name)]


def action_words(text: str) -> str:
    """Return a text with the names of actions in it replaced by words.

    >>> action_words("not DEEP_WORK, LEARN: it is no working time")
    'not deep work, learn: it is no working time'
    """
    return ACTION_WORDS.sub(lambda found: ACTION_NAMES[ActionType(found[0])].lower(), text)


def sentence(text: str) -> str:
    """Return a text with a capital letter at its begin and a full stop at its end. An empty text stays empty.

    >>> sentence("it is due today"), sentence("")
    ('It is due today.', '')
    """
    return text and f"{text[0].upper()}{text[1:]}."


FACES = (("1", "bad"), ("2", "not so good"), ("3", "all right"), ("4", "good"), ("5", "very good"))


def age(hours: float) -> str:
    """Return an age, given in hours, in words.

    >>> age(0.2), age(5.4), age(60)
    ('just now', '5 hours ago', '2 days ago')
    """
    if hours < 1:
        return "just now"
    count, unit = (round(hours), "hour") if hours < 36 else (int(hours // 24), "day")
    return f"{count} {unit}{'s' if count != 1 else ''} ago"


def signed(share: float) -> str:
    """Return a contribution with its sign and two digits. Below 0.005 it is "0.00".

    >>> signed(0.034), signed(-0.2), signed(0)
    ('+0.03', '−0.20', '0.00')
    """
    return "0.00" if abs(share) < 0.005 else f"{share:+.2f}".replace("-", "−")


ABBREVIATIONS = {"hrv": "HRV", "hr": "heart rate", "rmssd": "(RMSSD)", "sdnn": "(SDNN)", "spo2": "blood oxygen"}


def kind_name(name: str) -> str:
    """Return the display name of a metric, or of another kind of data.

    >>> kind_name("resting_hr"), kind_name("hrv_rmssd"), kind_name("events")
    ('resting heart rate', 'HRV (RMSSD)', 'events')
    """
    return " ".join(ABBREVIATIONS.get(word, word) for word in name.split("_"))


def source_name(title: str) -> tuple[str, str]:
    """Split a source's title into (name with a capital, remark in brackets). The remark may be empty.

    >>> source_name("WHOOP (API v2)"), source_name("message counts"), source_name("iCalendar")
    (('WHOOP', 'API v2'), ('Message counts', ''), ('iCalendar', ''))
    """
    name, _, more = title.partition(" (")
    return name if name[1:2].isupper() else name[:1].upper() + name[1:], more.removesuffix(")")
