"""Turn iCalendar text (RFC 5545) into raw records, and these into events and tasks, for all sources of that format."""
