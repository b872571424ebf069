"""Measures what word vectors add to the linear classifier. Run ``python -m lab.benchmarks.embeddings MODEL_FOLDER
TITLES``.

``MODEL_FOLDER`` holds all-MiniLM-L6-v2 (Wang et al. 2020, Apache-2.0: ``model.safetensors``, ``vocab.txt``), run in
numpy. Every whole English word of its vocabulary is put through it once; a title's vector is the mean of its words'
vectors, projected on their first principal components, and stands beside the n-grams and the rules. ``TITLES`` is the
file of real titles. Printed: with and without, on the titles of ``corpus/real_test.tsv``. Takes a quarter of an hour.
"""

from __future__ import annotations

import json
import re
import struct
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack
from scipy.special import erf
from sklearn.linear_model import LogisticRegression

from classifiers.linear import CLASSES
from classifiers.linear.model import plain_words
from lab.classifier import measure, train
from lab.classifier.corpus import CORPUS, Titled, corpus, real

Floats = NDArray[np.float32]
WORD = re.compile(r"[a-z]{2,}")
BATCH, HEADS, WIDTH, LAYERS = 512, 12, 384, 6
LOUDNESS = 1.0  # length of a title's vector beside n-grams of length 1 and 1
DIMENSIONS = (0, 128, WIDTH)


class MiniLM:
    """The sentence encoder with six layers. It returns the mean of the tokens, scaled to length 1."""

    def __init__(self, folder: Path) -> None:
        self._weights = dict(_tensors(folder / "model.safetensors"))
        lines = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
        self.tokens = {word: at for at, word in enumerate(lines)}

    def words(self, words: Sequence[str]) -> Floats:
        """Encode each word as a sentence of its own. Shape words x 384."""
        start, end = self.tokens["[CLS]"], self.tokens["[SEP]"]
        ids = np.array([[start, self.tokens[word], end] for word in words])
        return np.concatenate([self._encoded(ids[at : at + BATCH]) for at in range(0, len(ids), BATCH)])

    def _encoded(self, ids: NDArray[np.int64]) -> Floats:
        of = self._weights
        states = of["embeddings.word_embeddings.weight"][ids]
        states = states + of["embeddings.position_embeddings.weight"][: ids.shape[1]]
        states = self._normed(states + of["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for layer in range(LAYERS):
            states = self._layer(states, f"encoder.layer.{layer}.")
        mean = states.mean(axis=1)
        found: Floats = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        return found

    def _layer(self, states: Floats, name: str) -> Floats:
        count, length, _ = states.shape
        query, key, value = (
            self._linear(states, f"{name}attention.self.{part}").reshape(count, length, HEADS, -1).swapaxes(1, 2)
            for part in ("query", "key", "value")
        )
        scores = np.exp(query @ key.swapaxes(2, 3) / np.sqrt(WIDTH / HEADS))
        mixed = (scores / scores.sum(axis=-1, keepdims=True) @ value).swapaxes(1, 2).reshape(count, length, WIDTH)
        mixed = self._linear(mixed, f"{name}attention.output.dense")
        states = self._normed(states + mixed, f"{name}attention.output.LayerNorm")
        inner = self._linear(states, f"{name}intermediate.dense")
        inner = inner * 0.5 * (1 + erf(inner / np.sqrt(2)))
        return self._normed(states + self._linear(inner, f"{name}output.dense"), f"{name}output.LayerNorm")

    def _linear(self, states: Floats, name: str) -> Floats:
        found: Floats = states @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return found

    def _normed(self, states: Floats, name: str) -> Floats:
        centred = states - states.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
        found: Floats = scaled * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return found


def _tensors(path: Path) -> Iterator[tuple[str, Floats]]:
    """Yield the 32-bit tensors of a safetensors file by name."""
    content = path.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    for name, one in json.loads(content[8 : 8 + length]).items():
        if one.get("dtype") == "F32":
            begin, end = (8 + length + at for at in one["data_offsets"])
            yield name, np.frombuffer(content[begin:end], np.float32).reshape(one["shape"])


def vectors(titles: Sequence[Titled], places: dict[str, int], table: Floats) -> csr_array:
    """Return each title's mean word vector, titles x dimensions. Rarer words, later in the vocabulary, weigh more."""
    found = np.zeros((len(titles), table.shape[1]), np.float32)
    for at, one in enumerate(titles):
        known = [places[word] for word in plain_words(one.event.title).split() if word in places]
        if known:
            mean = np.log(np.array(known) + 50.0) @ table[known]
            found[at] = LOUDNESS * mean / max(float(np.linalg.norm(mean)), 1e-9)
    return csr_array(found)


def main(folder: Path, file: Path) -> None:
    encoder = MiniLM(folder)
    words = [word for word in encoder.tokens if WORD.fullmatch(word)]
    print(f"{len(words):,} words", flush=True)
    table = encoder.words(words)
    table -= table.mean(axis=0)
    axes = np.linalg.svd(table, full_matrices=False)[2]
    places = {word: at for at, word in enumerate(words)}
    titles, test = corpus(), real(CORPUS / "real_test.tsv", file)
    counts = train.counted(titles, rules=True)
    rarity = train.rarities(counts)
    beside = train.weighed(counts, rarity), train.weighed(train.counted(test, rules=True), rarity)
    labels = np.array([CLASSES.index(one.action) for one in titles])
    for dimensions in DIMENSIONS:
        projected = table @ axes[:dimensions].T
        projected /= np.maximum(np.linalg.norm(projected, axis=1, keepdims=True), 1e-9)
        learnt, unseen = (
            hstack([grams, vectors(of, places, projected)]).tocsr() if dimensions else grams
            for grams, of in zip(beside, (titles, test), strict=True)
        )
        model = LogisticRegression(C=train.STRENGTH, max_iter=train.ROUNDS, tol=train.CLOSE)
        shares = model.fit(learnt, labels, sample_weight=train.seldom(labels)).predict_proba(unseen)
        guesses: list[measure.Guess] = [(CLASSES[row.argmax()], float(row.max())) for row in shares]
        one = measure.figures(test, guesses)
        print(f"{dimensions:4} dimensions: strict {one.strict:.3f}, acceptable {one.also:.3f}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
