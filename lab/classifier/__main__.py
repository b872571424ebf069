"""Train the shipped model again, measure it, and write its card (``python -m lab.classifier``).

``--titles FILE`` (``titles_real.tsv``) measures on the real titles that ``corpus/real_test.tsv`` knows by digest, and
prints the calibration by those of ``corpus/real_dev.tsv``, with the entries of ``entries_dev.tsv`` if calendars are
given. ``--calendars FOLDER`` measures on the public calendars that ``entries_*.tsv`` label. ``--figures`` prints the
shipped model's figures on these and trains nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from classifiers.keywords import Keywords, lexicon
from classifiers.linear import HERE, Linear
from classifiers.linear.model import Model, load
from lab.classifier import in_context, measure, replay
from lab.classifier.corpus import CORPUS, Titled, corpus, real
from lab.classifier.entries import ASKED, DEV, LATER, MORE, READ, TEST, YEARS, dated, lived
from lab.classifier.entries import entries as entries_of
from lab.classifier.train import REAL, Calibration, calibrated, save, trained
from lab.marked_documents import put

MODEL, CARD = HERE / "model.npz", HERE / "MODEL_CARD.md"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.classifier", description=__doc__)
    parser.add_argument("--titles", type=Path, help="real titles: a file with a column of that name")
    parser.add_argument("--model", type=Path, default=MODEL, help="where the model goes")
    parser.add_argument("--card", type=Path, default=CARD, help="the document with the tables")
    parser.add_argument("--calendars", type=Path, help="public calendars, as OWNER/NAME/PATH.ics")
    parser.add_argument("--figures", action="store_true", help="print the shipped model's figures, change nothing")
    parser.add_argument("--only-train", action="store_true", help="no cross-validation, no tables")
    given = parser.parse_args(arguments)
    if given.figures:
        print("\n\n".join(_figures(load(given.model), given.titles, given.calendars)))
        return
    titles = corpus()
    print(f"{len(titles):,} titles", file=sys.stderr)
    model = trained(titles)
    save(model, given.model)
    if not given.only_train:
        put(given.card, _card(titles, load(given.model), given.titles, given.calendars))


def _figures(model: Model, titles: Path | None, folder: Path | None) -> list[str]:
    classifier = Linear(model, Keywords(lexicon()))
    found = []
    if titles is not None:
        test = real(CORPUS / "real_test.tsv", titles)
        shipped = {"linear + rules, as shipped": measure.with_rules(model)([one.event for one in test])}
        found.append(measure.tables(f"Real titles ({titles.name}), {len(test):,} of them", test, shipped))
    if folder is not None:
        entries, later, read, years = (dated(labels, folder) for labels in (TEST, LATER, READ, YEARS))
        found += [
            *_in_context("Entries that chose nothing", [*later, *years], classifier),
            *_in_context("Entries whose counts were looked at while versions 4 to 6 were made", entries, classifier),
            *_in_context("Entries read while the corpus grew", read, classifier),
            *_answered("people that chose nothing of how answers teach", (LATER, YEARS, MORE), folder, classifier),
            *_answered("people that chose it, and so flatter", (DEV, TEST, READ, ASKED), folder, classifier),
        ]
    return found


def _in_context(name: str, entries: Sequence[tuple[datetime, Titled]], classifier: Linear) -> list[str]:
    people = len({one.person for _, one in entries})
    rows = in_context.table([one for _, one in entries], classifier)
    return [f"### {name}, {people} people", in_context.markdown(rows)]


def _answered(name: str, labels: Sequence[Path], folder: Path, classifier: Linear) -> list[str]:
    entries = [one for file in labels for one in lived(file, folder)]
    return [f"### After a person's answers, {name}", replay.markdown(entries, classifier)]


def _card(titles: list[Titled], model: Model, file: Path | None, folder: Path | None) -> str:
    size = MODEL.stat().st_size / 1e6
    text = [
        f"{datetime.now(UTC):%Y-%m-%d}, {len(titles):,} titles, {size:.1f} MB, temperature {model.temperature}.",
        measure.tables("The corpus, five folds, near-duplicates together", titles, measure.crossed(titles, _said())),
    ]
    if file is not None:
        text += _real(titles, model, file, folder)
    text += _figures(model, None, folder)
    return "\n\n".join(text)


def _real(titles: list[Titled], model: Model, file: Path, folder: Path | None) -> list[str]:
    test, dev = (real(CORPUS / name, file) for name in ("real_test.tsv", "real_dev.tsv"))
    asking = [*dev, *([] if folder is None else entries_of(DEV, folder))]
    events = [one.event for one in test]
    met = {one.event.title.casefold() for one in (*test, *dev)}
    unmet = [title for title in titles if title.event.title.casefold() not in met]
    strict = trained(unmet, calibration=Calibration())
    print(f"train.REAL as these ask for it: {measure.calibration(strict, asking)}", file=sys.stderr)
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
