"""Made calendars of several people and years, whose labels are known because they were made from them.

A life has common titles (``lab.people.titles``), and strands: a team, a course, a client, a child. A strand begins and
ends, and goes by a name of its own that no table knows. Half of what is said of it would mean something else alone.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from bridge.domain.ports import Invitation
from lab.classifier.corpus import Titled
from lab.people.titles import TITLES
from rhythm_env.interface import ActionType

A = ActionType
SINCE = datetime(2021, 1, 4, tzinfo=UTC)
STRANDS, COMMON_A_WEEK = (6, 24), 2  # some lives are mostly common titles
WEEKS = (30, 140)  # the shortest and the longest strand
OTHER_WAY, WHOLE_DAY = 0.1, 0.05  # shares of entries at another hour than is usual, and without an hour
Lived = tuple[datetime, Titled]


class Kind(NamedTuple):
    """Most entries of a kind of strand begin at ``hour``, and are held ``a_week`` times."""

    action: ActionType
    hour: int
    minutes: float
    others: int = 0
    online: bool = False
    a_week: float = 0.4


KINDS = {
    "team": Kind(A.EXERCISE, 19, 90, a_week=0.7),
    "band": Kind(A.SOCIALIZE, 20, 120, others=4),
    "client": Kind(A.ADMIN_WORK, 10, 45, others=3, online=True, a_week=0.7),
    "project": Kind(A.DEEP_WORK, 9, 120, a_week=0.7),
    "course": Kind(A.LEARN, 18, 90, others=12),
    "child": Kind(A.FAMILY_TIME, 16, 60, a_week=0.7),
    "friend": Kind(A.SOCIALIZE, 19, 150, others=1),
    "relative": Kind(A.FAMILY_TIME, 11, 240, a_week=0.3),
    "hobby": Kind(A.ME_TIME, 15, 90),
    "series": Kind(A.BINGE_WATCH, 21, 60),
    "circle": Kind(A.MEDITATE, 7, 30),
}
FORMS = {
    "en": {
        "team": "{} home|{} away|{} training|{} cup|{} meeting|Bus for {}|{} trials|{} under lights|{} - late kick-off",
        "band": "{} rehearsal|{} at the Anchor|{} gig|{} recording|{} planning|Van for {}|{} open air|{} new songs",
        "client": "{} sync|{} review|{}: numbers|{} kick-off|{} handover|{} open points|{} contract|Visit to {}|{}",
        "project": "{} core|{} chapter|{} rewrite|{} benchmarks|{} proofs|{} draft two|{} figures|{} morning|{}",
        "course": "{} week 3|{} problem sheet|{} lab|{} resit|{} notes|{} reading|{} groups|{} evening|{} room 12",
        "child": "{} swimming|{} flute|{} dentist|{} at Emily's|Fetch {}|{} trip|{} shoes|{} party|{} 1st day",
        "friend": "{}|{}?|{} over|{} in town|{} + dogs|{} leaving|Lunch {}|Pub, {}|{} moves house|Walk w/ {}",
        "relative": "{} visit|Phone {}|{} hospital|{} lunch|{} garden|{} birthday|{} here|Drive {} home",
        "hobby": "{} kit|{} glaze|{} bench|{} paint|{} show|{} parts|{} workshop|{} club night",
        "series": "{} s2|{} finale|{} special|{} ep 4|{} again|{} premiere|{} part 2|{} with Kim",
        "circle": "{} sitting|{} evening|{} half day|{} group|{} sunrise|{} day|{} call|{} hour",
    },
    "de": {
        "team": "{} Heimspiel|{} auswärts|{} Training|{} Pokal|{} Sitzung|Bus {}|{} Halle|{} Turnier|{} Termin",
        "band": "{} Probe|{} im Anker|{} Auftritt|{} Aufnahme|{} Planung|{} Bus|{} Sommerfest|{} neue Lieder",
        "client": "{} Abstimmung|{} Review|{}: Zahlen|{} Auftakt|{} Übergabe|{} offene Punkte|{} Vertrag|Besuch {}|{}",
        "project": "{} Kern|{} Kapitel|{} Umbau|{} Messungen|{} Beweise|{} zweite Fassung|{} Bilder|{} früh|{}",
        "course": "{} Woche 3|{} Übungsblatt|{} Labor|{} Nachtermin|{} Skript|{} Gruppe|{} Abend|{} Raum 12",
        "child": "{} Schwimmen|{} Flöte|{} Zahnarzt|{} bei Emil|{} abholen|{} Ausflug|{} Schuhe|{} Feier",
        "friend": "{}|{}?|{} zu Besuch|{} in der Stadt|{} + Hund|{} Abschied|Mittag {}|Kneipe, {}|{} Umzug",
        "relative": "{} Besuch|{} anrufen|{} Krankenhaus|{} Mittag|{} Garten|{} Geburtstag|{} hier|{} heimfahren",
        "hobby": "{} Bausatz|{} Glasur|{} Werkbank|{} Farbe|{} Ausstellung|{} Teile|{} Werkstatt",
        "series": "{} S2|{} Finale|{} Spezial|{} Folge 4|{} nochmal|{} Start|{} Teil 2",
        "circle": "{} sitzen|{} Abend|{} halber Tag|{} Gruppe|{} früh|{} Tag|{} Stunde",
    },
    "es": {
        "team": "{} en casa|{} fuera|{} entreno|{} copa|{} reunión|Bus {}|{} torneo|{} pabellón",
        "band": "{} ensayo|{} en el Ancla|{} bolo|{} grabación|{} planes|Furgo {}|{} fiestas",
        "client": "{} seguimiento|{} revisión|{}: cifras|{} arranque|{} cierre|{} pendientes|{} contrato|Visita {}|{}",
        "project": "{} núcleo|{} capítulo|{} cambios|{} medidas|{} pruebas|{} segunda versión|{} figuras|{}",
        "course": "{} semana 3|{} hoja 2|{} laboratorio|{} recuperación|{} apuntes|{} grupo|{} tarde|{} aula 12",
        "child": "{} natación|{} flauta|{} dentista|{} en casa de Leo|Recoger {}|{} excursión|{} zapatos|{} fiesta",
        "friend": "{}|{}?|{} aquí|{} en la ciudad|{} + perro|{} despedida|Comida {}|Bar, {}|{} mudanza",
        "relative": "{} visita|Llamar {}|{} hospital|{} comida|{} huerto|{} cumple|{} aquí|Llevar {}",
        "hobby": "{} maqueta|{} esmalte|{} banco|{} pintura|{} muestra|{} piezas|{} taller",
        "series": "{} t2|{} final|{} especial|{} ep 4|{} otra vez|{} estreno|{} parte 2",
        "circle": "{} sentada|{} tarde|{} medio día|{} grupo|{} amanecer|{} día|{} hora",
    },
    "fr": {
        "team": "{} à domicile|{} déplacement|{} entraînement|{} coupe|{} réunion|Bus {}|{} tournoi|{} gymnase",
        "band": "{} répétition|{} à l'Ancre|{} concert|{} enregistrement|{} planning|Camion {}|{} plein air",
        "client": "{} point|{} revue|{} : chiffres|{} lancement|{} passation|{} points ouverts|{} contrat|Visite {}|{}",
        "project": "{} noyau|{} chapitre|{} refonte|{} mesures|{} preuves|{} version deux|{} figures|{}",
        "course": "{} semaine 3|{} feuille 2|{} labo|{} rattrapage|{} notes|{} groupe|{} soir|{} salle 12",
        "child": "{} natation|{} flûte|{} dentiste|{} chez Léo|Chercher {}|{} sortie|{} chaussures|{} fête",
        "friend": "{}|{} ?|{} ici|{} en ville|{} + chien|{} départ|Midi {}|Bar, {}|{} déménage",
        "relative": "{} visite|Appeler {}|{} hôpital|{} déjeuner|{} jardin|{} anniversaire|{} ici|Ramener {}",
        "hobby": "{} maquette|{} émail|{} établi|{} peinture|{} salon|{} pièces|{} atelier",
        "series": "{} s2|{} finale|{} spécial|{} ép 4|{} encore|{} début|{} partie 2",
        "circle": "{} assise|{} soir|{} demi-journée|{} groupe|{} aube|{} jour|{} heure",
    },
}
BEGIN = ("Br", "Dr", "Gr", "K", "M", "N", "Pl", "Sk", "T", "Th", "V", "Z")
MIDDLE = ("a", "e", "i", "o", "u", "ai")
END = ("kk", "lm", "n", "nd", "r", "rv", "st", "x", "zz")


def lives(people: int = 10, years: int = 4, seed: int = 0) -> list[Lived]:
    """Return every entry of some people's calendars, by person and time."""
    languages = list(FORMS)
    found: list[Lived] = []
    for number in range(people):
        rng = random.Random(f"{seed} {number}")
        language = languages[number % len(languages)]
        own = [*_strands(language, 52 * years, rng), *_common(language, 52 * years, rng)]
        person = f"made {seed} {number}"
        found += sorted(((at, _titled(event, action, language, person)) for at, event, action in own), key=_at)
    return found


def once(lived: Sequence[Lived]) -> list[Lived]:
    """Return the first entry of each title of each person."""
    found: dict[tuple[str, str], Lived] = {}
    for at, one in lived:
        found.setdefault((one.person, one.event.title), (at, one))
    return list(found.values())


def _at(lived: Lived) -> datetime:
    return lived[0]


def _titled(event: Invitation, action: ActionType, language: str, person: str) -> Titled:
    return Titled(event=event, action=action, also=frozenset(), language=language, person=person)


Held = Iterator[tuple[datetime, Invitation, ActionType]]


def _strands(language: str, weeks: int, rng: random.Random) -> Held:
    kinds = rng.sample(list(KINDS), len(KINDS))
    for number in range(rng.randint(*STRANDS)):
        name = kinds[number % len(kinds)]
        kind, own, forms = KINDS[name], _name(rng), FORMS[language][name].split("|")
        last = rng.randrange(*WEEKS)
        first = rng.randrange(-last // 2, weeks - last // 2)
        weekday, recurring = rng.randrange(7) if kind.hour > 10 else rng.randrange(5), rng.random() < 0.2
        for week in range(max(first, 0), min(first + last, weeks)):
            if rng.random() < kind.a_week:
                title = forms[min(int(rng.expovariate(0.4)), len(forms) - 1)].format(own)
                yield _held(title, kind, SINCE + timedelta(weeks=week, days=weekday), recurring, rng)


def _common(language: str, weeks: int, rng: random.Random) -> Held:
    usual = {kind.action: kind for kind in KINDS.values()} | {A.SLEEP: Kind(A.SLEEP, 14, 30)}
    known = [(title, action) for action, titles in TITLES[language].items() for title in titles]
    rng.shuffle(known)
    for week in range(weeks):
        for _ in range(COMMON_A_WEEK):
            title, action = known[min(int(rng.expovariate(0.1)), len(known) - 1)]
            yield _held(title, usual[action], SINCE + timedelta(weeks=week, days=rng.randrange(7)), False, rng)


def _held(
    title: str, kind: Kind, day: datetime, recurring: bool, rng: random.Random
) -> tuple[datetime, Invitation, ActionType]:
    hour = rng.randrange(8, 21) if rng.random() < OTHER_WAY else kind.hour
    whole = rng.random() < WHOLE_DAY
    event = Invitation(
        title=title,
        start_hour=None if whole else hour,
        weekday=day.weekday(),
        minutes=1440 if whole else kind.minutes * rng.choice([0.5, 1, 1, 1, 2]),
        all_day=whole,
        others=kind.others,
        organised_by_me=kind.others == 0 or rng.random() < 0.5,
        conference=kind.online,
        located=rng.random() < 0.3,
        recurring=recurring,
    )
    return day + timedelta(hours=hour), event, kind.action


def _name(rng: random.Random) -> str:
    """Return a name that stands in no dictionary, such as "Skairvon"."""
    return rng.choice(BEGIN) + "".join(rng.choice(MIDDLE) + rng.choice(END) for _ in range(2))
