"""Define the source of what the user enters, which are ratings of life and meters, and notes such as "alcohol 2"."""

from bridge.domain.languages import say
from bridge.domain.metrics import Metric
from bridge.domain.ports import ConnectorSpec
from bridge.domain.samples import CHECK_INS

SPEC = ConnectorSpec(
    name="check_in",
    title=say("Check-ins (what you say of yourself)"),
    delivers=frozenset({*CHECK_INS.values(), Metric.NOTED}),
    streams=("answer", "note"),
    normaliser="connectors.check_in.normalise:normalise",
    lasting=frozenset({"answer", "note"}),  # nobody else has it,
)
