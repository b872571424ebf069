"""Define the display names of actions, meters and parts of the day as translatable texts."""

from __future__ import annotations

from bridge.domain.languages import SHORT_WEEKDAYS, Text, say
from bridge.domain.slots import Moment
from rhythm_env.interface import ActionType, Answer, Meter, Slot

ACTION_TITLES = {
    ActionType.DEEP_WORK: say("Focused work"),
    ActionType.ADMIN_WORK: say("Admin and errands"),
    ActionType.LEARN: say("Learn"),
    ActionType.SLEEP: say("Sleep"),
    ActionType.EXERCISE: say("Exercise"),
    ActionType.MEDITATE: say("Meditate"),
    ActionType.FAMILY_TIME: say("Family time"),
    ActionType.SOCIALIZE: say("See friends"),
    ActionType.ME_TIME: say("Time for yourself"),
    ActionType.BINGE_WATCH: say("Watch series"),
}
# As they stand within a sentence.
ACTION_WORDS = {
    ActionType.DEEP_WORK: say("focused work"),
    ActionType.ADMIN_WORK: say("admin and errands"),
    ActionType.LEARN: say("learn"),
    ActionType.SLEEP: say("sleep"),
    ActionType.EXERCISE: say("exercise"),
    ActionType.MEDITATE: say("meditate"),
    ActionType.FAMILY_TIME: say("family time"),
    ActionType.SOCIALIZE: say("seeing friends"),
    ActionType.ME_TIME: say("time for yourself"),
    ActionType.BINGE_WATCH: say("watching series"),
}
# Of suggestions, where the title of calendar entries does not fit.
SUGGESTED_TITLES = {ActionType.SLEEP: say("Nap")}
METER_TITLES = {
    Meter.VITALITY: say("Vitality"),
    Meter.COGNITION: say("Cognition"),
    Meter.PROGRESS: say("Progress"),
    Meter.SERENITY: say("Serenity"),
    Meter.CONNECTION: say("Connection"),
}
METER_WORDS = {
    Meter.VITALITY: say("vitality"),
    Meter.COGNITION: say("cognition"),
    Meter.PROGRESS: say("progress"),
    Meter.SERENITY: say("serenity"),
    Meter.CONNECTION: say("connection"),
}
SLOT_TITLES = {
    Slot.MORNING: say("Morning"),
    Slot.AFTERNOON: say("Afternoon"),
    Slot.EVENING: say("Evening"),
    Slot.NIGHT: say("Night"),
}
SLOT_PLURALS = {
    Slot.MORNING: say("mornings"),
    Slot.AFTERNOON: say("afternoons"),
    Slot.EVENING: say("evenings"),
    Slot.NIGHT: say("nights"),
}
# The glossary of answers, for every surface: what is pressed, and how an answer that was given is called.
ANSWER_BUTTONS = {Answer.ACCEPT: say("Accept"), Answer.IGNORE: say("Not now"), Answer.RESCHEDULE: say("Later")}
ANSWER_WORDS = {Answer.ACCEPT: say("accepted"), Answer.IGNORE: say("not now"), Answer.RESCHEDULE: say("put off")}
_OF_DAYS = {
    Slot.MORNING: say("{day} morning"),
    Slot.AFTERNOON: say("{day} afternoon"),
    Slot.EVENING: say("{day} evening"),
    Slot.NIGHT: say("{day} night"),
}


def advice_title(action: ActionType, kind: str | None) -> Text:
    """Return the title of an action in advice. Sleep of the kind "suggested" is called a nap.

    >>> advice_title(ActionType.SLEEP, "suggested"), advice_title(ActionType.SLEEP, "sleep")
    ('Nap', 'Sleep')
    """
    return SUGGESTED_TITLES.get(action, ACTION_TITLES[action]) if kind == "suggested" else ACTION_TITLES[action]


def slot_text(moment: Moment) -> Text:
    """Return the name of a slot, such as ``Thu evening``. Hours after midnight belong to the night before."""
    return say(_OF_DAYS[moment.slot], day=SHORT_WEEKDAYS[moment.day])


def answer_text(answer: Answer, to: Moment | None = None) -> Text:
    """Return an answer that was given, in words. ``to`` is the slot to which the recommendation was put off.

    >>> answer_text(Answer.ACCEPT), answer_text(Answer.RESCHEDULE)
    ('accepted', 'put off')
    """
    return ANSWER_WORDS[answer] if to is None else say("put off to {slot}", slot=slot_text(to))
