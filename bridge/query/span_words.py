"""Names of months, seasons, feasts and units of time, by language."""

from __future__ import annotations

from collections.abc import Mapping

MONTHS = {
    "en": "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sept sep|"
    "october oct|november nov|december dec",
    "de": "januar jan jänner|februar feb feber|märz|april apr|mai|juni jun|juli jul|august aug|september sept|"
    "oktober okt|november nov|dezember dez",
}
UNITS = {
    "en": {"day": "days", "days": "days", "d": "days", "week": "weeks", "weeks": "weeks", "wks": "weeks",
           "month": "months", "months": "months", "year": "years", "years": "years"},
    "de": {"tage": "days", "tagen": "days", "wochen": "weeks", "monate": "months", "monaten": "months",
           "jahre": "years", "jahren": "years", "woche": "weeks", "monat": "months"},
}  # fmt: skip
HOLIDAYS: Mapping[str, Mapping[str, str | int]] = {  # as month and day, or as days after Easter Sunday
    "en": {
        "christmas eve": "12-24", "christmas day": "12-25", "christmas": "12-25", "boxing day": "12-26",
        "new year's eve": "12-31", "new years eve": "12-31", "new year's day": "01-01", "new year's": "01-01",
        "new years": "01-01", "new year": "01-01", "halloween": "10-31",
        "valentine's day": "02-14", "easter sunday": 0, "easter monday": 1, "easter": 0, "good friday": -2,
        "ash wednesday": -46, "whit sunday": 49, "whit monday": 50, "pentecost": 49, "whitsun": 49,
    },
    "de": {
        "heiligabend": "12-24", "heilig abend": "12-24", "weihnachten": "12-25", "silvester": "12-31",
        "neujahr": "01-01", "halloween": "10-31", "nikolaus": "12-06", "valentinstag": "02-14", "ostersonntag": 0,
        "ostermontag": 1, "ostern": 0, "karfreitag": -2, "gründonnerstag": -3, "aschermittwoch": -46,
        "rosenmontag": -48, "christi himmelfahrt": 39, "himmelfahrt": 39, "pfingstsonntag": 49, "pfingstmontag": 50,
        "pfingsten": 49, "fronleichnam": 60, "ersten weihnachtstag": "12-25", "1. weihnachtstag": "12-25",
        "zweiten weihnachtstag": "12-26", "2. weihnachtstag": "12-26", "allerheiligen": "11-01",
        "tag der deutschen einheit": "10-03", "tag der arbeit": "05-01",
    },
}  # fmt: skip
# Stretches of the year, by their first and last day: dates, or days after Easter Sunday.
FEASTS: Mapping[str, Mapping[str, tuple[str | int, str | int]]] = {
    "en": {"lent": (-46, -1), "advent": ("advent", "12-24"), "over christmas": ("12-24", "12-26"),
           "the christmas days": ("12-24", "12-26"), "over easter": (-2, 1), "easter weekend": (-2, 1),
           "the easter weekend": (-2, 1), "over pentecost": (48, 50),
           "at christmas": ("12-24", "12-26"), "at easter": (-2, 1)},
    "de": {"fastenzeit": (-46, -1), "advent": ("advent", "12-24"), "adventszeit": ("advent", "12-24"),
           "zwischen den jahren": ("12-27", "12-30"), "über weihnachten": ("12-24", "12-26"),
           "an weihnachten": ("12-24", "12-26"), "zu weihnachten": ("12-24", "12-26"), "über ostern": (-2, 1),
           "an ostern": (-2, 1), "zu ostern": (-2, 1), "über pfingsten": (48, 50), "an pfingsten": (48, 50)},
}  # fmt: skip
LONG_HOLIDAYS = ("christmas", "easter", "pentecost", "whitsun", "weihnachten", "ostern", "pfingsten")  # of several days
SEASONS = {  # of three whole months, by the month in which they begin
    "en": {"spring": 3, "summer": 6, "autumn": 9, "winter": 12},
    "de": {"frühling": 3, "frühjahr": 3, "sommer": 6, "herbst": 9, "winter": 12},
}
QUARTERS = {
    "en": {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4},
    "de": {"ersten": 1, "zweiten": 2, "dritten": 3, "vierten": 4, "1.": 1, "2.": 2, "3.": 3, "4.": 4},
}
