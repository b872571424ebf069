"""Checks of recommendations and day plans against rules of common sense, over generated people and public calendars."""
