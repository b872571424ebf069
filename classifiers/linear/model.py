"""The linear model as arrays, with its file format and its probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

from bridge.domain.errors import SetupError
from bridge.domain.ports import Invitation
from classifiers.keywords import Verdict
from classifiers.linear.grams import BITS, LOUD, Block, Part, blocks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """Arrays of the model, namely ``weights`` (bucket, action) and ``rarity`` (bucket,), the inverse document
    frequency.

    ``temperature`` divides the scores, which calibrates the probabilities on titles outside the corpus.
    """

    version: int
    weights: Floats
    rarity: Floats
    bias: Floats
    temperature: float

    def probabilities(
        self, events: Sequence[Invitation], rules: Sequence[Verdict | None] | None
    ) -> NDArray[np.float64]:
        """Return probabilities (event, action), each row summing to 1.

        ``rules`` holds the keyword rules' verdict on each event, or is None without rules.
        """
        import numpy as np

        scores = np.tile(self.bias.astype(np.float64), (len(events), 1))
        found = blocks(
            [event.title for event in events], [[]] * len(events) if rules is None else [names(rule) for rule in rules]
        )
        for part in Part:
            scores += self._scored([block for block in found if block.part is part], part, len(events))
        scores = (scores - scores.max(axis=1, keepdims=True)) / self.temperature
        likely = np.exp(scores)
        shares: NDArray[np.float64] = likely / likely.sum(axis=1, keepdims=True)
        return shares

    def _scored(self, found: Sequence[Block], part: Part, titles: int) -> NDArray[np.float64]:
        """Return the scores (title, action) of some features, with each title's features scaled to length 1."""
        import numpy as np

        sums = np.zeros((titles, self.weights.shape[1]))
        squares = np.zeros(titles)
        for block in found:
            if len(block.titles):
                first = np.flatnonzero(np.diff(block.titles, prepend=-1))
                rare = self.rarity[block.buckets] if part is not Part.FACTS else np.ones(1, np.float32)
                sums[block.titles[first]] += np.add.reduceat(self.weights[block.buckets] * rare[:, None], first)
                squares[block.titles[first]] += np.add.reduceat(np.broadcast_to(rare**2, block.titles.shape), first)
        return LOUD * sums if part is Part.FACTS else sums / np.sqrt(np.maximum(squares, 1e-9))[:, None]


def names(rule: Verdict | None) -> list[str]:
    """Return a rule's verdict as features, its action alone and with its strength."""
    if rule is None or rule.action is None:
        return ["no rule"]
    return [f"rule {rule.action}", f"rule {rule.action} {rule.confidence:.1f}"]


@cache
def load(path: Path) -> Model:
    """Read a model from its file. Raises SetupError for a damaged file and for another format."""
    import numpy as np

    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
            if int(kept["format"]) != FORMAT or int(kept["bits"]) != BITS:
                raise SetupError(
                    f"{path.name} has another format; train the model again: python -m classifiers.linear train"
                )
            weights = np.zeros((1 << BITS, len(kept["scale"])), dtype=np.float32)
            weights[kept["buckets"]] = kept["weights"] * kept["scale"]
            rarity = np.zeros(1 << BITS, dtype=np.float32)
            rarity[:] = kept["unseen"]
            rarity[kept["buckets"]] = kept["rarity"]
            return Model(
                version=int(kept["version"]),
                weights=weights,
                rarity=rarity,
                bias=kept["bias"],
                temperature=float(kept["temperature"]),
            )
    except (OSError, EOFError, KeyError, ValueError, TypeError, AttributeError, BadZipFile) as error:
        raise SetupError(f"{path.name} cannot be read ({type(error).__name__}); install the package again") from None


def save(model: Model, path: Path) -> None:
    """Write a model, with 8-bit weights of the used buckets only."""
    import numpy as np

    used = np.flatnonzero(np.abs(model.weights).max(axis=1) > 0).astype(np.uint32)
    scale = np.maximum(np.abs(model.weights).max(axis=0), 1e-9).astype(np.float32) / 127
    np.savez_compressed(
        path,
        format=FORMAT,
        bits=BITS,
        version=model.version,
        buckets=used,
        weights=np.rint(model.weights[used] / scale).astype(np.int8),
        scale=scale,
        rarity=model.rarity[used].astype(np.float16),
        unseen=np.float32(model.rarity.max()),
        bias=model.bias,
        temperature=model.temperature,
    )
