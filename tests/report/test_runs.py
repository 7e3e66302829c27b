from pathlib import PurePosixPath as Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abotn.errors import EvaluationInputError
from abotn.report.runs import check_runs, isolated, run_label, unique_names


def test_no_run_is_an_error():
    with pytest.raises(EvaluationInputError, match="at least one run"):
        check_runs([])


def test_runs_of_one_name_are_never_merged(make):
    with pytest.raises(EvaluationInputError, match="two runs are named 'a'"):
        check_runs([("a", make.evaluation()), ("a", make.evaluation(0.5))])


@pytest.mark.parametrize("change", [{"unit": "s"}, {"direction": "lower"}])
def test_one_metric_with_two_meanings_is_an_error(make, change):
    kinds = [make.metric("x", 1.0), make.metric("x", 1.0, **change)]
    runs = [(str(i), make.evaluation(groups={})) for i in range(2)]
    both = [(name, type(run)(**{**vars(run), "metrics": (kind,)}))
            for (name, run), kind in zip(runs, kinds, strict=True)]  # fmt: skip
    with pytest.raises(EvaluationInputError, match=r"x: unit .* in '0', but unit .* in '1'"):
        check_runs(both)


paths = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from("cd"), st.sampled_from("ef")),
    min_size=1,
    max_size=6,
    unique=True,
)


@settings(deadline=None)
@given(paths, st.data())
def test_names_are_told_apart_by_the_end_of_the_path(parts, data):
    names = data.draw(st.lists(st.sampled_from("xy"), min_size=len(parts), max_size=len(parts)))
    shown = unique_names(names, [Path(*part) for part in parts])
    assert len(set(shown)) == len(shown)
    for name, label, part in zip(names, shown, parts, strict=True):
        if names.count(name) == 1:
            assert label == name
        else:
            assert label.startswith(f"{name} (")
            assert "/".join(part).endswith(label[len(name) + 2 : -1])


def test_one_path_twice_is_an_error():
    with pytest.raises(EvaluationInputError, match="runs/a: the same run is given twice"):
        unique_names(["x", "y"], [Path("runs/a"), Path("runs/a")])


def test_only_directed_text_is_isolated():
    assert isolated("plain 导航") == "plain 导航"
    assert isolated("שלום") == "\u2068שלום\u2069"
    assert isolated("a\u202eb").startswith("\u2068")


def test_a_modified_run_is_marked(make):
    result = make.evaluation()
    assert run_label("a", result) == "a"
    assert run_label("a", make.modified(result, arrive_threshold=1.0)) == "a†"


def test_no_more_of_the_path_is_shown_than_tells_runs_apart():
    paths = [Path("x/1"), Path("x/2"), Path("x/3")]
    assert unique_names(["a", "a", "b"], paths) == ["a (1)", "a (2)", "b"]
    deep = [Path("x/1/r"), Path("x/2/r")]
    assert unique_names(["a", "a"], deep) == ["a (1/r)", "a (2/r)"]
