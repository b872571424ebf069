"""Turn what the bridge knows into JSON documents for the command line, the page, assistants and programs.

Each module holds the documents of one noun as typed dictionaries. Instants are ISO 8601 with an offset. A null stands
for what is not known.
"""

from __future__ import annotations
