"""Looking back on the page: the week with outcomes, and the question that is asked once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from bridge import config, installation
from bridge.advice import outcomes
from bridge.domain.records import Deed, Recommendation, User
from bridge.store import Store
from bridge.web.server import create
from rhythm_env.interface import ActionType
from tests.day.test_outcomes import DAWN, EARLIER, EVENING, NOON, workout
from tests.meters.life import HOUR
from tests.test_outcomes import advised, land, person
from tests.world import bridge_of

WEEK = "2026-W47"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """In a file: pages are made in other threads."""
    opened = Store(f"sqlite:///{tmp_path / 'bridge.db'}")
    yield opened
    opened.close()


@pytest.fixture
def ana(store: Store) -> User:
    return person(store)


@pytest.fixture
def run(store: Store, ana: User) -> Recommendation:
    """A run that the watch saw."""
    land(store, ana, EARLIER, workout(DAWN + HOUR, 36), now=NOON)
    return advised(store, ana)


@pytest.fixture
def company(store: Store, ana: User) -> Recommendation:
    """Company, of which nothing tells."""
    return advised(store, ana, NOON, ActionType.SOCIALIZE)


@pytest.fixture
def client(
    store: Store, run: Recommendation, company: Recommendation, monkeypatch: pytest.MonkeyPatch
) -> Iterator[TestClient]:
    assert run.user_id == company.user_id
    monkeypatch.setenv("BRIDGE_CLASSIFIER", "keywords")
    monkeypatch.setenv("BRIDGE_NOW", (EVENING + HOUR).isoformat())
    made = create(installation.Bridge(settings=config.load(), store=store))
    with TestClient(made, base_url="http://localhost") as client:
        yield client


def test_the_page_and_the_json_tell_the_same(client: TestClient) -> None:
    body = client.get("/api/v1/review").json()
    assert (body["week"], body["counts"]["done"], body["counts"]["unknown"]) == (WEEK, 1, 1)
    shown = unescape(client.get("/review").text)
    assert "2 suggestions: 1 done, 1 unknown." in shown
    line = re.sub(r"<[^>]*>|\s+", " ", shown)
    assert re.search(r"mean of the same days of the four weeks before\. +In a bar it is the line\.", line)
    assert "workout 07:00-07:36, WHOOP" in shown
    assert "/review?week=2026-W46" in shown
    assert 'href="/review" aria-current="page"' in shown
    history = client.get("/api/v1/history?days=3").json()
    assert [(one["action"], one["outcome"], one["heard"]) for one in history] == [
        ("SOCIALIZE", "unknown", None),
        ("EXERCISE", "done", "ACCEPT"),
    ]
    assert client.get("/review?week=nonsense").status_code == 400
    assert client.get("/api/v1/review?week=nonsense").status_code == 400
    empty = client.get("/review?week=2026-W30")
    assert "No suggestion was seen in this week." in empty.text
    assert "Later" in empty.text


def test_what_lies_ahead_is_not_unknown(client: TestClient, store: Store, ana: User) -> None:
    advised(store, ana, EVENING + HOUR)
    shown = unescape(client.get("/review").text)
    assert "3 suggestions: 1 done, 1 still ahead, 1 unknown." in shown
    assert re.search(r"<strong>Exercise</strong>, still ahead", shown)


@pytest.mark.parametrize("place", ["/", "/review"])
def test_it_is_asked_where_nothing_tells_and_not_again(
    client: TestClient, store: Store, ana: User, company: Recommendation, place: str
) -> None:
    outcomes.confirm(bridge_of(store), ana, now=EVENING + HOUR)
    shown = client.get(place).text
    assert re.findall(r'action="/did/(\d+)"', shown) == [str(company.id)]
    assert place != "/" or shown.index('id="advice"') < shown.index("Did you?") < shown.index('id="plan"')
    form = {"answer": "partly", "back": place, "csrf": csrf(shown)}
    answered = client.post(f"/did/{company.id}", data=form, follow_redirects=False)
    assert (answered.status_code, answered.headers["location"]) == (303, place)
    kept = store.recommendations.by_id(company.id)
    assert kept is not None
    assert kept.outcome is Deed.PARTLY
    assert "Did you?" not in client.get(place).text


def test_a_word_needs_its_page_and_is_one_of_three(client: TestClient, company: Recommendation) -> None:
    assert client.post(f"/did/{company.id}", data={"answer": "done"}).status_code == 403
    token = csrf(client.get("/review").text)
    for answer in ("accept", "perhaps"):
        assert client.post(f"/did/{company.id}", data={"answer": answer, "csrf": token}).status_code == 400
    away = {"answer": "done", "csrf": token, "back": "//evil.example"}
    assert client.post(f"/did/{company.id}", data=away, follow_redirects=False).headers["location"] == "/"


def test_a_program_says_what_became_of_it(client: TestClient, company: Recommendation) -> None:
    token = csrf(client.get("/review").text)
    said = client.post(
        f"/api/v1/recommendation/{company.id}/feedback", json={"answer": "done"}, headers={"X-CSRF-Token": token}
    )
    assert (said.json()["outcome"], said.json()["answer"]) == ("done", None)


def csrf(shown: str) -> str:
    found = re.search(r'name="csrf" value="([0-9a-f]+)"|X-CSRF-Token": "([0-9a-f]+)"', shown)
    assert found is not None
    return found[1] or found[2]
