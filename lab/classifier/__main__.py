"""Trains the shipped model again, measures it, and writes its card (``python -m lab.classifier``).

``--titles FILE`` (``titles_real.tsv`` of the real titles) measures on the titles that ``corpus/real_test.tsv`` knows by
digest, and says which calibration those of ``corpus/real_dev.tsv`` ask for; without it the card has no real titles.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from classifiers.linear import HERE
from classifiers.linear.model import Model, load, save
from lab.classifier import measure
from lab.classifier.corpus import CORPUS, Titled, corpus, real
from lab.classifier.train import REAL, Calibration, calibrated, trained
from lab.marked_documents import put

MODEL, CARD = HERE / "model.npz", HERE / "MODEL_CARD.md"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.classifier", description=__doc__)
    parser.add_argument("--titles", type=Path, help="real titles: a file with a column of that name")
    parser.add_argument("--model", type=Path, default=MODEL, help="where the model goes")
    parser.add_argument("--card", type=Path, default=CARD, help="the document with the tables")
    parser.add_argument("--only-train", action="store_true", help="no cross-validation, no tables")
    given = parser.parse_args(arguments)
    titles = corpus()
    print(f"{len(titles):,} titles", file=sys.stderr)
    save(trained(titles), given.model)
    if not given.only_train:
        put(given.card, _card(titles, load(given.model), given.titles))


def _card(titles: list[Titled], model: Model, file: Path | None) -> str:
    size = MODEL.stat().st_size / 1e6
    text = [
        f"{datetime.now(UTC):%Y-%m-%d}, {len(titles):,} titles, {size:.1f} MB, temperature {model.temperature}.",
        measure.tables("The corpus, five folds, near-duplicates together", titles, measure.crossed(titles, _said())),
    ]
    if file is not None:
        text += _real(titles, model, file)
    return "\n\n".join(text)


def _real(titles: list[Titled], model: Model, file: Path) -> list[str]:
    test, dev = (real(CORPUS / name, file) for name in ("real_test.tsv", "real_dev.tsv"))
    events = [one.event for one in test]
    met = {one.event.title.casefold() for one in (*test, *dev)}
    unmet = [one for one in titles if one.event.title.casefold() not in met]
    strict = trained(unmet, calibration=Calibration())
    print(f"train.REAL as these ask for it: {measure.calibration(strict, dev)}", file=sys.stderr)
    same, kappa = measure.agreement(test)
    guesses = {
        "rules": measure.rules_alone()(events),
        "linear": measure.letters_alone(trained(titles, rules=False))(events),
        "linear + rules, without titles the corpus has too": measure.with_rules(calibrated(strict, REAL))(events),
        "linear + rules, as shipped": measure.with_rules(model)(events),
    }
    read = f"Two readers gave {same:.1%} of them one label (Cohen's kappa {kappa:.2f})."
    return [measure.tables(f"Real titles ({file.name}), {len(test):,} of them", test, guesses), read]


def _said() -> Callable[[int, int], None]:
    return lambda done, total: print(f"model {done} of {total}", file=sys.stderr)


if __name__ == "__main__":
    main()
