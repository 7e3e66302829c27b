"""Finding an agent's class, and the four errors of the published loader."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path

import pytest

from abotn.agents import BasePointGoalAgent, RandomAgent, load_class
from abotn.agents.loader import checked_agent_class, load_agent_class, make_agent, needs_of
from abotn.errors import AgentError, ConfigError


def test_finds_a_class_in_a_nested_module() -> None:
    assert load_class("collections:OrderedDict") is OrderedDict
    assert load_class("abotn.agents.baselines:RandomAgent") is RandomAgent


def test_finds_a_class_that_a_module_offers_lazily() -> None:
    assert load_class("abotn.agents:RandomAgent") is RandomAgent


@pytest.mark.parametrize("path", ["no_colon_here", "a:b:c", ":MyClass", "module:", "", " : "])
def test_path_must_have_one_colon_between_two_names(path: str) -> None:
    with pytest.raises(ValueError, match="one colon"):
        load_class(path)


def test_unknown_module_keeps_the_original_error() -> None:
    with pytest.raises(ImportError, match="No module named 'nonexistent_package'"):
        load_class("nonexistent_package.module:Agent")


@pytest.mark.parametrize(
    ("body", "reason"),
    [("x = 1 /", "SyntaxError"), ("1 / 0", "division by zero"), ("raise SystemExit(3)", "3")],
)
def test_module_that_cannot_be_imported(
    body: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"broken_{abs(hash(body))}"
    (tmp_path / f"{name}.py").write_text(body)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ImportError, match=reason):
        load_class(f"{name}:Agent")


def test_unknown_class_lists_those_there_are() -> None:
    with pytest.raises(AttributeError, match=r"RandomAgent, StraightLineAgent"):
        load_class("abotn.agents.baselines:RandmAgent")


def test_function_is_no_class() -> None:
    with pytest.raises(TypeError, match="function"):
        load_class("os.path:join")


@pytest.mark.parametrize(
    "path", ["nocolon", "nonexistent_package:A", "abotn.agents.baselines:Nope", "os.path:join"]
)
def test_as_an_agent_every_failure_is_one_clear_line(path: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_agent_class(path)
    line = str(caught.value)
    assert path in line
    assert "\n" not in line


def test_class_without_the_methods_is_no_agent() -> None:
    with pytest.raises(ConfigError, match="no method reset or predict"):
        load_agent_class("collections:OrderedDict")


def test_abstract_class_is_no_agent() -> None:
    with pytest.raises(ConfigError, match="abstract"):
        checked_agent_class(BasePointGoalAgent, "agent")


class _Declares(RandomAgent):
    pass


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("needs", ("occ_mop",), "occ_map"),
        ("needs", "occ_map", "tuple"),
        ("waypoint_frame", "front_right", "right_front"),
    ],
)
def test_declarations_are_checked(
    name: str, value: object, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_Declares, name, value)
    with pytest.raises(ConfigError, match=reason):
        checked_agent_class(_Declares, "agent")


def test_needs_default_to_none() -> None:
    assert needs_of(OrderedDict) == ()


def test_constructor_that_raises_is_an_agent_error() -> None:
    with pytest.raises(AgentError, match="unexpected keyword argument 'steps'"):
        make_agent(RandomAgent, {"steps": 1})
    assert isinstance(make_agent(RandomAgent, {"seed": 1}), RandomAgent)
