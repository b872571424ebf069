"""State which fields of WHOOP's answers a redacted recording may hold."""

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
