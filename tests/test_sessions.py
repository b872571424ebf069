"""Sessions: the settings that they take from the environment, and the requests that they prepare by themselves."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from unittest import mock
from urllib.parse import unquote

import pytest
import requests
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bridge import http
from bridge.http.transport import POOLS_MAX, QuickSession, unsigned

Asked = list[tuple[str, str | None]]  # address as the server got it, and the header Authorization


@contextmanager
def listening() -> Iterator[tuple[str, Asked]]:
    asked: Asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append((self.path, self.headers.get("Authorization")))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.mark.parametrize("name", ["http_proxy", "HTTP_PROXY", "all_proxy"])
def test_a_proxy_that_the_environment_names_is_used(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with listening() as (vendor, direct), listening() as (proxy, through):
        with http.open_session() as session:
            session.get(f"{vendor}/a", timeout=10)
        monkeypatch.setenv(name, proxy)
        with http.open_session() as session:
            session.get(f"{vendor}/b", timeout=10)
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        with http.open_session() as session:
            session.get(f"{vendor}/c", timeout=10)
    assert [path for path, _ in direct] == ["/a", "/c"]
    assert [path for path, _ in through] == [f"{vendor}/b"]


@pytest.mark.parametrize("proxied", [False, True])
def test_a_kept_password_never_replaces_the_access_token(
    proxied: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "netrc"
    kept.write_text("machine 127.0.0.1 login ana password secret-of-ana\n", encoding="utf-8")
    monkeypatch.setenv("NETRC", str(kept))
    if proxied:
        monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    with listening() as (vendor, asked), http.open_session() as session:
        session.get(vendor, headers={"Authorization": "Bearer token"}, timeout=10)
        session.get(vendor, timeout=10)
    assert asked == [("/", "Bearer token"), ("/", None)]


def test_the_bundle_of_certificates_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/of/the/operator.pem")
    with http.open_session() as session:
        assert session.merge_environment_settings("https://a.example", {}, None, None, None)["verify"] == (
            "/of/the/operator.pem"
        )


texts = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=8) | st.text(
    "ab~._-%/2F.:@", max_size=8
)
addresses = st.builds(
    "{}://{}{}{}".format,
    st.sampled_from(["http", "https", "HTTPS"]),
    st.sampled_from(["api.example.com", "127.0.0.1:80", "API.example.com", "a:b@example.com", "exämple.com"]),
    st.just("") | st.builds("/{}/{}".format, texts, texts),
    st.just("") | st.builds("?{}={}&c=%2C".format, texts, texts),
)
headers = st.dictionaries(st.sampled_from(["accept", "Authorization", "X-A"]), st.none() | st.text("aZ 9", min_size=1))
prepared = st.tuples(addresses, headers, st.none() | st.dictionaries(texts, texts | st.none() | st.integers()))
PLAIN = (
    "https://api.example.com/v2/sleep",
    {"Authorization": "Bearer x"},
    {"end": "2026-11-20T09:05:00.000Z", "q": "ä b"},
)


def sent(session: requests.Session, address: str, headers: Any, params: Any) -> object:
    """Return what a session would send, or the kind of its refusal. What a quoted address means is compared."""
    try:
        made = session.prepare_request(requests.Request("GET", address, headers=headers, params=params))
    except (requests.RequestException, UnicodeError, ValueError) as error:
        return type(error)
    return made.method, unquote(made.url or ""), made.headers, made.body, made.hooks, made.copy().headers


@settings(deadline=None, max_examples=300)
@given(prepared)
@example(PLAIN)
@example(("https://api.example.com/a/../b", {}, None))
@example(("https://api.example.com/a?b=1", {}, {"c": "2"}))
@example(("https://api.example.com/a", {"X-A": " a"}, None))
def test_plain_requests_are_prepared_as_the_library_prepares_them(one: tuple[str, Any, Any]) -> None:
    quick, plain = QuickSession(), requests.Session()
    for session in (quick, plain):
        session.auth = unsigned
    assert sent(quick, *one) == sent(plain, *one)


def test_only_plain_requests_are_prepared_without_the_library() -> None:
    quick = QuickSession()
    quick.auth = unsigned
    with mock.patch.object(requests.Session, "prepare_request", side_effect=NotImplementedError):
        made = quick.prepare_request(requests.Request("GET", PLAIN[0], headers=PLAIN[1], params=PLAIN[2]))
        assert (made.url or "").endswith("?end=2026-11-20T09:05:00.000Z&q=%C3%A4+b")
        for odd in ({"data": {"a": "b"}}, {"auth": ("a", "b")}, {"cookies": {"a": "b"}}, {"params": {"a": 1}}):
            with pytest.raises(NotImplementedError):
                quick.prepare_request(requests.Request("GET", PLAIN[0], **odd))
        quick.cookies.set("a", "b")
        with pytest.raises(NotImplementedError):
            quick.prepare_request(requests.Request("GET", PLAIN[0]))


@contextmanager
def wandering() -> Iterator[str]:
    """Serve redirects, cookies and what was asked for: its Authorization and its cookie."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            what, _, rest = self.path.strip("/").partition("/")
            body = f"{self.headers.get('Authorization')} {self.headers.get('Cookie')}".encode()
            self.send_response(302 if what in ("there", "round") else 200)
            if what == "round":
                self.send_header("Location", self.path)
            if what == "there":
                self.send_header("Location", f"http://{rest}:{self.server.server_port}/cookie")  # type: ignore[attr-defined]
            if what == "cookie":
                self.send_header("Set-Cookie", "a=b; Path=/")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def walked(session: requests.Session, vendor: str) -> list[object]:
    """Return what a session gets on a walk with redirects and cookies, and what it keeps."""
    found: list[object] = []
    for path in ("plain", "there/127.0.0.1", "plain", "there/localhost", "cookie", "plain", "round"):
        try:
            got = session.get(f"{vendor}/{path}", headers={"Authorization": "Bearer x"}, params={"q": "1"}, timeout=10)
        except requests.RequestException as error:
            found.append(type(error))
            continue
        visited = [(one.status_code, one.url, one.request.headers.get("Authorization")) for one in [*got.history, got]]
        found.append((visited, got.content, sorted(session.cookies.items())))
    return found


def test_plain_requests_are_redirected_and_keep_cookies_as_the_library_does() -> None:
    with wandering() as vendor:
        with http.open_session() as quick, requests.Session() as plain:
            plain.trust_env = False
            assert walked(quick, vendor) == walked(plain, vendor)
        nowhere = f"{vendor.rpartition(':')[0]}:9/a"
        with http.open_session() as quick, pytest.raises(requests.ConnectionError):
            quick.get(nowhere, timeout=10)


def test_plain_requests_are_sent_without_the_librarys_session_and_to_many_hosts() -> None:
    with ExitStack() as stack, http.open_session() as quick:
        vendors = [stack.enter_context(listening()) for _ in range(POOLS_MAX + 3)]
        with mock.patch.object(requests.Session, "send", side_effect=NotImplementedError):
            for vendor, _ in 2 * vendors:
                assert quick.get(f"{vendor}/plain", data=None, timeout=10).status_code == 204
            for odd in ({"data": {"a": "b"}}, {"auth": ("a", "b")}, {"cookies": {"a": "b"}}, {"stream": True}):
                with pytest.raises(NotImplementedError):
                    quick.get(f"{vendors[0][0]}/plain", timeout=10, **odd)
        assert all(len(asked) == 2 for _, asked in vendors)
