"""Send requests to a service for a decision, at most two, within a time limit. Fault is raised without a usable
answer.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from time import monotonic, sleep
from typing import Any

from policies.llm.answer import Said, Unreadable, read
from policies.llm.prompt import Message
from rhythm_env.chat.fault import Fault
from rhythm_env.chat.service import Service
from rhythm_env.interface import ActionType

ANSWER_TOKENS = 320  # more than the published 256, because an answer cut off in its reasoning has no belief


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """A service's address, with the options of requests.

    ``seconds`` is the time limit for both tries together. ``answer_tokens`` is the largest length of an answer.
    """

    address: str
    key: str = ""
    seconds: float = 20.0
    answer_tokens: int = ANSWER_TOKENS
    temperature: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The text of a service's answer, with its counts of tokens (None: not stated). ``cut``: broken off."""

    text: str
    cut: bool
    prompt_tokens: int | None
    answer_tokens: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A request to try: the model that is asked, and the messages that it gets."""

    model: str
    messages: Sequence[Message]


def decided(chat: Chat, tries: Sequence[Question], feasible: Sequence[ActionType]) -> tuple[Said, str]:
    """Send the questions in turn until an answer is readable. Return (it, why the question before failed).

    The reason may be empty. Raises Fault if no answer is readable in time.
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
    raise Fault("no question was given")


def _once(chat: Chat, question: Question, until: float, feasible: Sequence[ActionType]) -> Said:
    reply = asked(chat, question, until - monotonic())
    try:
        if reply.cut:
            raise Unreadable("an answer that was cut off")
        return read(reply.text, feasible)
    except Unreadable as unreadable:
        raise Fault(str(unreadable), wait=0, stops=False) from None


def asked(chat: Chat, question: Question, seconds: float) -> Reply:
    """Send a question and return the reply. Raises Fault without a completion within ``seconds``."""
    service = Service(chat.address, chat.key, timeout=max(seconds, 0.001))
    body = {
        "model": question.model,
        "messages": list(question.messages),
        "temperature": chat.temperature,
        "max_tokens": chat.answer_tokens,
    }
    return reply_of(service.post(json.dumps(body).encode()))


def reply_of(answer: bytes) -> Reply:
    """Return the first choice in the body of a completion as a reply. Raises Fault if the body is no completion."""
    try:
        body = json.loads(answer)
        choice = body["choices"][0]
        text = choice["message"]["content"]
        usage = body.get("usage")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise Fault("an answer without a choice", wait=0, stops=False) from None
    if not isinstance(text, str):
        raise Fault("an answer without a text", wait=0, stops=False)
    counted = usage if isinstance(usage, dict) else {}
    return Reply(
        text=text,
        cut=choice.get("finish_reason") == "length",
        prompt_tokens=_count(counted.get("prompt_tokens")),
        answer_tokens=_count(counted.get("completion_tokens")),
    )


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
