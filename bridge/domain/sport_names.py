"""Names of sports as they stand within a sentence, translatable."""

from __future__ import annotations

from collections.abc import Mapping

from bridge.domain.languages import Text, say
from bridge.domain.sports import normalised

_NAMES = (
    *(say("running"), say("treadmill running"), say("trail running"), say("walking"), say("hiking")),
    *(say("nordic walking"), say("cycling"), say("outdoor cycling"), say("indoor cycling"), say("mountain biking")),
    *(say("swimming"), say("pool swimming"), say("open water swimming"), say("rowing"), say("indoor rowing")),
    *(say("strength training"), say("weightlifting"), say("elliptical"), say("high intensity interval training")),
    *(say("interval training"), say("aerobic workout"), say("cardio"), say("stair climbing"), say("rock climbing")),
    *(say("bouldering"), say("football"), say("dancing"), say("skiing"), say("cross country skiing")),
    *(say("snowboarding"), say("ice skating"), say("surfing"), say("yoga"), say("pilates"), say("tai chi")),
    *(say("tennis"), say("table tennis"), say("badminton"), say("squash"), say("padel"), say("basketball")),
    *(say("volleyball"), say("handball"), say("hockey"), say("golf"), say("boxing"), say("judo"), say("karate")),
    *(say("functional strength training"), say("functional fitness"), say("powerlifting"), say("core training")),
    *(say("circuit training"), say("calisthenics"), say("weight machines"), say("free weights")),
    *(say("martial arts"), say("kickboxing"), say("gymnastics"), say("jump rope")),
    *(say("sailing"), say("kayaking"), say("paddleboarding"), say("pickleball")),
    *(say("rugby"), say("lacrosse"), say("indoor climbing"), say("inline skating")),
    *(say("horseback riding"), say("gravel cycling"), say("virtual ride"), say("assault bike")),
    *(say("track running"), say("indoor walking"), say("resort skiing"), say("backcountry skiing")),
    *(say("barre"), say("water fitness"), say("step training"), say("cross training")),
    *(say("flexibility"), say("mobility"), say("breathwork"), say("cooldown")),
    *(say("gardening"), say("housework"), say("sauna")),
    *(say("crossfit"), say("zumba"), say("curling"), say("stretching"), say("meditation"), say("other")),
)
SPORTS: Mapping[str, Text] = {**{str(name): name for name in _NAMES}, "gym": say("strength training of any kind")}


def sport_name(name: str) -> str:
    """Return the name of a known sport as it stands within a sentence, and any other name unchanged.

    >>> sport_name("HKWorkoutActivityTypeRunning"), sport_name("jogging"), sport_name("Unicycling with Ann")
    ('running', 'running', 'Unicycling with Ann')
    """
    return SPORTS.get(normalised(name), name)


def subject(name: str) -> str:
    """Return the name of what a suggestion is about, ready to show.

    A name in lower case is a sport as a watch names it and becomes ``sport_name``. Other names are unchanged.

    >>> subject("strength training"), subject("Run with Ann")
    ('strength training', 'Run with Ann')
    """
    return sport_name(name) if name.islower() else name
