"""What holds for every metric this package brings."""

from __future__ import annotations

import doctest
import inspect

import numpy as np
import pytest

from abotn._version import __version__
from abotn.metrics.plugin import abotn_metrics
from abotn.metrics.registry import MetricRegistry
from abotn.metrics.testing import check_metric
from abotn.plugins.manager import PluginManager

METRICS = {spec.name: spec for spec in abotn_metrics()}
FORMS = {
    f"{form.category}-{form.name}": form
    for spec in METRICS.values()
    for form in (spec, *spec.variants)
}
SECTIONS = ("Args:", "Returns:", "Source:")
HEAD_ON = {
    "soft_ttc": {
        "prediction": [np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])] * 5,
        "actor_trajs": [np.array([[[9.0, 0.0], [8.0, 0.0], [k, 0.0]]]) for k in range(3, 8)],
    }
}


@pytest.mark.parametrize("name", METRICS)
def test_keeps_the_contract(name):
    check_metric(METRICS[name], inputs=HEAD_ON.get(name))


@pytest.mark.parametrize("name", FORMS)
def test_is_declared_in_full(name):
    spec = FORMS[name]
    text = inspect.getdoc(spec.function) or ""
    assert spec.reference
    assert all(section in text for section in SECTIONS)
    positions = [text.index(section) for section in SECTIONS]
    assert positions == sorted(positions)
    assert all(f"    {argument}:" in text for argument in (*spec.inputs, *spec.parameters))


@pytest.mark.parametrize("name", FORMS)
def test_example_in_the_docstring_runs(name):
    function = FORMS[name].function
    names = {**vars(inspect.getmodule(function)), "np": np, FORMS[name].name: FORMS[name]}
    test = doctest.DocTestParser().get_doctest(inspect.getdoc(function), names, name, None, 0)
    takes_a_trajectory = "trajectory" in FORMS[name].inputs
    assert bool(test.examples) != takes_a_trajectory
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0


@pytest.mark.parametrize("name", [name for name, form in FORMS.items() if form.sample])
def test_array_metrics_say_which_argument_is_bad(name):
    """An array that is not finite is an error that names the argument, never a number."""
    from abotn.errors import EvaluationInputError
    from abotn.metrics.example_inputs import example_columns

    form = FORMS[name]
    good = {n: c[0] for n, c in example_columns(form.inputs, 1, shapes=form.shapes).items()}
    for argument, axes in form.shapes.items():
        bad = np.full_like(np.asarray(good[argument], dtype=float), np.nan)
        with pytest.raises(EvaluationInputError) as caught:
            form(**{**good, argument: bad})
        assert caught.value.where == argument, axes


def test_failures_never_count_in_favour_of_an_agent():
    for spec in METRICS.values():
        if spec.failure_value is not None:
            assert spec.failure_value == (spec.bounds[0] if spec.direction == "higher" else None)


def test_names_and_aliases_do_not_collide():
    assert MetricRegistry(METRICS.values()).conflicts == {}


def test_built_ins_arrive_through_the_hook_with_their_origin():
    registry = PluginManager(discover=False).metric_registry()
    assert registry.list_metrics() == sorted(METRICS)
    origins = {
        (form.distribution, form.version) for spec in registry for form in (spec, *spec.variants)
    }
    assert origins == {("abotn", __version__)}


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("sr_new", "success_new"),
        ("collision_path_length", "collision_length"),
        ("average_displacement_error", "ade"),
        ("final_displacement_error", "fde"),
        ("topk", "topk_trajectory_error"),
        ("ttc", "time_to_collision"),
    ],
)
def test_known_names_are_aliases(alias, name):
    assert PluginManager(discover=False).metric_registry().get(alias).name == name
