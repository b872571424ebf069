"""Connect Microsoft To Do through Microsoft Graph, and read lists, tasks, due dates and completions."""

from bridge.domain.languages import say
from bridge.domain.ports import ConnectorSpec
from connectors.microsoft.consent import REGISTRATION, SETTINGS, oauth

SPEC = ConnectorSpec(
    name="microsoft_todo",
    title=say("Microsoft To Do (Graph)"),
    delivers=frozenset({"tasks"}),
    streams=("list", "task"),
    normaliser="connectors.microsoft.todo.normalise:normalise",
    settings=SETTINGS,
    oauth=oauth("Tasks.Read"),
    registration=REGISTRATION,
    consent_scopes=("Tasks.Read",),
    opens="connectors.microsoft.todo.client:MicrosoftToDo",
    shareable="connectors.microsoft.todo.shareable:SHAREABLE",
    authorises="connectors.microsoft.todo.client:authorise",
)
