"""Oura: consent with a registered redirect, months of pages, the window that is read again, what vanishes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
import requests

from bridge import registry
from bridge.auth import oauth
from bridge.domain.errors import BadRecord
from bridge.domain.metrics import Metric
from bridge.domain.types import EpisodeKind, RawRecord, Sample
from bridge.recordings.server import Answer
from bridge.store import Store
from connectors.oura import SPEC, client
from connectors.oura.client import Oura
from connectors.oura.normalise import normalise
from tests.world import Agreeing, World, later, living


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with closing(Store(f"sqlite:///{tmp_path / 'bridge.db'}")) as store, living(store, "oura", "awkward") as world:
        yield world


def asked(world: World, stream: str) -> list[dict[str, str]]:
    found = [urlsplit(line.removeprefix("GET ")) for line in world.server.asked]
    return [dict(parse_qsl(parts.query)) for parts in found if parts.path.endswith(f"/{stream}")]


def test_a_consent_is_asked_for_used_and_withdrawn(world: World) -> None:
    world.vendor.revoke()
    assert world.sync().outcome == "needs_login"
    client.authorise(world.account, Agreeing())
    assert world.sync().outcome == "ok"
    assert client.revoke(world.account)
    assert later(world, minutes=30).sync().outcome == "needs_login"
    assert not client.revoke(world.account)


def refreshes(world: World) -> int:
    return world.server.asked.count("POST /oauth/token")


def of_metric(world: World, metric: Metric) -> int:
    return len(world.store.reading.samples(world.user.id, metrics=[metric]))


def test_the_live_names_of_scopes_are_asked_for_and_every_stream_lands(world: World) -> None:
    client.authorise(world.account, Agreeing())
    (question,) = [line for line in world.server.asked if "/oauth/authorize" in line]
    assert set(dict(parse_qsl(urlsplit(question).query))["scope"].split()) == set(oauth.oauth_of(SPEC).scopes)
    assert set((world.account.token() or {})["scope"]) == {f"extapi:{scope}" for scope in oauth.oauth_of(SPEC).scopes}
    outcome = world.sync()
    assert (outcome.outcome, outcome.not_permitted) == ("ok", ())
    assert of_metric(world, Metric.SPO2)
    assert refreshes(world) == 1  # the code


def test_a_name_that_oura_does_not_know_is_dropped_in_silence(world: World) -> None:
    scopes = ("daily", "heartrate", "workout", "session", "spo2Daily")
    oauth.authorise(world.account, Agreeing(), SPEC, scopes=scopes)
    assert "extapi:spo2Daily" not in (world.account.token() or {})["scope"]
    answer = requests.get(
        f"{world.server.url}/v2/usercollection/daily_spo2",
        headers={"Authorization": f"Bearer {world.account.token_field('access_token')}"},
        timeout=10,
    )
    assert (answer.status_code, answer.json()) == (401, {"detail": "Token is not authorized access spo2 scope."})


def test_a_box_that_is_left_unticked_costs_that_stream_alone_until_it_is_ticked(world: World) -> None:
    world.vendor.ticked -= {"spo2", "workout"}
    client.authorise(world.account, Agreeing())
    before = refreshes(world)
    for minutes in (0, 30):
        outcome = later(world, minutes=minutes).sync()
        assert (outcome.outcome, outcome.not_permitted) == ("ok", ("daily_spo2", "workout"))
    assert refreshes(world) == before
    assert of_metric(world, Metric.SPO2) == 0
    assert of_metric(world, Metric.STEPS)
    world.vendor.ticked |= {"spo2", "workout"}
    world.vendor.tokens_expire()  # a refreshed token carries the consent it came from, and no more
    assert later(world, minutes=60).sync().not_permitted == ("daily_spo2", "workout")
    client.authorise(world.account, Agreeing())
    outcome = later(world, minutes=90).sync()
    assert (outcome.outcome, outcome.not_permitted) == ("ok", ())
    assert of_metric(world, Metric.SPO2)


def test_a_first_sync_asks_for_months_and_follows_every_token(world: World) -> None:
    assert world.sync().outcome == "ok"
    nights = asked(world, "sleep")
    assert [query.get("next_token") for query in nights] == [None, None, "page-25", None]
    assert {(q["start_date"], q["end_date"]) for q in nights} == {
        ("2026-09-22", "2026-10-22"),
        ("2026-10-22", "2026-11-21"),
        ("2026-11-21", "2026-11-22"),
    }
    assert [query.get("next_token") for query in asked(world, "heartrate")] == [None, None, "page-25", None]
    kinds = [episode.kind for _, episode in world.store.reading.episodes(world.user.id)]
    assert kinds.count(EpisodeKind.SLEEP) == 36  # 40 and a second one, without five that are none or broken
    assert kinds.count(EpisodeKind.NAP) == 1


def test_nothing_new_costs_one_request_per_stream(world: World) -> None:
    world.sync()
    world.server.asked.clear()
    again = later(world, hours=2).sync()
    assert (again.outcome, again.new, again.updated, again.deleted) == ("ok", 0, 0, 0)
    assert len(world.server.asked) == len(registry.spec("oura").streams)


def test_a_late_score_a_new_night_and_a_deleted_one_are_found(world: World) -> None:
    world.sync()
    nights = world.vendor.account["sleep"]
    tonight = next(row for row in nights if row["day"] == "2026-11-20")
    before = next(row for row in nights if row["day"] == "2026-11-18")
    gone = next(row for row in nights if row["day"] == "2026-11-19")
    tonight["average_hrv"] = 71
    before["type"] = "deleted"
    nights.remove(gone)
    found = later(world, hours=2).sync()
    assert (found.updated, found.deleted) == (2, 1)
    days = {str(episode.day) for _, episode in world.store.reading.episodes(world.user.id)}
    assert "2026-11-20" in days
    assert not days & {"2026-11-18", "2026-11-19"}


def test_after_a_clock_that_was_ahead_what_changed_is_found(world: World) -> None:
    world.sync()
    later(world, days=40).sync()
    next(row for row in world.vendor.account["sleep"] if row["day"] == "2026-11-20")["average_hrv"] = 71
    assert later(world, hours=2).sync().updated == 1
    world.server.asked.clear()
    assert (later(world, hours=3).sync().updated, len(asked(world, "sleep"))) == (0, 1)  # and as ever from then on


def test_who_was_away_for_longer_than_a_first_sync_reads_loses_nothing(world: World) -> None:
    cursor = json.dumps({"until": "2026-11-21"})
    with closing(Oura(world.account)) as oura:
        assert list(oura.pull("sleep", cursor, now=later(world, days=400).now))
    assert asked(world, "sleep")[0]["start_date"] == "2026-11-14"


def test_heart_rates_belong_to_the_day_of_where_the_person_lives() -> None:
    """Around the end of summer time in Berlin, and at half past eleven at night in New York."""
    instants = ("2026-10-25T00:20:00+00:00", "2026-10-25T01:20:00+00:00", "2026-10-25T03:30:00Z")

    def days(zone: str) -> list[tuple[int | None, str]]:
        rows = [{"bpm": 60, "source": "rest", "timestamp": text} for text in instants]
        record = RawRecord(stream="heartrate", key="2026-10-25", payload={"zone": zone, "data": rows})
        found = [item for item in normalise(record, None) if isinstance(item, Sample)]
        return [(sample.offset, str(sample.day)) for sample in sorted(found, key=lambda sample: sample.start)]

    assert days("Europe/Berlin") == [(120, "2026-10-25"), (60, "2026-10-25"), (60, "2026-10-25")]
    assert days("America/New_York") == [(-240, "2026-10-24"), (-240, "2026-10-24"), (-240, "2026-10-24")]
    with pytest.raises(BadRecord, match="zone"):
        days("Mars/Olympus")


@pytest.mark.parametrize(("steps", "active", "found"), [(0, 0, 0), (0, 12, 3), (900, 0, 3), (None, None, 1)])
def test_a_day_without_the_ring_is_not_a_day_without_a_step(steps: int | None, active: int | None, found: int) -> None:
    payload = {"day": "2026-11-18", "steps": steps, "active_calories": active, "total_calories": 1800}
    assert len(normalise(RawRecord(stream="daily_activity", key="1", payload=payload), None)) == found


def test_an_answer_of_another_shape_stops_the_source(world: World) -> None:
    world.server.faults.append(lambda request: Answer(body={"data": "none"}) if "daily" in request.path else None)
    assert world.persist().outcome == "stopped"
