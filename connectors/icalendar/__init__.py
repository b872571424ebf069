"""Turn iCalendar text (RFC 5545) into raw records, and those into events and tasks, for all sources of that format."""
