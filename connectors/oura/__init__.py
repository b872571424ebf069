"""Connect Oura by its API v2 or by files, with sleep, scores, activity, heart rate, blood oxygen and workouts."""

from bridge.domain.languages import say
from bridge.domain.metrics import Metric
from bridge.domain.ports import ConnectorSpec, OAuth, Registration, Revocation, Setting, client_settings
from bridge.domain.shareable import Shareable
from connectors.payload import SECONDS, Table

SLEEP: Table = {
    Metric.ASLEEP: ("total_sleep_duration", SECONDS),
    Metric.IN_BED: ("time_in_bed", SECONDS),
    Metric.AWAKE: ("awake_time", SECONDS),
    Metric.LIGHT_SLEEP: ("light_sleep_duration", SECONDS),
    Metric.DEEP_SLEEP: ("deep_sleep_duration", SECONDS),
    Metric.REM_SLEEP: ("rem_sleep_duration", SECONDS),
    Metric.SLEEP_EFFICIENCY: "efficiency",
    Metric.SLEEP_LATENCY: ("latency", SECONDS),
}
NIGHT: Table = {
    Metric.HRV_RMSSD: "average_hrv",  # an RMSSD
    Metric.RESTING_HR: "lowest_heart_rate",
    Metric.RESPIRATORY_RATE: "average_breath",
}
DAILY: dict[str, Table] = {
    "daily_sleep": {Metric.SLEEP_SCORE: "score"},
    "daily_readiness": {Metric.RECOVERY_SCORE: "score", Metric.SKIN_TEMPERATURE_DELTA: "temperature_deviation"},
    "daily_activity": {
        Metric.STEPS: "steps",
        Metric.ACTIVE_ENERGY: "active_calories",
        Metric.TOTAL_ENERGY: "total_calories",
    },
    "daily_spo2": {Metric.SPO2: "spo2_percentage.average"},
    "daily_stress": {},  # seconds of a day, which no metric counts: kept for later
}
WORKOUT: Table = {Metric.ACTIVE_ENERGY: "calories", Metric.DISTANCE: "distance"}
BULKY = frozenset({"movement_30_sec", "met", "class_5_min"})  # thousands of values that no metric is made of

SHAREABLE = Shareable(
    parts="data contributors heart_rate heart_rate_variability hrv met readiness spo2_percentage",
    measures=(
        "total_sleep_duration time_in_bed awake_time light_sleep_duration deep_sleep_duration "
        "rem_sleep_duration efficiency latency average_hrv lowest_heart_rate average_heart_rate "
        "average_breath score temperature_deviation temperature_trend_deviation steps active_calories "
        "total_calories target_calories average average_met_minutes equivalent_walking_distance "
        "high_activity_time medium_activity_time low_activity_time sedentary_time resting_time non_wear_time "
        "period restless_periods readiness_score_delta sleep_score_delta recovery_high stress_high bpm "
        "calories distance breathing_disturbance_index interval items motion_count hrv_balance deep_sleep "
        "body_temperature rem_sleep restfulness timing total_sleep resting_heart_rate stay_active"
    ),
    flags="low_battery_alert",
    instants="bedtime_start bedtime_end start_datetime end_datetime timestamp",
    walls="day",
    names="id next_token",
    sports="activity",
    words={
        "type": "deleted sleep long_sleep late_nap rest breathing meditation nap relaxation body_status",
        "intensity": "easy moderate hard",
        "source": "awake rest sleep session live workout manual autodetected confirmed workout_heart_rate",
        "sleep_algorithm_version": "v1 v2",
    },
    path=(
        "v2 usercollection sleep daily_sleep daily_readiness daily_activity daily_spo2 daily_stress heartrate workout "
        "session"
    ),
)

SPEC = ConnectorSpec(
    name="oura",
    title=say("Oura (API v2 and files)"),
    delivers=frozenset({"episodes", Metric.HEART_RATE, Metric.MINDFUL, Metric.NOTED}).union(
        SLEEP, NIGHT, WORKOUT, *DAILY.values()
    ),
    streams=("sleep", *DAILY, "heartrate", "workout", "session"),
    called={
        "daily_sleep": "sleep scores",
        "daily_readiness": "readiness",
        "daily_activity": "activity",
        "daily_spo2": "blood oxygen",
        "daily_stress": "stress",
        "heartrate": "heart rate",
        "workout": "workouts",
        "session": "sessions",
    },
    normaliser_version=5,
    normaliser="connectors.oura.normalise:normalise",
    settings=(
        Setting(name="base_url", help="the API's address", default="https://api.ouraring.com"),
        Setting(name="consent_url", help="the consent page's address", default="https://cloud.ouraring.com"),
        *client_settings("your Oura application"),
        Setting(name="port", help="the port of your application's redirect http://127.0.0.1:PORT/", default="8765"),
        Setting(name="days", help="how many days back the first sync reads", default="365", whole=True),
    ),
    oauth=OAuth(
        authorise_url="{consent_url}/oauth/authorize",
        token_url="{base_url}/oauth/token",  # noqa: S106 - an address
        # As live accounts show them, not as published: github.com/oomol-lab/open-connector/pull/393
        scopes=("daily", "heartrate", "workout", "session", "spo2"),
        redirect="http://127.0.0.1:{port}/",
        revocation=Revocation(address="{base_url}/oauth/revoke?access_token={access_token}"),
    ),
    rmssd_error=0.06,  # Dial 2025, 536 nights
    registration=Registration(
        address="https://cloud.ouraring.com/oauth/applications",
        steps=(
            say("Log in. Then New Application, with any name, website and e-mail address."),
            say("Copy the redirect address and the scopes from below into it."),
            say("Copy Client ID and Client Secret into the fields below."),
        ),
    ),
    opens="connectors.oura.client:Oura",
    shareable=SHAREABLE,
    authorises="connectors.oura.client:authorise",
    revokes="connectors.oura.client:revoke",
    recognises="connectors.oura.files:recognise",
    reads="connectors.oura.files:read",
    file_settings=(
        Setting(
            name="tags",
            help="yes reads the tags of files as private notes, without their comments; no leaves them unread",
            default="no",
            personal=True,
        ),
    ),
    leaves_out={r"(^|/)App Data/": "parts of Oura's account export that are not used"},
    dated_by_content=True,
    lasting=frozenset({"sleep", *DAILY, "heartrate"}),  # a night or day may come in pieces, from several files
)
