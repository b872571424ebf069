"""People of a world in the whole loop: they answer by its rule and not by the simulator's."""

from __future__ import annotations

from pathlib import Path

from lab.closed_loop.ablations import Arm
from lab.closed_loop.living import lived
from rhythm_env.interface import Answer

NEVER = """
class Person:
    def __init__(self, rng, profile):
        pass

    def chance(self, **about):
        return 1.0 if about["slot"] == 0 else 0.0
"""


def test_people_of_a_file_answer_as_it_says(tmp_path: Path) -> None:
    file = tmp_path / "mornings.py"
    file.write_text(NEVER)
    found = lived(1, Arm(policy="random"), 1, str(file))
    taken = {at: answer == Answer.ACCEPT for at, answer in enumerate(found.answers) if answer is not None}
    assert taken == {at: at % 4 == 0 for at in taken}
    assert {at % 4 for at in taken} == {0, 1, 2, 3}
