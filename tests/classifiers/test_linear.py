"""The linear classifier: its features, its file, its speed, and the titles it has to get right."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.domain.errors import SetupError
from bridge.domain.phrases import first_names
from bridge.domain.ports import Invitation
from bridge.domain.types import Label
from classifiers import linear
from classifiers.linear import model as linear_model
from classifiers.linear.model import load
from lab.classifier import measure
from lab.classifier.corpus import CORPUS, Titled, corpus, digest, event, facts, groups, real, rows
from lab.classifier.train import Calibration, calibrated, save, spoken, trained
from rhythm_env.interface import ActionType
from tests.pace import paces
from tests.samples import sample

TITLES = tomllib.loads((Path(__file__).parent / "titles.toml").read_text(encoding="utf-8"))
SEEDS = {
    "Q3 planning doc": "DEEP_WORK",
    "Team standup": "ADMIN_WORK",
    "Learn Python course": "LEARN",
    "Gym block": "EXERCISE",
    "Journaling": "MEDITATE",
    "Dinner with family": "FAMILY_TIME",
    "Team social event": "SOCIALIZE",
    "No meeting block": "ME_TIME",
    "Sleep / recovery day": "SLEEP",
    "1:1 with Sarah": "SOCIALIZE",
    "Book flight": "ADMIN_WORK",
    "Book club": "SOCIALIZE",
    "Run through the deck": "DEEP_WORK",
    "Training: SOC2": "ADMIN_WORK",
    "Doctor": "ME_TIME",
    "Netflix interview": "ADMIN_WORK",
    "Date: submit thesis": "ADMIN_WORK",
}
titles = st.text(max_size=200) | st.text("ab 1é会🏋\t\u202e", max_size=40)


def label(title: str, **fields: object) -> Label:
    return linear.open_classifier().classify([Invitation(title=title, **fields)])[0]  # type: ignore[arg-type]


@pytest.mark.parametrize(("title", "action"), SEEDS.items())
def test_the_examples_and_the_traps(title: str, action: str) -> None:
    assert label(title).action is ActionType(action)
    assert label(title.lower()).action is ActionType(action)


def test_what_the_rules_are_held_to_is_not_lost() -> None:
    cases = [(title.strip(), ActionType(action)) for action, text in TITLES.items() for title in text.split("|")]
    wrong = [title for title, action in cases if label(title).action is not action]
    assert len(wrong) <= 0.03 * len(cases), wrong


def test_structure_decides_where_words_say_nothing() -> None:
    assert label("Zrmpf", others=6, conference=True).action is ActionType.ADMIN_WORK
    assert label("Zrmpf", start_hour=22, minutes=480.0).action is not ActionType.SLEEP
    assert label("Zrmpf", kind="focusTime").action is ActionType.DEEP_WORK
    assert label("Zrmpf", kind="birthday", all_day=True).action is None


@pytest.mark.parametrize("title", SEEDS)
@given(
    fields=st.fixed_dictionaries(
        {
            "start_hour": st.none() | st.integers(0, 23),
            "minutes": st.none() | st.floats(0, 20_000),
            "all_day": st.booleans(),
        }
    )
)
@settings(deadline=None, max_examples=20)
def test_hour_and_length_change_no_label(title: str, fields: dict[str, Any]) -> None:
    alone, found = label(title), label(title, **fields)
    assert found.action is alone.action
    assert found.confidence <= alone.confidence  # an entry is less sure than a title alone


PLAIN = {  # what stands in calendars, when, and what it is
    ("Anna's birthday party", 20, 330.0): "SOCIALIZE",
    ("House party", 21, 300.0): "SOCIALIZE",
    ("Concert", 20, 300.0): "SOCIALIZE",
    ("Wedding", 14, 700.0): "SOCIALIZE",
    ("Movie night", 20, 300.0): "BINGE_WATCH",
    ("Night shift", 22, 480.0): "ADMIN_WORK",
    ("Deploy to production", 22, 300.0): "ADMIN_WORK",
    ("Finish report", 22, 300.0): "DEEP_WORK",
    ("Write thesis", 20, 300.0): "DEEP_WORK",
    ("Parents visiting", 9, 600.0): "FAMILY_TIME",
    ("Visit grandparents", 9, 600.0): "FAMILY_TIME",
    ("Zoo with the kids", 9, 420.0): "FAMILY_TIME",
    ("Hiking", 8, 540.0): "EXERCISE",
    ("Ski trip", 8, 540.0): "EXERCISE",
    ("Tennis tournament", 9, 480.0): "EXERCISE",
}


@pytest.mark.parametrize(("entry", "action"), PLAIN.items())
def test_long_entries_are_what_they_are_called(entry: tuple[str, int, float], action: str) -> None:
    title, hour, minutes = entry
    assert label(title, start_hour=hour, minutes=minutes).action is ActionType(action)
    assert label(title, all_day=True, minutes=1440.0).action is ActionType(action)


SWEDISH = {
    "stretcha vader": {"EXERCISE"},
    "träna vader och lår": {"EXERCISE"},
    "tandläkare": {"ME_TIME"},
    "entertainment": {"BINGE_WATCH", "ME_TIME", "SOCIALIZE"},
}


@pytest.mark.parametrize(("title", "actions"), SWEDISH.items())
def test_a_word_is_read_in_the_language_of_its_title(title: str, actions: set[str]) -> None:
    """Swedish calves are no Dutch father, who stays one."""
    assert label(title, start_hour=7, minutes=45).action in actions
    assert label("vader").action is ActionType.FAMILY_TIME
    assert label("vader bellen").action is ActionType.FAMILY_TIME


def test_titles_whose_label_needs_their_facts_teach_nothing() -> None:
    """Busy by night is sleep only where the night is seen."""
    busy = Titled(
        event=Invitation(title="gym", start_hour=23, minutes=480.0),
        action=ActionType.SLEEP,
        also=frozenset(),
        language="en",
    )
    assert np.array_equal(trained([*toy(), *[busy] * 99]).weights, trained(toy()).weights)


def test_a_title_of_nothing_known_is_unsure_and_says_what_else_it_may_be() -> None:
    for title in ("Þþ Ææ Ðð", "x" * 3000, "qv qv qv qv qv qv qv qv"):
        found = label(title)
        assert found.confidence < 0.8
        assert found.runner_up not in (None, found.action)


@given(st.lists(titles, max_size=6))
@settings(deadline=None)
def test_features_of_a_title_do_not_depend_on_its_neighbours(found: list[str]) -> None:
    together = _features(found)
    assert together == [_features([title])[0] for title in found]


def _features(found: list[str]) -> list[list[tuple[str, int]]]:
    parts: list[list[tuple[str, int]]] = [[] for _ in found]
    for block in linear_model.blocks(found, [["no rule"]] * len(found)) if found else []:
        for at, bucket in zip(block.titles.tolist(), block.buckets.tolist(), strict=True):
            parts[at].append((block.part.value, bucket))
    return [sorted(of) for of in parts]


def test_features_by_hand() -> None:
    """' ab c ': letters a b c, pairs ' a' 'ab' 'b ' ' c' 'c ', triples ' ab' 'ab ' ' c ', one run of four."""
    (letters,) = [[f for f in _features(["ab c"])[0] if f[0] == "letters"]]
    assert len(letters) == 3 + 5 + 3 + 1
    (words,) = [[f for f in _features(["ab c"])[0] if f[0] == "words"]]
    assert len(words) == 2 + 1 + 0 + 1 + 1 + 1  # words, pair, triple, first, last, whole
    assert _features(["Ab, C!"]) == _features(["ab c"])
    assert _features(["room 12"]) == _features(["room 345"])
    assert _features(["gym gym gymmmm"]) == _features(["gym gymmmmmmmm"])


def test_whoever_it_is_it_is_somebody() -> None:
    assert _features(["Call Tracy"]) == _features(["call Dave"]) != _features(["call plumber"])
    assert all(name == name.lower() and name.isalpha() for name in first_names())
    assert not {"will", "mark", "grace", "may", "rose", "gym"} & first_names()


def test_letters_and_words_of_equal_characters_are_different_features() -> None:
    block = {bucket for _, bucket in _features(["a"])[0]}
    assert len(block) == len(_features(["a"])[0])


def titled(title: str, action: str, *also: str) -> Titled:
    others = frozenset(map(ActionType, also))
    return Titled(event=Invitation(title=title), action=ActionType(action), also=others, language="en")


def toy(n: int = 40) -> list[Titled]:
    words = {"gym": "EXERCISE", "church": "MEDITATE", "lecture": "LEARN"}
    return [
        Titled(
            event=Invitation(title=f"{word} {k}{'x' * (k % 7)}"), action=ActionType(a), also=frozenset(), language="en"
        )
        for k in range(n)
        for word, a in words.items()
    ]


def test_a_title_weighs_more_in_a_language_with_fewer_lines() -> None:
    found = spoken(["en"] * 32 + ["fi"], power=0.2)
    assert found[0] == 1
    assert found[-1] == pytest.approx(2)
    assert spoken(["en", "en", "fi"], power=0).tolist() == [1, 1, 1]


def test_a_model_trained_twice_is_the_same_and_survives_its_file(tmp_path: Path) -> None:
    one, two = trained(toy()), trained(toy())
    assert np.array_equal(one.weights, two.weights)
    save(one, tmp_path / "m.npz")
    kept = load(tmp_path / "m.npz")
    events = [Invitation(title=t) for t in ("gym", "church", "lecture hall", "?")]
    none = [None] * len(events)
    assert np.allclose(kept.probabilities(events, none), one.probabilities(events, none), atol=0.02)
    assert kept.probabilities(events, none).argmax(axis=1).tolist()[:3] == [
        linear.CLASSES.index(ActionType(a)) for a in ("EXERCISE", "MEDITATE", "LEARN")
    ]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not really", b"\x93NUMPY"])
def test_a_damaged_model_is_said_so(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "m.npz").write_bytes(content)
    with pytest.raises(SetupError, match=r"m\.npz"):
        load(tmp_path / "m.npz")


def test_the_model_loads_quickly_is_small_and_needs_no_scikit_learn() -> None:
    code = (
        "import sys, time; t = time.process_time(); from classifiers.linear import open_classifier; open_classifier();"
        "print(time.process_time() - t); assert not {'sklearn', 'scipy', 'pandas'} & set(sys.modules)"
    )
    took = [float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout) for _ in "123"]
    assert min(took) < 0.3 + 0.2  # numpy's own import included
    assert (linear.HERE / "model.npz").stat().st_size < 10e6


def test_a_thousand_titles_and_one_are_quick() -> None:
    classifier = linear.open_classifier()
    events = [Invitation(title=f"{title} {k}") for k in range(20) for title in SEEDS] * 3
    classifier.classify(events)
    assert len(events) / paces(lambda: classifier.classify(events), tries=5) > 10  # half of what the benchmark shows
    assert paces(lambda: classifier.classify(events[:1]), tries=20) < 4


def test_the_corpus_is_whole() -> None:
    lines = corpus()
    assert len(lines) > 15_000
    assert {one.language for one in lines} >= {"en", "de", "es", "fr", "pt", "it", "nl", "ja", "zh"}
    assert min(sum(one.action is action for one in lines) for action in ActionType) > 500
    assert not [one for one in lines if one.action in one.also]


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "en.tsv").write_text("title\taction\talso\tfeatures\nGym\tEXERCISE\t\t\nBar\tDRINKING\t\t\n")
    with pytest.raises(SetupError, match=r"en\.tsv, line 3"):
        corpus(tmp_path)


def test_facts_of_a_line_become_an_event() -> None:
    found = event("x", facts("others=2; conference=yes;hour=19;minutes=60;all_day=no;kind=focusTime"))
    assert (found.others, found.conference, found.start_hour, found.minutes) == (2, True, 19, 60.0)
    assert (found.all_day, found.kind) == (False, "focusTime")


def test_near_duplicates_stay_together() -> None:
    names = ["dentist appointment", "Dentist appointment 12", "the dentist appointment", "salsa class", "salsa classes"]
    found = groups([titled(name, "LEARN") for name in names])
    assert found[0] == found[1] == found[2]
    assert found[3] == found[4] != found[0]


def test_real_titles_are_known_by_digest_only(tmp_path: Path) -> None:
    labels = tmp_path / "labels.tsv"
    labels.write_text(
        f"digest\tlanguage\taction\talso\tdifficulty\tfirst\tsecond\n"
        f"{digest('Gym  Block')}\ten\tEXERCISE\tME_TIME\teasy\tEXERCISE\tME_TIME\n"
    )
    (tmp_path / "titles.tsv").write_text("title\tkind\ngym block\tx\nsomething else\tx\n")
    (found,) = real(labels, tmp_path / "titles.tsv")
    assert (found.event.title, found.action, found.readers) == (
        "gym block",
        ActionType.EXERCISE,
        ("EXERCISE", "ME_TIME"),
    )


def test_real_labels_hold_no_titles() -> None:
    for name in ("real_test.tsv", "real_dev.tsv"):
        assert "title" not in next(iter(rows(CORPUS / name)))


def test_figures_by_hand() -> None:
    said = (("LEARN",), ("LEARN", "SLEEP"), ("SLEEP",), ("SLEEP",), ("SLEEP",))
    found = [titled("t", *labels) for labels in said]
    guesses: list[measure.Guess] = [
        (ActionType.LEARN, 0.9),
        (ActionType.SLEEP, 0.6),
        (ActionType.SLEEP, 0.8),
        (ActionType.LEARN, 0.3),
        (ActionType.SLEEP, 0.95),
    ]
    one = measure.figures(found, guesses)
    assert (one.strict, one.also, one.sure) == (0.6, 0.8, 1.0)
    assert one.macro_f1 == pytest.approx((0.5 + 2 / 3) / 2)
    assert one.calibration == pytest.approx((2 * abs(1 - 0.925) + 0.2 + 0.6 + 0.3) / 5)


def test_the_shipped_model_on_real_titles() -> None:
    found = real(CORPUS / "real_test.tsv", sample("calendar") / "titles_real.tsv")
    made = measure.guesser(linear.open_classifier())([one.event for one in found])
    one = measure.figures(found, made)
    assert one.titles >= 800
    assert one.strict > 0.79
    assert one.also > 0.91
    assert one.sure > 0.92
    assert one.calibration < 0.05


def test_calibration_makes_a_too_sure_model_less_sure() -> None:
    sure = trained(toy(), calibration=Calibration())
    doubting = [titled(f"gym {k}", action) for k, action in enumerate(("EXERCISE", "LEARN") * 10)]
    found = measure.calibration(sure, doubting)
    assert found.temperature * 3**found.longer > 1.5  # of titles of two words


def test_calibration_finds_that_long_titles_are_harder() -> None:
    """Short titles keep their words' types, and half of the long ones are of another type."""
    words = {"gym": "EXERCISE", "church": "MEDITATE", "lecture": "LEARN"}
    short = [titled(f"{word} {k}", action) for k in range(20) for word, action in words.items()]
    long = [
        titled(f"{word} {k} with plenty of further words", "ADMIN_WORK" if k % 2 else action)
        for k in range(20)
        for word, action in words.items()
    ]
    fair = trained(toy(), calibration=Calibration())
    found = measure.calibration(fair, [*short, *long])
    assert found.longer > 0.2
    model = calibrated(fair, found)
    sure = [measure.with_rules(model)([Invitation(title=title)])[0][1] for title in ("gym", "gym gym of further words")]
    assert sure[0] > sure[1]


def test_calibration_knows_what_is_commoner_in_life_and_leaves_the_unseen_alone() -> None:
    fair = trained(toy(), calibration=Calibration())
    lived = [titled(f"qz {k}", "EXERCISE" if k % 5 else "LEARN") for k in range(40)]
    found = measure.calibration(fair, lived)
    assert found.commoner[ActionType.EXERCISE] > found.commoner[ActionType.MEDITATE]
    assert found.commoner[ActionType.SLEEP] == 0
    before, after = (
        measure.figures(lived, measure.with_rules(model)([one.event for one in lived]))
        for model in (fair, calibrated(fair, found))
    )
    assert before.calibration > 0.3
    assert after.calibration < before.calibration / 2
