"""Trends and what is believed, over real requests: everything the page shows is in the JSON door too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from bridge import config, installation
from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, EpisodeKind, Item, RawRecord
from bridge.ingest import checkins
from bridge.store import Store
from bridge.web.server import create
from rhythm_env.interface import Answer
from tests.store.toy import HOUR, T0
from tests.test_belief import DAY, stated

NOW = T0 + 2 * DAY


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """In a file: pages are made in other threads."""
    opened = Store(f"sqlite:///{tmp_path / 'bridge.db'}")
    yield opened
    opened.close()


@pytest.fixture
def client(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setenv("BRIDGE_CLASSIFIER", "keywords")
    monkeypatch.setenv("BRIDGE_NOW", NOW.isoformat())
    user = store.people.add_user("ana", "Europe/Berlin", now=T0)
    checkins.record_check_in(store, user, checkins.CheckIn(at=T0, score=4), now=T0)
    stated(store, user, 0, (0.5, 0.5, 0.5), Answer.ACCEPT)
    stated(store, user, 1, (0.5, 0.5, 0.8))
    made = create(installation.Bridge(settings=config.load(), store=store))
    with TestClient(made, base_url="http://localhost") as client:
        yield client


def test_trends_are_the_same_on_the_page_and_in_json(client: TestClient) -> None:
    body = client.get("/api/v1/trends?weeks=2").json()
    assert (len(body["days"]), len(body["meters"])) == (14, 5)
    shown = client.get("/trends?weeks=2").text
    assert shown.count('role="img"') == 5
    table = client.get("/trends/table?of=VITALITY&weeks=2").text
    assert [name for name, one in body["meters"].items() if one["validated"]] == ["VITALITY", "SERENITY"]
    assert shown.count(">not validated</summary>") == 3
    assert "(not validated)" not in table
    assert "(not validated)" in client.get("/trends/table?of=COGNITION&weeks=2").text
    known = [level for level in body["meters"]["VITALITY"]["level"] if level is not None]
    assert known
    assert all(f"<td>{level}</td>" in table for level in known)


def test_a_change_of_the_map_reaches_the_pages_that_are_open(client: TestClient) -> None:
    """The answer of two days ago is Vitality's one input."""
    levels = {place: client.get(place).text for place in ("/", "/api/v1/meters")}
    folder = config.load().folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "meters.toml").write_text("[VITALITY.check_in]\nweight = 5.0\n", encoding="utf-8")
    assert all(client.get(place).text != before for place, before in levels.items())


@pytest.mark.parametrize(
    ("place", "status"),
    [
        ("/trends?weeks=0", 422),
        ("/trends?weeks=x", 422),
        ("/api/v1/trends?weeks=999", 422),
        ("/trends/table?of=nothing", 400),
        ("/trends/table?of=<script>", 400),
        ("/belief/table?of=nothing", 200),
    ],
)
def test_what_cannot_be_asked_for_is_refused(client: TestClient, place: str, status: int) -> None:
    answer = client.get(place)
    assert answer.status_code == status
    assert "<script>" not in answer.text


def test_what_is_believed_is_drawn_said_and_given_as_json(client: TestClient) -> None:
    body = client.get("/api/v1/belief").json()
    shown = client.get("/belief").text
    assert body["dimensions"]["work"]["mean"] == [0.8]
    assert [one["change"]["work"] for one in body["moved_by"]] == [0.3]
    assert "towards “lives for work” by 0.30" in unescape(shown)
    assert shown.count("The line begins with the second.") == 2  # the third is not known yet
    assert "0.80" in client.get("/belief/table?of=work").text


def test_the_page_about_me_tells_how_well_answers_are_foretold(client: TestClient, store: Store) -> None:
    assert "foretold" not in client.get("/belief").text
    (user,) = store.people.users()
    given = stated(store, user, 7, (0.5, 0.5, 0.5), Answer.ACCEPT, policy="adaptive@1", scores={"EXERCISE": 0.8})
    assert given.answer is Answer.ACCEPT
    shown = client.get("/belief").text
    assert "mean squared error 0.040, by your usual share 0.000" in shown
    assert "<td>80%</td><td>100%</td>" in shown


def test_the_page_about_me_tells_how_much_the_body_says(client: TestClient, store: Store) -> None:
    """After nights of 7 to 9 hours, and answers that follow them."""
    (user,) = store.people.users()
    watch = store.connections.connect(user.id, "toy", "toy", now=T0)

    def night(record: RawRecord, parent: RawRecord | None) -> list[Item]:
        ago = int(record.key)
        woke = T0 - ago * DAY - 5 * HOUR
        asleep = {Metric.ASLEEP: slept(ago)}
        key, began = f"night{ago}", woke - 9 * HOUR
        return [Episode(key=key, kind=EpisodeKind.SLEEP, start=began, end=woke, day=woke.date(), values=asleep)]

    records = [RawRecord(stream="day", key=str(ago), payload={"n": ago}) for ago in range(70)]
    store.ingest.land(watch, records, night, version=1, now=NOW)
    assert "Your body and how you feel" not in client.get("/belief").text
    for ago in range(1, 31):
        score = 1 + round((slept(ago) - 420) / 30)
        checkins.record_check_in(store, user, checkins.CheckIn(at=T0 - ago * DAY, score=score), now=NOW)
    shown = client.get("/belief").text
    assert re.search(r"Vitality: your body says much about how you feel \(0\.\d+ over 31 answers\)", shown)


def slept(ago: int) -> float:
    """Return the minutes asleep of a made-up night."""
    return 420.0 + 30 * (ago * 7 % 5)


def test_beginning_anew_asks_for_the_pages_token_and_can_be_taken_back(client: TestClient, store: Store) -> None:
    (user,) = store.people.users()
    assert client.post("/belief/reset").status_code == 403
    assert store.lessons.resets(user.id) == []
    assert "You started over on 3 Mar 2026" in press(client, "/belief/reset")
    assert "You started over" not in press(client, "/belief/restore")
    assert store.lessons.resets(user.id)[0].taken_back_at == NOW


def test_a_new_beginning_is_drawn_on_the_persons_own_day(
    client: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At half past midnight in Berlin it is the day before in Greenwich."""
    (user,) = store.people.users()
    night = NOW.replace(hour=23, minute=30)
    store.lessons.add_reset(user.id, now=night)
    monkeypatch.setenv("BRIDGE_NOW", (night + DAY / 2).isoformat())
    stated(store, user, 11, (0.5, 0.5, 0.5))
    assert client.get("/belief").text.count('class="reset"') == 2


def press(client: TestClient, place: str) -> str:
    found = re.search('name="csrf" value="([0-9a-f]+)"', client.get("/belief").text)
    assert found is not None
    return str(client.post(place, data={"csrf": found[1]}).text)


def test_a_stranger_gets_neither(store: Store) -> None:
    made = create(installation.Bridge(settings=config.load(), store=store), local=False)
    with TestClient(made, base_url="http://localhost", follow_redirects=False) as client:
        for place in ("/trends", "/trends/table?of=VITALITY", "/belief", "/belief/table"):
            assert client.get(place).status_code == 303
        for place in ("/api/v1/trends", "/api/v1/belief"):
            assert client.get(place).status_code == 401


def test_a_person_without_anything_sees_what_to_do(store: Store) -> None:
    store.people.add_user("ana", "UTC", now=T0 - HOUR)
    with TestClient(
        create(installation.Bridge(settings=config.load(), store=store)), base_url="http://localhost"
    ) as client:
        assert "There was no recommendation yet" in client.get("/belief").text
        assert "Nothing is known of these weeks" in client.get("/trends").text


def test_a_page_that_is_not_there_says_so_in_the_language(client: TestClient) -> None:
    answer = client.get("/nowhere", headers={"Accept-Language": "de"})
    assert answer.status_code == 404
    assert "diese Seite gibt es nicht" in answer.text
