"""Offer an AI assistant tools for a user's data and plan, as far as the user allows (Model Context Protocol)."""

from __future__ import annotations
