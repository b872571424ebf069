"""Plug-ins, found by looking into this folder. CONTRIBUTING.md says how to add a source."""
