"""Its file, its settings, and the service that stands in for a vendor's."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bridge import installation
from bridge.config import load
from bridge.domain.errors import SetupError
from bridge.domain.ports import EventClassifier, Invitation
from bridge.ingest import connecting
from bridge.recordings.server import Answer, LabServer, Request
from bridge.store import Store
from classifiers.llm import FILE, Llm
from classifiers.llm.prompt import digest, request
from tests.chat_service import KEY, MODEL, Vendor, asked
from tests.classifiers.llm.titles import NOON, by_linear, by_model, doubted, events, warnings

# its file


@pytest.mark.parametrize("damage", ["no database", "other tables", "a folder"])
def test_a_damaged_file_costs_labels_and_nothing_more(
    opened: Callable[..., EventClassifier], server: LabServer, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    path = load().cache / FILE
    path.parent.mkdir(parents=True)
    if damage == "no database":
        path.write_bytes(b"plum lamp" * 1_000)
    elif damage == "a folder":
        path.mkdir()
    else:
        with closing(sqlite3.connect(path)) as file:
            file.execute("create table labels (plum text)")
    assert opened().classify(doubted(3)) == by_linear(doubted(3))
    assert server.asked == []
    (line,) = warnings(caplog)
    assert FILE in line
    assert str(path) not in line


def test_a_label_of_another_release_is_asked_about_again(asking_all: Llm, tmp_path: Path, vendor: Vendor) -> None:
    with closing(sqlite3.connect(tmp_path / FILE)) as file, file:
        file.execute("create table labels (digest blob primary key, action text not null, confidence real not null)")
        file.execute("insert into labels values (?, 'KNITTING', 0.9)", (digest("plum", MODEL),))
    assert asking_all.classify(events("plum")) == by_model(events("plum"))


# settings


@pytest.mark.parametrize("missing", ["address", "model"])
def test_without_a_setting_it_names_the_variable(
    opened: Callable[..., EventClassifier], server: LabServer, missing: str
) -> None:
    with pytest.raises(SetupError, match=f"set BRIDGE_LLM_{missing.upper()}, then: bridge doctor"):
        opened(**{missing: ""})
    assert server.asked == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("address", "localhost:11434"),
        ("address", "ftp://example.org/v1"),
        ("address", "http://[::1/v1"),
        ("address", "http:///v1"),
        ("address", "http://example.org/v1?secret=plum"),
        ("key", "plum\nX-Other: lamp"),
        ("key", "schlüssel"),
        ("sure", "very"),
        ("sure", "1.5"),
        ("sure", "nan"),
        ("requests_per_day", "-1"),
        ("timeout_s", "0"),
        ("timeout_s", "inf"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_not_taken(
    opened: Callable[..., EventClassifier], name: str, value: str
) -> None:
    with pytest.raises(SetupError, match=f"set BRIDGE_LLM_{name.upper()}") as raised:
        opened(**{name: value})
    assert not [part for part in ("plum", "lamp", "schl", "example.org") if part in str(raised.value)]


def test_settings_stand_in_the_settings_file_too(
    vendor: Vendor, server: LabServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = load().folder
    folder.mkdir(parents=True)
    lines = [f'{name} = "{value}"' for name, value in vendor.settings(server.url).items()]
    (folder / "config.toml").write_text("\n".join(['classifier = "llm"', "[llm]", *lines, "requests_per_day = 0"]))
    with closing(Store("sqlite://")) as store:
        assert installation.Bridge(settings=load(), store=store).classifier.classify(doubted(2)) == by_linear(
            doubted(2)
        )
        monkeypatch.setenv("BRIDGE_LLM_REQUESTS_PER_DAY", "1")
        moved = replace(load(), folder=folder / "elsewhere")
        assert installation.Bridge(settings=moved, store=store).classifier.classify(doubted(2)) == by_model(doubted(2))
    assert (folder / "elsewhere" / "cache" / FILE).exists()


def test_its_key_is_marked_as_a_secret() -> None:
    from classifiers.llm import SETTINGS

    assert [setting.name for setting in SETTINGS if setting.secret] == ["key"]


# the lab's service itself


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"model": "other"}, 400),
        ({"tools": []}, 400),
        ({"messages": []}, 400),
        ({"response_format": {"type": "json_object"}}, 400),
        ({}, 200),
    ],
)
def test_the_service_refuses_what_such_services_refuse(vendor: Vendor, change: dict[str, Any], status: int) -> None:
    body = {**json.loads(request(["plum"], MODEL)), **change}
    assert _posted(vendor, json.dumps(body).encode(), KEY).status == status
    assert _posted(vendor, json.dumps(body).encode(), "other").status == 401
    assert _posted(vendor, b"{", KEY).status == 400


def _posted(vendor: Vendor, body: bytes, key: str) -> Answer:
    headers = {"authorization": f"Bearer {key}"}
    path = "/v1/chat/completions"
    return vendor.application(Request(method="POST", path=path, query={}, repeated={}, headers=headers, body=body))


def test_private_events_are_not_asked_about(server: LabServer, asking_all: Llm) -> None:
    sent: list[dict[str, Any]] = []
    server.faults.append(lambda request: sent.append(json.loads(request.body)))
    asking_all.classify([Invitation(title="secret plum", private=True), Invitation(title="blue lamp")])
    assert [row["t"] for body in sent for row in asked(body)] == ["blue lamp"]


def test_forgetting_somebody_empties_the_cache(opened: Callable[..., EventClassifier]) -> None:
    opened(sure=1.0).classify([Invitation(title="blue lamp")])
    assert (load().cache / FILE).exists()
    with installation.open_bridge() as bridge:
        connecting.forget(bridge, bridge.store.people.add_user("ana", "Europe/Berlin", now=NOON))
    assert not load().cache.exists()
