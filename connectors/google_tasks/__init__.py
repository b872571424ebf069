"""Google Tasks, read only: lists and their tasks with due dates and completions, followed by their time of change."""

from bridge.google import SETTINGS
from bridge.ports import ConnectorSpec, Setting

SPEC = ConnectorSpec(
    name="google_tasks",
    title="Google Tasks (API v1)",
    delivers=frozenset({"tasks"}),
    streams=("list", "task"),
    cursor_version=2,
    normaliser="connectors.google_tasks.normalise:normalise",
    settings=(
        Setting(name="base_url", help="the API's address", default="https://tasks.googleapis.com"),
        *SETTINGS,
    ),
    opens="connectors.google_tasks.client:GoogleTasks",
    authorises="connectors.google_tasks.consent:authorise",
    revokes="connectors.google_tasks.consent:revoke",
)
