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


def writable(text: object) -> str:
    """A text that can be sent: half a character, as some calendars cut titles, becomes a question mark."""
    return str(text).encode("utf-8", "replace").decode()
