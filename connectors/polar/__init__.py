"""Connect Polar by AccessLink v3 (www.polar.com/accesslink-api), with nights, recharges, activity and exercises."""

from bridge.domain.languages import say
from bridge.domain.metrics import Metric
from bridge.domain.ports import ConnectorSpec, OAuth, Registration, Setting, client_settings
from bridge.domain.shareable import Shareable
from connectors.payload import SECONDS, Table

STAGES: Table = {
    Metric.LIGHT_SLEEP: ("light_sleep", SECONDS),
    Metric.DEEP_SLEEP: ("deep_sleep", SECONDS),
    Metric.REM_SLEEP: ("rem_sleep", SECONDS),
}
SLEEP: Table = {Metric.AWAKE: ("total_interruption_duration", SECONDS)}
SCORES: Table = {Metric.SLEEP_SCORE: "sleep_score"}
# The status of a recharge counts from 1 to 6, and a recovery score from 0 to 100: the status is kept, and no metric.
RECHARGE: Table = {
    Metric.HRV_RMSSD: "heart_rate_variability_avg",  # an RMSSD
    Metric.RESTING_HR: "heart_rate_avg",
    Metric.RESPIRATORY_RATE: "breathing_rate_avg",
}
ACTIVITY: Table = {
    Metric.STEPS: "steps",
    Metric.ACTIVE_ENERGY: "active_calories",
    Metric.TOTAL_ENERGY: "calories",
}
EXERCISE: Table = {Metric.ACTIVE_ENERGY: "calories"}

SHAREABLE = Shareable(
    parts="nights recharges heart_rate",
    measures=(
        "continuity light_sleep deep_sleep rem_sleep unrecognized_sleep_stage total_interruption_duration sleep_score "
        "beat_to_beat_avg breathing_rate_avg heart_rate_avg heart_rate_variability_avg nightly_recharge_status "
        "active_calories calories steps duration distance average maximum"
    ),
    instants="sleep_start_time sleep_end_time",
    walls="date start_time end_time",
    offsets="start_time_utc_offset",
    names="id",
    sports="sport",
    path="v3 users sleep nightly-recharge activities exercises",
)

SPEC = ConnectorSpec(
    name="polar",
    title=say("Polar (AccessLink v3)"),
    delivers=frozenset({"episodes", Metric.ASLEEP, Metric.IN_BED}).union(
        STAGES, SLEEP, SCORES, RECHARGE, ACTIVITY, EXERCISE
    ),
    streams=("sleep", "nightly_recharge", "activities", "exercises"),
    called={"activities": "activity"},
    normaliser="connectors.polar.client:normalise",
    settings=(
        Setting(name="base_url", help="the API's address", default="https://www.polaraccesslink.com"),
        Setting(name="consent_url", help="the consent page's address", default="https://flow.polar.com"),
        Setting(name="token_url", help="the token server's address", default="https://polarremote.com"),
        *client_settings("your Polar application"),
        Setting(name="port", help="the port of your application's redirect http://127.0.0.1:PORT/", default="8766"),
        Setting(name="days", help="how many days of activity the first sync reads", default="365", whole=True),
    ),
    oauth=OAuth(
        authorise_url="{consent_url}/oauth2/authorization",
        token_url="{token_url}/v2/oauth2/token",  # noqa: S106 - an address
        scopes=("accesslink.read_all",),
        redirect="http://127.0.0.1:{port}/",
        basic=True,
    ),
    lasting=frozenset({"sleep"}),  # a recharge takes its time from its night
    rmssd_error=0.163,  # Dial 2025, 536 nights of a Grit X Pro
    registration=Registration(
        address="https://admin.polaraccesslink.com",
        steps=(
            say("Log in with your Polar Flow account."),
            say("Create a client. Any name, website and e-mail address."),
            say("Copy the redirect address from below into its callback address."),
            say("Copy Client ID and Client secret into the fields below."),
        ),
    ),
    opens="connectors.polar.client:Polar",
    shareable=SHAREABLE,
    authorises="connectors.polar.client:authorise",
    revokes="connectors.polar.client:revoke",
    notices="connectors.polar.webhook:notice",
    registers="connectors.polar.webhook:register",
)
