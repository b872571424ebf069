"""Models and tokenizers, from a checkpoint by its name or folder, or with random weights.

A random model is of Qwen2's family with a tokenizer trained on the lessons, so that it works as a published checkpoint.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

PADDING, START, END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
TEMPLATE = (  # ChatML, as Qwen's own
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
LONGEST = 8192  # tokens that a fresh model has places for
LORA_TARGETS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
FACTS = "lessons.json"
PLAIN = ("TokenizersBackend", "PreTrainedTokenizerFast")  # what a tokenizer of our own is called in its folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """The shape of a model with random weights."""

    vocabulary: int
    hidden: int
    layers: int
    heads: int
    key_heads: int
    inner: int


SIZES = {
    "tiny": Size(vocabulary=2048, hidden=128, layers=2, heads=4, key_heads=2, inner=256),  # 0.5 M weights
    "50m": Size(vocabulary=4096, hidden=512, layers=14, heads=8, key_heads=4, inner=1792),  # 52 M weights
}


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts that are needed to use a trained model, such as the largest numbers of tokens of answers and prompts."""

    answer_tokens: int
    prompt_tokens: int
    tokens: int

    @property
    def room(self) -> int:
        """The largest number of tokens of an answer, with some reserve over the longest answer of the training."""
        return self.answer_tokens + max(self.answer_tokens // 4, 16)


def fresh(size: str, texts: Iterable[str], seed: int) -> tuple[Any, Any]:
    """Return a model with random weights and a tokenizer trained on ``texts``. Raises ValueError for another size."""
    if size not in SIZES:
        raise ValueError(f"there is no size {size!r}; there are: {', '.join(SIZES)}")
    shape, tokenizer = SIZES[size], tokenizer_of(texts, SIZES[size].vocabulary)
    torch.manual_seed(seed)
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=shape.hidden,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.key_heads,
        intermediate_size=shape.inner,
        max_position_embeddings=LONGEST,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    return Qwen2ForCausalLM(config).to(device()), tokenizer


def tokenizer_of(texts: Iterable[str], vocabulary: int) -> Any:
    """Return a tokenizer by byte-pair encoding within words, trained on ``texts``."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

    raw = Tokenizer(models.BPE())
    words = pre_tokenizers.Split(Regex(r" ?[^\s,;<>]+|[\s,;<>]"), "isolated")
    raw.pre_tokenizer = pre_tokenizers.Sequence(
        [words, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    raw.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[PADDING, START, END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    raw.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=raw,
        pad_token=PADDING,
        eos_token=END,
        chat_template=TEMPLATE,
        padding_side="left",
        clean_up_tokenization_spaces=False,
    )


def opened(name: str | Path, *, four_bits: bool = False) -> tuple[Any, Any]:
    """Return a model and its tokenizer by folder or name, on the graphics card if there is one.

    ``four_bits`` quantises the model if there is a card and bitsandbytes is installed. Raises OSError for a missing
    model.
    """
    tokenizer = _tokenizer(name)
    settings: dict[str, Any] = {"dtype": torch.bfloat16} if torch.cuda.is_available() else {}
    if four_bits and torch.cuda.is_available() and find_spec("bitsandbytes"):
        from transformers import BitsAndBytesConfig

        settings["quantization_config"] = BitsAndBytesConfig(
            load_in_4bit=True,
            bnb_4bit_quant_type="nf4",
            bnb_4bit_compute_dtype=torch.bfloat16,
            bnb_4bit_use_double_quant=True,
        )
    model = AutoModelForCausalLM.from_pretrained(str(name), **settings)
    return (model if "quantization_config" in settings else model.to(device())), tokenizer


def _tokenizer(name: str | Path) -> Any:
    """Return a stored tokenizer. It avoids ``AutoTokenizer`` where this would split words as Qwen does."""
    kept = Path(name) / "tokenizer_config.json"
    plain = kept.exists() and json.loads(kept.read_text(encoding="utf-8")).get("tokenizer_class") in PLAIN
    return (PreTrainedTokenizerFast if plain else AutoTokenizer).from_pretrained(str(name), padding_side="left")


def device() -> str:
    return "cuda" if torch.cuda.is_available() else "cpu"


def weights(model: Any) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


def lora(rank: int) -> Any:
    """Return a LoRA configuration (Hu and others 2021) for all matrices of a layer, with alpha as twice the rank."""
    from peft import LoraConfig

    return LoraConfig(
        r=rank, lora_alpha=2 * rank, lora_dropout=0.0, target_modules=list(LORA_TARGETS), task_type="CAUSAL_LM"
    )


def merged(trained: Any, base: str | Path, folder: Path) -> Any:
    """Return the model ``base`` with the trained LoRA merged into its weights.

    A quantised model is loaded again without quantisation. The adapter is then stored in ``folder`` first.
    """
    if not getattr(trained, "is_loaded_in_4bit", False):
        return trained.merge_and_unload()
    from peft import PeftModel

    trained.save_pretrained(folder)
    return PeftModel.from_pretrained(opened(base)[0], folder).merge_and_unload()


def keep(model: Any, tokenizer: Any, facts: Facts, folder: Path) -> None:
    """Write a model, its tokenizer and its facts to a folder, for ``opened`` and ``facts_of``."""
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    text = {name: getattr(facts, name) for name in ("answer_tokens", "prompt_tokens", "tokens")}
    (folder / FACTS).write_text(json.dumps(text), encoding="utf-8")


def facts_of(folder: str | Path) -> Facts:
    """Return the facts in the folder of a trained model. Raises ValueError for any other folder."""
    try:
        return Facts(**json.loads((Path(folder) / FACTS).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        raise ValueError(f"{folder} holds no model that was taught: bridge llm sft --out {folder}") from None
