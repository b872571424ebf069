"""Connect Microsoft To Do through Microsoft Graph, and read lists, tasks, due dates and completions."""

from bridge.domain.languages import say
from bridge.domain.ports import ConnectorSpec
from bridge.domain.shareable import Shareable
from connectors.microsoft.consent import REGISTRATION, SETTINGS, oauth

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

SPEC = ConnectorSpec(
    name="microsoft_todo",
    title=say("Microsoft To Do (Graph)"),
    delivers=frozenset({"tasks"}),
    streams=("list", "task"),
    normaliser="connectors.microsoft.todo.client:normalise",
    settings=SETTINGS,
    oauth=oauth("Tasks.Read"),
    registration=REGISTRATION,
    consent_scopes=("Tasks.Read",),
    opens="connectors.microsoft.todo.client:MicrosoftToDo",
    shareable=SHAREABLE,
    authorises="connectors.microsoft.todo.client:authorise",
)
