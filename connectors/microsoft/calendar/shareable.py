"""State which fields of Microsoft calendars' answers a redacted recording may hold."""

from bridge.domain.shareable import Shareable

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
