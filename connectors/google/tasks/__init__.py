"""Connect Google Tasks and read lists, tasks, due dates and completions, followed by their time of change."""

from bridge.domain.languages import say
from bridge.domain.ports import ConnectorSpec, Setting
from connectors.google.auth import GOOGLE_SETTINGS, REGISTRATION

SPEC = ConnectorSpec(
    name="google_tasks",
    title=say("Google Tasks (API v1)"),
    delivers=frozenset({"tasks"}),
    streams=("list", "task"),
    cursor_version=2,
    normaliser="connectors.google.tasks.normalise:normalise",
    settings=(
        Setting(name="base_url", help="the API's address", default="https://tasks.googleapis.com"),
        *GOOGLE_SETTINGS,
    ),
    registration=REGISTRATION,
    consent_scopes=("https://www.googleapis.com/auth/tasks.readonly",),
    opens="connectors.google.tasks.client:GoogleTasks",
    shareable="connectors.google.tasks.shareable:SHAREABLE",
    authorises="connectors.google.tasks.client:authorise",
    revokes="connectors.google.auth:revoke",
)
