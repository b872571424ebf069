"""Connect iCalendar, from an exported file or a calendar's secret address."""

from bridge.domain.languages import say
from bridge.domain.ports import CA, ConnectorSpec, Setting

ADDRESSES = Setting(
    name="addresses",
    help="your own e-mail addresses, with commas between, by which your answers to invitations are found",
    default="",
    secret=True,
    personal=True,
)

SPEC = ConnectorSpec(
    name="ics",
    title=say("iCalendar (file or secret address)"),
    delivers=frozenset({"events", "tasks"}),
    streams=("event", "task"),
    normaliser_version=5,
    normaliser="connectors.icalendar.meaning:of_file",
    settings=(
        Setting(
            name="url",
            help="the calendar's secret address (asked for when empty)",
            default="",
            secret=True,
            personal=True,
            asked=say("Secret address of the calendar"),
        ),
        ADDRESSES,
        CA,
    ),
    opens="connectors.ics.client:Ics",
    authorises="connectors.ics.client:authorise",
    recognises="connectors.ics.files:recognise",
    reads="connectors.ics.files:read",
    file_settings=(ADDRESSES,),
    several=True,
    differs_by_file=True,
)
