"""A client of language models over HTTP, bounded in time and size."""
