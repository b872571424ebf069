"""Ask a service for a decision, once or twice within a time limit, and parse the text of the answer.

An answer must end in three digits and a feasible action. Fault is raised if no request brings such an answer.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from time import monotonic, sleep
from typing import Any

from policies.llm.prompt import Message
from rhythm_env.chat import Fault, Service
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
ANSWER_TOKENS = 320  # more than the published 256, because an answer cut off in its reasoning has no belief


class Unreadable(ValueError):
    """The error of a model's text that is no valid answer. The message says why without quoting the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A model's parsed answer. ``reasoning`` is empty if the model gave none."""

    action: ActionType
    belief: Belief
    reasoning: str


def read(text: str, feasible: Collection[ActionType]) -> Said:
    """Return the parsed answer of a model, with belief and action from the last line that is not empty.

    Raises Unreadable if that line is not three digits and an action of ``feasible``, the reasoning is not closed, or
    the text is longer than ANSWER_MAX_CHARS.
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
    """Return the action and three digits in an answer's last line, in either order. Raises Unreadable without them."""
    if found := FIRST.fullmatch(line):
        *digits, name = found.groups()
    elif found := LEGACY.fullmatch(line):
        name, *digits = found.groups()
    else:
        raise Unreadable("an answer without three digits and an action at its end")
    return ActionType(name.upper()), tuple(digits)


def reasoning(text: str) -> str:
    """Return the text between the tags <reasoning> as one line of at most LONGEST_REASON characters, "" without it."""
    found = REASONING.search(text)
    if found is None:
        return ""
    visible = "".join(" " if unicodedata.category(sign)[0] in "CZ" else sign for sign in found[1][: LONGEST_REASON * 4])
    return " ".join(visible.split())[:LONGEST_REASON]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """A service's address with the options of its requests.

    ``seconds`` is the time limit of all requests for a decision together, ``answer_tokens`` the largest length of an
    answer.
    """

    address: str
    key: str = ""
    seconds: float = 20.0
    answer_tokens: int = ANSWER_TOKENS
    temperature: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The text of a service's answer, with the counts of tokens that the service states, else None.

    ``cut`` is True if the text was broken off at the largest length.
    """

    text: str
    cut: bool
    prompt_tokens: int | None
    answer_tokens: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    model: str
    messages: Sequence[Message]


def decided(chat: Chat, tries: Sequence[Question], feasible: Sequence[ActionType]) -> tuple[Said, str]:
    """Send ``tries`` in turn until an answer is readable. Return it with the reason of the failure before, or "".

    Raises Fault if no try brings a readable answer within ``chat.seconds``, or if a failure forbids another try.
    """
    until, wrong = monotonic() + chat.seconds, ""
    for question, following in zip_longest(tries, tries[1:]):
        try:
            return _once(chat, question, until, feasible), wrong
        except Fault as fault:
            wait = 0.0 if following and following.model != question.model else fault.wait
            if following is None or wait is None or monotonic() + wait >= until:
                raise
            wrong = str(fault)
            sleep(wait)
    raise Fault("the language model was not asked")


def _once(chat: Chat, question: Question, until: float, feasible: Sequence[ActionType]) -> Said:
    reply = asked(chat, question, until - monotonic())
    try:
        if reply.cut:
            raise Unreadable("an answer that was cut off")
        return read(reply.text, feasible)
    except Unreadable as unreadable:
        raise Fault(str(unreadable), wait=0, stops=False) from None


def asked(chat: Chat, question: Question, seconds: float) -> Reply:
    """Send a question and return the reply. Raises Fault without a valid completion within ``seconds``."""
    service = Service(chat.address, chat.key, timeout=max(seconds, 0.001))
    body = {
        "model": question.model,
        "messages": list(question.messages),
        "temperature": chat.temperature,
        "max_tokens": chat.answer_tokens,
    }
    return reply_of(service.post(json.dumps(body).encode()))


def reply_of(answer: bytes) -> Reply:
    """Parse the JSON body of a chat completion and return its first choice. Raises Fault for any other body."""
    try:
        body = json.loads(answer)
        choice = body["choices"][0]
        text = choice["message"]["content"]
        usage = body.get("usage")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise Fault("the language model's answer holds no choice", wait=0, stops=False) from None
    if not isinstance(text, str):
        raise Fault("the language model's answer holds no text", wait=0, stops=False)
    counted = usage if isinstance(usage, dict) else {}
    return Reply(
        text=text,
        cut=choice.get("finish_reason") == "length",
        prompt_tokens=_count(counted.get("prompt_tokens")),
        answer_tokens=_count(counted.get("completion_tokens")),
    )


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
