"""What is typed or set wrong is a sentence and an exit code, and what is shown is shown whole."""

from __future__ import annotations

import pytest

from tests.commands import bridge

FAR = "99999999999999999999"


@pytest.fixture
def ana() -> None:
    assert bridge("user", "add", "ana", "--zone", "Asia/Tokyo").returncode == 0


@pytest.mark.usefixtures("ana")
@pytest.mark.parametrize("command", [("feedback", "accept", "--id", FAR), ("token", "revoke", FAR)])
def test_a_number_that_no_row_can_have(command: tuple[str, ...]) -> None:
    done = bridge(*command, "--user", "ana")
    assert (done.returncode, "Input should be less than" in done.stderr) == (2, True)
