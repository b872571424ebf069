"""The JSON interface ``/api/v1``, with the documents that the command line prints for ``--json``."""
