"""How things are called on a page."""

from __future__ import annotations

from rhythm_env.interface import ActionType

ACTIONS = {
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


def action(name: str | None) -> str:
    """
    >>> action("DEEP_WORK"), action(None)
    ('Deep work', 'No activity')
    """
    return "No activity" if name is None else ACTIONS[ActionType(name)]


FACES = (("1", "bad"), ("2", "not so good"), ("3", "all right"), ("4", "good"), ("5", "very good"))


def age(hours: float) -> str:
    """
    >>> age(0.2), age(5.4), age(60)
    ('just now', '5 hours ago', '2 days ago')
    """
    if hours < 1:
        return "just now"
    count, unit = (round(hours), "hour") if hours < 36 else (int(hours // 24), "day")
    return f"{count} {unit}{'s' if count != 1 else ''} ago"


def signed(share: float) -> str:
    """
    >>> signed(0.034), signed(-0.2), signed(0)
    ('+0.03', '−0.20', '0.00')
    """
    return "0.00" if abs(share) < 0.005 else f"{share:+.2f}".replace("-", "−")


ABBREVIATIONS = {"hrv": "HRV", "hr": "heart rate", "rmssd": "(RMSSD)", "sdnn": "(SDNN)", "spo2": "blood oxygen"}


def kind(name: str) -> str:
    """
    >>> kind("resting_hr"), kind("hrv_rmssd"), kind("events")
    ('resting heart rate', 'HRV (RMSSD)', 'events')
    """
    return " ".join(ABBREVIATIONS.get(word, word) for word in name.split("_"))


def named(title: str) -> tuple[str, str]:
    """A source's name, and what stands in brackets after it.

    >>> named("WHOOP (API v2)"), named("message counts"), named("iCalendar")
    (('WHOOP', 'API v2'), ('Message counts', ''), ('iCalendar', ''))
    """
    name, _, more = title.partition(" (")
    return name if name[1:2].isupper() else name[:1].upper() + name[1:], more.removesuffix(")")
