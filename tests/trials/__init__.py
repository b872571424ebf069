"""A person's own trials, and the watch over harm."""
