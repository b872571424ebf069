"""Supervised fine-tuning of a language model on recorded answers. The loss counts the tokens of answers only."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformers import PrinterCallback, TrainerCallback, set_seed
from transformers.trainer_utils import get_last_checkpoint
from trl import SFTConfig, SFTTrainer

from lab.training.llm import evaluate, model, trajectories
from lab.training.llm.model import Facts
from lab.training.llm.trajectories import WEEK, Lesson

Watch = Callable[[str], Callable[[int, int], None]]

HELD_OUT = 24  # prompts, of weeks that are not learned from, to look at the belief with
LOOKS = 8  # times during a training, about
CHECKPOINTS = "checkpoints"
RATES = {"fresh": 3e-3, "lora": 2e-4}  # of learning: of random weights, and of an adapter as published


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """Settings of a fine-tuning. ``base`` is a checkpoint's name or folder, or None for random weights of ``size``."""

    lessons: Path
    out: Path
    base: str | None = None
    size: str = "tiny"
    tokens: int = 2000
    epochs: float = 3.0
    batch: int = 16
    rate: float | None = None
    rank: int = 16
    four_bits: bool = True
    seed: int = 0
    resume: bool = False


def train(course: Course, watch: Watch) -> dict[str, Any]:
    """Fine-tune a model into ``course.out`` and return figures.

    Raises ValueError for a file without lessons, or a folder with another training.
    """
    set_seed(course.seed)
    learned, held_out = split(list(trajectories.lessons(trajectories.read(course.lessons), course.tokens)))
    texts = (f"{one.prompt[0]['content']}\n{one.prompt[1]['content']}\n{one.answer}" for one in learned)
    taught, tokenizer = (
        model.opened(course.base, four_bits=course.four_bits)
        if course.base
        else model.fresh(course.size, texts, course.seed)
    )
    facts = _facts(tokenizer, learned, course.tokens)
    trainer = SFTTrainer(
        model=taught,
        args=_settings(course, len(learned)),
        train_dataset=_dataset(learned),
        processing_class=tokenizer,
        peft_config=model.lora(course.rank) if course.base else None,
        callbacks=[
            Shown(watch("fine-tuning")),
            Looks(lambda now: evaluate.probed(now, tokenizer, held_out, facts.room)),
        ],
    )
    run(trainer, course.out, resume=course.resume)
    done = model.merged(trainer.model, course.base, course.out / "adapter") if course.base else trainer.model
    model.keep(done, tokenizer, facts, course.out)
    return summary(trainer, course.out, done, facts)


def run(trainer: Any, out: Path, *, resume: bool) -> None:
    """Run a trainer, with ``resume`` from the last checkpoint in ``out`` if there is one. It prints nothing."""
    from transformers.utils import logging

    logging.disable_progress_bar()
    trainer.remove_callback(PrinterCallback)
    place = out / CHECKPOINTS
    trainer.train(resume_from_checkpoint=get_last_checkpoint(str(place)) if resume and place.exists() else None)


def split(lessons: Sequence[Lesson]) -> tuple[list[Lesson], list[Lesson]]:
    """Return (training lessons, test lessons of late slots in the last weeks).

    Raises ValueError for fewer than four weeks.
    """
    weeks = sorted({lesson.seed for lesson in lessons if lesson.kind == WEEK})
    if len(weeks) < 4:
        raise ValueError("it takes at least four taught weeks: bridge llm teacher --weeks 100")
    kept = set(weeks[-max(len(weeks) // 10, 1) :])
    learned = [lesson for lesson in lessons if lesson.kind != WEEK or lesson.seed not in kept]
    held = [lesson for lesson in lessons if lesson.kind == WEEK and lesson.seed in kept and len(lesson.before) >= 7]
    return learned, held[:: max(len(held) // HELD_OUT, 1)][:HELD_OUT]


def _facts(tokenizer: Any, lessons: Sequence[Lesson], tokens: int) -> Facts:
    answers = [len(tokenizer(lesson.answer)["input_ids"]) for lesson in lessons]
    prompts = [len(tokenizer(lesson.prompt[1]["content"])["input_ids"]) for lesson in lessons]
    system = len(tokenizer(lessons[0].prompt[0]["content"])["input_ids"])
    return Facts(answer_tokens=max(answers) + 1, prompt_tokens=max(prompts) + system + 16, tokens=tokens)


def _dataset(lessons: Sequence[Lesson]) -> Any:
    from datasets import Dataset, disable_progress_bars

    disable_progress_bars()
    rows = [
        {"prompt": lesson.prompt, "completion": [{"role": "assistant", "content": lesson.answer}]} for lesson in lessons
    ]
    return Dataset.from_list(rows)


def _settings(course: Course, lessons: int) -> SFTConfig:
    steps = math.ceil(lessons / course.batch * course.epochs)
    return SFTConfig(
        output_dir=str(course.out / CHECKPOINTS),
        per_device_train_batch_size=course.batch,
        max_steps=steps,
        learning_rate=course.rate or RATES["lora" if course.base else "fresh"],
        lr_scheduler_type="cosine",
        warmup_steps=max(steps // 20, 1),
        weight_decay=0.01,
        max_length=None,  # nothing is cut off: a lesson without its end teaches not to end
        completion_only_loss=True,
        logging_steps=max(steps // 100, 1),
        save_steps=max(steps // 4, 1),
        save_total_limit=1,
        seed=course.seed,
        **common(),
    )


def common() -> dict[str, Any]:
    """Return the trainer's settings for this machine, in half precision on a graphics card."""
    card = model.device() == "cuda"
    return {
        "bf16": card,
        "use_cpu": not card,
        "gradient_checkpointing": card,
        "dataloader_pin_memory": card,
        "report_to": "none",
        "disable_tqdm": True,
    }


class Shown(TrainerCallback):
    """A callback that reports progress."""

    def __init__(self, on_step: Callable[[int, int], None]) -> None:
        self._on_step = on_step

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
        self._on_step(state.global_step, state.max_steps)


class Looks(TrainerCallback):
    """A callback that measures the belief and the form of answers now and then, and logs the figures."""

    def __init__(self, look: Callable[[Any], dict[str, float | None]], times: int = LOOKS) -> None:
        self._look, self._times = look, times

    def on_step_end(self, args: Any, state: Any, control: Any, **kept: Any) -> None:  # noqa: ARG002
        if state.global_step % -(-state.max_steps // self._times) == 0 or state.global_step == state.max_steps:
            state.log_history.append({"step": state.global_step, **self._look(kept["model"])})


def summary(trainer: Any, out: Path, taught: Any, facts: Facts) -> dict[str, Any]:
    """Return the figures of a training, and write its log beside the model."""
    import json

    notes = [row for row in trainer.state.log_history if "loss" in row or "valid" in row]
    (out / "notes.json").write_text(json.dumps(notes), encoding="utf-8")
    losses = [row["loss"] for row in notes if "loss" in row]
    looks = [row for row in notes if "valid" in row]
    tenth = max(len(losses) // 10, 1)
    return {
        "out": str(out),
        "weights": model.weights(taught),
        "device": model.device(),
        "steps": trainer.state.global_step,
        "first_loss": sum(losses[:tenth]) / tenth,
        "last_loss": sum(losses[-tenth:]) / tenth,
        "answer_tokens": facts.room,
        **{name: looks[-1][name] for name in ("valid", "cut", "belief_mae", "constant_mae")},
    }
