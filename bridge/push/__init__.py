"""What is sent to us: a token per person, a small HTTP server that takes bodies in, and their landing.

A body is whole on disk before it is answered and lands afterwards. What was interrupted in between lands at the next
start, sync or tick of the daemon.
"""
