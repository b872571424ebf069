"""Logins are slowed down where they are guesses, and never by the guesses of somebody else."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from bridge import installation
from bridge.auth import access
from bridge.domain.errors import SetupError
from bridge.store import Store
from bridge.web import forwarded
from bridge.web.logins import (
    TRIES_PER_ADDRESS,
    TRIES_PER_NAME,
    TRIES_PER_PAIR,
    LoginLimits,
    TooManyTries,
    cookie_name,
    known_device,
    uncount,
)
from tests.web.conftest import secured
from tests.web.served import Place, Visitor, open_at, served

RIGHT = "correct horse"


@pytest.fixture
def behind(tmp_path: Path) -> Iterator[Place]:
    """A page behind a proxy on this machine that is named."""
    bridge = open_at(tmp_path)
    trusting = replace(bridge, settings=replace(bridge.settings, trusted_proxies="127.0.0.1, 10.0.0.0/8"))
    with served(trusting, local=False, names=["bridge.example"]) as place:
        secured(place, "ana", RIGHT)
        secured(place, "ben", RIGHT)
        yield place


def guest(place: Place, address: str) -> Visitor:
    """A browser whose requests the proxy passes on, after a header of its own."""
    found = place.visitor()
    found.headers["X-Forwarded-For"] = f"198.51.100.{len(address)}, {address}"
    return found


def test_an_address_that_guesses_keeps_no_other_address_out(behind: Place) -> None:
    guesser = guest(behind, "203.0.113.1")
    tries = [guesser.log_in("ana", f"guess-{n}").status_code for n in range(TRIES_PER_PAIR + 2)]
    assert tries == [403] * TRIES_PER_PAIR + [429] * 2
    assert guest(behind, "203.0.113.2").log_in("ana", RIGHT).status_code == 303
    assert guesser.log_in("ben", RIGHT).status_code == 303


def test_a_header_of_the_clients_own_buys_no_tries(behind: Place) -> None:
    guesser = behind.visitor()
    codes = []
    for number in range(TRIES_PER_PAIR + 1):
        guesser.headers["X-Forwarded-For"] = f"198.51.100.{number}, 203.0.113.1, 10.0.0.7"
        codes.append(guesser.log_in("ana", "guess").status_code)
    assert codes[-1] == 429


def test_a_header_is_not_believed_where_no_proxy_is_named(tmp_path: Path) -> None:
    with served(open_at(tmp_path), local=False, names=["bridge.example"]) as place:
        secured(place, "ana", RIGHT)
        codes = [guest(place, f"203.0.113.{n}").log_in("ana", "guess").status_code for n in range(TRIES_PER_PAIR + 1)]
    assert codes[-1] == 429


def test_the_wait_is_said(behind: Place) -> None:
    guesser = guest(behind, "203.0.113.1")
    answers = [guesser.log_in("ana", "guess") for _ in range(TRIES_PER_PAIR + 1)]
    assert 0 < int(answers[-1].headers["Retry-After"]) <= 300
    assert "Too many tries" in answers[-1].text


def test_guesses_from_many_addresses_slow_down_and_the_owner_comes_in(behind: Place) -> None:
    """Her own browser is known; on a new one, at an address of her own, she has a try."""
    own = guest(behind, "192.0.2.1")
    assert own.log_in("ana", RIGHT).status_code == 303
    own.change("/logout")
    logins: LoginLimits = behind.made.state.page.logins
    for number in range(TRIES_PER_NAME):
        logins.begin("ana", f"203.0.113.{number // TRIES_PER_PAIR}", None)
    fresh = [guest(behind, "203.0.113.200").log_in("ana", "guess").status_code for _ in range(2)]
    assert fresh == [403, 429]
    own.headers["X-Forwarded-For"] = "203.0.113.0"  # where a guesser is
    assert [own.log_in("ana", "mistyped").status_code, own.log_in("ana", RIGHT).status_code] == [403, 303]
    assert guest(behind, "192.0.2.2").log_in("ana", RIGHT).status_code == 303


def test_a_known_browser_has_so_many_tries_and_no_more(behind: Place) -> None:
    own = guest(behind, "192.0.2.1")
    own.log_in("ana", RIGHT)
    own.change("/logout")
    codes = []
    for number in range(TRIES_PER_PAIR + 1):
        own.headers["X-Forwarded-For"] = f"203.0.113.{number}"
        codes.append(own.log_in("ana", "guess").status_code)
    assert codes == [403] * TRIES_PER_PAIR + [429]


def test_the_cookie_of_a_browser_is_one_persons_and_cannot_be_made_up(behind: Place) -> None:
    ben = guest(behind, "203.0.113.1")
    ben.log_in("ben", RIGHT)
    mark = next(cookie for cookie in ben.cookies if cookie.name.startswith("bridge_known_"))
    ana = cookie_name("ana")
    assert known_device(behind.bridge.vault, "ana", f"{'0' * 24}.\xe4") is None
    for value in (mark.value, f"{'0' * 24}.{'0' * 64}", "", "x"):
        guesser = guest(behind, "203.0.113.9")
        guesser.cookies.set(ana, value)
        assert "do not belong together" in guesser.log_in("ana", "guess").text
    logins: LoginLimits = behind.made.state.page.logins
    assert logins.pairs.wait("203.0.113.9/ana") == 0  # the fifth: all four counted as tries of an unknown browser
    assert logins.pairs.wait("203.0.113.9/ana") > 0


def test_one_address_tries_few_names() -> None:
    """An IPv6 customer has 2^64 addresses: they count as one."""
    logins = LoginLimits()
    for number in range(TRIES_PER_ADDRESS):
        logins.begin(f"name-{number}", f"2001:db8::{number:x}", None)
    with pytest.raises(TooManyTries):
        logins.begin("another", "2001:db8::ffff", None)
    logins.begin("another", "2001:db8:0:1::1", None)


def test_only_failures_count() -> None:
    logins = LoginLimits()
    for _ in range(3 * TRIES_PER_NAME):
        uncount(logins.begin("ana", "203.0.113.1", None))


@pytest.mark.parametrize(
    ("peer", "headers", "found"),
    [
        ("127.0.0.1", ["6.6.6.6, 203.0.113.1, 10.0.0.7"], "203.0.113.1"),
        ("127.0.0.1", ["6.6.6.6", "203.0.113.1"], "203.0.113.1"),  # two headers are one list
        ("203.0.113.5", ["6.6.6.6"], "203.0.113.5"),
        ("127.0.0.1", [], "127.0.0.1"),
        ("127.0.0.1", ["6.6.6.6, unknown"], "127.0.0.1"),
        ("127.0.0.1", ["6.6.6.6, '; drop, 10.0.0.7"], "10.0.0.7"),
        ("127.0.0.1", ["203.0.113.1:4711"], "203.0.113.1"),
        ("127.0.0.1", ["[2001:db8::1]:4711"], "2001:db8::1"),
        ("::ffff:127.0.0.1", ["::ffff:203.0.113.1"], "203.0.113.1"),
        ("127.0.0.1", ["10.0.0.1, 10.0.0.2"], "10.0.0.1"),
    ],
)
def test_the_right_most_hop_that_is_no_proxy_counts(peer: str, headers: list[str], found: str) -> None:
    assert forwarded.client(peer, headers, forwarded.networks("127.0.0.1,10.0.0.0/8")) == found


@pytest.mark.parametrize("wrong", ["nginx", "10.0.0.5/8", "127.0.0.1;10.0.0.1"])
def test_a_proxy_that_is_no_address_is_named(wrong: str) -> None:
    with pytest.raises(SetupError, match="BRIDGE_TRUSTED_PROXIES"):
        forwarded.networks(wrong)


def test_many_logins_at_once_take_bounded_memory(tmp_path: Path) -> None:
    """60 at once, each from an address of its own, at a server that is a process."""
    with closing(Store(f"sqlite:///{tmp_path / 'bridge.db'}")) as store:
        ana = store.people.add_user("ana", "UTC", now=installation.now())
        store.access.set_password(ana.id, PasswordHasher().hash(RIGHT), now=installation.now())  # as the product hashes
    environment = os.environ | {"BRIDGE_HOME": str(tmp_path), "BRIDGE_TRUSTED_PROXIES": "127.0.0.1"}
    command = [sys.executable, "-m", "bridge", "web", "--port", "0", "--name", "bridge.example"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        url = re.search(r"open (http://127\.0\.0\.1:\d+)/", process.stderr.readline())
        assert url is not None
        try:
            visitors = [Visitor(url[1]) for _ in range(60)]
            for number, visitor in enumerate(visitors):
                visitor.headers["X-Forwarded-For"] = f"203.0.113.{number}"
                visitor.get("/login")
            before = peak(process.pid)
            with ThreadPoolExecutor(60) as pool:
                form = {"name": "ana", "password": "guess"}
                codes = list(pool.map(lambda one: one.change("/login", form).status_code, visitors))
            grown = peak(process.pid) - before
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)
    print(f"{codes.count(403)} compared, {codes.count(503)} told to come back, {grown} MB more")
    assert set(codes) <= {403, 429, 503}
    assert 403 in codes
    assert grown < 400


def peak(process: int) -> int:
    """The most memory a process has had, in megabytes."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    assert found is not None
    return int(found[1]) // 1000


def test_one_login_too_many_is_told_to_come_back(place: Place) -> None:
    """With nothing compared, no try is lost."""
    secured(place, "ana", RIGHT)
    held = []
    while access._queue.acquire(blocking=False):
        held.append(True)
    try:
        answers = [place.visitor().log_in("ana", RIGHT) for _ in range(TRIES_PER_PAIR + 1)]
    finally:
        for _ in held:
            access._queue.release()
    assert {answer.status_code for answer in answers} == {503}
    assert answers[0].headers["Retry-After"] == "5"
    assert place.visitor().log_in("ana", RIGHT).status_code == 303
