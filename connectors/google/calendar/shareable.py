"""State which fields of Google Calendar's answers a redacted recording may hold."""

from bridge.domain.shareable import Shareable

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
