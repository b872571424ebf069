"""What a person says of themselves: a score from 1 to 5, of life as a whole or of one meter. Nothing is fetched."""

from bridge.metrics import CHECK_INS
from bridge.ports import ConnectorSpec

SPEC = ConnectorSpec(
    name="check_in",
    title="Check-ins (what you say of yourself)",
    delivers=frozenset(CHECK_INS.values()),
    streams=("answer",),
    normaliser="connectors.check_in.normalise:normalise",
    lasting=frozenset({"answer"}),  # nobody else has it,
)
