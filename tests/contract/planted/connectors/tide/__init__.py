"""Tide, a made-up ring whose API is like Withings', with ``status`` within the answers and zones by name."""

from bridge.domain.metrics import Metric
from bridge.domain.ports import ConnectorSpec, Envelope, OAuth, Revocation, Setting

SPEC = ConnectorSpec(
    name="tide",
    title="Tide ring",
    delivers=frozenset({"episodes", Metric.ASLEEP, Metric.SLEEP_EFFICIENCY, Metric.HEART_RATE}),
    streams=("night", "pulse"),
    normaliser="connectors.tide.client:normalise",
    settings=(
        Setting(name="base_url", help="the API's address", default="https://api.tide.example.com"),
        Setting(name="client_id", help="the client id"),
        Setting(name="client_secret", help="the client secret", secret=True),
    ),
    oauth=OAuth(
        authorise_url="{base_url}/authorize",
        token_url="{base_url}/token",
        scopes=("read", "sleep"),
        scope_separator=",",
        token_parameters={"action": "requesttoken"},
        envelope=Envelope(meanings={401: 401, 503: 400, 601: 429}),
        revocation=Revocation(address="{base_url}/revoke", form="token"),
    ),
    opens="connectors.tide.client:Tide",
    authorises="connectors.tide.client:authorise",
    revokes="connectors.tide.client:revoke",
    deletions_unknown={"pulse": "the list of what changed leaves out what was deleted"},
)
