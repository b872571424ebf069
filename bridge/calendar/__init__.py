"""Compute what calendar entries mean for a person's time, as occurrences, busy and free stretches, and meetings."""
