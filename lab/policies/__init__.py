"""Policies that serve comparisons only. The registry finds them by the entry points of the laboratory."""
