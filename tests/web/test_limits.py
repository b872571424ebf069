"""The cost of a view with a year of data, and proof that no request breaks the server: ``make test-web``."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pytest
import requests

from bridge import installation
from bridge.auth import access
from bridge.domain.records import User
from bridge.web.render import NAVIGATION
from lab.benchmarks import web as bench
from tests.web.served import Place, Visitor

pytestmark = pytest.mark.web
TIMES = 60
VIEW_CPU_MS_MAX = 20.0
PAGES = [path for path, _title in chain(*NAVIGATION)]
EXAMPLES = 25


def test_a_warm_view_takes_at_most_20_ms_of_cpu_with_a_year_of_data(tmp_path: Path) -> None:
    """CPU time of the server alone, so that other work on the machine does not count."""
    bridge, _ = bench.year(tmp_path)
    with bench.listening(bridge) as url:
        requests.get(f"{url}/advice", timeout=120).raise_for_status()
        costs = [bench.cost(url, path, TIMES) for path in sorted({*bench.PATHS, *PAGES})]
    bridge.store.close()
    for one in costs:
        print(f"{one.path}: median {one.median:.0f} ms, p95 {one.p95:.0f} ms, wall p95 {one.wall_p95:.0f} ms")
    assert [one.path for one in costs if one.median > VIEW_CPU_MS_MAX] == []


def test_nothing_the_document_allows_breaks_the_server(place: Place, ana: User, visitor: Visitor) -> None:
    import schemathesis
    from hypothesis import HealthCheck, given, settings
    from schemathesis.checks import not_a_server_error

    _, token = access.new_token(place.bridge.store, ana, "test", now=installation.now())
    schema = schemathesis.openapi.from_url(f"{place.url}/api/v1/openapi.json")
    headers = {"Authorization": f"Bearer {token}"}
    tried = 0
    for found in schema.get_all_operations():
        operation = found.ok()

        @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), database=None)
        @given(case=operation.as_strategy())
        def attempt(case: schemathesis.Case) -> None:
            answer = case.call(headers=headers, timeout=60)
            case.validate_response(answer, checks=[not_a_server_error])

        attempt()
        tried += 1
    assert tried >= 14
