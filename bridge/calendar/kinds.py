"""Find out what an entry is by the words of its title, in seven languages.

The worked examples use the names of ``tests/calendar/examples.py``.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from bridge.calendar.busy import OPEN_HOURS, takes_time
from bridge.calendar.flights import is_by_land, is_journey
from bridge.calendar.meetings import NO_MEETING, is_meeting
from bridge.domain.types import Label, Occurrence, Response, Task
from rhythm_env.interface import ActionType

SURE = 0.5  # confidence of a label from which an entry counts as its action
LEAD, CLEAR = 0.45, 0.85  # of the likeliest kind before the next, to be claimed; confidence that a word of work leaves
WORKS = frozenset({ActionType.DEEP_WORK, ActionType.ADMIN_WORK, ActionType.LEARN})
OF_WORK = re.compile(  # words of work, and of doctors, whose visits are no time for oneself: en, de, fr, es, it, nl, pt
    r"\b(technical|interview|client|customer|sprint|project|video ?call|call|meeting|besprechung|kunden?|projekt|"
    r"réunion|reunión|riunione|vergadering|reunião)\b|"
    r"\b(dr|doctor|dentist|physio\w*|clinic|hospital|x-?ray|\w*arzt|\w*ärztin|praxis|médecin|dentiste|médico|dentista|"
    r"medico|huisarts|tandarts)\b",
    re.IGNORECASE,
)
MEAL = re.compile(  # en, de, fr, es, it, nl, pt
    r"\b(lunch|brunch|dinner|supper|mittagessen|abendessen|mittag|déjeuner|dîner|almuerzo|comida|cena|pranzo|"
    r"avondeten|almoço|jantar)\b",
    re.IGNORECASE,
)
AT_HOME = re.compile(
    r"^\s*(home|home ?-?office|(work(ing)?|wfh)( from| at)? home|wfh|homeoffice|zu ?hause|daheim|télétravail|en casa|"
    r"a casa|thuis(werken)?)\s*$",
    re.IGNORECASE,
)
# An all-day entry with such a word is a day off: en, de, fr, es, it, nl, pt, and the emoji of beach and palm.
DAY_OFF = re.compile(
    r"\b(vacation|holidays?|pto|(annual|sick|parental|maternity|paternity) leave|on leave|days? off|time off|ooo|"
    r"out of office|sick day|honeymoon|\w*urlaub|\w*ferien|\w*feiertag|brückentag|krankgeschrieben|gleittag|"
    r"vacances|congés?|férié|vacaciones|festivo|ferie|vacanza|vakantie|feestdag|férias|feriado)\b|[🏖🏝🌴]",
    re.IGNORECASE,
)
STAY = re.compile(  # words of all-day entries that are spent away from home: en, de, fr, es, it, nl, pt
    r"\b(trip|hotel|hostel|airbnb|travell?ing|stay(ing)? (in|at)|(weekend|holidays?|vacation|conference) in|"
    r"\w*(reise|trip)|verreist|auswärts|ferien(wohnung|haus)|(wochenende|urlaub|ferien|tagung) in|"
    r"voyage|déplacement|hôtel|gîte|(vacances|week-end) (à|en|au|aux)|viaje|viaggio|trasferta|\w*reis|viagem)\b",
    re.IGNORECASE,
)
ABOUT_A_STAY = re.compile(  # words of what is only done for such days, or of somebody else's
    r"\b(plan(ning)?|pack(ing)?|book(ing)?|buy|pay|prepare|cancel|claim|form|ideas?|deadline|back|return(ing)?|school|"
    r"class|field|planen|planung|packen|buchen|buchung|bezahlen|vorbereiten|stornieren|abrechnung|\w*kosten|zurück|"
    r"klassen\w*|préparer|valises?|réserver|réservation|payer|annuler|frais|retour|scolaire|reservar|prenotare|boeken|"
    r"\w*['’]s)\b",
    re.IGNORECASE,
)
PUBLIC = re.compile(r"holiday|feiertag|festivo|férié|feestdag", re.IGNORECASE)  # in the name of a calendar
PUBLIC_DAY = re.compile(  # in the title of a free day on which offices and shops are closed
    r"\b((bank|public|national) holiday|\w*feiertag|(jour )?férié|festivo|festività|feestdag|feriado)", re.IGNORECASE
)
# Words of errands that take minutes, and of those that need somebody to answer: en, de, fr, es, it, nl, pt.
QUICK = re.compile(
    r"\b(pay|book|call|phone|ring|reply|answer|email|e-mail|mail|send|order|buy|renew|confirm|cancel|sign|submit|"
    r"bezahlen|überweisen|anrufen|buchen|antworten|bestellen|kaufen|kündigen|payer|appeler|réserver|répondre|"
    r"pagar|llamar|reservar|pagare|chiamare|prenotare|betalen|bellen|boeken|ligar|marcar)\b",
    re.IGNORECASE,
)
OWED = re.compile(  # what others wait for: bills, taxes and papers of authorities
    r"\b(pay|payment|bills?|invoices?|tax|taxes|vat|rent|fines?|fees?|premium|visa|permit|passport|bezahlen|überweisen|"
    r"zahlung|\w*rechnung(en)?|\w*steuer(n|erklärung)?|miete|mahnung|bußgeld|gebühr(en)?|ausweis|payer|paiement|factures?|"
    r"impôts?|loyer|amende|passeport|pagar|pago|facturas?|impuestos?|alquiler|multas?|pasaporte|pagare|fattur[ae]|tass[ae]|"
    r"affitto|multe|passaporto|betalen|betaling|factuur|facturen|belasting\w*|huur|boete|paspoort|pagamento|faturas?|"
    r"impostos?|aluguel|passaporte)\b",
    re.IGNORECASE,
)
CALL = re.compile(
    r"\b(book|call|phone|ring|dentist|doctor|appointment|bank|insurance|embassy|city hall|town hall|registry|passport|"
    r"landlord|pharmacy|anrufen|zahnarzt|arzt|ärztin|termin|versicherung|bürgeramt|\w*amt|hausverwaltung|apotheke|appeler|"
    r"dentiste|médecin|rendez-vous|banque|assurance|mairie|préfecture|llamar|dentista|médico|cita|banco|seguro|"
    r"ayuntamiento|chiamare|medico|appuntamento|banca|comune|bellen|tandarts|huisarts|afspraak|gemeente|ligar|consulta)\b",
    re.IGNORECASE,
)
FETCH = re.compile(  # what a shop or office hands out or takes while it is open: en, de, fr, es, it, nl, pt
    OPEN_HOURS.pattern + r"|\b(collect|fetch|abholen|zurückbringen|récupérer|recoger|ritirare|ophalen|levantar)\b",
    re.IGNORECASE,
)
# Words of errands of one's own, which are no work and need open shops: en, de, fr, es, it, nl, pt.
SHOPPING = re.compile(
    FETCH.pattern
    + r"|\b(buy|shopping|groceries|gifts?|presents?|library|kaufen|besorgen|einkauf\w*|geschenke?|bibliothek|"
    r"bücherei|acheter|courses|cadeaux?|bibliothèque|comprar|regalos?|biblioteca|comprare|regal[oi]|kopen|cadeau|"
    r"bibliotheek|presentes?)\b",
    re.IGNORECASE,
)
WRITTEN = re.compile(  # in a title: what is written or sent to others, which an office does too
    r"\b(write|draft|send|mail|e-?mail|reply|answer|confirm|sign|submit|schreiben|schicken|senden|antworten|einreichen|"
    r"écrire|envoyer|répondre|escribir|enviar|responder|scrivere|inviare|rispondere|schrijven|sturen|antwoorden|"
    r"escrever)\b",
    re.IGNORECASE,
)
OUTSIDE = re.compile(  # in a title: guests whose time it is, and everybody at once: en, de, fr, es, it, nl, pt
    r"\b(clients?|customers?|interviews?|candidates?|vendors?|suppliers?|investors?|all[ -]hands|town ?hall|webinar|"
    r"kund\w*|bewerb\w*|vorstellungsgespräch|lieferant\w*|betriebsversammlung|candidat\w*|fournisseurs?|entretien|"
    r"entrevista|clientes?|candidatos?|proveedor\w*|clienti|candidati|fornitor[ei]|colloquio|klant\w*|"
    r"sollicitatie\w*|leverancier\w*|fornecedor\w*)\b",
    re.IGNORECASE,
)

RACE = re.compile(
    r"\b(race|(half |ultra)?-?marathon|triathlon|ironman|duathlon|parkrun|running series|mile run|\d+ ?k run|\w*lauf|"
    r"course|carrera|corsa|wedstrijd|corrida)\b",
    re.IGNORECASE,
)
EXAM = re.compile(
    r"\b(exams?|midterms?|viva|\w*prüfung|klausur|abitur|examens?|partiels?|exámen(es)?|esame|tentamen|exame|prova)\b",
    re.IGNORECASE,
)
OF_LABEL = frozenset(
    {ActionType.DEEP_WORK, ActionType.ADMIN_WORK, ActionType.LEARN, None}
)  # else "Call with mum" would be one
MEETING = re.compile(  # in a title: en, de, fr, es, it, nl, pt
    r"\b(\w*meetings?|(video|conference)? ?calls?|\w*sync|stand-?up|1 ?(:|-|on) ?1|one[ -]on[ -]one|catch-?up|"
    r"kick-?off|retro(spective)?|interview|jour fixe|\w*besprechung(en)?|\w*gespräch|réunion|reunión|"
    r"riunione|vergadering|reunião)\b",
    re.IGNORECASE,
)
MANY = 20  # others, whom nobody alone can send to lunch; our choice
LESSON = re.compile(  # in a title: what is held before others or together with them: en, de, fr, es, it, nl, pt
    r"\b(lectures?|class(es)?|lessons?|seminars?|workshops?|tutorials?|trainings?|courses?|\w*vorlesung(en)?|"
    r"\w*unterricht|unterrichtsstunde|doppelstunde|\w*kurs|\w*seminare?|\w*schulung|cours|atelier|clases?|taller|lezione|lezioni|corso|"
    r"les(sen)?|college|cursus|aulas?)\b",
    re.IGNORECASE,
)
FOCUS = frozenset(
    {"focus", "time", "deep", "work", "working", "block", "session", "concentration", "writing", "quiet"}
    | {"fokus", "fokuszeit", "fokusblock", "arbeit", "arbeitszeit", "konzentration", "konzentriert", "konzentriertes"}
    | {"schreibzeit", "schreibblock", "rédaction", "travail", "bloc"}
)  # words of an entry that keeps time for any task


def claimed(occurrence: Occurrence, label: Label) -> Label:
    """Return an entry's label. Its action is removed if that is not work and the title leaves it uncertain."""
    event, shares = occurrence.event, sorted(label.shares)[-2:]
    if label.action is None or event.private or label.confidence >= 1:
        return label
    if is_by_land(occurrence) or is_journey(occurrence):
        return replace(label, action=None, runner_up=label.action)
    if label.action in WORKS or event.kind != "default":
        return label
    open_ = label.confidence < SURE or (len(shares) > 1 and shares[1] - shares[0] < LEAD)
    if open_ or _reads_as_work(_searched(occurrence), label):
        return replace(label, action=None, runner_up=label.action)
    return label


def _reads_as_work(title: str, label: Label) -> bool:
    if label.action is ActionType.ME_TIME:
        return _is_medical(title)
    return OF_WORK.search(title) is not None and label.confidence < CLEAR


def _is_medical(title: str) -> bool:
    found = OF_WORK.search(title)
    return found is not None and found[2] is not None


def is_stay(entry: Occurrence) -> bool:
    """Return True for an all-day entry of days away from home, such as a trip or a hotel.

    >>> titles = "Trip to Rome", "Dienstreise Wien", "Hotel Ibis Lyon", "Plan trip to Rome", "Mia's school trip"
    >>> [is_stay(entry(0, 24, title=title, first_day=date(2026, 11, 20))) for title in titles]
    [True, True, True, False, False]
    """
    title, event = (title_of(entry) or "")[:200], entry.event
    held = event.all_day and not event.cancelled and event.response is not Response.DECLINED
    return held and STAY.search(title) is not None and ABOUT_A_STAY.search(title) is None


def title_of(entry: Occurrence) -> str | None:
    return None if entry.event.private else entry.event.title


def _searched(entry: Occurrence) -> str:
    return (title_of(entry) or "")[:200]


def what_is(entry: Occurrence, label: Label, races: Collection[Occurrence]) -> str:
    """Return a word for the kind of an entry, which is flight, journey, race, sport, exam or entry.

    Entries in ``races`` count as race or sport, whatever their label.
    """
    if is_journey(entry) or is_by_land(entry):
        return "flight" if is_journey(entry) else "journey"
    if entry in races or (label.action is ActionType.EXERCISE and label.confidence >= SURE):
        return "race" if RACE.search(_searched(entry)) else "sport"
    return "exam" if EXAM.search(_searched(entry)) else "entry"


def counts_as_meeting(occurrence: Occurrence, label: Label) -> bool:
    """Return True for an entry of work, or of unknown kind, with others or with a word for a meeting in its title.

    >>> gym, sync = planned(9, 10, "EXERCISE", others=3), planned(9, 10, "ADMIN_WORK", title="Team sync")
    >>> counts_as_meeting(*gym), counts_as_meeting(*sync), counts_as_meeting(*planned(9, 10, "DEEP_WORK"))
    (False, True, False)
    """
    event, title = occurrence.event, _searched(occurrence)
    if _is_medical(title) or label.action not in OF_LABEL or event.kind in NO_MEETING or not takes_time(event):
        return False
    return is_meeting(event) or MEETING.search(title) is not None


def hold(occurrence: Occurrence, label: Label) -> int:
    """Return how binding an entry is, 0 for the user's own time, 1 with colleagues, 2 with outsiders, crowds or exams.

    >>> [hold(*planned(9, 10, "ADMIN_WORK", title=title)) for title in ("Budget", "Team sync", "Client call")]
    [0, 1, 2]
    """
    event, title = occurrence.event, _searched(occurrence)
    if _is_medical(title) or event.others >= MANY or OUTSIDE.search(title) or EXAM.search(title):
        return 2
    return int(event.others > 0 or counts_as_meeting(occurrence, label))


def may_be_for(occurrence: Occurrence, task: Task) -> bool:
    """Return True for a block of one's own work: of no subject, or of that of a task.

    >>> essay = task(20, title="Finish essay on soil")
    >>> [may_be_for(entry(9, 10, title=title), essay) for title in ("Focus time", "Writing: essay", "Essay class")]
    [True, True, False]
    """
    event, title = occurrence.event, _searched(occurrence)
    if is_meeting(event) or any(kind.search(title) for kind in (MEETING, OUTSIDE, EXAM, LESSON)):
        return False
    named = words(title)
    own = named - FOCUS
    shared = len(own & words(task.title))
    if own == named:  # no word for a block: most of it names the task
        return shared * 2 > len(own)
    return not own or shared > 0


def is_meal(occurrence: Occurrence) -> bool:
    return MEAL.search(_searched(occurrence)) is not None


def words(title: str | None) -> set[str]:
    """Return the words of at least three letters of a title, in lower case."""
    return set(re.findall(r"[^\W\d_]{3,}", (title or "")[:200].lower()))
