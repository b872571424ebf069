"""Calendar entries as times: expansion of repeating events, and functions for busy, free and planned stretches."""
