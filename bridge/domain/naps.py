"""Tell naps from nights, by one rule for all sources that do not say which is which, and for pieces of a night."""

NAP_MAX_MINUTES, NAP_HOURS = 180, range(8, 20)


def is_nap(hour: int, minutes: float) -> bool:
    """Return True for a sleep of less than three hours that begins in an ``hour`` from 8 to 19 on the user's clock."""
    return minutes < NAP_MAX_MINUTES and hour in NAP_HOURS
