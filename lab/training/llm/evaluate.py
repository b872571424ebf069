"""Generate a model's answers to many prompts at once, and count answers that are cut off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from lab.environments.dynamics import sampled
from lab.training.llm.trajectories import Lesson
from policies.llm.asking import Said, Unreadable, read
from policies.llm.prompt import Message
from rhythm_env.interface import ActionType
from rhythm_env.profiles import belief_target

AT_ONCE = 32  # prompts
UNKNOWING = 0.5  # of a belief that says nothing


@dataclass(frozen=True, slots=True)
class Text:
    """A model's answer. ``cut`` is True if it reached the largest length before its end."""

    text: str
    cut: bool
    tokens: int


def write(
    model: Any, tokenizer: Any, prompts: Sequence[Sequence[Message]], room: int, *, temperature: float = 0.0
) -> list[Text]:
    """Return an answer of at most ``room`` tokens to each prompt. ``temperature`` 0 takes the likeliest tokens."""
    found: list[Text] = []
    for at in range(0, len(prompts), AT_ONCE):
        found += _written(model, tokenizer, prompts[at : at + AT_ONCE], room, temperature)
    return found


def _written(model: Any, tokenizer: Any, prompts: Sequence[Any], room: int, temperature: float) -> list[Text]:
    asked = tokenizer.apply_chat_template(
        [list(prompt) for prompt in prompts],
        add_generation_prompt=True,
        padding=True,
        return_tensors="pt",
        return_dict=True,
    ).to(model.device)
    asked.pop("token_type_ids", None)
    chance = {"do_sample": True, "temperature": temperature} if temperature > 0 else {"do_sample": False}
    was_training = model.training
    model.eval()
    with torch.no_grad():
        made = model.generate(
            **asked, max_new_tokens=room, pad_token_id=tokenizer.pad_token_id, **chance, top_k=None, top_p=None
        )
    model.train(was_training)
    return [_text(tokenizer, row.tolist()) for row in made[:, asked["input_ids"].shape[1] :]]


def _text(tokenizer: Any, row: list[int]) -> Text:
    ended = tokenizer.eos_token_id in row
    kept = row[: row.index(tokenizer.eos_token_id)] if ended else row
    return Text(tokenizer.decode(kept, skip_special_tokens=True), not ended, len(kept))


def said(text: Text) -> Said | None:
    """Return the parsed answer, or None if it was cut off or cannot be read."""
    try:
        return None if text.cut else read(text.text, tuple(ActionType))
    except Unreadable:
        return None


def probed(model: Any, tokenizer: Any, lessons: Sequence[Lesson], room: int) -> dict[str, float | None]:
    """Return figures of a model's answers to prompts of weeks that it was not trained on.

    ``belief_mae`` is the error of the beliefs that could be read, or None.
    """
    texts = write(model, tokenizer, [lesson.prompt for lesson in lessons], room)
    answers = [said(text) for text in texts]
    people = [belief_target(sampled([lesson.seed], lesson.condition))[:, 0] for lesson in lessons]
    errors = [
        np.abs(np.array(one.belief.vector()) - person).mean()
        for one, person in zip(answers, people, strict=True)
        if one is not None
    ]
    return {
        "valid": sum(answer is not None for answer in answers) / len(answers),
        "cut": sum(text.cut for text in texts) / len(texts),
        "belief_mae": float(np.mean(errors)) if errors else None,
        "constant_mae": float(np.mean([np.abs(UNKNOWING - person).mean() for person in people])),
    }
