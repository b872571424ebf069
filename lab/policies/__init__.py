"""Policies that are used in comparisons only, found by the entry points of the laboratory."""
