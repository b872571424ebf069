"""Read calendar entries as times, which are occurrences of repeating events, busy and free stretches, and meetings.

Corrections of entries by users and journeys are here, too.
"""
