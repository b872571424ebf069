"""Every live source keeps every law. A new plug-in with a lab ``Vendor`` and fixtures is found and held to them."""

from __future__ import annotations

import pytest

from bridge.domain.metrics import Metric
from tests.contract.laws import LAWS
from tests.contract.population import PEOPLE
from tests.contract.test_connectors import LIVE


@pytest.mark.parametrize("source", LIVE)
@pytest.mark.parametrize("law", LAWS)
def test_a_source_keeps_the_law(source: str, law: str) -> None:
    LAWS[law](source)


def test_the_population_is_known_of_every_metric() -> None:
    assert set(Metric) <= set(PEOPLE)
