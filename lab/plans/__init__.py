"""Count what a sensible friend would never suggest, over generated person-days and other people's calendars."""
