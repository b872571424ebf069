"""Connect Withings by its public API, version 2, documented at https://developer.withings.com/api-reference."""

from bridge.domain.languages import say
from bridge.domain.metrics import Metric
from bridge.domain.ports import ConnectorSpec, Envelope, OAuth, Registration, Setting, client_settings
from bridge.domain.shareable import Shareable
from connectors.payload import SECONDS, SHARE, Table

SLEEP: Table = {  # figures of a sleep, a nap's too
    Metric.ASLEEP: ("data.total_sleep_time", SECONDS),
    Metric.AWAKE: ("data.wakeupduration", SECONDS),
    Metric.LIGHT_SLEEP: ("data.lightsleepduration", SECONDS),
    Metric.DEEP_SLEEP: ("data.deepsleepduration", SECONDS),
    Metric.REM_SLEEP: ("data.remsleepduration", SECONDS),
}
NIGHT: Table = {  # of a main sleep alone
    Metric.RESTING_HR: "data.hr_average",
    Metric.RESPIRATORY_RATE: "data.rr_average",
    Metric.SLEEP_EFFICIENCY: ("data.sleep_efficiency", SHARE),
    Metric.SLEEP_SCORE: "data.sleep_score",
}
ACTIVITY: Table = {  # of a civil day
    Metric.STEPS: "steps",
    Metric.ACTIVE_ENERGY: "calories",
    Metric.TOTAL_ENERGY: "totalcalories",
}

SHAREABLE = Shareable(
    parts="body series activities data",
    measures=(
        "status offset deepsleepduration lightsleepduration remsleepduration wakeupduration total_sleep_time "
        "total_timeinbed sleep_efficiency sleep_latency sleep_score hr_average rr_average calories totalcalories steps "
        "distance"
    ),
    flags="more",
    instants="startdate enddate modified",
    walls="date",
    zones="timezone",
    names="id",
    path="v2 sleep measure",
)

SPEC = ConnectorSpec(
    name="withings",
    title=say("Withings"),
    delivers=frozenset({"episodes"}).union(SLEEP, NIGHT, ACTIVITY),
    streams=("sleep", "activity"),
    normaliser="connectors.withings.client:normalise",
    settings=(
        Setting(name="base_url", help="the API's address", default="https://wbsapi.withings.net"),
        Setting(name="consent_url", help="the consent page's address", default="https://account.withings.com"),
        *client_settings("your Withings application"),
        Setting(name="port", help="the port of your application's redirect http://127.0.0.1:PORT/", default="8767"),
        Setting(name="days", help="how many days back the first sync reads", default="365", whole=True),
    ),
    oauth=OAuth(
        authorise_url="{consent_url}/oauth2_user/authorize2",
        token_url="{base_url}/v2/oauth2",  # noqa: S106 - an address
        scopes=("user.activity",),
        scope_separator=",",
        redirect="http://127.0.0.1:{port}/",
        token_parameters={"action": "requesttoken"},
        envelope=Envelope(meanings={401: 401, 503: 400, 601: 429, 2554: 503, 2555: 503}),  # 503: invalid parameters
    ),
    registration=Registration(
        address="https://developer.withings.com",
        steps=(
            say("Log in, and create an application for the public API."),
            say("Copy the redirect address from below into its callback address."),
            say("Copy the client's id and secret into the fields below."),
        ),
    ),
    opens="connectors.withings.client:Client",
    shareable=SHAREABLE,
    authorises="connectors.withings.client:authorise",
    revokes="connectors.withings.client:revoke",
    notices="connectors.withings.webhook:notice",
    watches="connectors.withings.webhook:watch",
    secret_hooks=True,
    shares_limit=True,
    rate=120 / 60,  # 120 requests a minute for an application
)
