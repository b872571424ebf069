"""Connect Todoist by its backups and exported files (CSV or JSON), with open tasks and, from JSON, completions."""

from bridge.domain.languages import say
from bridge.domain.ports import ConnectorSpec

SPEC = ConnectorSpec(
    name="todoist",
    title=say("Todoist (backup or export file)"),
    delivers=frozenset({"tasks"}),
    streams=("task",),
    normaliser_version=2,
    normaliser="connectors.todoist.normalise:normalise",
    recognises="connectors.todoist.files:recognise",
    reads="connectors.todoist.files:read",
    differs_by_file=True,
)
