"""Parse a language model's answer, which must end in three digits and a possible action."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass

from rhythm_env.interface import ActionType, Belief

ANSWER_MAX_CHARS = 20_000  # characters of an answer; an answer of 256 tokens has about 1,000
REASONING = re.compile(r"<reasoning>(.*?)</reasoning>", re.DOTALL | re.IGNORECASE)
OPENED, CLOSED = "<reasoning>", "</reasoning>"
NAMES = "|".join(ActionType)
THREE_DIGITS = r"([0-9])[ ,]+([0-9])[ ,]+([0-9])"
ANY_CASE = re.IGNORECASE | re.ASCII  # without ASCII the sign for kelvin is a K
FIRST = re.compile(rf"{THREE_DIGITS}[ ,]+({NAMES})", ANY_CASE)  # the belief, then the action
LEGACY = re.compile(rf"({NAMES})[ ,]+{THREE_DIGITS}", ANY_CASE)  # the order of the first published models
DECORATION = " \t\r`*.\"'"  # what models put around a line to set it off
LONGEST_REASON = 400  # characters of the reasoning that are shown to a person


class Unreadable(ValueError):
    """The error of a text that is no valid answer. It says what is wrong without quoting the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A model's answer: an action, a belief, and the reasoning, which is empty if the model gave none."""

    action: ActionType
    belief: Belief
    reasoning: str


def read(text: str, feasible: Collection[ActionType]) -> Said:
    """Return an answer's reasoning, and from its last line with text the belief and the action.

    Raises Unreadable if digits or a feasible action are missing, or the answer is too long.
    """
    if len(text) > ANSWER_MAX_CHARS:
        raise Unreadable("an answer that is too long")
    lowered = text.lower()
    if OPENED in lowered and CLOSED not in lowered:
        raise Unreadable("an answer that ends inside its reasoning")
    lines = [stripped for line in text.split("\n") if (stripped := line.strip(DECORATION))]
    action, digits = _last(lines[-1] if lines else "")
    if action not in feasible:
        raise Unreadable("an action that is not possible now")
    social, morning, work = (int(digit) / 9 for digit in digits)
    return Said(action=action, belief=Belief(social=social, morning=morning, work=work), reasoning=reasoning(text))


def _last(line: str) -> tuple[ActionType, tuple[str, ...]]:
    """Return the action and the three digits of an answer's last line, in either order."""
    if found := FIRST.fullmatch(line):
        *digits, name = found.groups()
    elif found := LEGACY.fullmatch(line):
        name, *digits = found.groups()
    else:
        raise Unreadable("an answer without three digits and an action at its end")
    return ActionType(name.upper()), tuple(digits)


def reasoning(text: str) -> str:
    """Return the first reasoning in an answer as a line of at most 400 visible characters, or ""."""
    found = REASONING.search(text)
    if found is None:
        return ""
    visible = "".join(" " if unicodedata.category(sign)[0] in "CZ" else sign for sign in found[1][: LONGEST_REASON * 4])
    return " ".join(visible.split())[:LONGEST_REASON]


def written(reasoning: str, belief: Belief, action: ActionType) -> str:
    """Return an answer's text in the form that ``read`` accepts."""
    return f"{OPENED}{reasoning}{CLOSED}\n{belief.digits()} {action}"
