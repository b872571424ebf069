"""The message that expresses each kind of fact.

Its placeholders are filled with the fact's values of the same names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from bridge.domain.languages import Text, say
from bridge.domain.titles import ACTION_WORDS, SLOT_PLURALS


@dataclass(frozen=True, slots=True)
class Plural:
    """A message in singular and plural. The fact's value ``count`` decides which of the two is used."""

    one: str
    several: str


@dataclass(frozen=True, slots=True)
class Titled:
    """Two messages of a fact, one that quotes its title and one for readers who may not see the title.

    The second is None if the fact says nothing without its title.
    """

    without: Text | None
    titled: Text


Row = Text | Plural | Titled

_ACTIONS = {str(action): words for action, words in ACTION_WORDS.items()} | {"NAP": say("nap")}
# Words that stand for a value: placeholder -> value -> words.
WORDS: Mapping[str, Mapping[str, Text]] = MappingProxyType(
    {
        **dict.fromkeys(("action", "otherwise"), _ACTIONS),
        "slots": {slot.name.lower(): words for slot, words in SLOT_PLURALS.items()},
        "unit": {"points": say("points"), "bpm": say("bpm")},
        "meter": {
            "VITALITY": say("vitality"),
            "COGNITION": say("cognition"),
            "PROGRESS": say("progress"),
            "SERENITY": say("serenity"),
            "CONNECTION": say("connection"),
        },
        "what": {
            "entry": say("your entry"),
            "flight": say("your flight"),
            "journey": say("your journey"),
            "race": say("your race"),
            "sport": say("your sport"),
            "exam": say("your exam"),
        },
        "on": {
            "today": say("today"),
            "0": say("on Monday"),
            "1": say("on Tuesday"),
            "2": say("on Wednesday"),
            "3": say("on Thursday"),
            "4": say("on Friday"),
            "5": say("on Saturday"),
            "6": say("on Sunday"),
        },
        "kinds": {  # older facts call study classes
            "work": say("work"),
            "study": say("study"),
            "classes": say("classes"),
            "meetings": say("meetings"),
            "travel": say("travel"),
        },
    }
)

PARTS: Mapping[str, Row] = {  # of other facts
    "minutes": say("{minutes} min"),
    "hours": say("{hours} h"),
    "hours_minutes": say("{hours} h {minutes} min"),
    "several": say("{parts}"),
    "once_a_week": say("once a week"),
    "twice_a_week": say("twice a week"),
    "times_a_week": say("{times} times a week"),
    "as_usual": say("about as usual for you"),
    "more_than_usual": say("more than usual for you"),
    "less_than_usual": say("less than usual for you"),
    "about_usual": say("about your usual"),
    "above_usual": say("{off} {unit} above your usual"),
    "below_usual": say("{off} {unit} below your usual"),
    "about_most": say("about what is usual for most people"),
    "above_most": say("{off} {unit} above what is usual for most people"),
    "below_most": say("{off} {unit} below what is usual for most people"),
}

REASONS: Mapping[str, Row] = {  # that speak for a suggestion, a block of the plan, or an entry to keep
    "answer_teaches": say("little is known of you yet, and your answer tells what suits you"),
    "a_try": say("something different today, to see what suits you"),
    "moved": say("you moved it to this time"),
    "done_before": say("you did it on {time:%a} at {time:%H:%M} before"),
    "usually_done": say("you usually do it on {time:%a} at {time:%H:%M}"),
    "usually_later": say(
        "you usually do it on {time:%a} at {time:%H:%M}, which is too near your entry at {entry:%H:%M} today"
    ),
    "usual_hour_over": say("you usually do it on {time:%a} at {time:%H:%M}, and today it has not been yet"),
    "for_task": Titled(None, say("for: {title}")),
    "open_hours": say("any time between {start:%H:%M} and {end:%H:%M}"),
    "leave_by": say("leave for the airport by {time:%H:%M}"),
    "leave_by_then": say("leave by {time:%H:%M}"),
    "reminder": say("a reminder: it takes no time"),
    "closes_before": say("it closes at {closes:%H:%M}, before your sport on {time:%A} at {time:%H:%M}"),
    "beside_entry": Titled(say("clashes with your entry at {time:%H:%M}"), say("clashes with {title} at {time:%H:%M}")),
    "beside_trip": say("clashes with your journey at {time:%H:%M} or the ways to and from it"),
    "beside_flight": say("clashes with your flight at {time:%H:%M} or the ways to and from the airport"),
    "landing_clocks": say("arrives at {there:%H:%M} {away} time, which is {here:%H:%M} {home} time"),
    "was_due": Plural("it was due yesterday", "it was due {count} days ago"),
    "long_due": say("it is {days} days late; if it matters no more, move or delete it in your task list"),
    "owed_long": say("it is {days} days late"),
    "due_today": say("it is due today"),
    "due_tomorrow": say("it is due tomorrow"),
    "due_in": say("it is due in {days} days"),
    "due_before": Plural("it is due {count} day before", "it is due {count} days before"),
    "was_due_before": Plural("it was due {count} day before", "it was due {count} days before"),
    "due_at": say("it is due at {time:%H:%M}"),
    "due_at_full": say("it is due at {time:%H:%M}, and this is after that"),
    "was_due_at": say("it was due at {time:%H:%M}"),
    "due_that_day": say("it is due that day"),
    "due_day_after": say("it is due the day after"),
    "due_on": say("it is due on {day:%A, %-d %B}"),
    "goal": say("your goal: {done} of {goal} this week so far"),
    "goal_then": say("your goal: {done} of {goal} that week by then"),
    "sum_of_day": say("the day holds as much of it as you wish for a day"),
    "wished_more": say("you wish for more of it"),
    "wanted_then": say("you wish for it on a {day:%A}"),
    "wished_hours": say("you wish for it from {start:%H:%M} to {end:%H:%M}"),
    "last_time": say("the last time was {days} days ago"),
    "last_own_time": say("your last time for yourself was {days} days ago"),
    "last_time_then": say("the last time would be {days} days before"),
    "last_sport": Titled(
        say("the last time was {days} days ago"), say("the last time was {days} days ago ({title})")
    ),  # a source's own word for the sport, which may be anybody's
    "last_and_before": say("{last}, and before that you did it {often}"),
    "last_as_told": say("{last} as far as your calendar tells"),
    "last_and_often": say("{last}, and you usually do it {often}"),
    "tiring": say("you have had {length} of {kinds} today"),
    "tiring_then": say("by then you have had {length} of {kinds}"),
    "long_free": say("you have {length} without an entry, until {time:%H:%M}"),
    "free_in_work": say("you have {length} without an entry in the rest of your working time"),
    "short_night": say("last night was {length} shorter than your usual"),
    "begin_with": say("begin with {minutes} minutes"),
    "begin_or_move": say("do a part of it, or move its date"),
    "nap": say("a nap of {minutes} minutes, early enough for the coming night"),
    "nap_awake": say("a nap of {minutes} minutes, before your entry at {time:%H:%M}, which goes through the night"),
    "bedtime_common": say("a common bedtime is {time:%H:%M}; your nights are not known yet"),
    "bedtime_wished": say("you wish to be in bed by {time:%H:%M}"),
    "bedtime_not_before": say("you wish to be in bed no earlier than {time:%H:%M}"),
    "bedtime_for_length": say("bedtime is {time:%H:%M}, for the {long} in bed that you wish"),
    "bedtime_usual": say("your usual bedtime is {time:%H:%M}"),
    "bedtime_then": say("your usual bedtime was {time:%H:%M} until {day:%-d %B %Y}"),
    "bedtime_late": say("bedtime is {time:%H:%M} {on}, because your day ends late"),
    "bedtime_early": say(
        "bedtime is {time:%H:%M} {on}, earlier than usual, because the day is longer after a flight west"
    ),
    "bedtime_awake": say(
        "bedtime is {time:%H:%M} {on}, earlier than usual: after the flight west you will have been up for {hours} "
        "hours by then"
    ),
    "bedtime_rest": say("bedtime is {time:%H:%M} {on}, earlier than usual, because last night was short"),
    "bedtime_earliest": say(
        "bedtime is {time:%H:%M} {on}, for the rest you need; any earlier, sleep seldom comes (your usual bedtime is "
        "{usual:%H:%M})"
    ),
    "bedtime_before": say("bedtime is {time:%H:%M} {on}, in time for {what} at {entry:%H:%M}"),
    "bedtime_rest_before": say(
        "bedtime is {time:%H:%M} {on}, because last night was short and {what} is at {entry:%H:%M}"
    ),
    "bedtime_unwell_before": say(
        "bedtime is {time:%H:%M} {on}, because your body needs the rest and {what} is at {entry:%H:%M}"
    ),
    "bedtime_alarm": say(
        "bedtime is {time:%H:%M} {on}, in time for {what} at {entry:%H:%M}; set an alarm for {up:%H:%M}"
    ),
    "bedtime_overslept": say(
        "bedtime is {time:%H:%M} {on}, in time for {what} at {entry:%H:%M}: you slept through the last one "
        "like it, on {missed:%A}; set an alarm for {up:%H:%M}"
    ),
    "bedtime_near_miss": say(
        "bedtime is {time:%H:%M} {on}, in time for {what} at {entry:%H:%M}: you nearly slept through the last one "
        "like it; set an alarm for {up:%H:%M}"
    ),
    "bedtime_leaves": say(
        "bedtime is {time:%H:%M} {on}, before {what} at {entry:%H:%M}: that leaves {long} in bed, {missing} less than "
        "you need"
    ),
    "nap_after_it": say("keep half an hour for a nap on {day:%A}"),
    "bedtime_unwell": say("bedtime is {time:%H:%M} {on}, earlier than usual, because your body needs the rest"),
    "bedtime_after": say("bedtime is {time:%H:%M} {on}, as early as your entry until {until:%H:%M} allows"),
    "bedtime_was": say("bedtime was {time:%H:%M}"),
    "bedtime_short": say("{bedtime}; that leaves {long} in bed, {missing} less than you need"),
    "bedtime_short_now": say("{bedtime}; going to bed now leaves {long} in bed, {missing} less than you need"),
    "bedtime_varies": say(
        "bedtime is {time:%H:%M} {on}, near last night's, because your nights begin at different hours"
    ),
    "bedtime_up": say("bedtime is {time:%H:%M} {on}, in time to get up at {up:%H:%M}"),
    "bedtime_by_day": say("bedtime is {time:%H:%M} {on}, back to the night after a sleep by day"),
    "bedtime_before_shift": say("bedtime is {time:%H:%M} {on}, as on other nights before such a shift"),
    "bedtime_shift": say("bedtime is {time:%H:%M} {on}, as on other days after such a shift"),
    "waking_common": say("a common time to get up is {time:%H:%M}; your nights are not known yet"),
    "waking_wished": say("you wish to get up by {time:%H:%M}"),
    "waking_not_before": say("you wish to get up no earlier than {time:%H:%M}"),
    "waking_for_length": say("you get up at {time:%H:%M}, for the {long} in bed that you wish"),
    "waking_usual": say("you usually get up at {time:%H:%M}"),
    "waking_then": say("you usually got up at {time:%H:%M} until {day:%-d %B %Y}"),
    "waking_late": say("you sleep until about {time:%H:%M}, because the night begins late"),
    "waking_about": say("you sleep until about {time:%H:%M}"),
    "waking_early": say("you get up at {time:%H:%M} for {what} at {entry:%H:%M}"),
    "no_sport_lately": say("no sport of the last weeks is known"),
    "week_over": say("your working days are over, and the free ones begin"),
    "weekend_begins": say("the weekend begins"),
    "week_over_after": say("your week held {hours} hours of work and meetings, and tomorrow is free"),
    "days_held": say("the three days before this one held {hours} hours of work and meetings"),
    "free_days": say("no work today or tomorrow"),
    "work_again": say("a quiet close of your free days: your working week begins tomorrow"),
    "work_again_at": say("a quiet close of your free days: your working week begins tomorrow at {time:%H:%M}"),
    "new_week": say("a quiet close of the weekend, before a new week begins"),
    "low_level": say("your {meter} is low ({level:.2f}, 0.70 is your normal)"),
    "low_because": say("your {meter} is low ({level:.2f}, 0.70 is your normal): {why}"),
    "wished_weight": say("you wish more for your {meter}"),
}

PERSON: Mapping[str, Row] = {  # of the body now
    "said_ill": say("you said that you are ill"),
    "ill_until": say("you told of illness until {day:%A}"),
    "signs_of_night": say("your night into {day:%A} showed {signs}"),
    "illness_of_night": say("your night into {day:%A} showed your body fighting something: {signs}"),
    "hardly_slept": say("your night into {day:%A} held {asleep} of sleep"),
    "long_sport_then": say("your sport on {time:%A} was long"),
}

REFUSALS: Mapping[str, Row] = {  # that speak against an action, or against any advice now
    "by_lot": say("now and then a slot gets no advice, by lot, so that it can be told what advice does"),
    "advice_off": say("you switched advice off on {day:%-d %B %Y}; switch it on: {command}"),
    "advice_stopped": say(
        "advice was stopped on {day:%-d %B %Y}, because you were worse off after it: after {advised} slots with advice "
        "your level or your nights were lower than after {silent} that a lot left silent; switch it on again: {command}"
    ),
    "nothing_known": say("nothing is known of you yet; begin: {command}"),
    "old_data": say("your newest data is of {day:%-d %B %Y}; advice needs data of the last days"),
    "newer_data": say("bring in newer data: {command}"),
    "slot_had": say("{action} was suggested earlier; {why}"),
    "you_did": say("you did it"),
    "no_time_left": say("its time, {start:%H:%M} to {end:%H:%M}, is over, and no other fits now: {why}"),
    "asleep_now": say("you are usually asleep now"),
    "asleep_until": say("your night lasts until about {until:%H:%M}"),
    "asleep_then": say("until {day:%-d %B %Y} you were usually asleep at this hour"),
    "asleep_common": say("most people are asleep now; your nights are not known yet"),
    "flight_lands": say("your flight lands at {time:%H:%M} local time"),
    "entry_until": say("you have an entry until {time:%H:%M}"),
    "lasts_until": say("{what} lasts until {time:%H:%M}"),
    "entry_all_day": say("you have an entry for the rest of the day"),
    "next_entry": Titled(say("Next: an entry, {time:%H:%M}"), say("Next: {title}, {time:%H:%M}")),
    "next_leave": Titled(
        say("Next: leave by {leave:%H:%M} for your journey at {time:%H:%M}"),
        say("Next: {title}, {time:%H:%M}; leave by {leave:%H:%M}"),
    ),
    "next_leave_now": Titled(
        say("Next: leave now for your journey at {time:%H:%M}"), say("Next: {title}, {time:%H:%M}; leave now")
    ),
    "entry_next": say("you have an entry at {time:%H:%M}"),
    "begins_soon": say("{what} begins at {time:%H:%M}"),
    "flight_leaves": say("your flight leaves at {time:%H:%M}"),
    "leave_now": say("it is time to leave for the airport: your flight leaves at {time:%H:%M}"),
    "leave_by_land": Titled(say("leave by {time:%H:%M} for your journey"), say("leave by {time:%H:%M} for {title}")),
    "leave_now_land": Titled(
        say("it is time to leave for your journey at {time:%H:%M}"),
        say("it is time to leave for {title} at {time:%H:%M}"),
    ),
    "leave_late": say(
        "you should have left for the airport by {leave:%H:%M}: go now, your flight leaves at {time:%H:%M}"
    ),
    "leave_late_land": Titled(
        say("you should have left by {leave:%H:%M} for your journey at {time:%H:%M}: go now"),
        say("you should have left by {leave:%H:%M} for {title} at {time:%H:%M}: go now"),
    ),
    "clash_land": Titled(
        say("your entry at {time:%H:%M} clashes with your journey or the ways to and from it"),
        say("at {time:%H:%M} these clash, counting the ways: {title}"),
    ),
    "no_lunch": Titled(
        say("no lunch gap {start:%H:%M} to {end:%H:%M}: end the entry at {time:%H:%M} 20 minutes early to make one"),
        say("no lunch gap {start:%H:%M} to {end:%H:%M}: end {title} ({time:%H:%M}) 20 minutes early to make one"),
    ),
    "no_meal_gap": Titled(
        say("no gap to eat {start:%H:%M} to {end:%H:%M}: end the entry at {time:%H:%M} 20 minutes early to make one"),
        say("no gap to eat {start:%H:%M} to {end:%H:%M}: end {title} ({time:%H:%M}) 20 minutes early to make one"),
    ),
    "eat_along": say("no gap to eat {start:%H:%M} to {end:%H:%M}: take something to eat with you"),
    "eat_during": say("no gap to eat {start:%H:%M} to {end:%H:%M}: eat something during one of them"),
    "eat_in_pause": say("no gap to eat {start:%H:%M} to {end:%H:%M}: eat something in the pause at {time:%H:%M}"),
    "lunch_after": say("no lunch gap {start:%H:%M} to {end:%H:%M}: eat after it"),
    "no_gap_today": say("no {minutes} minutes that suit it are left today: move its date, or something else"),
    "nap_later": say("a nap of 20 minutes suits you at {time:%H:%M}"),
    "nap_at_work": say("your entries leave no 20 minutes for a nap"),
    "nap_in_work": say("a nap of 20 minutes fits at {time:%H:%M}, if your work lets you"),
    "overlap": Titled(
        say("two of your entries overlap at {time:%H:%M}"), say("from {time:%H:%M} on these overlap: {title}")
    ),
    "clash": Titled(
        say("your entry at {time:%H:%M} clashes with your flight or the ways to and from the airport"),
        say("at {time:%H:%M} these clash, counting the ways to and from the airport: {title}"),
    ),
    "get_ready": Titled(
        say("it is time to get ready for your entry at {time:%H:%M}"),
        say("it is time to get ready for {title} at {time:%H:%M}"),
    ),
    "nothing_before": say("nothing needs doing before {what} at {time:%H:%M}"),
    "nothing_needed": say("nothing needs doing now"),
    "slept_into": say("you slept into your entry, which lasts until {until:%H:%M}"),
    "evening_yours": say("nothing needs doing: the evening is yours"),
    "usual_later": Titled(
        say("nothing needs doing now; usual at {time:%H:%M}: {action}"),
        say("nothing needs doing now; usual at {time:%H:%M}: {action} ({title})"),
    ),
    "task_waits": Titled(say("a task waits ({due}), but {reason}"), say("{title} waits ({due}), but {reason}")),
    "waits_until": Titled(
        say("a task waits ({due}): {reason}, and tomorrow at {time:%H:%M} suits it"),
        say("{title} waits ({due}): {reason}, and tomorrow at {time:%H:%M} suits it"),
    ),
    "task_later": Titled(say("a task is still to be done ({due})"), say("{title} is still to be done ({due})")),
    "still_open": Titled(
        say("a task was to be done at {time:%H:%M} and is still open"),
        say("{title} was to be done at {time:%H:%M} and is still open"),
    ),
    "errand_later": Titled(say("an errand comes later today: {due}"), say("{title} comes later today: {due}")),
    "waits_for_work": say("today is not a working day, and the next is {day:%A}"),
    "late_for_it": say("evenings are kept free of such work"),
    "planned_that_day": say("your calendar has it on this day"),
    "race_day": say("it is the day of your race"),
    "nothing_fits": say("nothing fits now"),
    "due_first": Titled(say("a task that is due comes first"), say("{title} comes first")),
    "no_grounds": say("nothing speaks for it now"),
    "enough_today": say("you had {given} suggestions today, and {most} is what you wish"),
    "day_full": say("what is due fills the day"),
    "not_today": say("you said: not today"),
    "refused_now": say("you said: not now"),
    "put_off_until": say("you moved it to {time:%a} at {time:%H:%M}"),
    "vetoed": say("you asked never to be advised it"),
    "away": say("you are away from home"),
    "new_zone": say("a journey changes your time zone"),
    "zone_set": say("your clock was set to the time of {place}"),
    "planned_later": say("it is planned at {time:%H:%M}"),
    "had_lately": say("you had it not long ago"),
    "trained": say("you trained at {time:%H:%M}"),
    "long_sport": say("you rest before your sport on {time:%A} at {time:%H:%M}"),
    "long_sport_yesterday": say("you rest after your sport yesterday at {time:%H:%M}"),
    "long_sport_today": say("you rest before your sport today at {time:%H:%M}"),
    "long_sport_done": say("you rest after your sport today at {time:%H:%M}"),
    "sport_rests": say("your usual sport rests until {day:%A}: {why}"),
    "sport_rests_ill": say("sport rests until {day:%A}: {why}"),
    "easy_then": say("go easy: {why}"),
    "hour_over": say("no sport today, although you usually do it at {time:%H:%M}: {why}"),
    "nap_first": say("you slept little, and sleep comes first"),
    "suggested_lately": say("it was suggested not long ago"),
    "suggestion_over": say("its time, {start:%H:%M} to {end:%H:%M}, is over"),
    "suggested_elsewhere": say("it is suggested at another hour of the day"),
    "another_rest": say("another rest is suggested on this day"),
    "outside_hours": say("it is outside the hours and days that you set"),
    "outside_wished": say("you wish for it from {start:%H:%M} to {end:%H:%M}, but {why}"),
    "wished_later": say("you wish for it from {start:%H:%M} to {end:%H:%M}"),
    "wish_unmet": Titled(
        say("no place for what you wish ({action}): {why}"),
        say("no place for what you wish ({action}, {title}): {why}"),
    ),
    "not_foretold": say("how the meters will go is not forecast in an illness"),
    "task_unmet": Titled(say("no place for what is due: {why}"), say("no place for what is due ({title}): {why}")),
    "others_first": say("other things come first that day"),
    "day_off_enough": say("a day off gets one task of other days"),
    "enough_planned": say("the tasks planned for that day are enough"),
    "night_unmet": say("you wish to be in bed by {time:%H:%M}, but entries take that night"),
    "hours_over": say("{start:%H:%M} to {end:%H:%M} is over"),
    "hours_taken": Titled(
        say("an entry at {time:%H:%M} takes {start:%H:%M} to {end:%H:%M}"),
        say("{title} at {time:%H:%M} takes {start:%H:%M} to {end:%H:%M}"),
    ),
    "sleeps_until": say("you sleep until {time:%H:%M}"),
    "sleeps_from": say("you sleep from {time:%H:%M} on"),
    "no_suggestion_then": say("no further suggestion is made at that time of day"),
    "night_over": Titled(
        say("your night lies over an entry at {time:%H:%M}"), say("your night lies over {title} at {time:%H:%M}")
    ),
    "night_over_zone": Titled(
        say("your night lies over an entry at {time:%H:%M}, which is entered in {place} time"),
        say("your night lies over {title} at {time:%H:%M}, which is entered in {place} time"),
    ),
    "in_the_night": say("it lies in your night"),
    "in_the_night_zone": say("it lies in your night, as it is entered in {place} time"),
    "no_gap": say("no free gap of {minutes} minutes suits it"),
    "no_gap_before": say("no free {minutes} minutes that suit it begin before {time:%H:%M}"),
    "no_gap_beside": say("no free {minutes} minutes are left beside what is suggested at {time:%H:%M}"),
    "no_gap_within": say(
        "from {start:%H:%M} to {end:%H:%M}, ways, meals and pauses leave {left} of the {minutes} minutes it needs"
    ),
    "offices_closed": say("offices are closed today"),
    "closes_soon": say("only {minutes} minutes are left: go at once, if you still can"),
    "shops_closed": say("it is for the hours in which shops are open"),
    "exam_first": say("your exam comes first"),
    "no_calls": say("nobody answers calls at this hour"),
    "hour_of_day": say("this is not its time of day"),
    "often_this_week": say("it was suggested {times} times this week"),
    "goal_held": say("your goal of this week is done or planned ({goal})"),
    "often_enough": Plural("you do it {count} time a week", "you do it {count} times a week"),
    "slept_until": say("you slept until {time:%H:%M}"),
    "long_week": say("your week held {hours} hours of work and meetings, and this day is free"),
    "tiring_day": say("your day has {length} of tiring entries"),
    "no_working_time": say("this is not working time"),
    "nap_late": say("the time for a nap is over"),
    "bedtime_far": say("bedtime is not near"),
    "no_sport_now": say("this is not a time for sport"),
    "hours_of_sleep": say("these are hours of sleep"),
    "no_company_now": say("this is not a time for company"),
    "work_time": say("it is work time"),
    "no_series_now": say("this is not a time for series"),
    "full_morning": say("your morning is full"),
    "full_afternoon": say("your afternoon is full"),
    "full_evening": say("your evening is full"),
    "full_night": say("your night is full"),
    "quiet_slot": say("{slots} are quiet"),
    "awake_slot": say("{slots} are for those who are awake"),
    "paused": say("ignored {times} times in a row on {slots}, it rests until {ends:%d %b}"),
    "taken_back": say("{action} at {time:%H:%M} was taken back, because the day changed"),
    "withdrawn": Plural(
        "{count} earlier answer was taken back, because nothing that came after the advice speaks for it",
        "{count} earlier answers were taken back, because nothing that came after the advice speaks for them",
    ),
    "nobody_known": say("nobody is known to do it with"),
    "level_is_low": say("your {meter} is low ({level:.2f}, 0.70 is your normal), and it takes more of it"),
    "deadline_over": say("its deadline is over by then"),
    "suggestion_at": say("something is suggested at {time:%H:%M}"),
    "mode_ill": say("you are ill"),
    "mode_away": say("you are away from home"),
    "mode_holiday": say("you are on holiday"),
    "other_zone": say("your clock is that of {zone}: are you travelling?"),
    "no_work_until": say("your calendar shows no work until {date:%A}, {date:%-d %B}: is it a holiday?"),
    "mode_odd": say("these days are different"),
    "low_vitality": say("your vitality is low ({level:.2f}, 0.70 is your normal)"),
}

INPUTS: Mapping[str, Row] = {  # of the meters
    "slept_short_well": say("slept {length}, {short} less than you need, and still a good night"),
    "slept_short": say("slept {length}, {short} less than you need"),
    "slept_enough_badly": say("slept {length}, as much as you need, and yet no restful night"),
    "slept_enough": say("slept {length}, as much as you need"),
    "slept_short_well_most": say("slept {length}, {short} less than most people need, and still a good night"),
    "slept_short_most": say("slept {length}, {short} less than most people need"),
    "slept_enough_badly_most": say("slept {length}, as much as most people need, and yet no restful night"),
    "slept_enough_most": say("slept {length}, as much as most people need"),
    "deep_sleep": say("deep sleep {compared}"),
    "variability": say("heart-rate variability {compared}"),
    "variability_unlike_week": say("heart-rate variability {compared}, in a week that is not"),
    "variability_unlike_vendor": say("heart-rate variability {compared}, unlike the vendor's recovery"),
    "variability_week_usual": say("heart-rate variability of the week about as usual"),
    "variability_week_above": say("heart-rate variability of the week above your usual"),
    "variability_week_below": say("heart-rate variability of the week below your usual"),
    "recovery": say("recovery {compared}"),
    "body_battery": say("body battery on waking {compared}"),
    "resting_hr": say("resting heart rate {compared}"),
    "resting_hr_not_raised": say("resting heart rate not raised"),
    "stress": say("stress {mean:.0f} over the last six hours, {usual:.0f} is usual"),
    "stress_yesterday": say("stress {mean:.0f} over the whole of yesterday, {usual:.0f} is usual"),
    "stress_management": say("stress management {compared}"),
    "steps": say("{steps:,.0f} steps yesterday, {compared}"),
    "illness": say("your watch shows your body fighting something: {signs}"),
    "rest_first": say("rest comes first today"),
    "race_can_wait": say("your sport on {time:%A} at {time:%H:%M} had better be left out"),
    "go_easy": say("consider leaving out your sport on {time:%A} at {time:%H:%M}, or go easy"),
    "if_at_all": say("{told}, if you take part after all"),
    "take_it_easier": say("take it easier today"),
    "short_before_full": Plural(
        "a short night before a full day: {asleep}, {count} entry",
        "a short night before a full day: {asleep}, {count} entries",
    ),
    "short_opening": say("a short night: {asleep}"),
    "full_opening": Plural("a full day: {count} entry, {busy}", "a full day: {count} entries, {busy}"),
    "full_after_good": Plural(
        "a full day after a good night: {count} entry, {busy}", "a full day after a good night: {count} entries, {busy}"
    ),
    "free_opening": say("a free day"),
    "free_after_good": say("a free day after a good night"),
    "ordinary_opening": say("an ordinary day"),
    "ordinary_after_good": say("an ordinary day after a good night"),
    "good_night": say("you had a good night"),
    "night_not_in": say("your watch has not sent last night yet"),
    "nights_not_in": say("your watch has sent no sleep since the night into {day:%A}; open its app, so that it syncs"),
    "nights_not_brought": say("your data hold no sleep since the night into {day:%A}; import a new export"),
    "stands_out": Titled(say("an entry unlike others, at {time:%H:%M}"), say("today: {title}, at {time:%H:%M}")),
    "task_due_today": Titled(say("a task is due today"), say("due today: {title}")),
    "flight_today": say("your flight leaves at {time:%H:%M}"),
    "task_moved": say("you moved it to {time:%a %H:%M}"),
    "task_was_due": Titled(say("a task was due yesterday"), say("due yesterday: {title}")),
    "task_long_due": Titled(say("a task was due {days} days ago"), say("due {days} days ago: {title}")),
    "due_by_today": Titled(say("tasks due by today: {count}"), say("{count} due by today: {title}")),
    "illness_signs": say("in the same night {signs}"),
    "resting_hr_up": say("resting heart rate up"),
    "breathing_faster": say("breathing faster"),
    "skin_warmer": say("skin warmer"),
    "recovery_down": say("recovery down"),
    "body_battery_low": say("body battery low"),
    "variability_down": say("heart-rate variability down"),
    "entries_lately": say("entries of the last days, {compared}"),
    "entries_six_hours": say("{length} of entries in the last six hours, {compared}"),
    "entries_twelve_hours": say("{length} of entries in the last twelve hours, {compared}"),
    "without_pause": say("{length} without a pause"),
    "workday": say("{clock} on a day with entries"),
    "awake": say("awake for {length}"),
    "tasks_done": Plural(
        "{done} of the {count} task due in seven days done", "{done} of the {count} tasks due in seven days done"
    ),
    "focus": say("{minutes:.0f} min of focus in the last 24 hours, lately {compared}"),
    "tasks_soon": Plural("{count} task due within a day", "{count} tasks due within a day"),
    "tasks_overdue": Plural("{count} task overdue", "{count} tasks overdue"),
    "company_now": say("{length} with friends or family in the last twelve hours, {compared}"),
    "company": Plural(
        "with friends or family {count} time over the last seven days, {compared}",
        "with friends or family {count} times over the last seven days, {compared}",
    ),
    "messages": Plural("{count} message yesterday", "{count} messages yesterday"),
    "written_to": Plural("wrote to {count} person yesterday", "wrote to {count} people yesterday"),
    "check_in": say("you said {score:g} of 5"),
    "check_in_before": say("you said {score:g} of 5 {days} days ago"),
    "check_in_lower": say("{answer}, after lower answers"),
    "check_in_higher": say("{answer}, after higher answers"),
}

EVIDENCE: Mapping[str, Row] = {  # of outcomes
    "said": say("you said so"),
    "seen_workout": say("workout {start:%H:%M}-{end:%H:%M}, {source}"),
    "seen_nap": say("nap {start:%H:%M}-{end:%H:%M}, {source}"),
    "seen_asleep": say("asleep {start:%H:%M}-{end:%H:%M}, {source}"),
    "seen_mindful": say("mindfulness {time:%H:%M}, {minutes:.0f} min, {source}"),
    "seen_task": say("this task completed {time:%H:%M}"),
    "seen_task_later": say("this task completed {time:%a %H:%M}"),
    "seen_entry": say("entry {start:%H:%M}-{end:%H:%M}, calendar"),
    "missed": say("nothing of it, {source}"),
    "missed_workout": say("no workout, {source}"),
    "missed_nap": say("no nap, {source}"),
    "missed_mindful": say("no mindfulness, {source}"),
    "awaited": say("nothing yet from {source}"),
}

EARLIER: Mapping[str, Row] = {  # of kinds that only advice of earlier versions has
    "eat_between": say("no gap to eat {start:%H:%M} to {end:%H:%M}: eat something between two of them"),
    "no_meal": say("{start:%H:%M} to {end:%H:%M} has no gap to eat in: eat something between two entries"),
    "no_gap_ways": say("ways and pauses around your entries leave no {minutes} minutes for it"),
    "no_gap_ways_before": say("ways and pauses leave no {minutes} minutes for it that begin before {time:%H:%M}"),
    "hard_days": say("your last three days held {hours} hours of work and meetings"),
    "due_later": say("it is due {days} days later"),
    "ill": say("your body is fighting something"),
    "load": say("you have had {hours} hours of {kinds} today"),
    "load_then": say("by then you have had {hours} hours of {kinds}"),
    "free_evening": say("your evening has no entry"),
    "free_rest": say("no entry comes after it on this day"),
    "free_until": say("you have no entry until {time:%H:%M}"),
    "work_over": say("your work is over by then"),
    "late_or_work": say("it is too late or work time"),
    "no_own_time_lately": say("no time for yourself of the last weeks is known"),
    "no_quiet_lately": say("no quiet time of the last weeks is known"),
}

MESSAGES: Mapping[str, Row] = MappingProxyType({**PARTS, **REASONS, **PERSON, **REFUSALS, **INPUTS, **EVIDENCE})
