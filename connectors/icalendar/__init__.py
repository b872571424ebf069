"""iCalendar text (RFC 5545) as records and as events and tasks. Every source of calendars in that format shares it."""
