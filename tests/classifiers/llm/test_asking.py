"""Only titles leave, only of events the linear classifier is not sure of."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.config import load
from bridge.domain.ports import EventClassifier, Invitation
from bridge.recordings.server import LabServer
from classifiers.llm import REQUEST_TITLES, Llm
from classifiers.llm.prompt import SENT_MAX_CHARS, SYSTEM, clean, digest, request
from tests.chat_service import MODEL, Vendor, asked, says
from tests.classifiers.llm.titles import HOSTILE, SURE, Unsure, by_linear, by_model, doubted, events, over

# what is asked, and what comes of it


def test_doubted_titles_are_asked_about_and_no_others(opened: Callable[..., EventClassifier], vendor: Vendor) -> None:
    unsure, sure = doubted(5), events(*SURE)
    labels = opened().classify([*unsure[:2], *sure, *unsure[2:]])
    assert labels == [*by_model(unsure[:2]), *by_linear(sure), *by_model(unsure[2:])]
    assert vendor.titles == [[event.title for event in unsure]]


def test_the_share_from_which_nobody_is_asked_is_a_setting(
    opened: Callable[..., EventClassifier], vendor: Vendor
) -> None:
    assert opened(sure=0).classify(doubted(3)) == by_linear(doubted(3))
    assert vendor.titles == []


def test_confidence_is_as_stated_but_never_above_90_percent(asking_all: Llm) -> None:
    stated = [says(event.title)[1] for event in doubted(30)]
    given = [label.confidence for label in asking_all.classify(doubted(30))]
    assert given == [min(one, 0.9) for one in stated]
    assert max(stated) == 1


def test_forty_titles_go_into_a_request(opened: Callable[..., EventClassifier], vendor: Vendor) -> None:
    unsure = doubted(2 * REQUEST_TITLES + 5)
    assert opened().classify(unsure) == by_model(unsure)
    assert [len(titles) for titles in vendor.titles] == [REQUEST_TITLES, REQUEST_TITLES, 5]


def test_a_title_that_comes_again_is_asked_about_once(asking_all: Llm, vendor: Vendor) -> None:
    labels = asking_all.classify(events("Plum lamp", "plum  LAMP ", "ｐｌｕｍ lamp", "plum\u200b lamp", "plum"))
    assert len(set(labels[:4])) == 1
    assert vendor.titles == [["plum lamp", "plum"]]


def test_answers_are_remembered_by_the_next_to_open_it(opened: Callable[..., EventClassifier], vendor: Vendor) -> None:
    unsure = doubted(6)
    assert opened().classify(unsure[:4]) == by_model(unsure[:4])
    assert opened().classify(unsure) == by_model(unsure)
    assert [len(titles) for titles in vendor.titles] == [4, 2]
    assert digest("plum", "one model") != digest("plum", "another")


def test_what_is_no_activity_is_not_asked_about(opened: Callable[..., EventClassifier], vendor: Vendor) -> None:
    marked = [Invitation(title="zorbel", all_day=True, kind=kind) for kind in ("birthday", "workingLocation")]
    assert [label.action for label in opened(sure=1).classify(marked)] == [None, None]
    assert vendor.titles == []


def test_it_is_off_until_it_is_chosen() -> None:
    assert load().classifier != "llm"


# what is sent


def test_nothing_but_titles_is_sent(server: LabServer, tmp_path: Path, vendor: Vendor) -> None:
    """Two people with the same titles and nothing else in common send the same bytes."""
    plain = events("plum lamp", "zorbel")
    telling = [
        Invitation(title=e.title, start_hour=23, minutes=77, others=31, organised_by_me=False, conference=True)
        for e in plain
    ]
    over(Unsure(), server, tmp_path / "a").classify(plain)
    over(Unsure(), server, tmp_path / "b").classify(telling)
    assert vendor.bodies == [request(["plum lamp", "zorbel"], MODEL)] * 2
    body = json.loads(vendor.bodies[0])
    assert set(body) == {"model", "temperature", "messages", "response_format"}
    assert body["temperature"] == 0
    assert body["messages"][0]["content"] == SYSTEM
    data = '[{"i": 0, "t": "plum lamp"}, {"i": 1, "t": "zorbel"}]'
    assert body["messages"][1]["content"] == f"<titles>\n{data}\n</titles>"


def test_hostile_titles_are_data(asking_all: Llm, vendor: Vendor) -> None:
    hostile = events(*HOSTILE)
    labels = asking_all.classify(hostile)
    empty = [clean(title) == "" for title in HOSTILE]
    assert [label.by for label in labels] == ["unsure@1" if nothing else "llm@1" for nothing in empty]
    assert empty[-2:] == [True, True]
    assert [label for label in labels if label.by == "llm@1"] == by_model([e for e in hostile if clean(e.title)])
    (body,) = map(json.loads, vendor.bodies)
    assert asked(body) == [{"i": i, "t": title} for i, title in enumerate(filter(None, map(clean, HOSTILE)))]
    user = body["messages"][1]["content"]
    assert user.count("<") == user.count(">") == 2


@pytest.mark.parametrize(
    ("title", "sent"),
    [
        ("plum\U000e0041\U000e0042\ufe0f\U000e0100 lamp", "plum lamp"),  # letters that nobody sees
        ("\u202eplum\u202c\u200f lamp", "plum lamp"),
        ("plum\r\n\x00\u2028lamp\x1b[2J", "plum lamp [2J"),
        ("plum\ud800 lamp\ue000", "plum lamp"),
        ("会議 ☕ café", "会議 ☕ café"),
        ("lamp " * 50, ("lamp " * 24).rstrip()),
        ("\u200b" * 1_000_000, ""),
    ],
    ids=range(7),
)
def test_what_is_sent_of_a_title(title: str, sent: str) -> None:
    assert clean(title) == sent


@given(st.lists(st.text(max_size=300), max_size=5))
def test_every_title_has_a_field_of_its_own(titles: list[str]) -> None:
    cleaned = [clean(title) for title in titles]
    assert [row["t"] for row in asked(json.loads(request(cleaned, MODEL)))] == cleaned
    for title in cleaned:
        assert len(title) <= SENT_MAX_CHARS
        assert not {unicodedata.category(sign) for sign in title} & {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
        assert title == clean(title)


def test_passwords_kept_for_the_host_are_not_sent(
    opened: Callable[..., EventClassifier], server: LabServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "netrc"
    kept.write_text("machine 127.0.0.1 login ana password secret-of-ana\n")
    monkeypatch.setenv("NETRC", str(kept))
    signed: list[str | None] = []
    server.faults.append(lambda request: signed.append(request.headers.get("authorization")))
    for key in ("", "own-key"):
        opened(key=key).classify(doubted(1))
    assert signed == [None, "Bearer own-key"]
