"""Serve the page of settings, and the forms for zone, language, messages and the browsers that get messages.

The page also shows passwords, passkeys, linked logins, tokens, assistants, shares, backups, export and deletion.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, HTTPException, Path
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from bridge.advice import modes, notify, web_push
from bridge.advice.web_push import Device
from bridge.auth import access, assistants
from bridge.day.body import ModeKind
from bridge.documents.connections import UnsentDocument, notifications_document
from bridge.documents.diagnostics import diagnostics_document
from bridge.documents.inputs import parse_slots
from bridge.domain.errors import SetupError
from bridge.domain.languages import _, date_text, languages, say, told
from bridge.domain.languages import shown as words
from bridge.domain.slots import local_time, zone_at
from bridge.domain.titles import SLOT_TITLES
from bridge.domain.zones import zone_meant, zones_by_place
from bridge.web.day import backup
from bridge.web.render import page
from bridge.web.state import Visit, Visitor, in_browser
from rhythm_env.interface import Meter, Slot

UNSENT_SHOWN = 5
HOURS = {
    Slot.MORNING: say("06:00 to 12:00"),
    Slot.AFTERNOON: say("12:00 to 18:00"),
    Slot.EVENING: say("18:00 to 24:00"),
    Slot.NIGHT: say("00:00 to 06:00"),
}
SAVED = {
    "language": say("Saved. The page and messages speak this language."),
    "zone": say("Saved. From now on your days are counted there; the past keeps its zone."),
    "messages": say("Saved. Each suggestion is sent there once."),
    "off": say("No more messages are sent."),
    "device": say("Saved. Messages come to this browser, too."),
    "removed": say("Messages no longer go there."),
    "password": say("The password is changed, and every other browser is logged out."),
    "open": say("The password is removed."),
    "token": say("The token has ended."),
    "assistants": say("Saved. It holds from an assistant's next question on."),
    "passkeys": say("Saved. You can log in with this passkey."),
    "nopasskey": say("The passkey is removed. Delete it in your browser or phone as well."),
    "login": say("Linked. From now on you can log in there."),
    "unlinked": say("That login no longer leads here."),
    "shares": say("Shared. They see it on their page from now on."),
    "unshared": say("Withdrawn. They see nothing of it any more."),
    "hidden": say("That is no longer shown to you."),
}
STATE_WORDS = {"sending": say("sending"), "failed": say("failed"), "missed": say("missed")}
SECTIONS = {
    "off": "messages",
    "device": "messages",
    "removed": "messages",
    "open": "password",
    "nopasskey": "passkeys",
    "unlinked": "login",
    "unshared": "shares",
    "hidden": "shares",
}  # of what was saved, where it is called otherwise
Text = Annotated[str, Form(max_length=300)]
Address = Annotated[str, Form(max_length=2000)]


router = APIRouter(dependencies=[Depends(in_browser)])


@router.get("/settings")
def settings(visit: Visitor, saved: str = "") -> HTMLResponse:
    """Show the settings. ``saved`` names the setting that was just changed."""
    return shown(visit, saved=saved)


@router.get("/settings/diagnostics.json")
def diagnostics(visit: Visitor) -> Response:
    """Send the installation's diagnostics as JSON. They count all users' data, so several users get a 403."""
    if visit.bridge.store.people.has_others(visit.user.id):
        raise HTTPException(403, _("who runs the bridge gets this with: bridge diagnostics"))
    name = {"Content-Disposition": 'attachment; filename="rhythm-bridge-diagnostics.json"'}
    return JSONResponse(diagnostics_document(visit.bridge, visit.now, checks=False), headers=name)


@router.post("/settings/zone")
def zone(visit: Visitor, zone: Text = "") -> Response:
    """Set the user's time zone from now on. An unknown zone shows the settings with the reason and status 400."""
    try:
        visit.bridge.store.people.set_zone(visit.user.id, zone_meant(zone), since=visit.now)
    except SetupError as error:
        return shown(visit, wrong={"zone": told(error)}, zone=zone)
    moved = visit.bridge.store.people.user(visit.user.name)
    modes.dismiss(visit.bridge.store, moved, [ModeKind.AWAY], now=visit.now)  # who lives there does not travel
    return changed("zone")


@router.post("/settings/language")
def language(visit: Visitor, language: Text = "") -> Response:
    """Set the language of the user's pages and messages. If it is empty, the browser chooses.

    An unknown language shows the settings with the reason and status 400.
    """
    if language and language not in languages():
        return shown(visit, wrong={"language": _("there is no such language; choose one of the list")})
    visit.bridge.store.people.set_language(visit.user.id, language or None, now=visit.now)
    return changed("language")


@router.post("/settings/messages")
def messages(
    visit: Visitor,
    address: Address = "",
    events: Text = "",
    quiet: Annotated[Sequence[str], Form(max_length=len(Slot))] = (),
) -> Response:
    """Save an address for messages, unless it is empty, and the slots (``quiet``) in which none are sent."""
    store, user, may_name = visit.bridge.store, visit.user, events == "yes"
    try:
        slots = parse_slots(",".join(quiet) or "none")
        if typed := address.strip():
            notify.keep(store, visit.bridge.vault, user, typed, events=may_name, quiet=slots, now=visit.now)
        else:
            notify.choose(store, user, events=may_name, quiet=slots, now=visit.now)
    except SetupError as error:
        return shown(visit, wrong={"messages": told(error)})
    return changed("messages")


@router.post("/settings/devices/key")
def device_key(visit: Visitor) -> Response:
    """Return the public key with which a browser asks its push service for an address."""
    key = web_push.public_key(visit.bridge.store, visit.bridge.vault, now=visit.now)
    return Response(key, media_type="text/plain")


@router.post("/settings/devices")
def add_device(visit: Visitor, endpoint: Address = "", p256dh: Text = "", auth: Text = "", name: Text = "") -> Response:
    """Send messages to the browser that gave these values, which replace the same browser's earlier ones."""
    bridge = visit.bridge
    try:
        wanted = Device(endpoint=endpoint, p256dh=p256dh, auth=auth, name=name[: web_push.NAME_MAX_CHARS])
        device = web_push.checked(wanted, bridge.settings.allow_hosts)
    except SetupError as error:
        return shown(visit, wrong={"messages": told(error)})
    others = partial(_without, web_push.mark(device))
    notify.save_devices(bridge.store, bridge.vault, visit.user.id, lambda kept: [*others(kept), device], now=visit.now)
    return changed("device")


@router.post("/settings/devices/{name}/remove")
def remove_device(visit: Visitor, name: Annotated[str, Path(max_length=40)]) -> Response:
    """Send no more messages to the browser that the page calls ``name``."""
    store, vault = visit.bridge.store, visit.bridge.vault
    notify.save_devices(store, vault, visit.user.id, partial(_without, name), now=visit.now)
    return changed("removed")


def _without(mark: str, devices: list[Device]) -> list[Device]:
    return [device for device in devices if web_push.mark(device) != mark]


@router.post("/settings/messages/off")
def messages_off(visit: Visitor) -> Response:
    """Delete the user's address for messages, and the list of browsers that get messages."""
    visit.bridge.store.notifications.save_channel(visit.user.id, None, now=visit.now)
    return changed("off")


@router.post("/settings/messages/test")
def messages_test(visit: Visitor) -> HTMLResponse:
    """Send a test message to the user, and show the settings with its success or failure."""
    try:
        with visit.app.sending.held(visit.user.id):
            wrong = notify.deliver_test(visit.bridge, visit.user, now=visit.now)
    except SetupError as error:
        wrong = told(error)
    return shown(visit, wrong={"messages": wrong}) if wrong else shown(visit, sent=True)


def refuse_last_way(visit: Visit) -> None:
    """Raise SetupError if the user could no longer log in. It is called in the transaction that removes a way."""
    settings = visit.bridge.settings
    is_free = visit.app.local or settings.user_header or settings.oidc_user_claim
    if not is_free and not visit.bridge.store.credentials.is_protected(visit.user.id):
        raise SetupError(_("other machines can reach this page, so you need a password or a passkey; add one first"))


def changed(what: str) -> RedirectResponse:
    """Return a redirect to the settings, which then say that ``what`` is saved."""
    return RedirectResponse(f"/settings?saved={what}#{SECTIONS.get(what, what)}", 303)


def shown(
    visit: Visit,
    *,
    saved: str = "",
    wrong: dict[str, str] | None = None,
    sent: bool = False,
    token: str = "",
    **typed: str,
) -> HTMLResponse:
    """Show the settings, with what was ``typed`` into a field whose form was refused."""
    store = visit.bridge.store
    home = store.people.user_by_id(visit.user.id).zones  # without the zones of flights
    return page(
        "settings.html",
        visit,
        status=400 if wrong else 200,
        path="/settings",
        **{"zone": zone_at(visit.now, home).key, "shared_with": "", **typed},
        zones=zones_by_place(),
        clock=f"{local_time(visit.now, home):%H:%M}",
        languages=languages(),
        chosen=store.people.language(visit.user.id) or "",
        messages=_messages(visit),
        backup=backup(visit),
        has_password=access.has_password(store, visit.user),
        local=visit.app.local,
        password_chars=(access.PASSWORD_MIN_CHARS, access.PASSWORD_MAX_CHARS),
        passkeys=_passkeys(visit),
        shares={"given": store.shares.given(visit.user.id), "received": store.shares.received(visit.user.id)},
        all_meters=tuple(Meter),
        identities=store.credentials.identities(visit.user.id),
        provider="" if visit.app.provider is None else visit.app.provider.host,
        protected=store.credentials.is_protected(visit.user.id),
        tokens=[
            {"id": one.id, "name": one.name, "made": _day(visit, one.made_at)}
            for one in store.access.tokens(visit.user.id)
        ],
        tools=_tools(visit),
        saved=words(SAVED.get(saved, "")),
        saved_in=SECTIONS.get(saved, saved),
        wrong=wrong or {},
        sent=sent,
        token=token,
    )


def _passkeys(visit: Visit) -> list[dict[str, Any]]:
    return [
        {
            "id": passkey.id,
            "name": passkey.name,
            "host": passkey.host,
            "made": _day(visit, passkey.made_at),
            "used": None if passkey.used_at is None else _day(visit, passkey.used_at),
        }
        for passkey in visit.bridge.store.credentials.passkeys(visit.user.id)
    ]


def _messages(visit: Visit) -> dict[str, Any]:
    body = notifications_document(visit.bridge, visit.user, visit.now)
    store, vault, always = visit.bridge.store, visit.bridge.vault, visit.bridge.guard.quiet
    devices = notify.devices_of(store, vault, visit.user.id)
    return {
        "on": body["on"],
        "devices": [{"mark": web_push.mark(device), "name": device.name or _("A browser")} for device in devices],
        "events": body["events"],
        "sent": body["sent"],
        "unsent": [_unsent(visit, one) for one in body["unsent"][:UNSENT_SHOWN]],
        "slots": [
            {
                "name": slot.name,
                "title": words(SLOT_TITLES[slot]),
                "hours": words(HOURS[slot]),
                "always": slot in always,
                "quiet": slot in always or slot.name in body["quiet"],
            }
            for slot in Slot
        ],
    }


def _unsent(visit: Visit, one: UnsentDocument) -> str:
    at = date_text(visit.local(datetime.fromisoformat(one["at"])), "%a %-d %b %H:%M")
    state, why = one["state"], one["reason"]
    return f"{at} {words(STATE_WORDS.get(state, state))}: {_(why)}"


def _tools(visit: Visit) -> list[dict[str, Any]]:
    return [
        {**row, "since": row["since"] and _day(visit, datetime.fromisoformat(row["since"]))}
        for row in assistants.consent_rows(visit.bridge.store, visit.user)
    ]


def _day(visit: Visit, at: datetime) -> str:
    return date_text(visit.local(at), "%-d %b %Y")
