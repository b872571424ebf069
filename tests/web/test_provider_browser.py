"""A login at a real OpenID Connect provider in Chromium, from another site."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.web.browsing import PHONE, Trouble, chromium, grave_findings, picture
from tests.web.conftest import secured
from tests.web.provider import CLIENT, Running, provider
from tests.web.served import Place, open_at, served

pytestmark = [pytest.mark.web, pytest.mark.filterwarnings("ignore")]
PASSWORD, SUBJECT = "correct horse", "248289761001"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture
def theirs(monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    """It goes by another name than the page, so that a browser takes it for another site."""
    monkeypatch.delenv("BRIDGE_NOW", raising=False)
    monkeypatch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")
    with provider() as found:
        yield replace(found, url=found.url.replace("127.0.0.1", "localhost"))


@pytest.fixture
def place(tmp_path: Path, theirs: Running) -> Iterator[Place]:
    bridge = open_at(tmp_path)
    settings = replace(bridge.settings, oidc_issuer=theirs.url, oidc_client_id=CLIENT, oidc_client_secret="s3cret")
    with served(replace(bridge, settings=settings)) as found:
        yield found


def test_linked_in_the_settings_and_logged_in_there(place: Place, theirs: Running, browser: Any) -> None:
    secured(place, "ana", PASSWORD)
    trouble = Trouble()
    context = browser.new_context(**PHONE)
    page = trouble.watch(context.new_page())
    page.goto(f"{place.url}/login")
    assert grave_findings(page) == []
    picture(page, "provider-login-phone")
    page.fill("input[name=name]", "ana")
    page.fill("input[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{place.url}/")
    page.goto(f"{place.url}/settings")
    page.click("button:has-text('Link my login')")
    agree(page, theirs)
    page.wait_for_url(f"{place.url}/settings?saved=login#login")
    assert page.is_visible(f"#login >> text={SUBJECT}")
    assert grave_findings(page) == []
    picture(page, "provider-settings-phone")
    page.click("text=Log out")
    page.click("text=Log in at localhost")
    agree(page, theirs)
    page.wait_for_url(f"{place.url}/")
    assert page.is_visible("text=Log out")
    assert [one for one in trouble if "load resource" not in one] == []  # the provider's page asks for styles elsewhere
    context.close()


def agree(page: Any, theirs: Running) -> None:
    page.wait_for_url(f"{theirs.url}/**")
    page.fill("input[name=sub]", SUBJECT)
    page.keyboard.press("Enter")
