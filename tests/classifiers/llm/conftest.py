"""The classifier over the lab's chat service."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bridge import registry
from bridge.domain.ports import EventClassifier
from bridge.recordings.server import LabServer
from classifiers.llm import Llm
from tests.chat_service import Vendor
from tests.classifiers.llm.titles import Unsure, over


@pytest.fixture
def vendor() -> Vendor:
    return Vendor()


@pytest.fixture
def server(vendor: Vendor) -> Iterator[LabServer]:
    with LabServer(vendor.application) as running:
        yield running


@pytest.fixture
def opened(vendor: Vendor, server: LabServer, monkeypatch: pytest.MonkeyPatch) -> Callable[..., EventClassifier]:
    """Opens the classifier as the settings say; named settings come on top."""

    def classifier(**settings: object) -> EventClassifier:
        for name, value in {**vendor.settings(server.url), **settings}.items():
            monkeypatch.setenv(f"BRIDGE_LLM_{name}".upper(), str(value))
        return registry.classifier("llm")

    return classifier


@pytest.fixture
def asking_all(vendor: Vendor, server: LabServer, tmp_path: Path) -> Llm:
    """The classifier over one that doubts everything."""
    return over(Unsure(), server, tmp_path)
