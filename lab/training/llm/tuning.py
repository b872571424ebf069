"""Tune a LoRA to a user's answers, and keep it if it predicts later answers better than the model.

The LoRA learns from the earlier answers and is tested on the later ones. In the test it sees five days of answers, and
the model sees thirty. A better LoRA then learns from the later answers too. Accepted actions are learned by likelihood,
refused actions by unlikelihood (Welleck and others 2020), over the tokens of the action alone.
"""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import torch

from bridge.advice.adapters import attempts
from bridge.domain.records import Prior, User
from bridge.domain.rendering import for_person
from bridge.installation import Bridge
from lab.training.checkpoint import replace
from lab.training.llm import model
from lab.training.llm.attempts import answered_advice, enough, version
from lab.training.llm.personal import Row, row
from policies.llm.prompt import Message
from rhythm_env.interface import Answer, observation_from_json

Step = Callable[[int, int], None]

LATER = 0.3  # share of the answers that the rest is tried on
SURE = 1e-6  # a likelihood is never nearer to 1 than this
KEPT_EVERY = 10  # steps between checkpoints
STATE = "state.pt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """The settings of a tuning of the model in ``base`` into the folder ``out``."""

    base: Path
    out: Path
    epochs: int = 3
    batch: int = 4
    rate: float = 1e-3
    rank: int = 4
    threads: int = 1
    seed: int = 0


@dataclass(slots=True)
class State:
    """The state of a tuning, which is continued if interrupted, with the steps done on earlier and later answers."""

    earlier: int = 0
    later: int = 0
    gain: float | None = None


def make(bridge: Bridge, user: User, course: Course, *, now: datetime, on_step: Step) -> Prior:
    """Tune and test an adapter for a user, and store and return the attempt.

    Raises SetupError if there are too few answers.
    """
    tokens = model.facts_of(course.base).tokens
    pairs = answered_advice(bridge, user, now)
    enough(bridge, user, [one for one, _ in pairs], now)
    rows = [
        row(
            observation_from_json(advice.observation),
            reasons=tuple(for_person(advice.facts)),
            belief=advice.belief,
            action=advice.action,
            taken=answered.answer is Answer.ACCEPT,
            tokens=tokens,
        )
        for answered, advice in pairs
    ]
    name = f"u{user.id}-v{1 + len(attempts(bridge, user))}"
    found = tune(rows, dataclasses.replace(course, out=course.out / name), on_step)
    made = Prior(
        policy=version(bridge),
        made_at=now,
        body={"adapter": name, "through": pairs[-1][0].at.isoformat()},
        **found,
    )
    bridge.store.lessons.add_prior(user.id, made)
    return made


def tune(rows: Sequence[Row], course: Course, on_step: Step) -> dict[str, Any]:
    """Tune an adapter into ``course.out``, delete it unless it is better, and return figures.

    An interrupted tuning is continued.
    """
    torch.set_num_threads(course.threads)
    torch.manual_seed(course.seed)
    cut = round(len(rows) * (1 - LATER))
    base, tokenizer = model.opened(course.base, four_bits=True)
    tuned = _adapted(base, course)
    state, optimiser = _begun(tuned, course)
    many = [_steps(part, course) for part in (rows[:cut], rows[cut:])]

    def learn(part: Sequence[Row], done: int, offset: int, phase: str) -> None:
        for number in range(done, _steps(part, course)):
            _update(tuned, tokenizer, optimiser, _batch(part, number, course))
            setattr(state, phase, number + 1)
            on_step(offset + number + 1, sum(many))
            if (number + 1) % KEPT_EVERY == 0:
                _keep(tuned, optimiser, state, course)

    learn(rows[:cut], state.earlier, 0, "earlier")
    if state.gain is None:
        state.gain = _gain(tuned, tokenizer, rows[cut:])
    if state.gain > 0:
        learn(rows[cut:], state.later, many[0], "later")
        tuned.save_pretrained(course.out)
        _working(course).unlink(missing_ok=True)
    else:
        shutil.rmtree(course.out, ignore_errors=True)
    return {"learnt_from": len(rows), "tried_on": len(rows) - cut, "gain": state.gain, "kept": state.gain > 0}


def _adapted(base: Any, course: Course) -> Any:
    from peft import get_peft_model

    return get_peft_model(base, model.lora(course.rank))


def _working(course: Course) -> Path:
    return course.out / STATE


def _begun(tuned: Any, course: Course) -> tuple[State, Any]:
    from peft import set_peft_model_state_dict

    optimiser = torch.optim.AdamW([p for p in tuned.parameters() if p.requires_grad], lr=course.rate)
    if not _working(course).exists():
        return State(), optimiser
    kept = torch.load(_working(course), weights_only=True, map_location="cpu")
    set_peft_model_state_dict(tuned, kept["adapter"])
    optimiser.load_state_dict(kept["optimiser"])
    return State(kept["earlier"], kept["later"], kept["gain"]), optimiser


def _keep(tuned: Any, optimiser: Any, state: State, course: Course) -> None:
    from peft import get_peft_model_state_dict

    course.out.mkdir(parents=True, exist_ok=True, mode=0o700)
    kept = {"adapter": get_peft_model_state_dict(tuned), "optimiser": optimiser.state_dict()}
    kept |= {"earlier": state.earlier, "later": state.later, "gain": state.gain}
    replace(_working(course), kept)


def _steps(rows: Sequence[Row], course: Course) -> int:
    return -(-len(rows) // course.batch) * course.epochs


def _batch(rows: Sequence[Row], number: int, course: Course) -> list[Row]:
    """Return the rows of a step, in an order that depends only on the seed and the epoch."""
    per = -(-len(rows) // course.batch)
    epoch, at = divmod(number, per)
    order = torch.randperm(len(rows), generator=torch.Generator().manual_seed(course.seed * 1000 + epoch)).tolist()
    return [rows[i] for i in order[at * course.batch : (at + 1) * course.batch]]


def _update(tuned: Any, tokenizer: Any, optimiser: Any, rows: Sequence[Row]) -> None:
    tuned.train()
    chances = likelihoods(tuned, tokenizer, [one.narrow for one in rows], rows)
    taken = torch.tensor([one.taken for one in rows], device=chances.device)
    wanted = torch.where(taken, chances, torch.log1p(-chances.exp().clamp(max=1 - SURE)))
    optimiser.zero_grad()
    (-wanted.mean()).backward()
    torch.nn.utils.clip_grad_norm_(tuned.parameters(), 1.0)
    optimiser.step()


def likelihoods(tuned: Any, tokenizer: Any, prompts: Sequence[Sequence[Message]], rows: Sequence[Row]) -> Any:
    """Return the log-likelihood (n,) of each row's action, after its prompt and the text before the action."""
    asked = [tokenizer.apply_chat_template(list(p), add_generation_prompt=True, tokenize=False) for p in prompts]
    heads = [tokenizer(text + one.written)["input_ids"] for text, one in zip(asked, rows, strict=True)]
    tails = [tokenizer(f" {one.action}")["input_ids"] for one in rows]
    whole = [head + tail for head, tail in zip(heads, tails, strict=True)]
    longest = max(map(len, whole))
    ids = torch.tensor([[tokenizer.pad_token_id] * (longest - len(one)) + one for one in whole], device=tuned.device)
    mask = torch.tensor([[0] * (longest - len(one)) + [1] * len(one) for one in whole], device=tuned.device)
    last = max(map(len, tails))
    logits = tuned(input_ids=ids, attention_mask=mask, logits_to_keep=last + 1).logits[:, :-1]
    found = torch.log_softmax(logits.float(), dim=-1).gather(2, ids[:, -last:, None])[:, :, 0]
    own = torch.tensor([[i >= last - len(tail) for i in range(last)] for tail in tails], device=tuned.device)
    return (found * own).sum(dim=1)


def _gain(tuned: Any, tokenizer: Any, rows: Sequence[Row]) -> float:
    """Return the mean change by the adapter in the likelihood of actions, refused ones counted negative, -2 to 2."""
    tuned.eval()
    with torch.no_grad():
        own = _agreement(tuned, tokenizer, rows, narrow=True)
        with tuned.disable_adapter():
            plain = _agreement(tuned, tokenizer, rows, narrow=False)
    return own - plain


def _agreement(tuned: Any, tokenizer: Any, rows: Sequence[Row], *, narrow: bool) -> float:
    """Return the mean likelihood of the recommended actions, with refused actions counted negative."""
    total = 0.0
    for at in range(0, len(rows), 8):
        part = rows[at : at + 8]
        prompts = [one.narrow if narrow else one.wide for one in part]
        signs = torch.tensor([1.0 if one.taken else -1.0 for one in part])
        total += float((likelihoods(tuned, tokenizer, prompts, part).exp().cpu() * signs).sum())
    return total / len(rows)
