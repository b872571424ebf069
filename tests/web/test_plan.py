"""The plan on the page and in the JSON door: the timeline, times to put advice off to, entries, and wishes."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, datetime, timedelta
from html import unescape
from itertools import pairwise
from pathlib import Path

import pytest
import requests
from typer.testing import CliRunner

from bridge import installation
from bridge.advice import modes, recommend
from bridge.advice import requests as advising
from bridge.advice.day_plan import plan_day
from bridge.advice.observation import newest_if_old
from bridge.auth import access
from bridge.cli import app
from bridge.day.body import Mode, ModeKind
from bridge.documents.plan import plan_document
from bridge.domain.facts import fact
from bridge.domain.records import Deed, Recommendation, Silence, User
from bridge.domain.rendering import for_person, told
from bridge.domain.slots import moment_at
from bridge.domain.types import Episode, EpisodeKind, Item, RawRecord, Task
from bridge.domain.wishes import Wishes
from bridge.ingest import runs
from bridge.web.today_cache import FRESH
from rhythm_env.interface import ActionType, Answer, Meter
from tests.test_outcomes import advised, from_earlier_release
from tests.web.served import NOW, Place, Visitor, calendar
from tests.web.test_week import ics, todo

PART = {"HX-Request": "true"}
TODAY = date(2026, 11, 20)


@pytest.fixture
def advice(place: Place, ana: User, visitor: Visitor) -> Recommendation:
    """A suggestion for the morning; what she aims at speaks for it."""
    goals = {ActionType.MEDITATE: 7, ActionType.EXERCISE: 1}
    before = installation.now() - timedelta(seconds=1)
    place.bridge.store.people.save_wishes(ana.id, Wishes(goals=goals), now=before)
    found = advising.recommend(place.bridge, ana, now=installation.now())
    assert isinstance(found, Recommendation)
    assert found.kind == "suggested"
    return found


def read(visitor: Visitor, path: str) -> str:
    return unescape(visitor.get(path, headers=PART).text)


@pytest.mark.parametrize("first", ["page", "command"])
def test_the_page_or_the_command_tells_once_that_an_outcome_was_taken_back(
    place: Place, ana: User, visitor: Visitor, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    store, text = place.bridge.store, "1 earlier answer was taken back, because nothing that came after the advice"
    one = advised(store, ana, installation.now() - timedelta(days=1))
    store.recommendations.save_outcome(one.id, Deed.DONE, (fact("missed", source="whoop"),), at=installation.now())
    from_earlier_release(store)
    monkeypatch.setenv("BRIDGE_HOME", str(place.bridge.settings.folder))
    if first == "page":
        assert f'<p class="note">{text} speaks for it.</p>' in read(visitor, "/day")
    else:
        printed = CliRunner().invoke(app, ["plan", "--user", "ana"]).output
        assert f"Changed: {text} speaks for it." in " ".join(printed.split())
    assert text not in read(visitor, "/day")


def test_a_suggestion_that_the_day_took_back_is_told_until_it_was_seen(
    place: Place, ana: User, visitor: Visitor, advice: Recommendation, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "was taken back, because the day changed"
    place.bridge.store.recommendations.supersede(advice.id, now=installation.now())
    for _ in range(2):  # what nobody looks at is told later
        assert plan_day(place.bridge, ana, None, now=installation.now(), seen=False).changes
    assert text in read(visitor, "/day")
    monkeypatch.setenv("BRIDGE_NOW", str(installation.now() + FRESH))
    assert text not in read(visitor, "/day")


def test_the_day_is_a_timeline_in_order_with_the_current_time(advice: Recommendation, visitor: Visitor) -> None:
    shown = read(visitor, "/day")
    times = re.findall(r'<span class="time soft small">(\d\d:\d\d)', shown)
    assert times == sorted(times)
    before, mark, after = shown.partition("10:05 now")
    assert mark
    assert "Planning" in before
    assert "block is-entry over" in before
    assert "block is-entry" in after
    (choir,) = [block for block in after.split("<li ") if "Choir" in block]
    assert 'class="soft small">See friends' not in choir  # its own title says what it is
    assert 'href="/#advice"' in after
    assert "Wind down" in after
    assert "<strong>Sleep</strong>" in after  # the title says the kind
    for kind in ("Entry", "Suggested"):
        assert re.search(rf'<span class="(tag kind|visually-hidden)">{kind}</span>', shown)


def test_what_was_over_by_midnight_or_ran_past_it_is_no_part_of_today(
    place: Place, ana: User, visitor: Visitor, tmp_path: Path
) -> None:
    party = calendar("Party", "party").replace(b"20261120T080000Z", b"20261119T190000Z")
    (tmp_path / "party.ics").write_bytes(party.replace(b"20261120T090000Z", b"20261120T013000Z"))
    runs.import_path(place.bridge, ana, tmp_path / "party.ics", at=installation.now())
    assert "Party" not in read(visitor, "/day")
    assert "Party" in read(visitor, "/day?date=2026-11-19")


def test_a_later_suggestion_is_called_a_preview_and_the_current_one_is_not(
    advice: Recommendation, visitor: Visitor
) -> None:
    blocks = read(visitor, "/day").split("<li ")
    (current,) = [one for one in blocks if 'href="/#advice"' in one]
    assert "Preview</span>" not in current
    previews = [one for one in blocks if "is-suggested preview" in one]
    assert previews
    assert all(">Preview</span>" in one and ">Suggested</span>" not in one for one in previews)


def test_without_scripts_the_plan_is_a_page_of_its_own(visitor: Visitor) -> None:
    assert '<noscript><a class="button" href="/day">' in visitor.get("/").text
    shown = visitor.get("/day?date=2026-11-21").text
    assert "<!doctype html>" in shown
    assert "Saturday, 21 November" in shown
    assert " now</span>" not in shown
    for wrong in ("x", "9999-12-31", "0001-01-01"):
        assert visitor.get(f"/day?date={wrong}").status_code == 400


def test_tomorrow_is_offered_from_the_evening_on(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Tomorrow" not in read(visitor, "/day")
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T18:01:00+01:00")
    shown = read(visitor, "/day")
    assert 'hx-get="/day?date=2026-11-21"' in shown
    assert "Tomorrow, Saturday" in shown
    part = read(visitor, "/day?date=2026-11-21")
    assert "<section" not in part
    assert "Sleep" in part


def test_the_preview_of_tomorrow_shows_how_the_meters_are_expected_to_go(
    place: Place, ana: User, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bridge.recordings.recorded_life import land, sources

    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T20:00:00+01:00")
    for source in sources():
        land(place.bridge, ana, source, at=installation.now())
    part = read(visitor, "/day?date=2026-11-21")
    table = part[part.index('<table class="outlook') :]
    for name in ("Vitality", "Serenity", "Connection"):
        assert re.search(rf'<th scope="row">{name}</th><td>[a-z ]+<br><span class="number soft">0\.\d\d ±\s0', table)
    assert "by 12:00" in table
    assert "by 00:00" in table
    assert "outlook" not in read(visitor, "/day")
    ill = Mode(kind=ModeKind.ILL, until=date(2026, 11, 20))
    modes.say_mode(place.bridge.store, ana, ill, now=installation.now())
    shown = read(visitor, "/day?date=2026-11-21")
    assert "outlook" not in shown  # what is usual is not expected of a person who is ill
    assert "not forecast in an illness" in shown


def test_the_plan_follows_answers_wishes_and_entries(
    place: Place, ana: User, advice: Recommendation, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = read(visitor, "/day")
    assert read(visitor, "/day") == first
    visitor.get("/")
    part = visitor.change(f"/advice/{advice.id}", {"answer": "accept"}, headers=PART)
    assert part.headers["HX-Trigger"] == "advised"
    assert '<span class="tag plain">accepted</span>' in read(visitor, "/day")
    place.bridge.store.people.save_wishes(ana.id, Wishes(suggestions=0), now=installation.now())
    assert "Preview</span>" not in read(visitor, "/day")
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T10:06:00+01:00")
    visitor.finished(visitor.upload("more.ics", calendar("Dentist", "dentist")).text)
    assert "Dentist" in read(visitor, "/day")


def test_the_card_says_what_when_and_why(advice: Recommendation, visitor: Visitor) -> None:
    shown = unescape(visitor.get("/").text)
    assert advice.start is not None
    local = advice.start.astimezone(datetime.fromisoformat(NOW).tzinfo)
    title = rf'class="big">\w[\w\- ]+, <span class="hours">{local:%H:%M} to \d\d:\d\d</span></h2>'
    assert re.search(title, shown)
    for reason in for_person(advice.facts):
        assert f"<p>{reason[0].upper()}{reason[1:]}.</p>" in shown


def test_an_entry_is_shown_as_next_without_buttons(
    place: Place, ana: User, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At seven she sings; the wishes leave nothing else."""
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T18:10:00+01:00")
    place.bridge.store.people.save_wishes(ana.id, Wishes(suggestions=0), now=installation.now())
    shown = read(visitor, "/advice")
    assert "No advice now" in shown
    assert "Next: Choir, 19:00" in shown
    assert shown.count("19:00") == 1  # the reason is that entry
    assert "<button" not in shown


def test_three_good_times_are_offered_and_the_chosen_one_is_kept(
    place: Place, ana: User, advice: Recommendation, visitor: Visitor
) -> None:
    visitor.get("/")
    shown = read(visitor, f"/advice/{advice.id}/gaps")
    offered = re.findall(r'name="to" value="([^"]+)">([^<]+)<', shown)
    assert len(offered) == 3
    assert all(re.fullmatch(r"(today|tomorrow|Sun) \d\d:\d\d", name) for _, name in offered), offered
    key, name = offered[0]
    part = unescape(visitor.change(f"/advice/{advice.id}", {"answer": "reschedule", "to": key}, headers=PART).text)
    kept = place.bridge.store.recommendations.by_id(advice.id)
    assert kept is not None
    assert kept.start is not None
    assert (kept.answer, kept.moved_to) == (Answer.RESCHEDULE, moment_at(kept.start, ana.zones))
    assert name.partition(" ")[2] in part
    assert told(kept.facts[0]) == "you moved it to this time"
    assert not [one for one in for_person(kept.facts) if "until" in one]
    assert "Add to calendar" in part
    block = next(one for one in read(visitor, "/day").split("<li ") if "put off to" in one)
    assert name.partition(" ")[2] in block


def test_gaps_are_free_and_within_two_days(advice: Recommendation, visitor: Visitor, place: Place, ana: User) -> None:
    from bridge.advice import rescheduling

    now = installation.now()
    found = rescheduling.gaps(place.bridge, ana, advice, now=now)
    choir = [datetime.fromisoformat(f"2026-11-20T{hour}:00:00+01:00") for hour in (19, 21)]
    for gap in found:
        assert gap.action is advice.action
        assert now < gap.start < now + timedelta(hours=48)
        assert gap.end <= choir[0] or gap.start >= choir[1]
    assert all(one.end <= two.start for one, two in pairwise(found))


def test_an_accepted_suggestion_is_an_entry_to_download(advice: Recommendation, visitor: Visitor) -> None:
    visitor.get("/")
    part = visitor.change(f"/advice/{advice.id}", {"answer": "accept"}, headers=PART)
    assert f'href="/advice/{advice.id}.ics"' in part.text
    answer = visitor.get(f"/advice/{advice.id}.ics")
    assert answer.headers["content-type"].startswith("text/calendar")
    assert answer.text.count("BEGIN:VEVENT") == 1
    assert advice.start is not None
    assert f"DTSTART:{advice.start:%Y%m%dT%H%M%SZ}" in answer.text
    assert "SUMMARY:" in answer.text


def test_somebody_elses_advice_has_neither_entry_nor_times(place: Place, advice: Recommendation) -> None:
    ben = place.bridge.store.people.add_user("ben", "Europe/Berlin", now=installation.now())
    _, token = access.new_token(place.bridge.store, ben, "test", now=installation.now())
    for path in (f"/advice/{advice.id}.ics", f"/advice/{advice.id}/gaps"):
        answer = requests.get(f"{place.url}{path}", headers={"Authorization": f"Bearer {token}", **PART}, timeout=60)
        assert answer.status_code == 400
        assert "BEGIN" not in answer.text


def test_nothing_known_leads_to_the_connections(place: Place, ana: User) -> None:
    visitor = place.visitor()
    part = read(visitor, "/advice")
    assert "Nothing is known of you yet" in part
    assert 'href="/connections"' in part
    assert "Nothing is planned" in read(visitor, "/day")


@pytest.mark.parametrize("years", [-7, 1])
def test_a_day_far_from_today_shows_its_entries(place: Place, ana: User, visitor: Visitor, years: int) -> None:
    far = str(2026 + years).encode()
    visitor.finished(visitor.upload("far.ics", calendar("Surgery", "far").replace(b"20261120T", far + b"1120T")).text)
    shown = read(visitor, f"/day?date={far.decode()}-11-20")
    assert re.findall(r"<strong>(\w+)</strong>", shown).count("Surgery") == 1
    assert "Surgery" not in read(visitor, "/day")
    assert "Preview" not in shown  # nobody knows what such a day needs
    empty = read(visitor, "/day?date=2001-01-01")  # a calendar is connected
    assert "Nothing is planned." in empty
    assert "Connect a calendar" not in empty


def test_a_first_import_that_is_too_old_is_said_with_its_date(place: Place, ana: User) -> None:
    now, export = installation.now(), Path("fixtures/whoop/export")
    visitor = place.visitor()
    runs.import_path(place.bridge, ana, export, at=now)
    assert "too old" not in read(visitor, "/advice")
    for later in (now + timedelta(days=40), now + timedelta(days=800)):  # still read by the meters, and not any more
        told = advising.recommend(place.bridge, ana, now=later)
        assert isinstance(told, Silence)
        assert for_person(told.facts) == [
            "your newest data is of 20 November 2026; advice needs data of the last days",
            f"bring in newer data: bridge import FILE --user {ana.name}",
        ]


def test_old_data_lead_to_newer_ones_on_the_page(place: Place, ana: User, tmp_path: Path) -> None:
    for file in Path("fixtures/whoop/export").iterdir():
        (tmp_path / file.name).write_text(file.read_text(encoding="utf-8").replace("2026-", "2024-"), encoding="utf-8")
    runs.import_path(place.bridge, ana, tmp_path, at=installation.now())
    part = read(place.visitor(), "/advice")
    assert "Your newest data is of 20 November 2024; advice needs data of the last days." in part
    assert 'href="/begin"' in part
    assert "bridge " not in part


def test_old_data_show_how_the_person_was_then(place: Place, ana: User, tmp_path: Path) -> None:
    for file in Path("fixtures/whoop/export").iterdir():
        (tmp_path / file.name).write_text(file.read_text(encoding="utf-8").replace("2026-", "2024-"), encoding="utf-8")
    runs.import_path(place.bridge, ana, tmp_path, at=installation.now())
    shown = place.visitor().get("/").text
    assert "As of 20 November 2024: that is the day of your newest data." in shown
    assert "How you were on 20 November 2024" in shown
    about = place.visitor().get("/belief").text
    assert "As of 20 November 2024: that is the day of your newest data." in about
    assert 'href="/begin">bring in newer data</a>' in about  # and not to the day, which has no advice either
    assert "Sleep rests on published figures" in about  # of one ordinary night beside a journey nothing is usual
    assert re.search(r'aria-label="Vitality [^"]* of 1, give or take', shown)
    trends = place.visitor().get("/trends").text
    assert "These weeks end on 20 November 2024, the day of your newest data." in trends
    (address,) = re.findall(r'data-from="([^"]+)"', trends)
    body = place.visitor().get(unescape(address)).json()
    assert body["days"][-1] == "2024-11-20"
    assert body["meters"]["VITALITY"]["level"][-1] is not None


def test_old_data_stay_old_beside_a_calendar_that_nobody_keeps(place: Place, ana: User, visitor: Visitor) -> None:
    store, later = place.bridge.store, installation.now() + timedelta(days=800)  # her choir goes on, and on
    known = recommend.load_snapshot(place.bridge, ana, at=later)
    assert any(entry.end > later for entry, _ in known.agenda)
    assert newest_if_old(store, ana, known) == date(2026, 11, 20)
    task = Task(key="t", list="l", title="Pay", due=later.date() - timedelta(days=700))
    assert newest_if_old(store, ana, replace(known, tasks=[task])) is not None
    assert newest_if_old(store, ana, replace(known, tasks=[replace(task, due=later.date())])) is None
    weeks = recommend.load_snapshot(place.bridge, ana, at=installation.now() + timedelta(days=30))
    assert newest_if_old(store, ana, weeks) is None


def nights_of_2025(place: Place, ana: User, folder: Path, offset: str = "+01:00") -> None:
    head, night = Path("fixtures/whoop/export/sleeps.csv").read_text(encoding="utf-8").splitlines()[:2]
    last, nights = date(2025, 11, 20), []
    for day in (last - timedelta(days=back) for back in range(30)):
        eve = day - timedelta(days=1)
        nights.append(night.replace("2026-11-20", str(day)).replace("2026-11-19", str(eve)).replace("+01:00", offset))
    (folder / "sleeps.csv").write_text("\n".join([head, *nights]), encoding="utf-8")
    runs.import_path(place.bridge, ana, folder, at=installation.now())


def test_what_old_nights_tell_does_not_depend_on_a_newer_calendar(place: Place, ana: User, tmp_path: Path) -> None:
    nights_of_2025(place, ana, tmp_path)
    visitor = place.visitor()
    rows = r"<td>(\d\d:\d\d) <span[^>]*>± (\d+)"
    nights = re.findall(rows, visitor.get("/belief").text)
    assert len(nights) == 2 * 7
    visitor.get("/connections")
    visitor.finished(visitor.upload("more.ics", calendar()).text)
    about = place.visitor().get("/belief").text
    assert re.findall(rows, about) == nights
    assert "Sleep rests on your last nights, until 20 November 2025." in about
    plan = unescape(read(place.visitor(), "/day"))
    (bed,) = set(re.findall(r"[Yy]our usual bedtime was ([\d:]+) until 20 November 2025", plan))
    assert any(time[:3] == bed[:3] and abs(int(time[3:]) - int(bed[3:])) <= 2 for time, _spread in nights)
    assert "published" not in plan
    assert "not known yet" not in plan
    trends = place.visitor().get("/trends").text
    assert "These weeks end on 20 November 2025." in trends
    assert 'data-meter="VITALITY"' in trends
    today = place.visitor().get("/trends?weeks=12&until=2026-11-20").text
    assert 'id="until"' not in today
    assert 'data-meter="VITALITY"' not in today


def test_a_check_in_and_the_page_after_it_say_the_same(
    place: Place, ana: User, visitor: Visitor, tmp_path: Path
) -> None:
    nights_of_2025(place, ana, tmp_path)
    before = visitor.get("/").text
    said = visitor.change("/checkin", {"score": "2"}, headers={"HX-Request": "true"}).text
    after = place.visitor().get("/").text
    words = r'id="meters-head">([^<]*)|class="word">([^<&]*)|id="opening"[^>]*>\s*([^<]*)<'
    assert re.findall(words, said) == re.findall(words, after) != re.findall(words, before)


def test_a_check_in_beside_old_nights_is_told_alike_on_every_page(
    place: Place, ana: User, visitor: Visitor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nights_of_2025(place, ana, tmp_path)
    visitor.change("/checkin", {"score": "1"})
    monkeypatch.setenv("BRIDGE_NOW", (installation.now() + timedelta(minutes=1)).isoformat())
    page = place.visitor().get("/").text
    (level,) = re.findall(r'aria-label="Vitality [^"]*, (0\.\d\d) of 1', page)
    body = place.visitor().get("/api/v1/trends?weeks=12").json()
    assert f"{body['meters']['VITALITY']['level'][-1]:.2f}" == level
    assert "Nothing is known of these weeks" not in place.visitor().get("/trends?weeks=12&until=2026-11-20").text
    assert "Nothing is known of this week" not in place.visitor().get("/review?week=2026-W47").text
    asked = unescape(place.visitor().get("/ask?text=how+was+my+vitality+today").text)
    assert level in asked
    monkeypatch.setenv("BRIDGE_NOW", (installation.now() + timedelta(days=3)).isoformat())
    assert "How you were on 20 November 2025" in place.visitor().get("/").text


def test_data_of_today_that_no_meter_reads_are_not_old(place: Place, ana: User, tmp_path: Path) -> None:
    day = installation.now()
    row = '<Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" unit="count/min" value="70" {}/>'
    stamps = " ".join(f'{name}Date="{day:%Y-%m-%d} 08:00:00 +0100"' for name in ("creation", "start", "end"))
    (tmp_path / "export.xml").write_text(f"<HealthData>{row.format(stamps)}</HealthData>", encoding="utf-8")
    runs.import_path(place.bridge, ana, tmp_path / "export.xml", at=day)
    assert "These weeks end on" not in place.visitor().get("/trends").text
    assert "day of your newest data" not in place.visitor().get("/").text


def test_trends_end_with_old_data(place: Place, ana: User, tmp_path: Path) -> None:
    for file in Path("fixtures/whoop/export").iterdir():
        (tmp_path / file.name).write_text(
            file.read_text(encoding="utf-8").replace("2026-11", "2026-06"), encoding="utf-8"
        )
    runs.import_path(place.bridge, ana, tmp_path, at=installation.now())
    shown = place.visitor().get("/trends").text
    assert 'href="/trends?weeks=12" aria-current="true"' in shown
    assert "These weeks end on 20 June 2026, the day of your newest data." in shown
    assert 'data-meter="VITALITY"' in shown


def test_wishes_are_saved_without_scripts(place: Place, ana: User, visitor: Visitor) -> None:
    visitor.get("/wishes")
    form = {
        "suggestions": "2",
        "never_BINGE_WATCH": "yes",
        "hours_DEEP_WORK": "09:00-12:00, 14:00–15:00",
        "goal_EXERCISE": "3",
        "weight_VITALITY": "2",
        "weight_SERENITY": "1",
    }
    assert visitor.change("/wishes", form).headers["location"] == "/wishes?saved=yes"
    found = place.bridge.store.people.wishes(ana.id)
    assert found.never == {ActionType.BINGE_WATCH}
    assert len(found.hours[ActionType.DEEP_WORK]) == 2
    assert (found.goals, found.weights, found.suggestions) == ({ActionType.EXERCISE: 3}, {Meter.VITALITY: 2}, 2)
    shown = visitor.get("/wishes?saved=yes").text
    assert 'name="never_BINGE_WATCH" value="yes" aria-label="Never suggest: Watch series" checked' in shown
    assert 'value="09:00-12:00, 14:00-15:00"' in shown
    assert '<option value="2" selected>more</option>' in shown
    assert "Saved." in shown


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ({"hours_SLEEP": "late"}, "are not hours"),
        (
            {"hours_DEEP_WORK": "9 bis 12"},
            "Focused work: '9 bis 12' are not hours. Type begin and end with a minus between: 09:00-12:00.",
        ),
        ({"goal_LEARN": "often"}, "a whole number"),
        ({"goal_LEARN": "99"}, "1 to 21"),
        ({"goal_LEARN": "2", "never_LEARN": "yes"}, "cannot have a goal"),
        ({"weight_VITALITY": "nan"}, "weight"),
        ({"weight_VITALITY": "x"}, "weight"),
        ({"suggestions": "999"}, "suggestions"),
    ],
)
def test_wishes_that_cannot_be_read_change_nothing_and_stay_in_the_form(
    place: Place, ana: User, visitor: Visitor, form: dict[str, str], reason: str
) -> None:
    visitor.get("/wishes")
    answer = visitor.change("/wishes", {"hours_EXERCISE": "17:00-20:00", **form})
    assert answer.status_code == 400
    assert reason in unescape(answer.text)
    assert 'value="17:00-20:00"' in answer.text
    assert place.bridge.store.people.wishes(ana.id) == Wishes()


def test_the_routine_stands_on_the_page_about_me(visitor: Visitor) -> None:
    shown = visitor.get("/belief").text
    assert "Your routine" in shown
    assert "Wednesday" in shown
    assert "published figures" in shown


def test_the_routine_of_shifts_says_that_their_hours_differ(ana: User, visitor: Visitor) -> None:
    shifts = ((9, "07", "15"), (10, "07", "15"), (11, "13", "21"), (13, "13", "21"))
    times = "DTSTART;TZID=Europe/Berlin:202611{0:02}T{1}0000\r\nDTEND;TZID=Europe/Berlin:202611{0:02}T{2}0000"
    entries = [(f"s{one[0]}", times.format(*one), "Shift Ward 4B") for one in shifts]
    visitor.finished(visitor.upload("rota.ics", ics(entries)).text)
    shown = visitor.get("/belief").text
    assert "Your working hours differ from shift to shift" in shown
    assert "Working hours rest on published figures" not in shown
    assert "09:00" not in shown.partition("Your routine")[2].partition("</table>")[0]


def test_the_routine_counts_nights_and_tells_what_has_ended(place: Place, ana: User, visitor: Visitor) -> None:
    """A weekly series that ended three weeks ago is no habit; one of the same action that goes on keeps its days."""
    now = installation.now()
    watch = place.bridge.store.connections.connect(ana.id, "toy", "toy", now=now)

    def night(record: RawRecord, parent: RawRecord | None) -> list[Item]:
        woke = now - int(record.key) * timedelta(days=1) - timedelta(hours=3)
        slept = {"kind": EpisodeKind.SLEEP, "start": woke - timedelta(hours=8), "end": woke, "day": woke.date()}
        return [Episode(key=record.key, **slept)]

    nights = [RawRecord(stream="day", key=str(ago), payload={"n": ago}) for ago in range(61)]
    place.bridge.store.ingest.land(watch, nights, night, version=1, now=now)
    series = (("Yoga", "20260901T170000Z", ";UNTIL=20261030T000000Z"), ("Gym", "20260903T170000Z", ""))
    events = [
        f"BEGIN:VEVENT\nUID:{name}\nSUMMARY:{name}\nDTSTART:{start}\nDURATION:PT1H\nRRULE:FREQ=WEEKLY{until}\nEND:VEVENT"
        for name, start, until in (*series, ("Meditation", "20260902T060000Z", ";UNTIL=20261030T000000Z"))
    ]
    file = place.bridge.settings.folder / "sports.ics"
    file.write_text("\n".join(["BEGIN:VCALENDAR", "VERSION:2.0", *events, "END:VCALENDAR", ""]).replace("\n", "\r\n"))
    runs.import_path(place.bridge, ana, file, at=now)
    shown = unescape(visitor.get("/belief").text)
    assert "Sleep rests on 61 of your nights; newer nights count more." in shown
    assert "Thu 18:00 Gym" in shown
    assert "Yoga" not in shown
    assert "Not in the last two weeks: Meditate, the last time on 28 Oct." in shown
    german = unescape(visitor.get("/belief", headers={"Accept-Language": "de"}).text)
    assert "Nicht in den letzten zwei Wochen: Meditieren, zuletzt am 28. Okt" in german


def test_the_plan_by_program_is_the_plan_of_the_page(place: Place, advice: Recommendation, ana: User) -> None:
    _, token = access.new_token(place.bridge.store, ana, "test", now=installation.now())

    def told(path: str) -> requests.Response:
        return requests.get(f"{place.url}/api/v1{path}", headers={"Authorization": f"Bearer {token}"}, timeout=60)

    body = told("/plan").json()
    assert body["date"] == str(TODAY)
    assert advice.id in [block["recommendation_id"] for block in body["blocks"]]
    assert told("/plan?date=2026-11-21").json()["date"] == "2026-11-21"
    assert told("/plan?date=soon").status_code == 400


def test_titles_in_the_plan_are_text_and_never_markup(place: Place, ana: User, visitor: Visitor) -> None:
    from tests.web.served import HOSTILE

    (place.bridge.settings.folder / "hostile.ics").write_bytes(calendar(HOSTILE, "hostile"))
    runs.import_path(place.bridge, ana, place.bridge.settings.folder / "hostile.ics", at=installation.now())
    shown = visitor.get("/day", headers=PART).text
    assert "&lt;script&gt;" in shown
    assert "<script>alert" not in shown


def test_a_private_entry_has_its_name_on_the_persons_own_page_alone(place: Place, ana: User, tmp_path: Path) -> None:
    private = calendar("Nora's birthday").replace(b"SUMMARY:", b"CLASS:PRIVATE\r\nSUMMARY:")
    (tmp_path / "own.ics").write_bytes(private)
    runs.import_path(place.bridge, ana, tmp_path / "own.ics", at=installation.now())
    assert "Nora's birthday" in read(place.visitor(), "/day?date=2026-11-20")
    found = plan_day(place.bridge, ana, TODAY, now=installation.now())
    assert "birthday" not in str(plan_document(found, ana.zones))


def test_nights_of_an_old_export_have_one_clock_everywhere(place: Place, ana: User, tmp_path: Path) -> None:
    nights_of_2025(place, ana, tmp_path, offset="-08:00")
    about = re.findall(r"<td>(\d\d):(\d\d) <span", place.visitor().get("/belief").text)[:2]
    for usual, question in zip(about, ("median wake up time", "median bedtime"), strict=True):
        asked = place.visitor().get("/ask", params={"text": question}).text
        told = re.search(r"<h2 id=\"answer-head-1\">(\d\d):(\d\d)</h2>", asked)
        assert told is not None
        one, other = (60 * int(hour) + int(minute) for hour, minute in (told.groups(), usual))
        assert abs(one - other) <= 2


def ahead_in(shown: str) -> list[str]:
    (select,) = re.findall(r'<select name="to">(.*?)</select>', shown.partition('class="later"')[2], re.DOTALL)[:1]
    return re.findall(r"<option[^>]*>([^<]+)<", select)


@pytest.mark.parametrize(("due", "days"), [("20261120", {"Fri"}), ("20261121", {"Fri", "Sat"}), ("20261118", None)])
def test_later_offers_waking_hours_before_the_task_is_due(
    place: Place, ana: User, visitor: Visitor, due: str, days: set[str] | None
) -> None:
    wishes = Wishes(never=frozenset(ActionType) - {ActionType.ADMIN_WORK})
    place.bridge.store.people.save_wishes(ana.id, wishes, now=installation.now())
    visitor.finished(visitor.upload("todo.ics", todo("Pay the rent", due)).text)
    given = advising.recommend(place.bridge, ana, now=installation.now())
    assert isinstance(given, Recommendation)
    assert given.what == "Pay the rent"
    offered = ahead_in(read(visitor, "/advice"))
    assert offered
    assert not [name for name in offered if "night" in name]
    assert days is None or {name.split()[0] for name in offered} == days
    assert days is not None or len(offered) == 20


def test_a_week_offers_no_night_to_who_sleeps_in_it(place: Place, ana: User, visitor: Visitor) -> None:
    given = advising.recommend(place.bridge, ana, now=installation.now())
    assert isinstance(given, Recommendation)
    form = visitor.get("/week").text.partition(f'action="/week/{given.id}"')[2].partition("</form>")[0]
    offered = re.findall(r"<option[^>]*>([^<]+)<", form)
    assert len(offered) == 20
    assert not [name for name in offered if "night" in name]
