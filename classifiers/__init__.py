"""Classifiers, which the registry finds by name in this folder. CONTRIBUTING.md says how to add another."""
