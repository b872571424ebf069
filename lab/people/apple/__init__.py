"""A made-up person's Apple Health export of any size, and what is true of it.

The person's life depends on the seed and the date alone. Two exports of one life agree where they overlap, but for what
came late to the phone. What is true is added up from the life while it is written, by other means than an importer's.
"""

from lab.people.apple.export import Plan, Truth, write, write_zip

__all__ = ["Plan", "Truth", "write", "write_zip"]
