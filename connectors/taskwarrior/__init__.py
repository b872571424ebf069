"""Connect Taskwarrior by the file that ``task export`` writes."""

from bridge.domain.languages import say
from bridge.domain.ports import ConnectorSpec

SPEC = ConnectorSpec(
    name="taskwarrior",
    title=say("Taskwarrior (task export)"),
    delivers=frozenset({"tasks"}),
    streams=("task",),
    normaliser_version=2,
    normaliser="connectors.taskwarrior.files:normalise",
    recognises="connectors.taskwarrior.files:recognise",
    reads="connectors.taskwarrior.files:read",
    differs_by_file=True,
)
