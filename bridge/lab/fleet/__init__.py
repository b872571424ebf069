"""Many made-up people at once: their vendors in a process of their own, and what it takes to keep them all in step."""
