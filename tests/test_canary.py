"""The canary law: a marked title in every entry, task, calendar, device and note reaches nobody who may not read it.

The program lists its surfaces: tools with their consents, routes, commands, views, kinds of facts, and the modules that
send. What none of the checks below looks at fails as well. Each check is shown to find a planted leak.
"""

from __future__ import annotations

import ast
import asyncio
import json
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
import sqlalchemy as sa
import typer
from typer.main import get_command
from typer.testing import CliRunner

import bridge
from bridge import cli, installation
from bridge.advice import answer_links, calendar_writer, feedback, notify, outgoing_events, recommend, web_push
from bridge.advice.review import load_review
from bridge.auth import assistants, sharing
from bridge.daemon import health
from bridge.daemon.due_tasks import run_due_tasks
from bridge.daemon.mqtt.publisher import opened
from bridge.daemon.scheduler import Daemon
from bridge.domain.fact_messages import MESSAGES, Plural, Titled
from bridge.domain.facts import Fact, Private, Value, prose
from bridge.domain.records import Deed, Feedback, FullRecommendation, Recommendation, User
from bridge.domain.rendering import Audience, for_person
from bridge.domain.slots import moment_at
from bridge.ingest import runs
from bridge.mcp.server import AssistantServer
from bridge.recordings.server import LabServer
from bridge.store import views
from rhythm_env.interface import ActionType, Answer, Meter
from tests.daemon.broker import free_port, listening, mosquitto, until
from tests.daemon.test_notify import Mailbox
from tests.daemon.test_outgoing_events import Receiver
from tests.daemon.test_web_push import Browser
from tests.test_contracts_kept import commands, options
from tests.web.conftest import secured
from tests.web.served import NOW, Place, open_at, served
from tests.web.test_security import routes

CANARY, PRIVATE = "Zwiebelkuchen", "Geheimtreffen"  # the second is in private entries, which no assistant ever names
PASSWORD, SECRET = "correct horse", "a secret of sixteen or more"
HOUR = timedelta(hours=1)
ENTRY = """BEGIN:VEVENT
UID:{uid}
SUMMARY:{title} {word}
DESCRIPTION:{word}
LOCATION:{word}
CATEGORIES:{word}
ORGANIZER;CN={word}:mailto:{word}@example.org
ATTENDEE;CN={word}:mailto:{word}@example.org
{more}
END:VEVENT
"""
TASK = "BEGIN:VTODO\nUID:t{number}\nSUMMARY:{title} {word}\nDESCRIPTION:{word}\nDUE;VALUE=DATE:{due}\nEND:VTODO\n"
WORKOUT = (
    '<Workout workoutActivityType="{word}" duration="40" durationUnit="min" sourceName="{word}" '
    'creationDate="{day} 09:00:00 +0100" startDate="{day} 08:00:00 +0100" endDate="{day} 08:40:00 +0100"/>'
)
RECORD = (
    '<Record type="HKQuantityTypeIdentifierStepCount" sourceName="{word}" device="name:{word}" unit="count" '
    'value="900" creationDate="2026-11-20 08:30:00 +0100" startDate="2026-11-20 08:00:00 +0100" '
    'endDate="2026-11-20 08:30:00 +0100"/>'
)

# Commands without a person: what they print is for whoever runs the bridge. The rest writes no document about people.
OPERATORS: dict[str, list[str]] = {
    **{
        name: [] for name in ("sources", "doctor", "diagnostics", "tidy", "backups", "views", "user list", "meters map")
    },
    "user logins": ["ana"],
    "key new": [],
}
APART = {
    *("demo", "up", "daemon", "worker", "web", "serve-push", "service", "backup", "restore", "migrate", "replay"),
    *("new-connector", "user add", "user zone", "user password", "user link", "user unlink", "key rotate"),
    *("fleet", "live", "simulate", "train", "validate-meters"),  # of the laboratory, about made-up people
}
LABORATORY = ("lab ", "llm ")
# Modules of the product's data that can send, and the check that hears them.
SENDERS = {
    "advice/message_sender.py": "messages",
    "advice/notify.py": "messages",
    "advice/web_push.py": "messages",
    "advice/outgoing_events.py": "messages",
    "daemon/mqtt/link.py": "messages",
    "daemon/health.py": "metrics",
    "query/translated.py": "the question that a person typed, and nothing of their data (tests/ask/test_translated.py)",
    "daemon/backup_places.py": "nothing: what it sends is encrypted",
}
NOTICES = {  # the functions that make a message to a person; of advice, a trial, a week, a source alone, and a test
    "daemon/due_tasks.py:_notify",
    "daemon/due_tasks.py:_remind",
    "daemon/due_tasks.py:_send_review",
    "daemon/due_tasks.py:_tell_of_ended_consents",
    "advice/notify.py:deliver_test",
}
SENDING = {"requests", "apprise", "paho", "smtplib", "socket", "urllib.request", "http.client", "http.server", "httpx"}
SENDING |= {"obstore", "boto3", "ftplib", "websockets", "aiohttp", "bridge.http.transport", "bridge.http.egress"}
SENDING |= {"rhythm_env.chat"}
PARTS_WITH_DATA = (
    "advice",
    "calendar",
    "daemon",
    "day",
    "documents",
    "mcp",
    "meters",
    "query",
    "store",
    "trends.py",
)

Said = Iterator[tuple[str, str]]  # where, and what was said there


@dataclass(frozen=True, kw_only=True)
class Life:
    """Ana's data, all of them marked, in a served bridge beside ben's, and the log since they came."""

    place: Place
    user: User
    log: pytest.LogCaptureFixture
    patch: pytest.MonkeyPatch
    folder: Path

    @property
    def bridge(self) -> installation.Bridge:
        return self.place.bridge

    @property
    def advice(self) -> Recommendation:
        now = installation.now()
        found = self.bridge.store.recommendations.of_slot(self.user.id, moment_at(now, self.user.zones))
        assert found is not None
        return found


@pytest.fixture
def life(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> Iterator[Life]:
    monkeypatch.setenv("BRIDGE_NOW", NOW)
    monkeypatch.setenv("BRIDGE_DATABASE", database_url)
    monkeypatch.setenv("BRIDGE_CLASSIFIER", "keywords")
    monkeypatch.setenv("BRIDGE_POLICY", "heuristic")
    monkeypatch.setenv("BRIDGE_ALLOW_HOSTS", "127.0.0.1")
    caplog.set_level(logging.DEBUG)
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text('[people.ana.mqtt]\nshare = "yes"\n')
    with served(open_at(tmp_path, database_url)) as place:
        user = secured(place, "ana", PASSWORD)
        secured(place, "ben", PASSWORD)
        now = installation.now()
        for name, content in (("mine.ics", _calendar()), ("export.xml", _export())):
            (tmp_path / name).write_text(content)
            runs.import_path(place.bridge, user, tmp_path / name, at=now - HOUR)
        assert sum(len(found) for found in (place.bridge.store.reading.tasks(user.id, at=now),)) == 2
        store = place.bridge.store.recommendations
        kept = store.add(_advice(user))
        store.save_outcome(kept.id, Deed.DONE, (prose(CANARY),), at=now)
        sharing.share(place.bridge.store, user, "ben", list(Meter), now=now)
        yield Life(place=place, user=user, log=caplog, patch=monkeypatch, folder=tmp_path)


def _calendar() -> str:
    """A calendar in which every word that a person can write is marked, and one entry that cannot be read."""
    entries = [
        ("work", "Deep work", CANARY, "DTSTART:20261120T130000Z\nDTEND:20261120T150000Z"),
        ("standup", "Standup", CANARY, "DTSTART:20261120T093000Z\nDTEND:20261120T100000Z"),
        ("friends", "Dinner with friends", CANARY, "DTSTART:20261121T180000Z\nDTEND:20261121T200000Z"),
        ("therapy", "Gym", PRIVATE, "CLASS:PRIVATE\nDTSTART:20261120T161500Z\nDTEND:20261120T171500Z"),
        ("yoga", "Yoga", CANARY, "DTSTART:20260904T160000Z\nDTEND:20260904T170000Z\nRRULE:FREQ=WEEKLY"),
        ("free", "Holiday", CANARY, "DTSTART;VALUE=DATE:20261122\nDTEND;VALUE=DATE:20261123"),
        ("broken", "Broken", CANARY, "DTSTART:2026-so-einer"),
    ]
    told = "".join(ENTRY.format(uid=uid, title=title, word=word, more=more) for uid, title, word, more in entries)
    due = (("Write report", "20261120"), ("Tax return", "20261121"))
    told += "".join(TASK.format(number=k, title=t, word=CANARY, due=day) for k, (t, day) in enumerate(due))
    head = f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//tests//EN\nX-WR-CALNAME:{CANARY}\n"
    return f"{head}{told}END:VCALENDAR\n".replace("\n", "\r\n")


def _export() -> str:
    days = (f"2026-11-{day:02}" for day in (3, 6, 10, 13, 17))
    workouts = "".join(WORKOUT.format(word=CANARY, day=day) for day in days)
    return f'<?xml version="1.0"?><HealthData>{RECORD.format(word=CANARY)}{workouts}</HealthData>'


def _advice(user: User) -> Recommendation:
    """Advice of this slot with a fact of every kind, each with a marked title, and a marked reason stored as text."""
    now = installation.now()
    within = Fact(kind="slot_had", values={"action": "LEARN", "why": prose(CANARY)})
    return FullRecommendation(
        id=0,
        user_id=user.id,
        moment=moment_at(now, user.zones),
        action=ActionType.DEEP_WORK,
        policy="heuristic@1",
        belief={"social": 0.5, "morning": 0.5, "work": 0.5},
        scores={},
        probabilities={"DEEP_WORK": 1.0},
        facts=(*map(_marked, sorted(MESSAGES, key=_is_plain)), prose(f"after {CANARY} at 09:00"), within),
        observation={"meters": {}},
        created_at=now,
        expires_at=now + 3 * HOUR,
        kind="suggested",
        what=f"Write report {CANARY}",
        start=now + HOUR,
        end=now + 2 * HOUR,
        withheld={"LEARN": _marked("next_entry"), "SLEEP": prose(CANARY)},
    )


def _is_plain(kind: str) -> bool:
    return not isinstance(MESSAGES[kind], Titled)  # the rest comes first, because messages are cut


def _marked(kind: str) -> Fact:
    row = MESSAGES[kind]
    messages = [row.one, row.several] if isinstance(row, Plural) else []
    if not isinstance(row, Plural):
        texts = (row.without, row.titled) if isinstance(row, Titled) else (row,)
        messages = [text.message for text in texts if text is not None]
    fields = {name: form for one in messages for _, name, form, _ in Formatter().parse(one) if name and name != "title"}
    return Fact(
        kind=kind, values={name: _value(name, form or "") for name, form in fields.items()}, title=Private(CANARY)
    )


def _value(name: str, form: str) -> Value:
    return "2026-11-20T10:00:00+01:00" if "%" in form[:-1] else ("work",) if name == "kinds" else 3


def test_the_marked_words_came_in_and_the_person_reads_them(life: Life) -> None:
    visitor = life.place.visitor()
    visitor.log_in("ana", PASSWORD)
    for path in ("/", "/week", "/day", "/api/v1/today", "/history"):
        assert CANARY in visitor.get(path).text or path == "/day", path
    assert sum(CANARY in reason for reason in for_person(life.advice.facts)) >= 3


# The checks. Each yields what somebody hears who may not read titles.


def assistant(life: Life) -> Said:
    """Every tool under every consent. With titles they stand apart as untrusted text, and private ones nowhere."""
    server = AssistantServer(life.bridge, "ana")
    store, now = life.bridge.store, installation.now()
    for tool in (*assistants.READING_TOOLS, *assistants.WRITING_TOOLS):
        for consents in ([tool], [tool, assistants.TITLES], [*assistants.CONSENTS]):
            assistants.choose(store, life.user, consents, now=now)
            schema = next(one for one in asyncio.run(server.list_tools()) if one.name == tool).input_schema
            for arguments in _arguments(schema, {"recommendation": life.advice.id, "text": "no sport before 9"}):
                answer = asyncio.run(server.call_tool(tool, arguments))
                text = answer.content[0].text
                where = f"{tool} {arguments} with {consents}"
                assert not answer.is_error, (where, text)
                if assistants.TITLES in consents:
                    yield f"{where}: private", text.replace(CANARY, "")
                    text = json.dumps(_apart(json.loads(text)))
                yield where, text
    assistants.choose(store, life.user, [], now=now)


def _arguments(schema: dict[str, Any], ids: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Arguments for a tool: ids, the most of every bounded number, and in turn each word of what is required."""
    given = {name: value for name, value in ids.items() if name in schema["properties"]}
    choices = dict[str, list[Any]]()
    for name, one in schema["properties"].items():
        if one.get("maximum", 10**9) <= 100:
            given[name] = one["maximum"]
        elif name in schema.get("required", ()) and name not in given:
            choices[name] = one.get("enum") or [one.get("minimum", 1)]
    yield from ({**given, name: word} for name, words in choices.items() for word in words)
    if not choices:
        yield given


def _apart(body: Any) -> Any:
    if isinstance(body, dict):
        return {name: _apart(one) for name, one in body.items() if name != "untrusted_text"}
    return [_apart(one) for one in body] if isinstance(body, list) else body


def messages(life: Life) -> Said:
    """Message, Web Push, web hook and MQTT, each at a real receiver, and what is written into her calendars."""
    box, browser, hook, now = Mailbox(), Browser(), Receiver(), installation.now()
    store, vault = life.bridge.store, life.bridge.vault
    with ExitStack() as stack:
        mail, push, program = (
            stack.enter_context(LabServer(one.application))
            for one in (box, browser, hook)  # type: ignore[attr-defined]
        )
        notify.keep(store, vault, life.user, mail.url.replace("http://", "json://"), events=False, now=now)
        web_push.public_key(store, vault, now=now)
        notify.save_devices(store, vault, life.user.id, lambda kept: [*kept, browser.device(push.url)], now=now)
        changed = {"webhook": f"{program.url}/hook", "webhook_secret": SECRET, "url": "https://bridge.example.org"}
        spoken = replace(life.bridge, settings=replace(life.bridge.settings, **changed))
        store.maintenance.mark_done(f"{outgoing_events.SENT}{life.user.id}", spoken.holder, now=now - HOUR)
        run_due_tasks(spoken, life.user, now=now)
        assert box.got
        assert browser.got
        assert {body["type"] for body in hook.bodies} == {"recommendation.made", "recommendation.done"}
        yield "message", json.dumps(box.got)
        yield "Web Push", json.dumps([browser.read(one.body) for one in browser.got])
        yield "web hook", json.dumps(hook.bodies)
        yield from _broker(life, stack)
    week = now.date() - timedelta(days=now.weekday())
    review = load_review(life.bridge, life.user, week, now=now)
    yield "look back", "\n".join(notify.compose_review(review, None))
    feedback.give_feedback(store, life.user, life.advice.id, Feedback(answer=Answer.ACCEPT), now=now)
    plans = calendar_writer.plans(life.bridge, life.user, now=now)
    assert plans
    yield "calendar", repr(plans)


def _broker(life: Life, stack: ExitStack) -> Said:
    port = free_port()
    life.patch.setenv("BRIDGE_MQTT_URL", f"mqtt://127.0.0.1:{port}")
    stack.enter_context(mosquitto(life.folder / "broker", port))
    ear = stack.enter_context(listening(port))
    publisher = opened(life.bridge, lambda: None)
    assert publisher is not None
    stack.callback(publisher.link.close)
    until(lambda: publisher.link.is_ready)
    publisher.update(installation.now())
    publisher.link.tell("marker", "told")
    until(lambda: ear.last("marker"))
    assert any("recommendation" in topic for topic, _ in ear.told)
    yield "MQTT", json.dumps(ear.told, ensure_ascii=False)


def strangers(life: Life) -> Said:
    """Every address that can be read, by nobody, by another person here, and the pages behind links in messages."""
    ids = {"number": str(life.advice.id), "source": "ics"}
    other = life.place.visitor()
    other.log_in("ben", PASSWORD)
    for who, visitor in (("nobody", life.place.visitor()), ("ben", other)):
        for method, template in routes(life.place):
            if method == "GET" and not template.startswith("/static"):
                path = re.sub(r"{(\w+)[^}]*}", lambda one: ids.get(one[1], "x"), template)
                yield f"{who} at {path}", visitor.get(path).text
    assert "Vitality" in other.get("/household").text
    for path in answer_links.paths(life.bridge, life.advice).values():
        yield f"nobody at {path}", life.place.visitor().get(path).text


def operators(life: Life) -> Said:
    """Every command that names no person."""
    for name, command in commands(get_command(cli.app)):
        if "--user" in options(command) or name in APART or name.startswith(LABORATORY):
            continue
        assert name in OPERATORS, f"tests/test_canary.py does not know the command {name}"
        for json_too in [[]] + [["--json"]] * ("--json" in options(command)):
            done = CliRunner().invoke(cli.app, [*name.split(), *OPERATORS[name], *json_too])
            yield f"bridge {name} {' '.join(json_too)}", done.output


def grafana(life: Life) -> Said:
    url = life.bridge.settings.database.replace("postgresql://", "postgresql+psycopg://")
    engine = sa.create_engine(url)
    with engine.connect() as db:
        for name, query in views.statements(db.dialect.name).items():
            yield name, repr(db.exec_driver_sql(query).all())
    engine.dispose()


def metrics(life: Life) -> Said:
    daemon = Daemon(bridge=life.bridge, clock=installation.now)
    daemon.tick()
    body = health.health_of(daemon, health.Foretold(), every=30.0)
    yield "health", json.dumps(body)
    yield "metrics", health.metrics(body)


def errors(life: Life) -> Said:
    """An error that quotes a title, wherever it is raised: its class may be told and logged, its words may not."""

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError(f"about {CANARY}")

    now = installation.now()
    server = AssistantServer(life.bridge, "ana")
    visitor = life.place.visitor()
    visitor.log_in("ben", PASSWORD)
    consents = {*assistants.CONSENTS} - {assistants.TITLES}
    assistants.choose(life.bridge.store, life.user, consents, now=now)
    with pytest.MonkeyPatch.context() as patch:
        for place in ("load_snapshot", "load_person", "build_observation", "recommend"):
            patch.setattr(recommend, place, fail)
        for tool in assistants.READING_TOOLS:
            yield f"the tool {tool}", asyncio.run(server.call_tool(tool, {})).content[0].text
        run_due_tasks(life.bridge, life.user, now=now + 6 * HOUR)
        Daemon(bridge=life.bridge, clock=lambda: now + 12 * HOUR).tick()
        for path in ("/advice", "/day", "/api/v1/recommendation", "/household"):
            yield f"the page {path}", visitor.get(path, headers={"HX-Request": "true"}).text


def log(life: Life) -> Said:
    """What was logged since the data came, at the level of debugging, with the texts of errors."""
    formatter = logging.Formatter()
    yield "log", "\n".join(f"{one.name} {formatter.format(one)}" for one in life.log.records)


CHECKS: tuple[Callable[[Life], Said], ...] = (messages, assistant, strangers, operators, grafana, metrics, errors, log)


def leaks(check: Callable[[Life], Said], life: Life) -> list[str]:
    """Where a check finds marked words."""
    return [where for where, text in check(life) if CANARY in text or PRIVATE in text]


def test_no_marked_word_reaches_who_may_not_read_it(life: Life) -> None:
    assert {check.__name__: found for check in CHECKS if (found := leaks(check, life))} == {}


def test_every_module_that_sends_is_heard() -> None:
    assert {*senders(Path(bridge.__file__).parent)} == {*SENDERS}


def senders(folder: Path) -> Iterator[str]:
    """The modules with people's data that import something that sends."""
    for path in folder.rglob("*.py"):
        name = path.relative_to(folder).as_posix()
        if name.split("/")[0] in PARTS_WITH_DATA and _imported(path) & SENDING:
            yield name


def test_every_message_is_one_that_is_read_here() -> None:
    assert {*notices(Path(bridge.__file__).parent)} == NOTICES


def notices(folder: Path) -> Iterator[str]:
    """The functions that make a message to a person."""
    for path in (one for one in folder.rglob("*.py") if "bridge.advice.web_push" in _imported(one)):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                calls = (one.func for one in ast.walk(node) if isinstance(one, ast.Call))
                if any("Notice" in (getattr(one, "id", ""), getattr(one, "attr", "")) for one in calls):
                    yield f"{path.relative_to(folder).as_posix()}:{node.name}"


def _imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        named = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            named = [node.module, *(f"{node.module}.{one.name}" for one in node.names)]
        found |= {".".join(name.split(".")[:count]) for name in named for count in range(1, 4)}
    return found


# Planted leaks: each check finds one of its kind, and so does whoever adds a surface that no check looks at.


def _titles_for_all(_life: Life, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Audience, "reads_titles", property(lambda _: True))


def _a_route(life: Life, _patch: pytest.MonkeyPatch) -> None:
    life.place.made.add_api_route("/leak", lambda: CANARY, methods=["GET"])
    life.place.made.router.routes.insert(0, life.place.made.router.routes.pop())


def _a_document(_life: Life, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(cli.maintenance.show, "document", lambda _: typer.echo(CANARY))


def _a_view(_life: Life, patch: pytest.MonkeyPatch) -> None:
    made = views.statements
    patch.setattr(views, "statements", lambda kind: {**made(kind), "leak": "SELECT what FROM recommendations"})


def _a_metric(_life: Life, patch: pytest.MonkeyPatch) -> None:
    tick = Daemon.tick
    patch.setattr(Daemon, "tick", lambda daemon: (tick(daemon), daemon.sync_counts.update({(CANARY, "ok"): 1})))


def _an_error(_life: Life, patch: pytest.MonkeyPatch) -> None:
    patch.setattr("bridge.mcp.server._sentence", lambda _name, error: str(error.__cause__))


def _a_line(_life: Life, patch: pytest.MonkeyPatch) -> None:
    tell = outgoing_events.deliver

    def telling(*of: Any, **more: Any) -> None:
        logging.getLogger("bridge.advice").debug("told of %s", CANARY)
        tell(*of, **more)

    patch.setattr(outgoing_events, "deliver", telling)


PLANTS: dict[Callable[[Life], Said], Callable[[Life, pytest.MonkeyPatch], None]] = {
    assistant: _titles_for_all,
    messages: _titles_for_all,
    strangers: _a_route,
    operators: _a_document,
    grafana: _a_view,
    metrics: _a_metric,
    errors: _an_error,
    log: _a_line,
}


@pytest.mark.parametrize("check", CHECKS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_planted_leak_is_found(life: Life, check: Callable[[Life], Said], monkeypatch: pytest.MonkeyPatch) -> None:
    PLANTS[check](life, monkeypatch)
    if check is messages:
        assert {"message", "Web Push", "MQTT"} <= {*leaks(check, life)}
        return
    if check is log:
        assert not leaks(metrics, life)  # which does what is due, and logs it
    assert leaks(check, life)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_web_hook_and_a_calendar_that_name_a_title_are_found(life: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    told = outgoing_events._body
    monkeypatch.setattr(outgoing_events, "_body", lambda target, *of: told(replace(target, titles=True), *of))
    monkeypatch.setattr(calendar_writer, "key_of", lambda _user, advice: advice.what)
    assert {"web hook", "calendar"} <= {*leaks(messages, life)}


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_command_and_a_sender_that_no_check_knows_are_named(
    life: Life, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = {name: cli.ByName.found[name] for name in cli.ByName.found}
    monkeypatch.setattr(cli.ByName, "found", found | {"leak": typer.main.get_command(_one(lambda: None))})
    with pytest.raises(AssertionError, match="does not know the command leak"):
        leaks(operators, life)
    (tmp_path / "advice").mkdir(exist_ok=True)
    (tmp_path / "advice" / "leak.py").write_text("from requests import post")
    assert [*senders(tmp_path)] == ["advice/leak.py"]


def _one(command: Callable[[], None]) -> typer.Typer:
    made = typer.Typer()
    made.command("leak")(command)
    return made
