"""Connect CalDAV servers (RFC 4791), such as Nextcloud, iCloud, Fastmail, Radicale, Xandikos and Baikal."""

from bridge.domain.languages import say
from bridge.domain.ports import CA, ConnectorSpec, Setting

SPEC = ConnectorSpec(
    name="caldav",
    title=say("CalDAV (Nextcloud, iCloud, Fastmail, Radicale)"),
    delivers=frozenset({"events", "tasks"}),
    streams=("entry",),
    called={"entry": "calendars"},
    normaliser="connectors.icalendar.meaning:of_server",
    normaliser_version=4,
    settings=(
        Setting(
            name="url",
            help="the server's address, asked for when empty",
            default="",
            personal=True,
            asked=say("Server address"),
        ),
        Setting(
            name="name",
            help="the login name there, asked for when empty",
            default="",
            personal=True,
            asked=say("Login name"),
        ),
        Setting(
            name="password",
            help="the app password there, asked for when empty",
            default="",
            secret=True,
            personal=True,
            asked=say("App password"),
        ),
        CA,
    ),
    opens="connectors.caldav.client:CalDav",
    authorises="connectors.caldav.client:authorise",
    writes="connectors.caldav.write:write",
)
