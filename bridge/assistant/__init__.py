"""A Model Context Protocol server: what an assistant may read and do for one person, and only what they allowed."""

from __future__ import annotations
