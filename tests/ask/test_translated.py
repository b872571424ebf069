"""A language model translates a question that the grammar cannot read, and answers nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bridge.cli import app
from bridge.installation import open_bridge
from bridge.recordings.server import Answer, LabServer, Request
from tests.chat_service import KEY, MODEL, choice
from tests.query.life import life
from tests.query.wearer import NOW, land

QUESTION = "hypnos: how deep was it lately"
NOTHING: dict[str, Any] = dict.fromkeys(("what", "of", "since", "until", "first", "last", "by", "against")) | {
    "where": []
}


class Translator:
    """The service; ``says`` is the text of its next answer, ``bodies`` what it was sent."""

    def __init__(self) -> None:
        self.says: str | None = None
        self.status = 200
        self.bodies: list[bytes] = []

    def application(self, request: Request) -> Answer:
        assert (request.method, request.path) == ("POST", "/v1/chat/completions")
        assert request.headers["authorization"] == f"Bearer {KEY}"
        self.bodies.append(request.body)
        return choice(self.says) if self.status == 200 else Answer(status=self.status, body={})


@pytest.fixture
def translator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Translator]:
    monkeypatch.setenv("BRIDGE_DATABASE", f"sqlite:///{tmp_path / 'ana.db'}")
    monkeypatch.setenv("BRIDGE_NOW", NOW.isoformat())
    model = Translator()
    with open_bridge() as bridge, LabServer(model.application) as server:
        land(
            bridge.store, bridge.store.people.add_user("ana", "Europe/Berlin", now=NOW - timedelta(days=900)), [*life()]
        )
        for name, value in {"address": f"{server.url}/v1", "model": MODEL, "key": KEY}.items():
            monkeypatch.setenv(f"BRIDGE_ASK_{name}".upper(), value)
        yield model


def _run(*words: str) -> Any:
    return CliRunner().invoke(app, [*words, "--user", "ana", "--json"])


def test_the_answer_is_that_of_the_translated_query(translator: Translator) -> None:
    translator.says = json.dumps({**NOTHING, "what": "deep_sleep", "of": "max", "where": ["weekday >= 6"]})
    told = json.loads(_run("ask", QUESTION).stdout)
    understood = told.pop("understood")
    assert "highest value of deep sleep" in understood
    assert MODEL in understood
    assert told == json.loads(_run("query", "deep_sleep", "--of", "max", "--where", "weekday >= 6").stdout)


def test_the_question_and_the_date_alone_leave_the_machine(translator: Translator) -> None:
    translator.says = json.dumps({**NOTHING, "what": "deep_sleep"})
    _run("note", "absinthe 2")
    assert _run("ask", QUESTION).exit_code == 0
    (sent,) = translator.bodies
    asked = json.loads(json.loads(sent)["messages"][1]["content"])
    assert asked == {"today": f"{NOW:%A %Y-%m-%d}", "question": QUESTION}
    assert b"absinthe" not in sent
    assert b"ana" not in sent.replace(b"stress_management", b"")


def test_what_the_grammar_reads_is_not_sent_and_without_an_address_nothing_is(
    translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _run("ask", "average deep sleep").exit_code == 0
    assert _run("ask", "very " * 80).exit_code != 0
    monkeypatch.delenv("BRIDGE_ASK_ADDRESS")
    assert "not understood" in str(_run("ask", QUESTION).exception)
    assert translator.bodies == []


def test_what_is_no_query_is_refused(translator: Translator) -> None:
    right = {**NOTHING, "what": "steps"}
    for says, why in (
        (json.dumps(NOTHING), "reads a query"),
        (json.dumps({**right, "what": "stepps"}), "did you mean steps"),
        (json.dumps({**right, "where": ["1 = 1; drop table samples"]}), "is not a field"),
        (json.dumps({**right, "since": "last week"}), "is not a date"),
        (json.dumps({**right, "last": 10**9}), "--last takes"),
        (json.dumps({**right, "value": 8000}), "holds no query"),
        (json.dumps({**right, "where": "steps > 1"}), "holds no query"),
        (json.dumps({**right, "first": True}), "holds no query"),
        (json.dumps({"what": "steps"}), "holds no query"),
        ("You took 8000 steps.", "holds no query"),
        ("[" * 100_000, "holds no query"),
        (None, "holds no query"),
    ):
        translator.says = says
        refused = _run("ask", QUESTION)
        assert (refused.exit_code != 0, why in str(refused.exception)) == (True, True), (says, refused.exception)
        assert refused.stdout == ""


def test_a_service_in_trouble_is_a_refusal(translator: Translator, monkeypatch: pytest.MonkeyPatch) -> None:
    translator.status = 503
    assert "HTTP 503" in str(_run("ask", QUESTION).exception)
    monkeypatch.setenv("BRIDGE_ASK_MODEL", "")
    assert "BRIDGE_ASK_MODEL" in str(_run("ask", QUESTION).exception)
