"""Offer an AI assistant tools to read a user's data and act for the user, as the user allows (Model Context
Protocol).
"""

from __future__ import annotations
