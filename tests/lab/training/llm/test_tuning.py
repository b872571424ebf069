"""A person's adapter and the server, on a model with random weights: what is learned, resumed, asked for and refused.

Needs ``make test-llm``, which brings what training needs.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import requests

from bridge import installation, registry
from bridge.advice import adapters
from lab.evaluation.deployed import Life
from lab.training.llm import teacher, trajectories
from lab.training.llm.personal import Row
from tests.lab.training.llm.test_adapters import begin, stored

pytestmark = [
    pytest.mark.skipif(find_spec("peft") is None, reason="training needs more packages: make test-llm"),
    pytest.mark.timeout(600),
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning"),  # the packages' of each other
]
WANTED = "EXERCISE"


def unseen(done: int, total: int) -> None:
    """Take no progress report."""


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    """Advice to somebody who takes one thing only."""
    path = tmp_path_factory.mktemp("rows") / "weeks.jsonl"
    weeks = teacher.teach(path, teacher.Planned(), weeks=range(1), lives=range(0), condition="in", on_step=unseen)
    lessons = list(trajectories.lessons(weeks, tokens=600))[:20]
    actions = [WANTED if i % 2 else "SLEEP" for i in range(len(lessons))]
    return [
        Row(
            wide=one.prompt,
            narrow=one.prompt,
            written="<reasoning>x</reasoning>\n4 4 4",
            action=action,
            taken=action == WANTED,
        )
        for one, action in zip(lessons, actions, strict=True)
    ]


@pytest.fixture(scope="module")
def base(rows: list[Row], tmp_path_factory: pytest.TempPathFactory) -> Path:
    from lab.training.llm import model

    folder = tmp_path_factory.mktemp("base")
    texts = [f"{one.wide[0]['content']}\n{one.wide[1]['content']}\n{one.written} {one.action}" for one in rows]
    made, tokenizer = model.fresh("tiny", texts, 0)
    model.keep(made, tokenizer, model.Facts(answer_tokens=8, prompt_tokens=400, tokens=600), folder)
    return folder


def test_a_tokenizer_is_read_back_as_it_was_made(base: Path, rows: list[Row]) -> None:
    from lab.training.llm import model

    text = rows[0].wide[1]["content"]
    kept = model.opened(base)[1]
    assert kept.decode(kept(text)["input_ids"]) == text
    assert len(kept(text)["input_ids"]) < len(text) / 4  # figures are not taken apart


def tuned(base: Path, out: Path, rows: list[Row], on_step: Any = unseen) -> dict[str, Any]:
    from lab.training.llm import tuning

    found: dict[str, Any] = tuning.tune(rows, tuning.Course(base=base, out=out, epochs=3, rate=1e-2), on_step)
    return found


def test_what_was_taken_becomes_likelier_and_a_kill_costs_nothing(base: Path, rows: list[Row], tmp_path: Path) -> None:
    from safetensors.torch import load_file

    straight, broken = tmp_path / "straight", tmp_path / "broken"
    assert tuned(base, straight, rows)["gain"] > 0

    def killed(done: int, total: int) -> None:
        if done == 15:
            raise KeyboardInterrupt

    went: list[tuple[int, int]] = []
    with pytest.raises(KeyboardInterrupt):
        tuned(base, broken, rows, killed)
    assert tuned(base, broken, rows, lambda *step: went.append(step))["kept"]
    assert went[0][0] == 11  # ten steps were kept
    one, other = (load_file(place / "adapter_model.safetensors") for place in (straight, broken))
    assert all((one[name] == other[name]).all() for name in one)
    assert sorted(place.name for place in broken.iterdir() if "state" in place.name) == []


def test_what_is_no_better_leaves_nothing(base: Path, rows: list[Row], tmp_path: Path) -> None:
    from lab.training.llm import tuning

    still = tuning.tune(rows, tuning.Course(base=base, out=tmp_path / "a", epochs=1, rate=0.0), unseen)
    assert not still["kept"]
    assert not (tmp_path / "a").exists()


def test_the_daemon_has_it_made_when_it_is_due(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_POLICY_LLM_FOLDER", str(base))
    slices = list(Life(12).live(registry.policy("heuristic"), 4))
    with installation.open_bridge() as bridge:
        user, now = stored(bridge, slices), begin(slices[-1]) + timedelta(hours=6)
        assert not adapters.personalise_due(bridge, user, begin(slices[30]))
        assert adapters.personalise_due(bridge, user, now)
        (made,) = bridge.store.lessons.priors(user.id)
    assert (made.policy, made.learnt_from, made.tried_on) == ("llm@2", len(slices), 34)


@pytest.fixture(scope="module")
def address(base: Path, rows: list[Row], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    from lab.training.llm import serving

    place = tmp_path_factory.mktemp("adapters")
    tuned(base, place / "u1-v1", rows)
    running = serving.server(serving.Served(base, "rhythm", place), 0, 1)
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{running.server_address[1]}/v1"
    running.shutdown()
    running.server_close()


def test_models_and_adapters_are_asked_for_by_name(address: str, rows: list[Row]) -> None:
    assert [one["id"] for one in requests.get(f"{address}/models", timeout=60).json()["data"]] == ["rhythm", "u1-v1"]
    asked = {"messages": rows[0].wide, "max_tokens": 6, "temperature": 0}
    said = {}
    for name in ("rhythm", "u1-v1", "rhythm"):
        answer = requests.post(f"{address}/chat/completions", json={"model": name, **asked}, timeout=60)
        assert answer.status_code == 200
        choice = answer.json()["choices"][0]
        assert choice["finish_reason"] == "length"  # six tokens hold no answer
        assert said.setdefault(name, choice["message"]["content"]) == choice["message"]["content"]


def test_a_person_who_was_forgotten_is_not_served_to_the_next_of_that_number(
    base: Path, rows: list[Row], tmp_path: Path
) -> None:
    from lab.training.llm import serving

    served = serving.Served(base, "rhythm", tmp_path)
    turned = [replace(one, taken=not one.taken) for one in rows]

    def said(name: str) -> str:
        asked = {"model": name, "messages": rows[0].wide, "max_tokens": 6, "temperature": 0}
        return str(served.answer(asked)["choices"][0]["message"]["content"])

    plain, texts = said("rhythm"), {}
    for who, learned in {"ana": rows, "ben": turned}.items():
        tuned(base, tmp_path / "u3-v1", learned)
        texts[who] = said("u3-v1")
        shutil.rmtree(tmp_path / "u3-v1")
        with pytest.raises(serving.Refused):
            said("u3-v1")
        assert said("rhythm") == plain
        assert not any("lora" in name for name, _ in served._model.named_parameters())
    assert texts["ana"] != texts["ben"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"x", 400),
        (b"[]", 400),
        (b'{"model": "rhythm", "messages": []}', 400),
        (b'{"model": "rhythm", "messages": [{"role": "user", "content": "x"}], "max_tokens": 99999}', 400),
        (b'{"model": "../secret", "messages": [{"role": "user", "content": "x"}]}', 404),
        (b" " * ((1 << 20) + 1), 413),
    ],
)
def test_what_cannot_be_answered_is_refused(body: bytes, status: int, address: str) -> None:
    assert requests.post(f"{address}/chat/completions", data=body, timeout=60).status_code == status
