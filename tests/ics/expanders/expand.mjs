// Expands a calendar with ical.js, whose code has nothing in common with ours. Usage: node expand.mjs ICAL.JS FILE SINCE UNTIL
// Prints a JSON list of [UID, start, end]. An instant ends in Z, a day is a date, a floating time has neither.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [library, file, since, until] = process.argv.slice(2);
const ICAL = (await import(pathToFileURL(library))).default;
const [low, high] = [since, until].map((text) => ICAL.Time.fromJSDate(new Date(text), true));
const calendar = new ICAL.Component(ICAL.parse(readFileSync(file, "utf-8")));
for (const zone of calendar.getAllSubcomponents("vtimezone")) ICAL.TimezoneService.register(zone);

const told = (time) => {
  if (time.isDate) return time.toString();
  return time.zone === ICAL.Timezone.localTimezone ? time.toString() : time.convertToZone(ICAL.Timezone.utcTimezone).toString();
};
const found = [];
const add = (item, start, end) => {
  const off = item.component.getFirstPropertyValue("status");
  if (String(off).toUpperCase() === "CANCELLED") return;
  if (start.compare(high) < 0 && end.compare(low) >= 0) found.push([item.uid, told(start), told(end)]);
};
const events = calendar.getAllSubcomponents("vevent").map((one) => new ICAL.Event(one, { exceptions: [] }));
const masters = new Map();
for (const event of events) if (!event.isRecurrenceException()) masters.set(event.uid, event);
for (const event of events) {
  if (!event.isRecurrenceException()) continue;
  const master = masters.get(event.uid);
  if (master && master.isRecurring()) master.relateException(event);
  else add(event, event.startDate, event.endDate);
}
for (const event of events) {
  if (event.isRecurrenceException()) continue;
  if (!event.isRecurring()) {
    add(event, event.startDate, event.endDate);
    continue;
  }
  const steps = event.iterator();
  for (let count = 0, next; count < 20000 && (next = steps.next()); count++) {
    if (next.compare(high) > 0) break;
    const one = event.getOccurrenceDetails(next);
    add(one.item, one.startDate, one.endDate);
  }
}
console.log(JSON.stringify(found));
