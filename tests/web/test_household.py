"""Shared meters are seen by the chosen person alone, and nothing else is."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
import requests

from bridge import installation
from bridge.advice import requests as advising
from bridge.auth import access, sharing
from bridge.documents.household import read_now
from bridge.domain.records import Recommendation, User
from bridge.domain.rendering import Audience, rendered
from bridge.ingest import checkins, connecting, runs
from bridge.web.state import WRONG_NAMES
from rhythm_env.interface import Meter
from tests.web.conftest import secured
from tests.web.served import Place, Visitor, calendar
from tests.web.test_security import routes

TITLE = "Zwiebelkuchen Geheimtreffen"
WORDS = ("Zwiebelkuchen", "Geheimtreffen", "Choir")
PASSWORD = "correct horse"


@pytest.fixture
def ana(place: Place, tmp_path: Path) -> User:
    """She has a calendar, check-ins and advice."""
    user = secured(place, "ana", PASSWORD)
    (tmp_path / "calendar.ics").write_bytes(calendar(TITLE))
    runs.import_path(place.bridge, user, tmp_path / "calendar.ics", at=installation.now())
    for meter in (Meter.VITALITY, Meter.SERENITY):
        said = checkins.CheckIn(at=installation.now(), score=1.5, about=meter)
        checkins.record_check_in(place.bridge.store, user, said, now=installation.now())
    return user


@pytest.fixture
def ben(place: Place) -> User:
    return secured(place, "ben", PASSWORD)


@pytest.fixture
def shared(place: Place, ana: User, ben: User) -> None:
    sharing.share(place.bridge.store, ana, "ben", [Meter.VITALITY], now=installation.now())


def browser(place: Place, name: str) -> Visitor:
    found = place.visitor()
    found.log_in(name, PASSWORD)
    found.get("/settings")
    return found


def seen(place: Place, name: str) -> str:
    return browser(place, name).get("/household").text


def test_a_person_chooses_whom_and_which_and_takes_it_back(place: Place, ana: User, ben: User) -> None:
    secured(place, "cleo", PASSWORD)
    own = browser(place, "ana")
    answer = own.change("/settings/shares", {"name": "ben", "meters": "VITALITY"})
    assert answer.headers["Location"] == "/settings?saved=shares#shares"
    assert "sees vitality" in own.get("/settings").text
    told = seen(place, "ben")
    assert "Vitality" in told
    assert "below the usual" in told
    assert "the newest just now" in told
    assert "Serenity" not in told
    assert 'hx-get="/household"' in browser(place, "ben").get("/").text
    for name in ("ana", "cleo"):
        assert "Nobody shares a meter with you" in seen(place, name)
        assert 'hx-get="/household"' not in browser(place, name).get("/").text
    own.change("/settings/shares/withdraw", {"name": "ben"})
    assert "Vitality" not in seen(place, "ben")


def test_nothing_known_says_so(place: Place, ana: User, ben: User) -> None:
    sharing.share(place.bridge.store, ben, "ana", list(Meter), now=installation.now())
    told = seen(place, "ana")
    assert told.count("not known") == len(Meter)
    assert "% fresh" not in told


def test_the_viewer_may_decline(place: Place, shared: None) -> None:
    viewer = browser(place, "ben")
    assert "shares vitality with you" in viewer.get("/settings").text
    viewer.change("/settings/shares/hide", {"name": "ana"})
    assert place.bridge.store.shares.given(place.bridge.store.people.user("ana").id) == []


def test_a_program_reads_the_same_and_changes_nothing(place: Place, shared: None) -> None:
    store = place.bridge.store
    _, token = access.new_token(store, store.people.user("ben"), "test", now=installation.now())
    program = place.visitor()
    program.headers["Authorization"] = f"Bearer {token}"
    told = program.get("/api/v1/household").json()
    ((found,),) = [one["meters"] for one in told["received"]]
    assert (found["meter"], set(found)) == ("VITALITY", {"meter", "level", "coverage", "newest_hours"})
    for path in ("/settings/shares", "/settings/shares/withdraw", "/settings/shares/hide"):
        assert program.post(path, data={"name": "ana", "meters": "VITALITY"}).status_code == 403


def test_no_page_and_no_document_of_the_viewer_tells_more(place: Place, ana: User, ben: User, shared: None) -> None:
    """Every address there is, asked by ben: no word of ana's titles, no reason of her meters, and none not shared."""
    now = installation.now()
    advice = advising.recommend(place.bridge, ana, now=now)
    assert isinstance(advice, Recommendation)
    readings = read_now(place.bridge, now)(ana).values()
    reasons = {rendered(b.fact, Audience.PERSON) for reading in readings for b in reading.because}
    assert reasons
    secret = [*WORDS, *reasons]
    own = {name: _everything(place, name, advice.id) for name in ("ana", "ben")}
    told = {path for path, text in own["ana"].items() if any(word in text for word in secret)}
    assert {
        "/",
        "/week",
        "/connections/export.zip",
        "/api/v1/export",
        "/api/v1/meters",
        "/api/v1/today",
        "/api/v1/calendar",
    } <= told  # so the words would be found
    for path, text in own["ben"].items():
        assert [word for word in secret if word in text] == [], path
        if path not in ("/household", "/api/v1/household", "/settings"):
            assert not re.search(r"\bana\b", text), path
    assert "Vitality" in own["ben"]["/household"]
    assert "SERENITY" not in own["ben"]["/api/v1/household"]


def _everything(place: Place, name: str, number: int) -> dict[str, str]:
    """Return path -> answer of every address that can be read, asked by a person with ana's ids."""
    user = place.bridge.store.people.user(name)
    _, token = access.new_token(place.bridge.store, user, "test", now=installation.now())
    visitor, found, ids = browser(place, name), {}, {"number": str(number), "source": "ics"}
    for method, template in routes(place):
        if method != "GET" or template.startswith(("/login", "/static", "/hooks", "/push")):
            continue
        path = re.sub(r"{(\w+)[^}]*}", lambda one: ids.get(one[1], "x"), template)
        headers = {"Authorization": f"Bearer {token}"} if path.startswith("/api/") else {}
        found[path] = _text(visitor.get(path, headers=headers))
    found["/advice part"] = visitor.get("/advice", headers={"HX-Request": "true"}).text
    found["/day part"] = visitor.get("/day", headers={"HX-Request": "true"}).text
    assert len(found) > 30
    return found


def _text(answer: requests.Response) -> str:
    """Return what an answer says, also one that is zipped."""
    if not answer.content.startswith(b"PK"):
        return answer.text
    with ZipFile(BytesIO(answer.content)) as packed:
        return "".join(packed.read(name).decode() for name in packed.namelist())


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"name": "zoe", "meters": "VITALITY"}, "nobody here has that name"),
        ({"name": "ana", "meters": "VITALITY"}, "your own name"),
        ({"name": "ben"}, "choose at least one meter"),
    ],
)
def test_what_is_wrong_says_what_to_do(place: Place, ana: User, ben: User, form: dict[str, str], said: str) -> None:
    answer = browser(place, "ana").change("/settings/shares", form)
    assert (answer.status_code, said in answer.text) == (400, True)
    assert place.bridge.store.shares.given(ana.id) == []


def test_names_cannot_be_found_out_by_trying(place: Place, ana: User, ben: User) -> None:
    own = browser(place, "ana")
    for number in range(WRONG_NAMES):
        own.change("/settings/shares", {"name": f"name{number}", "meters": "VITALITY"})
    assert "too many names were tried" in own.change("/settings/shares", {"name": "ben", "meters": "VITALITY"}).text
    own = browser(place, "ben")
    for _ in range(WRONG_NAMES + 1):
        assert own.change("/settings/shares", {"name": "ana", "meters": "VITALITY"}).status_code == 303


def test_it_goes_when_either_is_forgotten(place: Place, ana: User, ben: User, shared: None) -> None:
    viewer = browser(place, "ben")
    assert "Vitality" in viewer.get("/household").text
    connecting.forget(place.bridge, ana)
    assert "Nobody shares a meter with you" in viewer.get("/household").text
