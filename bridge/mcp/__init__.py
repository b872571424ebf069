"""Let an assistant read and act for a user over the Model Context Protocol, as far as the user has allowed."""

from __future__ import annotations
