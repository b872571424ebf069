"""The page of evidence tells the figures of its result file, and the file's figures are those that come out again."""

from __future__ import annotations

import json
import random
import re
from statistics import fmean

import pytest

from lab import evidence
from lab.validation import diary, ranks
from tests.samples import sample


def page() -> str:
    return evidence.PAGE.read_text(encoding="utf-8")


def test_the_page_tells_the_figures_of_the_result_file():
    told = page().partition("<!-- figures -->\n")[2].partition("\n<!-- /figures -->")[0]
    assert told == evidence.table(evidence.load())
    assert len(evidence.load()["figures"]) > 15


def test_each_figure_has_its_command_interval_and_people():
    for one in evidence.load()["figures"]:
        low, high = one["interval"]
        assert low <= one["mean"] <= high, one
        assert one["n"] >= 10
        assert one["command"].startswith(("bridge ", "make "))


def test_nothing_was_adopted_whose_interval_on_what_chose_it_includes_zero():
    figures = evidence.load()["figures"]
    chosen = [one for one in figures if one["figure"].endswith(evidence.CHOSEN)]
    assert {one["on"] for one in chosen} == {"menghini_half", "bailon_half"}
    assert evidence.unearned(figures) == []


def test_a_gain_that_chance_gives_is_not_earned():
    """Of gains of nothing but chance some mean is above zero, and its interval tells."""
    draw, met = random.Random(5), 0
    for _ in range(40):
        gains = [draw.gauss(0, 0.2) for _ in range(30)]
        one = {"figure": "Vitality: less what it was", "mean": fmean(gains), "interval": ranks.interval(gains)}
        met += one["mean"] > 0
        assert evidence.unearned([one]) == ([] if one["interval"][0] > 0 else [one["figure"]])
    assert met > 10
    assert sum(not evidence.unearned([{**one, "interval": [low, 1.0]}]) for low in (-0.01, 0.0, None)) == 0


def test_a_drawn_tenth_of_the_weeks_comes_out_again():
    quick = [one for one in evidence.load()["worlds"] if one["policy"] in ("random", "heuristic")]
    for policy, seeds, same in evidence.again(quick):
        assert len(seeds) == evidence.WEEKS // evidence.TENTH, policy
        assert same, policy


def test_another_figure_or_another_score_is_told(monkeypatch, tmp_path, capsys):
    document = evidence.load()
    document["worlds"] = [one for one in document["worlds"] if one["policy"] == "random"]
    document["worlds"][0]["scores"] = [score + 0.001 for score in document["worlds"][0]["scores"]]
    found = [{**document["figures"][0], "mean": 0.9}]
    (tmp_path / "evidence.json").write_text(json.dumps(document), encoding="utf-8")
    monkeypatch.setattr(evidence, "FILE", tmp_path / "evidence.json")
    assert evidence.main([]) == 1
    assert "OTHER SCORES" in capsys.readouterr().out
    assert evidence._checked({**document, "worlds": []}, found) == 1
    assert evidence._checked({**document, "worlds": []}, document["figures"][:1]) == 0


@pytest.mark.slow
def test_the_figures_of_the_diaries_come_out_again():
    folder = sample("diaries")
    kept = {(one["figure"], one["on"]): one for one in evidence.load()["figures"]}
    found = [one for told in diary.found(folder) for one in evidence.of_diary(told)]
    assert found
    assert all(kept[one["figure"], one["on"]] == one for one in found)


def test_other_pages_claim_no_correlation():
    """A correlation stands on the page of evidence, and its tables beside the code that makes them."""
    readers = [evidence.DOCS.parent / "README.md", *evidence.DOCS.glob("*.md")]
    for path in readers:
        if path != evidence.PAGE:
            assert not re.search(r"correlation[^.\n]*\.\d\d", path.read_text(encoding="utf-8")), path.name
