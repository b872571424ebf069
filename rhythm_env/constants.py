"""All numbers of the simulator. Comments mark each source: EXACT or INFERRED (Space InosLihka/rhythm_env), CAL ours.

CAL numbers were fitted to the published baselines. Any change requires a new ``ENV_VERSION``.
"""

from __future__ import annotations

from rhythm_env.interface import ActionType

ENV_VERSION = 1

METERS = 5  # vitality, cognition, progress, serenity, connection: V C P S N
STEPS, SLOTS = 28, 4  # EXACT: one week, four slots a day, step 0 is Monday morning

# Change of V, C, P, S, N by action. DEEP_WORK is EXACT, as are signs and rough sizes of other actions. SOCIALIZE's V is
# INFERRED from two anomalies. The remaining numbers are CAL.
EFFECTS: dict[ActionType, tuple[float, float, float, float, float]] = {
    ActionType.DEEP_WORK: (-0.12, -0.10, 0.18, -0.05, 0.00),
    ActionType.ADMIN_WORK: (-0.06, -0.05, 0.08, -0.03, 0.00),
    ActionType.LEARN: (-0.08, -0.08, 0.12, 0.02, 0.00),
    ActionType.SLEEP: (0.20, 0.10, 0.00, 0.05, 0.00),
    ActionType.EXERCISE: (0.12, 0.05, 0.00, 0.08, 0.00),
    ActionType.MEDITATE: (0.03, 0.08, 0.00, 0.15, 0.00),
    ActionType.FAMILY_TIME: (-0.04, -0.02, 0.00, 0.06, 0.15),
    ActionType.SOCIALIZE: (-0.06, -0.03, 0.00, 0.04, 0.12),
    ActionType.ME_TIME: (0.05, 0.03, 0.00, 0.10, -0.02),
    ActionType.BINGE_WATCH: (0.02, -0.05, 0.00, 0.06, -0.02),
}
WORK = (ActionType.DEEP_WORK, ActionType.ADMIN_WORK, ActionType.LEARN)
SOCIAL = (ActionType.FAMILY_TIME, ActionType.SOCIALIZE)
SOLO = (ActionType.MEDITATE, ActionType.ME_TIME)

START = (0.7, 0.7, 0.0, 0.7, 0.5)  # CAL, except that progress is "made this week" (EXACT), and an example shows 0.7
PROGRESS_BY_SLOT = (1.2, 1.0, 0.9, 0.8)  # CAL: factor on gains of progress, whose existence is EXACT
COST_BY_SLOT = (0.8, 1.0, 1.0, 1.2)  # CAL: factor on costs of vitality
GAIN_FLOOR, GAIN_SLOPE = 0.7, 0.3  # CAL: every gain times floor + slope * vitality
VITALITY_DECAY, CONNECTION_DECAY = 0.8, 1.1  # CAL: times the person's rate per step, for connection without company
SPIRAL = 1.2  # CAL: factor on losses while serenity is below the person's tolerance, whose existence is EXACT

# Events. Their existence and a trait of resilience are EXACT, the numbers are CAL.
EVENT_CHANCE = 0.10
EVENTS: dict[str, tuple[float, float, float, float, float]] = {
    "prod_crash": (-0.10, -0.05, -0.10, -0.15, 0.0),
    "family_emergency": (-0.08, 0.0, 0.0, -0.12, -0.10),
    "illness": (-0.20, -0.15, 0.0, -0.05, 0.0),
    "good_news": (0.05, 0.05, 0.05, 0.10, 0.05),
}

# Traits and weights of a person are EXACT in words. Ranges are CAL, except the ends of social_cost, which are INFERRED.
WEIGHT_FLOOR = 0.05  # of a Dirichlet(1, 1, 1, 1, 1), renormalised
RANGES: dict[str, tuple[float, float]] = {
    "social_cost": (0.2, 3.0),  # times the vitality that company takes
    "morning_bonus": (-0.05, 0.05),  # cognition on work in the morning
    "evening_bonus": (-0.05, 0.05),  # cognition on work in the evening and at night
    "guilt": (0.0, 1.0),  # above 0.5, binge-watching costs serenity
    "work_serenity": (0.0, 0.10),  # progress_serenity_bonus
    "work_recovery": (0.0, 0.06),  # work_vitality_recovery
    "vitality_decay": (0.005, 0.03),
    "connection_decay": (0.005, 0.02),
    "event_impact": (0.5, 1.5),
    "solo_serenity": (0.0, 0.10),
    "social_serenity": (0.0, 0.08),
    "tolerance": (0.15, 0.35),
    "idle_decay": (0.0, 0.03),  # serenity on what is neither work nor sleep
}
GUILT_COST = 0.12
SEED_SCRAMBLE = 0xA3C5F729  # EXACT: a profile's generator is seeded with seed XOR this
OOD_FROM = 10_000  # INFERRED: out of distribution means the same sampler with seeds from this number on
SHIFTED = 1.25  # ours: factor by which traits may exceed the training ranges' half-width, never below 0

# The three archetypes. Names, progress weight .70 and the anomalies are EXACT, other numbers INFERRED or CAL.
ARCHETYPES: dict[str, dict[str, float | tuple[float, ...]]] = {
    "introvert_morning": {
        "weights": (0.05, 0.05, 0.20, 0.60, 0.10),
        "social_cost": 3.0,
        "morning_bonus": 0.05,
        "evening_bonus": -0.05,
        "solo_serenity": 0.10,
        "guilt": 1.0,
    },
    "extrovert_night_owl": {
        "weights": (0.05, 0.05, 0.10, 0.05, 0.75),
        "social_cost": 0.2,
        "morning_bonus": -0.05,
        "evening_bonus": 0.05,
        "social_serenity": 0.06,
        "event_impact": 0.8,
    },
    "workaholic_stoic": {
        "weights": (0.05, 0.05, 0.70, 0.10, 0.10),
        "social_cost": 1.0,
        "work_recovery": 0.06,
        "work_serenity": 0.10,
        "vitality_decay": 0.03,
        "event_impact": 0.5,
        "idle_decay": 0.03,
    },
}
NEUTRAL: dict[str, float] = {  # the reference person of anomalies, and the defaults of archetypes
    "social_cost": 1.0,
    "morning_bonus": 0.0,
    "evening_bonus": 0.0,
    "guilt": 0.0,
    "work_serenity": 0.0,
    "work_recovery": 0.0,
    "vitality_decay": 0.0175,
    "connection_decay": 0.0125,
    "event_impact": 1.0,
    "solo_serenity": 0.0,
    "social_serenity": 0.0,
    "tolerance": 0.25,
    "idle_decay": 0.0,
}

# Reward of a step. Its parts are EXACT, the sizes CAL.
REWARD_SCALE = 12.0  # on the weighted sum of changes
PROGRESS_BIAS, CONNECTION_BIAS = 0.5, 0.4  # EXACT since the third iteration, for everybody
CRASH_LEVEL, CRASH_PENALTY = 0.10, 0.30  # the level is EXACT, the penalty CAL
TERMINAL_SCALE = 5.0  # times (final score - 0.5), on the last step

# The grade's weights: v1 and v2 are EXACT.
GRADE_V1 = {"crash_free": 0.20, "progress": 0.25, "connection": 0.15, "adaptation": 0.30, "efficiency": 0.10}
GRADE_V2 = {
    "crash_free": 0.15,
    "progress": 0.20,
    "connection": 0.10,
    "adaptation": 0.25,
    "efficiency": 0.10,
    "belief_accuracy": 0.20,
}
ADAPTED_BY, QUALITY_FLOOR, QUALITY_SPAN = (
    0.3,
    0.5,
    1.5,
)  # CAL: gain that counts as adapted, and scale of the late reward
EFFICIENCY_FLOOR, EFFICIENCY_SPAN = 0.5, 2.0  # CAL

# The true belief about a person, from three traits per dimension. Their number and the traits of work are EXACT,
# the other traits CAL. Ranks among all people are averaged and stretched so that the constant .5 errs by .20 (EXACT).
BELIEF: dict[str, tuple[tuple[str, float], ...]] = {
    "social": (("social_cost", -1.0), ("social_serenity", 1.0), ("weight_connection", 1.0)),
    "morning": (("morning_bonus", 1.0), ("evening_bonus", -1.0), ("vitality_decay", -0.5)),
    "work": (("work_recovery", 1.0), ("work_serenity", 1.0), ("weight_progress", 1.0)),
}
BELIEF_STRETCH = {"social": 1.5, "morning": 1.5, "work": 1.5}
