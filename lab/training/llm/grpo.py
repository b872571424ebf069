"""Refine a trained language model by group-relative policy gradient (GRPO, Shao and others 2024).

The belief is written before the action. Answers that are cut off are counted, and too many of them end the run. A group
of equal rewards gives no gradient, and the share of such groups is reported. Two-cycles and repetition cost reward.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformers import set_seed
from trl import GRPOConfig, GRPOTrainer

from lab.training.llm import evaluate, model, rewards, trajectories
from lab.training.llm.sft import CHECKPOINTS, Looks, Shown, Watch, common, run, split, summary
from lab.training.llm.trajectories import WEEK, Lesson

MOST_CUT = 0.05  # share of answers that may be cut off
LOOKS = 4  # at the belief during a refinement


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """The settings of a refinement of the model in ``base``. Rank, group and pull are as published."""

    lessons: Path
    base: Path
    out: Path
    steps: int = 500
    group: int = 8
    prompts: int = 4
    rate: float = 1e-5
    rank: int = 8
    pull: float = 0.04
    temperature: float = 1.0  # published: 1.5
    room: int | None = None
    four_bits: bool = True
    seed: int = 0
    resume: bool = False


def train(course: Course, watch: Watch) -> dict[str, Any]:
    """Refine the model into ``course.out`` and return figures.

    Raises ValueError if answers do not fit into their largest length.
    """
    set_seed(course.seed)
    facts = model.facts_of(course.base)
    room = course.room or facts.room
    if room < facts.answer_tokens:
        raise ValueError(f"taught answers have up to {facts.answer_tokens} tokens, {room} would cut them off: --room")
    learned, held_out = split(list(trajectories.lessons(trajectories.read(course.lessons), facts.tokens)))
    taught, tokenizer = model.opened(course.base, four_bits=course.four_bits)
    tally = Tally(room)
    trainer = GRPOTrainer(
        model=taught,
        args=_settings(course, room),
        reward_funcs=tally.functions(),
        train_dataset=_dataset([one for one in learned if one.kind == WEEK]),
        processing_class=tokenizer,
        peft_config=model.lora(course.rank),
        callbacks=[Shown(watch("refining")), Looks(lambda now: evaluate.probed(now, tokenizer, held_out, room), LOOKS)],
    )
    run(trainer, course.out, resume=course.resume)
    if tally.share > MOST_CUT:
        raise ValueError(f"{tally.share:.0%} of the answers were cut off at {room} tokens; give them more: --room")
    done = model.merged(trainer.model, course.base, course.out / "adapter")
    model.keep(done, tokenizer, facts, course.out)
    return {**summary(trainer, course.out, done, facts), **_course_of(trainer), "cut_in_training": tally.share}


class Tally:
    """The reward functions in the trainer's form, with a count of answers that were cut off."""

    def __init__(self, room: int) -> None:
        self._room = room
        self.answers = self.cut = 0

    @property
    def share(self) -> float:
        return self.cut / max(self.answers, 1)

    def functions(self) -> list[Callable[..., list[float]]]:
        return [self.form, self.legality, self.environment, self.belief]

    def form(self, completions: Sequence[Any], completion_ids: Sequence[Any], **_: Any) -> list[float]:
        """Return the reward for the form of each answer, and count answers that were cut off, which get the worst."""
        self.answers += len(completions)
        cut = [len(ids) >= self._room for ids in completion_ids]
        self.cut += sum(cut)
        found = zip(_texts(completions), cut, strict=True)
        return [rewards.FORMLESS if was_cut else rewards.form(text) for text, was_cut in found]

    def legality(self, completions: Sequence[Any], **_: Any) -> list[float]:
        return [rewards.legality(text) for text in _texts(completions)]

    def environment(
        self,
        completions: Sequence[Any],
        seed: Sequence[int],
        condition: Sequence[str],
        before: Sequence[Sequence[str]],
        **_: Any,
    ) -> list[float]:
        return list(map(rewards.environment, _texts(completions), seed, condition, before))

    def belief(
        self, completions: Sequence[Any], seed: Sequence[int], condition: Sequence[str], **_: Any
    ) -> list[float]:
        return list(map(rewards.belief, _texts(completions), seed, condition))


def _texts(completions: Sequence[Any]) -> list[str]:
    return [completion if isinstance(completion, str) else completion[0]["content"] for completion in completions]


def _dataset(lessons: Sequence[Lesson]) -> Any:
    """Return a dataset of prompts with what is needed to play their weeks again, without answers."""
    from datasets import Dataset, disable_progress_bars

    disable_progress_bars()
    return Dataset.from_list(
        [
            {"prompt": lesson.prompt, "seed": lesson.seed, "condition": lesson.condition, "before": list(lesson.before)}
            for lesson in lessons
        ]
    )


def _settings(course: Course, room: int) -> GRPOConfig:
    return GRPOConfig(
        output_dir=str(course.out / CHECKPOINTS),
        per_device_train_batch_size=course.group * course.prompts,
        num_generations=course.group,
        max_completion_length=room,
        max_steps=course.steps,
        learning_rate=course.rate,
        beta=course.pull,
        temperature=course.temperature,
        logging_steps=1,
        save_steps=max(course.steps // 4, 1),
        save_total_limit=1,
        seed=course.seed,
        **common(),
    )


def _course_of(trainer: Any) -> dict[str, float]:
    """Return mean rewards in the first and last tenth of the log, and the share of groups with equal rewards only."""
    rows = [row for row in trainer.state.log_history if "reward" in row]
    tenth = max(len(rows) // 10, 1)
    idle = [float(row.get("frac_reward_zero_std", 0.0)) for row in rows]
    return {
        "first_reward": sum(float(row["reward"]) for row in rows[:tenth]) / tenth,
        "last_reward": sum(float(row["reward"]) for row in rows[-tenth:]) / tenth,
        "groups_without_gradient": sum(idle) / max(len(idle), 1),
    }
