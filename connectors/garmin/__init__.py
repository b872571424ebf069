"""Read Garmin by its Connect Personal API, from saved JSON of Garmin Connect, the account export, or FIT files."""

from bridge.domain.languages import say
from bridge.domain.metrics import NIGHT_MINUTES, metrics_of
from bridge.domain.ports import ConnectorSpec, Setting
from bridge.domain.shareable import Shareable

SHAREABLE = Shareable(
    parts=(
        "data hrvSummaries hrvSummary dailySleepDTO dailyNapDTOS sleepScores overall sleepNeed activityType "
        "heartRateValueDescriptors bodyBatteryValueDescriptorDTOList"
    ),
    measures=(
        "totalSteps totalDistanceMeters activeKilocalories totalKilocalories restingHeartRate moderateIntensityMinutes "
        "vigorousIntensityMinutes averageStressLevel sleepTimeSeconds napTimeSeconds napTimeSec deepSleepSeconds "
        "lightSleepSeconds remSleepSeconds awakeSleepSeconds unmeasurableSleepSeconds averageRespirationValue "
        "averageSpO2Value value actual baseline avgSkinTempDeviationC lastNightAvg lastNight5MinHigh index "
        "bodyBatteryValueDescriptorIndex averageHR averageSpeed calories distance duration elapsedDuration "
        "elevationGain steps heartRateValues bodyBatteryValuesArray"
    ),
    flags="includesWellnessData",
    instants=(
        "wellnessStartTimeGmt wellnessEndTimeGmt sleepStartTimestampGMT sleepEndTimestampGMT startTimestampGMT "
        "endTimestampGMT startTimeGMT createTimeStamp napStartTimestampGMT napEndTimestampGMT heartRateValues "
        "bodyBatteryValuesArray"
    ),
    walls=(
        "calendarDate date wellnessStartTimeLocal wellnessEndTimeLocal sleepStartTimestampLocal sleepEndTimestampLocal "
        "startTimestampLocal endTimestampLocal startTimeLocal"
    ),
    names="id activityId",
    sports="typeKey",
    words={
        "source": "GARMIN",
        "status": "NONE BALANCED UNBALANCED LOW POOR",
        "key": "timestamp heartrate",
        "bodyBatteryValueDescriptorKey": "timestamp bodyBatteryStatus bodyBatteryLevel bodyBatteryVersion",
        "bodyBatteryValuesArray": "MEASURED MODELED RESET",
    },
    path=(
        "usersummary-service v2 dailysummaries hrv-service hrv daily wellness-service wellness bodyBattery reports "
        "sleep-service sleep dailySleep dailyHeartRate activitylist-service activities search"
    ),
    asks="start limit",
)

SPEC = ConnectorSpec(
    name="garmin",
    title=say("Garmin (Connect Personal API, account export, FIT and Connect JSON files)"),
    delivers=frozenset({"episodes", *NIGHT_MINUTES})
    | metrics_of(
        "hrv_rmssd resting_hr heart_rate respiratory_rate spo2 skin_temperature_delta sleep_need sleep_score "
        "body_battery stress daily_stress steps distance active_energy total_energy zone_minutes fat_burn_minutes "
        "cardio_minutes ascent speed"
    ),
    streams=("summary", "sleep", "hrv", "heart_rate", "body_battery", "activity"),
    called={"summary": "daily summaries", "hrv": "HRV", "activity": "activities"},
    normaliser_version=7,
    normaliser="connectors.garmin.normalise:normalise",
    lasting=frozenset(  # files add to what earlier files held, and the export's nights take their offset from its days
        {
            *("fit_day", "fit_sleep", "fit_hrv", "uds", "export_sleep", "export_health", "workout", "activity"),
            *("saved_summary", "saved_sleep", "saved_hrv", "saved_stress", "saved_heart_rate", "saved_body_battery"),
        }
    ),
    settings=(
        Setting(name="base_url", help="the API's address", default="https://personal.connectapi.garmin.com"),
        Setting(
            name="api_key",
            help="your Personal API key (asked for when empty)",
            default="",
            secret=True,
            personal=True,
        ),
        Setting(name="days", help="how many days back the first sync reads", default="90", whole=True),
    ),
    deletions_unknown=dict.fromkeys(
        ("summary", "sleep", "hrv", "heart_rate", "body_battery"),
        "Garmin answers a date without data like a date that it cannot serve now: empty, 400 or 404",
    ),
    rmssd_error=0.105,  # Dial 2025, 536 nights
    opens="connectors.garmin.client:Garmin",
    shareable=SHAREABLE,
    authorises="connectors.garmin.client:authorise",
    recognises="connectors.garmin.files:recognise",
    reads="connectors.garmin.files:read",
    dated_by_content=True,
    leaves_out={
        r"(^|/)DI-Connect-Metrics/": "training figures",
        r"(^|/)DI-Connect-(User|Social|Community|Customer)[^/]*/": "profile and social",
        r"(^|/)DI-Connect-Fitness[^/]*/": "training plans, gear and records",
        r"(^|/)DI-Connect-(Routing|Segments|Courses|Device|Insights|Calendar)[^/]*/": "courses, devices and hints",
        r"(^|/)DI-Connect-(Wellness|Aggregator)/": "weight, hydration, age and cycle",
        r"(^|/)(DI-GOLF|DI-DIVE|DI-CONSENT|IT_|CUSTOMER|customer)[^/]*/": "golf, diving, purchases and consents",
        r"(^|/)DI-Connect-[^/]+/": "other files of Garmin Connect",
    },
)
