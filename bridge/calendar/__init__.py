"""Calendar entries as times: repeating events expanded, busy, free and planned stretches, meetings and flights.

The labels that a user corrected are here too.
"""
