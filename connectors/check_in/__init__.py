"""Define the source of check-ins, the scores that a user gives to life as a whole or to a meter. Nothing is fetched."""

from bridge.domain.languages import say
from bridge.domain.metrics import CHECK_INS
from bridge.domain.ports import ConnectorSpec

SPEC = ConnectorSpec(
    name="check_in",
    title=say("Check-ins (what you say of yourself)"),
    delivers=frozenset(CHECK_INS.values()),
    streams=("answer",),
    normaliser="connectors.check_in.normalise:normalise",
    lasting=frozenset({"answer"}),  # nobody else has it,
)
