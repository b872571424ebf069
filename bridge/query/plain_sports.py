"""The words in which people ask for sports, in English and German."""

# Sports by the words for single ones, and by what is done, which no number of them is asked of.
COUNTABLE = {
    "en": {
        "running": "runs, run, jogs, jog",
        "trail running": "trail runs, trail run",
        "cycling": "rides, ride, bike rides, bike ride, cycle rides, bike tours, bike tour",
        "swimming": "swims, swim",
        "walking": "walks",
        "hiking": "hikes, hike",
    },
    "de": {
        "running": "läufe, lauf, läufen, laufs, laufes",
        "cycling": "radfahrten, radfahrt, radtouren, radtour, fahrradtouren, fahrradtour, radausfahrten, radausfahrt",
        "walking": "spaziergänge, spaziergang, spaziergängen",
        "hiking": "wanderungen, wanderung",
    },
}
DONE = {
    "en": {
        "running": "running, go running, jogging, i ran, ran",
        "cycling": "cycling, cycle, cycled, biking, biked",
        "swimming": "swimming, go swimming, swam",
        "hiking": "hiking, hiked",
        "walking": "walking",
        "rowing": "rowing, rowed",
        "strength training": "strength training",
        "football": "football, soccer",
        "skiing": "skiing",
        "dancing": "dancing, danced",
        "mountain biking": "mountain biking",
        "trail running": "trail running",
        "high intensity interval training": "hiit",
        "boxing": "boxing, boxed",
        "table tennis": "table tennis, ping pong",
        "ice skating": "ice skating, skating",
        "surfing": "surfing, surfed",
    },
    "de": {
        "running": "laufen, joggen, gejoggt",
        "cycling": "radfahren, rad fahren, geradelt, radeln, fahrrad gefahren, rad gefahren, fahrradfahren, rad, "
        "auf dem rad, mit dem rad, mit dem fahrrad",
        "swimming": "schwimmen, geschwommen",
        "hiking": "wandern, gewandert",
        "rowing": "rudern, gerudert",
        "strength training": "krafttraining",
        "football": "fußball",
        "skiing": "skifahren",
        "dancing": "tanzen, getanzt",
        "bouldering": "bouldern, gebouldert",
        "boxing": "boxen, geboxt",
        "table tennis": "tischtennis",
        "ice skating": "eislaufen, schlittschuhlaufen, schlittschuhfahren",
        "surfing": "surfen, gesurft",
        "high intensity interval training": "hiit",
    },
}
SAME = (  # in both languages
    "yoga, pilates, tennis, badminton, basketball, volleyball, golf, squash, padel, weightlifting, nordic walking, "
    "crossfit, handball, hockey, bouldering, zumba, judo, karate, curling, tai chi"
)
GAMES = {
    "en": "sessions, session, classes, class, matches, match, games, game, practice, rounds, round",
    "de": "einheiten, stunden, spiele, partien, runden",
}
