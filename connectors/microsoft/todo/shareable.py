"""State which fields of Microsoft To Do's answers a redacted recording may hold."""

from bridge.domain.shareable import Shareable

SHAREABLE = Shareable(
    parts="value dueDateTime completedDateTime @removed",
    flags="isOwner isShared isReminderOn hasAttachments",
    instants="createdDateTime lastModifiedDateTime",
    walls="dateTime",
    zones="timeZone",
    names="id",
    links="@odata.nextLink @odata.deltaLink",
    words={
        "status": "notStarted inProgress completed waitingOnOthers deferred",
        "importance": "low normal high",
        "wellknownListName": "none defaultList flaggedEmails",
        "reason": "deleted changed",
    },
    path="me todo lists tasks delta",
)
