"""Times on the user's clock, over a change of zone."""

from datetime import UTC, datetime, timedelta

from bridge.domain.slots import ZoneSpan, local_end, local_time


def test_an_end_never_reads_as_before_its_start_unless_a_flight_lands() -> None:
    landing = datetime(2026, 11, 22, 19, tzinfo=UTC)
    zones = (
        ZoneSpan(since=landing - timedelta(days=21), zone="Europe/Berlin"),
        ZoneSpan(since=landing, zone="America/New_York"),
    )
    began, end = landing - timedelta(minutes=30), landing + timedelta(hours=2, minutes=30)
    assert f"{local_end(local_time(began, zones), end, zones, lands=False):%H:%M}" == "22:30"
    assert f"{local_end(local_time(began, zones), end, zones, lands=True):%H:%M}" == "16:30"
    late = landing + timedelta(hours=8)
    assert f"{local_end(local_time(began, zones), late, zones, lands=False):%H:%M}" == "22:00"
