"""Hold published figures about adults, which are used until a user's own data suffice.

Clock times are in minutes after midnight of the date of waking. The time-use surveys publish lengths and shares, so the
clock times come from a survey of sleep.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """Adults' mean bedtime and wake time for a kind of day, in minutes after midnight of the date of waking."""

    bed: float
    wake: float


# Sleep on workdays 23:02 to 06:41 and on free days 23:25 to 07:41: 9,004 adults of the United States, NHANES 2017-2020
# (Di et al. 2022, doi 10.1001/jamanetworkopen.2022.40788).
WORKDAY = Published(bed=-58.0, wake=401.0)
FREE_DAY = Published(bed=-35.0, wake=461.0)

# On workdays 25.4 % of them went to bed at midnight or later: a normal distribution with that tail has this spread.
BETWEEN = 88.0
# Daily spread of the time in bed within a person, 1.31 hours (CARDIA, 669 adults, Knutson et al. 2007), is that of two
# clock times: 79 / sqrt(2) for each.
WITHIN = 56.0
# Spread of a person's weekdays around their mean of workdays or free days. Proposal.
BETWEEN_WEEKDAYS = 20.0

# 83 % of employed people work on an average weekday and 34 % on an average day of the weekend (ATUS 2012, table 4).
WORKS_ON_WORKDAY, WORKS_ON_WEEKEND = 0.83, 0.34
# Eight hours on a weekday worked (ATUS 2012, table 4). The begin at nine is a proposal.
OFFICE = (540.0, 1020.0)
