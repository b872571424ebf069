"""State which fields of Withings's answers a redacted recording may hold."""

from bridge.domain.shareable import Shareable

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
