"""State which fields of Oura's answers a redacted recording may hold."""

from bridge.domain.shareable import Shareable

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
