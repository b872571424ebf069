"""The application: vocabulary, store, sync engine, meters, observation, advice and command line."""

__version__ = "0.1.0"
