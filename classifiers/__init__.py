"""Classifiers of calendar events, one per module, found by module name."""
