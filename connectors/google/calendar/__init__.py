"""Connect Google Calendar. Changes are found by sync tokens, and series and exceptions kept as Google states them.

The bridge writes only a calendar of its own, with accepted recommendations, if the user wants.
"""

from bridge.domain.languages import say
from bridge.domain.ports import ConnectorSpec, Setting
from bridge.domain.shareable import Shareable
from connectors.google.auth import GOOGLE_SETTINGS, REGISTRATION

SHAREABLE = Shareable(
    parts="items start end originalStartTime organizer attendees conferenceData conferenceSolution key",
    flags="primary selected hidden deleted self resource attendeesOmitted",
    instants="dateTime updated",
    walls="date",
    zones="timeZone",
    names="id iCalUID recurringEventId nextPageToken nextSyncToken",
    rules="recurrence",
    words={
        "accessRole": "owner writer reader freeBusyReader",
        "status": "confirmed tentative cancelled",
        "transparency": "opaque transparent",
        "visibility": "default public private confidential",
        "responseStatus": "needsAction declined tentative accepted",
        "eventType": "default focusTime outOfOffice workingLocation birthday fromGmail",
        "type": "hangoutsMeet addOn eventHangout eventNamedHangout",
    },
    endings=(
        "#holiday@group.v.calendar.google.com #contacts@group.v.calendar.google.com #sports@group.v.calendar.google.com"
    ),
    path="calendar v3 calendars events users me calendarList",
    asks="alt fields maxResults singleEvents",
)

SPEC = ConnectorSpec(
    name="google_calendar",
    title=say("Google Calendar (API v3)"),
    delivers=frozenset({"events"}),
    streams=("calendar", "event"),
    normaliser="connectors.google.calendar.normalise:normalise",
    normaliser_version=3,
    cursor_version=3,
    settings=(
        Setting(name="base_url", help="the API's address", default="https://www.googleapis.com"),
        *GOOGLE_SETTINGS,
    ),
    registration=REGISTRATION,
    consent_scopes=("https://www.googleapis.com/auth/calendar.readonly",),
    opens="connectors.google.calendar.client:GoogleCalendar",
    shareable=SHAREABLE,
    authorises="connectors.google.calendar.calendars:authorise",
    revokes="connectors.google.auth:revoke",
    notices="connectors.google.calendar.channels:notice",
    watches="connectors.google.calendar.channels:watch",
    writes="connectors.google.calendar.write:write",
)
