"""How many people one messaged each day, from a file of counts: never what was said, nor to whom."""

from bridge.metrics import Metric
from bridge.ports import ConnectorSpec

SPEC = ConnectorSpec(
    name="messages",
    title="message counts (CSV: date, contacts, messages)",
    delivers=frozenset({Metric.CONTACTS, Metric.MESSAGES}),
    streams=("day",),
    normaliser="connectors.messages.normalise:normalise",
    lasting=frozenset({"day"}),  # files add to a day,
    recognises="connectors.messages.files:recognise",
    reads="connectors.messages.files:read",
)
