"""Serve the pages of sources and their connections, with consents, syncs, push tokens, imports and export."""

from __future__ import annotations

import json
import unicodedata
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, HTTPException, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import BaseModel, Field

from bridge import registry
from bridge.advice.preference import choose, load_preference
from bridge.documents.connections import ConnectionDocument, connection_documents
from bridge.documents.preference import PreferenceDocument, preference_document
from bridge.domain.errors import BridgeError, SetupError
from bridge.domain.languages import _, date_text, say, shown, told
from bridge.domain.ports import ConnectorSpec
from bridge.domain.records import FOLDER_CONNECTION, IMPORT_CONNECTION, PUSH_CONNECTION, Connection
from bridge.ingest import clients, connecting
from bridge.ingest.checkins import CHECK_IN_CONNECTION
from bridge.ingest.connecting import NewConsent
from bridge.ingest.pushes import PUSH_PATH, grant
from bridge.web import background, phrases
from bridge.web.beginnings import things
from bridge.web.jobs import DONE, Job
from bridge.web.pages.entries import answers
from bridge.web.pages.ownership import just_marked, owned
from bridge.web.pages.proof import proved
from bridge.web.phrases import kind_name
from bridge.web.render import page
from bridge.web.result_cache import counts_version
from bridge.web.security import LOOPBACK
from bridge.web.state import SESSION_COOKIE, Visit, Visitor, in_browser, lead_to

router = APIRouter()
KEPT_TEXT = say("{name} is disconnected and its data kept. It did not confirm: revoke the consent there as well.")
DELETED = say("{name} is disconnected and its data deleted. It did not confirm: revoke the consent there as well.")
Text = Annotated[str, Form(max_length=4000)]
Typed = Annotated[str, Field(max_length=4000)]
Key = Annotated[str, Form(min_length=1, max_length=500)]
Secret = Annotated[str, Form(max_length=500)]
UNNAMED = "calendar"  # what a calendar without a name of its own is called
BY = {  # the name of a connection, without its number -> how its data come
    connecting.ACCOUNT: say("account"),
    IMPORT_CONNECTION: say("file"),
    FOLDER_CONNECTION: say("folder"),
    PUSH_CONNECTION: say("app"),
    CHECK_IN_CONNECTION: say("check-in"),
}
ICONS = {
    **dict.fromkeys(("apple_health", "health_auto_export", "health_connect", "samsung_health"), "phone"),
    "activitywatch": "screen",
    "check_in": "face",
    "home_assistant": "house",
    "messages": "bubble",
    "oura": "ring",
}
PLANS = {"events", "tasks"}  # joined to a consent by default; consents to health data are broader and end earlier


@router.get("/connections")
def connections(
    visit: Visitor,
    marked: Annotated[str, Query(max_length=1000)] = "",
    saved: Annotated[str, Query(max_length=20)] = "",
) -> HTMLResponse:
    with visit.bridge.store.view():
        rows = connection_documents(visit.bridge, visit.user, visit.now, _counts(visit))
        consents = consents_of(visit)
        order = _order(visit)
        owned_, marked_ = owned(visit), just_marked(visit, marked)
    found = [
        shown_source(visit, spec, [row for row in rows if row["source"] == spec.name], consents)
        for spec in registry.specs()
    ]
    found.sort(key=lambda source: source["title"].casefold())
    return page(
        "connections.html",
        visit,
        path="/connections",
        connected=[source for source in found if source["connections"]],
        others=[source for source in found if not source["connections"] and source["how"]],
        stored=sum(source["rows"] for source in found),
        order=order,
        owned=owned_,
        answers=answers(visit),
        marked=marked_,
        calendars_saved=saved == "calendars",
        titles={place["name"]: phrases.source_title(place["name"]) for place in order["order"]},
    )


@router.post("/connections/prefer")
def prefer(visit: Visitor, first: Text = "") -> Response:
    """Prefer the source ``first`` if several measured the same. If it is empty, the usual order applies."""
    store, user = visit.bridge.store, visit.user
    before = [source for source in store.people.preferred_sources(user.id) if source != first] if first else []
    choose(store, user, [first, *before] if first else [], now=visit.now)
    return RedirectResponse("/connections", 303)


def _counts(visit: Visit) -> dict[str, dict[str, int]]:
    version = counts_version(visit.bridge, visit.user, visit.now)
    return visit.app.results.get(
        visit.user, "counts", version, lambda: visit.bridge.store.reading.counts(visit.user.id)
    )


def _order(visit: Visit) -> PreferenceDocument:
    store, user, now = visit.bridge.store, visit.user, visit.now
    version = counts_version(visit.bridge, user, now), load_preference(store, user).chosen
    return visit.app.results.get(user, "order", version, lambda: preference_document(store, user, now))


def _spec(source: str) -> ConnectorSpec:
    if source not in registry.names("connectors"):
        raise HTTPException(404, _("there is no such source; see: bridge sources"))
    return registry.spec(source)


def _job_part(visit: Visit, job: Job) -> HTMLResponse:
    answer = page("connections/job.html", visit, job=job)
    if job.state == DONE:
        told = {"landed": None} | ({"arrived": {"job": job.id}} if _has_new_data(job) else {})
        answer.headers["HX-Trigger"] = json.dumps(told)
    return answer


class ConsentForm(BaseModel):
    """The form that begins a consent. ``also`` are sources that the consent covers too."""

    write: Typed = ""
    also: Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=20)] = []
    url: Typed = ""
    name: Typed = ""
    password: Typed = ""


@router.post("/connections/{source}/connect")
def connect(
    request: Request,
    visit: Visitor,
    source: str,
    form: Annotated[ConsentForm, Form()],
) -> Response:
    """Start a job that obtains the user's consent at a source and then syncs it, and show its progress.

    If the source needs a client id or secret that is missing, lead to the page that asks for these.
    """
    if clients.is_missing(visit.bridge, visit.user, _spec(source)):
        return lead_to(request, f"/connections/{source}/keys")
    elsewhere, spec = request.url.hostname not in LOOPBACK, _spec(source)
    typed = {"url": form.url.strip(), "name": form.name.strip(), "password": form.password.strip()}
    given = {field: text for field, text in typed.items() if text}
    wanted = NewConsent(source=source, write=form.write == "yes", also=form.also, given=given, add=spec.several)
    return _job_part(visit, background.consent(visit, wanted, elsewhere=elsewhere))


@router.post("/connections/{source}/sync")
def sync(visit: Visitor, source: str) -> Response:
    return _job_part(visit, background.sync(visit, _spec(source)))


@router.post("/connections/{source}/push", dependencies=[Depends(in_browser)])
def push(visit: Visitor, source: str) -> Response:
    """Create a token with which an app may push a source's data, and show it once. It replaces the earlier token."""
    token = grant(visit.bridge, visit.user, _spec(source).name)
    return page("connections/token.html", visit, token=token, place=PUSH_PATH + source)


@router.post("/connections/{source}/disconnect")
def disconnect(visit: Visitor, source: str, keep: Text = "", account: Text = "") -> Response:
    """End the user's connections to a source, or only ``account``. With ``keep`` = ``yes`` their data stay."""
    spec, keeps_data = _spec(source), keep == "yes"
    confirmed = connecting.disconnect(visit.bridge, visit.user, spec.name, keep=keeps_data, name=account or None)
    if not confirmed and spec.revokes is not None:
        name = phrases.source_name(spec.title)[0]
        text = shown(say(KEPT_TEXT if keeps_data else DELETED, name=name))
        return page("note.html", visit, path="/connections", text=text)
    return RedirectResponse("/connections", 303)


@router.get("/jobs/{name}")
def job(request: Request, visit: Visitor, name: str) -> Response:
    """Show the progress of the user's job ``name``. An unknown job leads back to the connections."""
    found = visit.app.jobs.find(visit.user.id, name)
    if found is None:
        return _gone(request)
    return _job_part(visit, found)


def _has_new_data(job: Job) -> bool:
    rows = job.result or []
    return any(row["new"] for row in rows) and all(row["outcome"] == "ok" for row in rows)


@router.post("/jobs/{name}")
def reply(request: Request, visit: Visitor, name: str, answer: Text) -> Response:
    """Pass the user's reply, for example a key, to a job that asked. An unknown job leads back as in ``job``."""
    found = visit.app.jobs.find(visit.user.id, name)
    if found is None:
        return _gone(request)
    found.reply(answer)
    return _job_part(visit, found)


def _gone(request: Request) -> Response:
    if "hx-request" not in request.headers:
        raise HTTPException(404, _("this job is over; go back to the connections"))
    return Response(status_code=204, headers={"HX-Redirect": "/connections"})


@router.post("/connections/import")
async def upload(request: Request, visit: Visitor, name: Annotated[str, Query(max_length=255)]) -> Response:
    """Write the request's body to disk as a file, and start a job that imports it."""
    place = await background.receive_upload(visit, name, request.stream())
    return _job_part(visit, background.import_file(visit, place))


@router.get("/connections/export.zip", dependencies=[Depends(proved("everything"))])
def export(visit: Visitor) -> Response:
    return background.export_zip(visit)


@router.post("/connections/forget", dependencies=[Depends(proved("everything"))])
def forget(visit: Visitor, name: Text = "") -> Response:
    """Delete everything about the user. Raises SetupError unless ``name``, typed to confirm, is the user's name."""
    if unicodedata.normalize("NFC", name.strip()) != visit.user.name:
        raise SetupError(_("nothing was deleted: type {name} to delete everything about {name}", name=visit.user.name))
    unconfirmed = connecting.forget(visit.bridge, visit.user)
    text = _("Everything about {name} is deleted.", name=visit.user.name)
    if unconfirmed:
        text += " " + _("Revoke the consent there as well: {sources}.", sources=", ".join(unconfirmed))
    answer = page("note.html", None, text=text)
    answer.delete_cookie(SESSION_COOKIE)
    return answer


@router.get("/connections/{source}/keys")
def keys(request: Request, visit: Visitor, source: str) -> HTMLResponse:
    return _keys_page(request, visit, _registered(source))


@router.post("/connections/{source}/keys", dependencies=[Depends(in_browser)])
def save_keys(
    request: Request, visit: Visitor, source: str, client_id: Key, client_secret: Secret = ""
) -> HTMLResponse:
    """Test the client id and secret at the vendor, and store them if they work.

    Otherwise show the form with the reason and status 400.
    """
    spec = _registered(source)
    try:
        clients.save(visit.bridge, visit.user, spec, client_id, client_secret)
    except BridgeError as error:
        return _keys_page(request, visit, spec, wrong=told(error), typed=client_id)
    return _keys_page(request, visit, spec, saved=True)


def _registered(source: str) -> ConnectorSpec:
    if source not in registry.names("connectors") or registry.spec(source).registration is None:
        raise HTTPException(404, _("this source needs no application; see: bridge sources"))
    return registry.spec(source)


def _keys_page(request: Request, visit: Visit, spec: ConnectorSpec, **told: Any) -> HTMLResponse:
    return page(
        "connections/keys.html",
        visit,
        status=400 if "wrong" in told else 200,
        title=phrases.source_name(spec.title)[0],
        registration=spec.registration,
        asked=clients.asked(visit.bridge, visit.user, spec),
        has_secret=clients.has_secret(spec),
        missing=clients.is_missing(visit.bridge, visit.user, spec),
        elsewhere=request.url.hostname not in LOOPBACK,
        source=shown_source(visit, spec),
        **{"wrong": "", "typed": "", "saved": False, **told},
    )


@router.get("/begin")
def begin(visit: Visitor) -> HTMLResponse:
    """Show the devices, calendars and files that a person may have, to choose from."""
    sources = registry.names("connectors")
    found = [
        {"thing": one, "hint": one.hint if one.ways_of(sources) or not one.ways else say("by a file")}
        for one in things(registry.specs())
    ]
    return page("begin.html", visit, things=found)


@router.get("/begin/{name}")
def way(visit: Visitor, name: str) -> HTMLResponse:
    """Show the ways to get the data of a device, calendar or file, the shortest open. An unknown ``name`` gets 404."""
    thing = next((one for one in things(registry.specs()) if one.name == name), None)
    if thing is None:
        raise HTTPException(404, _("that is not known here; choose from the list: /begin"))
    found = thing.ways_of(registry.names("connectors"))
    ways = [{"way": one, "source": shown_source(visit, registry.spec(one.source))} for one in found]
    return page("begin/thing.html", visit, thing=thing, ways=ways)


def consents_of(visit: Visit) -> list[Connection]:
    store = visit.bridge.store
    return [c for c in store.connections.of_user(visit.user.id) if store.connections.secret(c.id) is not None]


def shown_source(
    visit: Visit,
    spec: ConnectorSpec,
    rows: list[ConnectionDocument] | None = None,
    consents: list[Connection] | None = None,
) -> dict[str, Any]:
    """Return a source with its connections for the template. ``live`` is True if an account there has a consent.

    ``rows`` are the documents of its connections. ``consents`` are the user's, looked up if None.
    """
    rows = rows or []
    jobs = {job.title: job for job in visit.app.jobs.running(visit.user.id)}
    consents = consents_of(visit) if consents is None else consents
    connected = {consent.source for consent in consents}
    mine = [consent for consent in consents if consent.source == spec.name]
    title, more = phrases.source_name(spec.title)
    ways = {"account": spec.authorises, "files": spec.reads, "pushes": spec.receives}
    kinds = rows[0]["counts"] if rows else {}
    return {
        "name": spec.name,
        "title": title,
        "icon": _icon(spec),
        "more": more,
        "how": [way for way, capability in ways.items() if capability is not None],
        "also": [
            (one, spec.delivers | one.delivers <= PLANS)
            for one in connecting.joined_by(spec)
            if one.name not in connected
        ],
        "writes": spec.writes is not None,
        "asked": [setting for setting in spec.settings if setting.asked],
        "reads": sorted(kind_name(str(kind)) for kind in spec.delivers),
        "connections": [_connection(visit, row) | {"refusal": spec.refusal(row["not_permitted"])} for row in rows],
        "live": any(one.name.startswith(connecting.ACCOUNT) for one in mine),
        "accounts": [_account(visit, one) for one in mine if spec.several and one.name.startswith(connecting.ACCOUNT)],
        "several": spec.several,
        "reachable": bool(mine),
        "paused": any(row["paused"] for row in rows),
        "kinds": sorted((kind_name(kind), count) for kind, count in kinds.items()),
        "rows": sum(kinds.values()),
        "job": jobs.get(title),
    }


def _icon(spec: ConnectorSpec) -> str:
    kinds = set(map(str, spec.delivers))
    return ICONS.get(spec.name) or ("calendar" if "events" in kinds else "list" if "tasks" in kinds else "watch")


def _account(visit: Visit, connection: Connection) -> dict[str, str]:
    host, _address = connecting.host_and_address(visit.bridge, connection)
    calendar = visit.bridge.store.reading.calendar_name(connection.id)
    named = calendar if calendar not in (None, UNNAMED, host) else ""
    return {"name": connection.name, "title": named or host, "host": host if named else ""}


def _connection(visit: Visit, row: ConnectionDocument) -> dict[str, Any]:
    state = "stopped" if row["paused"] else "failed" if row["error"] else "well"
    lag = row["lag_hours"]
    aside = [phrases.unread(why, count) for why, count in row["set_aside_reasons"].items()]
    success = row["last_success"] and datetime.fromisoformat(row["last_success"])
    return {
        **row,
        "state": state,
        "by": shown(BY.get(row["connection"].rstrip("0123456789-"), BY[FOLDER_CONNECTION])),
        "newest_age": None if lag is None else phrases.age(lag, visit.local(visit.now)),
        "last_success_at": success and date_text(success, "%-d %b %Y, %H:%M"),
        "aside": aside,
    }
