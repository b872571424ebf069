"""State which fields of Polar's answers a redacted recording may hold."""

from bridge.domain.shareable import Shareable

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
