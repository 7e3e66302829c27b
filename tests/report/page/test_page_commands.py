import shlex

import pytest

from abotn.cli.evaluate_command import evaluate
from abotn.cli.run_command import run
from abotn.records.readers import RecordSource
from abotn.records.table import RecordTable
from abotn.report.page_commands import commands
from abotn.report.page_protocol import origin_tables, protocol_tables, setting, without_login
from abotn.report.page_sources import ReportSources, RunSource

STATISTICS = {
    "bootstrap_ci": 500, "bootstrap_seed": 3, "ci_level": 0.9, "ci_method": "bca",
    "cluster_by": None, "resampled": "records",
}  # fmt: skip


def source(parts, name="agent", *, protocol=None, path="runs/a b", **fields):
    written = parts.manifest("/data", **fields)
    if protocol:
        written["protocol"] = {**written["protocol"], **protocol}
    kept = {key: written[key] for key in ("run_id", "task_type", "agent", "renderer", "max_steps",
                                          "attempts", "seed")}  # fmt: skip
    provenance = {"protocol": written["protocol"], "run": kept, "dataset": written["dataset"],
                  "recorded_with": written["versions"], "on_error": "exclude",
                  "statistics": STATISTICS}  # fmt: skip
    return RunSource(name, parts.evaluation(provenance=provenance), path=path)


def words(lines):
    """What a shell makes of a command in several lines."""
    assert all(line.endswith(" \\") for line in lines[:-1])
    return shlex.split("\n".join(lines).replace("\\\n", ""))


def parsed(command, lines):
    _, _, *arguments = words(lines)
    return command.make_context("abotn", arguments).params


def texts(table):
    return [[cell.text for cell in row.cells] for row in table.rows]


def test_the_roll_out_command_asks_for_what_the_manifest_says(parts):
    ((what, lines), _) = commands(ReportSources((source(parts),)))
    params = parsed(run, lines)
    assert what == "Roll out agent (written from its manifest)"
    assert params["task_type"] == "point-goal"
    assert params["agent"] == "pkg.mod:Agent"
    assert params["agent_name"] == "agent"
    assert params["data_dir"] == "/data"
    assert params["map_dir"] is None
    assert params["protocol"] == "pointbench-indoor"
    assert params["collision_threshold"] == 2
    assert params["arrive_threshold"] is None
    assert (params["max_steps"], params["attempts"], params["seed"]) == (4, 1, 7)
    assert params["render"] == "embedded"


def test_the_command_that_was_typed_is_shown_as_it_was(parts):
    typed = ["abotn", "run", "point-goal", "--agent", "my agent:A", "--workers", "2"]
    written = parts.manifest("/data", command=typed)
    records = RecordSource(RecordTable.from_dicts([]), manifest=written)
    run_source = RunSource("agent", parts.evaluation(), records, path="runs/a")
    ((what, lines), _) = commands(ReportSources((run_source,)))
    assert what == "Roll out agent, as it was typed"
    assert words(lines) == typed


def test_the_scoring_command_asks_for_what_the_evaluation_says(parts):
    _, (what, lines) = commands(ReportSources((source(parts),)))
    params = parsed(evaluate, lines)
    assert what == "Score agent (written from its evaluation)"
    assert params["run"] == "runs/a b"
    assert (params["bootstrap"], params["seed"], params["ci_level"]) == (500, 3, 0.9)
    assert (params["ci_method"], params["cluster_by"], params["on_error"]) == (
        "bca", "none", "exclude",
    )  # fmt: skip


def test_what_no_option_can_say_is_said_in_words(parts):
    one = source(
        parts,
        protocol={"modified": ["require_stop"], "values": {"require_stop": True}},
        agent={"name": "n", "class": "m:C", "config": {"speed": 2}},
    )
    what, lines = commands(ReportSources((one,)))[0]
    assert "in Python, with require_stop = yes" in what
    assert "agent.yaml" in what
    assert "require" not in " ".join(lines)
    assert "speed = 2" in dict(texts(origin_tables([one])[0]))["agent config"]


def test_a_login_in_an_address_is_kept_to_oneself(parts):
    one = source(parts, renderer={"kind": "http", "url": "http://me:secret@host:80/r"})
    shown = str(texts(origin_tables([one])[0])) + str(commands(ReportSources((one,))))
    assert "http://host:80/r" in shown
    assert "secret" not in shown
    assert without_login("a@b and https://x@y") == "a@b and https://y"


def test_names_are_quoted_for_the_shell(parts):
    name = 'it\'s; $(rm) "x"\nnew'
    agent = {"name": name, "class": "m:C", "config": {}}
    lines = commands(ReportSources((source(parts, agent=agent),)))[0][1]
    assert parsed(run, lines)["agent_name"] == name.replace("\n", " ")


def test_the_page_command_comes_last(parts):
    found = commands(ReportSources((source(parts),), command=("abotn", "report", "a b")))
    assert words(found[-1][1]) == ["abotn", "report", "a b"]
    assert commands(ReportSources((RunSource("bare", parts.evaluation()),))) == []


def test_what_runs_share_is_said_once(parts):
    runs = [source(parts), source(parts, "other", seed=8)]
    own, shared = origin_tables(runs)
    assert texts(own) == [["seed", "7", "8"]]
    assert ["task type", "point_goal"] in texts(shared)
    (only,) = protocol_tables(runs)
    assert ["collision_threshold", "2 †"] in texts(only)
    assert ["arrive_threshold", "0.5"] in texts(only)
    assert any("†" in note for note in only.notes)


@pytest.mark.parametrize("names", [["a"], ["a", "b"]])
def test_the_line_under_the_title(parts, names):
    modified = {"modified": ["collision_threshold"]}
    (line,) = setting([source(parts, name, protocol=modified) for name in names])
    assert line.startswith(f"{len(names)} run{'s' if len(names) > 1 else ''} · ")
    assert "protocol pointbench-indoor (modified)" in line
    assert "data set ffffffffffff" in line
    assert line.endswith(f"{6 * len(names)} records scored")
    assert setting([]) == []
