"""Numbers that fit 64 bits and texts that are not empty, for every option of every command."""

import json

import click
import pytest
from click.types import FloatParamType, IntParamType, StringParamType

from abotn.cli.commands import COMMANDS
from abotn.cli.main import cli, run_command_line
from abotn.cli.option_types import checked_options
from abotn.cli.option_values import metric_parameters, number
from abotn.errors import ConfigError

WHOLE = [str(10**30), str(-(10**30)), str(2**63), str(-(2**63) - 1), "9" * 5000, "nan", "inf",
         "1e3", "³", "", " "]  # fmt: skip
FINITE = ["nan", "inf", "-inf", "1e400", "9" * 500, "³", "", " "]


def leaves(command, path):
    """Every command without commands in it, with its words."""
    if isinstance(command, click.Group):
        for name in command.commands:
            yield from leaves(command.commands[name], [*path, name])
    else:
        yield path, command


def every_option(kind):
    context = click.Context(cli)
    for name in COMMANDS:
        for path, command in leaves(cli.get_command(context, name), [name]):
            for parameter in command.params:
                if isinstance(parameter, click.Option) and isinstance(parameter.type, kind):
                    yield path, parameter


def refuse(capsys, path, parameter, values):
    option = max(parameter.opts, key=len)
    for value in values:
        # The equals sign keeps a minus from being taken for an option.
        given = [f"{option}={value}"] if parameter.nargs == 1 else [option, value, "1"]
        code = run_command_line([*path, *given])
        out, err = capsys.readouterr()
        assert (code, out) == (2, ""), (path, given)
        lines = err.splitlines()
        assert len(lines) == 1, (path, given, err)
        assert option in lines[0]
        assert len(lines[0]) < 5000


def test_whole_numbers(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = list(every_option((IntParamType, click.IntRange)))
    assert len(found) > 25
    for path, parameter in found:
        refuse(capsys, path, parameter, WHOLE)
    assert list(tmp_path.iterdir()) == []


def test_other_numbers(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = list(every_option((FloatParamType, click.FloatRange)))
    assert len(found) > 8
    for path, parameter in found:
        if not isinstance(parameter.type, IntParamType | click.IntRange):
            refuse(capsys, path, parameter, FINITE)
    assert list(tmp_path.iterdir()) == []


def test_texts(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = list(every_option((StringParamType, click.Path)))
    assert len(found) > 60
    for path, parameter in found:
        refuse(capsys, path, parameter, [" "] if parameter.default == "" else ["", " "])
    assert list(tmp_path.iterdir()) == []


def test_arguments_too(capsys):
    for arguments in (["evaluate", ""], ["report", "x", ""], ["scenes", "check", " "]):
        assert run_command_line(arguments) == 2
        assert "empty text" in capsys.readouterr().err


def test_the_help_is_the_same_and_good_values_pass(capsys):
    @click.command()
    @click.option("--count", type=int, default=3, show_default=True)
    @click.option("--part", type=click.FloatRange(0, 1), default=0.5, show_default=True)
    @click.option("--port", type=click.IntRange(0, 65535), default=1, show_default=True)
    @click.option("--name", default="", help="A name.")
    @click.option("--place", type=click.Path(exists=True))
    @click.option("--kind", type=click.Choice(["a", "b"]), default="a", show_default=True)
    def plain(**options):
        click.echo(json.dumps(options))

    before = plain.get_help(click.Context(plain))
    strict = checked_options(plain)
    assert strict.get_help(click.Context(strict)) == before
    given = [f"--count={2**63 - 1}", "--part=0.25", "--port=80", "--name=", "--kind=b", "--place=."]
    strict.main(given, standalone_mode=False)
    assert json.loads(capsys.readouterr().out) == {
        "count": 2**63 - 1, "part": 0.25, "port": 80, "name": "", "kind": "b", "place": ".",
    }  # fmt: skip
    for wrong in ("--part=2", "--port=70000", "--place=absent", "--kind=c"):
        with pytest.raises(click.UsageError):
            strict.main([wrong], standalone_mode=False)


@pytest.mark.parametrize("text", ["nan", "inf", "-Infinity", "1e999", str(10**30), str(-(2**64))])
def test_numbers_inside_texts(text):
    with pytest.raises(ConfigError, match=r"--set spl\.x: expected (a finite|at most 64 bits)"):
        metric_parameters([f"spl.x={text}"])
    with pytest.raises(ConfigError, match="--threshold"):
        number(text, "--threshold")


def test_texts_that_are_no_numbers():
    assert metric_parameters(["a.b=³", "a.c=none", "a.d=TRUE", "a.e=-2", "a.f=1e3"]) == {
        "a": {"b": "³", "c": None, "d": True, "e": -2, "f": 1000.0}
    }
    with pytest.raises(ConfigError, match="expected a number, got '³'"):
        number("³", "--threshold")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--seed", "-1"], "seed: expected a whole number of at least 0, got -1"),
        (["--workers", "1000000000"], "workers: expected a whole number of at most 1024"),
        (["--attempts", "1000000000"], "attempts: expected a whole number of at most 100000"),
        (["--override", f"collision_threshold={10**30}"], "collision_threshold: expected a whole"),
        (["--override", "arrive_threshold=.nan"], "arrive_threshold: expected a number of at"),
        (["--override", f"arrive_threshold={10**400}"], "arrive_threshold: expected a number of"),
        (["--override", f"occ_dark_threshold={10**30}"], "whole number from 0 to 255"),
    ],
)
def test_numbers_that_no_run_can_use(made_run, tmp_path, capsys, arguments, named):
    code = run_command_line(
        ["run", "point-goal", "--agent", "abotn.agents:StraightLineAgent", "--render", "none",
         "--data-dir", str(made_run / "scenes"), "--run-dir", str(tmp_path / "run"), *arguments]
    )  # fmt: skip
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert named in err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("count", ["³", "9" * 5000, "1", "101", "-2", "2:3", "", "٤"])
def test_groups_by_quantiles(made_run, tmp_path, capsys, count):
    code = run_command_line(
        ["evaluate", str(made_run / "run"), "--group-by", f"quantiles:steps:{count}",
         "--bootstrap", "0", "-o", str(tmp_path / "e.json")]
    )  # fmt: skip
    assert code == 2
    assert "the number of quantile groups must be 2 to 100" in capsys.readouterr().err
    assert not (tmp_path / "e.json").exists()
