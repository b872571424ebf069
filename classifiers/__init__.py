"""Plug-ins are found by looking into this folder; see CONTRIBUTING.md for how to add one."""
