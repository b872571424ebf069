"""Hold the application: domain types, store, sync engine, meters, advice, daemon, commands, pages and assistants'
tools.
"""

__version__ = "0.1.0"
