"""The plan of a day: a routine, common sense, wishes, and gaps become suggestions with a time and a reason. Pure."""
