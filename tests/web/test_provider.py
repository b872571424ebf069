"""A login at a real OpenID Connect provider, and what forged answers of it come to."""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from bridge import installation
from bridge.domain.errors import SetupError
from bridge.domain.records import User
from bridge.installation import Bridge
from bridge.web.logins import TRIES_PER_ADDRESS, check_passwords
from bridge.web.server import create
from tests.web.conftest import secured
from tests.web.provider import CLIENT, Claims, Running, provider, signing_key
from tests.web.served import Place, Visitor, open_at, served

pytestmark = pytest.mark.filterwarnings("ignore")  # the provider's own, of its libraries
SUBJECT, SECRET, PASSWORD = "248289761001", "s3cr:t/ü", "correct horse"


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The provider's tokens are of the real time."""
    monkeypatch.delenv("BRIDGE_NOW", raising=False)
    monkeypatch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")


@pytest.fixture
def theirs() -> Iterator[Running]:
    with provider(require_nonce=True) as found:
        yield found


def with_provider(folder: Path, theirs: Running, **more: str) -> Bridge:
    bridge = open_at(folder)
    chosen = {"oidc_issuer": theirs.url, "oidc_client_id": CLIENT, "oidc_client_secret": SECRET} | more
    return replace(bridge, settings=replace(bridge.settings, **chosen))


@pytest.fixture
def place(tmp_path: Path, theirs: Running) -> Iterator[Place]:
    with served(with_provider(tmp_path, theirs)) as found:
        yield found


@pytest.fixture
def ana(place: Place, theirs: Running) -> User:
    """She has a password, and her account at the provider is linked."""
    user = secured(place, "ana", PASSWORD)
    place.bridge.store.credentials.link(user.id, theirs.url, SUBJECT, now=installation.now())
    return user


def go(visitor: Visitor, theirs: Running, subject: str = SUBJECT) -> requests.Response:
    """Log in at the provider; what the page answers to the way back."""
    away = visitor.get("/login/provider")
    assert away.status_code == 303, away.text
    return visitor.get(theirs.consent(away.headers["Location"], subject))


def assert_outside(visitor: Visitor, answer: requests.Response) -> None:
    """Check that the login was refused."""
    assert answer.status_code == 403
    assert 'role="alert"' in answer.text
    assert visitor.get("/settings").headers["Location"] in ("/login", "/welcome")


def test_a_linked_login_comes_in_and_goes(place: Place, theirs: Running, ana: User) -> None:
    secured(place, "ben", PASSWORD)
    visitor = place.visitor()
    assert f"Log in at {urlsplit(theirs.url).netloc}" in visitor.get("/login").text
    answer = go(visitor, theirs)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/")
    assert "Of ana" in visitor.get("/settings").text
    visitor.change("/logout")
    assert visitor.get("/settings").headers["Location"] == "/login"


def test_the_code_is_bound_to_the_browser_and_the_secret_goes_in_a_header(
    place: Place, theirs: Running, ana: User
) -> None:
    """RFC 7636: the challenge is the digest of the verifier. RFC 6749, 2.3.1: both halves are encoded first."""
    visitor = place.visitor()
    away = visitor.get("/login/provider").headers["Location"]
    asked = {name: values[0] for name, values in parse_qs(urlsplit(away).query).items()}
    visitor.get(theirs.consent(away, SUBJECT))
    ((_, form, header),) = [one for one in theirs.way.asked if one[0] == "/oauth2/token"]
    digest = hashlib.sha256(form["code_verifier"].encode()).digest()
    assert asked["code_challenge"] == urlsafe_b64encode(digest).rstrip(b"=").decode()
    assert (asked["code_challenge_method"], asked["response_type"]) == ("S256", "code")
    assert header == "Basic " + b64encode(f"{CLIENT}:s3cr%3At%2F%C3%BC".encode()).decode()
    assert "client_secret" not in form


def test_a_client_that_the_provider_does_not_know_is_told_to_the_operator(tmp_path: Path, theirs: Running) -> None:
    """Without a secret the page is a public client, which this provider refuses."""
    with served(with_provider(tmp_path, theirs, oidc_client_secret="")) as place:
        visitor = place.visitor()
        answer = go(visitor, theirs)
        assert_outside(visitor, answer)
        assert "BRIDGE_OIDC_CLIENT_SECRET" in answer.text


def test_an_unknown_login_is_told_what_to_do(place: Place, theirs: Running, ana: User) -> None:
    """Its e-mail address may be anybody's: the provider gives the subject as one."""
    visitor = place.visitor()
    answer = go(visitor, theirs, "ana@example.org")
    assert_outside(visitor, answer)
    assert "bridge user link NAME --subject ana@example.org" in answer.text


def test_a_person_links_the_login_in_the_settings_and_ends_it(place: Place, theirs: Running) -> None:
    ana = secured(place, "ana", PASSWORD)
    visitor = place.visitor()
    visitor.log_in("ana", PASSWORD)
    visitor.get("/settings")
    away = visitor.change("/settings/login")
    assert away.status_code == 200
    address = away.headers["Refresh"].partition("url=")[2]
    answer = visitor.get(theirs.consent(address, SUBJECT))
    assert answer.headers["Location"] == "/settings?saved=login#login"
    assert SUBJECT in visitor.get("/settings").text
    assert go(place.visitor(), theirs).status_code == 303
    visitor.change("/settings/login/end", {"issuer": theirs.url, "subject": SUBJECT})
    assert place.bridge.store.credentials.identities(ana.id) == []
    other = place.visitor()
    assert_outside(other, go(other, theirs))


def test_a_login_that_is_anothers_is_not_taken(place: Place, theirs: Running, ana: User) -> None:
    ben = secured(place, "ben", PASSWORD)
    visitor = place.visitor()
    visitor.log_in("ben", PASSWORD)
    visitor.get("/settings")
    address = visitor.change("/settings/login").headers["Refresh"].partition("url=")[2]
    answer = visitor.get(theirs.consent(address, SUBJECT))
    assert "belongs to another user here" in answer.text
    assert place.bridge.store.credentials.user_of(theirs.url, SUBJECT) == ana.id
    assert place.bridge.store.credentials.identities(ben.id) == []


def test_who_left_meanwhile_links_nothing(place: Place, theirs: Running, ana: User) -> None:
    secured(place, "ben", PASSWORD)
    visitor = place.visitor()
    visitor.log_in("ana", PASSWORD)
    visitor.get("/settings")
    address = visitor.change("/settings/login").headers["Refresh"].partition("url=")[2]
    visitor.log_in("ben", PASSWORD)
    assert visitor.get(theirs.consent(address, "another")).status_code == 403
    assert place.bridge.store.credentials.user_of(theirs.url, "another") is None


def test_the_claim_names_the_user_once_and_the_subject_counts_from_then_on(tmp_path: Path, theirs: Running) -> None:
    """Some providers tell the name in the ID token, others at their userinfo address alone."""
    bridge = with_provider(tmp_path, theirs, oidc_user_claim="preferred_username")
    for subject, name in (("1", "ana"), ("2", "ana"), ("3", "zoe")):
        requests.put(f"{theirs.url}/users/{subject}", json={"preferred_username": name}, timeout=10)
    with served(bridge) as place:
        ana, cleo = secured(place, "ana", PASSWORD), secured(place, "cleo", PASSWORD)
        assert go(place.visitor(), theirs, "1").status_code == 303
        requests.put(f"{theirs.url}/users/1", json={"preferred_username": "cleo"}, timeout=10)
        visitor = place.visitor()
        assert go(visitor, theirs, "1").status_code == 303
        assert "Of ana" in visitor.get("/settings").text
        for subject in ("2", "3"):  # another account that took the name, and a name that is nobody's
            other = place.visitor()
            assert_outside(other, go(other, theirs, subject))
        theirs.way.resign(lambda claims: {k: v for k, v in claims.items() if k != "preferred_username"})
        requests.put(f"{theirs.url}/users/4", json={"preferred_username": "cleo"}, timeout=10)
        fresh = place.visitor()
        assert go(fresh, theirs, "4").status_code == 303
        assert "Of cleo" in fresh.get("/settings").text
        kept = place.bridge.store.credentials
        assert [one.subject for user in (ana, cleo) for one in kept.identities(user.id)] == ["1", "4"]


ATTACKS: dict[str, Callable[[Claims], Claims]] = {
    "nonce": lambda claims: claims | {"nonce": "another"},
    "no nonce": lambda claims: {name: value for name, value in claims.items() if name != "nonce"},
    "audience": lambda claims: claims | {"aud": "another-client"},
    "two audiences": lambda claims: claims | {"aud": [CLIENT, "another-client"]},
    "party": lambda claims: claims | {"azp": "another-client"},
    "issuer": lambda claims: claims | {"iss": "https://accounts.example.org"},
    "expired": lambda claims: claims | {"exp": claims["iat"] - 3600},
    "no end": lambda claims: {name: value for name, value in claims.items() if name != "exp"},
    "not yet": lambda claims: claims | {"nbf": claims["iat"] + 3600},
    "no subject": lambda claims: claims | {"sub": ""},
    "odd subject": lambda claims: claims | {"sub": 7},
}


def test_a_token_signed_anew_is_taken_where_nothing_else_is_wrong(place: Place, theirs: Running, ana: User) -> None:
    """The sound login from which the attacks below differ."""
    theirs.way.resign(lambda claims: claims)
    assert go(place.visitor(), theirs).status_code == 303


@pytest.mark.parametrize("name", ATTACKS)
def test_a_token_with_a_wrong_claim_is_refused(place: Place, theirs: Running, ana: User, name: str) -> None:
    theirs.way.resign(ATTACKS[name])
    visitor = place.visitor()
    assert_outside(visitor, go(visitor, theirs))


def test_a_wrong_signature_is_refused(place: Place, theirs: Running, ana: User) -> None:
    theirs.way.resign(lambda claims: claims)
    del theirs.way.altered["/jwks"]  # the provider's own keys are another's
    visitor = place.visitor()
    assert_outside(visitor, go(visitor, theirs))


@pytest.mark.parametrize("algorithm", ["none", "HS256"])
def test_a_token_that_anybody_can_sign_is_refused(place: Place, theirs: Running, ana: User, algorithm: str) -> None:
    """With HS256 the provider's public key would be the secret."""

    def forged(told: Claims) -> Claims:
        head, body, _ = told["id_token"].split(".")
        if algorithm == "none":
            head = urlsafe_b64encode(b'{"alg":"none","typ":"JWT"}').rstrip(b"=").decode()
            return told | {"id_token": f"{head}.{body}."}
        head = urlsafe_b64encode(b'{"alg":"HS256","kid":"test"}').rstrip(b"=").decode()
        seal = hmac.digest(signing_key().as_pem(private=False), f"{head}.{body}".encode(), "sha256")
        return told | {"id_token": f"{head}.{body}.{urlsafe_b64encode(seal).rstrip(b'=').decode()}"}

    theirs.way.resign(lambda claims: claims)
    theirs.way.altered["/oauth2/token"] = forged
    visitor = place.visitor()
    assert_outside(visitor, go(visitor, theirs))


def test_an_expired_token_of_the_provider_itself_is_refused(tmp_path: Path) -> None:
    with provider(access_token_max_age=timedelta(hours=-1)) as late, served(with_provider(tmp_path, late)) as place:
        user = secured(place, "ana", PASSWORD)
        place.bridge.store.credentials.link(user.id, late.url, SUBJECT, now=installation.now())
        visitor = place.visitor()
        assert_outside(visitor, go(visitor, late))


def test_the_answer_of_another_provider_is_refused_before_its_code_is_sent(
    place: Place, theirs: Running, ana: User
) -> None:
    """The mix-up attack: RFC 9207 names the issuer in the way back."""
    visitor = place.visitor()
    back = theirs.consent(visitor.get("/login/provider").headers["Location"], SUBJECT)
    assert_outside(visitor, visitor.get(f"{back}&iss=https%3A%2F%2Faccounts.example.org"))
    assert "/oauth2/token" not in [path for path, *_ in theirs.way.asked]
    theirs.way.altered["/.well-known/openid-configuration"] = lambda told: (
        told | {"authorization_response_iss_parameter_supported": True}
    )
    back = theirs.consent(visitor.get("/login/provider").headers["Location"], SUBJECT)
    assert_outside(visitor, visitor.get(back))
    back = theirs.consent(visitor.get("/login/provider").headers["Location"], SUBJECT)
    assert visitor.get(f"{back}&iss={theirs.url}").status_code == 303


def test_a_discovery_document_of_another_issuer_is_refused(place: Place, theirs: Running, ana: User) -> None:
    theirs.way.altered["/.well-known/openid-configuration"] = lambda told: told | {"issuer": "https://evil.example"}
    answer = place.visitor().get("/login/provider")
    assert answer.status_code == 503
    assert "BRIDGE_OIDC_ISSUER" in answer.text


def test_codes_go_nowhere_in_the_clear(place: Place, theirs: Running, ana: User) -> None:
    theirs.way.altered["/.well-known/openid-configuration"] = lambda told: (
        told | {"token_endpoint": "http://evil.example/token"}
    )
    assert place.visitor().get("/login/provider").status_code == 503


def test_a_way_back_counts_once_and_in_the_browser_that_began(place: Place, theirs: Running, ana: User) -> None:
    secured(place, "ben", PASSWORD)
    visitor, other = place.visitor(), place.visitor()
    other.get("/login")
    back = theirs.consent(visitor.get("/login/provider").headers["Location"], SUBJECT)
    assert_outside(other, other.get(back))
    assert visitor.get(back).status_code == 303
    visitor.get("/settings")
    visitor.change("/logout")
    assert_outside(visitor, visitor.get(back))
    assert [path for path, *_ in theirs.way.asked].count("/oauth2/token") == 1
    assert_outside(visitor, visitor.get("/login/provider/back?state=unknown&code=1"))


def test_an_attempt_ends_after_ten_minutes(
    place: Place, theirs: Running, ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bridge.web import state

    visitor = place.visitor()
    monkeypatch.setattr(state, "PENDING_SECONDS", -1.0)
    back = theirs.consent(visitor.get("/login/provider").headers["Location"], SUBJECT)
    assert_outside(visitor, visitor.get(back))


def test_a_login_that_is_denied_or_dead_leads_back(place: Place, theirs: Running, ana: User) -> None:
    visitor = place.visitor()
    state = parse_qs(urlsplit(visitor.get("/login/provider").headers["Location"]).query)["state"][0]
    assert_outside(visitor, visitor.get(f"/login/provider/back?error=access_denied&state={state}"))
    assert "/oauth2/token" not in [path for path, *_ in theirs.way.asked]


def test_tries_are_limited_as_for_passwords(place: Place, theirs: Running, ana: User) -> None:
    visitor = place.visitor()
    codes = [visitor.get("/login/provider").status_code for _ in range(TRIES_PER_ADDRESS + 1)]
    assert codes == [303] * TRIES_PER_ADDRESS + [429]
    assert visitor.log_in("ana", PASSWORD).status_code == 429  # both kinds of tries count together


def test_success_does_not_count(place: Place, theirs: Running, ana: User) -> None:
    assert {go(place.visitor(), theirs).status_code for _ in range(TRIES_PER_ADDRESS + 2)} == {303}


def test_a_provider_that_does_not_answer_leaves_the_password(tmp_path: Path) -> None:
    with provider() as gone:
        pass
    with served(with_provider(tmp_path, gone)) as place:
        secured(place, "ana", PASSWORD)
        visitor = place.visitor()
        answer = visitor.get("/login/provider")
        assert answer.status_code == 503
        assert "does not answer" in answer.text
        assert visitor.log_in("ana", PASSWORD).status_code == 303


@pytest.mark.parametrize(
    ("chosen", "named"),
    [
        ({"oidc_client_id": ""}, "BRIDGE_OIDC_CLIENT_ID"),
        ({"oidc_user_claim": "email"}, "BRIDGE_OIDC_USER_CLAIM"),
        ({"oidc_issuer": "http://accounts.example.org"}, "https"),
        ({"oidc_issuer": "accounts"}, "BRIDGE_OIDC_ISSUER"),
    ],
)
def test_a_page_with_half_a_provider_does_not_start(tmp_path: Path, chosen: dict[str, str], named: str) -> None:
    bridge = open_at(tmp_path)
    wanted = {"oidc_issuer": "https://accounts.example.org", "oidc_client_id": CLIENT} | chosen
    with pytest.raises(SetupError, match=named):
        create(replace(bridge, settings=replace(bridge.settings, **wanted)))
    bridge.store.close()


def test_a_linked_login_serves_instead_of_a_password(place: Place) -> None:
    user = place.bridge.store.people.add_user("ana", "UTC", now=installation.now())
    with pytest.raises(SetupError, match="ana"):
        check_passwords(place.bridge)
    place.bridge.store.credentials.link(user.id, "https://accounts.example.org", SUBJECT, now=installation.now())
    check_passwords(place.bridge)
    assert place.visitor().get("/settings").headers["Location"] == "/login"  # and closes the page of this machine


def test_the_last_way_in_stays_where_other_machines_reach_the_page(tmp_path: Path, theirs: Running) -> None:
    with served(with_provider(tmp_path, theirs), local=False, names=["bridge.example"]) as place:
        ana = place.bridge.store.people.add_user("ana", "UTC", now=installation.now())
        place.bridge.store.credentials.link(ana.id, theirs.url, SUBJECT, now=installation.now())
        visitor = place.visitor()
        assert go(visitor, theirs).status_code == 303
        visitor.get("/settings")
        answer = visitor.change("/settings/login/end", {"issuer": theirs.url, "subject": SUBJECT})
        assert "you need a password or a passkey" in answer.text
        assert len(place.bridge.store.credentials.identities(ana.id)) == 1
        visitor.change("/settings/password", {"new": PASSWORD, "again": PASSWORD})
        visitor.get("/settings")
        assert visitor.change("/settings/password/remove", {"old": PASSWORD}).status_code == 303
        assert "You log in another way" in visitor.get("/settings").text
