"""The policy over the lab's chat service."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from bridge import registry
from bridge.recordings.server import LabServer
from rhythm_env.interface import Policy
from tests.chat_service.adviser import Vendor


@pytest.fixture
def vendor() -> Vendor:
    return Vendor("u1-v1")


@pytest.fixture
def server(vendor: Vendor) -> Iterator[LabServer]:
    with LabServer(vendor.application) as running:
        yield running


@pytest.fixture
def opened(vendor: Vendor, server: LabServer, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Policy]:
    """Opens the policy as the settings say; named settings come on top."""

    def policy(**settings: object) -> Policy:
        for name, value in {**vendor.settings(server.url), **settings}.items():
            monkeypatch.setenv(f"BRIDGE_POLICY_LLM_{name}".upper(), str(value))
        return registry.policy("llm")

    return policy
