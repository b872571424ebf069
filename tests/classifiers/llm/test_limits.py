"""Limits of the language model's classifier, in requests and in time."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from bridge.domain.ports import EventClassifier
from bridge.recordings.server import LabServer
from classifiers.llm import REQUEST_TITLES, AnswerCache
from rhythm_env.chat import Fault
from tests.chat_service import Vendor, faults
from tests.classifiers.llm.titles import NOON, Unsure, by_linear, by_model, doubted, events, over, warnings

# the budget


def test_when_the_days_requests_are_used_up_nobody_is_asked(
    opened: Callable[..., EventClassifier], vendor: Vendor, caplog: pytest.LogCaptureFixture
) -> None:
    unsure = doubted(3 * REQUEST_TITLES)
    expected = [*by_model(unsure[: 2 * REQUEST_TITLES]), *by_linear(unsure[2 * REQUEST_TITLES :])]
    for _ in range(2):
        assert opened(requests_per_day=2).classify(unsure) == expected
    assert len(vendor.bodies) == 2
    assert ["used up" in line for line in warnings(caplog)] == [True, True]


def test_the_next_day_has_its_own_requests(server: LabServer, tmp_path: Path) -> None:
    unsure = doubted(3)
    for day, event in enumerate(unsure):
        classifier = over(Unsure(), server, tmp_path, at=NOON + timedelta(days=day), most=1)
        assert classifier.classify([event]) == by_model([event])
    assert classifier.classify(events("another")) == Unsure().classify(events("another"))


def test_no_requests_a_day_means_none(opened: Callable[..., EventClassifier], server: LabServer) -> None:
    assert opened(requests_per_day=0).classify(doubted(2)) == by_linear(doubted(2))
    assert server.asked == []


def test_many_at_once_make_no_more_requests_than_one(tmp_path: Path) -> None:
    def claims(_: int) -> bool:
        try:
            AnswerCache(tmp_path).claim(NOON, most=5)
        except Fault:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(claims, range(24))) == 5


# a network that does what it likes


def test_a_slow_answer_is_not_waited_for(opened: Callable[..., EventClassifier], server: LabServer) -> None:
    unsure = doubted(REQUEST_TITLES + 1)
    server.faults.append(faults.always(faults.slow(20)))
    classifier = opened(timeout_s=0.3)
    began = time.monotonic()
    assert classifier.classify(unsure) == by_linear(unsure)
    assert time.monotonic() - began < 10
    assert len(server.asked) == 1


Say = Callable[[socket.socket, threading.Event], None]


@contextmanager
def _speaking(say: Say) -> Iterator[str]:
    """A service that answers in its own way until it is told that we are done; gives its address."""
    done = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection, _broken_pipes_expected():
                    connection.recv(65536)
                    say(connection, done)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        done.set()
        listening.shutdown(socket.SHUT_RDWR)
    thread.join(10)


@contextmanager
def _broken_pipes_expected() -> Iterator[None]:
    try:
        yield
    except OSError:
        return


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def _headers_without_end(connection: socket.socket, done: threading.Event) -> None:
    connection.sendall(HEAD)
    while not done.wait(0.05):
        connection.sendall(b"X")


def _body_without_end(connection: socket.socket, done: threading.Event) -> None:
    connection.sendall(HEAD + b"Content-Length: 10000\r\n\r\n")
    while not done.wait(0.05):
        connection.sendall(b"[")


def _too_short(connection: socket.socket, _: threading.Event) -> None:
    connection.sendall(HEAD + b'Content-Length: 10000\r\nConnection: close\r\n\r\n{"choices": [')


def _not_http(connection: socket.socket, _: threading.Event) -> None:
    connection.sendall(b"220 mail.example ESMTP\r\n")


def _hangs_up(connection: socket.socket, _: threading.Event) -> None:
    connection.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("say", [_headers_without_end, _body_without_end, _too_short, _not_http, _hangs_up])
def test_no_wire_can_hold_us_up(opened: Callable[..., EventClassifier], say: Say) -> None:
    unsure = doubted(3)
    with _speaking(say) as address:
        classifier = opened(address=address, timeout_s=0.5)
        began = time.monotonic()
        assert classifier.classify(unsure) == by_linear(unsure)
        assert time.monotonic() - began < 10


def test_nobody_at_the_address(opened: Callable[..., EventClassifier], caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    assert opened(address=address).classify(doubted(REQUEST_TITLES + 1)) == by_linear(doubted(REQUEST_TITLES + 1))
    assert warnings(caplog) == [f"llm: no answer (ConnectionError) ({REQUEST_TITLES + 1}); {_KEPT}"]


_KEPT = "titles without an answer keep the linear classifier's labels"


def test_titles_do_not_follow_a_redirect(opened: Callable[..., EventClassifier], server: LabServer) -> None:
    with LabServer(Vendor().application) as other:
        for status in (301, 302, 303, 307, 308):
            server.faults[:] = [faults.always(faults.status(status, Location=f"{other.url}/v1/chat/completions"))]
            assert opened().classify(doubted(2)) == by_linear(doubted(2))
        assert other.asked == []
