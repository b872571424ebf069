"""Plan a user's day: suggestions with a time and a reason, from routine, rules, wishes and gaps in the calendar."""
