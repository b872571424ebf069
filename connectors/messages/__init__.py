"""Connect a CSV file of daily counts of people messaged and of messages. A file with other columns is refused."""

from bridge.domain.languages import say
from bridge.domain.metrics import Metric
from bridge.domain.ports import ConnectorSpec

SPEC = ConnectorSpec(
    name="messages",
    title=say("message counts (CSV: date, contacts, messages)"),
    delivers=frozenset({Metric.CONTACTS, Metric.MESSAGES}),
    streams=("day",),
    normaliser="connectors.messages.files:normalise",
    lasting=frozenset({"day"}),  # files add to a day,
    recognises="connectors.messages.files:recognise",
    reads="connectors.messages.files:read",
    dated_by_content=True,
)
