"""Titles of activities in four languages, each of which means the same action in every language."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from rhythm_env.interface import ActionType

A = ActionType
HOMES = {  # language -> where people who speak it live here
    "en": "Europe/London",
    "de": "Europe/Berlin",
    "es": "Europe/Madrid",
    "fr": "Europe/Paris",
}
STANDING = {"en": "Daily standup", "de": "Daily im Team", "es": "Daily del equipo", "fr": "Point quotidien équipe"}
PAIRED = {"en": "1:1 with Priya", "de": "Jour fixe mit Anke", "es": "1:1 con Marta", "fr": "Tête-à-tête avec Luc"}
TITLES: Mapping[str, Mapping[ActionType, tuple[str, ...]]] = MappingProxyType(
    {
        "en": {
            A.DEEP_WORK: ("Focus: parser rewrite", "Deep work", "Write chapter 3", "Heads down: migration plan"),
            A.ADMIN_WORK: ("Invoices and expenses", "Clear the inbox", "Project status call", "Budget review"),
            A.LEARN: ("Statistics course", "Portuguese lesson", "Study for the exam", "Kubernetes tutorial"),
            A.SLEEP: ("Nap", "Early night", "Lie down for a bit"),
            A.EXERCISE: ("Run by the river", "Gym: legs", "Swimming", "Cycling with the club"),
            A.MEDITATE: ("Meditation", "Breathing exercise", "Mindfulness sitting"),
            A.FAMILY_TIME: ("Dinner with the kids", "Visit mum and dad", "School play", "Board games at home"),
            A.SOCIALIZE: ("Drinks with Sam", "Coffee with Ines", "Birthday party at Joe's", "Pub quiz with friends"),
            A.ME_TIME: ("Read my novel", "Long bath", "Paint a little", "Garden"),
            A.BINGE_WATCH: ("Netflix", "Series marathon", "Watch season 2", "YouTube evening"),
        },
        "de": {
            A.DEEP_WORK: (
                "Konzept schreiben",
                "Konzentriert arbeiten",
                "Fokuszeit Architektur",
                "Kapitel überarbeiten",
            ),
            A.ADMIN_WORK: (
                "Rechnungen und Belege",
                "E-Mails abarbeiten",
                "Projektbesprechung",
                "Reisekosten abrechnen",
            ),
            A.LEARN: ("Italienischkurs", "Für die Prüfung lernen", "Onlinekurs Statistik", "Klavierunterricht"),
            A.SLEEP: ("Mittagsschlaf", "Früh ins Bett", "Nickerchen"),
            A.EXERCISE: ("Joggen", "Fitnessstudio", "Schwimmen gehen", "Volleyballtraining"),
            A.MEDITATE: ("Meditieren", "Atemübung", "Autogenes Training"),
            A.FAMILY_TIME: ("Abendessen mit der Familie", "Oma besuchen", "Spielplatz mit Emil", "Elternabend Emil"),
            A.SOCIALIZE: ("Bier mit Jannik", "Kaffee mit Svenja", "Geburtstagsfeier Tim", "Stammtisch"),
            A.ME_TIME: ("Buch lesen", "Badewanne", "Malen", "Im Garten werkeln"),
            A.BINGE_WATCH: ("Serienabend", "Netflix schauen", "Staffel 2 gucken", "Fernsehabend"),
        },
        "es": {
            A.DEEP_WORK: ("Redactar el informe", "Trabajo concentrado", "Bloque de programación", "Escribir la tesis"),
            A.ADMIN_WORK: ("Facturas y papeleo", "Responder correos", "Reunión de seguimiento", "Gestiones del banco"),
            A.LEARN: ("Clase de inglés", "Estudiar para el examen", "Curso de fotografía", "Clase de guitarra"),
            A.SLEEP: ("Siesta", "Acostarse pronto", "Dormir un rato"),
            A.EXERCISE: ("Salir a correr", "Gimnasio", "Pádel", "Natación"),
            A.MEDITATE: ("Meditación guiada", "Respiración consciente", "Mindfulness en casa"),
            A.FAMILY_TIME: (
                "Cena en familia",
                "Comida con los abuelos",
                "Parque con los niños",
                "Película con mi hija",
            ),
            A.SOCIALIZE: ("Cañas con Lucía", "Café con Andrés", "Cumpleaños de Nuria", "Cena con amigos"),
            A.ME_TIME: ("Leer tranquilo", "Baño relajante", "Pintar un rato", "Paseo a solas"),
            A.BINGE_WATCH: ("Maratón de series", "Noche de Netflix", "Ver la temporada 2", "Tarde de tele"),
        },
        "fr": {
            A.DEEP_WORK: ("Rédiger le mémoire", "Travail de fond", "Bloc de code", "Écrire le rapport"),
            A.ADMIN_WORK: ("Factures et paperasse", "Répondre aux mails", "Réunion de suivi", "Déclaration d'impôts"),
            A.LEARN: ("Cours d'espagnol", "Réviser l'examen", "Cours de piano", "Formation en ligne"),
            A.SLEEP: ("Sieste", "Se coucher tôt", "Dormir un peu"),
            A.EXERCISE: ("Course à pied", "Salle de sport", "Piscine", "Vélo"),
            A.MEDITATE: ("Méditation", "Exercice de respiration", "Pleine conscience"),
            A.FAMILY_TIME: ("Dîner en famille", "Voir mes parents", "Jeux avec les enfants", "Anniversaire de mamie"),
            A.SOCIALIZE: ("Verre avec Chloé", "Café avec Hugo", "Soirée chez Inès", "Resto entre amis"),
            A.ME_TIME: ("Lire un roman", "Bain chaud", "Dessiner", "Jardinage"),
            A.BINGE_WATCH: ("Soirée série", "Regarder Netflix", "Marathon de films", "Saison 2 ce soir"),
        },
    }
)


@cache
def meant() -> Mapping[str, ActionType]:
    """Return title -> the action it stands for, weekly meetings included."""
    found = {title: action for words in TITLES.values() for action, titles in words.items() for title in titles}
    return found | dict.fromkeys([*STANDING.values(), *PAIRED.values()], A.ADMIN_WORK)
