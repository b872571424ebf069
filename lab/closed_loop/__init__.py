"""Simulated people who live behind the vendors' servers, and the real bridge that syncs, advises and is answered."""
