"""The proxy map: shipped, checked, changed by its owner."""

from dataclasses import replace

import pytest

from bridge.domain.errors import SetupError
from bridge.domain.metrics import Metric
from bridge.meters import proxy, read
from bridge.meters.fuse import EXPIRY
from rhythm_env.interface import Meter

from .life import body, known, nightly


def changed(tmp_path, text):
    path = tmp_path / "meters.toml"
    path.write_text(text, encoding="utf-8")
    return proxy.overridden(path)


def test_the_shipped_table_is_sound_and_complete():
    shipped = proxy.shipped()
    assert {row.meter for row in shipped.rows} == set(Meter)
    assert all(row.source and row.inputs for row in shipped.rows)
    assert {row.signal for row in shipped.rows if row.weight <= 0} == {"sleep_strained", "steps"}
    assert set(shipped.validity) == {Meter.VITALITY, Meter.SERENITY}
    assert all(row.half_life_h is None or row.half_life_h <= EXPIRY for row in shipped.rows)


def test_without_overrides_it_is_as_shipped(tmp_path):
    assert proxy.overridden(tmp_path / "nothing.toml") is proxy.shipped()
    assert proxy.differences(proxy.shipped()) == []


def test_an_override_changes_its_row_the_version_and_the_meter(tmp_path):
    mine = changed(tmp_path, "[VITALITY.sleep]\nweight = 0.0\n\n[VITALITY.hrv]\ndirection = -1\nhalf_life_h = 8\n")
    assert mine.version.startswith(f"{proxy.shipped().version}+")
    assert [now.signal for _, now in proxy.differences(mine)] == ["sleep", "hrv"]
    life = known(nightly(Metric.HRV_RMSSD, 0, 15), *(one for one in body() if one.key != "whoop/hrv_rmssd/0"))
    before, after = (read(replace(life, proxies=m))[Meter.VITALITY] for m in (None, mine))
    assert "sleep" not in {b.signal for b in after.because}
    hrv = [next(b.z for b in reading.because if b.signal == "hrv") for reading in (before, after)]
    assert hrv[0] == -hrv[1] != 0


def test_a_meter_that_is_read_by_other_rules_is_not_validated(tmp_path):
    mine = changed(tmp_path, "[VITALITY.sleep]\nweight = 0.0\n\n[SERENITY.sleep]\nweight = 0.8\n")
    assert set(mine.validity) == {Meter.SERENITY}  # 0.8 is what is shipped


def test_a_map_that_is_changed_on_the_way_is_read_again(tmp_path):
    path = tmp_path / "meters.toml"
    assert proxy.current(path) is proxy.shipped()
    changed(tmp_path, "[VITALITY.steps]\nweight = 0.0\n")
    mine = proxy.current(path)
    assert mine.version != proxy.shipped().version
    assert proxy.current(path) is mine
    changed(tmp_path, "[VITALITY.steps]\nweight = 0.25\n")
    assert proxy.current(path).of(Meter.VITALITY)["steps"].weight == 0.25
    path.unlink()
    assert proxy.current(path) is proxy.shipped()


def test_equal_overrides_have_one_version_and_others_another(tmp_path):
    versions = [
        changed(tmp_path, text).version
        for text in ("[VITALITY.steps]\nweight = 0.0\n", "[VITALITY.steps]\nweight=0.0", "[VITALITY.steps]\nweight = 1")
    ]
    assert versions[0] == versions[1] != versions[2]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[VITALITY.steps]\nweight = -1", "weight must be a number from 0 to 10"),
        ("[VITALITY.steps]\nweight = nan", "weight must be a number from 0 to 10"),
        ("[VITALITY.steps]\nweight = true", "weight must be a number from 0 to 10"),
        ("[VITALITY.steps]\ndirection = 0", "direction must be 1"),
        ("[VITALITY.steps]\nhalf_life_h = 0", "half_life_h must be a number of hours"),
        ("[VITALITY.steps]\ninputs = ['stress']", "only direction, half_life_h, weight"),
        ("[VITALITY.moon]\nweight = 1", "has no row VITALITY.moon"),
        ("[LUCK.steps]\nweight = 1", "has no row LUCK.steps"),
        ("VITALITY = 3", r"write \[VITALITY.SIGNAL\]"),
        ("what?", "is not TOML"),
    ],
)
def test_a_wrong_override_says_what_is_wrong(tmp_path, text, complaint):
    with pytest.raises(SetupError, match=complaint):
        changed(tmp_path, text)


def test_written_overrides_are_read_back(tmp_path):
    changes = {"SERENITY": {"stress": {"weight": 0.5, "direction": 1}}, "VITALITY": {"steps": {}}}
    path = tmp_path / "meters.toml"
    path.write_text(proxy.written(changes), encoding="utf-8")
    assert proxy.overrides(path) == {"SERENITY": {"stress": {"weight": 0.5, "direction": 1}}}
