"""Laws of access: consents, tokens, limits and cursors."""

from __future__ import annotations

import contextlib
import json
import re
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
import requests

from bridge import installation, registry
from bridge.auth.vault import Vault
from bridge.domain.errors import NeedsLogin
from bridge.domain.types import Outcome
from bridge.recordings.server import Answer, Fault, Request
from bridge.store import Store
from tests.contract import accounts
from tests.contract.laws.stage import HOME, alive, cases, went_well
from tests.world import KEY, World, contents, later, vendor_of

RESET = 3000  # seconds; longer than our own first wait
SINCE = re.compile(r"since|last_?update|updated|modified|changed", re.IGNORECASE)  # of changes, not of a window
SECRET_CHARS = 8  # shorter texts of a token are no secrets


def tokens_end(source: str) -> bool:
    """Say if a source's access tokens end, and are refreshed."""
    return vendor_of(source).tokens_end


def ended_tokens_cost_no_consent(source: str) -> None:
    """Tokens end between syncs, by the vendor's clock and by ours, and once while the vendor is down."""
    with alive(source, "week") as world:
        if not tokens_end(source):
            return  # nor does a secret address
        went_well(world.sync())
        world.vendor.tokens_expire()
        world.server.faults.append(lambda r: None if for_a_token(r) else Answer(status=500, body=b""))
        assert later(world, hours=1).sync().outcome == "failed"
        world.server.faults.clear()
        for hours in range(12, 16):
            if hours % 2:
                world.account.save_token(ended(world.account.token() or {}))
            world.vendor.tokens_expire()
            went_well(later(world, hours=hours).sync())


def for_a_token(request: Request) -> bool:
    """Say if a request asks for a token, by its path or by what it posts."""
    posted = request.form if request.method == "POST" else {}
    return "token" in request.path or "grant_type" in posted


def ended(token: dict[str, Any]) -> dict[str, Any]:
    """A token that ended yesterday, where it says when it ends."""
    yesterday = datetime.now(UTC) - timedelta(days=1)
    dated = {"expires_at": yesterday.timestamp(), "expiry": yesterday.isoformat()}
    return token | {name: at for name, at in dated.items() if name in token}


class Visitor:
    """A person who agrees at once, pastes the address they were led to, and has the vendor's secret at hand."""

    def __init__(self, world: World, secret: str) -> None:
        self._world, self._secret, self._led = world, secret, ""

    def open(self, url: str, code: str | None = None) -> None:
        """Look at the vendor's page, and type the code there. Without a page, be led back with a code of no meaning."""
        if code is not None:
            requests.get(url, params={"code": code}, timeout=10)
            return
        asked = dict(parse_qsl(urlsplit(url).query))
        if "redirect_uri" in asked:
            self._led = f"{asked['redirect_uri']}?{urlencode({'code': 'lab-code', 'state': asked.get('state', '')})}"
        if url.startswith(self._world.server.url):
            self._led = requests.get(url, timeout=10, allow_redirects=False).headers.get("Location", self._led)

    def paste(self) -> str | None:
        return self._led or None

    def told(self, error: str) -> bool:
        """Say if the vendor led back with this error code."""
        return f"error={error}" in self._led

    def ask(self, question: str) -> str | None:  # noqa: ARG002 - there is but one secret
        return self._secret


def consent_is_given_saved_and_used(source: str) -> None:
    """Connecting from nothing leaves a token in the store, with which a sync asks the vendor."""
    with alive(source, "week") as world:
        went_well(world.sync())
        expected = world.contents()
        settings = dict(world.account.settings)
        held = {n: v for n, v in world.vendor.grant().items() if n in settings and not n.startswith("client")}
        with closing(Store("sqlite://")) as store:
            user = store.people.add_user("ben", HOME, now=world.now)
            connection = store.connections.connect(user.id, source, source, now=world.now)
            anew = replace(world, store=store, user=user, connection=connection)
            wanted = settings | dict.fromkeys(held, "")
            asked = installation.StoredAccount(
                connection.id, wanted, store, Vault([KEY]), allow_hosts=world.allow_hosts
            )
            assert asked.token() is None
            visitor = Visitor(world, next(iter(held.values()), ""))
            authorised(anew, asked, visitor)
            token = asked.token()
            assert token, "the consent was not saved"
            seen = requests_of(anew)
            went_well(anew.sync())
            assert contents(store, user) == expected
            assert any(shows(request, token) for request in seen), "the consent was not used"


def authorised(world: World, account: installation.StoredAccount, visitor: Visitor) -> None:
    """Let a visitor connect. A vendor that cannot read the scopes says so."""
    try:
        registry.resolve(world.spec.authorises or "")(account, visitor)
    except NeedsLogin as error:
        because = "; SPEC.oauth.scope_separator is not the vendor's" if visitor.told("invalid_scope") else ""
        raise AssertionError(f"no consent: {error}{because}") from error


def withdrawn_consents_are_over(source: str) -> None:
    """After the person disconnects, the vendor accepts neither token. A source that asks no vendor is left out."""
    with alive(source, "week") as world:
        oauth = world.spec.oauth
        if oauth is None or oauth.revocation is None:
            return
        assert world.spec.revokes, "SPEC.oauth.revocation is used by no SPEC.revokes"
        authorised(world, world.account, Visitor(world, ""))
        went_well(world.sync())
        assert registry.resolve(world.spec.revokes)(world.account), "the vendor did not confirm that the consent ended"
        assert later(world, minutes=30).sync().outcome == "needs_login", "a token is accepted after it was withdrawn"


def requests_of(world: World) -> list[Request]:
    """A list that every request to the vendor joins from now on."""
    seen: list[Request] = []

    def note(request: Request) -> None:
        seen.append(request)

    world.server.faults.append(note)
    return seen


def shows(request: Request, token: dict[str, Any]) -> bool:
    """Say if a request bears a secret of a token. A secret address is its own, and so is that of a whole server."""
    sent = [*request.headers.values(), *request.query.values(), *request.form.values()]
    secrets = [text for text in token.values() if isinstance(text, str) and len(text) > SECRET_CHARS]
    return any(secret in text for secret in secrets for text in sent) or any(
        secret.endswith(request.path) or not urlsplit(secret).path for secret in secrets if "://" in secret
    )


def limits_are_waited_out(source: str) -> None:
    """A limit, in each way a vendor tells it, ends as "try later", pauses nothing, and heals by itself."""
    for name, answer in limits(source).items():
        told = any(value[0].isdigit() for value in answer.headers.values())  # a date is of the machine's clock
        wait = timedelta(seconds=RESET if told else 0)
        for position in (1, 2):
            with alive(source, "week") as world, pytest.MonkeyPatch.context() as patch:
                patch.setattr("time.sleep", lambda _: None)
                world.server.faults.append(strike(answer, position))
                limited = world.sync()
                if position > 1 and limited.outcome == "ok" and data_requests(world) < position:
                    continue  # all is told in one answer
                waits(world, limited, name, wait)
    if tokens_end(source):
        limited_at_the_token(source)


def limited_at_the_token(source: str) -> None:
    with alive(source, "week") as world, pytest.MonkeyPatch.context() as patch:
        patch.setattr("time.sleep", lambda _: None)
        world.vendor.tokens_expire()
        busy = Answer(status=429, headers={"Retry-After": str(RESET)})
        world.server.faults.append(lambda r: busy if for_a_token(r) else None)
        waits(world, world.sync(), "429 where tokens are given", timedelta(seconds=RESET))


def waits(world: World, limited: Outcome, name: str, wait: timedelta) -> None:
    """The outcome is "try later", the connection is due by itself after the wait asked for, and all is well then."""
    assert limited.outcome == "failed", f"{name}: {limited.outcome}"
    assert not limited.odd, f"{name}: taken for an odd answer, which stops the source in the end"
    connection = world.store.connections.of_user(world.user.id)[0]
    assert connection.paused is None, name
    assert connection.due_at is not None, name
    assert connection.due_at > world.now, name
    assert connection.due_at - world.now >= wait, f"{name}: due too early"
    world.server.faults.clear()
    went_well(replace(world, connection=connection).sync(at=connection.due_at))


def limits(source: str) -> dict[str, Answer]:
    """The ways in which this vendor may tell that too much was asked."""
    date_of = format_datetime(datetime.now(UTC) + timedelta(seconds=RESET), usegmt=True)
    found = {
        "429 with seconds": Answer(status=429, body=b"slow down", headers={"Retry-After": str(RESET)}),
        "429 with a reset": Answer(status=429, headers={"RateLimit-Reset": str(RESET)}),
        "429 with X and a reset": Answer(status=429, headers={"X-RateLimit-Reset": f"{RESET}, 40000"}),
        "429 with a date": Answer(status=429, headers={"Retry-After": date_of}),
        "429 alone": Answer(status=429, body={"error": "too many requests"}),
    }
    return found | ({"status 601": Answer(body={"status": 601, "error": "Too Many Requests"})} if wraps(source) else {})


def wraps(source: str) -> bool:
    """Say if the vendor's answers carry their own status, as Withings' ``{"status": 0, "body": ...}``.

    Such a vendor answers 601 for a limit, with HTTP 200.
    """
    with alive(source, "week") as world:
        application, told = world.server.application, []

        def note(request: Request) -> Answer:
            answer = application(request)
            with contextlib.suppress(ValueError):  # no JSON
                body = json.loads(answer.encoded())
                told.append(body.get("status") if isinstance(body, dict) else None)
            return answer

        world.server.application = note
        went_well(world.sync())
        return any(type(status) is int and status == 0 for status in told)


def strike(answer: Answer, position: int) -> Fault:
    """The vendor answers so from its nth request for data on."""
    asked = 0

    def fault(request: Request) -> Answer | None:
        nonlocal asked
        asked += not for_a_token(request)
        return answer if asked >= position and not for_a_token(request) else None

    return fault


def data_requests(world: World) -> int:
    return sum("token" not in line for line in world.server.asked)


def cursors_never_pass_now(source: str) -> None:
    """No cursor passes now, after a first sync and after the next. No request asks for what changed after now."""
    for case in cases(source):
        with alive(source, case) as world:
            morning = replace(
                world, now=world.now.astimezone(UTC).replace(hour=8)
            )  # the date is the same all over the world
            seen = requests_of(world)
            for at in (morning, later(morning, hours=1)):
                went_well(at.sync())
                no_cursor_is_ahead(at)
                for request in seen:
                    nothing_from_the_future(request, at.now)
                seen.clear()


def no_cursor_is_ahead(world: World) -> None:
    for stream, cursor in world.store.ingest.cursors(world.connection.id, world.spec.cursor_version).items():
        for at in accounts.moments_of_text(cursor):
            whole = at.time() == datetime.min.time()  # a date: the person's, anywhere
            ahead = at.date() > accounts.latest_date(world.now) if whole else at > world.now + timedelta(seconds=1)
            assert not ahead, f"the cursor of {stream} lies ahead of now"


def nothing_from_the_future(request: Request, now: datetime) -> None:
    for name, value in {**request.query, **request.form}.items():
        if SINCE.search(name):
            assert all(at <= now for at in accounts.moments_of_text(value)), f"{name} lies ahead of now"
