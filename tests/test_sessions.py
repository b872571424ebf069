"""Settings that sessions take from the environment: proxies where a variable names one, and never passwords."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bridge import http

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
        threading.Thread(target=server.serve_forever, daemon=True).start()
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
