"""Tools by which an AI assistant reads and acts for a user (Model Context Protocol), as far as the user allows."""

from __future__ import annotations
