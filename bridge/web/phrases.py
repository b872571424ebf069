"""Names and short texts of the page."""

from __future__ import annotations

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


def action_name(name: str | None) -> str:
    """Return the name of an activity.

    >>> action_name("DEEP_WORK"), action_name(None)
    ('Deep work', 'No activity')
    """
    return "No activity" if name is None else ACTION_NAMES[ActionType(name)]


FACES = (("1", "bad"), ("2", "not so good"), ("3", "all right"), ("4", "good"), ("5", "very good"))


def age(hours: float) -> str:
    """Return an age in words.

    >>> age(0.2), age(5.4), age(60)
    ('just now', '5 hours ago', '2 days ago')
    """
    if hours < 1:
        return "just now"
    count, unit = (round(hours), "hour") if hours < 36 else (int(hours // 24), "day")
    return f"{count} {unit}{'s' if count != 1 else ''} ago"


def signed(share: float) -> str:
    """Return a share with its sign.

    >>> signed(0.034), signed(-0.2), signed(0)
    ('+0.03', '−0.20', '0.00')
    """
    return "0.00" if abs(share) < 0.005 else f"{share:+.2f}".replace("-", "−")


ABBREVIATIONS = {"hrv": "HRV", "hr": "heart rate", "rmssd": "(RMSSD)", "sdnn": "(SDNN)", "spo2": "blood oxygen"}


def kind_name(name: str) -> str:
    """Return the name of a metric or of another kind of data.

    >>> kind_name("resting_hr"), kind_name("hrv_rmssd"), kind_name("events")
    ('resting heart rate', 'HRV (RMSSD)', 'events')
    """
    return " ".join(ABBREVIATIONS.get(word, word) for word in name.split("_"))


def source_name(title: str) -> tuple[str, str]:
    """Split a source's title into its name and the remark in brackets.

    >>> source_name("WHOOP (API v2)"), source_name("message counts"), source_name("iCalendar")
    (('WHOOP', 'API v2'), ('Message counts', ''), ('iCalendar', ''))
    """
    name, _, more = title.partition(" (")
    return name if name[1:2].isupper() else name[:1].upper() + name[1:], more.removesuffix(")")
