"""Measure the classification of titles. Run ``python -m lab.benchmarks.titles``.

The titles are those of the training corpus. The bound is the keyword classifier, which the linear model also runs.
"""

from __future__ import annotations

import subprocess
import sys

from bridge.domain.ports import EventClassifier, Invitation
from classifiers import keywords, linear
from lab.benchmarks.figures import best
from lab.classifier.corpus import corpus

TITLES = 20_000
SINGLES = 500
LOADING = "from classifiers.linear import open_classifier; open_classifier()"


def speed(classifier: EventClassifier, events: list[Invitation]) -> tuple[float, float]:
    """Return titles per second in a batch, and milliseconds for a single title."""
    batch = best(lambda: classifier.classify(events))
    singles = best(lambda: [classifier.classify([event]) for event in events[:SINGLES]])
    return len(events) / batch, 1000 * singles / SINGLES


def main() -> None:
    events = [one.event for one in corpus()[:TITLES]]
    bound, alone = speed(keywords.open_classifier(), events)
    print(f"keywords: {bound:8,.0f} titles/s, one in {alone:.3f} ms")
    found, one = speed(linear.open_classifier(), events)
    print(f"linear:   {found:8,.0f} titles/s, one in {one:.3f} ms; {bound / found:.1f} times the keywords' time")
    started = best(lambda: subprocess.run([sys.executable, "-c", "import numpy"], check=True))
    loaded = best(lambda: subprocess.run([sys.executable, "-c", LOADING], check=True))  # noqa: S603 - our own module
    size = (linear.HERE / "model.npz").stat().st_size / 1e6
    print(f"loading:  {loaded - started:.3f} s beyond Python with numpy ({started:.3f} s); {size:.1f} MB")


if __name__ == "__main__":
    main()
