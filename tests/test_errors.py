import pickle

import pytest

from abotn.errors import (
    AbotnError,
    DataError,
    EvaluationInputError,
    RenderFailureError,
    UnknownMetricError,
    UnknownNameError,
)


def test_the_line_names_place_reason_and_way_out():
    error = DataError("cut\nshort", where="a/result.json", hint="run it again")
    assert str(error) == "a/result.json: cut short (run it again)"


@pytest.mark.parametrize(
    "error",
    [
        DataError("x", where="w", hint="h"),
        UnknownMetricError("splx", ["spl", "success"]),
        UnknownNameError("protocol", "p", []),
        RenderFailureError("no image"),
    ],
)
def test_errors_survive_pickling_between_processes(error):
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)


def test_unknown_name_gives_the_nearest():
    error = UnknownMetricError("succes", ["success", "spl", "steps"])
    assert error.nearest[0] == "success"
    assert "did you mean: success" in str(error)


def test_unknown_name_without_a_near_one_lists_what_is_known():
    assert "known: alpha, beta" in str(UnknownNameError("format", "zzzzzz", ["beta", "alpha"]))


def test_errors_can_be_caught_as_the_builtin_kind_too():
    assert issubclass(EvaluationInputError, ValueError)
    assert issubclass(UnknownMetricError, KeyError)
    assert all(issubclass(kind, AbotnError) for kind in (UnknownMetricError, RenderFailureError))
