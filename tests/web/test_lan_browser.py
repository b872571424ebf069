"""``bridge up --lan`` in a Chromium that trusts its authority: installed, with a passkey, and woken by a message."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from bridge.advice.web_push import Notice
from tests.web.browsing import CHROMIUM, OPTIONS, chromium
from tests.web.test_lan import PASSWORD, running
from tests.web.test_passkeys_browser import give
from tests.web.test_push_browser import SHOWN

pytestmark = pytest.mark.web
NAME = "rhythm.local"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if shutil.which("certutil") is None:
        pytest.skip("there is no certutil here: apt-get install libnss3-tools")
    with chromium() as found:
        yield found


def trusting(browser: Any, folder: Path, certificate: bytes | None) -> Any:
    """A browser with a home of its own, in which it trusts a ``certificate``."""
    database, file = folder / ".pki" / "nssdb", folder / "authority.crt"
    database.mkdir(parents=True)
    certutil = ["certutil", "-d", f"sql:{database}"]
    subprocess.run([*certutil, "-N", "--empty-password"], check=True)
    if certificate is not None:
        file.write_bytes(certificate)
        subprocess.run([*certutil, "-A", "-t", "C,,", "-n", "rhythm", "-i", str(file)], check=True)
    return browser.browser_type.launch_persistent_context(
        str(folder / "profile"),
        executable_path=str(CHROMIUM),
        args=[*OPTIONS, f"--host-resolver-rules=MAP {NAME} 127.0.0.1"],
        env={**os.environ, "HOME": str(folder)},
    )


def test_a_browser_that_trusts_it_installs_the_page_makes_a_passkey_and_gets_messages(
    browser: Any, tmp_path: Path
) -> None:
    for folder in ("bridge", "trusting", "stranger"):
        (tmp_path / folder).mkdir()
    with running(tmp_path / "bridge", NAME) as (_, port, certificate):
        url = f"https://{NAME}:{port}"
        stranger = trusting(browser, tmp_path / "stranger", None)
        with pytest.raises(Exception, match="ERR_CERT_AUTHORITY_INVALID"):
            stranger.new_page().goto(url)
        stranger.close()
        context = trusting(browser, tmp_path / "trusting", requests.get(certificate, timeout=30).content)
        try:
            page = context.new_page()
            _log_in(page, url)
            page.evaluate("navigator.serviceWorker.ready.then(() => null)")
            page.reload()
            session, key = give(page)
            assert session.send("Page.getInstallabilityErrors")["installabilityErrors"] == []
            _use_a_passkey(page, url)
            assert session.send("WebAuthn.getCredentials", {"authenticatorId": key})["credentials"][0]["rpId"] == NAME
            _get_a_message(context, page, url)
        finally:
            context.close()


def _log_in(page: Any, url: str) -> None:
    page.goto(url)
    page.fill("input[name=name]", "ana")
    page.fill("input[name=password]", PASSWORD)
    page.click("main button.first")
    page.wait_for_url(f"{url}/")


def _use_a_passkey(page: Any, url: str) -> None:
    page.goto(f"{url}/settings")
    page.click("summary:has-text('Add a passkey')")
    page.fill("#passkey-form input[name=name]", "my phone")
    page.click("button:has-text('Make a passkey')")
    page.wait_for_selector("text=You can log in with this passkey")
    page.context.clear_cookies()
    page.goto(f"{url}/login")
    page.click("#passkey-login button")
    page.wait_for_url(f"{url}/")


def _get_a_message(context: Any, page: Any, url: str) -> None:
    context.grant_permissions(["notifications"], origin=url)
    page.goto(f"{url}/settings")
    assert page.is_visible("button:has-text('Send them to this browser')")
    session, found = context.new_cdp_session(page), []
    session.on("ServiceWorker.workerRegistrationUpdated", lambda told: found.extend(told["registrations"]))
    session.send("ServiceWorker.enable")
    page.wait_for_timeout(500)
    notice = Notice(title="Your week", text="It went well.", tag="review", page="/review")
    message = {"origin": url, "registrationId": found[-1]["registrationId"], "data": notice.body.decode()}
    session.send("ServiceWorker.deliverPushMessage", message)
    (worker,) = context.service_workers
    for _ in range(100):
        if shown := worker.evaluate(SHOWN):
            break
        page.wait_for_timeout(100)
    assert [one["title"] for one in shown] == ["Your week"]
