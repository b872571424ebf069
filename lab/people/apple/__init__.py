"""A made-up person's Apple Health export of any size, and the truth about the person.

The person's life depends on the seed and the date alone. Two exports of a life agree where they overlap, except for
rows that reached the phone late. The truth is summed from the life while the export is written, by other code than an
importer's.
"""

from lab.people.apple.export import Plan, Truth, write, write_zip

__all__ = ["Plan", "Truth", "write", "write_zip"]
