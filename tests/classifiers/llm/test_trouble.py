"""Every trouble ends in the linear label, said once and without a word of a title."""

from __future__ import annotations

import logging
import stat
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from bridge.config import load
from bridge.domain.ports import EventClassifier, Invitation
from bridge.recordings.server import LabServer
from classifiers import linear
from classifiers.llm import FILE, REQUEST_TITLES, Llm
from rhythm_env.chat import wait
from tests.chat_service import KEY, faults
from tests.classifiers.llm.titles import NOON, Unsure, by_linear, by_model, doubted, over, warnings

# what is kept, and what is said in logs


def test_no_title_is_kept(opened: Callable[..., EventClassifier]) -> None:
    unsure = doubted(50)
    opened().classify(unsure)
    files = [path for path in load().folder.rglob("*") if path.is_file()]
    assert [path.name for path in files] == [FILE]
    content = files[0].read_bytes()
    assert b"DEEP_WORK" in content
    assert not [event for event in unsure if event.title.split()[0].encode() in content]
    assert stat.S_IMODE(files[0].stat().st_mode) == 0o600


@pytest.mark.parametrize("name", faults.WHOLLY_WRONG)
def test_any_trouble_ends_in_the_linear_label(
    opened: Callable[..., EventClassifier], server: LabServer, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    unsure = doubted(6)
    server.faults.append(faults.always(faults.WHOLLY_WRONG[name]))
    caplog.set_level(logging.DEBUG)
    assert opened().classify(unsure) == by_linear(unsure)
    assert 1 <= len(server.asked) <= 2
    assert warnings(caplog)
    assert len(warnings(caplog)) == len(set(warnings(caplog)))
    _says_nothing_personal(caplog.text, unsure)
    assert b"SLEEP" not in (load().cache / FILE).read_bytes()


@pytest.mark.parametrize("name", faults.PARTLY_WRONG)
def test_what_is_right_of_an_answer_is_taken(
    opened: Callable[..., EventClassifier], server: LabServer, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    unsure = doubted(6)
    trouble, first = faults.PARTLY_WRONG[name]
    server.faults.append(faults.scripted(trouble))
    expected = [*(by_model(unsure[:1]) if first else by_linear(unsure[:1])), *by_model(unsure[1:])]
    assert opened().classify(unsure) == expected
    assert len(server.asked) == 1
    _says_nothing_personal(caplog.text, unsure)
    assert opened().classify(unsure) == by_model(unsure), "what had no answer is asked about again"


def _says_nothing_personal(text: str, of: Sequence[Invitation]) -> None:
    needles = {KEY, "SLEEP", "127.0.0.1:9", *(word for event in of for word in event.title.split())}
    assert not [needle for needle in needles if needle in text]


# asking again, and when not to


@pytest.mark.parametrize(
    "first", [faults.status(500, Retry_After="0"), faults.WHOLLY_WRONG["cut"], faults.WHOLLY_WRONG["a page"]]
)
def test_one_more_try_can_help(
    opened: Callable[..., EventClassifier], server: LabServer, first: faults.Trouble
) -> None:
    unsure = doubted(6)
    server.faults.append(faults.scripted(first))
    assert opened(requests_per_day=2).classify(unsure) == by_model(unsure)
    assert len(server.asked) == 2


def test_the_second_try_counts_as_a_request(opened: Callable[..., EventClassifier], server: LabServer) -> None:
    server.faults.append(faults.scripted(faults.WHOLLY_WRONG["cut"]))
    assert opened(requests_per_day=1).classify(doubted(6)) == by_linear(doubted(6))
    assert len(server.asked) == 1


def test_a_busy_service_is_not_asked_before_its_time(opened: Callable[..., EventClassifier], server: LabServer) -> None:
    times: list[float] = []
    server.faults.append(lambda _: times.append(time.monotonic()))
    server.faults.append(faults.scripted(faults.status(429, Retry_After="1")))
    assert opened().classify(doubted(2)) == by_model(doubted(2))
    assert times[1] - times[0] >= 1


def test_a_service_that_wants_an_hour_gets_it_from_every_process(server: LabServer, tmp_path: Path) -> None:
    unsure = doubted(2)
    server.faults.append(faults.scripted(faults.status(429, Retry_After="3600")))
    for minutes, expected, asked_so_far in ((0, by_linear, 1), (59, by_linear, 1), (61, by_model, 2)):
        classifier = over(linear.open_classifier(), server, tmp_path, at=NOON + timedelta(minutes=minutes))
        assert classifier.classify(unsure) == expected(unsure)
        assert len(server.asked) == asked_so_far


def test_an_unreadable_answer_does_not_hold_up_the_next_titles(asking_all: Llm, server: LabServer) -> None:
    unsure = doubted(REQUEST_TITLES + 5)
    cut = faults.WHOLLY_WRONG["cut"]
    server.faults.append(faults.scripted(cut, cut))
    labels = asking_all.classify(unsure)
    assert labels == [*Unsure().classify(unsure[:REQUEST_TITLES]), *by_model(unsure[REQUEST_TITLES:])]


def test_a_service_that_is_down_is_not_asked_about_the_next_titles(asking_all: Llm, server: LabServer) -> None:
    server.faults.append(faults.always(faults.status(500, Retry_After="0")))
    assert {label.by for label in asking_all.classify(doubted(3 * REQUEST_TITLES))} == {"unsure@1"}
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        (None, 0.5),
        ("0", 0),
        ("-3", 0),
        ("2.5", 2.5),
        ("1e9", 86400),
        ("inf", 3600),
        ("nan", 3600),
        ("soon", 3600),
        ("", 3600),
        ("Fri, 20 Nov 2026 12:00:30 GMT", 30),
        ("Fri, 20 Nov 2026 11:00:00 GMT", 0),
        ("Fri, 31 Dec 9999 23:59:59 -2300", 3600),
    ],
)
def test_what_retry_after_asks_for(said: str | None, seconds: float) -> None:
    assert wait(said, now=NOON) == seconds
