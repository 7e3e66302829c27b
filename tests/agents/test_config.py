"""Agent configuration: bases, modes, and what cannot be read."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from abotn.agents.config import (
    agent_config_from,
    load_agent_config,
    load_yaml,
    merge_cli_args,
)
from abotn.errors import ConfigError


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_published_example_of_a_base(tmp_path: Path) -> None:
    write(tmp_path, "base_config.yaml", "model_name: qwen-vl\ntemperature: 0.7\nmax_tokens: 2048")
    child = write(
        tmp_path, "agent.yaml", "_base_: base_config.yaml\ntemperature: 0.5\ncustom_param: true"
    )
    assert load_agent_config(child) == {
        "model_name": "qwen-vl",
        "temperature": 0.5,
        "max_tokens": 2048,
        "custom_param": True,
    }


def test_published_example_of_modes(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "modes.yaml",
        "mode: outdoor\nmodel_name: qwen-vl\n"
        "outdoor: {step_size: 2.0, max_distance: 50.0}\n"
        "indoor: {step_size: 0.5, max_distance: 10.0}\n",
    )
    assert load_agent_config(path) == {
        "mode": "outdoor",
        "model_name": "qwen-vl",
        "step_size": 2.0,
        "max_distance": 50.0,
    }


def test_base_is_relative_to_the_file_that_names_it_and_merges_deeply(tmp_path: Path) -> None:
    write(tmp_path, "shared/root.yaml", "net: {depth: 3, width: 8}\na: 1")
    write(tmp_path, "shared/middle.yaml", "_base_: root.yaml\nnet: {width: 16}\nb: 2")
    child = write(tmp_path, "agents/leaf.yaml", "_base_: ../shared/middle.yaml\nb: 3")
    assert load_agent_config(child) == {"net": {"depth": 3, "width": 16}, "a": 1, "b": 3}


def test_mode_of_a_child_chooses_among_the_modes_of_its_base(tmp_path: Path) -> None:
    write(tmp_path, "base.yaml", "mode: indoor\nindoor: {step: 1}\noutdoor: {step: 2}")
    child = write(tmp_path, "child.yaml", "_base_: base.yaml\nmode: outdoor")
    assert load_agent_config(child) == {"mode": "outdoor", "step": 2}


def test_mode_without_a_mapping_of_its_name_is_an_ordinary_value(tmp_path: Path) -> None:
    path = write(tmp_path, "a.yaml", "mode: fast\nmodel: {name: m}")
    assert load_agent_config(path) == {"mode": "fast", "model": {"name": "m"}}


@pytest.mark.parametrize(
    "chain", [["a.yaml"], ["a.yaml", "b.yaml"], ["a.yaml", "b.yaml", "c.yaml"]]
)
def test_circle_of_bases_is_named(chain: list[str], tmp_path: Path) -> None:
    for name, base in zip(chain, [*chain[1:], chain[0]], strict=True):
        write(tmp_path, name, f"_base_: {base}")
    with pytest.raises(ValueError, match="circle"):
        load_agent_config(tmp_path / "a.yaml")


def test_missing_base_names_the_base(tmp_path: Path) -> None:
    child = write(tmp_path, "child.yaml", "_base_: gone.yaml")
    with pytest.raises(FileNotFoundError, match=r"gone\.yaml"):
        load_agent_config(child)


def test_base_must_be_a_path(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="_base_ must be the path"):
        load_agent_config(write(tmp_path, "child.yaml", "_base_: [a, b]"))


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no\.yaml"):
        load_yaml(tmp_path / "no.yaml")


@pytest.mark.parametrize(
    ("text", "reason"),
    [("- 1\n- 2", "list"), ("just text", "str"), ("{a: ", "YAML"), ("1: one", "text keys")],
)
def test_what_is_no_mapping(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=reason) as caught:
        load_yaml(write(tmp_path, "a.yaml", text))
    assert "a.yaml" in str(caught.value)


def test_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        load_yaml(tmp_path)


def test_yaml_cannot_run_code(tmp_path: Path) -> None:
    made = tmp_path / "made"
    text = f"a: !!python/object/apply:os.mkdir ['{made}']"
    with pytest.raises(ValueError, match="YAML"):
        load_yaml(write(tmp_path, "evil.yaml", text))
    assert not made.exists()


def test_empty_file_is_an_empty_mapping(tmp_path: Path) -> None:
    assert load_yaml(write(tmp_path, "empty.yaml", "")) == {}


KEYS = st.sampled_from(["a", "b", "c"])


@given(st.dictionaries(KEYS, st.integers()), st.dictionaries(KEYS, st.none() | st.integers()))
def test_merge_is_an_update_without_nones(config: dict[str, int], args: dict[str, int]) -> None:
    before = dict(config)
    merged = merge_cli_args(config, args)
    expected = {**config, **{k: v for k, v in args.items() if v is not None}}
    assert merged == expected
    assert merge_cli_args(config, argparse.Namespace(**args)) == expected
    assert config == before


def test_merge_looks_only_at_the_keys_it_is_told_to() -> None:
    merged = merge_cli_args({"a": 1}, {"a": 2, "b": 3}, override_keys=["b", "absent"])
    assert merged == {"a": 1, "b": 3}


def test_merge_copies_deeply() -> None:
    config = {"net": {"depth": 1}}
    merge_cli_args(config, {})["net"]["depth"] = 2
    assert config == {"net": {"depth": 1}}


def test_merge_refuses_what_holds_no_values() -> None:
    with pytest.raises(TypeError, match="int"):
        merge_cli_args({}, 3)


@given(st.dictionaries(KEYS, st.integers() | st.text(max_size=5), max_size=3))
def test_plain_configuration_is_read_as_it_is(
    tmp_path_factory: pytest.TempPathFactory, config: dict[str, object]
) -> None:
    path = tmp_path_factory.mktemp("config") / "plain.yaml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    assert load_agent_config(path) == config


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: &x {y: *x}", "holds itself, line 1"),
        ("a: &x [1, *x]", "holds itself"),
        ("day: 2024-13-45", "month must be in"),
        ("a: !!timestamp nonsense", "does not fit its tag"),
        ("a: !!bool perhaps", "does not fit its tag"),
        ("a: 1\nb: 2\na: 3", "the key 'a' is there twice, line 3"),
        ("net: {depth: 1, depth: 2}", "the key 'depth' is there twice"),
        (BOMB, "once its aliases are written out"),
        ("a: " + "[" * 5000, "nested too deeply"),
        ("? [1, 2]\n: 3", "list|text keys|unhashable"),
    ],
)
def test_yaml_that_is_not_what_it_looks_like(text: str, reason: str, tmp_path: Path) -> None:
    path = write(tmp_path, "a.yaml", text)
    with pytest.raises(ConfigError, match=reason) as caught:
        agent_config_from(path)
    assert "a.yaml" in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_merged_keys_and_shared_values_are_not_doubled(tmp_path: Path) -> None:
    text = "x: &x {a: 1, b: 2}\ny: &y {<<: *x, a: 3}\nz: {<<: *x, b: 4}\nw: *x"
    assert load_yaml(write(tmp_path, "a.yaml", text)) == {
        "x": {"a": 1, "b": 2}, "y": {"a": 3, "b": 2}, "z": {"a": 1, "b": 4},
        "w": {"a": 1, "b": 2},
    }  # fmt: skip


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no such device here")
def test_only_regular_files_are_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"/dev/zero: .*expected a regular file"):
        agent_config_from(write(tmp_path, "child.yaml", "_base_: /dev/zero"))


def test_large_file_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "large.yaml", "#" * 10_000_001)
    with pytest.raises(ValueError, match="at most 10000000 bytes"):
        load_yaml(path)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("day: 2024-01-02", "day: .*got a date"),
        ("net: {when: 2024-01-02 03:04:05}", r"net\.when: .*got a datetime"),
        ("names: !!set {a, b}", "names: .*got a set"),
        ("key: !!binary aGVsbG8=", "key: .*got a bytes"),
        ("rates: [0.5, .nan]", r"rates\.1: .*got nan"),
        ("rate: .inf", "rate: .*got inf"),
        ("net: {1: one}", "net: .*the key 1, a int"),
        (f"big: {2**64}", "big: .*64 bits"),
    ],
)
def test_values_that_json_cannot_hold_are_refused(text: str, reason: str, tmp_path: Path) -> None:
    path = write(tmp_path, "a.yaml", text)
    assert load_agent_config(path)
    with pytest.raises(ConfigError, match=reason):
        agent_config_from(path)
    with pytest.raises(ConfigError, match=reason):
        agent_config_from(load_agent_config(path))


def test_configuration_that_holds_itself_is_refused() -> None:
    config: dict[str, object] = {}
    config["again"] = config
    with pytest.raises(ConfigError, match="holds itself"):
        agent_config_from(config)
    assert agent_config_from({"a": [1, (2.5, None)], "b": True}) == {
        "a": [1, (2.5, None)], "b": True,
    }  # fmt: skip
    assert agent_config_from(None) is None
