"""The simulation script measures what it says, on few repetitions."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "statistics.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("simulations_script", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_every_kind_of_data_has_the_mean_it_states(script):
    for setting in script.independent_settings() + script.clustered_settings():
        values = setting.draw(2000, setting.generator(0))
        assert values.shape == (setting.n, 2000)
        error = values.mean(axis=0).std() / np.sqrt(2000)
        assert values.mean() == pytest.approx(setting.kind.mean, abs=4.5 * error)


def test_scenes_share_as_much_as_stated(script):
    for setting in script.clustered_settings():
        if "0/1" not in setting.name and "normal, 1" not in setting.name.replace("log-normal", ""):
            continue
        values = setting.draw(1000, setting.generator(1)).reshape(setting.scenes, 15, 1000)
        own = values.var(axis=1, ddof=1).mean()
        shared = values.mean(axis=1).var(axis=0, ddof=1).mean() - own / 15
        assert shared / (shared + own) == pytest.approx(setting.icc, abs=0.03)


def test_coverage_is_near_its_nominal_value_for_normal_data(script):
    kind = script.Kind("normal", lambda z, _: z, 0.0)
    found = script.coverage(script.Setting(kind, 60), 200)
    for method, (percent, width) in found.items():
        assert 88 < percent <= 100, method
        assert width == pytest.approx(2 * 1.96 / np.sqrt(60), rel=0.15)


def test_false_positives_are_rare(script):
    setting = script.comparison_settings()[0]
    rate, held = script.false_positives(setting, 200)
    assert rate < 9
    assert held > 90
