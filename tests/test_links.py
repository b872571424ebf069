"""Links from the lock screen: they answer until the advice expires and change the answer until its day ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bridge import config, installation
from bridge.advice import answer_links
from bridge.auth.key_storage import key_storage_of
from bridge.auth.vault import rotate
from bridge.day.outcomes import day_end
from bridge.domain.errors import Forged, SetupError, Spent
from bridge.domain.records import FullRecommendation, Recommendation
from bridge.domain.slots import moment_at, moment_of
from bridge.store import Store
from rhythm_env.interface import ActionType, Answer
from tests.store.test_people import at_once
from tests.store.toy import HOUR, T0

MOMENT = moment_of(date(2026, 2, 23), 25)  # Sunday afternoon, in which T0 is
URL = "https://bridge.example.org"


def advised(store: Store, name: str = "ana", step: int = 0) -> Recommendation:
    known = {user.name: user for user in store.people.users()}
    user = known.get(name) or store.people.add_user(name, "Europe/Berlin", now=T0)
    return store.recommendations.add(
        FullRecommendation(
            id=0,
            user_id=user.id,
            moment=MOMENT.shifted(step),
            action=ActionType.DEEP_WORK,
            policy="toy@1",
            belief={"social": 0.5, "morning": 0.5, "work": 0.5},
            scores={},
            probabilities={},
            facts=(),
            observation={},
            created_at=T0,
            expires_at=T0 + 6 * HOUR,
        )
    )


@pytest.fixture
def bridge(store: Store, monkeypatch: pytest.MonkeyPatch) -> installation.Bridge:
    monkeypatch.setenv("BRIDGE_URL", f"{URL}/")
    return installation.Bridge(settings=config.load(), store=store)


@pytest.fixture
def lite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[installation.Bridge]:
    monkeypatch.setenv("BRIDGE_URL", URL)
    with closing(Store(f"sqlite:///{tmp_path / 'bridge.db'}")) as store:
        yield installation.Bridge(settings=config.load(), store=store)


def tokens(bridge: installation.Bridge, advice: Recommendation) -> dict[str, str]:
    return {answer: url.rpartition("/")[2] for answer, url in answer_links.for_recommendation(bridge, advice).items()}


def test_each_answer_has_an_address_of_the_page(bridge: installation.Bridge) -> None:
    found = answer_links.for_recommendation(bridge, advised(bridge.store))
    assert list(found) == ["Accept", "Not now", "Later"]
    assert all(url.startswith(f"{URL}/answer/") and len(url) < 160 for url in found.values())


def test_without_an_address_from_outside_there_are_none(bridge: installation.Bridge) -> None:
    inside = replace(bridge, settings=replace(bridge.settings, url=None))
    assert answer_links.for_recommendation(inside, advised(bridge.store)) == {}


def test_an_address_that_nobody_can_open_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_URL", "bridge.example.org")
    with pytest.raises(SetupError, match="https://"):
        config.load()


def test_looking_answers_nothing_and_the_last_link_followed_counts(bridge: installation.Bridge) -> None:
    advice = advised(bridge.store)
    mine = tokens(bridge, advice)
    for _ in range(2):
        assert answer_links.read(bridge, mine["Accept"], now=T0 + HOUR).answer is Answer.ACCEPT
    assert bridge.store.recommendations.by_id(advice.id) == advice
    for hours, word, wanted in (
        (1, "Accept", Answer.ACCEPT),
        (2, "Not now", Answer.IGNORE),
        (3, "Accept", Answer.ACCEPT),
    ):
        answer_links.follow(bridge, mine[word], now=T0 + hours * HOUR)
        answered = bridge.store.recommendations.by_id(advice.id)
        assert answered is not None
        assert (answered.answer, answered.answered_at) == (wanted, T0 + hours * HOUR)


def test_an_answer_can_be_changed_until_the_day_ends(bridge: installation.Bridge) -> None:
    advice = advised(bridge.store)
    mine = tokens(bridge, advice)
    answer_links.follow(bridge, mine["Accept"], now=T0 + HOUR)
    ends = day_end(advice, bridge.store.people.user("ana").zones)
    assert ends > advice.expires_at
    answer_links.follow(bridge, mine["Not now"], now=ends - timedelta(seconds=1))
    with pytest.raises(Spent, match="its answer stands: not now"):
        answer_links.follow(bridge, mine["Accept"], now=ends)


def test_of_many_at_once_each_answers_and_one_stays(bridge: installation.Bridge) -> None:
    advice = advised(bridge.store)
    mine = [*tokens(bridge, advice).values(), tokens(bridge, advice)["Accept"]]

    def tried(number: int) -> bool:
        return answer_links.follow(bridge, mine[number], now=T0 + HOUR).recommendation.id == advice.id

    assert all(at_once(tried))
    answered = bridge.store.recommendations.by_id(advice.id)
    assert answered is not None
    assert answered.answer is not None


def test_it_ends_with_the_advice(bridge: installation.Bridge) -> None:
    token = tokens(bridge, advised(bridge.store))["Accept"]
    answer_links.read(bridge, token, now=T0 + 6 * HOUR - timedelta(seconds=1))
    with pytest.raises(Spent, match="expired"):
        answer_links.read(bridge, token, now=T0 + 6 * HOUR)


def test_putting_off_offers_three_good_times_and_takes_one(bridge: installation.Bridge) -> None:
    advice = advised(bridge.store)
    token = tokens(bridge, advice)["Later"]
    link = answer_links.read(bridge, token, now=T0 + HOUR)
    assert len(link.offers) == 3
    assert all(offer.action is advice.action and offer.start > T0 + HOUR for offer in link.offers)
    wanted = moment_at(link.offers[1].start, link.user.zones)
    found = answer_links.follow(bridge, token, now=T0 + HOUR, moved_to=wanted).recommendation
    assert (found.answer, found.moved_to, found.start) == (Answer.RESCHEDULE, wanted, link.offers[1].start)
    untimed = answer_links.follow(bridge, token, now=T0 + 2 * HOUR).recommendation
    assert (untimed.answer, untimed.moved_to) == (Answer.RESCHEDULE, None)
    assert answer_links.read(bridge, tokens(bridge, advice)["Accept"], now=T0).offers == ()


def test_a_changed_key_ends_links_and_says_why(lite: installation.Bridge) -> None:
    place = key_storage_of(None, lite.settings.folder)
    token = tokens(lite, advised(lite.store))["Accept"]
    place.save(["MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=", *place.keys()])  # a rotation under way
    assert answer_links.read(lite, token, now=T0).answer is Answer.ACCEPT
    rotate(lite.store, place)
    with pytest.raises(Spent, match="key has been changed"):
        answer_links.read(lite, token, now=T0)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(min_value=0), letter=st.characters(exclude_categories=["Cs"]))
def test_whatever_is_changed_it_answers_nothing_else(lite: installation.Bridge, place: int, letter: str) -> None:
    token = tokens(lite, advised(lite.store))["Accept"]
    spot = place % len(token)
    changed = token[:spot] + letter + token[spot + 1 :]
    if changed != token:
        with pytest.raises((Forged, Spent)):
            answer_links.read(lite, changed, now=T0)


@pytest.mark.parametrize("token", ["", "....", "1.a.2.3", "1.a.2.3.4" * 50, "²." * 5, "9" * 30 + ".a.0.x.y"])
def test_what_is_no_link_is_refused(lite: installation.Bridge, token: str) -> None:
    with pytest.raises((Forged, Spent)):
        answer_links.read(lite, token, now=T0)


def test_nobody_elses_advice_is_answered_with_my_link(lite: installation.Bridge) -> None:
    mine, other = advised(lite.store), advised(lite.store, "ben")
    number, _, rest = tokens(lite, mine)["Accept"].partition(".")
    assert number == str(mine.id)
    with pytest.raises(Forged):
        answer_links.read(lite, f"{other.id}.{rest}", now=T0)


@given(text=st.text(max_size=250))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_refused_and_nothing_breaks(lite: installation.Bridge, text: str) -> None:
    with pytest.raises((Forged, Spent)):
        answer_links.read(lite, text, now=T0)
