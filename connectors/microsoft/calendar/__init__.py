"""Connect the calendars of Microsoft 365 and Outlook.com through Microsoft Graph, followed by delta queries.

Calendars are only read, except the bridge's own calendar. Accepted recommendations are written there if the user wants.
"""

from bridge.domain.languages import say
from bridge.domain.ports import ConnectorSpec
from connectors.microsoft.consent import REGISTRATION, SETTINGS, oauth

SPEC = ConnectorSpec(
    name="microsoft_calendar",
    title=say("Microsoft 365 calendar (Outlook, Graph)"),
    delivers=frozenset({"events"}),
    streams=("calendar", "event"),
    lasting=frozenset({"event"}),
    normaliser="connectors.microsoft.calendar.normalise:normalise",
    settings=SETTINGS,
    oauth=oauth("Calendars.Read"),
    registration=REGISTRATION,
    consent_scopes=("Calendars.Read",),
    opens="connectors.microsoft.calendar.client:MicrosoftCalendar",
    shareable="connectors.microsoft.calendar.shareable:SHAREABLE",
    authorises="connectors.microsoft.calendar.client:authorise",
    writes="connectors.microsoft.calendar.write:write",
)
