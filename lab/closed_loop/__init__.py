"""Simulated people behind servers that play their vendors, with the real product that syncs and recommends."""
