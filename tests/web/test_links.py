"""The page behind a notification's link, over real requests: its words, its times, changed answers, refusals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from bridge import installation, web
from bridge.advice import notify
from bridge.documents.text import slot_name
from bridge.recordings.server import LabServer
from bridge.store import Store
from bridge.web.server import create
from rhythm_env.interface import ActionType, Answer
from tests.daemon.stage import staged
from tests.daemon.test_notify import Mailbox
from tests.store.toy import HOUR, T0
from tests.test_links import URL, advised, bridge, tokens

__all__ = ["bridge"]


@pytest.fixture
def client(bridge: installation.Bridge, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setenv("BRIDGE_NOW", T0.isoformat())
    with TestClient(create(bridge, local=False, names=["bridge.example.org"]), base_url=URL) as client:
        yield client


def test_a_look_shows_one_button_and_a_press_answers(client: TestClient, bridge: installation.Bridge) -> None:
    advice = advised(bridge.store)
    place = f"/answer/{tokens(bridge, advice)['Accept']}"
    for _ in range(3):
        shown = client.get(place)
        assert (shown.status_code, shown.text.count("<button")) == (200, 1)
    assert answer_of(bridge.store, advice.id) is None
    assert client.post(place).status_code == 403  # not from its page
    assert "Accepted: Focused work" in pressed(client, place).text
    assert answer_of(bridge.store, advice.id) is Answer.ACCEPT
    other = f"/answer/{tokens(bridge, advice)['Not now']}"
    assert "You answered: accepted. It can be changed until the day ends." in client.get(other).text
    assert "Not now: Focused work" in pressed(client, other).text
    assert answer_of(bridge.store, advice.id) is Answer.IGNORE


def test_a_refusal_is_explained_and_what_lasts_is_confirmed(client: TestClient, bridge: installation.Bridge) -> None:
    advice, people = advised(bridge.store), bridge.store.people
    place = f"/answer/{tokens(bridge, advice)['Not now']}"
    page = pressed(client, place).text
    assert all(word in page for word in ("Not today", "Wrong time", "Never this", "Something else"))
    asked = client.post(f"{place}/because", data={"why": "never", "csrf": csrf_of(page)})
    assert "From now on no focused work at all." in asked.text
    assert ">From now on<" in asked.text
    assert not people.wishes(advice.user_id).never
    given = {"why": "never", "confirmed": "yes", "csrf": csrf_of(asked.text)}
    assert "Never suggest focused work." in client.post(f"{place}/because", data=given).text
    assert people.wishes(advice.user_id).never == {advice.action}
    client.post(f"{place}/because", data={"why": "not-today", "csrf": csrf_of(page)})
    assert people.preferences(advice.user_id).resting
    accepts = f"/answer/{tokens(bridge, advised(bridge.store, step=1))['Accept']}"
    assert client.post(f"{accepts}/because", data={"why": "never", "csrf": csrf_of(page)}).status_code == 403


def test_a_wrong_time_is_said_of_today_alone_or_put_off_within_the_day(
    client: TestClient, bridge: installation.Bridge
) -> None:
    first, people = advised(bridge.store), bridge.store.people
    own = replace(first, action=ActionType.ME_TIME, moment=first.moment.shifted(1))
    advice = bridge.store.recommendations.add(own)
    place = f"/answer/{tokens(bridge, advice)['Not now']}"
    page = pressed(client, place).text
    asked = client.post(f"{place}/because", data={"why": "wrong-time", "csrf": csrf_of(page)}).text
    offers = re.findall(r'name="to" value="([^"]+)">today ', asked)
    given = {"why": "wrong-time", "csrf": csrf_of(asked)}
    assert "Not now" in client.post(f"{place}/because", data={**given, "confirmed": "no"}).text
    assert client.post(f"{place}/because", data={**given, "to": "1999-01-04/3"}).status_code == 400
    assert "Not today between " in client.post(f"{place}/because", data={**given, "confirmed": "today"}).text
    assert people.wishes(advice.user_id).hours == {}
    assert offers
    for key in offers[:1]:
        assert "It is put off to today " in client.post(f"{place}/because", data={**given, "to": key}).text
        assert answer_of(bridge.store, advice.id) is Answer.RESCHEDULE


def csrf_of(page: str) -> str:
    return re.findall(r'name="csrf" value="([^"]+)"', page)[0]


def test_the_words_are_those_of_the_page(client: TestClient, bridge: installation.Bridge) -> None:
    mine = tokens(bridge, advised(bridge.store))
    for word in ("Accept", "Not now"):
        assert re.findall(r"<button[^>]*>([^<]+)<", client.get(f"/answer/{mine[word]}").text) == [word]
    card = (Path(web.__file__).parent / "templates/today/advice.html").read_text(encoding="utf-8")
    assert all(f'>{{{{ _("{word}") }}}}</' in card for word in mine)


@pytest.mark.parametrize(
    ("headers", "seen"),
    [
        ({}, True),
        ({"sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}, True),
        ({"sec-purpose": "prefetch;prerender"}, False),
        ({"purpose": "prefetch"}, False),
        ({"sec-fetch-mode": "no-cors"}, False),
    ],
    ids=["plain", "a browser", "prerendered", "prefetched", "as an image"],
)
def test_to_open_it_is_to_have_seen_the_advice(
    client: TestClient, bridge: installation.Bridge, headers: dict[str, str], seen: bool
) -> None:
    advice = advised(bridge.store)
    assert client.get(f"/answer/{tokens(bridge, advice)['Not now']}", headers=headers).status_code == 200
    found = bridge.store.recommendations.by_id(advice.id)
    assert found is not None
    assert (found.shown_at, found.answer) == (T0 if seen else None, None)
    forged = tokens(bridge, advice)["Not now"].replace(".i.", ".a.")
    other = advised(bridge.store, step=1)
    assert client.get(f"/answer/{forged}").status_code == 403
    unseen = bridge.store.recommendations.by_id(other.id)
    assert unseen is not None
    assert unseen.shown_at is None


def test_putting_off_offers_three_times_and_takes_the_chosen_one(
    client: TestClient, bridge: installation.Bridge
) -> None:
    advice = advised(bridge.store)
    place = f"/answer/{tokens(bridge, advice)['Later']}"
    shown = client.get(place).text
    offered = re.findall(r'name="to" value="([^"]+)">Later: (\w+ \d\d:\d\d)<', shown)
    assert len(offered) == 3
    assert "Later, without a time" in shown
    slot, time = offered[1]
    assert f"is put off to {time}" in pressed(client, place, to=slot).text
    found = bridge.store.recommendations.by_id(advice.id)
    assert found is not None
    assert found.moved_to is not None
    assert slot_name(found.moved_to) == slot
    assert "put off without a time" in pressed(client, place).text
    assert pressed(client, place, to="Someday").status_code == 400


def test_a_forged_one_and_an_old_one_are_refused(
    client: TestClient, bridge: installation.Bridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    advice = advised(bridge.store)
    token = tokens(bridge, advice)["Accept"]
    forged = token.replace(".a.", ".i.")
    shown = client.get(f"/answer/{token}").text
    assert pressed(client, f"/answer/{forged}", since=shown).status_code == 403
    monkeypatch.setenv("BRIDGE_NOW", advice.expires_at.isoformat())
    late = pressed(client, f"/answer/{token}", since=shown)
    assert (late.status_code, "expired" in late.text) == (410, True)
    assert answer_of(bridge.store, advice.id) is None


def test_another_site_cannot_press_it(client: TestClient, bridge: installation.Bridge) -> None:
    advice = advised(bridge.store)
    place = f"/answer/{tokens(bridge, advice)['Accept']}"
    assert client.post(place, headers={"origin": "https://elsewhere.example"}).status_code == 403
    assert answer_of(bridge.store, advice.id) is None


def test_the_link_in_a_message_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    box = Mailbox()
    with staged(tmp_path, monkeypatch) as stage, LabServer(box.application) as server:
        stage.bridge = replace(stage.bridge, settings=replace(stage.bridge.settings, url=URL))
        stage.add("ana", "Europe/Berlin")
        address = server.url.replace("http://", "json://")
        notify.keep(stage.bridge.store, stage.bridge.vault, stage.users[0], address, events=False, now=stage.now)
        stage.daemon().tick()
        sent = dict(line.split(": ") for line in box.got[0]["message"].splitlines()[-3:])
        assert list(sent) == ["Accept", "Not now", "Later"]
        monkeypatch.setenv("BRIDGE_NOW", stage.now.isoformat())
        made = create(stage.bridge, local=False, names=["bridge.example.org"])
        with TestClient(made, base_url=URL) as client:
            assert "Accepted" in pressed(client, sent["Accept"]).text
        (advice,) = stage.bridge.store.recommendations.full_between(
            stage.users[0].id, since=stage.now, until=stage.now + HOUR
        )
        assert advice.answer is Answer.ACCEPT


def pressed(client: TestClient, place: str, *, since: str | None = None, to: str | None = None) -> Any:
    """A button of the page that was shown."""
    found = re.search('name="csrf" value="([0-9a-f]+)"', since or client.get(place).text)
    assert found is not None
    return client.post(place, data={"csrf": found[1]} | ({} if to is None else {"to": to}))


def answer_of(store: Store, number: int) -> Answer | None:
    found = store.recommendations.by_id(number)
    assert found is not None
    return found.answer
