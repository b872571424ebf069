"""The kinds of tokens of a plain question, each a letter of the patterns in ``bag``."""

from __future__ import annotations

from collections.abc import Mapping


class NotUnderstood(Exception):
    """A question is not wholly understood."""


Token = tuple[str, object]  # one of the kinds below, and its value
Lexicon = Mapping[tuple[str, ...], tuple[Token, ...]]
FILL, HOW_MANY, HOW_OFTEN, HOW_LONG, HOW_FAR, WHEN, HOW = " ", "Q", "O", "L", "R", "T", "h"
OF, LENGTH, METRIC, FIGURE, ROWS_LAST = "A", "G", "M", "F", "n"
NIGHTS, DAYS, ON_DAYS, WORKOUTS, SPORT, ACTIVITY, ENTRIES, ACTION = "N", "D", "d", "W", "S", "s", "E", "a"
UNIT, COMPARED, CLOCK, BED, UP, SPAN, CONDITION, WEEKEND = "U", "C", "K", "b", "g", "p", "X", "k"
BURNED = "burned"  # said of an amount, as "calories burned", which asks nothing yet
OTHERS = "o"  # the days or nights that a comparison leaves
RAN = "j"  # "gelaufen": of steps walked, else ran
BEST, WHICH, WHICH_BY, PLANNED, AT_NIGHT, TOGETHER = "e", "q", "Y", "P", "i", "+"
ALL, USUAL, FACTOR, RISEN, ENDED = "l", "u", "f", "v", "x"
BY, EACH, AFTER, WITH, AND, THAN, RELATED, DIFFERENCE, SHARE = "B", "m", "@", "w", "&", "t", "V", "c", "H"
MORE, BECOMES, DID, WALK = "r", "z", "!", "y"
CLOCKED = "J"  # asks for a time of day
SEVERAL = "Z"  # all meters, or the figures of a night
PERIOD = "I"  # "in a week", of which the highest may be asked
EARLY = "7"  # earliest or latest, of a time of day
TASKS, TASKED = "3", "4"  # tasks, and what is said of them: done, due, overdue or open
PERIODS = "9"  # weeks or months that are counted
TOP = "1"  # so many of the highest or lowest
UNKNOWN = "?"  # a word of the person's own, which may be in the title of an entry
NEXT_DAY = "."  # "the following day", of which a figure is asked
STREAK, AGO, LIST, NEXT, FREE = "8", "2", "6", "0", "_"  # in a row, days since, a list, what comes next, nothing on
VAGUE = "#"  # "a bad night", which says nothing beside the hours of it
EXCEPT = "~"  # before a sport that is left out
SINCE = "5"  # before what a span begins with: a date, or an entry of the calendar
AHEAD = "<"  # the night or day before something
