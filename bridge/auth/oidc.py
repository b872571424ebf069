"""Log people in at an OpenID Connect provider, by authorization code with PKCE (RFC 7636).

Sources: OpenID Connect Core 1.0, section 3.1, and Discovery 1.0, section 4.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

from bridge import http
from bridge.auth.token_transport import plain_loopback
from bridge.domain.errors import BridgeError, Forged, SetupError, TryLater

if TYPE_CHECKING:
    import requests

    from bridge.config import Settings

DISCOVERY_PATH = "/.well-known/openid-configuration"
SCOPES = "openid profile"
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")  # by public key
LEEWAY_SECONDS = 60  # between the clocks of the provider and of this machine
SUBJECT_MAX_CHARS = 255  # Core 1.0, section 2
VERIFIER_BYTES = 48  # 64 characters; RFC 7636 asks for 43 to 128
TIMEOUT = (5.0, 10.0)  # seconds to connect, to read: a person waits
UNTRUSTED_CLAIMS = ("email", "name", "nickname", "given_name", "family_name", "phone_number")  # people type them


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """The page's registration at the login provider. ``claim`` is the name of the claim with the user's name, or ""."""

    issuer: str
    id: str
    secret: str
    claim: str

    @property
    def host(self) -> str:
        """Return the provider's host name, followed by the port if the address names it."""
        return urlsplit(self.issuer).netloc


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """The login provider of a ``client``, with the addresses in its discovery document. ``userinfo_url`` may be "".

    ``takes_basic`` is True if it takes the secret by HTTP Basic, ``names_itself`` if its redirect names the issuer (RFC
    9207).
    """

    client: Client
    issuer: str
    authorise_url: str
    token_url: str
    keys_url: str
    userinfo_url: str
    takes_basic: bool
    names_itself: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A login under way, with the secrets that the provider's answer must match.

    ``link_to`` is the id of a user who links an account, None for an ordinary login.
    """

    nonce: str
    verifier: str
    redirect: str
    link_to: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A person's account at the provider. ``subject`` is its permanent id, and ``name`` is "" if none is sent."""

    issuer: str
    subject: str
    name: str


def client_of(settings: Settings) -> Client | None:
    """Return the client that the settings describe, or None without any. Raises SetupError if one is wrong."""
    if not settings.oidc_issuer:
        return None
    if not settings.oidc_client_id:
        raise SetupError("BRIDGE_OIDC_ISSUER needs BRIDGE_OIDC_CLIENT_ID beside it; set it, then: bridge doctor")
    if settings.oidc_user_claim in UNTRUSTED_CLAIMS:
        raise SetupError(
            "BRIDGE_OIDC_USER_CLAIM must name a claim that people cannot choose themselves, e.g. preferred_username; "
            "correct it, then: bridge doctor"
        )
    if urlsplit(settings.oidc_issuer).hostname is None:
        raise SetupError(
            "BRIDGE_OIDC_ISSUER must be an address that begins with https://; correct it, then: bridge doctor"
        )
    plain_loopback(settings.oidc_issuer)
    return Client(
        issuer=settings.oidc_issuer,
        id=settings.oidc_client_id,
        secret=settings.oidc_client_secret,
        claim=settings.oidc_user_claim,
    )


def discover(client: Client) -> Provider:
    """Return the provider's addresses from its discovery document.

    Raises SetupError if it refuses or an address is missing or unsafe, TryLater if its answer is no JSON object.
    """
    with http.open_session() as session:
        told = _object(_get(session, canonical(client.issuer) + DISCOVERY_PATH))
    issuer = str(told.get("issuer", ""))
    if canonical(issuer) != canonical(client.issuer):
        raise SetupError(
            "BRIDGE_OIDC_ISSUER is not the issuer that the provider's own document names; "
            "copy that issuer, then: bridge doctor"
        )
    methods = told.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
    return Provider(
        client=client,
        issuer=issuer,
        authorise_url=_address(told, "authorization_endpoint"),
        token_url=_address(told, "token_endpoint"),
        keys_url=_address(told, "jwks_uri"),
        userinfo_url=_address(told, "userinfo_endpoint") if "userinfo_endpoint" in told else "",
        takes_basic="client_secret_basic" in methods,
        names_itself=told.get("authorization_response_iss_parameter_supported") is True,
    )


def _address(told: Mapping[str, Any], name: str) -> str:
    address = str(told.get(name, ""))
    if not urlsplit(address).hostname:
        raise SetupError(
            f"the login provider's own document names no {name}; set BRIDGE_OIDC_ISSUER to the provider's issuer, "
            "e.g. https://login.example.org, then: bridge doctor"
        )
    plain_loopback(address)
    return address


def new_attempt(redirect: str, *, link_to: int | None = None) -> Attempt:
    """Return an attempt to log in, with new secrets. ``link_to`` is the id of a user who links an account."""
    return Attempt(
        nonce=secrets.token_urlsafe(32),
        verifier=secrets.token_urlsafe(VERIFIER_BYTES),
        redirect=redirect,
        link_to=link_to,
    )


def login_url(provider: Provider, attempt: Attempt, state: str) -> str:
    """Return the provider's login address. The provider sends ``state``, a random text, back with its answer."""
    challenge = urlsafe_b64encode(hashlib.sha256(attempt.verifier.encode()).digest()).rstrip(b"=").decode()
    query = {
        "response_type": "code",
        "client_id": provider.client.id,
        "redirect_uri": attempt.redirect,
        "scope": SCOPES,
        "state": state,
        "nonce": attempt.nonce,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    return f"{provider.authorise_url}{'&' if urlsplit(provider.authorise_url).query else '?'}{urlencode(query)}"


def account_of(provider: Provider, attempt: Attempt, code: str, issuer: str | None, *, now: datetime) -> Account:
    """Exchange the ``code`` of a redirect for the account that logged in. ``issuer`` is the redirect's, None without.

    Raises Forged if a check or the code fails, SetupError for a refused client, TryLater without an answer.
    """
    if issuer != provider.issuer and (issuer is not None or provider.names_itself):
        raise refused()
    with http.open_session() as session:
        tokens = _object(_exchanged(session, provider, attempt, code))
        keys = _object(_get(session, provider.keys_url))
        claims = checked(str(tokens.get("id_token", "")), keys, provider, nonce=attempt.nonce, now=now)
        subject, claim = claims["sub"], provider.client.claim
        name = claims.get(claim) if claim else ""
        if name is None and provider.userinfo_url:  # some providers tell profiles there alone
            told = _object(_get(session, provider.userinfo_url, token=str(tokens.get("access_token", ""))))
            name = told.get(claim) if told.get("sub") == subject else None
    return Account(issuer=canonical(provider.issuer), subject=subject, name=name if isinstance(name, str) else "")


def checked(token: str, keys: Mapping[str, Any], provider: Provider, *, nonce: str, now: datetime) -> dict[str, Any]:
    """Return the claims of an ID token, checked as OpenID Connect Core 1.0, section 3.1.3.7, says.

    ``keys`` is the key set (JWKS). Raises Forged unless signature, issuer, audience, nonce and times are right.
    """
    from joserfc import jwt
    from joserfc.errors import JoseError
    from joserfc.jwk import KeySet

    rules = jwt.JWTClaimsRegistry(
        now=int(now.timestamp()),
        leeway=LEEWAY_SECONDS,
        iss={"essential": True, "value": provider.issuer},
        aud={"essential": True, "value": provider.client.id},
        exp={"essential": True},
        iat={"essential": True},
        nonce={"essential": True},
        sub={"essential": True},
    )
    try:
        found = jwt.decode(token, KeySet.import_key_set({"keys": _signing(keys)}), algorithms=list(ALGORITHMS))
        rules.validate(found.claims)
    except (JoseError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise refused() from None
    claims: dict[str, Any] = found.claims
    audiences, party = claims["aud"], claims.get("azp", provider.client.id)
    is_ours = party == provider.client.id and (isinstance(audiences, str) or len(audiences) == 1 or "azp" in claims)
    is_answer = hmac.compare_digest(str(claims["nonce"]).encode(), nonce.encode())
    subject = claims["sub"]
    if not (is_ours and is_answer and isinstance(subject, str) and 0 < len(subject) <= SUBJECT_MAX_CHARS):
        raise refused()
    return claims


def canonical(issuer: str) -> str:
    """Return an issuer without slashes at its end, which is the form in which links are stored."""
    return issuer.rstrip("/")


def _signing(keys: Mapping[str, Any]) -> list[Any]:
    found = keys.get("keys")
    return [
        key
        for key in (found if isinstance(found, list) else [])
        if isinstance(key, dict) and key.get("kty") in ("RSA", "EC", "OKP") and key.get("use", "sig") == "sig"
    ]


def refused() -> Forged:
    """Return the error for a login that the provider's answer does not prove."""
    return Forged("the login provider's answer was not accepted; log in again, and see: bridge doctor")


def _exchanged(session: requests.Session, provider: Provider, attempt: Attempt, code: str) -> requests.Response:
    """Return the provider's answer to ``code``. Raises Forged or SetupError if it refuses, TryLater if it is silent."""
    client = provider.client
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": attempt.redirect,
        "code_verifier": attempt.verifier,
    }
    basic = (quote(client.id, safe=""), quote(client.secret, safe=""))  # RFC 6749, section 2.3.1
    is_basic = bool(client.secret) and provider.takes_basic
    if not is_basic:
        form |= {"client_id": client.id} | ({"client_secret": client.secret} if client.secret else {})
    options: dict[str, Any] = {"auth": basic} if is_basic else {}
    answer = _answer_to(session, "POST", provider.token_url, data=form, **options)
    if answer.status_code == 401:  # RFC 6749, section 5.2: invalid_client
        raise SetupError(
            "the login provider does not know the page's client id and secret; "
            "correct BRIDGE_OIDC_CLIENT_ID and BRIDGE_OIDC_CLIENT_SECRET, then: bridge up"
        )
    if answer.status_code != 200:
        raise refused()
    return answer


def _get(session: requests.Session, url: str, *, token: str | None = None) -> requests.Response:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    answer = _answer_to(session, "GET", url, headers=headers)
    if answer.status_code != 200:
        raise SetupError(
            "the login provider refuses a request; set BRIDGE_OIDC_ISSUER to the provider's issuer, e.g. "
            "https://login.example.org, then: bridge doctor"
        )
    return answer


def _object(answer: requests.Response) -> dict[str, Any]:
    try:
        told = http.parse_json(answer.content)
    except BridgeError:
        told = None
    if not isinstance(told, dict):
        raise TryLater("the login provider answered something else than JSON; try again later")
    return told


def _answer_to(session: requests.Session, method: str, url: str, **options: Any) -> requests.Response:
    import requests

    try:
        answer = session.request(method, url, timeout=TIMEOUT, allow_redirects=False, **options)
    except requests.RequestException as error:
        kind = type(error).__name__
        raise TryLater(f"the login provider does not answer ({kind}); try again, or log in another way") from None
    if answer.status_code == 429 or answer.status_code >= 500:
        busy = http.busy_error("the login provider", answer)
        raise TryLater(f"{busy}; try again, or log in another way", after=busy.after, limited=busy.limited)
    return answer
