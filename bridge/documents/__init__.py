"""Turn what the bridge knows into JSON documents for the command line, the page, assistants and programs."""

from __future__ import annotations
