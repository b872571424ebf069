"""Connect the calendars of Microsoft 365 and Outlook.com through Microsoft Graph. Changes come by delta queries.

The bridge writes only a calendar of its own, with accepted recommendations, if the user wants.
"""

from bridge.domain.languages import say
from bridge.domain.ports import ConnectorSpec
from bridge.domain.shareable import Shareable
from connectors.microsoft.consent import REGISTRATION, SETTINGS, oauth

SHAREABLE = Shareable(
    parts="value start end attendees emailAddress organizer responseStatus location recurrence pattern range @removed",
    flags="isDefaultCalendar canEdit canShare isAllDay isCancelled isOrganizer isOnlineMeeting",
    instants="dateTime createdDateTime lastModifiedDateTime",
    zones="timeZone originalStartTimeZone originalEndTimeZone",
    names="id iCalUId seriesMasterId address",
    links="@odata.nextLink @odata.deltaLink",
    words={
        "@odata.type": "#microsoft.graph.event",
        "type": "singleInstance occurrence exception seriesMaster required optional resource",
        "sensitivity": "normal personal private confidential",
        "showAs": "free tentative busy oof workingElsewhere unknown",
        "response": "none organizer tentativelyAccepted accepted declined notResponded",
        "reason": "deleted changed",
    },
    path="me calendars calendarView delta events instances",
)

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
    shareable=SHAREABLE,
    authorises="connectors.microsoft.calendar.client:authorise",
    writes="connectors.microsoft.calendar.write:write",
)
