"""List devices, calendars and files that a person may have, each with its ways of connecting, the shortest first."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from bridge.domain.languages import say
from bridge.domain.ports import ConnectorSpec

DROP = say("Drop the file below, as it is. A zip may stay zipped.")
PASTE = say("Paste the address below, and click Connect.")
COPY = say("Copy the address. Whoever has it can read the calendar, so give it to nothing else.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A way to get a source's data, step by step. ``by`` tells if it is a ``file``, an ``account`` or a ``push``."""

    source: str
    title: str
    steps: tuple[str, ...]
    by: Literal["file", "account", "push"] = "file"
    links: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """A device, calendar or file that a person may have, with the ways to connect it, the shortest first."""

    name: str
    title: str
    hint: str
    ways: tuple[Way, ...]
    missing: str = ""  # what to say where no way is installed

    def ways_of(self, sources: Collection[str]) -> list[Way]:
        """Return the ways whose source is in ``sources``, the shortest first."""
        return [way for way in self.ways if way.source in sources]


def address(title: str, *steps: str, links: tuple[tuple[str, str], ...] = ()) -> Way:
    """Return the way to connect a calendar by its secret address, which needs no account with a developer.

    ``steps`` say how to get the address, and ``links`` are (name, address) of pages that they name.
    """
    return Way(source="ics", by="account", title=title, steps=(*steps, COPY, PASTE), links=links)


def live(source: str, title: str, *steps: str, links: tuple[tuple[str, str], ...] = ()) -> Way:
    """Return the way to connect an account at ``source``, from which new data come by themselves.

    ``steps`` tell how, and ``links`` are (name, address) of pages that they name.
    """
    return Way(source=source, by="account", title=title, steps=steps, links=links)


OWN_APP = say("Click Connect. What the vendor wants of you is shown step by step, and asked for once.")

THINGS = (
    Thing(
        name="whoop",
        title=say("WHOOP"),
        hint=say("its data export"),
        ways=(
            Way(
                source="whoop",
                title=say("The data export, with your whole history"),
                steps=(
                    say("In the WHOOP app: More, App Settings, Data Export."),
                    say("WHOOP sends an e-mail, “Your WHOOP Export is Ready”. Download the zip."),
                    DROP,
                ),
            ),
            live("whoop", say("New nights by themselves, with an app of your own"), OWN_APP),
        ),
    ),
    Thing(
        name="garmin",
        title=say("Garmin"),
        hint=say("a key of yours, or the account export"),
        ways=(
            live(
                "garmin",
                say("New days by themselves, with a key that Garmin gives you"),
                say("Open Garmin's page for your personal token and log in."),
                say("Make a key and choose how long it lasts. It is shown once: copy it."),
                say("Click Connect and paste the key."),
                links=((say("Garmin's page"), "https://connect.garmin.com/app/settings/personalApiToken"),),
            ),
            Way(
                source="garmin",
                title=say("The account export, with your whole history"),
                steps=(
                    say("On garmin.com, open your account, Data Management, Export Your Data."),
                    say("Wait for the e-mail, which takes days. Download the zip."),
                    DROP,
                ),
            ),
        ),
    ),
    Thing(
        name="oura",
        title=say("Oura"),
        hint=say("its export, or your account there"),
        ways=(
            Way(
                source="oura",
                title=say("The account export, with your whole history"),
                steps=(
                    say("Open Oura's Membership Hub and log in."),
                    say("Under Export Data, click Request Your Data."),
                    say("Wait for the e-mail, which takes days. Download the zip there."),
                    DROP,
                ),
                links=((say("Membership Hub"), "https://membership.ouraring.com"),),
            ),
            live("oura", say("New nights by themselves, with an application of your own"), OWN_APP),
        ),
    ),
    Thing(
        name="fitbit",
        title=say("Fitbit"),
        hint=say("also Pixel Watch"),
        ways=(
            Way(
                source="fitbit",
                title=say("The files of Google Takeout, with your whole history"),
                steps=(
                    say("Open Google Takeout and log in with the account of your watch."),
                    say("Click Deselect all, then tick Google Health, which was called Fitbit before."),
                    say("Next step, Export once, .zip, Create export."),
                    say("Wait for Google's e-mail, which takes hours. Download the zip."),
                    DROP,
                ),
                links=((say("Google Takeout"), "https://takeout.google.com"),),
            ),
            live("google_health", say("New days by themselves, through Google"), OWN_APP),
        ),
        missing=say("Fitbit is not read yet."),
    ),
    Thing(
        name="polar",
        title=say("Polar"),
        hint=say("your account there, with a free key"),
        ways=(live("polar", say("New nights and workouts by themselves, with an application of your own"), OWN_APP),),
    ),
    Thing(
        name="withings",
        title=say("Withings"),
        hint=say("your account there, with a free key"),
        ways=(live("withings", say("New nights and days by themselves, with an application of your own"), OWN_APP),),
    ),
    Thing(
        name="apple",
        title=say("Apple"),
        hint=say("iPhone or Apple Watch"),
        ways=(
            Way(
                source="apple_health",
                title=say("The export of the Health app"),
                steps=(
                    say("On the iPhone, open Health and tap your picture at the top right."),
                    say("Tap Export All Health Data, then Export. This takes minutes."),
                    say(
                        "Save export.zip where this device reaches it, such as in iCloud Drive, or send it by AirDrop."
                    ),
                    DROP,
                ),
            ),
            Way(
                source="health_auto_export",
                by="push",
                title=say("Every day by itself, with the app Health Auto Export"),
                steps=(
                    say("Click Let an app send, and keep the token that is shown once."),
                    say("In the app: Automations, New Automation, REST API. Type the address and the header shown."),
                    say("Choose JSON, grouped by day or less, and run it once by hand."),
                ),
            ),
        ),
    ),
    Thing(
        name="android",
        title=say("Android"),
        hint=say("Health Connect, or a Samsung"),
        ways=(
            Way(
                source="samsung_health",
                title=say("The data of Samsung Health, with your whole history"),
                steps=(
                    say("In Samsung Health, open Settings and tap Download personal data, at the very bottom."),
                    say("Log in with your Samsung account. The folder lies in the phone's Download folder."),
                    say("Zip the folder in My Files and bring the zip to this device."),
                    DROP,
                ),
            ),
            Way(
                source="health_connect",
                by="push",
                title=say("Every hour by itself, with a free app that sends Health Connect"),
                steps=(
                    say("Click Let an app send, and keep the token that is shown once."),
                    say("Install HC Webhook from the Play Store, choose the types of data, and grant the permissions."),
                    say("Under Webhook URLs, add the address and the header shown, and tap Test Webhook."),
                ),
            ),
            live("google_health", say("New days by themselves, through Google"), OWN_APP),
        ),
        missing=say("Health Connect is not read yet."),
    ),
    Thing(
        name="google",
        title=say("Google"),
        hint=say("calendar and tasks"),
        ways=(
            address(
                say("The calendar's secret address"),
                say("Open Google Calendar on a computer."),
                say("Choose Settings and sharing of your calendar, then Integrate calendar."),
                say("Find Secret address in iCal format."),
                links=((say("Google Calendar"), "https://calendar.google.com"),),
            ),
            live("google_calendar", say("Every change at once, with a client of your own"), OWN_APP),
            live("google_tasks", say("The tasks of Google Tasks, with the same client"), OWN_APP),
        ),
    ),
    Thing(
        name="icloud",
        title=say("iCloud"),
        hint=say("calendar"),
        ways=(
            live(
                "caldav",
                say("Your calendars, with a password for this app alone"),
                say("Open account.apple.com, Sign-In and Security, App-Specific Passwords, and make one."),
                say(
                    "Click Connect. The server is https://caldav.icloud.com, and the name is "
                    "your e-mail address at Apple."
                ),
                links=((say("Apple's page"), "https://account.apple.com"),),
            ),
            address(
                say("A public address of one calendar"),
                say("Open icloud.com, Calendar, and click the share symbol right of the calendar's name."),
                say("Choose Public Calendar."),
                links=((say("iCloud"), "https://www.icloud.com/calendar"),),
            ),
        ),
    ),
    Thing(
        name="outlook",
        title=say("Outlook"),
        hint=say("Outlook.com or Microsoft 365"),
        ways=(
            address(
                say("A published address of the calendar"),
                say("Open Outlook on the web: Settings, Calendar, Shared calendars."),
                say("Under Publish a calendar choose your calendar and Can view all details, then Publish."),
                say("Find the ICS link."),
                links=((say("Outlook"), "https://outlook.live.com/calendar"),),
            ),
            live("microsoft_calendar", say("Every change at once, with an application of your own"), OWN_APP),
            live("microsoft_todo", say("The tasks of Microsoft To Do"), OWN_APP),
        ),
    ),
    Thing(
        name="calendar",
        title=say("Another calendar"),
        hint=say("Nextcloud, Fastmail and others"),
        ways=(
            live(
                "caldav",
                say("By CalDAV"),
                say("Click Connect, and type the server, your name and a password for this app."),
            ),
            address(
                say("A secret address"),
                say("Look for share or publish, and for a link that is called iCal or ICS."),
            ),
            Way(source="ics", title=say("An .ics file that it exports"), steps=(DROP,)),
        ),
    ),
    Thing(
        name="activitywatch",
        title=say("ActivityWatch"),
        hint=say("focus at the computer"),
        ways=(
            Way(
                source="activitywatch",
                title=say("A file that it exports"),
                steps=(say("Open ActivityWatch, Raw Data, Export all buckets as JSON."), DROP),
            ),
            live(
                "activitywatch",
                say("New days by themselves, where it runs on the machine of the bridge"),
                say("Click Connect and type http://localhost:5600, which BRIDGE_ALLOW_HOSTS has to name."),
            ),
        ),
    ),
    Thing(
        name="todoist",
        title=say("Todoist"),
        hint=say("tasks, from a backup"),
        ways=(
            Way(
                source="todoist",
                title=say("A backup of all projects"),
                steps=(say("In Todoist: Settings, Backups. Download the newest."), DROP),
            ),
        ),
    ),
    Thing(
        name="taskwarrior",
        title=say("Taskwarrior"),
        hint=say("tasks"),
        ways=(
            Way(
                source="taskwarrior",
                title=say("A file that it exports"),
                steps=(say("In the terminal: task export > tasks.json"), DROP),
            ),
        ),
    ),
    Thing(
        name="messages",
        title=say("Messages"),
        hint=say("how many people you wrote to"),
        ways=(
            Way(
                source="messages",
                title=say("A table of counts, without any message"),
                steps=(
                    say("Make a CSV file with the columns date, contacts and messages, and a row for each day."),
                    say("Contacts are the people you wrote to that day, messages how many you sent."),
                    DROP,
                ),
            ),
        ),
    ),
    Thing(
        name="home_assistant",
        title=say("Home Assistant"),
        hint=say("health sensors of its phone apps"),
        ways=(
            live(
                "home_assistant",
                say("New days by themselves, from your own Home Assistant"),
                say("In its app on your phone: Settings, Companion app, Sensors. Switch on the health sensors."),
                say("In Home Assistant click your name, Security, and at the end Create token."),
                say(
                    "Click Connect, and type the address and the token. BRIDGE_ALLOW_HOSTS has to name a host at home."
                ),
                links=((say("Home Assistant"), "https://my.home-assistant.io/redirect/profile/"),),
            ),
        ),
    ),
    Thing(
        name="file",
        title=say("A file"),
        hint=say("any export or .ics file"),
        ways=(),
        missing=say("Drop it below. What it is, is recognised by its content."),
    ),
)


def things(specs: Iterable[ConnectorSpec]) -> tuple[Thing, ...]:
    """Return everything that a person may have and connect, with "A file" last.

    It is the list ``THINGS`` and the sources of ``specs`` that are not in it, if they have OAuth or read files.
    """
    named = {way.source for thing in THINGS for way in thing.ways}
    found = [_thing_of(spec) for spec in specs if spec.name not in named]
    return (*THINGS[:-1], *(thing for thing in found if thing.ways), THINGS[-1])


def _thing_of(spec: ConnectorSpec) -> Thing:
    account = live(spec.name, say("New nights and days by themselves, with an application of your own"), OWN_APP)
    file = Way(source=spec.name, title=say("A file that it exports"), steps=(DROP,))
    ways = [way for way, offered in ((account, spec.oauth), (file, spec.reads)) if offered]
    hint = say("your account there, with a free key") if spec.oauth else say("its data export")
    return Thing(name=spec.name, title=spec.title, hint=hint, ways=tuple(ways))
