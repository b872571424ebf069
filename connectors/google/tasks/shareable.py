"""State which fields of Google Tasks's answers a redacted recording may hold."""

from bridge.domain.shareable import Shareable

SHAREABLE = Shareable(
    parts="items",
    flags="deleted hidden",
    instants="completed updated",
    walls="due",
    names="id parent nextPageToken",
    words={"kind": "tasks#taskLists tasks#tasks", "status": "needsAction completed"},
    path="tasks v1 lists users @me",
    asks="alt fields maxResults showCompleted showHidden showDeleted showAssigned",
)
