"""A made-up person's Apple Health export of any size, and the true values behind it.

The person's life depends on the seed and the date alone, so two exports of a life agree where they overlap, except for
rows that reached the phone late. The true values are summed while the export is written, by other code than the
importer's.
"""

from lab.people.apple.export import Plan, Truth, write, write_zip

__all__ = ["Plan", "Truth", "write", "write_zip"]
