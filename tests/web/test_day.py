"""Today as a person without scripts uses it: every form leads back to a page that shows what was done."""

from __future__ import annotations

import re
import threading
from dataclasses import replace
from datetime import timedelta
from html import unescape
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import requests

from bridge import installation
from bridge.advice import feedback
from bridge.advice import requests as advising
from bridge.auth import access
from bridge.domain.facts import fact, length
from bridge.domain.guard import ACTION_PAUSE, IGNORES_BEFORE_PAUSE
from bridge.domain.languages import shown, speaking
from bridge.domain.records import Feedback, Recommendation, User
from bridge.domain.rendering import for_person
from bridge.domain.slots import Moment, moment_at
from bridge.domain.types import Because, Reading
from bridge.ingest import checkins, runs
from bridge.mcp.tools import _reading
from bridge.web import day, phrases
from bridge.web.render import templates
from rhythm_env.interface import Answer, Meter
from tests.web.conftest import secured
from tests.web.served import HOSTILE, Place, Visitor, calendar


def test_the_first_visit_leads_to_a_page_that_makes_the_first_person(place: Place) -> None:
    visitor = place.visitor()
    assert visitor.get("/").headers["location"] == "/welcome"
    assert "made-up person" in visitor.get("/welcome").text
    wrong = visitor.change("/welcome", {"name": "no spaces", "zone": "Europe/Berlin"})
    assert (wrong.status_code, "a name has 1 to 64" in wrong.text) == (400, True)
    done = visitor.change("/welcome", {"name": "ana", "zone": "Europe/Berlin"})
    assert done.headers["location"] == "/begin"
    assert [user.name for user in place.bridge.store.people.users()] == ["ana"]
    assert "not known" in visitor.get("/").text  # and no level that would look like a measurement
    assert visitor.get("/welcome").status_code == 303


def test_the_made_up_person_is_made_once_however_often_it_is_asked_for(place: Place) -> None:
    visitor, over = place.visitor(), threading.Event()
    visitor.get("/welcome")
    job = place.made.state.page.jobs.start(None, "A made-up person", lambda _: over.wait(60))
    assert f'hx-get="/welcome/demo/{job.id}"' in visitor.get("/welcome").text  # who comes back waits on
    assert f'hx-get="/welcome/demo/{job.id}"' in visitor.change("/welcome/demo").text
    over.set()


def test_the_page_shows_meters_day_and_advice_and_marks_it_as_shown(place: Place, ana: User, visitor: Visitor) -> None:
    shown = visitor.get("/").text
    for words in ("Friday morning", "Vitality", "Serenity", "Planning", 'hx-get="/events"', 'hx-get="/advice"'):
        assert words in shown
    assert "Choir" in visitor.get("/events").text
    assert "Choir" in visitor.get("/day").text
    advice = visitor.get("/advice", headers={"HX-Request": "true"}).text
    kept = place.bridge.store.recommendations.of_slot(ana.id, moment_at(installation.now(), ana.zones))
    assert kept is not None
    assert kept.shown_at is not None
    assert f'action="/advice/{kept.id}"' in advice
    assert f'action="/advice/{kept.id}"' in visitor.get("/").text


def test_after_midnight_it_is_the_night_to_the_day_that_the_date_names(
    ana: User, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-24T01:00:00+01:00")
    shown = visitor.get("/").text
    assert "<h1>Night into Tuesday</h1>" in shown
    assert "24 November, 01:00" in shown


def test_advice_that_the_person_did_not_look_at_is_not_shown(place: Place, ana: User, visitor: Visitor) -> None:
    """By a token, by a program without one, and by another site's page that lets the browser fetch it."""
    store = place.bridge.store
    _, token = access.new_token(store, ana, "dashboard", now=installation.now())
    for headers in (
        {"Authorization": f"Bearer {token}"},
        {"Sec-Fetch-Site": None},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"},
    ):
        for path in ("/advice", "/", "/api/v1/recommendation"):
            assert visitor.get(path, headers=headers).status_code in (200, 303)
    number = visitor.get("/api/v1/recommendation").json()["id"]
    kept = store.recommendations.by_id(number)
    assert kept is not None
    assert kept.shown_at is None
    said = requests.post(
        f"{place.url}/api/v1/recommendation/{number}/shown", headers={"Authorization": f"Bearer {token}"}, timeout=60
    )
    assert said.json()["id"] == number
    kept = store.recommendations.by_id(number)
    assert kept is not None
    assert kept.shown_at == installation.now()


def test_who_has_logged_in_looks_however_they_came(place: Place, tmp_path: Path) -> None:
    ben = secured(place, "ben", "battery staple")
    (tmp_path / "bens.ics").write_bytes(calendar())
    runs.import_path(place.bridge, ben, tmp_path / "bens.ics", at=installation.now())
    guest = place.visitor()
    guest.log_in("ben", "battery staple")
    kept = advising.recommend(place.bridge, ben, now=installation.now(), seen=False)
    assert isinstance(kept, Recommendation)
    guest.get("/", headers={"Sec-Fetch-Site": "same-site", "Sec-Fetch-Dest": "image"})
    assert place.bridge.store.recommendations.by_id(kept.id).shown_at is None  # type: ignore[union-attr]
    guest.get("/", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"})
    assert place.bridge.store.recommendations.by_id(kept.id).shown_at is not None  # type: ignore[union-attr]


def test_accept_change_your_mind_and_put_it_off(place: Place, ana: User, visitor: Visitor) -> None:
    path = re.search(r'action="(/advice/\d+)"', visitor.get("/advice", headers={"HX-Request": "true"}).text)[1]  # type: ignore[index]
    assert visitor.change(path, {"answer": "accept"}).headers["location"] == "/"
    part = visitor.change(path, {"answer": "ignore"}, headers={"HX-Request": "true"})
    assert '<span class="tag" data-say="Noted: not now."' in part.text
    moved = Moment(
        week=moment_at(installation.now(), ana.zones).week, day=4, slot=moment_at(installation.now(), ana.zones).slot
    ).shifted(2)
    visitor.change(path, {"answer": "reschedule", "to": f"{moved.week}/{moved.timestep}"})
    kept = place.bridge.store.recommendations.by_id(int(path.rsplit("/", 1)[1]))
    assert kept is not None
    assert (kept.answer, kept.moved_to) == (Answer.RESCHEDULE, moved)
    assert visitor.change(path, {"answer": "reschedule", "to": "1999-01-01/3"}).status_code == 400
    assert visitor.change(path, {"answer": "perhaps"}).status_code == 400


def test_one_tap_checks_in(place: Place, ana: User, visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor.change("/checkin", {"score": "4", "about": "VITALITY"})
    (said,) = checkins.recent(place.bridge.store, ana, since=installation.now().date())
    assert (said.score, str(said.about)) == (4, "VITALITY")
    assert "You said: 4 for vitality" in visitor.get("/").text
    monkeypatch.setenv("BRIDGE_NOW", (installation.now() + timedelta(minutes=5)).isoformat())
    visitor.change("/checkin", {"score": "2", "about": "SERENITY"})
    shown = visitor.get("/").text
    assert "You said: 2 for serenity" in shown
    assert "4 for vitality at 10:05" in shown
    assert visitor.change("/checkin", {"score": "9"}).status_code == 400


def test_a_check_in_is_taken_back_where_it_was_said_and_on_its_day(
    place: Place, ana: User, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = re.findall(r'aria-label="(Vitality [^"]+)"', visitor.get("/").text)
    visitor.change("/checkin", {"score": "1"})
    key = re.findall(r'name="said" value="([^"]+)"', visitor.get("/").text)[0]
    assert f'value="{key}"' in visitor.get("/day?date=2026-11-20").text
    assert f'value="{key}"' in visitor.get("/history").text
    assert visitor.change("/checkin/back", {"said": key, "back": "https://example.org"}).status_code == 422
    monkeypatch.setenv("BRIDGE_NOW", (installation.now() + timedelta(minutes=1)).isoformat())
    back = visitor.change("/checkin/back", {"said": key}, headers={"HX-Request": "true"})
    assert re.findall(r'aria-label="(Vitality [^"]+)"', back.text) == before
    assert "You said" not in back.text
    assert not checkins.recent(place.bridge.store, ana, since=installation.now().date())
    again = visitor.change("/checkin/back", {"said": key, "back": "/history#said"})  # of an older page
    assert (again.status_code, again.headers["location"]) == (303, "/history#said")


def test_words_of_a_level_and_marks_are_explained_where_they_stand(place: Place, ana: User, visitor: Visitor) -> None:
    """The rule of the words, with this level's own bounds; a mark unfolds to what it means."""
    visitor.change("/checkin", {"score": "3", "about": "VITALITY"})
    shown = unescape(visitor.get("/").text)
    level, sd = re.findall(r'aria-label="Vitality [^"]*, (0\.\d\d) of 1, give or take (0\.\d\d)', shown)[0]
    low, high = (float(one) for one in re.findall(r"From (0\.\d\d) to (0\.\d\d) counts as about your usual", shown)[0])
    assert (low + high) / 2 == pytest.approx(0.70, abs=0.01)
    assert high - low == pytest.approx(float(sd), abs=0.02)
    assert ("about your usual" in shown.partition("give or take")[0]) == (low <= float(level) <= high)
    marks = re.findall(r'<summary class="tag \w+">([^<]+)</summary>\s*<p class="soft">([^<]+)</p>', shown)
    assert {word for word, _ in marks} >= {"not validated"}
    assert any("fresh" in word for word, _ in marks)
    assert all(why.endswith(".") for _, why in marks)


def test_the_page_says_what_not_now_means(visitor: Visitor) -> None:
    advice = unescape(visitor.get("/advice", headers={"HX-Request": "true"}).text)
    assert "“Not now” counts as ignored" in advice
    assert f"after {['no', 'one', 'two', 'three'][IGNORES_BEFORE_PAUSE]} in a row" in advice
    assert timedelta(days=7) == ACTION_PAUSE  # "for a week"


def test_a_guess_of_an_entry_names_no_rule(visitor: Visitor) -> None:
    shown = visitor.get("/events").text
    assert re.search(r"Guessed from its title, \d+% sure", shown)
    assert not re.search(r"rule \w+/", shown, re.IGNORECASE)


def test_an_input_that_moves_nothing_has_no_figure() -> None:
    below = fact("below_usual", off=2, unit="min")
    moving, idle = (
        Because(signal=one.kind, source="whoop", z=0.0, contribution=by, age_hours=1.0, fact=one)
        for one, by in ((fact("slept_enough", length=length(420)), -0.04), (fact("deep_sleep", compared=below), 0.004))
    )
    read = Reading(level=0.66, sd=0.1, coverage=1.0, because=(idle, moving), validity=0.3)
    (meter,) = day.meters({Meter.VITALITY: read})
    assert meter["reasons"] == [{"text": "slept 7 h, as much as you need", "share": "−0.04"}]
    shown = templates().get_template("today/meters.html").render(meters=[meter])
    assert "0.00" not in shown
    assert "Seen, and moves nothing now: deep sleep 2 min below your usual." in shown
    (meter,) = day.meters({Meter.VITALITY: replace(read, because=(idle,))})
    assert "Deep sleep 2 min below" in templates().get_template("today/meters.html").render(meters=[meter])


def test_an_answer_just_given_is_no_stale_reading() -> None:
    for hours, is_stale in ((0.1, False), (9.0, True)):
        said = fact("slept_enough", length=length(420))
        because = Because(signal="check_in", source="check_in", z=1.0, contribution=0.1, age_hours=hours, fact=said)
        (meter,) = day.meters({Meter.VITALITY: Reading(level=0.8, sd=0.1, coverage=0.45, because=(because,))})
        shown = templates().get_template("today/meters.html").render(meters=[meter])
        assert ("only 45% fresh" in shown) == is_stale
        assert ("It goes by your answer" in shown) != is_stale


@pytest.mark.parametrize("by", [-0.0151, -0.0049, 0.0, 0.0046, 0.00501, 0.0149])
def test_page_and_assistant_agree_which_input_moves_a_meter_and_by_how_much(by: float) -> None:
    one = fact("slept_enough", length=length(420))
    because = Because(signal=one.kind, source="whoop", z=0.0, contribution=by, age_hours=1.0, fact=one)
    read = Reading(level=0.7 + by, sd=0.1, coverage=1.0, because=(because,))
    (meter,) = day.meters({Meter.VITALITY: read})
    points = _reading(read)["because"][0]["points"]
    assert [share["share"] for share in meter["reasons"]] == ([f"{points:+.2f}".replace("-", "−")] if points else [])


def test_a_check_in_moves_the_meters_at_once(visitor: Visitor) -> None:
    def vitality(page: str) -> str:
        return re.findall(r'aria-label="(Vitality [^"]+)"', page)[0]

    before = vitality(visitor.get("/").text)
    form = {"score": "1", "about": "VITALITY"}
    answer = visitor.change("/checkin", form, headers={"HX-Request": "true"})
    assert 'id="meters" hx-swap-oob="true"' in answer.text
    assert vitality(answer.text) == vitality(visitor.get("/").text) != before
    assert answer.headers["HX-Trigger"] == "advised, checkedin"  # the plan, and advice that was missing


def test_a_correction_holds_for_the_series_and_is_seen_at_once(place: Place, visitor: Visitor) -> None:
    keys = dict(
        re.findall(r'correct what (\w+) is.*?name="event" value="([^"]+)"', visitor.get("/events").text, re.DOTALL)
    )
    part = visitor.change("/events", {"event": keys["Choir"], "action": "FAMILY_TIME"}, headers={"HX-Request": "true"})
    assert "It holds for 9 events" in part.text
    assert "Family time: correct what Choir is" in visitor.get("/events").text


def test_an_entry_over_noon_is_corrected_once(visitor: Visitor) -> None:
    over_noon = calendar("Brunch", "brunch").replace(b"T080000Z", b"T103000Z").replace(b"T090000Z", b"T123000Z")
    visitor.finished(visitor.upload("brunch.ics", over_noon).text)
    assert visitor.get("/events").text.count("correct what Brunch is") == 1


def test_titles_are_text_and_never_markup(place: Place, ana: User, visitor: Visitor) -> None:
    shown = visitor.finished(visitor.upload("other.ics", calendar(HOSTILE, "hostile")).text)
    assert "2 new" in shown
    for path in ("/", "/events", "/connections", "/api/v1/today"):
        answer = visitor.get(path)
        if answer.headers["content-type"].startswith("text/html"):
            assert "<script>alert" not in answer.text, path
            assert "<img src=x" not in answer.text, path
    assert "&lt;script&gt;" in visitor.get("/events").text


def test_what_went_wrong_is_said_on_a_page(visitor: Visitor) -> None:
    assert "no such event" in visitor.change("/events", {"event": "nothing", "action": "LEARN"}).text
    for path, status in (("/nowhere", 404), ("/trends?weeks=x", 422), ("/advice/x", 405)):
        answer = visitor.get(path)
        assert (answer.status_code, "That did not work" in answer.text) == (status, True), path
    assert requests.get(f"{visitor.url}/static/../serving.py", timeout=10).status_code == 404


def test_an_answered_card_keeps_its_clock_after_a_change_of_zone_and_names_it(
    place: Place, ana: User, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = advising.recommend(place.bridge, ana, now=installation.now())
    assert isinstance(given, Recommendation)
    start, end = (at.astimezone(ZoneInfo("Europe/Berlin")) for at in (given.start, given.end) if at is not None)
    hours = f"{start:%H:%M} to {end:%H:%M}"
    feedback.give_feedback(place.bridge.store, ana, given.id, Feedback(answer=Answer.ACCEPT), now=installation.now())
    assert f"{hours} (" not in visitor.get("/advice", headers={"HX-Request": "true"}).text
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T10:07:00+01:00")
    visitor.change("/settings/zone", {"zone": "Europe/Athens"})
    for page in ("/advice", "/history"):
        assert f"{hours} (Berlin time)" in visitor.get(page, headers={"HX-Request": "true"}).text


def test_the_history_keeps_what_was_seen_and_then_withdrawn(
    place: Place, demo: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as by a change of the time zone, after which another slot has begun."""
    visitor, store = place.visitor(), place.bridge.store.recommendations
    before = visitor.get("/history").text
    assert "withdrawn" not in before
    shown = advising.recommend(place.bridge, demo, now=installation.now())
    assert isinstance(shown, Recommendation)
    store.supersede(shown.id, now=installation.now())
    page = visitor.get("/history").text
    assert "There was no suggestion yet" not in page
    assert "withdrawn, as your day had changed" in page
    assert "no answer" not in page
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T11:52:00+01:00")
    place.bridge.store.people.set_zone(demo.id, "Europe/Athens", since=installation.now())
    assert "(Berlin time)" in visitor.get("/history").text


def test_a_suggestion_of_a_watch_s_sport_is_named_in_the_language_of_the_page() -> None:
    with speaking("de"):
        names = "running", "strength training", "traditionalstrengthtraining"  # the last as Apple's export has it
        assert [day.titled(name) for name in names] == ["Laufen", "Krafttraining", "Krafttraining"]
        assert phrases.evidence_text([fact("awaited", source="apple_health")]) == "noch nichts von Apple Health"
        assert day.titled("Run with Ann") == "Run with Ann"  # the person's own words
        later = fact("usual_later", action="EXERCISE", time=installation.now(), title="running")
        assert "Laufen" in shown(for_person([later])[0])
