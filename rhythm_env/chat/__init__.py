"""Asking a language model over HTTP, for the plug-ins that do: one question, answered in time and in measure."""
