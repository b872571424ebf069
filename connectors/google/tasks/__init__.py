"""Connect Google Tasks, and read lists and tasks. Changes are found by their time."""

from bridge.domain.languages import say
from bridge.domain.ports import ConnectorSpec, Setting
from bridge.domain.shareable import Shareable
from connectors.google.auth import GOOGLE_SETTINGS, REGISTRATION

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

SPEC = ConnectorSpec(
    name="google_tasks",
    title=say("Google Tasks (API v1)"),
    delivers=frozenset({"tasks"}),
    streams=("list", "task"),
    cursor_version=2,
    normaliser="connectors.google.tasks.client:normalise",
    settings=(
        Setting(name="base_url", help="the API's address", default="https://tasks.googleapis.com"),
        *GOOGLE_SETTINGS,
    ),
    registration=REGISTRATION,
    consent_scopes=("https://www.googleapis.com/auth/tasks.readonly",),
    opens="connectors.google.tasks.client:GoogleTasks",
    shareable=SHAREABLE,
    authorises="connectors.google.tasks.client:authorise",
    revokes="connectors.google.auth:revoke",
)
