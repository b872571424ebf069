"""Connect WHOOP by its API v2 (cycles, sleeps, recoveries, workouts) or by the data export that a member downloads."""

from bridge.domain.languages import say
from bridge.domain.metrics import NIGHT_MINUTES, metrics_of
from bridge.domain.ports import ConnectorSpec, OAuth, Registration, Revocation, Setting, client_settings
from bridge.domain.shareable import Shareable

SHAREABLE = Shareable(
    parts="records score stage_summary sleep_needed zone_durations",
    measures=(
        "strain kilojoule average_heart_rate max_heart_rate percent_recorded distance_meter altitude_gain_meter "
        "altitude_change_meter recovery_score resting_heart_rate hrv_rmssd_milli spo2_percentage skin_temp_celsius "
        "respiratory_rate sleep_performance_percentage sleep_consistency_percentage sleep_efficiency_percentage "
        "total_in_bed_time_milli total_awake_time_milli total_no_data_time_milli total_light_sleep_time_milli "
        "total_slow_wave_sleep_time_milli total_rem_sleep_time_milli sleep_cycle_count disturbance_count "
        "baseline_milli need_from_sleep_debt_milli need_from_recent_strain_milli need_from_recent_nap_milli "
        "zone_zero_milli zone_one_milli zone_two_milli zone_three_milli zone_four_milli zone_five_milli"
    ),
    flags="nap user_calibrating",
    instants="created_at updated_at start end",
    offsets="timezone_offset",
    names="id cycle_id sleep_id user_id next_token",
    sports="sport_name",
    words={"score_state": "SCORED PENDING_SCORE UNSCORABLE"},
    path="developer v2 cycle activity sleep recovery workout",
    asks="limit",
)

SPEC = ConnectorSpec(
    name="whoop",
    title=say("WHOOP (API v2 and data export)"),
    delivers=frozenset({"episodes", *NIGHT_MINUTES})
    | metrics_of(
        "hrv_rmssd resting_hr respiratory_rate spo2 skin_temperature recovery_score strain total_energy heart_rate "
        "distance sleep_need sleep_efficiency sleep_consistency sleep_score noted"
    ),
    streams=("cycle", "sleep", "recovery", "workout", "history"),
    called={"cycle": "cycles", "workout": "workouts"},
    normaliser_version=2,
    normaliser="connectors.whoop.normalise:normalise",
    lasting=frozenset({"sleep", "export_sleep", "export_cycle"}),  # recoveries and cycles are read with their sleep
    settings=(
        Setting(name="base_url", help="the API's address", default="https://api.prod.whoop.com"),
        *client_settings("your WHOOP developer app"),
        Setting(
            name="redirect_uri",
            help="a redirect address registered with your WHOOP developer app",
            default="http://localhost:8764/",
        ),
    ),
    oauth=OAuth(  # the client's secret in the body, no PKCE; access for an hour, refresh tokens rotate
        authorise_url="{base_url}/oauth/oauth2/auth",
        token_url="{base_url}/oauth/oauth2/token",  # noqa: S106 - an address
        scopes=("read:recovery", "read:cycles", "read:workout", "read:sleep", "offline"),  # neither profile nor body
        redirect="{redirect_uri}",  # as registered: https://developer.whoop.com/docs/developing/getting-started
        refresh_scope="offline",
        revocation=Revocation(address="{base_url}/developer/v2/user/access", method="DELETE"),
    ),
    rmssd_error=0.082,  # Dial 2025, 536 nights
    registration=Registration(
        address="https://developer-dashboard.whoop.com",
        steps=(
            say("Log in with your WHOOP account. Make a team if it asks for one."),
            say("Create App. Any name, and your e-mail address."),
            say("Copy the redirect address and the scopes from below into it."),
            say("Copy Client ID and Client Secret into the fields below."),
        ),
    ),
    opens="connectors.whoop.client:Whoop",
    shareable=SHAREABLE,
    authorises="connectors.whoop.client:authorise",
    revokes="connectors.whoop.client:revoke",
    notices="connectors.whoop.client:notice",
    shares_limit=True,
    rate=100 / 60,  # 100 a minute for an application; the 10,000 a day follow from its answers
    recognises="connectors.whoop.export:recognise",
    reads="connectors.whoop.export:read",
    leaves_out={
        r"(^|/)Health/(metrics|cycles|recoveries|workouts|journal)[^/]*\.csv$": "other files of WHOOP's data request"
    },
    file_settings=(
        Setting(
            name="journal",
            help="yes reads the answers of the export's journal as private notes; no leaves them unread",
            default="no",
            personal=True,
        ),
    ),
    dated_by_content=True,
)
